/*
 * group_tables.h
 *		Device-resident group tables of jobs, and returning their groups to backends.
 *
 * Like all code of the GPU process this calls none of PostgreSQL's functions.
 */
#ifndef GPUDB_WORKER_GROUP_TABLES_H
#define GPUDB_WORKER_GROUP_TABLES_H

#include "postgres.h"

#include "device/channel.h"

/* A job's use of a device-resident group table, which all jobs of a family share. */
typedef struct JobGroups
{
	struct GroupTables *shared; /* NULL while groups are returned with their GPU batches */
	uint32		drained;		/* number of groups returned so far */
	bool		done;			/* all groups have been returned, or returning them has failed */
} JobGroups;

/* Groups that were read: hashes, rows and texts. */
typedef struct ReadGroups
{
	uint64	   *at;
	uint32		words;			/* number of words at `at` */
} ReadGroups;

/*
 * Let a job's groups go to a device-resident group table from now on: to that of
 * the head of its family, which may be the job itself and gets one if it has
 * none.  Returns false if the provider cannot create a table.
 */
extern bool group_tables_open(const Provider *provider, JobGroups *groups, JobGroups *head, const ProviderJob *job);

/* End a job's use of its group table; the last user closes the table. */
extern void group_tables_close(JobGroups *groups);

/* Return the device-resident group table of a job, NULL if it has none. */
extern ProviderTable *group_tables_of(const JobGroups *groups);

/*
 * Return true if the owner of a slot requests groups now and there is a place
 * for them.  No GPU batch of the slot may be in flight.
 */
extern bool group_tables_wanted(ChannelJob *job, const JobGroups *groups);

/*
 * Read groups for the owner of a slot, who has requested them, and describe them
 * in a result.  Returns DONE, or DEVICE_DOWN, or BAD_PROGRAM if the result slots
 * that the owner has named are invalid.
 */
extern DeviceStatus group_tables_read(Channel *channel, int slot, JobGroups *groups, uint32 row_words, ChannelResult *result,
									  ReadGroups *read);

#endif							/* GPUDB_WORKER_GROUP_TABLES_H */
