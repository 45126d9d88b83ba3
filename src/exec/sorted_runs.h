/*
 * sorted_runs.h
 *		Sorted rows that are more than memory holds: runs in temporary files, merged.
 */
#ifndef GPUDB_EXEC_SORTED_RUNS_H
#define GPUDB_EXEC_SORTED_RUNS_H

#include "postgres.h"

#include "executor/tuptable.h"
#include "nodes/plannodes.h"

#include "exec/stored_rows.h"

typedef struct SortedRuns SortedRuns;

/* No runs yet, of rows of this kind in the order of a Sort; in the current memory context. */
extern SortedRuns *sorted_runs_create(TupleDesc desc, const Sort *sort);

/* Write a run: so many rows in order. */
extern void sorted_runs_add(SortedRuns *runs, const StoredRows *stored, const uint32 *order, uint32 nrows);

/* Begin to merge them, for the first time or again. */
extern void sorted_runs_begin(SortedRuns *runs);

/* The next row in a slot, which is cleared at the end; whether there is one. */
extern bool sorted_runs_next(SortedRuns *runs, TupleTableSlot *slot);

/* How many runs there are, and how many bytes they take. */
extern int	sorted_runs_count(const SortedRuns *runs);
extern uint64 sorted_runs_bytes(const SortedRuns *runs);

/* Give back the files. */
extern void sorted_runs_close(SortedRuns *runs);

#endif							/* GPUDB_EXEC_SORTED_RUNS_H */
