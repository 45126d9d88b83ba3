/*
 * compile_not_in.h
 *		x NOT IN (SELECT ...) as an anti join with a join table of the subplan's rows.
 */
#ifndef GPUDB_COMPILE_COMPILE_NOT_IN_H
#define GPUDB_COMPILE_COMPILE_NOT_IN_H

#include "postgres.h"

#include "compile/compile.h"

/* Return the subplan of a filter NOT (x op ANY (SELECT ...)) without parameters of the outer row, else NULL. */
extern const SubPlan *not_in_subplan(const Node *filter);

/*
 * Build the join for a subplan, with Vars of a relation of its own in place of
 * the subplan's parameters.  Returns false if a condition is not known to be
 * NULL whenever either side is.
 */
extern bool not_in_request(const SubPlan *subplan, JoinRequest *request);

#endif							/* GPUDB_COMPILE_COMPILE_NOT_IN_H */
