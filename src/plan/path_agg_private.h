/*
 * path_agg_private.h
 *		What path_agg.c and path_agg_cost.c share: a grouping that a GpuAgg may compute.
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
	List	   *clauses;		/* the keys' SortGroupClauses, one each: equal expressions are one key */
	List	   *aggs;
	List	   *parts;			/* NODE_PRIVATE_PARTS: how they are divided among programs */
	List	   *determined;		/* columns that keys determine, by their tables: they are read late, or keys in the end */
	List	   *late;			/* NODE_PRIVATE_LATE: how they are read */
	Cost		late_cost;
	List	   *quals;
	List	   *joins;			/* of CandidateJoin */
	List	   *members;		/* NODE_PRIVATE_MEMBERS */
	List	   *having;
	int			secret;			/* NODE_PRIVATE_SECRET */
	uint32		hash;			/* of the computation */
	int			driver;			/* which of the relations, by range table index, the device reads */
	bool		plain;			/* nothing but keys and aggregates above */
	PathTarget *target;			/* what is computed of them above */
	bool		below;			/* its groups are what PostgreSQL aggregates */
	PlannerInfo *root;
	List	   *top;			/* of path_top(): NIL if all groups are wanted */
	PassCost	pass;
	double		wanted;			/* of its groups */
} Grouping;

/* Keys, then aggregates, then columns that are read late: what the node's scan slot and the child's rows hold. */
extern List *grouping_columns(const Grouping *grouping);

/* Compile a grouping, and find what it costs; NULL, or why it cannot be, or should not. */
extern const char *grouping_examine(PlannerInfo *root, Candidate *candidate, Grouping *grouping, double ngroups);

#endif							/* GPUDB_PLAN_PATH_AGG_PRIVATE_H */
