/*
 * compile_dict.c
 *		Texts represented by their dictionary codes.
 *
 * Dictionary codes only tell whether two texts are equal.  A program therefore
 * reads dictionary codes where a column is a group's key, counted, returned,
 * materialized, compared with NULL, or the only column of a condition, which
 * PostgreSQL evaluates once for each value of the dictionary.  If a request uses
 * a column in any other way, the whole request reads texts of that column.  The
 * columns of join tables have dictionaries of their own.
 *
 * Dictionaries also have the values of rows that are hidden from the user.  In
 * queries with hidden rows a condition must be leakproof to be evaluated on a
 * dictionary, else it is evaluated on texts.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/transam.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"

#include "core/vm/code_table.h"

#include "compile/compiler.h"

/* Number in c->texts of a column of a join table, with join from 1 on, or of the relation, with join 0. */
#define TEXT_NUMBER(join, attno) ((join) * (MaxHeapAttributeNumber + 1) + (attno))

/* Return the column that a Var is if it may be read as dictionary codes, else a source with attno 0. */
static DictSource
offered_column(const Compiler *c, const Var *var)
{
	ListCell   *lc;

	if (var->varlevelsup != 0 || var->varattno <= 0)
		return (DictSource) {0};
	if (var->varno == c->input->varno)
		return (DictSource) {.attno = c->input->dict_sizes != NULL && c->input->dict_sizes[var->varattno] != 0 ? var->varattno : 0};
	foreach(lc, c->request->joins)
	{
		const JoinRequest *request = lfirst(lc);
		const AttrNumber column = column_of_join(c, request, (const Expr *) var);

		if (column > 0)
			return (DictSource) {.attno = bms_is_member(column, request->dict_columns) ? column : 0, .join = foreach_current_index(lc) + 1};
	}
	return (DictSource) {0};
}

bool
is_coded(Compiler *c, const Var *var)
{
	const DictSource column = c->offers_dicts ? offered_column(c, var) : (DictSource) {0};
	int32		typmod = var->vartypmod;
	Operand		form;
	Oid			type;

	if (column.attno == 0 || bms_is_member(TEXT_NUMBER(column.join, column.attno), c->texts))
		return false;
	type = getBaseTypeAndTypmod(var->vartype, &typmod);
	/* insignificant blanks are part of the coded value */
	if (type == BPCHAROID && typmod < (int32) VARHDRSZ)
		return false;
	return (type == TEXTOID || type == VARCHAROID || type == BPCHAROID) && class_of_type(c, type, typmod, &form) &&
		form.class == CLASS_TEXT;
}

DictSource
dict_source(Compiler *c, const Operand *operand, Expr *expr)
{
	DictSource	source;

	if (operand->class != CLASS_CODE)
		return (DictSource) {0};
	source = offered_column(c, (const Var *) scan_expr(c, expr));
	if (source.join > 0)
		source.view = dict_of_column(c, source.join, source.attno);
	return source;
}

/* Conditions */

typedef struct ConditionSearch
{
	Compiler   *c;
	const Var  *var;			/* the only column of the condition, NULL until found */
} ConditionSearch;

/*
 * Return true if a function must not be called with values that perhaps no row
 * of the query has: only PostgreSQL's built-in immutable functions are known not
 * to disclose their arguments.  The function must also be strict.
 */
static bool
is_unfit_function(Oid function)
{
	return function >= FirstUnpinnedObjectId || func_volatile(function) != PROVOLATILE_IMMUTABLE || !func_strict(function);
}

/* Return true if an expression contains anything that keeps it from being a condition on a single coded column. */
static bool
unfit_walker(Node *node, void *arg)
{
	ConditionSearch *search = arg;
	Oid			function = InvalidOid;

	if (node == NULL)
		return false;
	if (!IsA(node, List))
		node = (Node *) scan_expr(search->c, (Expr *) node);
	if (IsA(node, Var))
	{
		const Var  *var = (Var *) node;

		if (!is_coded(search->c, var) ||
			(search->var != NULL && (search->var->varno != var->varno || search->var->varattno != var->varattno)))
			return true;
		search->var = var;
		return false;
	}
	if (IsA(node, Const) || is_run_constant((Expr *) node))
		return false;
	switch (nodeTag(node))
	{
		case T_OpExpr:
			set_opfuncid((OpExpr *) node);
			function = ((OpExpr *) node)->opfuncid;
			break;
		case T_ScalarArrayOpExpr:
			set_sa_opfuncid((ScalarArrayOpExpr *) node);
			function = ((ScalarArrayOpExpr *) node)->opfuncid;
			break;
		case T_FuncExpr:
			if (((FuncExpr *) node)->funcretset)
				return true;
			function = ((FuncExpr *) node)->funcid;
			break;
		case T_RelabelType:
		case T_List:
			break;
		default:
			return true;
	}
	return (OidIsValid(function) && is_unfit_function(function)) || expression_tree_walker(node, unfit_walker, search);
}

const Var *
dict_test_subject(Compiler *c, Expr *expr)
{
	ConditionSearch search = {c, NULL};

	if (!c->offers_dicts || !(IsA(expr, OpExpr) || IsA(expr, ScalarArrayOpExpr) || IsA(expr, FuncExpr)) ||
		exprType((Node *) expr) != BOOLOID || is_closed(c, expr))
		return NULL;
	return unfit_walker((Node *) expr, &search) ? NULL : search.var;
}

/* Copy a condition with a CaseTestExpr in place of the column and values in place of run-time constants. */
static Node *
condition_mutator(Node *node, void *arg)
{
	Compiler   *c = arg;
	Expr	   *expr;

	if (node == NULL || IsA(node, List))
		return node == NULL ? NULL : expression_tree_mutator(node, condition_mutator, c);
	expr = scan_expr(c, (Expr *) node);
	if (IsA(expr, Var))
	{
		const Var  *var = (Var *) expr;
		CaseTestExpr *value = makeNode(CaseTestExpr);

		value->typeId = var->vartype;
		value->typeMod = var->vartypmod;
		value->collation = var->varcollid;
		return (Node *) value;
	}
	/* without a value c->reason is set */
	if (is_run_constant(expr))
		return (Node *) run_constant(c, expr);
	return expression_tree_mutator((Node *) expr, condition_mutator, c);
}

/* Return how many dictionary codes the truth table of a condition has room for. */
static uint32
room_for(const Compiler *c, const DictSource *source)
{
	if (source->join == 0)
		return c->input->dict_sizes[source->attno];
	return source->view != NULL ? Max(source->view->nknown, 1) : 1;
}

/* Return the index of a condition's truth table, shared by both bodies; a new one has all results unknown. */
static int
need_table(Compiler *c, const DictSource *source, Expr *condition)
{
	const uint32 capacity = room_for(c, source);
	uint64	   *words;
	DictTest   *test;
	ListCell   *lc;

	foreach(lc, c->result->dict_tests)
	{
		test = lfirst(lc);
		if (test->dict.attno == source->attno && test->dict.join == source->join && equal(test->condition, condition))
			return test->table;
	}
	words = palloc(sizeof(uint64) * code_table_words(capacity));
	words[0] = capacity;
	for (uint32 w = 1; w < code_table_words(capacity); w++)
		words[w] = CODE_WORD_UNKNOWN;
	test = palloc(sizeof(DictTest));
	*test = (DictTest) {*source, condition, pool_append_table(c->em.pool, words, code_table_words(capacity))};
	c->result->dict_tests = lappend(c->result->dict_tests, test);
	pfree(words);
	return test->table;
}

bool
compile_dict_test(Compiler *c, Expr *expr, const Var *var, Operand *out)
{
	Expr	   *condition = (Expr *) condition_mutator((Node *) expr, c);
	DictSource	source;
	Operand		code;

	if (c->reason != NULL || !compile_expr(c, (Expr *) var, &code))
		return false;
	source = dict_source(c, &code, (Expr *) var);
	*out = bool_operand(emit_instr(&c->em, (EmitInstr) {.op = VMOP_TEST_CODE, .a = code.vreg, .m = c->mask,
							   .imm = need_table(c, &source, condition)}),
						code.nullable);
	return true;
}

/* Columns that must be texts */

/* Return true if a node counts a coded column or compares it with NULL, so that the text itself is not needed. */
static bool
is_only_counted(Compiler *c, Node *node)
{
	Expr	   *subject = NULL;

	if (IsA(node, NullTest))
		subject = ((NullTest *) node)->arg;
	else if (IsA(node, TargetEntry))
		subject = ((TargetEntry *) node)->expr;
	subject = subject != NULL ? scan_expr(c, subject) : NULL;
	return subject != NULL && IsA(subject, Var) && is_coded(c, (Var *) subject);
}

/* Record that a column is needed as text. */
static void
note_text(Compiler *c, const Var *var)
{
	const DictSource column = offered_column(c, var);

	if (column.attno > 0)
		c->texts = bms_add_member(c->texts, TEXT_NUMBER(column.join, column.attno));
}

/* Record the columns that an expression needs as texts. */
static bool
text_walker(Node *node, void *arg)
{
	Compiler   *c = arg;

	if (node == NULL)
		return false;
	if (IsA(node, List))
		return expression_tree_walker(node, text_walker, c);
	node = (Node *) scan_expr(c, (Expr *) node);
	if (IsA(node, Var))
	{
		note_text(c, (Var *) node);
		return false;
	}
	if (IsA(node, Aggref))
	{
		const Aggref *agg = (Aggref *) node;
		const AggregateMap *map = map_aggregate(agg->aggfnoid);

		if (map != NULL && map->action == AGG_COUNT && agg->aggdistinct == NIL && is_only_counted(c, linitial(agg->args)))
			return text_walker((Node *) agg->aggfilter, c);
	}
	if ((IsA(node, NullTest) && is_only_counted(c, node)) || dict_test_subject(c, (Expr *) node) != NULL)
		return false;
	return expression_tree_walker(node, text_walker, c);
}

/* Record the columns that are needed as texts because they are returned or materialized as such. */
static void
note_outputs(Compiler *c)
{
	const CompileRequest *request = c->request;
	ListCell   *lc;

	for (int k = 0; request->keep != NULL && k < request->keep->ncolumns; k++)
		if (!request->keep->column[k].coded)
			text_walker(list_nth(request->outputs, request->keep->column[k].attno - 1), c);
	if (request->aggregate)
		return;
	/* texts of join tables are available on the host */
	foreach(lc, request->outputs)
	{
		const Var  *var = (const Var *) scan_expr(c, lfirst(lc));

		if (IsA(var, Var) && var->varno != c->input->varno)
			note_text(c, var);
	}
}

void
find_texts(Compiler *c)
{
	const CompileRequest *request = c->request;
	const Bitmapset *before;
	ListCell   *lc;

	c->offers_dicts = c->input->dict_sizes != NULL;
	foreach(lc, request->joins)
		c->offers_dicts |= !bms_is_empty(((const JoinRequest *) lfirst(lc))->dict_columns);
	if (!c->offers_dicts)
		return;
	note_outputs(c);
	/* a condition on a column that turns out to be needed as text needs texts as well: iterate to a fixpoint */
	do
	{
		before = bms_copy(c->texts);
		foreach(lc, request->quals)
		{
			begin_qual(c, foreach_current_index(lc));
			text_walker(lfirst(lc), c);
		}
		begin_qual(c, -1);
		text_walker((Node *) request->aggs, c);
		foreach(lc, request->joins)
		{
			const JoinRequest *join = lfirst(lc);

			text_walker((Node *) join->conditions, c);
			text_walker((Node *) join->filters, c);
		}
		foreach(lc, request->keys)
			if (!IsA(scan_expr(c, lfirst(lc)), Var))
				text_walker(lfirst(lc), c);
	} while (!bms_equal(before, c->texts));
}
