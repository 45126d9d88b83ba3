/*
 * what_if.h
 *		What a query loses because columns are not cached.
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

#include "tablet/build.h"

/* A table of which such a part is cached has nothing to gain. */
#define WHAT_IF_WHOLE	0.95

/* What the planner learns about columns that are not cached while it plans one statement.  Plannings nest. */
typedef struct WhatIf
{
	struct WhatIf *around;		/* of the planning around this one */
	bool		as_if;			/* columns count as cached */
	bool		missed;			/* some of a large table could be, and are not */
	MemoryContext context;		/* of what follows: join searches have short-lived ones */
	List	   *tables;			/* of WantedTable, if they count as cached */
} WhatIf;

/* Between these the planner plans a statement. */
extern void what_if_begin(WhatIf *state, bool as_if);
extern void what_if_end(const WhatIf *state);

/* Whether columns count as cached. */
extern bool what_if_is_planned(void);

/* Columns of a table of so many pages, of which only a part is cached; building the others takes so many milliseconds. */
typedef struct MissingColumns
{
	BlockNumber pages;
	const ColumnWanted *column;
	int			ncolumns;
	double		price;
} MissingColumns;

/* Note such ones; true if they count as cached. */
extern bool what_if_note(Relation relation, const MissingColumns *missing);

/*
 * A copy of a query for what_if_weigh(), since planning changes it; NULL if
 * what is not cached does not matter to it.
 */
extern Query *what_if_copy(const Query *query);

/* A statement that was planned, and from what. */
typedef struct PlannedQuery
{
	Query	   *copy;			/* what_if_copy(); is planned, and so changed */
	const char *text;
	int			options;
	ParamListInfo params;
} PlannedQuery;

/*
 * Plan a query once more, as if all columns were cached, unless its loss is
 * known already, and keep what it loses, to be charged when its plan runs.
 */
extern void what_if_weigh(const PlannedQuery *query, const PlannedStmt *stmt);

/* The plan that a query would have if all columns were cached, for gpudb.why_not(). */
extern PlannedStmt *what_if_plan(const PlannedQuery *query);

/* At library load. */
extern void what_if_init(void);

#endif							/* GPUDB_PLAN_WHAT_IF_H */
