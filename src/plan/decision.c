/*
 * decision.c
 *		Why the planner left parts of a query to PostgreSQL.
 *
 * The last decisions are kept for messages, each is counted for gpudb.stat,
 * and gpudb.why_not() collects all of one query.
 */
#include "postgres.h"

#include "parser/parsetree.h"
#include "utils/memutils.h"

#include "exec/stat.h"
#include "plan/decision.h"

/* The reasons of the last few relations, whatever query they were in. */
#define NOTES 32
static struct
{
	Oid			relation;
	const char *reason;
}			notes[NOTES];
static int	next_note = 0;

/* Where decisions are collected, or NULL. */
static MemoryContext log_context = NULL;
static List *logged = NIL;

static void
keep_note(Oid relation, const char *reason)
{
	for (int i = 0; i < NOTES; i++)
		if (notes[i].relation == relation)
		{
			notes[i].reason = reason;
			return;
		}
	notes[next_note].relation = relation;
	notes[next_note].reason = reason;
	next_note = (next_note + 1) % NOTES;
}

const char *
decision_last_reason(Oid relation)
{
	for (int i = 0; i < NOTES; i++)
		if (notes[i].relation == relation)
			return notes[i].reason;
	return NULL;
}

static void
append_to_log(PlannerInfo *root, const RelOptInfo *rel, DecisionPart part, const char *reason)
{
	MemoryContext old = MemoryContextSwitchTo(log_context);
	Decision   *decision = palloc0(sizeof(Decision));

	decision->part = part;
	decision->reason = reason;
	if (rel != NULL)
	{
		RangeTblEntry *rte = planner_rt_fetch(rel->relid, root);

		decision->relation = rte->relid;
		decision->alias = pstrdup(rte->eref->aliasname);
		decision->rows = rel->tuples;
	}
	logged = lappend(logged, decision);
	MemoryContextSwitchTo(old);
}

void
decision_note(PlannerInfo *root, const RelOptInfo *rel, DecisionPart part, const char *reason)
{
	if (reason != NULL)
		stat_count_refused(reason);
	if (rel != NULL)
		keep_note(planner_rt_fetch(rel->relid, root)->relid, reason);
	if (log_context != NULL)
		append_to_log(root, rel, part, reason);
}

void
decision_log_begin(void)
{
	log_context = CurrentMemoryContext;
	logged = NIL;
}

List *
decision_log_end(void)
{
	List	   *all = logged;

	log_context = NULL;
	logged = NIL;
	return all;
}
