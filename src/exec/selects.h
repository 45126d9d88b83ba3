/*
 * selects.h
 *		Values that aggregates select by their rank, round by round.
 */
#ifndef GPUDB_EXEC_SELECTS_H
#define GPUDB_EXEC_SELECTS_H

#include "postgres.h"

#include "compile/compile.h"
#include "compile/opmap.h"
#include "core/hashtable.h"
#include "exec/node.h"

/* Nothing is known of them. */
extern void selects_forget(GpuNode *node);

/*
 * Ahead of the first run, after compiling: guess by what is cached between
 * which values all are; whether to compile again, since that has told something.
 */
extern bool selects_begin(GpuNode *node);

/* Whether it is enough for the next run to see a sample of the rows. */
extern bool selects_would_sample(const GpuNode *node);

/*
 * Come closer to all that are not found yet by what a run has counted, and
 * have the next run, if *wanted, go on from there.  DONE, or BAD_PROGRAM if
 * the counts contradict each other.
 */
extern DeviceStatus selects_narrow(GpuNode *node, const GroupTable *groups, bool *wanted);

/* Which values a percentile of so many is made of at one of its fractions: select_ranks(). */
static inline double
selects_ranks(const AggResult *agg, int fraction, int64 count, int64 *first, int64 *second)
{
	return select_ranks(agg->fraction[fraction], agg->action == AGG_PERCENTILE_CONT, agg->descending, count, first, second);
}

/* What is such a part of the way from one float8 to another, as float8_lerp() has it. */
static inline Datum
selects_between(Datum first, Datum second, double part)
{
	return Float8GetDatum(DatumGetFloat8(first) + (part * (DatumGetFloat8(second) - DatumGetFloat8(first))));
}

/* The values at all fractions of a percentile, as an array of the shape in which these stood. */
extern Datum selects_array(const AggResult *agg, Datum *values);

#endif							/* GPUDB_EXEC_SELECTS_H */
