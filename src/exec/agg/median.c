/*
 * median.c
 *		Final function of the aggregate gpudb.median(x).
 *
 * Used where the aggregate is not planned as a percentile: as a window
 * function, and over distinct values.  The values are those that array_agg() has
 * collected.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/sortsupport.h"
#include "utils/typcache.h"

#include "exec/agg/quantiles.h"

extern PGDLLEXPORT Datum gpudb_median_final(PG_FUNCTION_ARGS);

PG_FUNCTION_INFO_V1(gpudb_median_final);

static int
compare_values(const void *a, const void *b, void *sort)
{
	return ApplySortComparator(*(const Datum *) a, false, *(const Datum *) b, false, sort);
}

/* Return the values that are not NULL in ascending order, palloc'd, and set *n to their number. */
static Datum *
sorted_values(const ArrayBuildState *state, Oid collation, int *n)
{
	const TypeCacheEntry *type = lookup_type_cache(state->element_type, TYPECACHE_LT_OPR);
	SortSupportData sort = {.ssup_cxt = CurrentMemoryContext, .ssup_collation = collation};
	Datum	   *values = palloc(sizeof(Datum) * Max(state->nelems, 1));

	if (!OidIsValid(type->lt_opr))
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_FUNCTION), errmsg("could not identify an ordering operator for type %s", format_type_be(state->element_type))));
	PrepareSortSupportFromOrderingOp(type->lt_opr, &sort);
	*n = 0;
	for (int i = 0; i < state->nelems; i++)
		if (!state->dnulls[i])
			values[(*n)++] = state->dvalues[i];
	qsort_arg(values, *n, sizeof(Datum), compare_values, &sort);
	return values;
}

/*
 * Return the median.  For floats it is the mean of the two middle values, as
 * percentile_cont(0.5) has it; for other types the first of them, as
 * percentile_disc(0.5) has it.
 */
Datum
gpudb_median_final(PG_FUNCTION_ARGS)
{
	Datum	   *values;
	int			n;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	values = sorted_values((const ArrayBuildState *) PG_GETARG_POINTER(0), PG_GET_COLLATION(), &n);
	if (n == 0)
		PG_RETURN_NULL();
	if (get_fn_expr_rettype(fcinfo->flinfo) != FLOAT8OID || n % 2 == 1)
		PG_RETURN_DATUM(values[(n - 1) / 2]);
	PG_RETURN_DATUM(quantiles_between(values[n / 2 - 1], values[n / 2], 0.5));
}
