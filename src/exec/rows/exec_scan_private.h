/*
 * exec_scan_private.h
 *		State of a GpuScan, for the files that implement it or take its rows: exec_scan.c, scan_*.c.
 */
#ifndef GPUDB_EXEC_ROWS_EXEC_SCAN_PRIVATE_H
#define GPUDB_EXEC_ROWS_EXEC_SCAN_PRIVATE_H

#include "postgres.h"

#include "exec/rows/output.h"
#include "exec/rows/portions.h"
#include "exec/run/node.h"

#define MAX_BATCH 16

/* A portion of a scan batch: a page batch, or a slice of a cached tablet. */
typedef struct BatchPages
{
	PageBatch *page_batch;
	TabletSlice *slice;
	bool		cached;			/* the portion is `slice`, not `page_batch` */
	uint32	   *places;			/* places in `page_batch` of the rows to look at, in heap order; unused for a slice */
	uint32		nplaces;
	uint32		places_capacity;
	bool		submitted;
	bool		judged;			/* the device's filters have been applied */
	bool		has_outputs;	/* `outputs` has all that is wanted of these rows */
	OutputRows	outputs;
} BatchPages;

typedef struct Batch
{
	BatchPages page_batch[MAX_BATCH];
	int			npage_batches;
} Batch;

/* Heap scan by PostgreSQL, which returns the rows once a cursor has moved backward. */
typedef struct ScanScroll
{
	bool		on;
	TableScanDesc scan;			/* NULL = none is open */
	ScanDirection direction;	/* direction of `scan` */
	TupleTableSlot *slot;		/* current row of `scan` */
	ItemPointerData place;		/* TID of the row returned last, or a TID before or after all rows */
} ScanScroll;

/* Rows of a scan that is run again with the same parameters. */
typedef struct ScanAgain
{
	bool		rerun;			/* this run has the parameters of the previous one */
	bool		begun;			/* this run has been asked for a row */
	struct Tuplestorestate *store;	/* rows that have been returned; NULL = they are not stored */
	TupleTableSlot *slot;		/* slot for rows of `store` */
	bool		complete;		/* `store` has all rows and is read instead of the relation */
} ScanAgain;

typedef struct GpuScanState
{
	GpuNode		node;
	List	   *host_quals;		/* filters left to PostgreSQL: plan.qual */
	List	   *on_device;		/* for each filter in PostgreSQL's order: 1 = device, 0 = host */
	ExprState  *all_quals;		/* all filters, initialized on first use */
	AttrNumber	last_attribute; /* highest attribute that the node reads */
	bool		may_run_ahead;	/* the consumer reads all rows at once: no cursor */
	bool		waiting;		/* some subplan has not run yet; PostgreSQL runs it when a row needs its value */
	TupleTableSlot *heap_slot;

	Portions	portions;
	Batch		batches[2];
	Batch	   *batch;			/* scan batch whose rows are being returned */
	Batch	   *ahead;			/* next scan batch, which the device may already work on */
	int			batch_size;		/* number of portions of the next scan batch */
	int			at_page_batch;
	uint32		at_place;
	bool		collecting;		/* rows are put into a row store, and only the device may evaluate filters */
	DeviceStatus not_told;		/* while collecting: status with which the device failed, or DONE */
	bool		begun;			/* rows may have been returned */
	bool		exhausted;
	bool		ended;			/* the end of the rows has been reported */
	ScanScroll	scroll;
	ScanAgain	again;
} GpuScanState;

/* Reset both scan batches, whose memory is freed with the run's. */
extern void scan_reset_batches(GpuScanState *state);

/* Begin a run, open its job unless filters wait for subplans, and begin with the first portion. */
extern void scan_start_run(GpuScanState *state);

/* Filter the next scan batch, which may have been started ahead.  Return false if the relation is exhausted. */
extern bool scan_next_batch(GpuScanState *state);

/* Store the heap tuple at a place of a page batch in the scan slot.  Return false if the tuple has been removed. */
extern bool scan_store_row(GpuScanState *state, PageBatch *page_batch, uint32 place);

/* Copy a heap tuple's attributes from another slot into the scan slot.  The values last as long as `from` does. */
extern void scan_copy_row(GpuScanState *state, TupleTableSlot *from);

/* Return all filters in PostgreSQL's order, for rows that the device has not filtered. */
extern ExprState *scan_all_quals(GpuScanState *state);

/* Return the next row that the device finds, projected, or an empty slot at the end. */
extern TupleTableSlot *scan_next_row(GpuScanState *state);

/* scan_collect.c */

/* Collect all rows of a GpuScan that has not begun: NodeMethods.collect. */
extern DeviceStatus scan_collect(PlanState *ps, RowStore *store, const ColumnUse *columns, int ncolumns);

/* scan_again.c */

/* Prepare the stored rows for the next run; called at each rescan. */
extern void scan_again_begin(GpuScanState *state);

/* Return the next row of a run that has the parameters of the previous one, and store it. */
extern TupleTableSlot *scan_again(GpuScanState *state);

/* Free the stored rows. */
extern void scan_again_end(GpuScanState *state);

/* scan_scroll.c */

/* Return true if PostgreSQL is to scan the heap, since rows are or were fetched backward. */
extern bool scan_scrolls(const GpuScanState *state);

/* Return the next row of PostgreSQL's heap scan in the current direction, or an empty slot at the end. */
extern TupleTableSlot *scan_scroll(GpuScanState *state);

/* Close PostgreSQL's heap scan, and return to the device at the next run. */
extern void scan_end_scroll(GpuScanState *state);

#endif							/* GPUDB_EXEC_ROWS_EXEC_SCAN_PRIVATE_H */
