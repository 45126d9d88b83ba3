/*
 * exec_sort_private.h
 *		State of a GpuSort, for the files that implement it, show it or take its rows.
 */
#ifndef GPUDB_EXEC_SORT_EXEC_SORT_PRIVATE_H
#define GPUDB_EXEC_SORT_EXEC_SORT_PRIVATE_H

#include "postgres.h"

#include "nodes/execnodes.h"
#include "nodes/extensible.h"

#include "exec/sort/exec_sort.h"
#include "exec/sort/sorted_groups.h"
#include "exec/sort/sorted_runs.h"
#include "exec/sort/stored_rows.h"
#include "exec/sort/windows.h"

/* Number of rows whose values are looked up at a time. */
#define SORT_BATCH_ROWS 1024

/* Rows of a cursor that may move backward. */
typedef struct SortScroll
{
	uint64		nrows;			/* rows returned before the cursor moved backward */
	bool		ended;			/* all rows have been returned */
	struct Tuplestorestate *store;	/* all rows that have been returned; NULL while it is not needed */
	TupleTableSlot *slot;		/* slot for rows of `store` */
} SortScroll;

typedef struct GpuSortState
{
	CustomScanState css;
	/* PostgreSQL's plan: a Sort, or a WindowAgg, Limit, Unique or Agg over one, or an Agg without one */
	PlanState  *fallback;
	SortState  *sort;			/* the fallback's Sort, over the input plan; NULL if there is none */
	bool		begun;			/* the input plan has been asked for rows */
	Windows		windows;
	SortedGroups groups;		/* without sets the node returns rows, not groups */
	bool		computed;
	bool		fell_back;
	bool		scrolls;		/* rows may be fetched backward */
	SortScroll	scroll;
	MemoryContext context;		/* memory of the rows */
	StoredRows *stored;
	RowStore   *store;			/* row store into which rows are collected */
	SortedRuns *runs;			/* sorted runs of the rows if these exceed memory, else NULL */
	uint32	   *order;			/* row numbers in the order of return; for groups, the first row of each */
	uint32		nrows;			/* rows in `order` that are wanted, with those skipped by a Limit */
	uint32		next;			/* index in `order` of the row to return next */

	/* Values of `nbatch` rows from index `first` of `order` on */
	MemoryContext batch_context;
	uint32		first;
	uint32		nbatch;
	Datum	  **values;			/* SORT_BATCH_ROWS values of each attribute */
	bool	  **isnull;

	/* For EXPLAIN */
	uint64		rows_in;
	uint64		bytes;
	bool		on_gpu;			/* a GPU has sorted the rows */
	double		collect_ms;
	double		sort_ms;
	DeviceStatus why;			/* why PostgreSQL returns the rows; DONE = it does not */
} GpuSortState;

/* Return the state of the input plan, whose rows are sorted. */
extern PlanState *sort_child(const GpuSortState *state);

/* Return an entry of custom_private that is a list, or the value of one that is an Integer. */
extern List *sort_private_list(const GpuSortState *state, int which);
extern int	sort_private_int(const GpuSortState *state, int which);

/* Return true if the node returns groups, not rows. */
extern bool sort_is_grouped(const GpuSortState *state);

/* Return true if a GPU may sort the rows. */
extern bool sort_gpu_may(const GpuSortState *state);

/* Return true if a Limit is part of the node. */
extern bool sort_is_limited(const GpuSortState *state);

/* Return the index of the first row to return, which is not 0 if a Limit with an offset is part of the node. */
extern uint32 sort_first_wanted(const GpuSortState *state);

/* Return the sort keys of rows that are stored as `stored` says, in a palloc'd array with room for one key more. */
extern SortKey *sort_keys_of(const GpuSortState *state, const StoredRows *stored, uint32 *nkeys);

/* Return the state of a GpuSort; NULL for other nodes. */
extern GpuSortState *sort_state_of(PlanState *ps);

/* Restart the input plan, with the current parameters. */
extern void sort_restart_child(GpuSortState *state);

/*
 * Sort all rows, unless that has been done.  Return true if they are in
 * memory; false if PostgreSQL returns them, or if they are in runs.
 */
extern bool sort_have_rows(GpuSortState *state);

/* Rewind to the first row to return. */
extern void sort_restart_rows(GpuSortState *state);

/* Look up the values and window functions of the next rows, and set nbatch to their number. */
extern void sort_read_batch(GpuSortState *state);

/* Return the next row, projected; NULL or an empty slot at the end. */
extern TupleTableSlot *sort_next_row(GpuSortState *state);

/* sort_scroll.c */

/* Return the next row in the current direction, for a node whose rows may be fetched backward. */
extern TupleTableSlot *sort_scroll(GpuSortState *state);

/* Forget which rows have been returned, and free their tuplestore. */
extern void sort_end_scroll(GpuSortState *state);

/* sort_order.c */

/* Sort the collected rows by the Sort's keys into state->order, as far as they are wanted. */
extern void sort_order_rows(GpuSortState *state);

/* Set up state->groups for rows that are stored as state->stored says: orders of groups, and aggregates. */
extern void sort_describe_groups(GpuSortState *state);

/*
 * Append the column of a set's order to the `nkeys` keys of groups, unless it
 * is one of them.  Return the number of keys.
 */
extern uint32 sort_keys_of_set(const SortedSet *set, SortKey *keys, uint32 nkeys);

/*
 * Sort the rows once for each column that aggregates order by, unless they are
 * in order, then find the groups.  Return DONE, or why PostgreSQL is to do it.
 */
extern DeviceStatus sort_order_groups(GpuSortState *state, bool in_order);

/* Sort the rows that are in the store and write them to a run. */
extern void sort_order_run(GpuSortState *state);

/* Leave out rows that do not differ, once all are in order, and set up the window functions. */
extern void sort_describe_order(GpuSortState *state);

/* explain_sort.c */
extern void explain_sort(CustomScanState *css, List *ancestors, struct ExplainState *es);

#endif							/* GPUDB_EXEC_SORT_EXEC_SORT_PRIVATE_H */
