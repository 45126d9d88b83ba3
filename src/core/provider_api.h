/*
 * provider_api.h
 *		What runs batches of windows in the GPU process: gpudb_cuda.so, or the CPU in its place.
 *
 * The service fills a batch with windows of one job, submits it, and collects
 * it when it is finished; nothing here waits.  A batch is complete or absent:
 * its results count only when its status is DONE.  One thread calls all of
 * these functions.
 */
#ifndef GPUDB_CORE_PROVIDER_API_H
#define GPUDB_CORE_PROVIDER_API_H

#include "core/job_image.h"

/* Changes with every change of this header. */
#define PROVIDER_ABI 17

/* What gpudb_cuda.so exports: const Provider *gpudb_provider(void). */
#define PROVIDER_LIBRARY "gpudb_cuda"
#define PROVIDER_SYMBOL "gpudb_provider"

#define PROVIDER_MAX_DEVICES	16
#define PROVIDER_TEXT			256

#define BATCH_WINDOWS	32
#define BATCH_TABLETS	2048	/* cached ones, in place of pages, of as many shelves at most, */
#define BATCH_TABLET_COLUMNS 16384	/* with so many columns together, */
#define BATCH_TABLET_ROWS (256u << 20)	/* and rows, unless it is one window: some milliseconds' work at most */
#define BATCH_GROUPS	4096	/* go back with a batch on a GPU; of more a table is made */
#define BATCH_PAGES		(16 * TABLET_WINDOW_PAGES)
#define GROUP_WORDS_MOST 8192	/* of a group that a table keeps: hash, row, and texts */

/* A device, as users see it. */
typedef struct ProviderDevice
{
	char		name[64];
	char		uuid[48];
	char		driver[64];
	char		state[64];		/* "in use", or why not */
	uint64_t	memory;			/* bytes */
	uint64_t	memory_used;	/* by gpudb */
	int32_t		capability;		/* 90 = 9.0 */
	bool		in_use;
} ProviderDevice;

/* Tests: make something fail once, at a place that is numbered from 1 on; 0 = never, or it has failed. */
typedef struct ProviderFault
{
	uint32_t	site;
	uint32_t	then;			/* the same after it, once more; 0 = nowhere */
	int32_t		code;
} ProviderFault;

typedef struct ProviderConfig
{
	const char *device;			/* UUID, or "" for the first that can be used */
	uint64_t	memory;			/* bytes of device memory to take; 0 = half of what is free */
	/* tests: a place in the provider that is to fail, and how many there are so far */
	volatile ProviderFault *fault;
	volatile uint32_t *sites;
} ProviderConfig;

/* What came of start(). */
typedef struct ProviderState
{
	char		why[PROVIDER_TEXT]; /* start() failed, or a batch: what the device's library said */
	uint64_t	batch_bytes;	/* room for the tablet of one batch, */
	uint64_t	batch_cached_bytes; /* and for the columns of one with cached ones, unless it is one window */
	uint64_t	join_bytes;		/* of the tables of one job's joins that leave room for other things */
	uint64_t	cached_bytes;	/* of columns that the device keeps */
	bool		final;			/* start() failed, and would again: there is no device */
	uint32_t	ndevices;
	ProviderDevice device[PROVIDER_MAX_DEVICES];
} ProviderState;

/* Memory of the process that holds pages. */
typedef struct ProviderMemory
{
	uint8_t    *start;
	uint64_t	size;
	bool		read_only;
} ProviderMemory;

/* Rows that a provider keeps for a job whose program wants it, the table that it has made of them, or the order it has put them in. */
typedef struct ProviderKept ProviderKept;

/*
 * A join's table, in memory that was attached.  It never changes, and no other
 * one, nor a column, ever has its number, so a provider may keep a copy.  What
 * its heads tell has been verified; what its rows and slots tell has not.
 */
typedef struct ProviderJoin
{
	uint64_t	number;
	ProviderKept *kept;			/* NULL, or the provider has made it itself: then there is nothing of all this */
	const uint8_t *block;
	uint64_t	bytes;
	uint64_t	rows_at;		/* bytes of it before its Tablet */
	const JoinTable *table;		/* the heads, copied; offsets count from the heads in the block */
	const Tablet *rows;
} ProviderJoin;

/* A job as the service holds it. */
typedef struct ProviderJob
{
	const JobImage *image;
	JobView		view;
	const ProviderJoin *join;	/* as many as the program has tables */
	ProviderKept *source;		/* of whose rows, in order, batches are; NULL = of others */
	uint32_t	database;		/* memory that passes on to another one is cleared */
	const volatile uint32_t *cancelled; /* not 0: nobody wants its answers any more; a batch may end with CANCELLED */
} ProviderJob;

/* What costs are made of, in nanoseconds; NaN = not known. */
typedef struct ProviderRates
{
	double		copy_start;		/* a copy of next to nothing to the device, until it is known to have ended */
	double		copy_page;		/* 8 kB to the device, of many */
	double		fetch_page;		/* and back */
	double		launch;			/* a kernel that does nothing, until it is known to have ended */
	double		read_page;		/* 8 kB of the device's memory, in order, by all that can read it */
	double		read_word;		/* a word of it, anywhere, the same way */
	double		add;			/* 64-bit integers, with a test for overflow, all cores at work */
} ProviderRates;

/*
 * A column of a cached tablet, in memory that was attached.  It never changes,
 * and no other one ever has its number, so a provider may keep a copy.  Or,
 * without a number, one of rows that the provider has sorted, in its own memory.
 */
typedef struct ProviderColumn
{
	uint64_t	number;
	TabletColumn stored;		/* but for the offsets */
	const uint8_t *values;		/* NULL if they take nothing */
	const uint8_t *nulls;		/* NULL if there are none */
	const uint8_t *texts;		/* the bytes into which references lead; NULL if there are none */
	uint64_t	text_bytes;
} ProviderColumn;

typedef struct ProviderTablet
{
	uint32_t	nrows;
	uint64_t	bytes;			/* of its columns */
	const uint64_t *selected;	/* in memory that was attached: a bitmap of the rows that count; NULL = all */
} ProviderTablet;

/* A shelf of cached tablets; what it is of never changes, and no other one ever has its number. */
typedef struct ProviderShelf
{
	uint64_t	number;
	uint32_t	ntablets;		/* CACHED_SHELF_MOST at most */
	uint32_t	ncolumns;
	uint64_t	nrows;			/* of all tablets, */
	uint64_t	bytes;			/* and of all of their columns */
	ProviderTablet *tablet;		/* all rows of which count */
	ProviderColumn *column;		/* of all tablets, one after the other */
} ProviderShelf;

/* Tablets of a shelf. */
typedef struct ProviderPick
{
	const ProviderShelf *shelf; /* stays with the batch */
	uint32_t	wanted;			/* a bit each */
} ProviderPick;

/* Groups that a provider keeps for a job, across its batches. */
typedef struct ProviderTable ProviderTable;

/* Values that it gathers for a job, likewise, to seek one among them. */
typedef struct ProviderSeek ProviderSeek;

typedef struct ProviderBatch
{
	/* in */
	const ProviderJob *job;
	ProviderTable *table;		/* where groups go: all of a batch's or, unless it ends with DONE, none; NULL = with the batch */
	ProviderKept *kept;			/* where rows are kept; NULL = the program keeps none */
	ProviderSeek *seek;			/* where values are gathered; NULL = it does not seek, or there is no room */
	bool		wide;			/* deform decimals to 128 bits */
	uint32_t	nwindows;
	PageList	window[BATCH_WINDOWS];	/* pages within memory that was attached */
	uint32_t	row_start[BATCH_WINDOWS + 1];	/* of the rows before each window */
	/*
	 * Where a window's outputs go, within memory that was attached; NULL =
	 * nowhere.  Of a program that aggregates, all its columns: those of a tablet
	 * of its own, and what its head tells of them (tablet_columns_size()), which
	 * names, before, the frames that they are wanted in (column_store()); a
	 * number of NULLs is one of several windows, but 0 only if there are none.
	 */
	uint8_t    *output[BATCH_WINDOWS];
	bool		cached;			/* instead of windows of pages, for aggregates: */
	uint32_t	npicks;			/* tablets of shelves, */
	ProviderPick *pick;			/* memory of the caller's, which stays with the batch, as the next two */
	uint32_t	ntablets;		/* and others */
	ProviderTablet *tablet;
	ProviderColumn *column;		/* of all these, one after the other */
	uint32_t	nwanted;		/* tablets of both kinds, */
	uint64_t	column_bytes;	/* and what all their columns take */
	void	   *owner;

	/* out */
	DeviceStatus status;
	int32_t		failed_column;
	int32_t		max_scale[PROGRAM_MAX_COLUMNS];
	const GroupTable *groups;	/* of the batch's rows; NULL without aggregates, or with a table */
	const uint8_t *passed;		/* else a bit for each row */
	JobTimes	times;
} ProviderBatch;

typedef struct Provider
{
	uint32_t	abi;
	const char *name;			/* as users see it */

	/* Once, before all others; false, with state->why, if there is no device. */
	bool		(*start) (const ProviderConfig *config, ProviderState *state);

	/* Let the device read this memory in place; false if it cannot. */
	bool		(*attach) (const ProviderMemory *memory);

	/* Whether programs like this can run. */
	bool		(*accepts) (const ProviderJob *job);

	/* An empty batch, or NULL when all are in use; there are two at least, since the service keeps one for small jobs. */
	ProviderBatch *(*acquire) (void);

	/* Run a batch; returns at once.  What goes wrong is its status. */
	void		(*submit) (ProviderBatch *batch);

	/* A finished batch, or NULL; DEVICE_DOWN means that the process had better end. */
	ProviderBatch *(*collect) (void);

	/* Give a batch back after collecting it. */
	void		(*release) (ProviderBatch *batch);

	/*
	 * A batch with more groups than should go with it ends with TABLE_FULL.
	 * An empty table for those of all batches of a job, NULL when there is no
	 * room; a job whose groups have texts has one from its first batch on.  It
	 * grows; a batch for which it cannot ends with MEMORY_LIMIT, and so does one
	 * with a group of more than GROUP_WORDS_MOST.
	 */
	ProviderTable *(*open_table) (const ProviderJob *job);

	/* The following want no batch in flight that has this table.  How many groups there are; false when the device fails. */
	bool		(*count_groups) (ProviderTable *table, uint32_t *count);

	/*
	 * Copy groups, from number `first` on, as many as fit so many words, which
	 * are GROUP_WORDS_MOST at least: n hashes, n rows, and the bytes of their
	 * texts, a multiple of 8, from which offsets in these rows count.  For more
	 * than few of them it is memory that was attached.  False when the device
	 * fails.
	 */
	bool		(*read_groups) (ProviderTable *table, uint32_t first, uint32_t words, uint64_t *into, uint32_t *n, uint64_t *text_bytes);
	void		(*close_table) (ProviderTable *table);

	/*
	 * The same of those groups, without texts, that can be among the first
	 * top->wanted, which is less than there are, and perhaps of some others; *n is 0 if they do not fit, or it
	 * cannot tell.  NULL = it never can.  What `top` says is not verified.
	 */
	bool		(*read_top) (ProviderTable *table, const GroupTop *top, uint32_t words, uint64_t *into, uint32_t *n);

	/*
	 * Room for as many rows of a job as are kept; NULL when there is none.  When
	 * all batches have ended, and there were no more, make a table of them: that
	 * is begun, and answers TIME_SLICE, and is asked for again until it has ended,
	 * when plan->head tells what has come of it.  Or copy some of them as
	 * kept_layout() has it, from number `first`, a multiple of 64, on; for more
	 * than few of them it is memory that was attached.  Or have them in order,
	 * likewise, after which kept_column() tells where so many rows of a column
	 * are; false if it is none.  All six may be NULL.
	 */
	ProviderKept *(*open_kept) (const ProviderJob *job, uint32_t most_rows);
	DeviceStatus (*index_kept) (ProviderKept *kept, KeptPlan *plan);
	DeviceStatus (*sort_kept) (ProviderKept *kept, const KeptSort *sort);
	bool		(*kept_column) (const ProviderKept *kept, uint32_t column, uint32_t first, uint32_t nrows, ProviderColumn *to);
	DeviceStatus (*read_kept) (ProviderKept *kept, uint32_t first, uint32_t nrows, uint8_t *into);
	void		(*close_kept) (ProviderKept *kept);

	/*
	 * Room for the values that a program that seeks gathers; NULL when there is
	 * none, and a batch collects what a state has room for.  Both may be NULL.
	 * To be closed when no batch is in flight that has it.
	 */
	ProviderSeek *(*open_seek) (const ProviderJob *job);
	void		(*close_seek) (ProviderSeek *seek);

	/* Measure the device, some 20 ms, while no batch is in flight; false when it fails, and the process had better end. */
	bool		(*measure) (ProviderRates *rates);
} Provider;

#endif							/* GPUDB_CORE_PROVIDER_API_H */
