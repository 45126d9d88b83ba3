/*
 * remote.h
 *		A job whose windows go to the GPU process, between device_remote.c and its parts.
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
	ITEM_TAKEN,					/* by the caller: being filled, or collected */
	ITEM_UNSENT,				/* for the helper, as soon as there is room */
	ITEM_REMOTE,				/* with the helper */
	ITEM_WAITING,				/* for the CPU device */
	ITEM_LOCAL,					/* with the CPU device */
	ITEM_DONE,
	ITEM_STATES
} ItemState;

typedef struct RemoteItem
{
	DeviceWork	work;			/* first: the caller's pointer is the item's */
	ItemState	state;
	ChannelWindow *window;		/* with the helper */
	DeviceWork *local;			/* the CPU device's item, until this one is released */
	bool		retold;			/* the helper did not know its tablets' shelves: they are being described again */
	/* of an answer from the helper */
	Tablet	   *header;			/* what callers read of a tablet */
	Tablet	   *columns;		/* all of it */
	uint64		columns_capacity;	/* bytes */
	uint32	   *rows;
	uint64		rows_capacity;	/* bytes, as of outputs */
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
	Pulse		pulse;			/* the helper's */
	instr_time	news;			/* when the last result came */
	bool		kept;			/* groups are with the helper */
	bool		drained;		/* and all of them here that are wanted */
	bool		mixed;			/* the CPU device has some, too, */
	bool		again;			/* since there was a run before this one */
	GroupTop	top;			/* that are wanted */
	uint64		received;		/* of them so far */
	ChannelWindow *groups[CHANNEL_GROUP_WINDOWS];	/* rooms for them, the first one also for rows; NULL = none */
	bool		lost;			/* or gone */
	bool		ending;			/* cancelled, or being closed, */
	instr_time	ends;			/* since then */
	struct RemoteJob *next;		/* open jobs of this process */
	RemoteItem	item[CHANNEL_JOB_WINDOWS];
} RemoteJob;

/* device_remote.c */

extern void remote_set_state(RemoteJob *job, RemoteItem *item, ItemState state);

/* Have the CPU device run a window. */
extern void remote_leave_to_cpu(RemoteJob *job, RemoteItem *item, DeviceStatus why);

/* Give back the slot, and tell the user when it is the GPU process that fails. */
extern void remote_give_up(RemoteJob *job, DeviceStatus why);

/* Only the helper has something in hand: wait for it, or give it up. */
extern void remote_wait(RemoteJob *job);

extern int	remote_ms_since(instr_time then);

/* remote_describe.c */

/* Of so many cached tablets the first ones that one window has room for. */
extern uint32 remote_tablets_that_fit(const RemoteJob *job, const CachedRows *rows, uint32 n);

/* Whether a window has room for a work's pages or tablets, as they are to be described now. */
extern bool remote_fits(const RemoteJob *job, const DeviceWork *work);

/* Describe what an item has, which fits; false when there is no room for copied pages. */
extern bool remote_describe(const RemoteJob *job, const RemoteItem *item, ChannelWindow *window);

/* The helper does not know shelves of an item's any more: they are to be described again. */
extern void remote_forget_shelves(const RemoteItem *item);

/* remote_results.c */

/* The helper has said what it cannot have meant: tell the log, and give it up. */
extern void remote_note_damage(RemoteJob *job);

/* Take all results that are ready. */
extern void remote_take_results(RemoteJob *job);

/* Fetch groups that the helper has kept, as far as they are ready; TIME_SLICE when more are to come. */
extern DeviceStatus remote_drain(RemoteJob *job);

/* Have so many words of rooms, or as many as there are, in a window of the job's; NULL if none are free. */
extern ChannelWindow *remote_take_rooms(const RemoteJob *job, uint64 words);

/* Free the rooms for them, which the helper has no more to do with. */
extern void remote_free_rooms(RemoteJob *job);

/* remote_kept.c: functions of the device, about rows that the helper keeps, */
extern KeptTable *remote_keep(DeviceJob *device_job, KeptPlan *plan, SharedTable *shared);
extern void remote_drop(KeptTable *table);
extern bool remote_sort(DeviceJob *device_job, const KeptSort *sort);
extern KeptTable *remote_hold(DeviceJob *device_job, SharedTable *shared);
extern bool remote_fetch(DeviceJob *device_job, uint32_t first, uint32_t nrows, KeptPart *part);

/* and whether this process has such tables, each of which has a slot. */
extern bool remote_has_tables(void);

#endif							/* GPUDB_DEVICE_REMOTE_H */
