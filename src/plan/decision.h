/*
 * decision.h
 *		Reasons why the planner left parts of a query to PostgreSQL.
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

/* A decision about a part of a query, with the reason code why no node could take the part; NULL if one was offered. */
typedef struct Decision
{
	DecisionPart part;
	Oid			relation;		/* InvalidOid: a join, or an aggregate over something that no device could read */
	char	   *alias;			/* decision_names() of all relations of a join; NULL if there is no relation */
	double		rows;			/* estimated rows of the relation, or of the one that a pipeline reads */
	const char *reason;
} Decision;

/* Note a decision about a base relation, or (rel = NULL) about an aggregate over anything else. */
extern void decision_note(PlannerInfo *root, const RelOptInfo *rel, DecisionPart part, const char *reason);

/* Note a decision about the join of some relations; a later one about the same join overrides it. */
extern void decision_note_join(PlannerInfo *root, Relids relids, double rows, const char *reason);

/* Return names in alphabetical order, each once, separated by commas. */
extern char *decision_names(List *names);

/* Return the reason of the last decision about a relation; NULL if a node was offered, or no decision is known. */
extern const char *decision_last_reason(Oid relation);

/*
 * Collect the decisions of all plannings from decision_log_begin() on;
 * decision_is_logged() returns true meanwhile.  decision_log_end() returns the
 * list of Decision, which lies in the memory context that was current at the
 * begin.  After an error it is not called, and the next decision_log_begin()
 * starts afresh.
 */
extern void decision_log_begin(void);
extern bool decision_is_logged(void);
extern List *decision_log_end(void);

#endif							/* GPUDB_PLAN_DECISION_H */
