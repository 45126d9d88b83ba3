/*
 * decision.c
 *		Records why the planner left parts of a query to PostgreSQL.
 *
 * The last decisions are stored for messages, each is counted for gpudb.stat,
 * and gpudb.why_not() collects all of one query.
 */
#include "postgres.h"

#include "lib/stringinfo.h"
#include "parser/parsetree.h"
#include "utils/memutils.h"

#include "exec/run/stat.h"
#include "plan/decision.h"
#include "plan/what_if.h"

/* Reasons of the last few relations, whatever query they were in. */
#define NOTES 32
static struct
{
	Oid			relation;
	const char *reason;
}			notes[NOTES];
static int	next_note = 0;

/* Memory context in which decisions are collected, or NULL. */
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

static Decision *
append_to_log(DecisionPart part, double rows, const char *reason)
{
	Decision   *decision = palloc0(sizeof(Decision));

	*decision = (Decision) {.part = part, .rows = rows, .reason = reason};
	logged = lappend(logged, decision);
	return decision;
}

void
decision_note(PlannerInfo *root, const RelOptInfo *rel, DecisionPart part, const char *reason)
{
	/* nobody will run the plan of a what-if planning */
	if (what_if_is_planned())
		return;
	if (reason != NULL)
		stat_count_refused(reason);
	if (rel != NULL)
		keep_note(planner_rt_fetch(rel->relid, root)->relid, reason);
	if (log_context != NULL)
	{
		MemoryContext old = MemoryContextSwitchTo(log_context);
		Decision   *decision = append_to_log(part, rel != NULL ? rel->tuples : 0, reason);

		if (rel != NULL)
		{
			decision->relation = planner_rt_fetch(rel->relid, root)->relid;
			decision->alias = pstrdup(planner_rt_fetch(rel->relid, root)->eref->aliasname);
		}
		MemoryContextSwitchTo(old);
	}
}

void
decision_note_join(PlannerInfo *root, Relids relids, double rows, const char *reason)
{
	MemoryContext old;
	List	   *names = NIL;
	int			relid = -1;

	if (log_context == NULL)
		return;
	old = MemoryContextSwitchTo(log_context);
	while ((relid = bms_next_member(relids, relid)) > 0)
		/* outer joins have range table indexes, too */
		if (root->simple_rel_array[relid] != NULL)
			names = lappend(names, planner_rt_fetch(relid, root)->eref->aliasname);
	append_to_log(DECISION_JOIN, rows, reason)->alias = decision_names(names);
	MemoryContextSwitchTo(old);
}

static int
compare_names(const ListCell *a, const ListCell *b)
{
	return strcmp(lfirst(a), lfirst(b));
}

char *
decision_names(List *names)
{
	List	   *sorted = list_copy(names);
	StringInfoData all;
	ListCell   *lc;

	list_sort(sorted, compare_names);
	initStringInfo(&all);
	foreach(lc, sorted)
	{
		const int	i = foreach_current_index(lc);

		if (i == 0)
			appendStringInfoString(&all, lfirst(lc));
		else if (strcmp(lfirst(lc), list_nth(sorted, i - 1)) != 0)
			appendStringInfo(&all, ", %s", (char *) lfirst(lc));
	}
	return all.data;
}

void
decision_log_begin(void)
{
	log_context = CurrentMemoryContext;
	logged = NIL;
}

bool
decision_is_logged(void)
{
	return log_context != NULL;
}

List *
decision_log_end(void)
{
	List	   *all = logged;

	log_context = NULL;
	logged = NIL;
	return all;
}
