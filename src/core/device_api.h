/*
 * device_api.h
 *		The interface between the executor and a device.
 *
 * A job runs one program over the page batches of one scan.  The executor acquires a free work
 * item, fills in pages, submits it, and collects finished items, in any order.  Pages must stay in
 * place from submit() to collect().  Only the backend's own thread calls these functions.
 */
#ifndef GPUDB_CORE_DEVICE_API_H
#define GPUDB_CORE_DEVICE_API_H

#include "core/tablet/column_pack.h"
#include "core/tablet/deform.h"
#include "core/vm/group_top.h"
#include "core/vm/hashtable.h"
#include "core/join/join_table.h"
#include "core/vm/program.h"
#include "core/sort/sort_parts.h"

/* Deforming plans of a scan: [0] makes decimals of 64 bits, [1] makes decimals of 128 bits. */
typedef struct DeformSpec
{
	const DeformPlan *plan[2];
	const uint16_t *types[2];	/* ColType of each column */
	const bool *not_null;		/* of each column: the program relies on it having no NULL */
	bool		coded;			/* some columns hold dictionary codes, which only the host can deform */
	uint32_t	missing_size;	/* bytes of the plans' missing_bytes */
	uint32_t	missing_text;	/* bytes of text that missing attributes may add to a row */
} DeformSpec;

/*
 * Location of a cached tablet's column: offsets from the start of the memory that all cached
 * tablets share.  No other column ever has the same number.
 */
typedef struct SharedColumn
{
	uint64_t	number;
	uint64_t	values;
	uint64_t	nulls;
	uint64_t	texts;			/* bytes that the references of a text column point into */
	uint64_t	text_bytes;
} SharedColumn;

/*
 * Location of a join's table in the memory that cached tablets share: its JoinTable at `place`, and
 * its Tablet `rows` bytes behind that.  No column and no other table ever has the same number.  A
 * table made of rows materialized on the device (MaterializedTable) has no bytes here.
 */
typedef struct SharedTable
{
	uint64_t	number;
	uint64_t	place;
	uint64_t	bytes;			/* bytes of JoinTable and Tablet together; 0 = device-resident */
	uint64_t	rows;
} SharedTable;

/* Plan for a join table made of materialized rows. */
typedef struct MaterializedPlan
{
	JoinTable	head;			/* in: plan made by join_plan_of_bounds(); out: the finished table's descriptor */
	JoinKey		key[JOIN_MAX_PARTS];
	uint32_t	nrows;			/* number of all materialized rows */
	uint32_t	null_count[PROGRAM_MAX_MATERIALIZED]; /* NULLs in each column */
} MaterializedPlan;

/* Numbering of sorted rows, from 1 on, as the window function of the same name computes it. */
typedef enum MaterializedNumber
{
	MATERIALIZED_ROW_NUMBER,
	MATERIALIZED_RANK,
	MATERIALIZED_DENSE_RANK,
	MATERIALIZED_NUMBERS
} MaterializedNumber;

/* Sort order of materialized rows. */
typedef struct MaterializedSort
{
	uint32_t	nrows;			/* number of all materialized rows */
	uint32_t	nkeys;
	uint32_t	npartition;		/* number of leading keys that are partition keys */
	uint32_t	numbers;		/* bitmask of the MaterializedNumbers to compute */
	SortKey		key[SORT_MOST_KEYS];	/* keys; their columns are columns of the materialized rows */
	uint32_t	null_count[PROGRAM_MAX_MATERIALIZED]; /* NULLs in each column */
	int64_t		least[PROGRAM_MAX_MATERIALIZED]; /* bounds of each column; not used for floats */
	int64_t		largest[PROGRAM_MAX_MATERIALIZED];
} MaterializedSort;

/* Source of a run that reads sorted rows materialized by another job, whose slot is still open, instead of pages. */
typedef struct MaterializedSource
{
	uint64_t	number;			/* number of the SharedTable; 0 = the run has no such source */
	uint32_t	nrows;
	/* For each column of the program, its index among the materialized columns, or MATERIALIZED_COLUMN_OF() a MaterializedNumber. */
	uint8_t		column[PROGRAM_MAX_COLUMNS];
} MaterializedSource;

#define MATERIALIZED_COLUMN_OF(number) (PROGRAM_MAX_MATERIALIZED + (number))

/* Rows that outlive the job that materialized them: a join table made of them, or the rows in sorted order. */
typedef struct MaterializedTable MaterializedTable;

/* A range of materialized rows, fetched to the host. */
typedef struct MaterializedPart
{
	uint32_t	nrows;
	uint32_t	total;			/* number of all materialized rows */
	const uint8_t *values[PROGRAM_MAX_MATERIALIZED]; /* values of each column */
	const uint8_t *nulls[PROGRAM_MAX_MATERIALIZED]; /* NULL bitmap of each column: 1 = NULL */
} MaterializedPart;

typedef struct JobSpec
{
	const Program *program;
	const DeformSpec *deform;
	const JoinRows *tables;		/* join tables of the program, in the caller's memory; NULL if it has none */
	const SharedTable *shared;	/* locations of the join tables, for devices that copy them */
	MaterializedSource source;	/* rows on the device that an item consists of, instead of pages */

	/*
	 * The result exists only on the device, since some input is device-resident or rows are
	 * materialized: what the device cannot run fails, and no other device runs it.
	 */
	bool		no_other;
	uint32_t	keep_most;		/* number of rows that may be materialized */
	uint64_t	memory_limit;	/* limit for the bytes of all threads' group tables */
	/* Set if so many groups are expected that a device-resident group table is used from the beginning. */
	bool		many_groups;
	int			threads;		/* threads besides the caller's */
	int32_t		yield_after;	/* tests: see VmRun; -1 = never */
	uint64_t	family;			/* family() of the job that this one helps; 0 = none */
	bool		(*interrupted) (void);	/* returns true if the query is to end; any thread calls it often */
} JobSpec;

/* Rows of a tablet that the caller provides. */
typedef struct CachedRows
{
	Tablet	   *tablet;
	const uint64_t *selected;	/* bitmap of the rows to process; NULL = all */
	uint32_t	nrows;			/* number of rows to process */
	const SharedColumn *column; /* locations of the tablet's columns, for devices that copy them */
	struct CachedShelf *shelf;	/* shelf that the tablet belongs to; NULL = none */
	uint32_t	place;			/* index of the tablet in its shelf */
} CachedRows;

/*
 * A shelf: tablets that a caller looks up together repeatedly, with all of their rows processed.  A
 * shelf is identified by its number together with the numbers of its first tablet's columns, so a
 * device may remember it.
 */
#define CACHED_SHELF_MOST 32

typedef struct CachedShelf
{
	uint64_t	number;			/* number of the shelf; never 0 */
	uint32_t	ntablets;
	const CachedRows *rows;		/* all tablets of the shelf */
	const Tablet *cover;		/* zone maps that cover those of all tablets */
	const Tablet *core;			/* intersection of the zone maps of all tablets; a column may have none */

	/*
	 * Deferred construction of a shelf whose columns are a subset of a wider shelf's.  Until
	 * complete() is called only the first tablet is built; `wider` are the tablets of the wider
	 * shelf, which have the zone maps, and place[] gives each column's index among their columns.
	 */
	void		(*complete) (struct CachedShelf *shelf);	/* NULL = all tablets are built */
	const CachedRows *wider;
	const uint8_t *place;

	/* fields for the users of the shelf */
	uint32_t	told;			/* device: incarnation of the GPU process that knows the shelf; 0 = none */
	uint64_t	asked;			/* executor: number of the program that `may_pass` belongs to; 0 = none */
	uint32_t	may_pass;		/* executor: bitmask of the tablets some rows of which may pass */
} CachedShelf;

/*
 * Complete the shelf of a tablet before the tablet is read.  Not needed where columns are only
 * identified by their numbers.
 */
CORE_FN void
cached_rows_complete(const CachedRows *rows)
{
	if (rows->shelf != NULL && rows->shelf->complete != NULL)
		rows->shelf->complete(rows->shelf);
}

typedef enum WorkStage
{
	STAGE_DEFORM,				/* deform pages, then run */
	STAGE_RUN					/* run over complete tablets */
} WorkStage;

typedef struct DeviceWork
{
	const PageList *pages;		/* in: pages; NULL at STAGE_RUN if the caller provides tablets */

	/*
	 * In: tablets that the caller provides.  Where row numbers are wanted there is one, and only
	 * the CPU device takes it.  For spec->source there is one, without columns.
	 */
	const CachedRows *cached;
	uint32_t	ncached;
	void	   *owner;			/* in: for the caller's use */
	WorkStage	stage;			/* in: stage at which processing begins */

	/*
	 * In and out, NULL = not wanted: destinations of the columns of the pages' tablet.  The caller
	 * wants the complete tablet, each column at its destination if its encoding allows.
	 */
	ColumnPlace *places;
	bool		more;			/* in: another item like this one follows immediately */
	DeviceStatus status;		/* out; NEEDS_PATCH: patch the tablet, submit again at STAGE_RUN */
	Tablet	   *tablet;			/* out: tablet of the pages, valid until the item is submitted again or released */
	uint32_t   *rows;			/* out: numbers of the rows that passed, in order */
	uint32_t	nrows;
	/* Out: rows of the join tables that belong to rows[], work_output_room() for each table; JOIN_NO_ROW = none. */
	uint32_t   *matches;
	uint32_t	room;			/* out: capacity of the arrays, if they hold rows of joins; else 0 */
	bool		wide;			/* out: decimals have 128 bits */
	/* Out: the program's output columns for rows[], laid out for work_output_room() rows; may be NULL. */
	uint8_t    *output;
} DeviceWork;

typedef struct JobTimes
{
	uint64_t	deform_ns;		/* sum over all threads */
	uint64_t	run_ns;
} JobTimes;

/* Statistics of a job so far. */
typedef struct JobReport
{
	JobTimes	times;
	bool		resident;		/* the job has a device-resident group table */
	uint32_t	left_out;		/* groups left out since want_top() */
	uint32_t	left_page_batches;	/* page batches that a device other than the requested one had to run */
	DeviceStatus left_for;		/* last reason why another device ran a page batch */
} JobReport;

typedef struct DeviceJob DeviceJob;

typedef struct Device
{
	const char *name;			/* name shown to users */

	/* Start a job; NULL when memory is short.  The spec must outlive the job. */
	DeviceJob  *(*open) (const JobSpec *spec);

	/* Return a free work item, or NULL when all are in use. */
	DeviceWork *(*acquire) (DeviceJob *job);

	/* Return how many of `n` tablets provided by the caller fit one item: at least one. */
	uint32_t	(*take_cached) (const DeviceJob *job, const CachedRows *rows, uint32_t n);

	/* Hand an item to the device; returns at once. */
	void		(*submit) (DeviceJob *job, DeviceWork *work);

	/* Return a finished item, or NULL: with `wait` only if nothing is in flight, else also if nothing has finished. */
	DeviceWork *(*collect) (DeviceJob *job, bool wait);

	/* Give a collected item back. */
	void		(*release) (DeviceJob *job, DeviceWork *work);

	/* Enlarge the variable-width area of a collected item; false when memory is short. */
	bool		(*enlarge) (DeviceWork *work, uint64_t more_bytes);

	/*
	 * Merge groups found by another job of the same program; DONE, or the reason of a failure.
	 * With `distinct` no group is equal to one of another table merged with `distinct`, and texts
	 * occur only as keys.
	 */
	DeviceStatus (*absorb) (DeviceJob *job, const GroupTable *groups, bool distinct);

	/*
	 * Return a number by which other processes' jobs of the same program can help this one, leaving
	 * their groups with it; 0 if they cannot.  A job that helps does not open unless the device
	 * itself runs it.
	 */
	uint64_t	(*family) (const DeviceJob *job);

	/*
	 * Announce before finish() that only groups are needed that can be among the first ones of
	 * `top`.  The device may leave out others; NULL = it never does.
	 */
	void		(*want_top) (DeviceJob *job, const GroupTop *top);

	/* Note that a job that helped this one has ended and left its groups with it. */
	void		(*adopt) (DeviceJob *job);

	/*
	 * Run the program once more after the last item, with the join tables that spec->tables and
	 * spec->shared have now; its groups are added to those found before.  TIME_SLICE asks to be
	 * called again; GROUPS_LOST as in finish().
	 */
	DeviceStatus (*again) (DeviceJob *job);

	/*
	 * Return one table of all groups after the last item, owned by the job, to be read in order.
	 * TIME_SLICE asks to be called again; GROUPS_LOST, which an item may also have as its status,
	 * to begin anew with another job.
	 */
	DeviceStatus (*finish) (DeviceJob *job, const GroupTable **groups);

	/*
	 * Make a join table of materialized rows, after finish() of a job whose program materializes
	 * rows.  Its number is stored in *shared, and plan->head describes the result.  Returns NULL on
	 * failure.  The job may be closed afterwards; drop() frees the table.  The functions from here
	 * to fetch() are all NULL if the device cannot materialize rows.
	 */
	MaterializedTable *(*keep) (DeviceJob *job, MaterializedPlan *plan, SharedTable *shared);
	void		(*drop) (MaterializedTable *table);

	/* Sort the materialized rows; false on failure. */
	bool		(*sort) (DeviceJob *job, const MaterializedSort *sort);

	/*
	 * Detach sorted rows from the job, so that they can be other jobs' source after it is closed,
	 * until drop(); NULL on failure.
	 */
	MaterializedTable *(*hold) (DeviceJob *job, SharedTable *shared);

	/*
	 * Fetch materialized rows, `nrows` of which remain from number `first`, a multiple of 64, on.
	 * The device returns all of them or a multiple of 64.  They are valid until the next call.
	 * False on failure.
	 */
	bool		(*fetch) (DeviceJob *job, uint32_t first, uint32_t nrows, MaterializedPart *part);

	void		(*report) (const DeviceJob *job, JobReport *report);

	/* Cancel what is queued, wait for what is running, free everything. */
	void		(*close) (DeviceJob *job);
} Device;

/* Return the number of rows of the tablet that an item's row numbers refer to. */
CORE_FN uint32_t
work_tablet_rows(const DeviceWork *work)
{
	return work->pages != NULL ? work->pages->nrows : work->cached->tablet->nrows;
}

/*
 * Return the number of rows that an item's outputs are laid out for: the tablet's rows, or the
 * capacity for joined rows.
 */
CORE_FN uint32_t
work_output_room(const DeviceWork *work)
{
	return work->room > 0 ? work->room : work_tablet_rows(work);
}

/* Check what deforming has found out about whole columns: UNEXPECTED_NULL, NEEDS_PATCH or DONE. */
CORE_FN DeviceStatus
deform_check(const DeformSpec *deform, const Tablet *tablet)
{
	DeviceStatus status = STATUS_DONE;

	for (uint32_t c = 0; c < tablet->ncols; c++)
	{
		if (deform->not_null[c] && tablet->column[c].null_count > 0)
			return STATUS_UNEXPECTED_NULL;
		if (tablet->column[c].patch_count > 0)
			status = STATUS_NEEDS_PATCH;
	}
	return status;
}

/* Return the bytes of variable-width area that a tablet of `npages` pages and `nrows` rows may need. */
CORE_FN uint64_t
deform_var_bytes(const DeformSpec *deform, uint32_t npages, uint32_t nrows)
{
	return deform->plan[0]->var_columns == 0 ? 0
		: (uint64_t) npages * HEAP_PAGE_SIZE + (uint64_t) nrows * deform->missing_text;
}

/* Return the body to run on a tablet. */
CORE_FN int
program_choose_body(const Program *program, const Tablet *tablet)
{
	/* a program without decimals has one body, which needs no guard */
	return !program->body[BODY_WIDE].exists || program_fits(program, tablet) ? BODY_NARROW : BODY_WIDE;
}

/* Widen the zone maps of `all` to cover a tablet's; the first tablet is copied. */
CORE_FN void
tablet_cover(Tablet *all, const Tablet *tablet, bool first)
{
	if (first)
		memcpy(all, tablet, sizeof(Tablet) + tablet->ncols * sizeof(TabletColumn));
	for (uint32_t c = 0; c < tablet->ncols; c++)
	{
		const TabletColumn *from = &tablet->column[c];
		TabletColumn *to = &all->column[c];

		if (wide_load(from->min) < wide_load(to->min))
			memcpy(to->min, from->min, sizeof(to->min));
		if (wide_load(from->max) > wide_load(to->max))
			memcpy(to->max, from->max, sizeof(to->max));
	}
}

/*
 * Narrow the zone maps of `all` to the intersection with a tablet's; the first tablet is copied.
 * An empty intersection has min > max.
 */
CORE_FN void
tablet_intersect(Tablet *all, const Tablet *tablet, bool first)
{
	if (first)
		memcpy(all, tablet, sizeof(Tablet) + tablet->ncols * sizeof(TabletColumn));
	for (uint32_t c = 0; c < tablet->ncols; c++)
	{
		const TabletColumn *from = &tablet->column[c];
		TabletColumn *to = &all->column[c];

		if (wide_load(from->min) > wide_load(to->min))
			memcpy(to->min, from->min, sizeof(to->min));
		if (wide_load(from->max) < wide_load(to->max))
			memcpy(to->max, from->max, sizeof(to->max));
	}
}

/* Return true if a column's zone map is not empty; an empty one has min > max. */
CORE_FN bool
tablet_column_has_range(const TabletColumn *column)
{
	return wide_load(column->min) <= wide_load(column->max);
}

/* Return true if no column's zone map is empty. */
CORE_FN bool
tablet_has_ranges(const Tablet *tablet)
{
	for (uint32_t c = 0; c < tablet->ncols; c++)
		if (!tablet_column_has_range(&tablet->column[c]))
			return false;
	return true;
}

#endif							/* GPUDB_CORE_DEVICE_API_H */
