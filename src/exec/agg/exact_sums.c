/*
 * exact_sums.c
 *		Sums and averages of floats that are rounded once: gpudb.exact_sum() and gpudb.exact_avg().
 *
 * This file has the aggregates as PostgreSQL runs them.  A device's sums have
 * the same digits (core/vm/op_exact.h), so the result does not depend on who
 * computes it.
 */
#include "postgres.h"

#include "fmgr.h"
#include "utils/float.h"

#include "exec/agg/exact_sums.h"

extern PGDLLEXPORT Datum gpudb_exact_accum(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum gpudb_exact_accum_single(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum gpudb_exact_combine(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum gpudb_exact_serialize(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum gpudb_exact_deserialize(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum gpudb_exact_sum(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum gpudb_exact_sum_single(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum gpudb_exact_avg(PG_FUNCTION_ARGS);

PG_FUNCTION_INFO_V1(gpudb_exact_accum);
PG_FUNCTION_INFO_V1(gpudb_exact_accum_single);
PG_FUNCTION_INFO_V1(gpudb_exact_combine);
PG_FUNCTION_INFO_V1(gpudb_exact_serialize);
PG_FUNCTION_INFO_V1(gpudb_exact_deserialize);
PG_FUNCTION_INFO_V1(gpudb_exact_sum);
PG_FUNCTION_INFO_V1(gpudb_exact_sum_single);
PG_FUNCTION_INFO_V1(gpudb_exact_avg);

/* Transition state of a group. */
typedef struct ExactTotal
{
	uint64		n;				/* number of values that are not NULL */
	uint64		state[EXACT_WORDS];
} ExactTotal;

DeviceStatus
exact_sum_datum(const uint64 *state, uint64 n, bool single, Datum *value)
{
	double		total;
	DeviceStatus status = exact_value(state, n, single ? EXACT_SINGLE : EXACT_DOUBLE, &total);

	if (status == STATUS_DONE)
		*value = single ? Float4GetDatum((float4) total) : Float8GetDatum(total);
	return status;
}

/* Return the transition state that is argument 0, or a new one in the aggregate's context if that is NULL. */
static ExactTotal *
need_total(FunctionCallInfo fcinfo)
{
	MemoryContext context;

	if (!PG_ARGISNULL(0))
		return (ExactTotal *) PG_GETARG_POINTER(0);
	if (!AggCheckCallContext(fcinfo, &context))
		elog(ERROR, "gpudb: called outside an aggregate");
	return MemoryContextAllocZero(context, sizeof(ExactTotal));
}

static Datum
accumulate(FunctionCallInfo fcinfo, double value)
{
	ExactTotal *total = need_total(fcinfo);

	exact_add(total->state, value);
	total->n++;
	PG_RETURN_POINTER(total);
}

Datum
gpudb_exact_accum(PG_FUNCTION_ARGS)
{
	if (PG_ARGISNULL(1))
		PG_RETURN_POINTER(need_total(fcinfo));
	return accumulate(fcinfo, PG_GETARG_FLOAT8(1));
}

Datum
gpudb_exact_accum_single(PG_FUNCTION_ARGS)
{
	if (PG_ARGISNULL(1))
		PG_RETURN_POINTER(need_total(fcinfo));
	return accumulate(fcinfo, PG_GETARG_FLOAT4(1));
}

Datum
gpudb_exact_combine(PG_FUNCTION_ARGS)
{
	ExactTotal *total = need_total(fcinfo);

	if (!PG_ARGISNULL(1))
	{
		const ExactTotal *other = (const ExactTotal *) PG_GETARG_POINTER(1);

		exact_merge(total->state, other->state);
		total->n += other->n;
	}
	PG_RETURN_POINTER(total);
}

Datum
gpudb_exact_serialize(PG_FUNCTION_ARGS)
{
	bytea	   *bytes = palloc(VARHDRSZ + sizeof(ExactTotal));

	SET_VARSIZE(bytes, VARHDRSZ + sizeof(ExactTotal));
	memcpy(VARDATA(bytes), PG_GETARG_POINTER(0), sizeof(ExactTotal));
	PG_RETURN_BYTEA_P(bytes);
}

Datum
gpudb_exact_deserialize(PG_FUNCTION_ARGS)
{
	const bytea *bytes = PG_GETARG_BYTEA_PP(0);
	ExactTotal *total = palloc(sizeof(ExactTotal));

	if (!AggCheckCallContext(fcinfo, NULL) || VARSIZE_ANY_EXHDR(bytes) != sizeof(ExactTotal))
		elog(ERROR, "gpudb: called outside an aggregate");
	memcpy(total, VARDATA_ANY(bytes), sizeof(ExactTotal));
	PG_RETURN_POINTER(total);
}

static Datum
result_of(FunctionCallInfo fcinfo, bool average, bool single)
{
	const ExactTotal *total = PG_ARGISNULL(0) ? NULL : (const ExactTotal *) PG_GETARG_POINTER(0);
	Datum		value;

	if (total == NULL || total->n == 0)
		PG_RETURN_NULL();
	if (exact_sum_datum(total->state, average ? total->n : 1, single, &value) != STATUS_DONE)
		float_overflow_error();
	return value;
}

Datum
gpudb_exact_sum(PG_FUNCTION_ARGS)
{
	return result_of(fcinfo, false, false);
}

Datum
gpudb_exact_sum_single(PG_FUNCTION_ARGS)
{
	return result_of(fcinfo, false, true);
}

Datum
gpudb_exact_avg(PG_FUNCTION_ARGS)
{
	return result_of(fcinfo, true, false);
}
