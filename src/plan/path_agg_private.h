/*
 * path_agg_private.h
 *		Declarations shared by path_agg.c and path_agg_cost.c: a grouping that a GpuAgg may compute.
 */
#ifndef GPUDB_PLAN_PATH_AGG_PRIVATE_H
#define GPUDB_PLAN_PATH_AGG_PRIVATE_H

#include "postgres.h"

#include "nodes/pathnodes.h"

#include "plan/candidate.h"
#include "plan/cost.h"

/* A grouping of the query, with the keys and aggregates that a GpuAgg would compute. */
typedef struct Grouping
{
	List	   *keys;
	List	   *clauses;		/* SortGroupClauses of the keys, one each: equal expressions are one key */
	List	   *aggs;
	List	   *parts;			/* NODE_PRIVATE_PARTS: how the aggregates are divided among programs */
	List	   *determined;		/* columns that keys determine, by table: late-materialized, or made keys */
	List	   *late_materialization; /* NODE_PRIVATE_LATE_MATERIALIZATION: how columns are late-materialized */
	Cost		late_materialization_cost;
	List	   *quals;
	List	   *joins;			/* of CandidateJoin */
	List	   *children;		/* NODE_PRIVATE_CHILDREN */
	List	   *having;
	int			secret;			/* value of NODE_PRIVATE_SECRET */
	uint32		hash;			/* known_fallback_hash() of the program */
	int			driver;			/* range table index of the relation that the device reads */
	bool		plain;			/* the target has nothing but keys and aggregates */
	PathTarget *target;			/* target over the keys and aggregates */
	bool		below;			/* PostgreSQL aggregates or appends the groups */
	PlannerInfo *root;
	List	   *top;			/* result of path_top(): NIL if all groups are wanted */
	PassCost	pass;
	double		wanted;			/* number of groups that are wanted */
} Grouping;

/*
 * Return the columns of the node's scan slot and of the child's rows: keys,
 * then aggregates, then late-materialized columns.
 */
extern List *grouping_columns(const Grouping *grouping);

/*
 * Compile a grouping and determine its cost; return NULL, or the reason code
 * why it cannot or should not be computed.
 */
extern const char *grouping_examine(PlannerInfo *root, Candidate *candidate, Grouping *grouping, double ngroups);

#endif							/* GPUDB_PLAN_PATH_AGG_PRIVATE_H */
