/*
 * device_api.h
 *		What a device does for the executor.
 *
 * A job runs one program over the windows of one scan.  The executor takes a
 * free work item, fills in pages, submits it, and collects finished items, in
 * any order; pages must stay where they are until then.  Only one thread, the
 * backend's own, calls these functions.
 */
#ifndef GPUDB_CORE_DEVICE_API_H
#define GPUDB_CORE_DEVICE_API_H

#include "core/column_pack.h"
#include "core/deform.h"
#include "core/group_top.h"
#include "core/hashtable.h"
#include "core/join_table.h"
#include "core/program.h"
#include "core/sort_parts.h"

/* How columns are made, in the narrow and in the wide form of decimals. */
typedef struct DeformSpec
{
	const DeformPlan *plan[2];
	const uint16_t *types[2];	/* ColType of each column */
	const bool *not_null;		/* of each column: the program relies on it */
	bool		coded;			/* some columns hold codes, which only the host makes of pages */
	uint32_t	missing_size;	/* of the plans' missing_bytes */
	uint32_t	missing_text;	/* of these, bytes of text that missing values may add to a row */
} DeformSpec;

/*
 * Where a column of a cached tablet is: bytes from the start of the memory
 * that all cached tablets share.  Its number is never another column's.
 */
typedef struct SharedColumn
{
	uint64_t	number;
	uint64_t	values;
	uint64_t	nulls;
	uint64_t	texts;			/* their bytes, into which references lead; of a text column */
	uint64_t	text_bytes;
} SharedColumn;

/*
 * Where a join's table is in that memory: its JoinTable, and `rows` bytes
 * behind that its Tablet.  Its number is no column's, and never another
 * table's.  Or it was made of rows that a device has kept (KeptTable).
 */
typedef struct SharedTable
{
	uint64_t	number;
	uint64_t	place;
	uint64_t	bytes;			/* of both; 0 = the device has it */
	uint64_t	rows;
} SharedTable;

/* What becomes of rows that a device has kept. */
typedef struct KeptPlan
{
	JoinTable	head;			/* in: as join_plan_of_bounds() has left it; out: of the table */
	JoinKey		key[JOIN_MAX_PARTS];
	uint32_t	nrows;			/* all that were kept */
	uint32_t	null_count[PROGRAM_MAX_KEPT];	/* of each column */
} KeptPlan;

/* What rows that have been sorted are given for a number, from 1 on, as the window functions of these names count. */
typedef enum KeptNumber
{
	KEPT_ROW_NUMBER,
	KEPT_RANK,
	KEPT_DENSE_RANK,
	KEPT_NUMBERS
} KeptNumber;

/* Or by what they are sorted. */
typedef struct KeptSort
{
	uint32_t	nrows;			/* all that were kept */
	uint32_t	nkeys;
	uint32_t	npartition;		/* keys, the first ones, that tell partitions apart */
	uint32_t	numbers;		/* KeptNumbers that rows are to have, a bit each */
	SortKey		key[SORT_MOST_KEYS];	/* columns that are kept */
	uint32_t	null_count[PROGRAM_MAX_KEPT];	/* of each column, */
	int64_t		least[PROGRAM_MAX_KEPT];	/* and between which values it is, but for floats */
	int64_t		largest[PROGRAM_MAX_KEPT];
} KeptSort;

/* The rows that a run goes over instead of pages: sorted ones that another job has kept, whose slot is open yet. */
typedef struct KeptSource
{
	uint64_t	number;			/* SharedTable's; 0 = there are none */
	uint32_t	nrows;
	uint8_t		column[PROGRAM_MAX_COLUMNS];	/* which of their columns each of the program's is; or KEPT_COLUMN_OF() a number */
} KeptSource;

#define KEPT_COLUMN_OF(number) (PROGRAM_MAX_KEPT + (number))

/* A table made of them, or they themselves. */
typedef struct KeptTable KeptTable;

/* Or some of them as they are. */
typedef struct KeptPart
{
	uint32_t	nrows;
	uint32_t	total;			/* of all that have been kept */
	const uint8_t *values[PROGRAM_MAX_KEPT];	/* of each column that is kept, */
	const uint8_t *nulls[PROGRAM_MAX_KEPT]; /* and a bitmap: 1 = NULL */
} KeptPart;

typedef struct JobSpec
{
	const Program *program;
	const DeformSpec *deform;
	const JoinRows *tables;		/* of the program's joins, in the caller's memory; NULL if it has none */
	const SharedTable *shared;	/* the same for devices that keep copies */
	KeptSource	source;			/* the device's own rows, of which an item is */
	bool		no_other;		/* some are nowhere else, or rows are kept: what the device cannot run is lost */
	uint32_t	keep_most;		/* rows that may be kept, if the program keeps some */
	uint64_t	memory_limit;	/* bytes of group tables of all threads */
	bool		many_groups;	/* so many are expected that they had better be kept from the beginning */
	int			threads;		/* besides the caller's */
	int32_t		yield_after;	/* tests: see VmRun; -1 = never */
	uint64_t	family;			/* of the job that this one helps: what that device says of it; 0 = none */
	bool		(*interrupted) (void);	/* whether the query is to end; asked by any thread, often */
} JobSpec;

/* A tablet that the caller has. */
typedef struct CachedRows
{
	Tablet	   *tablet;
	const uint64_t *selected;	/* a bitmap of the rows that count; NULL = all */
	uint32_t	nrows;			/* of these */
	const SharedColumn *column; /* of the tablet, for devices that keep copies */
	struct CachedShelf *shelf;	/* that it is one of; NULL = of none, */
	uint32_t	place;			/* and which one */
} CachedRows;

/*
 * Tablets that a caller finds together again and again, all of their rows
 * counting.  Its number and the numbers of its first tablet's columns are
 * together no other shelf's, so a device may remember it.
 */
#define CACHED_SHELF_MOST 32

typedef struct CachedShelf
{
	uint64_t	number;			/* never 0 */
	uint32_t	ntablets;
	const CachedRows *rows;		/* all of them */
	const Tablet *cover;		/* their zone maps together, */
	const Tablet *core;			/* and what all of these have in common, as far as they have something */

	/*
	 * Of a shelf whose owner knew these columns among others, the first tablet
	 * alone is there until the owner is asked for the others: where each column
	 * is among those of rows like these, which have its zone maps.
	 */
	void		(*complete) (struct CachedShelf *shelf);	/* NULL = all are there */
	const CachedRows *wider;
	const uint8_t *place;

	/* notes of those who use it */
	uint32_t	told;			/* the device: whom it has described it to */
	uint64_t	asked;			/* the executor: for which program it asked last, */
	uint32_t	may_pass;		/* and rows of which tablets may pass, a bit each */
} CachedShelf;

/* Have a tablet be there that is to be read, unless its columns are read by their numbers alone. */
CORE_FN void
cached_rows_complete(const CachedRows *rows)
{
	if (rows->shelf != NULL && rows->shelf->complete != NULL)
		rows->shelf->complete(rows->shelf);
}

typedef enum WorkStage
{
	STAGE_DEFORM,				/* from pages on */
	STAGE_RUN					/* tablets are complete */
} WorkStage;

typedef struct DeviceWork
{
	const PageList *pages;		/* in; NULL at STAGE_RUN if the caller has tablets of its own, */
	const CachedRows *cached;	/* in: these; where rows are wanted, one, and only the CPU device takes it; of spec->source one without columns */
	uint32_t	ncached;
	void	   *owner;			/* in: the caller's, untouched */
	WorkStage	stage;			/* in */
	ColumnPlace *places;		/* in and out: the caller wants the tablet of the pages, all of it, each column there if it can be; NULL = no */
	bool		more;			/* in: another item like this one follows at once */
	DeviceStatus status;		/* out; NEEDS_PATCH: patch the tablet, submit again at STAGE_RUN */
	Tablet	   *tablet;			/* out: of the pages, until the item is submitted again or released */
	uint32_t   *rows;			/* out: row numbers that passed, in order */
	uint32_t	nrows;
	uint32_t   *matches;		/* out: rows of each table that belong to these, work_output_room() for each; JOIN_NO_ROW = none */
	uint32_t	room;			/* out: of the arrays for rows of joins; 0 = they are not */
	bool		wide;			/* out: decimals have 128 bits */
	uint8_t    *output;			/* out: the program's outputs of these rows, laid out for work_output_room(); may be NULL */
} DeviceWork;

typedef struct JobTimes
{
	uint64_t	deform_ns;		/* of all threads together */
	uint64_t	run_ns;
} JobTimes;

/* What a job has done so far. */
typedef struct JobReport
{
	JobTimes	times;
	bool		kept;			/* the device keeps groups */
	uint32_t	left_out;		/* groups, since want_top() */
	uint32_t	left_windows;	/* that another device than the one asked had to run */
	DeviceStatus left_for;		/* the last reason why */
} JobReport;

typedef struct DeviceJob DeviceJob;

typedef struct Device
{
	const char *name;			/* as users see it */

	/* Start a job; NULL when memory is short.  The spec must outlive it. */
	DeviceJob  *(*open) (const JobSpec *spec);

	/* A free work item, or NULL when all are in use. */
	DeviceWork *(*acquire) (DeviceJob *job);

	/* How many of so many tablets of the caller's own an item takes: one at least. */
	uint32_t	(*take_cached) (const DeviceJob *job, const CachedRows *rows, uint32_t n);

	/* Hand an item to the device; returns at once. */
	void		(*submit) (DeviceJob *job, DeviceWork *work);

	/* A finished item; with `wait` NULL only when nothing is in flight. */
	DeviceWork *(*collect) (DeviceJob *job, bool wait);

	/* Give an item back after collecting it. */
	void		(*release) (DeviceJob *job, DeviceWork *work);

	/* More room in the variable-width area of a collected item; false when memory is short. */
	bool		(*enlarge) (DeviceWork *work, uint64_t more_bytes);

	/*
	 * Merge groups that another job of the same program has found; DONE, or
	 * why not.  Distinct: none of them is the same as another one absorbed so,
	 * and they have texts in their keys at most.
	 */
	DeviceStatus (*absorb) (DeviceJob *job, const GroupTable *groups, bool distinct);

	/*
	 * A number by which other processes' jobs of the same program can help this
	 * one, if they can leave groups with it; 0 if not.  A job that helps does
	 * not open unless the device itself runs it.
	 */
	uint64_t	(*family) (const DeviceJob *job);

	/*
	 * Ahead of finish(): of the groups only those that can be among the first
	 * so many are needed.  The device may leave out others; NULL = it never does.
	 */
	void		(*want_top) (DeviceJob *job, const GroupTop *top);

	/* A job that helped this one, and has ended, has left groups with it. */
	void		(*adopt) (DeviceJob *job);

	/*
	 * After the last item: have the program run once more, since tables of joins
	 * at spec->tables, and spec->shared, are others; groups come to those that
	 * there are.  TIME_SLICE asks to be called again; GROUPS_LOST as of finish().
	 */
	DeviceStatus (*again) (DeviceJob *job);

	/*
	 * After the last item: one table of all groups, owned by the job, which is
	 * to be gone through in order.  TIME_SLICE asks to be called again;
	 * GROUPS_LOST, also of an item, to begin anew with another job.
	 */
	DeviceStatus (*finish) (DeviceJob *job, const GroupTable **groups);

	/*
	 * After that, of a job whose program keeps rows: make a table of them, whose
	 * number goes to *shared; what has become of plan->head is told.  NULL when
	 * that fails.  The job may be closed then; drop() gives back the table.  All
	 * of these, down to fetch(), NULL: the device keeps no rows.
	 */
	KeptTable  *(*keep) (DeviceJob *job, KeptPlan *plan, SharedTable *shared);
	void		(*drop) (KeptTable *table);

	/* Or have them in order; false when that fails. */
	bool		(*sort) (DeviceJob *job, const KeptSort *sort);

	/* Then have them stay when the job is closed, to be other jobs' source, until they are dropped; NULL when that fails. */
	KeptTable  *(*hold) (DeviceJob *job, SharedTable *shared);

	/*
	 * Or fetch rows that are kept, of which there are so many from number
	 * `first`, a multiple of 64, on: as many as come at once, the same or a
	 * multiple of 64.  They last until the next call.  False when that fails.
	 */
	bool		(*fetch) (DeviceJob *job, uint32_t first, uint32_t nrows, KeptPart *part);

	void		(*report) (const DeviceJob *job, JobReport *report);

	/* Cancel what is queued, wait for what runs, free everything. */
	void		(*close) (DeviceJob *job);
} Device;

/* The rows that an item's row numbers are of. */
CORE_FN uint32_t
work_tablet_rows(const DeviceWork *work)
{
	return work->pages != NULL ? work->pages->nrows : work->cached->tablet->nrows;
}

/* The rows that its outputs are laid out for: as many as there are of the tablet, or as joins may have made. */
CORE_FN uint32_t
work_output_room(const DeviceWork *work)
{
	return work->room > 0 ? work->room : work_tablet_rows(work);
}

/* What deforming has found out about whole columns. */
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

/* Bytes of variable-width area that a tablet of so many pages and rows may need. */
CORE_FN uint64_t
deform_var_bytes(const DeformSpec *deform, uint32_t npages, uint32_t nrows)
{
	return deform->plan[0]->var_columns == 0 ? 0
		: (uint64_t) npages * HEAP_PAGE_SIZE + (uint64_t) nrows * deform->missing_text;
}

/* The body to run on a tablet. */
CORE_FN int
program_choose_body(const Program *program, const Tablet *tablet)
{
	/* a program without decimals has one body, which needs no guard */
	return !program->body[BODY_WIDE].exists || program_fits(program, tablet) ? BODY_NARROW : BODY_WIDE;
}

/* Let the zone maps of `all` cover a tablet's, too; the first one is copied. */
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

/* Let the zone maps of `all` be what they have in common with a tablet's; the first one is copied.  A range without anything is the wrong way round. */
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

/* Whether a column's zone map has values: without any, its bounds are the wrong way round. */
CORE_FN bool
tablet_column_has_range(const TabletColumn *column)
{
	return wide_load(column->min) <= wide_load(column->max);
}

/* Whether each column's zone map has values. */
CORE_FN bool
tablet_has_ranges(const Tablet *tablet)
{
	for (uint32_t c = 0; c < tablet->ncols; c++)
		if (!tablet_column_has_range(&tablet->column[c]))
			return false;
	return true;
}

#endif							/* GPUDB_CORE_DEVICE_API_H */
