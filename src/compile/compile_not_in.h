/*
 * compile_not_in.h
 *		x NOT IN (SELECT ...) as a join with a table of the subplan's rows.
 */
#ifndef GPUDB_COMPILE_COMPILE_NOT_IN_H
#define GPUDB_COMPILE_COMPILE_NOT_IN_H

#include "postgres.h"

#include "compile/compile.h"

/* The subplan of a filter that is such a NOT IN, and has the same rows for all rows; NULL if it is none. */
extern const SubPlan *not_in_subplan(const Node *filter);

/*
 * The join, whose columns have names of their own in the place of the
 * subplan's parameters; false if the conditions are of a kind that is not
 * known to be NULL where something is.
 */
extern bool not_in_request(const SubPlan *subplan, JoinRequest *request);

#endif							/* GPUDB_COMPILE_COMPILE_NOT_IN_H */
