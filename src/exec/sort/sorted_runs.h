/*
 * sorted_runs.h
 *		External merge sort: sorted rows that do not fit in memory, as runs in temporary files.
 */
#ifndef GPUDB_EXEC_SORT_SORTED_RUNS_H
#define GPUDB_EXEC_SORT_SORTED_RUNS_H

#include "postgres.h"

#include "executor/tuptable.h"
#include "nodes/plannodes.h"

#include "exec/sort/stored_rows.h"

typedef struct SortedRuns SortedRuns;

/*
 * Create an empty set of runs, in the current memory context, for rows with descriptor `desc` in
 * the order of a Sort.
 */
extern SortedRuns *sorted_runs_create(TupleDesc desc, const Sort *sort);

/* Write a run of `nrows` stored rows, whose numbers order[] has in order. */
extern void sorted_runs_add(SortedRuns *runs, const StoredRows *stored, const uint32 *order, uint32 nrows);

/* Begin to merge the runs, for the first time or again. */
extern void sorted_runs_begin(SortedRuns *runs);

/* Store the next row in a slot and return true; at the end clear the slot and return false. */
extern bool sorted_runs_next(SortedRuns *runs, TupleTableSlot *slot);

/* Return the number of runs, or the number of bytes in them. */
extern int	sorted_runs_count(const SortedRuns *runs);
extern uint64 sorted_runs_bytes(const SortedRuns *runs);

/* Close the runs' temporary files and drop their slots. */
extern void sorted_runs_close(SortedRuns *runs);

#endif							/* GPUDB_EXEC_SORT_SORTED_RUNS_H */
