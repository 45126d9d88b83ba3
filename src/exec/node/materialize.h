/*
 * materialize.h
 *		Runs that materialize on the GPU what a GpuScan or GpuJoin returns.
 */
#ifndef GPUDB_EXEC_NODE_MATERIALIZE_H
#define GPUDB_EXEC_NODE_MATERIALIZE_H

#include "postgres.h"

#include "exec/run/node.h"

/* Materialize the columns `keep` of a node's result on the GPU: NodeMethods.materialize. */
extern bool materialize_rows(PlanState *ps, const JoinUse *keep, MaterializedTaker take, void *arg);

#endif							/* GPUDB_EXEC_NODE_MATERIALIZE_H */
