/*
 * params.h
 *		Values of parameters and stable expressions when a run starts.
 *
 * A program needs the values of the subplans (InitPlans) that its expressions
 * refer to, but PostgreSQL runs a subplan only when some row asks for its
 * value, and perhaps never: one that fails must fail only then.  So
 * PostgreSQL looks at the first rows itself until they have asked.
 */
#ifndef GPUDB_EXEC_NODE_PARAMS_H
#define GPUDB_EXEC_NODE_PARAMS_H

#include "postgres.h"

#include "exec/run/node.h"

/* Collect the numbers of the PARAM_EXECs in the node's request; called once, when the node is initialized. */
extern void params_find(GpuNode *node);

/* Return true if a PARAM_EXEC of the node belongs to a subplan that has not run yet. */
extern bool params_wait(const GpuNode *node);

/*
 * Let PostgreSQL compute filters, keys and arguments of the first rows until
 * the subplans have run.  Return true when they have, or when no row of the
 * relation asks for them; false, after noting the fallback, when that takes too
 * many rows.
 */
extern bool params_probe(GpuNode *node);

/* Return the value of an expression, as the compiler's ValueLookup; NULL for a subplan that no row asks for. */
extern Const *param_value(void *arg, Expr *expr);

#endif							/* GPUDB_EXEC_NODE_PARAMS_H */
