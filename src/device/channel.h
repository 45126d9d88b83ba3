/*
 * channel.h
 *		Shared memory between backends, the supervisor and the GPU process.
 *
 * The channel is a shared mapping of its own, created by the postmaster and
 * inherited by all processes.  A backend takes a job slot, writes the job's
 * image into it, and hands page batches to the GPU process (in code: the
 * helper) through a ring.  The GPU process runs several page batches of a job
 * as one batch (core/provider_api.h), and answers through the slot's results.
 * Each word has one writer at a time, or is an atomic: no process ever holds a
 * lock here, since the GPU process may die at any moment.
 *
 * A slot with page batches in flight belongs to the GPU process until it
 * answers or is reaped.  A backend that cannot wait leaves the slot abandoned,
 * and the GPU process, or the supervisor after the GPU process's end, frees
 * it.
 *
 * The GPU process calls none of PostgreSQL's functions; of this header it uses
 * the structures and the atomics.
 */
#ifndef GPUDB_DEVICE_CHANNEL_H
#define GPUDB_DEVICE_CHANNEL_H

#include "postgres.h"

#include "port/atomics.h"

#include "core/provider_api.h"

#define CHANNEL_JOBS		64
#define CHANNEL_OWN_PAGE_BATCHES	2		/* page batches reserved per job slot: small queries do not wait for large ones */
#define CHANNEL_PAGE_BATCHES		(CHANNEL_JOBS * CHANNEL_OWN_PAGE_BATCHES + 512)
#define CHANNEL_COPIES		512	/* areas of CHANNEL_COPY_BYTES for copied pages or results of a page batch */
#define CHANNEL_JOB_PAGE_BATCHES	32	/* most page batches in flight per job: a power of two */
#define CHANNEL_JOB_RESULTS	4	/* most batches in flight per job */
#define CHANNEL_ROWS_WORDS	16384
#define CHANNEL_CHUNKS		4096

#define CHANNEL_GROUP_PAGE_BATCHES 2		/* page batches per job for groups: one is filled while the other is read */
#define CHANNEL_GROUP_SLOTS	8		/* most consecutive result slots in each of them */

#define CHANNEL_NO_COPY		UINT16_MAX
#define CHANNEL_NO_ROOM		UINT16_MAX
#define CHANNEL_COPY_BYTES	(PAGE_BATCH_PAGES * HEAP_PAGE_SIZE)

/* Chunks of the buffer pool begin at huge page boundaries. */
#define CHANNEL_CHUNK_ALIGNMENT ((uint64) 2 * 1024 * 1024)

/*
 * Flag in ChannelPages.page: the other bits are the page's index in the page
 * batch's copy area; without the flag the value is an offset into the buffer
 * pool.
 */
#define CHANNEL_COPIED		((uint64) 1 << 63)

/* State of the GPU process. */
typedef enum HelperState
{
	HELPER_OFF,					/* gpudb.provider = none, or the supervisor has not started it yet */
	HELPER_STARTING,
	HELPER_SERVING,
	HELPER_NO_DEVICE,			/* no usable device */
	HELPER_DOWN,				/* the GPU process died and will be restarted */
	HELPER_BROKEN				/* the GPU process died too often: the circuit breaker is open */
} HelperState;

/*
 * State of a job slot: the low bits of its state word.  The other bits count
 * the slot's uses, so that one use is never taken for another.
 */
typedef enum ChannelJobState
{
	JOB_FREE,
	JOB_TAKEN,					/* taken by a backend, which fills it in */
	JOB_OPEN,
	JOB_ABANDONED				/* to be freed by the GPU process or the supervisor */
} ChannelJobState;

#define JOB_STATE(word)			((ChannelJobState) ((word) & 3))
#define JOB_WITH_STATE(word, to) (((word) & ~(uint32) 3) | (uint32) (to))
#define JOB_NEXT_USE(word)		((word) + 4)

typedef enum ChannelResultState
{
	RESULT_FREE,
	RESULT_BUSY,				/* owned by the GPU process */
	RESULT_READY				/* owned by the backend */
} ChannelResultState;

/* Requests for the rows that a job has materialized, and the answers. */
typedef enum ChannelKeeping
{
	KEEPING_ROWS,
	KEEPING_ASKED,				/* request: build a join table of the rows */
	KEEPING_TABLE,				/* the join table exists: other jobs may name it by channel_family() of the job */
	KEEPING_WANTED,				/* request: copy the rows of ChannelPart; KEEPING_ROWS when done */
	KEEPING_SORT,				/* request: sort all rows; KEEPING_ROWS when done: jobs may name them like a table */
	KEEPING_FAILED
} ChannelKeeping;

/* Return true if the owner waits for an answer. */
static inline bool
keeping_is_asked(ChannelKeeping keeping)
{
	return keeping == KEEPING_ASKED || keeping == KEEPING_WANTED || keeping == KEEPING_SORT;
}

/* A range of a job's materialized rows, and the place to which they are copied in the layout of materialized_layout(). */
typedef struct ChannelPart
{
	uint32		first;			/* a multiple of 64 */
	uint32		nrows;
	uint16		room;			/* page batch whose result slots receive the rows; CHANNEL_NO_ROOM = first result */
	uint64		checksum;		/* out */
} ChannelPart;

/* Requests for the groups in a job's device-resident group table. */
typedef enum ChannelDraining
{
	DRAINING_NOTHING,			/* no request: there are page batches to answer */
	DRAINING_FIRST,				/* return as many groups as one result holds, and their total number */
	DRAINING_SMALL,				/* return the remaining groups, as many at a time as one result holds */
	DRAINING_SLOTS				/* return the remaining groups in the result slots of the page batches in the ring */
} ChannelDraining;

/* Contents of a page batch's result slot. */
typedef enum ChannelOutput
{
	OUTPUT_NONE,
	OUTPUT_WANTED,				/* empty: the backend wants results */
	OUTPUT_NARROW,				/* values of the rows that passed; if the program aggregates, the columns of all rows */
	OUTPUT_WIDE					/* decimals have 128 bits */
} ChannelOutput;

/*
 * A column of a cached tablet: its number and its stored form.  Offsets count
 * from the start of the memory that all cached tablets share; for a text
 * column `stored.base` is such an offset, too.
 */
typedef struct ChannelColumn
{
	uint64		number;
	uint64		text_bytes;		/* bytes of a text column's texts; else not used */
	TabletColumn stored;
} ChannelColumn;

/* A cached tablet, as the list of a page batch describes it. */
typedef struct ChannelTablet
{
	uint32		nrows;
	uint32		selected;		/* bitmap of rows that count: offset in words from the list's start; 0 = all rows */
	ChannelColumn column[];		/* columns, one for each column of the program */
} ChannelTablet;

/*
 * Header of a sequence of cached tablets in a list, which names their shelf.
 * The GPU process may remember a shelf that has a number (CachedShelf): the
 * descriptions of its tablets follow only once, and then all of them follow,
 * wanted or not.  Tablets of no shelf have a header with number 0: only the
 * wanted ones follow, each with its bitmap behind it.
 */
typedef struct ChannelShelf
{
	uint64		number;
	uint32		ntablets;		/* tablets in the shelf; for number 0, tablets that follow */
	uint32		wanted;			/* bitmap of the wanted tablets of the shelf; unused for number 0 */
	uint32		described;		/* the descriptions of the shelf's tablets follow; unused for number 0 */
	uint32		unused;
	uint64		first[];		/* numbers of the columns of the shelf's first tablet; absent for number 0 */
} ChannelShelf;

#define CHANNEL_LIST_WORDS	5632	/* room for two shelves of tablets with seven columns */
#define CHANNEL_LIST_TABLETS 64		/* most wanted tablets in a list */

/* A page batch: up to 64 pages and the tuples to read, or a list of cached tablets; the device reads it in place. */
typedef struct ChannelPages
{
	pg_atomic_uint32 owner;		/* job number + 1; 0 = free */
	uint32		npages;
	uint32		ntablets;		/* number of wanted cached tablets; 0 = pages, or, with a source job, all of its rows */
	uint32		nshelves;		/* number of shelf headers in the list, which follow one another with their tablets */
	uint32		nrows;
	uint16		copy;			/* index of the area with copied pages, or CHANNEL_NO_COPY */
	uint16		room;			/* index of the first result slot, an area of CHANNEL_COPY_BYTES, or CHANNEL_NO_ROOM */
	uint16		nslots;			/* number of consecutive result slots */
	uint16		passed_shift;	/* out: position of the first row's bit in `passed` */
	uint16		output;			/* in and out: ChannelOutput */
	union
	{
		struct
		{
			uint64		page[PAGE_BATCH_PAGES];
			uint16		ntuples[PAGE_BATCH_PAGES];
			uint8		every[PAGE_BATCH_PAGES]; /* the tuples are 1 to ntuples, and not listed */
			uint16		offsets[PAGE_BATCH_PAGES][HEAP_MAX_TUPLES];
			uint8		passed[PAGE_BATCH_PAGES * HEAP_MAX_TUPLES / 8 + 8];	/* out: one bit per row */
		};
		uint64		list[CHANNEL_LIST_WORDS];
	};
} ChannelPages;

/* Return the number of list words that a tablet of `ncolumns` columns takes, without its bitmap. */
static inline uint32
channel_tablet_words(uint32 ncolumns)
{
	return (uint32) ((sizeof(ChannelTablet) + ncolumns * sizeof(ChannelColumn)) / sizeof(uint64));
}

/*
 * Return the number of list words of a shelf header for tablets of `ncolumns`
 * columns; 0 columns for the header of tablets of no shelf.
 */
static inline uint32
channel_shelf_words(uint32 ncolumns)
{
	return (uint32) (sizeof(ChannelShelf) / sizeof(uint64)) + ncolumns;
}

/* The result of a batch. */
typedef struct ChannelResult
{
	pg_atomic_uint32 state;
	uint32		status;			/* DeviceStatus */
	uint32		npage_batches;		/* 0: the result returns groups from the device-resident group table */
	uint16		page_batch[BATCH_PAGE_BATCHES];
	int32		failed_column;
	uint32		resident;		/* not 0: the groups of these page batches are in the device-resident group table */
	uint32		total;			/* number of groups in the device-resident group table, if npage_batches = 0 */
	uint32		left_out;		/* groups not returned, since they cannot be among the first */
	uint32		ngroups;
	uint16		room;			/* page batch whose result slots hold the groups; CHANNEL_NO_ROOM = rows[] holds them */
	uint32		text_bytes;		/* bytes of the groups' texts: a multiple of 8 */
	JobTimes	times;
	uint64		checksum;		/* checksum of the header and the groups */
	int32		max_scale[PROGRAM_MAX_COLUMNS];
	uint64		rows[CHANNEL_ROWS_WORDS];	/* ngroups hashes, then ngroups rows, then their texts */
} ChannelResult;

typedef struct ChannelJob
{
	pg_atomic_uint32 state;		/* ChannelJobState and use count */
	uint32		incarnation;	/* incarnation of the GPU process that is to serve the job */
	int32		owner;			/* PID of the backend */
	uint32		database;
	uint64		family;			/* channel_family() of the job whose group table receives the groups; 0 = its own */
	pg_atomic_uint32 waiting;	/* the owner sleeps and wants a signal */
	pg_atomic_uint32 cancelled;
	pg_atomic_uint32 more;		/* the owner is about to submit another page batch: waiting ones need not begin yet */
	pg_atomic_uint32 draining;	/* ChannelDraining */
	GroupTop	top;			/* selects the groups that are returned when draining */
	pg_atomic_uint32 submitted; /* number of page batches ever put into the ring */
	pg_atomic_uint32 taken;		/* number of page batches ever taken out of the ring */
	uint16		ring[CHANNEL_JOB_PAGE_BATCHES];
	ChannelResult result[CHANNEL_JOB_RESULTS];
	bool		many_groups;	/* as in JobSpec */
	uint32		keep_most;		/* most rows that may be materialized, if the program materializes rows */
	pg_atomic_uint32 keeping;	/* ChannelKeeping */
	MaterializedPlan plan;		/* in and out: plan of the join table of the materialized rows */
	ChannelPart part;			/* range of materialized rows that is requested */
	MaterializedSort sort;		/* sort keys of the materialized rows */
	MaterializedSource source;	/* the sorted rows that the job reads instead of pages */
	uint32		ntables;		/* number of tables of the program's joins */
	SharedTable table[PROGRAM_MAX_TABLES];
	uint32		image_size;
	uint64		image[JOB_IMAGE_MOST / 8];
} ChannelJob;

typedef struct Channel
{
	/* state of the GPU process, set by the supervisor and by the GPU process */
	pg_atomic_uint32 state;		/* HelperState */
	pg_atomic_uint32 incarnation;	/* incarnation of the serving GPU process, from 1 on */
	pg_atomic_uint64 heartbeat;
	int32		helper;			/* PID of the GPU process */
	char		provider[32];
	ProviderState provider_state;
	uint64		batches;		/* number of batches that this GPU process has run */
	uint32		starts;			/* number of GPU processes ever started */
	char		said[PROVIDER_TEXT];	/* description of the last GPU process's end */

	/* words to wake the GPU process */
	pg_atomic_uint32 doorbell;
	pg_atomic_uint32 sleeping;

	/* number of backends that poll for their answers instead of sleeping */
	pg_atomic_uint32 pollers;

	/* calibration: numbers of requests to the GPU process, and of the requests that it has answered */
	pg_atomic_uint32 pings;
	pg_atomic_uint32 pongs;
	pg_atomic_uint32 rates_wanted;
	pg_atomic_uint32 rates_measured;
	ProviderRates rates;

	/* the buffer pool in chunks: the device reads pages of attached chunks in place */
	uint64		chunk_bytes;
	pg_atomic_uint32 chunk_wanted[CHANNEL_CHUNKS];
	pg_atomic_uint32 chunk_attached[CHANNEL_CHUNKS];

	/* fault injection for tests */
	volatile ProviderFault fault;	/* fault in the provider's calls of its library */
	volatile uint32 sites;
	volatile ProviderFault answer_fault;	/* fault in answers: see worker/debug_fault.c */
	volatile uint32 answers;

	ChannelJob	job[CHANNEL_JOBS];

	/* members from here on are read by the device */
	uint16		every_tuple[HEAP_MAX_TUPLES + 1] pg_attribute_aligned(4096);	/* 1, 2, ... */
	ChannelPages page_batch[CHANNEL_PAGE_BATCHES];
	uint8		copies[CHANNEL_COPIES][PAGE_BATCH_PAGES][HEAP_PAGE_SIZE] pg_attribute_aligned(4096);
	pg_atomic_uint32 copy_owner[CHANNEL_COPIES];	/* page batch number + 1; 0 = free */
} Channel;

/* Create the channel's mapping, in the postmaster; after a crash, create a new one. */
extern void channel_create(void);

/* Return the channel, or NULL if the library was not preloaded. */
extern Channel *channel_get(void);

/* Return true if a GPU process serves. */
extern bool channel_serving(void);

/*
 * Take a job slot and open a job in it.  Waits up to `patience` milliseconds
 * for a free slot.  Returns NULL and sets *why to the reason if there is none.
 */
extern ChannelJob *channel_open_job(const JobSpec *spec, int patience, DeviceStatus *why);

/* Return a number that identifies the job slot in its present use: slot number + 1 and its state word. */
extern uint64 channel_family(const ChannelJob *job);

/*
 * Free a job slot; if the GPU process may still answer (`in_flight`), mark it
 * abandoned instead, and the GPU process frees it.
 */
extern void channel_close_job(ChannelJob *job, bool in_flight);

/* Return true if the GPU process for which the job was opened still serves. */
extern bool channel_job_alive(const ChannelJob *job);

/* Take a page batch for the job to fill, one of its own if possible; return NULL if none is free. */
extern ChannelPages *channel_take_page_batch(ChannelJob *job);

/* Take an area for copies of the page batch's pages; return false if none is free. */
extern bool channel_take_copy(ChannelPages *page_batch);

/*
 * Take a result slot for values of the page batch's rows; return false if none
 * is free.  Half of all areas are left to copied pages, which have no
 * alternative.
 */
extern bool channel_take_output(ChannelPages *page_batch);

/*
 * Take at least one and at most `most` consecutive result slots for groups or
 * materialized rows; return false if none is free.
 */
extern bool channel_take_result_slots(ChannelPages *page_batch, uint32 most);
extern void channel_free_page_batch(ChannelPages *page_batch);

/* Hand a page batch to the GPU process; the ring has room for all page batches that a job may have. */
extern void channel_submit(ChannelJob *job, ChannelPages *page_batch);

/* Request groups from the device-resident group table; page batches with result slots have been submitted before. */
extern void channel_drain(ChannelJob *job, ChannelDraining what);

/* Return a result that is ready, or NULL. */
extern ChannelResult *channel_ready_result(ChannelJob *job);

/* Give a result back after its page batches have been processed and freed. */
extern void channel_return_result(ChannelJob *job, ChannelResult *result);

/* Poll, then sleep until the GPU process has a result for the job, for at most `milliseconds`. */
extern void channel_wait(ChannelJob *job, int milliseconds);

/*
 * Poll for the GPU process's answer to a request in the job slot: for some 10
 * us, and for up to 2.5 ms unless enough other backends poll.  Returns true if
 * the answer has come.
 */
extern bool channel_poll(ChannelJob *job, bool (*answered) (ChannelJob *job));

/*
 * Return true if the device reads the buffer pool's page at `offset` in place;
 * if not, request that its chunks be attached.
 */
extern bool channel_want_page(uint64 offset);

/* Free an abandoned job slot if its state word is still `word`. */
extern void channel_free_abandoned(Channel *channel, int number, uint32 word);

/* Free everything that abandoned jobs hold, and wake all owners, after the end of the GPU process. */
extern void channel_helper_gone(void);

/* Return the checksum of a result's header and of its groups, which take `words` words. */
extern uint64 channel_checksum(const ChannelResult *result, const uint64 *groups, uint32 words);

/* Return the checksum of `n` words. */
extern uint64 channel_sum(const uint64 *words, uint32 n);

/* Return the index of the chunk that contains the byte at `offset` of the buffer pool, which begins at `pool`. */
static inline uint64
channel_chunk(const uint8 *pool, uint64 offset, uint64 chunk_bytes)
{
	return ((uintptr_t) pool % CHANNEL_CHUNK_ALIGNMENT + offset) / chunk_bytes;
}

/* Tell the GPU process that more page batches follow at once, or that it need not wait for more. */
extern void channel_set_more(ChannelJob *job, bool more);

/* Wake the GPU process if it sleeps. */
extern void channel_ring_doorbell(Channel *channel);

#endif							/* GPUDB_DEVICE_CHANNEL_H */
