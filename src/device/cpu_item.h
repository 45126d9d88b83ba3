/*
 * cpu_item.h
 *		The CPU device's jobs and work items, and running one.
 */
#ifndef GPUDB_DEVICE_CPU_ITEM_H
#define GPUDB_DEVICE_CPU_ITEM_H

#include <stdatomic.h>

#include "device/cpu_kernel.h"
#include "device/cpu_table.h"
#include "device/device.h"

#define MAX_THREADS		DEVICE_MAX_HELPERS

typedef enum ItemState
{
	ITEM_FREE,
	ITEM_TAKEN,					/* by the caller: being filled, or collected */
	ITEM_QUEUED,
	ITEM_RUNNING,
	ITEM_DONE
} ItemState;

typedef struct CpuItem
{
	DeviceWork	work;			/* first: the caller's pointer is the item's */
	ItemState	state;
	DeviceJob  *job;
	struct CpuItem *next;		/* in the queue or in the job's list of finished items */
	uint64_t	tablet_capacity;	/* bytes of work.tablet, */
	uint64_t	rows_capacity;	/* and of the others */
	uint64_t	matches_capacity;
	uint64_t	output_capacity;
	void		(*together) (void *arg, uint32_t part); /* no window, but a part of other work; NULL = a window */
	void	   *arg;
	uint32_t	part;
} CpuItem;

/* What one thread holds for a job. */
typedef struct CpuWorker
{
	bool		prepared;
	DeviceStatus status;		/* of preparing */
	uint64_t   *values;
	uint8_t    *nulls;
	CpuTable	table;
} CpuWorker;

struct DeviceJob
{
	JobSpec		spec;
	const CpuKernel *kernel;
	int			nitems;
	CpuItem    *items;
	CpuItem    *done;			/* finished, not collected */
	int			in_flight;		/* queued, running or done */
	atomic_bool cancelled;
	atomic_bool wide;			/* some window needed 128 bits: begin with that */
	TableBudget budget;			/* of all group tables */
	atomic_ullong deform_ns;
	atomic_ullong run_ns;
	int			merging;		/* finish(): the worker whose table is being merged, from 1 on */
	uint32_t	merge_next;		/* its next group */
	CpuWorker	worker[MAX_THREADS + 1];	/* 0 is the backend */
};

/* Run an item, as this thread of its job, 0 being the backend; its status tells what became of it. */
extern void cpu_item_run(CpuItem *item, int thread);

/* Scratch and tables of a thread, unless it has them; why not, if memory is short. */
extern DeviceStatus cpu_worker_prepare(DeviceJob *job, CpuWorker *worker);

/* Free what a thread holds for a job. */
extern void cpu_worker_free(DeviceJob *job, CpuWorker *worker);

#endif							/* GPUDB_DEVICE_CPU_ITEM_H */
