/*
 * scroll.h
 *		Cursors that can scroll backward because their plan can.
 */
#ifndef GPUDB_PLAN_SCROLL_H
#define GPUDB_PLAN_SCROLL_H

#include "postgres.h"

#include "nodes/parsenodes.h"
#include "nodes/plannodes.h"

/*
 * Return true if a cursor over a query with these options can scroll backward
 * if its plan can, and PostgreSQL's plan may be one that can.  The planner
 * changes the query, so call this before it.
 */
extern bool scrolls_by_plan(const Query *query, int options);

/*
 * Make a finished plan with gpudb nodes scroll backward: where it cannot, put
 * a Material at its top that stores the rows.
 */
extern void scroll_keep_rows(PlannedStmt *stmt);

#endif							/* GPUDB_PLAN_SCROLL_H */
