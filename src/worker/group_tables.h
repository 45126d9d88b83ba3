/*
 * group_tables.h
 *		Groups that the provider keeps for jobs, and handing them out.
 *
 * Like all of the helper this calls none of PostgreSQL's functions.
 */
#ifndef GPUDB_WORKER_GROUP_TABLES_H
#define GPUDB_WORKER_GROUP_TABLES_H

#include "postgres.h"

#include "device/channel.h"

/* A job's groups, in a table that those that help it share. */
typedef struct JobGroups
{
	struct GroupTables *shared; /* NULL as long as groups go with their batches */
	uint32		drained;		/* of these */
	bool		done;			/* all of them */
} JobGroups;

/* Groups that were read: hashes, rows and texts, so many words. */
typedef struct ReadGroups
{
	uint64	   *at;
	uint32		words;
} ReadGroups;

/* Have the groups of one that helps another, or of that one itself, kept from now on; false if there is no table to be had. */
extern bool group_tables_open(const Provider *provider, JobGroups *groups, JobGroups *head, const ProviderJob *job);

/* The job has ended. */
extern void group_tables_close(JobGroups *groups);

/* Where groups are kept; NULL = nowhere. */
extern ProviderTable *group_tables_of(const JobGroups *groups);

/* Whether the owner of a slot, none of whose batches is in flight, wants groups now, and there is a place for them. */
extern bool group_tables_wanted(ChannelJob *job, const JobGroups *groups);

/*
 * Groups for the owner of a slot, who wants them, told of in a result.  DONE,
 * or DEVICE_DOWN, or BAD_PROGRAM if the room for them is none.
 */
extern DeviceStatus group_tables_read(Channel *channel, int slot, JobGroups *groups, uint32 row_words, ChannelResult *result,
									  ReadGroups *read);

#endif							/* GPUDB_WORKER_GROUP_TABLES_H */
