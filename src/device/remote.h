/*
 * remote.h
 *		A job whose page batches go to the GPU process: interface between
 *		device_remote.c and its parts.
 */
#ifndef GPUDB_DEVICE_REMOTE_H
#define GPUDB_DEVICE_REMOTE_H

#include "postgres.h"

#include "portability/instr_time.h"

#include "device/channel.h"
#include "device/pulse.h"

typedef enum ItemState
{
	ITEM_FREE,
	ITEM_TAKEN,					/* held by the caller, who fills it in or has collected it */
	ITEM_UNSENT,				/* waiting for room at the GPU process */
	ITEM_REMOTE,				/* sent to the GPU process */
	ITEM_WAITING,				/* waiting for a free item of the CPU device */
	ITEM_LOCAL,					/* submitted to the CPU device */
	ITEM_DONE,
	ITEM_STATES
} ItemState;

typedef struct RemoteItem
{
	DeviceWork	work;			/* first member: a pointer to the work is a pointer to the item */
	ItemState	state;
	ChannelPages *page_batch;		/* the page batch that was sent to the GPU process */
	DeviceWork *local;			/* the CPU device's item, until this one is released */
	bool		retold;			/* the GPU process did not know the shelves of its tablets: they are described again */
	/* members for an answer of the GPU process */
	Tablet	   *header;			/* tablet header that callers read if there are no columns */
	Tablet	   *columns;		/* the whole tablet, with columns */
	uint64		columns_capacity;	/* bytes allocated for columns */
	uint32	   *rows;
	uint64		rows_capacity;	/* bytes allocated for rows */
	uint8	   *output;
	uint64		output_capacity;
} RemoteItem;

typedef struct RemoteJob
{
	JobSpec		spec;
	DeviceJob  *local;
	ChannelJob *slot;			/* NULL: the CPU device runs what is left */
	JobReport	report;
	int			count[ITEM_STATES];
	Pulse		pulse;			/* heartbeats of the GPU process */
	instr_time	news;			/* time of the last result */
	bool		resident;		/* groups are in the device-resident group table */
	bool		drained;		/* all wanted groups of the device-resident group table have been received */
	bool		mixed;			/* the CPU device has groups, too */
	bool		again;			/* a run preceded the present one */
	GroupTop	top;			/* selects the groups that are wanted */
	uint64		received;		/* number of groups received so far from the device-resident group table */
	ChannelPages *groups[CHANNEL_GROUP_PAGE_BATCHES];	/* page batches for groups, the first also for rows; or NULL */
	bool		lost;			/* groups or rows of the GPU process are lost */
	bool		ending;			/* the job is cancelled or being closed */
	instr_time	ends;			/* time when `ending` was set */
	struct RemoteJob *next;		/* next open job of this process */
	RemoteItem	item[CHANNEL_JOB_PAGE_BATCHES];
} RemoteJob;

/* device_remote.c */

extern void remote_set_state(RemoteJob *job, RemoteItem *item, ItemState state);

/*
 * Let the CPU device run an item for the reason `why`; the job is lost instead
 * if no other device can run it (spec.no_other).
 */
extern void remote_leave_to_cpu(RemoteJob *job, RemoteItem *item, DeviceStatus why);

/* Give back the job slot early, and report it with a message if the GPU process has failed. */
extern void remote_give_up(RemoteJob *job, DeviceStatus why);

/* Wait for the GPU process, which alone has items of the job, or give it up. */
extern void remote_wait(RemoteJob *job);

extern int	remote_ms_since(instr_time then);

/* remote_describe.c */

/* Return how many of the first cached tablets, at most n, fit in one page batch. */
extern uint32 remote_tablets_that_fit(const RemoteJob *job, const CachedRows *rows, uint32 n);

/* Return true if the work's pages or tablets fit in a page batch, as they would be described now. */
extern bool remote_fits(const RemoteJob *job, const DeviceWork *work);

/* Describe an item that fits in a page batch; return false if there is no room for copied pages. */
extern bool remote_describe(const RemoteJob *job, const RemoteItem *item, ChannelPages *page_batch);

/* Mark the shelves of an item as unknown to the GPU process, so that they are described again. */
extern void remote_forget_shelves(const RemoteItem *item);

/* remote_results.c */

/* Log a damaged answer, and give up the GPU process. */
extern void remote_note_damage(RemoteJob *job);

/* Take all results that are ready. */
extern void remote_take_results(RemoteJob *job);

/*
 * Fetch the groups that are ready from the device-resident group table; return
 * STATUS_TIME_SLICE if more are to come.
 */
extern DeviceStatus remote_drain(RemoteJob *job);

/*
 * Take a page batch with result slots for `words` words, or for fewer if not
 * all are free; return NULL if none are free.
 */
extern ChannelPages *remote_take_result_slots(const RemoteJob *job, uint64 words);

/* Free the page batches with result slots; the GPU process must not use them any more. */
extern void remote_free_result_slots(RemoteJob *job);

/* remote_materialized.c: functions of the Device interface for materialized rows */
extern MaterializedTable *remote_keep(DeviceJob *device_job, MaterializedPlan *plan, SharedTable *shared);
extern void remote_drop(MaterializedTable *table);
extern bool remote_sort(DeviceJob *device_job, const MaterializedSort *sort);
extern MaterializedTable *remote_hold(DeviceJob *device_job, SharedTable *shared);
extern bool remote_fetch(DeviceJob *device_job, uint32_t first, uint32_t nrows, MaterializedPart *part);

/* Return true if this process has tables or sorted rows on the device, each of which occupies a job slot. */
extern bool remote_has_tables(void);

#endif							/* GPUDB_DEVICE_REMOTE_H */
