/*
 * jit_cost.h
 *		Decides whether PostgreSQL's JIT pays for the part of a plan that PostgreSQL itself executes.
 */
#ifndef GPUDB_EXEC_JIT_COST_H
#define GPUDB_EXEC_JIT_COST_H

#include "postgres.h"

#include "nodes/plannodes.h"

/*
 * Set the JIT flags of a statement with gpudb nodes by the cost of its other
 * nodes; the flags of a statement without any are left unchanged.
 */
extern void jit_set_flags(PlannedStmt *stmt);

/* Return the JIT flags that PostgreSQL gives a plan of this cost under the session's settings. */
extern int	jit_flags_of_cost(Cost cost);

#endif							/* GPUDB_EXEC_JIT_COST_H */
