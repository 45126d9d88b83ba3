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

#include "core/deform.h"
#include "core/hashtable.h"
#include "core/program.h"

/* How columns are made, in the narrow and in the wide form of decimals. */
typedef struct DeformSpec
{
	const DeformPlan *plan[2];
	const uint16_t *types[2];	/* ColType of each column */
	const bool *not_null;		/* of each column: the program relies on it */
	uint32_t	missing_text;	/* bytes of text that missing values may add to a row */
} DeformSpec;

typedef struct JobSpec
{
	const Program *program;
	const DeformSpec *deform;
	uint64_t	memory_limit;	/* bytes of group tables of all threads */
	int			threads;		/* besides the caller's */
	int32_t		yield_after;	/* tests: see VmRun; -1 = never */
	bool		(*interrupted) (void);	/* whether the query is to end; asked by any thread, often */
} JobSpec;

typedef enum WorkStage
{
	STAGE_DEFORM,				/* from pages on */
	STAGE_RUN					/* the tablet is complete */
} WorkStage;

typedef struct DeviceWork
{
	const PageList *pages;		/* in */
	void	   *owner;			/* in: the caller's, untouched */
	WorkStage	stage;			/* in */
	DeviceStatus status;		/* out; NEEDS_PATCH: patch the tablet, submit again at STAGE_RUN */
	Tablet	   *tablet;			/* out: until the item is submitted again or released */
	uint32_t   *rows;			/* out: row numbers that passed, in order */
	uint32_t	nrows;
} DeviceWork;

typedef struct JobTimes
{
	uint64_t	deform_ns;		/* of all threads together */
	uint64_t	run_ns;
} JobTimes;

typedef struct DeviceJob DeviceJob;

typedef struct Device
{
	const char *name;			/* as users see it */

	/* Start a job; NULL when memory is short.  The spec must outlive it. */
	DeviceJob  *(*open) (const JobSpec *spec);

	/* A free work item, or NULL when all are in use. */
	DeviceWork *(*acquire) (DeviceJob *job);

	/* Hand an item to the device; returns at once. */
	void		(*submit) (DeviceJob *job, DeviceWork *work);

	/* A finished item; with `wait` NULL only when nothing is in flight. */
	DeviceWork *(*collect) (DeviceJob *job, bool wait);

	/* Give an item back after collecting it. */
	void		(*release) (DeviceJob *job, DeviceWork *work);

	/* More room in the variable-width area of a collected item; false when memory is short. */
	bool		(*enlarge) (DeviceWork *work, uint64_t more_bytes);

	/* After the last item: one table of all groups, owned by the job.  TIME_SLICE asks to be called again. */
	DeviceStatus (*finish) (DeviceJob *job, const GroupTable **groups);

	/* What the job has taken so far. */
	void		(*times) (const DeviceJob *job, JobTimes *times);

	/* Cancel what is queued, wait for what runs, free everything. */
	void		(*close) (DeviceJob *job);
} Device;

#endif							/* GPUDB_CORE_DEVICE_API_H */
