/*
 * materialized.h
 *		Rows materialized on the device by jobs, and join tables made of them, which other jobs use.
 *
 * Materialized rows belong to one use of a job slot and to the jobs that use
 * them; the last of these closes them.  Like all code of the GPU process this
 * calls none of PostgreSQL's functions.
 */
#ifndef GPUDB_WORKER_MATERIALIZED_H
#define GPUDB_WORKER_MATERIALIZED_H

#include "postgres.h"

#include "device/channel.h"

/* Allocate memory for a job's rows on the device, if its program materializes rows; false if there is no room. */
extern bool materialized_open(const Provider *provider, int slot, const ChannelJob *job, uint32 word, const ProviderJob *own);

/* Return the materialized rows of a slot's job, NULL if it has none. */
extern ProviderMaterialized *materialized_rows(int slot);

/* End the owner's use of a slot's rows.  They remain as long as other jobs use them. */
extern void materialized_close(int slot);

/*
 * Return true if a slot's owner requests a join table, rows, or their sort.  If
 * no row was read, the job has sent no page batches and may not be open yet.
 */
extern bool materialized_asked(ChannelJob *job);

/* Continue with the request of a slot's owner, while no GPU batch of it is in flight; false if there is none. */
extern bool materialized_serve(Channel *channel, int slot);

/* Add a user to the join table with this number and return it; NULL if there is none. */
extern ProviderMaterialized *materialized_use(uint64 number, uint32 database);

/* Add a user to sorted rows and return them; NULL if there are none with this number and number of rows. */
extern ProviderMaterialized *materialized_use_sorted(const MaterializedSource *source, uint32 database);
extern void materialized_leave(uint64 number);

#endif							/* GPUDB_WORKER_MATERIALIZED_H */
