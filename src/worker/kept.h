/*
 * kept.h
 *		Rows that the provider keeps for jobs, and tables of them, which other jobs look into.
 *
 * They are a slot's, by its use, and of those jobs besides that use them.
 * Like all of the helper this calls none of PostgreSQL's functions.
 */
#ifndef GPUDB_WORKER_KEPT_H
#define GPUDB_WORKER_KEPT_H

#include "postgres.h"

#include "device/channel.h"

/* Have room for a job's rows, if its program keeps some; false when there is none. */
extern bool kept_open(const Provider *provider, int slot, const ChannelJob *job, uint32 word, const ProviderJob *own);

/* Where batches of a slot's job keep rows; NULL = nowhere. */
extern ProviderKept *kept_rows(int slot);

/* The owner has gone; they stay as long as others use them. */
extern void kept_close(int slot);

/* Whether a slot's owner wants a table, or rows, or these in order; of none the job has sent no windows, and may not be open yet. */
extern bool kept_asked(ChannelJob *job);

/* Go on with what a slot's owner wants, no batch being in flight; whether there was something to do. */
extern bool kept_serve(Channel *channel, int slot);

/* A table of this number, for one more user; NULL if there is none. */
extern ProviderKept *kept_use(uint64 number, uint32 database);

/* The same of rows in order, as many as are said to be. */
extern ProviderKept *kept_use_sorted(const KeptSource *source, uint32 database);
extern void kept_leave(uint64 number);

#endif							/* GPUDB_WORKER_KEPT_H */
