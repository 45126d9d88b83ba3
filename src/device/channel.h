/*
 * channel.h
 *		Shared memory between backends, the supervisor and the GPU process.
 *
 * The channel is a mapping of its own, made by the postmaster and inherited
 * by all.  A backend takes a job slot, writes what is to run, and hands
 * windows of pages to the helper through a ring; the helper answers through
 * the job's results.  Each word has one writer at a time, or is an atomic: no
 * lock is held here by anyone, since the helper may die at any moment.
 *
 * A slot with windows in flight is the helper's until it answers or is
 * reaped.  A backend that cannot wait leaves the slot abandoned, and the
 * helper, or the supervisor after the helper's end, frees it.
 *
 * The helper calls none of PostgreSQL's functions; of this header it uses the
 * structures and the atomics.
 */
#ifndef GPUDB_DEVICE_CHANNEL_H
#define GPUDB_DEVICE_CHANNEL_H

#include "postgres.h"

#include "port/atomics.h"

#include "core/provider_api.h"

#define CHANNEL_JOBS		64
#define CHANNEL_OWN_WINDOWS	2		/* a job's, that no other one takes: a small query does not wait for large ones */
#define CHANNEL_WINDOWS		(CHANNEL_JOBS * CHANNEL_OWN_WINDOWS + 512)
#define CHANNEL_COPIES		512	/* windows' worth of copied pages, or of values that go out */
#define CHANNEL_JOB_WINDOWS	32	/* of one job in flight: a power of two */
#define CHANNEL_JOB_RESULTS	4	/* batches of one job in flight */
#define CHANNEL_ROWS_WORDS	16384
#define CHANNEL_CHUNKS		4096

#define CHANNEL_GROUP_WINDOWS 2		/* of one job, for groups that were kept: one is filled while the other is looked at, */
#define CHANNEL_GROUP_ROOMS	8		/* with so many rooms in a row at most */

#define CHANNEL_NO_COPY		UINT16_MAX
#define CHANNEL_NO_ROOM		UINT16_MAX
#define CHANNEL_COPY_BYTES	(TABLET_WINDOW_PAGES * HEAP_PAGE_SIZE)

/* Chunks begin at huge pages. */
#define CHANNEL_CHUNK_ALIGNMENT ((uint64) 2 * 1024 * 1024)

/* A page's place: an offset into the buffer pool, or this bit and a number within the window's copy. */
#define CHANNEL_COPIED		((uint64) 1 << 63)

/* What the GPU process is at. */
typedef enum HelperState
{
	HELPER_OFF,					/* gpudb.provider = none, or the supervisor has not begun */
	HELPER_STARTING,
	HELPER_SERVING,
	HELPER_NO_DEVICE,			/* there is nothing to serve with */
	HELPER_DOWN,				/* it died and will be started again */
	HELPER_BROKEN				/* it died too often: the circuit breaker is open */
} HelperState;

/* The low bits of a slot's state word; the others count the slot's uses, so that one use is never taken for another. */
typedef enum ChannelJobState
{
	JOB_FREE,
	JOB_TAKEN,					/* by a backend, which fills it in */
	JOB_OPEN,
	JOB_ABANDONED				/* for the helper or the supervisor to free */
} ChannelJobState;

#define JOB_STATE(word)			((ChannelJobState) ((word) & 3))
#define JOB_WITH_STATE(word, to) (((word) & ~(uint32) 3) | (uint32) (to))
#define JOB_NEXT_USE(word)		((word) + 4)

typedef enum ChannelResultState
{
	RESULT_FREE,
	RESULT_BUSY,				/* the helper's */
	RESULT_READY				/* the backend's */
} ChannelResultState;

/* What becomes of the rows that a job keeps. */
typedef enum ChannelKeeping
{
	KEEPING_ROWS,
	KEEPING_ASKED,				/* the owner wants a table of them */
	KEEPING_TABLE,				/* which is there: others may name it by channel_family() of the job */
	KEEPING_WANTED,				/* the owner wants a part of them copied, after which they are ROWS again */
	KEEPING_SORT,				/* or all of them in order, likewise; others may name them then, as a table */
	KEEPING_FAILED
} ChannelKeeping;

/* Whether the owner waits for an answer. */
static inline bool
keeping_is_asked(ChannelKeeping keeping)
{
	return keeping == KEEPING_ASKED || keeping == KEEPING_WANTED || keeping == KEEPING_SORT;
}

/* A part of these rows, and where it goes, as kept_layout() has it. */
typedef struct ChannelPart
{
	uint32		first;			/* a multiple of 64 */
	uint32		nrows;
	uint16		room;			/* the rooms of this window; CHANNEL_NO_ROOM = the words of the first result */
	uint64		checksum;		/* out */
} ChannelPart;

/* What the owner of a job wants of the groups that were kept. */
typedef enum ChannelDraining
{
	DRAINING_NOTHING,			/* windows are to be answered yet */
	DRAINING_FIRST,				/* as many as a result holds, and how many there are */
	DRAINING_SMALL,				/* the others, in the same way */
	DRAINING_ROOMS				/* the others, in the rooms of windows that are in the ring */
} ChannelDraining;

/* What is in a window's room for values that go out. */
typedef enum ChannelOutput
{
	OUTPUT_NONE,
	OUTPUT_WANTED,				/* nothing yet */
	OUTPUT_NARROW,				/* values of the rows that passed; of a program that aggregates, the columns of all, as a tablet */
	OUTPUT_WIDE					/* with decimals of 128 bits */
} ChannelOutput;

/*
 * A column of a cached tablet: its number, and how it is stored, with offsets
 * from the start of what cached tablets share, which of texts the base is, too.
 */
typedef struct ChannelColumn
{
	uint64		number;
	uint64		text_bytes;		/* of a text column */
	TabletColumn stored;
} ChannelColumn;

/* A cached tablet. */
typedef struct ChannelTablet
{
	uint32		nrows;
	uint32		selected;		/* where, in words from the list's start, the bitmap of rows that count is; 0 = all do */
	ChannelColumn column[];		/* as many as the program has */
} ChannelTablet;

/*
 * Ahead of cached tablets: of which shelf they are.  The helper may remember
 * one that has a number (CachedShelf): its tablets follow only once, and then
 * all of them, whether wanted or not.  Of none, number 0, those that are wanted
 * follow, each with its bitmap behind it.
 */
typedef struct ChannelShelf
{
	uint64		number;
	uint32		ntablets;		/* of the shelf; of none, that follow */
	uint32		wanted;			/* of a shelf: a bit each */
	uint32		described;		/* of a shelf: they follow */
	uint32		unused;
	uint64		first[];		/* of a shelf: the numbers of its first tablet's columns */
} ChannelShelf;

#define CHANNEL_LIST_WORDS	5632	/* for two shelves of tablets with seven columns */
#define CHANNEL_LIST_TABLETS 64		/* wanted ones */

/* 64 pages and the tuples to read, or cached tablets; read in place by the device. */
typedef struct ChannelWindow
{
	pg_atomic_uint32 owner;		/* job number + 1; 0 = free */
	uint32		npages;
	uint32		ntablets;		/* wanted, instead of pages; of a job that has a source, 0: the window is all its rows; */
	uint32		nshelves;		/* of so many shelves, one behind the other in the list */
	uint32		nrows;
	uint16		copy;			/* where copied pages are, or CHANNEL_NO_COPY; */
	uint16		room;			/* where values go out, or likewise: of as many bytes, */
	uint16		nrooms;			/* so many times */
	uint16		passed_shift;	/* out: the first row's bit in `passed` */
	uint16		output;			/* in and out: ChannelOutput */
	union
	{
		struct
		{
			uint64		page[TABLET_WINDOW_PAGES];
			uint16		ntuples[TABLET_WINDOW_PAGES];
			uint8		every[TABLET_WINDOW_PAGES]; /* the tuples are 1 to ntuples, and not listed */
			uint16		offsets[TABLET_WINDOW_PAGES][HEAP_MAX_TUPLES];
			uint8		passed[TABLET_WINDOW_PAGES * HEAP_MAX_TUPLES / 8 + 8];	/* out: a bit a row */
		};
		uint64		list[CHANNEL_LIST_WORDS];
	};
} ChannelWindow;

/* Words of a list that a tablet of so many columns takes, without its bitmap. */
static inline uint32
channel_tablet_words(uint32 ncolumns)
{
	return (uint32) ((sizeof(ChannelTablet) + ncolumns * sizeof(ChannelColumn)) / sizeof(uint64));
}

/* Words of what stands ahead of a shelf's tablets of so many columns, or, with 0, of those of none. */
static inline uint32
channel_shelf_words(uint32 ncolumns)
{
	return (uint32) (sizeof(ChannelShelf) / sizeof(uint64)) + ncolumns;
}

/* What became of a batch. */
typedef struct ChannelResult
{
	pg_atomic_uint32 state;
	uint32		status;			/* DeviceStatus */
	uint32		nwindows;		/* 0: of the groups that were kept */
	uint16		window[BATCH_WINDOWS];
	int32		failed_column;
	uint32		kept;			/* the helper keeps the groups of these windows */
	uint32		total;			/* of the groups that were kept: how many there are, */
	uint32		left_out;		/* without those that cannot be among the first */
	uint32		ngroups;
	uint16		room;			/* in the rooms of this window; CHANNEL_NO_ROOM = they are here */
	uint32		text_bytes;		/* of the groups: a multiple of 8 */
	JobTimes	times;
	uint64		checksum;		/* of the groups */
	int32		max_scale[PROGRAM_MAX_COLUMNS];
	uint64		rows[CHANNEL_ROWS_WORDS];	/* ngroups hashes, then ngroups rows, then their texts */
} ChannelResult;

typedef struct ChannelJob
{
	pg_atomic_uint32 state;		/* ChannelJobState and use */
	uint32		incarnation;	/* of the helper that is to serve it */
	int32		owner;			/* process */
	uint32		database;
	uint64		family;			/* channel_family() of the job whose table groups go to; 0 = its own */
	pg_atomic_uint32 waiting;	/* the owner sleeps and wants a signal */
	pg_atomic_uint32 cancelled;
	pg_atomic_uint32 more;		/* the owner is about to submit another window: those that wait need not begin yet */
	pg_atomic_uint32 draining;	/* ChannelDraining */
	GroupTop	top;			/* groups that are wanted then */
	pg_atomic_uint32 submitted; /* windows put into the ring, ever */
	pg_atomic_uint32 taken;		/* out of it */
	uint16		ring[CHANNEL_JOB_WINDOWS];
	ChannelResult result[CHANNEL_JOB_RESULTS];
	bool		many_groups;	/* as in JobSpec */
	uint32		keep_most;		/* rows that may be kept, of a program that keeps some, */
	pg_atomic_uint32 keeping;	/* ChannelKeeping */
	KeptPlan	plan;			/* in and out: what becomes of them, */
	ChannelPart part;			/* or what is wanted of them, */
	KeptSort	sort;			/* or by what they are to be sorted */
	KeptSource	source;			/* sorted rows that windows are of */
	uint32		ntables;		/* of the program's joins */
	SharedTable table[PROGRAM_MAX_TABLES];
	uint32		image_size;
	uint64		image[JOB_IMAGE_MOST / 8];
} ChannelJob;

typedef struct Channel
{
	/* the helper's, set by the supervisor and by itself */
	pg_atomic_uint32 state;		/* HelperState */
	pg_atomic_uint32 incarnation;	/* of the helper that serves, from 1 on */
	pg_atomic_uint64 heartbeat;
	int32		helper;			/* its process */
	char		provider[32];
	ProviderState provider_state;
	uint64		batches;		/* run by this helper */
	uint32		starts;			/* of helpers, ever */
	char		said[PROVIDER_TEXT];	/* how the last one ended */

	/* waking the helper */
	pg_atomic_uint32 doorbell;
	pg_atomic_uint32 sleeping;

	/* backends that look for their answers all the time instead of sleeping */
	pg_atomic_uint32 pollers;

	/* calibration: what is asked of the helper itself, and how far it has answered */
	pg_atomic_uint32 pings;
	pg_atomic_uint32 pongs;
	pg_atomic_uint32 rates_wanted;
	pg_atomic_uint32 rates_measured;
	ProviderRates rates;

	/* the buffer pool in chunks: which ones the device can read in place */
	uint64		chunk_bytes;
	pg_atomic_uint32 chunk_wanted[CHANNEL_CHUNKS];
	pg_atomic_uint32 chunk_attached[CHANNEL_CHUNKS];

	/* tests */
	volatile ProviderFault fault;	/* of the provider's calls of its library */
	volatile uint32 sites;
	volatile ProviderFault answer_fault;	/* of answers: see worker/debug_fault.c */
	volatile uint32 answers;

	ChannelJob	job[CHANNEL_JOBS];

	/* from here on read by the device */
	uint16		every_tuple[HEAP_MAX_TUPLES + 1] pg_attribute_aligned(4096);	/* 1, 2, ... */
	ChannelWindow window[CHANNEL_WINDOWS];
	uint8		copies[CHANNEL_COPIES][TABLET_WINDOW_PAGES][HEAP_PAGE_SIZE] pg_attribute_aligned(4096);
	pg_atomic_uint32 copy_owner[CHANNEL_COPIES];	/* window number + 1; 0 = free */
} Channel;

/* Make the mapping, in the postmaster; a new one after a crash. */
extern void channel_create(void);

/* The channel, or NULL when the library was not preloaded. */
extern Channel *channel_get(void);

/* Whether a helper serves. */
extern bool channel_serving(void);

/*
 * Take a slot and open a job in it.  Waits for a slot so many milliseconds.
 * NULL, with the reason, if there is none.
 */
extern ChannelJob *channel_open_job(const JobSpec *spec, int patience, DeviceStatus *why);

/* A slot in this use, as a number: slot + 1 and its state word. */
extern uint64 channel_family(const ChannelJob *job);

/* Free a slot; with windows in flight, or groups, it is abandoned, and the helper frees it. */
extern void channel_close_job(ChannelJob *job, bool in_flight);

/* Whether the helper that the job was meant for still serves. */
extern bool channel_job_alive(const ChannelJob *job);

/* A window for the job to fill, one of its own if it can be, or NULL when none is free. */
extern ChannelWindow *channel_take_window(ChannelJob *job);

/* Room for copies of the window's pages; false when none is left. */
extern bool channel_take_copy(ChannelWindow *window);

/* The same for values of its rows; half of all room is left to pages, which have no other way. */
extern bool channel_take_output(ChannelWindow *window);

/* The same for groups: so many rooms at most, one at least, in a row. */
extern bool channel_take_rooms(ChannelWindow *window, uint32 most);
extern void channel_free_window(ChannelWindow *window);

/* Hand a window to the helper; the ring has room for all that a job may have. */
extern void channel_submit(ChannelJob *job, ChannelWindow *window);

/* Ask for groups that were kept; windows with rooms have been submitted before. */
extern void channel_drain(ChannelJob *job, ChannelDraining what);

/* A batch that is ready, or NULL. */
extern ChannelResult *channel_ready_result(ChannelJob *job);

/* Give a result back, with its windows looked at or freed. */
extern void channel_return_result(ChannelJob *job, ChannelResult *result);

/* Sleep until the helper has news for the job, at most so long. */
extern void channel_wait(ChannelJob *job, int milliseconds);

/*
 * Look for the helper's answer to what was asked by a word of the slot: for
 * some 10 us, and up to 2.5 ms unless enough others do.  Whether it is there.
 */
extern bool channel_poll(ChannelJob *job, bool (*answered) (ChannelJob *job));

/* Whether the device reads this page of the buffer pool in place; if not, it is asked to. */
extern bool channel_want_page(uint64 offset);

/* Free an abandoned slot whose state word is this, unless it has changed. */
extern void channel_free_abandoned(Channel *channel, int number, uint32 word);

/* Free whatever abandoned jobs hold, and wake all owners: the helper is gone. */
extern void channel_helper_gone(void);

/* The checksum of a result: its header, and its groups, so many words. */
extern uint64 channel_checksum(const ChannelResult *result, const uint64 *groups, uint32 words);

/* The same of so many words. */
extern uint64 channel_sum(const uint64 *words, uint32 n);

/* The chunk of the buffer pool, which begins at `pool`, that an offset into it falls into. */
static inline uint64
channel_chunk(const uint8 *pool, uint64 offset, uint64 chunk_bytes)
{
	return ((uintptr_t) pool % CHANNEL_CHUNK_ALIGNMENT + offset) / chunk_bytes;
}

/* Tell the helper that more windows follow at once, or that it need not wait for more. */
extern void channel_set_more(ChannelJob *job, bool more);

/* Wake the helper, if it sleeps. */
extern void channel_ring_doorbell(Channel *channel);

#endif							/* GPUDB_DEVICE_CHANNEL_H */
