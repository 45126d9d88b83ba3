/*
 * cpu_item.h
 *		The jobs and work items of the CPU device, and the function that runs
 *		an item.
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
	ITEM_TAKEN,					/* held by the caller, who fills it in or has collected it */
	ITEM_QUEUED,
	ITEM_RUNNING,
	ITEM_DONE
} ItemState;

typedef struct CpuItem
{
	DeviceWork	work;			/* first member: a pointer to the work is a pointer to the item */
	ItemState	state;
	DeviceJob  *job;
	struct CpuItem *next;		/* next item in the queue or in the job's list of finished items */
	uint64_t	tablet_capacity;	/* bytes allocated for work.tablet */
	uint64_t	rows_capacity;	/* bytes allocated for work.rows */
	uint64_t	matches_capacity;
	uint64_t	output_capacity;
	void		(*together) (void *arg, uint32_t part); /* function of device_cpu_together(); NULL = run the program */
	void	   *arg;
	uint32_t	part;
} CpuItem;

/* State of one thread for a job. */
typedef struct CpuWorker
{
	bool		prepared;
	DeviceStatus status;		/* status of the preparation */
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
	CpuItem    *done;			/* list of items that are finished and not collected */
	int			in_flight;		/* number of items that are queued, running or done */
	atomic_bool cancelled;
	atomic_bool wide;			/* some page batch needed decimals of 128 bits: begin with them */
	TableBudget budget;			/* limit and use of all group tables */
	atomic_ullong deform_ns;
	atomic_ullong run_ns;
	int			merging;		/* finish(): number of the worker whose table is being merged, from 1 on */
	uint32_t	merge_next;		/* number of the next group to merge from that table */
	CpuWorker	worker[MAX_THREADS + 1];	/* worker 0 is the backend */
};

/* Run an item as thread number `thread` of its job, 0 being the backend, and store the outcome in its status. */
extern void cpu_item_run(CpuItem *item, int thread);

/*
 * Allocate a thread's scratch registers and group table unless it has them.
 * Returns STATUS_DONE or the reason of the failure, mostly
 * STATUS_MEMORY_LIMIT.
 */
extern DeviceStatus cpu_worker_prepare(DeviceJob *job, CpuWorker *worker);

/* Free all memory that a thread holds for a job. */
extern void cpu_worker_free(DeviceJob *job, CpuWorker *worker);

#endif							/* GPUDB_DEVICE_CPU_ITEM_H */
