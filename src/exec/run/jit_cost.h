/*
 * jit_cost.h
 *		Decides whether PostgreSQL's JIT pays for the part of a plan that PostgreSQL itself executes.
 */
#ifndef GPUDB_EXEC_RUN_JIT_COST_H
#define GPUDB_EXEC_RUN_JIT_COST_H

#include "postgres.h"

#include "nodes/plannodes.h"

/*
 * Set the JIT flags of a statement with gpudb nodes by the cost of its other
 * nodes, and clear the flags of any statement for which compiling takes longer
 * than compiled expressions can save.  A statement that is not to be compiled
 * stays so, and jit_above_cost = 0 compiles all.
 */
extern void jit_set_flags(PlannedStmt *stmt);

/* Return the JIT flags for a node's fallback plan, which the statement's flags do not count. */
extern int	jit_flags_of_fallback(const Plan *plan);

#endif							/* GPUDB_EXEC_RUN_JIT_COST_H */
