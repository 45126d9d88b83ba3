/*
 * progress.h
 *		Progress of prewarming, shown to other processes.
 */
#ifndef GPUDB_TABLET_CACHE_PROGRESS_H
#define GPUDB_TABLET_CACHE_PROGRESS_H

#include "postgres.h"

#include "utils/rel.h"
#include "utils/timestamp.h"

#define PROGRESS_PLACES 64

typedef struct Progress
{
	int32		pid;			/* 0 = free slot */
	Oid			database;
	Oid			relation;
	TimestampTz began;
	uint32		ntablets;
	uint32		ndone;
} Progress;

/* Reserve shared memory for the slots (at library load), then attach to it. */
extern void progress_request_shmem(void);
extern void progress_attach_shmem(void);

/*
 * Set this process's progress to ndone of ntablets tablets of a relation, in a
 * slot taken by the first call; do nothing if no slot is free.
 */
extern void progress_set(Relation relation, uint32 ntablets, uint32 ndone);

/* Free this process's slot; never fails. */
extern void progress_clear(void);

/* Return a copy of the slot `place`, as of one instant. */
extern Progress progress_at(int place);

#endif							/* GPUDB_TABLET_CACHE_PROGRESS_H */
