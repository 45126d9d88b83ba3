/*
 * compile_expr.c
 *		Compilation of expression trees, down to columns, constants and parameters.
 *
 * An expression that has been compiled for all selected lanes is remembered in
 * c->known, so that equal expressions are computed once.
 */
#include "postgres.h"

#include "catalog/pg_enum.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "utils/catcache.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"
#include "utils/syscache.h"

#include "pg_compat.h"
#include "core/numeric/decimal.h"
#include "core/numeric/wide_types.h"
#include "core/tablet/deform.h"
#include "core/tablet/tablet_format.h"
#include "core/vm/op_text.h"

#include "compile/compiler.h"

bool
refuse(Compiler *c, const char *reason)
{
	if (c->reason == NULL)
		c->reason = reason;
	return false;
}

int
int_constant(Compiler *c, int64 value)
{
	uint64		word = (uint64) value;

	return emit_constant(&c->em, KIND_I, &word, false);
}

Operand
int_operand(int vreg, bool nullable)
{
	return (Operand) {.class = CLASS_INT, .vreg = vreg, .nullable = nullable};
}

Operand
bool_operand(int vreg, bool nullable)
{
	return (Operand) {.class = CLASS_BOOL, .vreg = vreg, .nullable = nullable};
}

/* Return a 128-bit register with an integer or decimal. */
int
widened(Compiler *c, const Operand *a)
{
	if (a->class == CLASS_DECIMAL && c->wide)
		return a->vreg;
	return emit(&c->em, VMOP_WIDEN, a->vreg, 0, 0, 0);
}

OperandKind
kind_of(const Compiler *c, OperandClass class)
{
	switch (class)
	{
		case CLASS_BOOL:
			return KIND_B;
		case CLASS_FLOAT:
			return KIND_F;
		case CLASS_DECIMAL:
			return c->wide ? KIND_W : KIND_I;
		case CLASS_WIDE:
		case CLASS_INTERVAL:
			return KIND_W;
		case CLASS_TEXT:
			return KIND_T;
		case CLASS_INT:
		case CLASS_PACKED:
		case CLASS_CODE:
			return KIND_I;
	}
	return KIND_I;
}

int
null_test(Compiler *c, const Operand *a)
{
	static const Opcode op[] = {
		[KIND_B] = VMOP_NULL_B, [KIND_I] = VMOP_NULL_I, [KIND_F] = VMOP_NULL_F,
		[KIND_W] = VMOP_NULL_W, [KIND_T] = VMOP_NULL_T,
	};

	return emit(&c->em, op[kind_of(c, a->class)], a->vreg, 0, 0, 0);
}

bool
bits_fit(Oid type, int32 typmod)
{
	return type != BITOID || (typmod > 0 && typmod <= BITS_MOST);
}

/*
 * Set the class of a type that is not a domain.  The bits of bit(n) fit an integer for a small n.  Text of a declared length that
 * always fits 7 bytes is packed into a word.
 */
bool
class_of_type(Compiler *c, Oid type, int32 typmod, Operand *out)
{
	const TypeMap *map = map_type(type);
	int			characters = typmod - VARHDRSZ;

	if (map == NULL && get_typtype(type) != TYPTYPE_ENUM)
		return refuse(c, REASON_DATA_TYPE);
	out->class = map ? map->class : CLASS_INT;
	if (!bits_fit(type, typmod))
		return refuse(c, REASON_DATA_TYPE);
	if ((type == BPCHAROID || type == VARCHAROID) && typmod >= (int32) VARHDRSZ && !c->unpacked &&
		characters * pg_database_encoding_max_length() <= TEXT_PACKED_MAX)
	{
		out->class = CLASS_PACKED;
		out->trimmed = type == BPCHAROID;
	}
	return true;
}

bool
enum_in_oid_order(Oid type)
{
	CatCList   *labels = SearchSysCacheList1(ENUMTYPOIDNAME, ObjectIdGetDatum(type));
	bool		ordered = true;

	for (int i = 0; i < labels->n_members && ordered; i++)
		for (int j = 0; j < i && ordered; j++)
		{
			Form_pg_enum a = (Form_pg_enum) GETSTRUCT(&labels->members[i]->tuple);
			Form_pg_enum b = (Form_pg_enum) GETSTRUCT(&labels->members[j]->tuple);

			ordered = (a->oid < b->oid) == (a->enumsortorder < b->enumsortorder);
		}
	ReleaseSysCacheList(labels);
	return ordered;
}

/* Return the declared scale of numeric(p, s), or -1 without typmod. */
static int
declared_scale(int32 typmod)
{
	int			scale;

	if (typmod < (int32) VARHDRSZ)
		return -1;
	/* 11 bits, signed, as numeric_typmod_scale() reads them */
	scale = (((typmod - VARHDRSZ) & 0x7ff) ^ 1024) - 1024;
	return Max(scale, 0);
}

int
use_column(Compiler *c, const ColumnUse *use)
{
	CompileResult *r = c->result;

	for (int i = 0; i < r->ncolumns; i++)
		if (r->column[i].attno == use->attno && r->column[i].second == use->second)
			return i;
	if (r->ncolumns == PROGRAM_MAX_COLUMNS)
	{
		c->too_large = true;
		refuse(c, REASON_EXPRESSION);
		return 0;
	}
	r->column[r->ncolumns] = *use;
	return r->ncolumns++;
}

/*
 * Return the scale at which a join table stores a column of numerics: the one
 * that a use of the column has requested, else the declared or the assumed one.
 */
static int
scale_in_table(const JoinedTable *table, AttrNumber column, int declared)
{
	const JoinUse *use = table->use;

	for (int i = 0; i < use->ncolumns; i++)
		if (use->column[i].attno == column && !use->column[i].second)
			return use->column[i].scale;
	if (declared >= 0)
		return declared;
	return table->request->scales != NULL ? table->request->scales[column - 1] : SCALE_FIRST_GUESS;
}

bool
describe_column(Compiler *c, const Expr *expr, Operand *out, ColumnUse *use)
{
	const Var  *var = IsA(expr, Var) ? (const Var *) expr : NULL;
	AttrNumber	column = 0;
	const int	table = table_of_column(c, expr, &column);

	if (table == 0 && (var == NULL || var->varno != c->input->varno || var->varlevelsup != 0))
		return refuse(c, REASON_EXPRESSION);
	if (var != NULL && var->varattno <= 0)
		return refuse(c, "system_column");
	*use = (ColumnUse) {.attno = table > 0 ? column : var->varattno, .typmod = exprTypmod((const Node *) expr)};
	use->type = getBaseTypeAndTypmod(exprType((const Node *) expr), &use->typmod);
	if (!class_of_type(c, use->type, use->typmod, out))
		return false;
	out->nullable = table > 0 || !bms_is_member(var->varattno, c->input->notnull);
	if (var != NULL && is_coded(c, var))
		out->class = CLASS_CODE;
	use->packed = out->class == CLASS_PACKED;
	use->coded = out->class == CLASS_CODE;
	if (out->class == CLASS_DECIMAL)
	{
		out->dscale = declared_scale(use->typmod);
		out->scale = out->dscale;
		if (table > 0)
			out->scale = scale_in_table(&c->table[table - 1], column, out->dscale);
		else if (out->dscale < 0)
			out->scale = c->input->scales ? c->input->scales[var->varattno] : SCALE_FIRST_GUESS;
		if (out->scale > DECIMAL_MAX_DIGITS)
			return refuse(c, REASON_DATA_TYPE);
		use->scale = out->scale;
	}
	return true;
}

/* Return a register with the values of a column of the tablet, or of a join table. */
static int
load_column(Compiler *c, int table, OperandKind kind, const ColumnUse *use)
{
	static const Opcode load[] = {
		[KIND_B] = VMOP_LOAD_B, [KIND_I] = VMOP_LOAD_I, [KIND_F] = VMOP_LOAD_F,
		[KIND_W] = VMOP_LOAD_W, [KIND_T] = VMOP_LOAD_T,
	};

	if (table > 0)
		return fetch_column(c, table, kind, use);
	if (c->lane != 0)
		return fetch_of_lane(c, kind, use_column(c, use));
	return emit(&c->em, load[kind], 0, 0, 0, use_column(c, use));
}

static bool
compile_column(Compiler *c, const Expr *expr, Operand *out)
{
	ColumnUse	use;
	AttrNumber	column;
	const int	table = table_of_column(c, expr, &column);

	if (!describe_column(c, expr, out, &use))
		return false;
	out->vreg = load_column(c, table, kind_of(c, out->class), &use);
	use.second = true;
	if (out->class == CLASS_DECIMAL && out->dscale < 0)
		out->second_vreg = load_column(c, table, KIND_I, &use);
	if (out->class == CLASS_INTERVAL && c->wants_bytes)
		out->second_vreg = load_column(c, table, KIND_W, &use);
	return c->reason == NULL;
}

/* Compile a cast that only renames a type: to or from a domain, or between text types with significant blanks. */
static bool
compile_relabel(Compiler *c, RelabelType *expr, Operand *out)
{
	Oid			from = getBaseType(exprType((Node *) expr->arg));
	Oid			to = getBaseType(expr->resulttype);
	bool		texts = (from == TEXTOID || from == VARCHAROID) && (to == TEXTOID || to == VARCHAROID);

	if (from != to && !texts)
		return refuse(c, REASON_EXPRESSION);
	return compile_expr(c, expr->arg, out);
}

const FunctionMap *
comparison_of(Compiler *c, Oid function, List *args)
{
	const FunctionMap *map = map_function(function);
	Oid			type = getBaseType(exprType(linitial(args)));

	if (map == NULL || map->action != ACTION_COMPARE)
	{
		refuse(c, REASON_EXPRESSION);
		return NULL;
	}
	if (map->op > COMPARISON_NE && get_typtype(type) == TYPTYPE_ENUM && !enum_in_oid_order(type))
	{
		refuse(c, REASON_DATA_TYPE);
		return NULL;
	}
	return map;
}

static bool
compile_call(Compiler *c, Oid function, List *args, Oid collation, Operand *out)
{
	const FunctionMap *map = map_function(function);

	if (map == NULL)
		return refuse(c, contain_volatile_functions((Node *) args) || func_volatile(function) == PROVOLATILE_VOLATILE
					  ? REASON_VOLATILE : REASON_EXPRESSION);
	if (map->action == ACTION_COMPARE)
	{
		Operand		a;
		Operand		b;

		return comparison_of(c, function, args) != NULL &&
			compile_expr(c, linitial(args), &a) && compile_expr(c, lsecond(args), &b) &&
			compile_comparison(c, map, collation, &a, &b, out);
	}
	if ((map->action == ACTION_LIKE || map->action == ACTION_NOT_LIKE) &&
		(!OidIsValid(collation) || !get_collation_isdeterministic(collation)))
		return refuse(c, REASON_COLLATION);
	if ((map->action == ACTION_ILIKE || map->action == ACTION_NOT_ILIKE) &&
		(!OidIsValid(collation) || !compat_ctype_is_c(collation)))
		return refuse(c, REASON_COLLATION);
	return compile_function(c, map, args, out);
}

static bool
compile_node(Compiler *c, Expr *expr, Operand *out)
{
	const Var  *coded = dict_test_subject(c, expr);
	AttrNumber	column;

	if (coded != NULL)
		return compile_dict_test(c, expr, coded, out);
	if (table_of_column(c, expr, &column) > 0)
		return compile_column(c, expr, out);
	switch (nodeTag(expr))
	{
		case T_Var:
			return compile_column(c, expr, out);
		case T_Const:
			return compile_const(c, copyObject((Const *) expr), out);
		case T_BoolExpr:
			return compile_bool_expr(c, (BoolExpr *) expr, out);
		case T_CaseExpr:
			return compile_case(c, (CaseExpr *) expr, out);
		case T_CaseTestExpr:
			if (c->case_values == NIL)
				return refuse(c, REASON_EXPRESSION);
			*out = *(Operand *) linitial(c->case_values);
			return true;
		case T_CoalesceExpr:
			return compile_coalesce(c, (CoalesceExpr *) expr, out);
		case T_NullTest:
			return compile_null_test(c, (NullTest *) expr, out);
		case T_BooleanTest:
			return compile_boolean_test(c, (BooleanTest *) expr, out);
		case T_DistinctExpr:
			return compile_distinct(c, (DistinctExpr *) expr, out);
		case T_NullIfExpr:
			return compile_nullif(c, (NullIfExpr *) expr, out);
		case T_MinMaxExpr:
			return compile_min_max(c, (MinMaxExpr *) expr, out);
		case T_ScalarArrayOpExpr:
			return compile_array_op(c, (ScalarArrayOpExpr *) expr, out);
		case T_RelabelType:
			return compile_relabel(c, (RelabelType *) expr, out);
		case T_OpExpr:
			{
				OpExpr	   *op = (OpExpr *) expr;

				set_opfuncid(op);
				return compile_call(c, op->opfuncid, op->args, op->inputcollid, out);
			}
		case T_FuncExpr:
			{
				FuncExpr   *func = (FuncExpr *) expr;

				/* a cast may call a function for another result type, as int2 to oid does */
				if (getBaseType(func->funcresulttype) == OIDOID)
					return refuse(c, REASON_EXPRESSION);
				return compile_call(c, func->funcid, func->args, func->inputcollid, out);
			}
		default:
			return refuse(c, REASON_EXPRESSION);
	}
}

Expr *
scan_expr(const Compiler *c, Expr *expr)
{
	ListCell   *lc;

	while (IsA(expr, Var) && ((Var *) expr)->varno == INDEX_VAR)
		expr = list_nth_node(TargetEntry, c->input->scan_tlist, ((Var *) expr)->varattno - 1)->expr;
	if (IsA(expr, Var))
		foreach(lc, c->equal)
			if (equal(linitial(lfirst(lc)), expr))
				return lsecond(lfirst(lc));
	return expr;
}

bool
compile_expr(Compiler *c, Expr *expr, Operand *out)
{
	ListCell   *lc;
	Known	   *known;
	bool		constant;

	check_stack_depth();
	expr = scan_expr(c, expr);
	if (is_run_constant(expr))
		return compile_run_constant(c, expr, out);
	constant = IsA(expr, Const) || IsA(expr, CaseTestExpr);
	if (!constant)
		foreach(lc, c->known)
		{
			known = lfirst(lc);
			if (equal(known->expr, expr))
			{
				*out = known->operand;
				return true;
			}
		}
	*out = (Operand) {0};
	if (!compile_node(c, expr, out))
		return false;
	if (out->class == CLASS_DECIMAL)
		c->decimals = true;
	/* a column is loaded for all lanes; anything else may be masked */
	if ((c->mask == VREG_SELECTION && !constant && c->case_values == NIL) || IsA(expr, Var))
	{
		known = palloc(sizeof(Known));
		known->expr = expr;
		known->operand = *out;
		c->known = lappend(c->known, known);
	}
	return true;
}
