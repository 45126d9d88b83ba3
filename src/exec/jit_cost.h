/*
 * jit_cost.h
 *		Whether PostgreSQL's JIT pays for what PostgreSQL itself executes of a plan.
 */
#ifndef GPUDB_EXEC_JIT_COST_H
#define GPUDB_EXEC_JIT_COST_H

#include "postgres.h"

#include "nodes/plannodes.h"

/*
 * Set the JIT flags of a statement with gpudb nodes by the cost of its other
 * nodes; those of a statement without any stay as they are.
 */
extern void jit_set_flags(PlannedStmt *stmt);

/* The flags that PostgreSQL gives a plan of some cost under the session's settings. */
extern int	jit_flags_of_cost(Cost cost);

#endif							/* GPUDB_EXEC_JIT_COST_H */
