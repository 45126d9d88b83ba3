/*
 * provider_api.h
 *		The interface to what runs batches in the GPU process: gpudb_cuda.so, or the CPU provider of the tests in its place.
 *
 * The service fills a batch with page batches of one job, submits it, and collects it when it is
 * finished; nothing here waits.  A batch is complete or absent: its results count only when its
 * status is DONE.  One thread calls all of these functions.
 */
#ifndef GPUDB_CORE_PROVIDER_API_H
#define GPUDB_CORE_PROVIDER_API_H

#include "core/job_image.h"

/* Version of this header, to be raised with every change of it. */
#define PROVIDER_ABI 17

/* Libraries of providers, each of which exports the symbol const Provider *gpudb_provider(void). */
#define PROVIDER_LIBRARY "gpudb_cuda"
#define PROVIDER_LIBRARY_CPU "gpudb_provider_cpu"
#define PROVIDER_SYMBOL "gpudb_provider"

#define PROVIDER_MAX_DEVICES	16
#define PROVIDER_TEXT			256

#define BATCH_PAGE_BATCHES	32
#define BATCH_TABLETS	2048	/* limit of cached tablets, and of shelves, in a batch without pages */
#define BATCH_TABLET_COLUMNS 16384	/* limit of the columns of a batch's cached tablets */

/*
 * Limit of the rows of a batch's cached tablets, exceeded only by a batch of one page batch: some
 * milliseconds of work at most.
 */
#define BATCH_TABLET_ROWS (256u << 20)
#define BATCH_GROUPS	4096	/* limit of groups returned with a batch on a GPU; more go to a ProviderTable */
#define BATCH_PAGES		(16 * PAGE_BATCH_PAGES)
#define GROUP_WORDS_MOST 8192	/* limit of a group in a ProviderTable: hash, row, and texts */

/* Description of a device for users. */
typedef struct ProviderDevice
{
	char		name[64];
	char		uuid[48];
	char		driver[64];
	char		state[64];		/* "in use", or why the device is not used */
	uint64_t	memory;			/* device memory in bytes */
	uint64_t	memory_used;	/* bytes used by gpudb */
	int32_t		capability;		/* compute capability times 10: 90 = 9.0 */
	bool		in_use;
} ProviderDevice;

/* Fault injection for tests: an operation fails once, at a site numbered from 1 on; 0 = none, or it has failed. */
typedef struct ProviderFault
{
	uint32_t	site;
	uint32_t	then;			/* site that fails after this one has failed; 0 = none */
	int32_t		code;
} ProviderFault;

typedef struct ProviderConfig
{
	const char *device;			/* UUID, or "" for the first usable device */
	uint64_t	memory;			/* bytes of device memory to take; 0 = half of what is free */
	/* tests: fault to inject, and number of sites passed so far */
	volatile ProviderFault *fault;
	volatile uint32_t *sites;
} ProviderConfig;

/* Result of start(). */
typedef struct ProviderState
{
	char		why[PROVIDER_TEXT]; /* message of the device's library if start() or a batch failed */
	uint64_t	batch_bytes;	/* limit for the tablet of a batch of pages */
	uint64_t	batch_cached_bytes; /* limit for the columns of cached tablets in a batch of more than one page batch */
	uint64_t	join_bytes;		/* limit for the join tables of one job that leaves room for other things */
	uint64_t	cached_bytes;	/* limit for the columns cached on the device */
	bool		final;			/* start() failed and would fail again: there is no device */
	uint32_t	ndevices;
	ProviderDevice device[PROVIDER_MAX_DEVICES];
} ProviderState;

/* Memory of the process that contains pages. */
typedef struct ProviderMemory
{
	uint8_t    *start;
	uint64_t	size;
	bool		read_only;
} ProviderMemory;

/* Materialized rows of a job, the join table made of them, or their sort order. */
typedef struct ProviderMaterialized ProviderMaterialized;

/*
 * A join's table, in attached memory.  It never changes, and no other table or column ever has its
 * number, so a provider may cache a copy.  Its descriptors have been verified; the contents of its
 * rows and slots have not.
 */
typedef struct ProviderJoin
{
	uint64_t	number;
	ProviderMaterialized *materialized; /* NULL, or the provider made the table itself: then the fields below are not set */
	const uint8_t *block;
	uint64_t	bytes;
	uint64_t	rows_at;		/* offset of its Tablet in the block */
	const JoinTable *table;		/* copied descriptor; its offsets count from the descriptor in the block */
	const Tablet *rows;
} ProviderJoin;

/* State of a job in the service. */
typedef struct ProviderJob
{
	const JobImage *image;
	JobView		view;
	const ProviderJoin *join;	/* join tables, as many as the program has */
	ProviderMaterialized *source; /* sorted rows that the batches consist of; NULL = batches of pages or tablets */
	uint32_t	database;		/* database of the job; memory reused for another database is cleared */
	const volatile uint32_t *cancelled; /* not 0: results are no longer wanted; a batch may end with CANCELLED */
} ProviderJob;

/* Measured rates for the cost model, in nanoseconds; NaN = unknown. */
typedef struct ProviderRates
{
	double		copy_start;		/* smallest possible copy to the device, until its end is noticed */
	double		copy_page;		/* copy of 8 kB to the device, one of many */
	double		fetch_page;		/* copy of 8 kB from the device, one of many */
	double		launch;			/* empty kernel, until its end is noticed */
	double		read_page;		/* sequential read of 8 kB of device memory, by all multiprocessors */
	double		read_word;		/* random read of a word of device memory, by all multiprocessors */
	double		add;			/* addition of 64-bit integers with a test for overflow, on all cores */
} ProviderRates;

/*
 * A column of a cached tablet, in attached memory.  It never changes, and no other column ever has
 * its number, so a provider may cache a copy.  A column without a number (0) belongs to rows that
 * the provider has sorted, and is in its own memory.
 */
typedef struct ProviderColumn
{
	uint64_t	number;
	TabletColumn stored;		/* descriptor; its offsets are not valid */
	const uint8_t *values;		/* NULL if values take no bytes */
	const uint8_t *nulls;		/* NULL if there are none */
	const uint8_t *texts;		/* bytes that text references point into; NULL if there are none */
	uint64_t	text_bytes;
} ProviderColumn;

typedef struct ProviderTablet
{
	uint32_t	nrows;
	uint64_t	bytes;			/* bytes of its columns */
	const uint64_t *selected;	/* bitmap of the rows to process, in attached memory; NULL = all */
} ProviderTablet;

/* A shelf of cached tablets; its contents never change, and no other shelf ever has its number. */
typedef struct ProviderShelf
{
	uint64_t	number;
	uint32_t	ntablets;		/* at most CACHED_SHELF_MOST */
	uint32_t	ncolumns;
	uint64_t	nrows;			/* rows of all tablets */
	uint64_t	bytes;			/* bytes of the columns of all tablets */
	ProviderTablet *tablet;		/* tablets, all rows of which are processed */
	ProviderColumn *column;		/* columns of all tablets, tablet by tablet */
} ProviderShelf;

/* Selection of tablets of a shelf. */
typedef struct ProviderPick
{
	const ProviderShelf *shelf; /* pinned while the batch exists */
	uint32_t	wanted;			/* bitmask of tablets */
} ProviderPick;

/* Device-resident group table of a job, across its batches. */
typedef struct ProviderTable ProviderTable;

/* Values gathered for a job's quantile selection, across its batches. */
typedef struct ProviderSeek ProviderSeek;

typedef struct ProviderBatch
{
	/* in */
	const ProviderJob *job;

	/*
	 * Destination of groups: it gets all groups of the batch, or none unless the status is DONE;
	 * NULL = with the batch.
	 */
	ProviderTable *table;
	ProviderMaterialized *materialized; /* destination of materialized rows; NULL = the program materializes none */
	ProviderSeek *seek;			/* destination of gathered values; NULL = no quantile selection, or no memory */
	bool		wide;			/* deform decimals to 128 bits */
	uint32_t	npage_batches;
	PageList	page_batch[BATCH_PAGE_BATCHES];	/* page batches; the pages are in attached memory */
	uint32_t	row_start[BATCH_PAGE_BATCHES + 1];	/* number of rows before each page batch */
	/*
	 * Destination of a page batch's outputs, within attached memory; NULL = none.  A program that
	 * aggregates outputs all its columns: as those of a separate tablet, with the descriptors that
	 * describe them (tablet_columns_size()).  On entry the descriptors give the wanted
	 * frame-of-reference encodings (column_store()).  A number of NULLs counts several page
	 * batches, but is 0 only if there are none.
	 */
	uint8_t    *output[BATCH_PAGE_BATCHES];
	bool		cached;			/* for aggregates: the batch consists of cached tablets instead of pages */
	uint32_t	npicks;			/* number of picks from shelves */
	ProviderPick *pick;			/* picks; this array and the next two are the caller's and live as long as the batch */
	uint32_t	ntablets;		/* number of tablets of no shelf */
	ProviderTablet *tablet;
	ProviderColumn *column;		/* columns of tablet[], tablet by tablet */
	uint32_t	nwanted;		/* number of selected tablets, in picks and in tablet[] */
	uint64_t	column_bytes;	/* bytes of the columns of all selected tablets */
	void	   *owner;

	/* out */
	DeviceStatus status;
	int32_t		failed_column;
	int32_t		max_scale[PROGRAM_MAX_COLUMNS];
	const GroupTable *groups;	/* groups of the batch; NULL without aggregates, or with a table */
	const uint8_t *passed;		/* without aggregates: bitmap of the rows that passed */
	JobTimes	times;
} ProviderBatch;

typedef struct Provider
{
	uint32_t	abi;
	const char *name;			/* name shown to users */

	/* Initialize the provider, once, before all other calls; false, with state->why, if there is no device. */
	bool		(*start) (const ProviderConfig *config, ProviderState *state);

	/* Let the device access memory in place; false if it cannot. */
	bool		(*attach) (const ProviderMemory *memory);

	/* Return true if the job's program can run. */
	bool		(*accepts) (const ProviderJob *job);

	/*
	 * Return an empty batch, or NULL when all are in use.  There are at least two, since the
	 * service reserves one for small jobs.
	 */
	ProviderBatch *(*acquire) (void);

	/* Start a batch; returns at once.  Failures are reported as its status. */
	void		(*submit) (ProviderBatch *batch);

	/* Return a finished batch, or NULL.  Its status DEVICE_DOWN means that the process should end. */
	ProviderBatch *(*collect) (void);

	/* Give a collected batch back. */
	void		(*release) (ProviderBatch *batch);

	/*
	 * Create an empty device-resident group table for all batches of a job; NULL when there is no
	 * room.  It is needed once a batch ends with TABLE_FULL, since it has more groups than can be
	 * returned with it; a job whose groups have texts needs it from its first batch on.  The table
	 * grows.  A batch for which it cannot grow ends with MEMORY_LIMIT, and so does one with a group
	 * of more than GROUP_WORDS_MOST words.
	 */
	ProviderTable *(*open_table) (const ProviderJob *job);

	/*
	 * Count the groups of a table; false when the device fails.  No batch that uses the table may
	 * be in flight, here and in the following functions.
	 */
	bool		(*count_groups) (ProviderTable *table, uint32_t *count);

	/*
	 * Copy groups, from number `first` on, as many as fit `words` words, which are at least
	 * GROUP_WORDS_MOST: n hashes, n rows, and the bytes of their texts, a multiple of 8.  Offsets
	 * in these rows count from the start of those bytes.  For more than a few groups `into` is
	 * attached memory.  False when the device fails.
	 */
	bool		(*read_groups) (ProviderTable *table, uint32_t first, uint32_t words, uint64_t *into, uint32_t *n, uint64_t *text_bytes);
	void		(*close_table) (ProviderTable *table);

	/*
	 * Copy groups without texts as read_groups() does, but only those that can be among the first
	 * top->wanted, which is less than there are, and possibly some others.  *n is 0 if they do not
	 * fit or cannot be determined.  NULL = the provider has no such function.  The contents of
	 * `top` are not verified.
	 */
	bool		(*read_top) (ProviderTable *table, const GroupTop *top, uint32_t words, uint64_t *into, uint32_t *n);

	/*
	 * Functions for the materialized rows of a job; all six may be NULL.
	 *
	 * open_materialized() allocates room for at most `most_rows` rows; NULL when there is none.
	 *
	 * index_materialized() makes a join table of the rows when all batches have ended and the rows fitted.
	 * The work is begun and TIME_SLICE returned; it is called again until the work has ended, when
	 * plan->head describes the result.
	 *
	 * sort_materialized() sorts the rows in the same manner. Afterwards materialized_column() returns the location
	 * of `nrows` rows of a column; false if there is no such column.
	 *
	 * read_materialized() copies rows from number `first`, a multiple of 64, on, laid out by materialized_layout();
	 * for more than a few rows `into` is attached memory.
	 */
	ProviderMaterialized *(*open_materialized) (const ProviderJob *job, uint32_t most_rows);
	DeviceStatus (*index_materialized) (ProviderMaterialized *materialized, MaterializedPlan *plan);
	DeviceStatus (*sort_materialized) (ProviderMaterialized *materialized, const MaterializedSort *sort);
	bool		(*materialized_column) (const ProviderMaterialized *materialized, uint32_t column, uint32_t first, uint32_t nrows, ProviderColumn *to);
	DeviceStatus (*read_materialized) (ProviderMaterialized *materialized, uint32_t first, uint32_t nrows, uint8_t *into);
	void		(*close_materialized) (ProviderMaterialized *materialized);

	/*
	 * Allocate room for the values that a program with a quantile selection gathers; NULL when
	 * there is none, and a batch then collects as many as a state has room for.  close_seek() is
	 * called when no batch that uses it is in flight.  Both may be NULL.
	 */
	ProviderSeek *(*open_seek) (const ProviderJob *job);
	void		(*close_seek) (ProviderSeek *seek);

	/* Measure the device, some 20 ms, while no batch is in flight; false when it fails and the process should end. */
	bool		(*measure) (ProviderRates *rates);
} Provider;

#endif							/* GPUDB_CORE_PROVIDER_API_H */
