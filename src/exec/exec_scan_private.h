/*
 * exec_scan_private.h
 *		The state of a GpuScan, for those who take its rows: exec_scan.c and scan_collect.c.
 */
#ifndef GPUDB_EXEC_EXEC_SCAN_PRIVATE_H
#define GPUDB_EXEC_EXEC_SCAN_PRIVATE_H

#include "postgres.h"

#include "exec/node.h"
#include "exec/output.h"
#include "exec/portions.h"

#define MAX_BATCH 16

/* A portion of a batch. */
typedef struct BatchWindow
{
	PageWindow *window;
	TabletSlice *slice;
	bool		cached;			/* the slice is it, not the window */
	uint32	   *places;			/* of the rows to look at, in heap order; not of a slice */
	uint32		nplaces;
	uint32		places_capacity;
	bool		submitted;
	bool		judged;			/* the device's filters have been applied */
	bool		has_outputs;	/* and what is wanted of these rows is here */
	OutputRows	outputs;
} BatchWindow;

typedef struct Batch
{
	BatchWindow window[MAX_BATCH];
	int			nwindows;
} Batch;

/* The scan of the heap that PostgreSQL does once a cursor has gone backward. */
typedef struct ScanScroll
{
	bool		on;
	TableScanDesc scan;			/* NULL = none is open */
	ScanDirection direction;	/* of it */
	TupleTableSlot *slot;		/* its row */
	ItemPointerData place;		/* of the row that went out last, or before or behind all */
} ScanScroll;

/* The rows of a scan that is run again with the same parameters. */
typedef struct ScanAgain
{
	bool		rerun;			/* this run is such a one, */
	bool		begun;			/* and has been asked for a row */
	struct Tuplestorestate *store;	/* the rows that have gone out; NULL = they are not kept */
	TupleTableSlot *slot;		/* for its rows */
	bool		complete;		/* it has all rows, and is what is read */
} ScanAgain;

typedef struct GpuScanState
{
	GpuNode		node;
	List	   *host_quals;		/* filters left to PostgreSQL: plan.qual */
	List	   *on_device;		/* in PostgreSQL's order: 1 = device, 0 = host */
	ExprState  *all_quals;		/* made on first need */
	AttrNumber	last_attribute; /* of those that are looked at */
	bool		may_run_ahead;	/* whoever wants rows wants them all at once */
	bool		waiting;		/* for subplans, which PostgreSQL runs when a row asks for them */
	TupleTableSlot *heap_slot;

	Portions	portions;
	Batch		batches[2];
	Batch	   *batch;			/* whose rows go out */
	Batch	   *ahead;			/* the other one, which the device may have already */
	int			batch_size;		/* windows wanted next */
	int			at_window;
	uint32		at_place;
	bool		collecting;		/* rows become columns of a store, and filters are the device's alone to test */
	DeviceStatus not_told;		/* then: why it could not */
	bool		begun;			/* rows have gone out */
	bool		exhausted;
	bool		ended;			/* that there are no more rows has been told */
	ScanScroll	scroll;
	ScanAgain	again;
} GpuScanState;

/* Forget both batches with the run's memory. */
extern void scan_reset_batches(GpuScanState *state);

extern void scan_start_run(GpuScanState *state);

/* Have the next batch, which may have been begun, judged; false when the relation is exhausted. */
extern bool scan_next_batch(GpuScanState *state);

/* The heap tuple of a place, its attributes in the scan slot. */
extern bool scan_store_row(GpuScanState *state, PageWindow *window, uint32 place);

/* Put the attributes of a heap tuple in another slot into the scan slot; the other slot is to last as long. */
extern void scan_copy_row(GpuScanState *state, TupleTableSlot *from);

/* All filters in PostgreSQL's order, for rows that the device has not judged. */
extern ExprState *scan_all_quals(GpuScanState *state);

/* The next row that the device finds. */
extern TupleTableSlot *scan_next_row(GpuScanState *state);

/* scan_again.c */

/* At each rescan. */
extern void scan_again_begin(GpuScanState *state);

/* The next row of a run that is a rerun. */
extern TupleTableSlot *scan_again(GpuScanState *state);

extern void scan_again_end(GpuScanState *state);

/* scan_scroll.c */

/* Whether rows are not the device's to find, since they are wanted backward, or were before. */
extern bool scan_scrolls(const GpuScanState *state);

/* Then the next one in the direction that is wanted. */
extern TupleTableSlot *scan_scroll(GpuScanState *state);

extern void scan_end_scroll(GpuScanState *state);

#endif							/* GPUDB_EXEC_EXEC_SCAN_PRIVATE_H */
