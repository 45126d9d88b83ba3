/*
 * path_agg_cost.c
 *		Determines whether a device can compute a grouping, and its cost.
 *
 * A program has a limited number of registers and states.  Aggregates without
 * group keys that do not fit one program are split across several programs,
 * which run one after the other.  The first one leaves columns in the cache,
 * which the others read.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "nodes/value.h"
#include "optimizer/optimizer.h"

#include "core/hash.h"
#include "device/device.h"
#include "exec/run/node.h"
#include "guc.h"
#include "plan/known_fallback.h"
#include "plan/path.h"
#include "plan/path_agg_private.h"

/* The largest number of programs that the aggregates of a node are split across. */
#define MOST_PARTS		64

List *
grouping_columns(const Grouping *grouping)
{
	return list_concat(list_concat_copy(grouping->keys, grouping->aggs), grouping->determined);
}

/* Return how many rows are grouped. */
static double
rows_of_input(const Candidate *candidate)
{
	return candidate->joins != NIL ? candidate->rows : candidate->rel->rows;
}

/*
 * Return true if the groups will probably fit in memory: on the CPU, the group
 * tables of all threads within the memory of an aggregate; on a GPU, which has
 * one table for all, the returned groups within that memory, and all groups
 * within the GPU's memory for tables.
 */
static bool
groups_fit(const Program *program, GroupCount groups, double rows, bool on_gpu)
{
	const double bytes = cost_group_bytes(program);

	if (!on_gpu)
		return cost_groups_of_threads(groups.found, rows) * bytes <= guc_group_bytes();
	return cost_groups_returned(program, groups) * bytes <= guc_group_bytes() &&
		groups.found * bytes <= device_join_bytes();
}

/* Return the cost of one pass, with its joins. */
static PassCost
cost_of_pass(Candidate *candidate, const CompileResult *compiled, GroupCount groups)
{
	const CompileResult *filters = candidate->joins != NIL ? candidate_all_filters(candidate) : NULL;

	if (filters == NULL || filters->reason != NULL)
		return cost_pass(candidate, compiled, groups);
	return cost_joined_pass(candidate, compiled, filters, candidate->rows, groups);
}

/* Return the cost of one more pass by a node whose first pass has left its columns in the cache. */
static PassCost
cost_of_pass_again(const Candidate *candidate, const CompileResult *compiled, GroupCount groups)
{
	Candidate	later = *candidate;

	later.read_before = true;
	return cost_of_pass(&later, compiled, groups);
}

static void
add_programs(PassCost *pass, const PassCost *more, int times)
{
	pass->cost += more->cost * times;
	pass->resident += more->resident * times;
	pass->ms += more->ms * times;
}

/* Return the cost of all passes that a program's aggregates need. */
static PassCost
cost_of_programs(Candidate *candidate, const CompileResult *compiled, GroupCount groups)
{
	PassCost	pass = cost_of_pass(candidate, compiled, groups);

	if (compiled->rounds > 1)
	{
		const PassCost again = cost_of_pass_again(candidate, compiled, groups);

		add_programs(&pass, &again, compiled->rounds - 1);
	}
	return pass;
}

/* Return the first n aggregates of a list. */
static List *
first_of(const List *aggs, int n)
{
	return list_truncate(list_copy(aggs), n);
}

/*
 * Split the aggregates of a request across several programs, and add up their
 * costs.  *first becomes the result of compiling the first program.  Returns
 * NULL, or the reason code why the aggregates cannot be split.
 */
static const char *
split_aggregates(PlannerInfo *root, Candidate *candidate, const CompileRequest *request, Grouping *grouping, CompileResult *first)
{
	List	   *left = list_copy(request->aggs);
	int			size = (list_length(left) + 1) / 2;

	while (left != NIL)
	{
		CompileRequest part = *request;
		CompileResult result;

		size = Min(size, list_length(left));
		part.aggs = first_of(left, size);
		if (!candidate_check(candidate, &part, &result))
		{
			if (!result.too_large || size == 1)
				return result.reason;
			size = (size + 1) / 2;
			continue;
		}
		if (list_length(grouping->parts) == MOST_PARTS)
			return "expression";
		if (grouping->parts == NIL)
		{
			*first = result;
			grouping->pass = cost_of_programs(candidate, &result, NO_KEYS);
		}
		else
		{
			const PassCost again = cost_of_pass_again(candidate, &result, NO_KEYS);

			add_programs(&grouping->pass, &again, Max(result.rounds, 1));
			if (is_known_fallback(root, candidate, &result))
				return "runtime_error";
		}
		grouping->parts = lappend_int(grouping->parts, size);
		left = list_copy_tail(left, size);
	}
	return NULL;
}

/*
 * Compile aggregates without group keys into as many programs as needed;
 * return NULL, or the reason code why that is not possible.
 */
static const char *
examine_totals(PlannerInfo *root, Candidate *candidate, const CompileRequest *request, Grouping *grouping, CompileResult *result)
{
	if (candidate_check(candidate, request, result))
	{
		grouping->pass = cost_of_programs(candidate, result, NO_KEYS);
		return NULL;
	}
	return result->too_large ? split_aggregates(root, candidate, request, grouping, result) : result->reason;
}

/* Average number of rows per group below which most groups have one row. */
#define ROWS_OF_MANY_TIES 1.1

/*
 * Return true if most groups probably have the same number of rows, so that
 * none can be left out where groups are sorted by that alone.
 */
static bool
counts_tie(double rows, double groups)
{
	return rows < ROWS_OF_MANY_TIES * groups;
}

/*
 * Compile a grouping with keys, of which the query may want only the first n
 * groups; return NULL, or the reason code why that is not possible.
 */
static const char *
examine_groups(PlannerInfo *root, Candidate *candidate, const CompileRequest *request, Grouping *grouping, CompileResult *result, GroupCount *groups)
{
	if (!candidate_check(candidate, request, result))
		return result->reason;
	/* the number of returned groups would tell whether a hidden row has made the node fall back */
	if (grouping->having == NIL && !grouping->below && !candidate->secret)
		grouping->top = path_top(root, grouping_columns(grouping), result);
	if (grouping->top != NIL && !(path_top_is_of_counts(grouping->top, result) && counts_tie(rows_of_input(candidate), groups->found)))
		groups->wanted = Min(groups->found, linitial_int(grouping->top));
	if (grouping->determined != NIL)
	{
		grouping->late_materialization = path_late_materialization(root, grouping->keys, grouping->determined, groups->wanted, &grouping->late_materialization_cost);
		if (grouping->late_materialization == NIL)
			return "expression";
	}
	grouping->pass = cost_of_programs(candidate, result, *groups);
	return NULL;
}

const char *
grouping_examine(PlannerInfo *root, Candidate *candidate, Grouping *grouping, double ngroups)
{
	CompileResult *result = palloc(sizeof(CompileResult));
	const CompileRequest request = {
		.aggregate = true, .quals = grouping->quals, .joins = candidate_joins(candidate), .keys = grouping->keys, .aggs = grouping->aggs
	};
	GroupCount	groups = {ngroups, ngroups};
	const char *reason = grouping->keys != NIL ? examine_groups(root, candidate, &request, grouping, result, &groups)
		: examine_totals(root, candidate, &request, grouping, result);

	if (reason != NULL)
		return reason;
	grouping->wanted = groups.wanted;
	grouping->hash = known_fallback_hash(root, candidate, result);
	if (!gpudb_force && !groups_fit(result->program, groups, rows_of_input(candidate), grouping->pass.on_gpu))
		return "memory_limit";
	return is_known_fallback(root, candidate, result) ? "runtime_error" : NULL;
}
