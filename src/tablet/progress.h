/*
 * progress.h
 *		How far prewarming has come, for others to see.
 */
#ifndef GPUDB_TABLET_PROGRESS_H
#define GPUDB_TABLET_PROGRESS_H

#include "postgres.h"

#include "utils/rel.h"
#include "utils/timestamp.h"

#define PROGRESS_PLACES 64

typedef struct Progress
{
	int32		pid;			/* 0: nobody */
	Oid			database;
	Oid			relation;
	TimestampTz began;
	uint32		ntablets;
	uint32		ndone;
} Progress;

/* Reserve shared memory (at library load), then attach to it. */
extern void progress_request_shmem(void);
extern void progress_attach_shmem(void);

/* Begin with so many tablets of a relation, at this one, or go on with them; nothing if there is no place left. */
extern void progress_set(Relation relation, uint32 ntablets, uint32 ndone);

/* This process has ended it; never fails. */
extern void progress_clear(void);

/* What is at a place, as of some moment. */
extern Progress progress_at(int place);

#endif							/* GPUDB_TABLET_PROGRESS_H */
