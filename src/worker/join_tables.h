/*
 * join_tables.h
 *		Join tables as requesters describe them: their headers are copied into private memory and verified.
 *
 * Like all code of the GPU process this calls none of PostgreSQL's functions.
 */
#ifndef GPUDB_WORKER_JOIN_TABLES_H
#define GPUDB_WORKER_JOIN_TABLES_H

#include "postgres.h"

#include "device/channel.h"

/*
 * Return the join tables of a job's program, to be freed by join_tables_free(),
 * or NULL if one is invalid or gone, or memory is short.
 */
extern ProviderJoin *join_tables_read(const ChannelJob *job, const Program *program);
extern void join_tables_free(ProviderJoin *joins, uint32 n);

#endif							/* GPUDB_WORKER_JOIN_TABLES_H */
