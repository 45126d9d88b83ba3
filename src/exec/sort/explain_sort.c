/*
 * explain_sort.c
 *		Shows the properties of a GpuSort in EXPLAIN.
 */
#include "postgres.h"

#include "access/stratnum.h"
#include "commands/explain.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/ruleutils.h"

#include "exec/sort/exec_sort_private.h"
#include "exec/sort/sort_device.h"

/* Return a COLLATE clause if the collation is not that of the key's type, else "". */
static const char *
text_of_collation(Oid collation, Node *expr)
{
	if (!OidIsValid(collation) || collation == get_typcollation(exprType(expr)))
		return "";
	return psprintf(" COLLATE %s", quote_identifier(get_collation_name(collation)));
}

/* Return sort key `k` as PostgreSQL shows it. */
static char *
text_of_key(const CustomScan *plan, const Sort *sort, int k, List *context, bool prefix)
{
	Node	   *expr = (Node *) list_nth_node(TargetEntry, plan->custom_scan_tlist, sort->sortColIdx[k] - 1)->expr;
	Oid			opfamily;
	Oid			opcintype;
	int16		strategy;
	bool		descending;

	(void) get_ordering_op_properties(sort->sortOperators[k], &opfamily, &opcintype, &strategy);
	descending = strategy == BTGreaterStrategyNumber;
	return psprintf("%s%s%s%s", deparse_expression(expr, context, prefix, false), text_of_collation(sort->collations[k], expr), descending ? " DESC" : "",
					sort->nullsFirst[k] == descending ? "" : sort->nullsFirst[k] ? " NULLS FIRST" : " NULLS LAST");
}

/*
 * Return the deparsed columns of the scan tuple that are in the list `columns`
 * or, if it is NIL, those after number `from`.
 */
static List *
texts_of_columns(const CustomScan *plan, const List *columns, int from, List *context, bool prefix)
{
	List	   *texts = NIL;
	ListCell   *lc;

	foreach(lc, plan->custom_scan_tlist)
	{
		const TargetEntry *entry = lfirst_node(TargetEntry, lc);

		if (columns != NIL ? list_member_int(columns, entry->resno) : entry->resno > from)
			texts = lappend(texts, deparse_expression((Node *) entry->expr, context, prefix, false));
	}
	return texts;
}

static void
explain_keys(const GpuSortState *state, List *ancestors, ExplainState *es)
{
	const CustomScan *plan = (const CustomScan *) state->css.ss.ps.plan;
	const int	wanted = sort_private_int(state, SORT_PRIVATE_WANTED);
	const Sort *sort = state->sort != NULL ? (const Sort *) state->sort->ss.ps.plan : NULL;
	const List *calls = sort_private_list(state, SORT_PRIVATE_CALLS);
	const int	ndistinct = sort_private_int(state, SORT_PRIVATE_DISTINCT);
	const bool	prefix = list_length(es->rtable) > 1 || es->verbose;
	List	   *context = set_deparse_context_plan(es->deparse_cxt, (Plan *) plan, ancestors);
	List	   *texts = NIL;

	if (sort_is_grouped(state))
	{
		if (sort != NULL)
			ExplainPropertyList("Group Key", texts_of_columns(plan, sort_private_list(state, SORT_PRIVATE_PARTITION), 0, context, prefix), es);
	}
	else
	{
		for (int k = 0; k < sort->numCols; k++)
			texts = lappend(texts, text_of_key(plan, sort, k, context, prefix));
		ExplainPropertyList("Sort Key", texts, es);
		if (ndistinct > 0)
			ExplainPropertyList("Distinct Key", list_truncate(texts, ndistinct), es);
	}
	if (sort_private_int(state, SORT_PRIVATE_OFFSET) >= 0)
		ExplainPropertyText("Limit", psprintf("%d, offset %d", wanted - (int) sort_first_wanted(state), (int) sort_first_wanted(state)), es);
	else if (wanted > 0)
		ExplainPropertyInteger("First Rows", NULL, wanted, es);
	if (calls != NIL)
		ExplainPropertyList(sort_is_grouped(state) ? "Aggregates" : "Window Functions",
							texts_of_columns(plan, NIL, list_length(plan->custom_scan_tlist) - list_length(calls), context, false), es);
}

void
explain_sort(CustomScanState *css, List *ancestors, ExplainState *es)
{
	GpuSortState *state = (GpuSortState *) css;
	const bool	secret = sort_device_is_secret(sort_child(state));

	explain_keys(state, ancestors, es);
	ExplainPropertyText("Sorted On", sort_device_text(!es->analyze || secret ? sort_gpu_may(state) : state->on_gpu), es);
	if (!es->analyze)
		return;
	if (state->why != STATUS_DONE)
		ExplainPropertyText("Fallback", psprintf("%s (%s)", status_reason(state->why), status_text(state->why)), es);
	ExplainPropertyInteger("Rows In", NULL, state->rows_in, es);
	if (state->runs != NULL)
		ExplainPropertyInteger("Sorted Runs", NULL, sorted_runs_count(state->runs), es);
	if (state->runs != NULL && es->verbose)
		ExplainPropertyInteger("Sort Disk", "kB", sorted_runs_bytes(state->runs) / 1024, es);
	/* Memory depends on the way in which rows were collected. */
	if (es->verbose && !secret)
		ExplainPropertyInteger("Sort Memory", "kB", state->bytes / 1024, es);
	if (es->timing)
	{
		ExplainPropertyFloat("Collect Time", "ms", state->collect_ms, 3, es);
		ExplainPropertyFloat("Sort Time", "ms", state->sort_ms, 3, es);
	}
}
