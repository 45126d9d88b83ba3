/*
 * quantiles.h
 *		Quantile selection by histogram refinement: values that aggregates select by rank.
 */
#ifndef GPUDB_EXEC_AGG_QUANTILES_H
#define GPUDB_EXEC_AGG_QUANTILES_H

#include "postgres.h"

#include "compile/compile.h"
#include "compile/opmap.h"
#include "core/vm/hashtable.h"
#include "exec/run/node.h"

/* Free all that is known of the selected values, so that selection starts over. */
extern void quantiles_forget(GpuNode *node);

/*
 * Before the first run, after compiling: guess the ranges of all selected values
 * from cached columns, and decide if a GPU seeks them.  Return true if the program
 * must be compiled again for this.
 */
extern bool quantiles_begin(GpuNode *node);

/* Return true if a sample of the rows suffices for the next run. */
extern bool quantiles_would_sample(const GpuNode *node);

/*
 * Narrow the ranges of all values not found yet by the counts of a run, and set
 * *wanted if another run is needed to find them.  Return DONE, or BAD_PROGRAM if
 * the counts contradict each other.
 */
extern DeviceStatus quantiles_narrow(GpuNode *node, const GroupTable *groups, bool *wanted);

/* Set *first and *second to the ranks between which a percentile of `count` values lies; see select_ranks(). */
static inline double
quantiles_ranks(const AggResult *agg, int fraction, int64 count, int64 *first, int64 *second)
{
	return select_ranks(agg->fraction[fraction], agg->action == AGG_PERCENTILE_CONT, agg->descending, count, first, second);
}

/* Interpolate between two float8 values, as float8_lerp() does. */
static inline Datum
quantiles_between(Datum first, Datum second, double part)
{
	return Float8GetDatum(DatumGetFloat8(first) + (part * (DatumGetFloat8(second) - DatumGetFloat8(first))));
}

/* Return the values at all fractions of a percentile as an array of the shape of the array of fractions. */
extern Datum quantiles_array(const AggResult *agg, Datum *values);

#endif							/* GPUDB_EXEC_AGG_QUANTILES_H */
