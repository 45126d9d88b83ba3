/*
 * scroll.h
 *		Cursors that go backward because their plan can.
 */
#ifndef GPUDB_PLAN_SCROLL_H
#define GPUDB_PLAN_SCROLL_H

#include "postgres.h"

#include "nodes/parsenodes.h"
#include "nodes/plannodes.h"

/*
 * Whether the plan of a query with such cursor options decides whether its cursor goes backward, and PostgreSQL's plan may
 * be one that does.  The planner changes the query, so ask before.
 */
extern bool scrolls_by_plan(const Query *query, int options);

/* Have a finished plan with gpudb nodes go backward: where it cannot, a Material at its top keeps the rows. */
extern void scroll_keep_rows(PlannedStmt *stmt);

#endif							/* GPUDB_PLAN_SCROLL_H */
