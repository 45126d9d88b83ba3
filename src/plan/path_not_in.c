/*
 * path_not_in.c
 *		Turns x NOT IN (SELECT ...) among a relation's filters into a join of the device pipeline.
 *
 * PostgreSQL leaves it a filter with a subplan.  Its plan is there already,
 * and the pipeline begins with a join table of its rows.  PostgreSQL runs it
 * when the first row needs it, which a pipeline cannot wait for: it must not
 * raise an error.
 */
#include "postgres.h"

#include "nodes/makefuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"

#include "compile/compile_not_in.h"
#include "exec/run/collect.h"
#include "exec/run/node.h"
#include "exec/run/plan_walk.h"
#include "plan/cost.h"
#include "plan/path.h"

static Plan *
plan_of(const PlannerInfo *root, const SubPlan *subplan)
{
	return list_nth(root->glob->subplans, subplan->plan_id - 1);
}

static PlannerInfo *
query_of(const PlannerInfo *root, const SubPlan *subplan)
{
	return list_nth(root->glob->subroots, subplan->plan_id - 1);
}

/*
 * Return true if a plan's rows come as columns and the device computes all its
 * filters, returning a status instead of raising errors.
 */
static bool
comes_as_columns(const Plan *plan)
{
	const CustomScan *scan = (const CustomScan *) plan;

	return is_gpudb_node(plan) && scan->methods != &gpu_agg_methods && plan->qual == NIL && plan_gives_columns(plan);
}

/* Return true if a query only joins relations. */
static bool
only_joins(const Query *query)
{
	return query->commandType == CMD_SELECT && !query->hasAggs && !query->hasWindowFuncs && !query->hasTargetSRFs && !query->hasSubLinks &&
		query->cteList == NIL && query->groupClause == NIL && query->groupingSets == NIL && query->havingQual == NULL && query->setOperations == NULL &&
		query->limitOffset == NULL && query->limitCount == NULL && query->rowMarks == NIL;
}

/* Return true if running a subplan that PostgreSQL might not run has no effect but to take time. */
static bool
runs_unnoticed(const PlannerInfo *root, const SubPlan *subplan)
{
	PlannerInfo *inner = query_of(root, subplan);
	ListCell   *lc;

	if (!only_joins(inner->parse) || contain_volatile_functions((Node *) inner->parse))
		return false;
	foreach(lc, inner->processed_tlist)
		if (!compile_cannot_fail((Node *) lfirst_node(TargetEntry, lc)->expr))
			return false;
	return comes_as_columns(plan_of(root, subplan)) ||
		(!inner->hasPseudoConstantQuals && candidate_relations_cannot_fail(inner, inner->all_baserels));
}

/* Return the join that is equivalent to a filter; NULL if there is none. */
static CandidateJoin *
read_filter(const PlannerInfo *root, Node *filter)
{
	const SubPlan *subplan = not_in_subplan(filter);
	CandidateJoin *join = palloc0(sizeof(CandidateJoin));

	if (subplan == NULL || !not_in_request(subplan, &join->request) || !runs_unnoticed(root, subplan))
		return NULL;
	join->not_in = filter;
	return join;
}

static DeviceCost
at_most(DeviceCost cost, Cost most)
{
	return (DeviceCost) {Min(cost.cpu, most), Min(cost.gpu, most)};
}

/*
 * Add the costs of a candidate's joins, where `rows` rows pass the other
 * filters.  PostgreSQL counts an operator per row for making its hash table
 * and for each lookup in it; a join table takes no more time, so its cost is
 * bounded by that.
 */
static void
add_costs(const PlannerInfo *root, Candidate *candidate, const CompileResult *compiled, double rows)
{
	ListCell   *lc;

	foreach(lc, candidate->joins)
	{
		CandidateJoin *join = lfirst(lc);
		const Plan *plan = plan_of(root, not_in_subplan(join->not_in));
		const bool	has_key = compiled->join[foreach_current_index(lc)].nkeys > 0;

		join->rows = rows;
		cost_add(&candidate->builds, (DeviceCost) {plan->total_cost, plan->total_cost});
		cost_add(&candidate->builds, at_most(cost_build(plan->plan_rows, 1, comes_as_columns(plan)), plan->plan_rows * cpu_operator_cost));
		if (has_key)
			cost_add(&candidate->probes, at_most(cost_probe(candidate->rel->tuples, rows, plan->plan_rows), rows * cpu_operator_cost));
		else
		{
			cost_add(&candidate->probes, cost_probe(candidate->rel->tuples, rows, plan->plan_rows));
			cost_add(&candidate->probes, cost_pairs(rows * plan->plan_rows));
		}
	}
}

/*
 * Return the pipeline over a relation in which every NOT IN is a join; NULL if
 * there is none, or PostgreSQL has to test other filters.
 */
static Candidate *
create_pipeline(PlannerInfo *root, const Candidate *candidate)
{
	Candidate  *pipeline = palloc(sizeof(Candidate));
	CompileRequest request = {.aggregate = true};
	CompileResult result;
	ListCell   *lc;

	*pipeline = *candidate;
	pipeline->quals = pipeline->on_device = pipeline->joins = NIL;
	pipeline->qual_reason = NULL;
	pipeline->filters = pipeline->all_filters = pipeline->as_rows = pipeline->as_materialized = NULL;
	pipeline->rows_pass = NULL;
	pipeline->filters_cost = pipeline->rows_cost = NULL;
	foreach(lc, candidate->quals)
	{
		CandidateJoin *join = read_filter(root, lfirst(lc));

		if (join != NULL)
		{
			pipeline->joins = lappend(pipeline->joins, join);
			pipeline->secret |= candidate_hides_rows(query_of(root, not_in_subplan(join->not_in)));
		}
		else
		{
			pipeline->quals = lappend(pipeline->quals, lfirst(lc));
			pipeline->on_device = lappend_int(pipeline->on_device, true);
		}
	}
	request.quals = pipeline->quals;
	request.joins = candidate_joins(pipeline);
	if (pipeline->joins == NIL || !candidate_check(pipeline, &request, &result))
		return NULL;
	pipeline->rows = pipeline->rel->rows;
	add_costs(root, pipeline, &result, pipeline->rel->tuples *
			  clauselist_selectivity(root, pipeline->quals, pipeline->rel->relid, JOIN_INNER, NULL));
	return pipeline;
}

Candidate *
path_not_in_pipeline(PlannerInfo *root, Candidate *candidate)
{
	Candidate  *pipeline = candidate->children == NIL ? create_pipeline(root, candidate) : NULL;

	if (pipeline == NULL)
		return candidate;
	pipeline->scanned = candidate;
	return pipeline;
}

bool
path_not_in_offer(PlannerInfo *root, const Candidate *candidate)
{
	/* a GpuJoin cannot tell a cursor its current row of the relation */
	return candidate->joins != NIL && !plan_is_for_cursor(root) && path_join_offer(root, candidate->rel);
}
