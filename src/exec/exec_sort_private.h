/*
 * exec_sort_private.h
 *		The state of a GpuSort, for those who show it or take its rows.
 */
#ifndef GPUDB_EXEC_EXEC_SORT_PRIVATE_H
#define GPUDB_EXEC_EXEC_SORT_PRIVATE_H

#include "postgres.h"

#include "nodes/execnodes.h"
#include "nodes/extensible.h"

#include "exec/exec_sort.h"
#include "exec/sorted_groups.h"
#include "exec/sorted_runs.h"
#include "exec/stored_rows.h"
#include "exec/windows.h"

/* Rows whose values are looked up at a time. */
#define SORT_BATCH_ROWS 1024

/* Rows of a cursor that may go backward. */
typedef struct SortScroll
{
	uint64		nrows;			/* that have gone out before it did */
	bool		ended;			/* there are no more than have gone out */
	struct Tuplestorestate *store;	/* all that have gone out; NULL before it has gone backward */
	TupleTableSlot *slot;		/* for its rows */
} SortScroll;

typedef struct GpuSortState
{
	CustomScanState css;
	PlanState  *fallback;		/* PostgreSQL's own: a Sort, or a WindowAgg, Limit, Unique or Agg over one, or an Agg that needs none */
	SortState  *sort;			/* that Sort, over the plan that is read; NULL if there is none */
	bool		begun;			/* that has been asked for rows */
	Windows		windows;
	SortedGroups groups;		/* without sets rows go out, not groups */
	bool		computed;
	bool		fell_back;
	bool		scrolls;		/* rows may be wanted backward */
	SortScroll	scroll;
	MemoryContext context;		/* of the rows */
	StoredRows *stored;
	RowStore   *store;			/* that rows are collected in */
	SortedRuns *runs;			/* where the rows are if they are too many for memory, else NULL */
	uint32	   *order;			/* else the rows that go out: of groups the first ones */
	uint32		nrows;			/* that go out, and those before them that are wanted */
	uint32		next;			/* the one to return next */

	/* values of rows from `first` on */
	MemoryContext batch_context;
	uint32		first;
	uint32		nbatch;
	Datum	  **values;			/* of each attribute, BATCH_ROWS */
	bool	  **isnull;

	/* for EXPLAIN */
	uint64		rows_in;
	uint64		bytes;
	bool		on_gpu;			/* it has sorted them */
	double		collect_ms;
	double		sort_ms;
	DeviceStatus why;			/* it is PostgreSQL that returns rows; DONE = it is not */
} GpuSortState;

/* The plan that is read. */
extern PlanState *sort_child(const GpuSortState *state);

/* One of the plan's SortPrivate that is a list, or an Integer. */
extern List *sort_private_list(const GpuSortState *state, int which);
extern int	sort_private_int(const GpuSortState *state, int which);

/* Whether groups go out, and not rows. */
extern bool sort_is_grouped(const GpuSortState *state);

/* Whether a GPU may put the rows in order. */
extern bool sort_gpu_may(const GpuSortState *state);

/* Whether the node is a Limit, too. */
extern bool sort_is_limited(const GpuSortState *state);

/* Which row is the first one that goes out, since a Limit may be part of the node. */
extern uint32 sort_first_wanted(const GpuSortState *state);

/* What rows that are stored so are sorted by, and room for one key more. */
extern SortKey *sort_keys_of(const GpuSortState *state, const StoredRows *stored, uint32 *nkeys);

/* A GpuSort's state; NULL if it is another node's. */
extern GpuSortState *sort_state_of(PlanState *ps);

/* Have the plan that is read return its rows from the first one on, with the parameters that there are now. */
extern void sort_restart_child(GpuSortState *state);

/* Have all rows in order, unless they are; whether they are here in memory, and not PostgreSQL's to return, or runs. */
extern bool sort_have_rows(GpuSortState *state);

/* Have the first row be the next one; then look up values and window functions of the next rows, which `nbatch` are. */
extern void sort_restart_rows(GpuSortState *state);
extern void sort_read_batch(GpuSortState *state);

/* The next row, projected; NULL or an empty slot at the end. */
extern TupleTableSlot *sort_next_row(GpuSortState *state);

/* sort_scroll.c */

/* Where rows may be wanted backward: the next one in the direction that is wanted. */
extern TupleTableSlot *sort_scroll(GpuSortState *state);

/* Forget which rows have gone out. */
extern void sort_end_scroll(GpuSortState *state);

/* sort_order.c */

/* Put the rows in order that were collected: list them, those that are wanted, by the Sort's keys. */
extern void sort_order_rows(GpuSortState *state);

/* Groups are to be found of rows that are stored so: which orders there are, and aggregates. */
extern void sort_describe_groups(GpuSortState *state);

/* The keys of groups with what a set's rows are ordered by behind them, unless that is one of them; how many there are now. */
extern uint32 sort_keys_of_set(const SortedSet *set, SortKey *keys, uint32 nkeys);

/* Put the rows in order for each of the columns that aggregates order by, unless they are, then find groups. */
extern DeviceStatus sort_order_groups(GpuSortState *state, bool in_order);

/* Those that are in the store, into a run. */
extern void sort_order_run(GpuSortState *state);

/* Rows are in order: leave those out that do not differ, and get ready for window functions. */
extern void sort_describe_order(GpuSortState *state);

/* explain_sort.c */
extern void explain_sort(CustomScanState *css, List *ancestors, struct ExplainState *es);

#endif							/* GPUDB_EXEC_EXEC_SORT_PRIVATE_H */
