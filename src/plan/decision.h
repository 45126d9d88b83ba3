/*
 * decision.h
 *		Why the planner left parts of a query to PostgreSQL.
 */
#ifndef GPUDB_PLAN_DECISION_H
#define GPUDB_PLAN_DECISION_H

#include "postgres.h"

#include "nodes/pathnodes.h"

typedef enum DecisionPart
{
	DECISION_SCAN,
	DECISION_JOIN,
	DECISION_AGGREGATE
} DecisionPart;

/* A part of a query, and the reason code why no node could take it; NULL if one was offered. */
typedef struct Decision
{
	DecisionPart part;
	Oid			relation;		/* InvalidOid: a join, or an aggregate over something that no device could read */
	char	   *alias;			/* of a join those of all its relations, as decision_names() puts them; else NULL if there is no relation */
	double		rows;			/* that the relation, or the one that a pipeline reads, is estimated to have */
	const char *reason;
} Decision;

/* Note a decision about a base relation, or (rel = NULL) about an aggregate over no such one. */
extern void decision_note(PlannerInfo *root, const RelOptInfo *rel, DecisionPart part, const char *reason);

/* Note a decision about the join of some relations; a later one about the same overrides it. */
extern void decision_note_join(PlannerInfo *root, Relids relids, double rows, const char *reason);

/* Names in alphabetical order, each once. */
extern char *decision_names(List *names);

/* The reason of the last decision about a relation, NULL if a node was offered. */
extern const char *decision_last_reason(Oid relation);

/*
 * Collect the decisions of what is planned from now on; decision_is_logged()
 * tells whether they are.  decision_log_end()
 * returns the list of Decision, which lies in the memory context that was
 * current at the begin; after an error it is not called, and the next
 * decision_log_begin() starts afresh.
 */
extern void decision_log_begin(void);
extern bool decision_is_logged(void);
extern List *decision_log_end(void);

#endif							/* GPUDB_PLAN_DECISION_H */
