/*
 * what_if.h
 *		Estimates what a query loses because columns are not cached.
 *
 * A query that PostgreSQL answers today leaves no columns behind, so
 * PostgreSQL would answer it tomorrow, too.  Therefore an expensive query that
 * reads a large table whose columns are not cached is planned once more, as if
 * they were.  What that plan would have saved is charged to the accounts of
 * the tables whose columns it would have read, each time the query runs.
 */
#ifndef GPUDB_PLAN_WHAT_IF_H
#define GPUDB_PLAN_WHAT_IF_H

#include "postgres.h"

#include "nodes/params.h"
#include "nodes/plannodes.h"
#include "utils/rel.h"

#include "tablet/read/build.h"

/* The cached part of a table from which on caching more gains nothing. */
#define WHAT_IF_WHOLE	0.95

/* The planner's findings about uncached columns while it plans one statement.  Plannings nest. */
typedef struct WhatIf
{
	struct WhatIf *around;		/* state of the enclosing planning */
	bool		as_if;			/* all columns count as cached */
	bool		missed;			/* some columns of a large table could be cached, and are not */
	MemoryContext context;		/* context of `tables`: join searches have short-lived ones */
	List	   *tables;			/* of WantedTable, if all columns count as cached */
} WhatIf;

/* Begin and end the planning of a statement, with `as_if` as if all columns were cached. */
extern void what_if_begin(WhatIf *state, bool as_if);
extern void what_if_end(const WhatIf *state);

/* Return true if all columns count as cached in the current planning. */
extern bool what_if_is_planned(void);

/* Columns of a table of `pages` pages that are cached only in part; building the rest takes `price` milliseconds. */
typedef struct MissingColumns
{
	BlockNumber pages;
	const ColumnWanted *column;
	int			ncolumns;
	double		price;
} MissingColumns;

/* Note columns that are not cached; return true if they count as cached. */
extern bool what_if_note(Relation relation, const MissingColumns *missing);

/* Copy a query for what_if_weigh(), since planning changes it; return NULL if uncached columns do not matter to it. */
extern Query *what_if_copy(const Query *query);

/* A statement that was planned, and the planner's arguments. */
typedef struct PlannedQuery
{
	Query	   *copy;			/* result of what_if_copy(), which planning modifies */
	const char *text;
	int			options;
	ParamListInfo params;
} PlannedQuery;

/*
 * Plan a query once more, as if all columns were cached, unless its loss is
 * known already, and store what it loses, to be charged when its plan runs.
 */
extern void what_if_weigh(const PlannedQuery *query, const PlannedStmt *stmt);

/* Return the plan that a query would have if all columns were cached, for gpudb.why_not(). */
extern PlannedStmt *what_if_plan(const PlannedQuery *query);

/* Install the executor hook, at library load. */
extern void what_if_init(void);

#endif							/* GPUDB_PLAN_WHAT_IF_H */
