/*
 * compile_select.c
 *		Compilation of percentiles: quantile selection by histogram refinement.
 *
 * A value is found in several runs (core/vm/op_select.h).  Each run executes a
 * program compiled with the range that the run before has found, and counts
 * values of that range in bins or collects them.  The first run also finds the
 * bounds of all values and their number, from which ranks follow.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "compile/compile_agg.h"

/* Largest number of fractions of one aggregate. */
#define FRACTIONS_MOST 64

/* Number of quantile selections that have states in one run. */
#define BINS_AT_ONCE	(ROW_WORDS_MOST / SELECT_WORDS)

/* Assumed number of runs of a quantile selection: two that count bins, and one that collects the values. */
#define USUAL_ROUNDS	3

/* Return the range of the integers that represent a type; floats and times take 64 bits. */
static SelectRange
range_of_type(Oid type)
{
	switch (type)
	{
		case BOOLOID:
			return (SelectRange) {0, 1};
		case INT2OID:
			return (SelectRange) {PG_INT16_MIN, PG_INT16_MAX};
		case INT4OID:
		case DATEOID:
			return (SelectRange) {PG_INT32_MIN, PG_INT32_MAX};
		default:
			return (SelectRange) {PG_INT64_MIN, PG_INT64_MAX};
	}
}

Expr *
compile_before_float8(Expr *expr)
{
	const FuncExpr *cast = (const FuncExpr *) expr;

	if (IsA(expr, FuncExpr) &&
		(cast->funcid == F_FLOAT8_INT2 || cast->funcid == F_FLOAT8_INT4 || cast->funcid == F_FLOAT8_INT8 || cast->funcid == F_FLOAT8_FLOAT4))
		return linitial(cast->args);
	return expr;
}

bool
compile_fractions(const Aggref *agg, AggResult *result)
{
	const Const *direct = linitial(agg->aggdirectargs);
	Datum	   *given;
	bool	   *nulls;
	double	   *fraction;

	if (!IsA(direct, Const) || direct->constisnull)
		return false;
	if (direct->consttype == FLOAT8ARRAYOID)
	{
		ArrayType  *array = DatumGetArrayTypeP(direct->constvalue);

		deconstruct_array(array, FLOAT8OID, sizeof(float8), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE, &given, &nulls, &result->nfractions);
		result->fractions = array;
		result->element = get_element_type(agg->aggtype);
	}
	else
	{
		given = palloc(sizeof(Datum));
		nulls = palloc0(sizeof(bool));
		given[0] = direct->constvalue;
		result->nfractions = 1;
	}
	if (result->nfractions == 0 || result->nfractions > FRACTIONS_MOST)
		return false;
	fraction = palloc0(sizeof(double) * result->nfractions);
	for (int f = 0; f < result->nfractions; f++)
	{
		fraction[f] = nulls[f] ? 0 : DatumGetFloat8(given[f]);
		if (!(fraction[f] >= 0 && fraction[f] <= 1))
			return false;
	}
	result->fraction = fraction;
	result->fraction_null = nulls;
	return true;
}

bool
compile_set_order(const Aggref *agg, bool *descending)
{
	const SortGroupClause *order = linitial_node(SortGroupClause, agg->aggorder);
	const TypeCacheEntry *type = lookup_type_cache(exprType((Node *) linitial_node(TargetEntry, agg->args)->expr),
												   TYPECACHE_LT_OPR | TYPECACHE_GT_OPR);

	*descending = order->sortop == type->gt_opr;
	return *descending || order->sortop == type->lt_opr;
}

/* Return the register of a value as an integer of the same order; 0 if there is none. */
static int
key_of(AggCompiler *ac, const Operand *arg)
{
	switch (arg->class)
	{
		case CLASS_INT:
		case CLASS_PACKED:
			return arg->vreg;
		case CLASS_BOOL:
			return emit(&ac->c->em, VMOP_BOOL_TO_INT, arg->vreg, 0, 0, 0);
		case CLASS_FLOAT:
			return emit(&ac->c->em, VMOP_FLOAT_KEY, arg->vreg, 0, 0, 0);
		default:
			return 0;
	}
}

/* Return the Var of the relation that is read that an aggregate's argument is, or NULL if it is another expression. */
static const Var *
var_of(const AggCompiler *ac, const Aggref *agg)
{
	const Var  *var = (const Var *) strip_implicit_coercions((Node *) linitial_node(TargetEntry, agg->args)->expr);

	if (IsA(var, Var) && var->varno == INDEX_VAR)
		var = (const Var *) list_nth_node(TargetEntry, ac->c->input->scan_tlist, var->varattno - 1)->expr;
	return IsA(var, Var) && var->varno == (int) ac->c->input->varno ? var : NULL;
}

/* Return the index of the integer column that an aggregate's argument is, or -1 if it is another expression. */
static int
column_of(const AggCompiler *ac, const Aggref *agg, const Operand *arg)
{
	const CompileResult *result = ac->c->result;
	const Var  *var = var_of(ac, agg);

	if (var == NULL || arg->class != CLASS_INT)
		return -1;
	for (int c = 0; c < result->ncolumns; c++)
		if (result->column[c].attno == var->varattno && !result->column[c].second && !result->column[c].packed && !result->column[c].coded)
			return c;
	return -1;
}

/* Return true if an aggregate's values are those of a column in all rows of the relation. */
static bool
is_plain(const AggCompiler *ac, const Aggref *agg, const Operand *arg)
{
	const CompileRequest *request = ac->c->request;
	const Var  *var = var_of(ac, agg);
	const Oid	type = var != NULL ? getBaseType(var->vartype) : InvalidOid;

	return var != NULL && (type == FLOAT4OID || type == FLOAT8OID ? arg->class == CLASS_FLOAT : arg->class == CLASS_INT) &&
		agg->aggfilter == NULL && request->quals == NIL && request->joins == NIL;
}

/* Add the result and the states of one quantile selection. */
static void
select_value(AggCompiler *ac, const AggResult *agg, int column, bool plain, int key, int mask)
{
	CompileResult *result = ac->c->result;
	const SelectStep *known = ac->c->request->steps;
	const SelectStep step = known != NULL ? known[result->nquantiles] : (SelectStep) {.range = range_of_type(agg->argtype)};
	const Size	size = sizeof(SelectResult) * (result->nquantiles + 1);
	SelectResult *select;

	result->select = result->select != NULL ? repalloc(result->select, size) : palloc(size);
	select = &result->select[result->nquantiles++];
	*select = (SelectResult) {
		.agg = (int16) (agg - result->agg), .step = step, .column = (int16) column, .plain = plain, .state = -1, .least = -1, .largest = -1
	};
	if (known == NULL)
	{
		select->least = need_state(ac, STATE_MIN_I, false, key, mask);
		select->largest = need_state(ac, STATE_MAX_I, false, key, mask);
	}
	if (!step.found && ac->shape->row_words + SELECT_WORDS <= ROW_WORDS_MOST)
		select->state = need_source(ac, (StateSource) {.kind = step.collects ? STATE_VALUES : STATE_BINS, .vreg = key,
									.companion = (int) select_shift(&step.range, step.collects ? 1 : SELECT_BINS),
									.least = int_constant(ac->c, step.range.least), .mask = mask});
	if (step.seeks)
		ac->shape->seek = (SelectSeek) {
			.wanted = true, .continuous = agg->action == AGG_PERCENTILE_CONT, .descending = agg->descending, .fraction = agg->fraction[0],
			.most = (uint32) step.most, .range = step.range
		};
}

bool
compile_select(AggCompiler *ac, const Aggref *agg, const Operand *arg, int mask, AggResult *result)
{
	Compiler   *c = ac->c;
	const int	key = key_of(ac, arg);

	if (ac->group != 0 || !compile_fractions(agg, result) || !compile_set_order(agg, &result->descending))
		return refuse(c, REASON_EXPRESSION);
	if (key == 0)
		return refuse(c, REASON_DATA_TYPE);
	if (!order_known(c, exprCollation((Node *) linitial_node(TargetEntry, agg->args)->expr), result))
		return false;
	if (arg->class == CLASS_FLOAT)
		result->other = count_negative_zeros(ac, arg, mask);
	result->select = c->result->nquantiles;
	result->nquantiles = result->action == AGG_PERCENTILE_CONT ? 2 : 1;
	for (int i = 0; i < result->nfractions * result->nquantiles; i++)
		select_value(ac, result, column_of(ac, agg, arg), is_plain(ac, agg, arg), key, mask);
	c->result->rounds = USUAL_ROUNDS * ((c->result->nquantiles + BINS_AT_ONCE - 1) / BINS_AT_ONCE);
	return c->reason == NULL;
}
