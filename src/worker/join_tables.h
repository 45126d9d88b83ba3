/*
 * join_tables.h
 *		Tables of joins as requesters describe them, their heads read into private memory and verified.
 *
 * Like all of the helper this calls none of PostgreSQL's functions.
 */
#ifndef GPUDB_WORKER_JOIN_TABLES_H
#define GPUDB_WORKER_JOIN_TABLES_H

#include "postgres.h"

#include "device/channel.h"

/* The tables of a job's program; NULL if they are none, or memory is short, or a kept one is gone. */
extern ProviderJoin *join_tables_read(const ChannelJob *job, const Program *program);
extern void join_tables_free(ProviderJoin *joins, uint32 n);

#endif							/* GPUDB_WORKER_JOIN_TABLES_H */
