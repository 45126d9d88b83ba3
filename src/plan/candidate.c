/*
 * candidate.c
 *		Examines which relations of a query a device pipeline could read.
 */
#include "postgres.h"

#include "access/heapam.h"
#include "access/sysattr.h"
#include "access/table.h"
#include "access/transam.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/planmain.h"
#include "optimizer/restrictinfo.h"
#include "parser/parsetree.h"
#include "storage/bufmgr.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "device/device.h"
#include "exec/run/run_dicts.h"
#include "guc.h"
#include "plan/candidate.h"
#include "plan/cost.h"
#include "plan/decision.h"
#include "plan/path.h"
#include "plan/search.h"

/* Nanoseconds of fetching the values of one page of a TOAST table, decompression included. */
#define DETOAST_PAGE_NS 20000.0

bool
candidate_reads_texts(const CompileResult *result)
{
	for (int i = 0; i < result->ncolumns; i++)
		if (!result->column[i].packed && !result->column[i].coded &&
			(result->column[i].type == TEXTOID || result->column[i].type == VARCHAROID ||
			 result->column[i].type == BPCHAROID))
			return true;
	return false;
}

/* Return how many filters, from the first one on, may look at rows that are hidden. */
static int
number_open(const Candidate *candidate, const List *quals)
{
	int			n = 0;

	while (n < list_length(quals) && list_member_ptr(candidate->open, list_nth(quals, n)))
		n++;
	return n;
}

int
candidate_secret(const Candidate *candidate, const List *quals)
{
	return candidate->secret ? 1 + number_open(candidate, quals) : 0;
}

bool
candidate_check(const Candidate *candidate, const CompileRequest *request, CompileResult *result)
{
	CompileRequest own = *request;
	CompileInput input = {
		.varno = candidate->rel->relid, .notnull = candidate->notnull, .relation = candidate->relation,
		.dict_sizes = candidate->dict_sizes, .draft = true
	};

	own.secret = candidate->secret;
	own.nopen = number_open(candidate, request->quals);
	if (!compile_check(&input, &own, result))
		return false;
	/* the device needs every value in its column, where PostgreSQL fetches few of them */
	if (candidate_reads_texts(result))
		result->fetch_cost = candidate->toast_pages * DETOAST_PAGE_NS / Max(candidate->rel->tuples, 1);
	return true;
}

/* The result of compiling a program without any filter, which is compiled once in a session, whatever the relation. */
static CompileResult *
without_filters(bool aggregate)
{
	static CompileResult *known[2];

	if (known[aggregate] == NULL)
	{
		MemoryContext old = MemoryContextSwitchTo(TopMemoryContext);
		CompileResult *result = palloc(sizeof(CompileResult));

		(void) compile_check(&(CompileInput) {.draft = true}, &(CompileRequest) {.aggregate = aggregate}, result);
		known[aggregate] = result;
		MemoryContextSwitchTo(old);
	}
	return known[aggregate];
}

/* Return the attributes that the query looks at, offset as by pull_varattnos(). */
static Bitmapset *
attributes_of(const RelOptInfo *rel)
{
	Bitmapset  *attributes = NULL;
	ListCell   *lc;

	foreach(lc, rel->baserestrictinfo)
		pull_varattnos((Node *) lfirst_node(RestrictInfo, lc)->clause, rel->relid, &attributes);
	for (int attno = rel->min_attr; attno <= rel->max_attr; attno++)
		if (!bms_is_empty(rel->attr_needed[attno - rel->min_attr]))
			attributes = bms_add_member(attributes, attno - FirstLowInvalidHeapAttributeNumber);
	return attributes;
}

/*
 * Return true if a query looks at system columns that only a heap tuple with
 * its header has, or in which child relations of a tree differ.
 */
static bool
uses_system_column(const RelOptInfo *rel, bool tree)
{
	const Bitmapset *attributes = attributes_of(rel);

	for (int attno = rel->min_attr; attno < 0; attno++)
		if ((tree || (attno != SelfItemPointerAttributeNumber && attno != TableOidAttributeNumber)) &&
			bms_is_member(attno - FirstLowInvalidHeapAttributeNumber, attributes))
			return true;
	return false;
}

static bool
has_parameter(Node *node, void *context)
{
	return node != NULL && (IsA(node, Param) || expression_tree_walker(node, has_parameter, context));
}

/* Return true if PostgreSQL may find out at run time that some of a relation's partitions need not be read. */
static bool
is_pruned_later(const RelOptInfo *rel)
{
	Bitmapset  *keys = NULL;
	ListCell   *lc;

	if (rel->part_scheme == NULL)
		return false;
	for (int k = 0; k < rel->part_scheme->partnatts; k++)
		pull_varattnos((Node *) rel->partexprs[k], rel->relid, &keys);
	foreach(lc, rel->baserestrictinfo)
	{
		Node	   *clause = (Node *) lfirst_node(RestrictInfo, lc)->clause;
		Bitmapset  *attributes = NULL;

		pull_varattnos(clause, rel->relid, &attributes);
		if (bms_overlap(attributes, keys) && (contain_mutable_functions(clause) || has_parameter(clause, NULL)))
			return true;
	}
	return false;
}

bool
candidate_is_of_table(RelOptInfo *rel, const RangeTblEntry *rte)
{
	return rte->rtekind == RTE_RELATION && !IS_DUMMY_REL(rel) && rte->relid >= FirstNormalObjectId &&
		(rel->reloptkind == RELOPT_BASEREL || rel->reloptkind == RELOPT_OTHER_MEMBER_REL);
}

/* Return the reason code why the relation cannot be read, by the query alone; NULL if there is none. */
static const char *
reason_of_entry(PlannerInfo *root, RelOptInfo *rel, RangeTblEntry *rte)
{
	if (!gpudb_enabled)
		return "disabled";
	if (plan_asks_for_storage())
		return "stored_form";
	if (rte->relkind != RELKIND_RELATION && rte->relkind != RELKIND_MATVIEW && !(rte->relkind == RELKIND_PARTITIONED_TABLE && rte->inh))
		return "relation_kind";
	if (rte->tablesample != NULL || (rte->inh && is_pruned_later(rel)))
		return "relation_kind";
	if (root->rowMarks != NIL || bms_is_member(rel->relid, root->all_result_relids) ||
		(int) rel->relid == root->parse->resultRelation)
		return "row_marks";
	if (rel->lateral_relids != NULL)
		return "expression";
	if (uses_system_column(rel, rte->inh))
		return "system_column";
	return NULL;
}

static const char *
reason_of_relation(Relation relation)
{
	if (relation->rd_rel->relkind != RELKIND_PARTITIONED_TABLE && relation->rd_tableam != GetHeapamTableAmRoutine())
		return "table_am";
	return NULL;
}

/* Return the number of pages of a relation's TOAST table. */
static BlockNumber
toast_pages(Relation relation)
{
	Relation	toast;
	BlockNumber pages;

	if (!OidIsValid(relation->rd_rel->reltoastrelid))
		return 0;
	toast = table_open(relation->rd_rel->reltoastrelid, AccessShareLock);
	pages = RelationGetNumberOfBlocks(toast);
	table_close(toast, AccessShareLock);
	return pages;
}

/* Rank of a filter in the order of evaluation. */
typedef struct FilterRank
{
	Index		security_level;
	Cost		cost;
} FilterRank;

static FilterRank
rank_of_filter(PlannerInfo *root, RestrictInfo *rinfo)
{
	QualCost	cost;
	FilterRank	rank = {rinfo->security_level};

	cost_qual_eval_node(&cost, (Node *) rinfo, root);
	rank.cost = cost.per_tuple;
	/* a leakproof filter need not wait for the filters that hide rows */
	if (rinfo->leakproof && rank.cost < 10 * cpu_operator_cost)
		rank.security_level = 0;
	return rank;
}

/*
 * Return filters in the order in which PostgreSQL evaluates them: by security
 * level, cheap ones first, else as written (order_qual_clauses() in
 * createplan.c).
 */
static List *
ordered_clauses(PlannerInfo *root, List *clauses)
{
	List	   *ordered = NIL;
	ListCell   *lc;

	foreach(lc, clauses)
	{
		FilterRank	rank = rank_of_filter(root, lfirst(lc));
		int			at = list_length(ordered);

		for (; at > 0; at--)
		{
			FilterRank	before = rank_of_filter(root, list_nth(ordered, at - 1));

			if (rank.security_level > before.security_level ||
				(rank.security_level == before.security_level && rank.cost >= before.cost))
				break;
		}
		ordered = list_insert_nth(ordered, at, lfirst(lc));
	}
	return ordered;
}

List *
candidate_order(PlannerInfo *root, List *filters)
{
	List	   *quals = NIL;
	ListCell   *lc;

	foreach(lc, ordered_clauses(root, filters))
		quals = lappend(quals, lfirst_node(RestrictInfo, lc)->clause);
	return quals;
}

bool
candidate_hides_rows(const PlannerInfo *root)
{
	if (root->qual_security_level > 0)
		return true;
	for (const PlannerInfo *outer = root->parent_root; outer != NULL; outer = outer->parent_root)
	{
		ListCell   *lc;

		foreach(lc, outer->parse->rtable)
			if (lfirst_node(RangeTblEntry, lc)->security_barrier)
				return true;
	}
	return false;
}

bool
candidate_relations_cannot_fail(PlannerInfo *root, const Bitmapset *relids)
{
	int			relid = -1;
	ListCell   *lc;

	while ((relid = bms_next_member(relids, relid)) > 0)
	{
		const RelOptInfo *base = find_base_rel(root, relid);

		if (base->rtekind != RTE_RELATION)
			return false;
		foreach(lc, base->baserestrictinfo)
			if (!compile_cannot_fail((Node *) lfirst_node(RestrictInfo, lc)->clause))
				return false;
		foreach(lc, base->joininfo)
			if (bms_is_subset(lfirst_node(RestrictInfo, lc)->required_relids, relids) &&
				!compile_cannot_fail((Node *) lfirst_node(RestrictInfo, lc)->clause))
				return false;
	}
	return true;
}

/* Collect the filters that may look at all rows in candidate->open. */
static void
find_open(Candidate *candidate)
{
	ListCell   *lc;

	foreach(lc, candidate->rel->baserestrictinfo)
	{
		const RestrictInfo *rinfo = lfirst_node(RestrictInfo, lc);

		if (rinfo->security_level <= candidate->rel->baserestrict_min_security || rinfo->leakproof)
			candidate->open = lappend(candidate->open, rinfo->clause);
	}
}

/*
 * Find the filters that the device can compute, where it cannot compute all.
 * PostgreSQL evaluates filters in order and the first one that is not true
 * ends the row, so an error in a later one stays unseen.  A filter may
 * therefore go to the device, ahead of those that stay, only if none of these
 * can fail.  If it must not look at hidden rows, no filter ahead of it may
 * stay: the filters that hide rows may be among them.  `together`, the result
 * of compiling all filters, tells why a single filter cannot be compiled.
 */
static void
choose_quals(Candidate *candidate, const CompileResult *together)
{
	const bool	alone = list_length(candidate->quals) == 1;
	CompileResult apart;
	const CompileResult *result = alone ? together : &apart;
	bool		may_go = true;
	bool		some_stay = false;
	ListCell   *lc;

	foreach(lc, candidate->quals)
	{
		Node	   *qual = lfirst(lc);
		bool		on_device;

		if (!alone)
			(void) candidate_check(candidate, &(CompileRequest) {.quals = list_make1(qual)}, &apart);
		on_device = result->reason == NULL && may_go && !(candidate->secret && some_stay && !list_member_ptr(candidate->open, qual));
		candidate->on_device = lappend_int(candidate->on_device, on_device);
		if (on_device)
			continue;
		if (candidate->qual_reason == NULL)
			candidate->qual_reason = result->reason ? result->reason : "expression";
		may_go = may_go && compile_cannot_fail(qual);
		some_stay = true;
	}
}

/* Compile some filters together, so that they share columns; the result has a reason if they cannot be compiled. */
static CompileResult *
compile_filters(const Candidate *candidate, List *quals)
{
	CompileResult *result;

	if (quals == NIL)
		return without_filters(false);
	result = palloc(sizeof(CompileResult));
	(void) candidate_check(candidate, &(CompileRequest) {.quals = quals}, result);
	return result;
}

/* Determine which filters the device computes, and what part of the rows passes them. */
static void
examine_quals(PlannerInfo *root, Candidate *candidate)
{
	List	   *filters = NIL;
	List	   *computed = NIL;
	CompileResult *together;
	ListCell   *lc;

	find_open(candidate);
	foreach(lc, ordered_clauses(root, candidate->rel->baserestrictinfo))
	{
		RestrictInfo *rinfo = lfirst_node(RestrictInfo, lc);

		/* PostgreSQL puts pseudoconstant filters into a node above any scan */
		if (rinfo->pseudoconstant)
			candidate->gates = lappend(candidate->gates, rinfo->clause);
		else
		{
			candidate->quals = lappend(candidate->quals, rinfo->clause);
			filters = lappend(filters, rinfo);
		}
	}
	/* mostly the device can compute all, which few compilations show */
	together = compile_filters(candidate, candidate->quals);
	if (together->reason != NULL)
	{
		choose_quals(candidate, together);
		together = compile_filters(candidate, candidate_quals(candidate, true));
	}
	else
		foreach(lc, candidate->quals)
			candidate->on_device = lappend_int(candidate->on_device, true);
	candidate->filters = together->reason == NULL ? together : NULL;
	/* PostgreSQL has cached the selectivity of each of its RestrictInfos */
	foreach(lc, filters)
		if (list_nth_int(candidate->on_device, foreach_current_index(lc)))
			computed = lappend(computed, lfirst(lc));
	candidate->passing = clauselist_selectivity(root, computed, candidate->rel->relid, JOIN_INNER, NULL);
}

/*
 * Create the candidate of a base relation, with the reason why no device can
 * read it, if there is one, but without examining its filters.
 */
static Candidate *
describe(PlannerInfo *root, RelOptInfo *rel, RangeTblEntry *rte)
{
	Candidate  *candidate = palloc0(sizeof(Candidate));
	Relation	relation;

	candidate->relids = rel->relids;
	candidate->rel = rel;
	candidate->relation = rte->relid;
	candidate->secret = candidate_hides_rows(root);
	candidate->reason = reason_of_entry(root, rel, rte);
	if (candidate->reason != NULL)
		return candidate;
	relation = table_open(rte->relid, NoLock);
	candidate->reason = reason_of_relation(relation);
	/* inheritance children may have NULLs where the parent has NOT NULL; partitions may not */
	if (!rte->inh || rte->relkind == RELKIND_PARTITIONED_TABLE)
		candidate->notnull = compile_not_null(RelationGetDescr(relation));
	if (!rte->inh)
	{
		candidate->toast_pages = toast_pages(relation);
		/* texts of child relations are read as texts */
		if (rel->reloptkind == RELOPT_BASEREL)
			candidate->dict_sizes = run_dicts_offer(relation, ActiveSnapshotSet() ? GetActiveSnapshot() : NULL, attributes_of(rel), ROOM_FOR_ONE);
	}
	table_close(relation, NoLock);
	return candidate;
}

/*
 * Replace a parent by its partitions and inheritance children that PostgreSQL
 * has not pruned.  Returns NULL, or the reason code why they cannot be read.
 */
static const char *
take_children(PlannerInfo *root, Candidate *candidate)
{
	RelOptInfo *rel = palloc(sizeof(RelOptInfo));
	ListCell   *lc;

	*rel = *candidate->rel;
	rel->pages = 0;
	rel->tuples = 0;
	foreach(lc, root->append_rel_list)
	{
		const AppendRelInfo *info = lfirst_node(AppendRelInfo, lc);
		RelOptInfo *child = root->simple_rel_array[info->child_relid];
		RangeTblEntry *rte = root->simple_rte_array[info->child_relid];
		Candidate  *of;

		if (info->parent_relid != rel->relid || child == NULL || IS_DUMMY_REL(child))
			continue;
		if (!candidate_is_of_table(child, rte))
			return "relation_kind";
		of = describe(root, child, rte);
		if (of->reason == NULL && rte->inh)
			of->reason = take_children(root, of);
		if (of->reason != NULL)
			return of->reason;
		if (of->children != NIL)
			candidate->children = list_concat(candidate->children, of->children);
		else
		{
			CandidateChild *child = palloc(sizeof(CandidateChild));

			*child = (CandidateChild) {of->relation, of->rel->pages};
			candidate->children = lappend(candidate->children, child);
		}
		candidate->toast_pages += of->toast_pages;
		rel->pages += of->rel->pages;
		rel->tuples += of->rel->tuples;
	}
	candidate->rel = rel;
	return candidate->children != NIL ? NULL : "relation_kind";
}

/*
 * Return the least time, in nanoseconds per tuple, of turning attributes into
 * columns where a device computes all filters and the query's other
 * expressions.
 */
static double
least_of_columns(const RelOptInfo *rel, Oid relation)
{
	List	   *vars = pull_var_clause((Node *) rel->reltarget->exprs, PVC_INCLUDE_PLACEHOLDERS);
	ListCell   *lc;

	foreach(lc, rel->baserestrictinfo)
		vars = list_concat(vars, pull_var_clause((Node *) lfirst_node(RestrictInfo, lc)->clause, PVC_INCLUDE_PLACEHOLDERS));
	return cost_least_of_columns(relation, vars);
}

Candidate *
candidate_minimal(PlannerInfo *root, RelOptInfo *rel)
{
	const RangeTblEntry *rte = planner_rt_fetch(rel->relid, root);
	Candidate **known = search_minimal(root, rel->relid);
	MemoryContext old;

	if (*known != NULL || !candidate_is_of_table(rel, rte) || rte->inh)
		return *known;
	old = MemoryContextSwitchTo(root->planner_cxt);
	*known = palloc0(sizeof(Candidate));
	(*known)->relids = rel->relids;
	(*known)->rel = rel;
	(*known)->relation = rte->relid;
	(*known)->filters = without_filters(false);
	(*known)->all_filters = palloc(sizeof(CompileResult));
	*(*known)->all_filters = *without_filters(true);
	/* a filter costs at least a comparison */
	(*known)->all_filters->op_cost += list_length(rel->baserestrictinfo) * (op_info[VMOP_LT_I].cost + op_info[VMOP_FILTER].cost) / 10.0;
	/* a GPU turns attributes into columns while it waits for pages */
	if (!device_may_use_gpu())
		(*known)->all_filters->fetch_cost = least_of_columns(rel, rte->relid);
	(*known)->cached_parts = palloc0(sizeof(List *));
	(*known)->resident = palloc(sizeof(double));
	*(*known)->resident = -1;
	MemoryContextSwitchTo(old);
	return *known;
}

static Candidate *
candidate_create(PlannerInfo *root, RelOptInfo *rel, RangeTblEntry *rte)
{
	Candidate  *candidate = describe(root, rel, rte);
	const Candidate *minimal = candidate_minimal(root, rel);

	candidate->cached_parts = palloc0(sizeof(List *));
	candidate->resident = palloc(sizeof(double));
	*candidate->resident = minimal != NULL ? *minimal->resident : -1;
	if (candidate->reason == NULL && rte->inh)
		candidate->reason = take_children(root, candidate);
	if (candidate->reason == NULL)
		examine_quals(root, candidate);
	/* the child relations of a tree have scans of their own */
	decision_note(root, rel, DECISION_SCAN, candidate->reason ? candidate->reason
				  : rte->inh ? "relation_kind"
				  : list_length(candidate_quals(candidate, false)) == list_length(candidate->quals)
				  ? candidate->qual_reason : NULL);
	return candidate;
}

Candidate *
candidate_of(PlannerInfo *root, const RelOptInfo *rel)
{
	Candidate  *candidate = search_find(root, rel->relids);
	MemoryContext old;

	if (candidate != NULL || !IS_SIMPLE_REL(rel) || !candidate_is_of_table(root->simple_rel_array[rel->relid], planner_rt_fetch(rel->relid, root)))
		return candidate;
	old = MemoryContextSwitchTo(root->planner_cxt);
	candidate = candidate_create(root, root->simple_rel_array[rel->relid], planner_rt_fetch(rel->relid, root));
	if (candidate->reason == NULL)
		candidate = path_not_in_pipeline(root, candidate);
	search_remember(root, candidate);
	MemoryContextSwitchTo(old);
	return candidate;
}

const CompileResult *
candidate_check_once(const Candidate *candidate, const CompileRequest *request, CompileResult **known)
{
	if (*known == NULL)
	{
		*known = palloc(sizeof(CompileResult));
		(void) candidate_check(candidate, request, *known);
	}
	return *known;
}

/* Subtract the cost of returning row numbers from that of compiled filters: an aggregate above them returns none. */
static CompileResult *
without_rows(const CompileResult *filters)
{
	CompileResult *result = palloc(sizeof(CompileResult));

	*result = *filters;
	result->op_cost -= op_info[VMOP_EMIT].cost / 10.0;
	return result;
}

const CompileResult *
candidate_all_filters(Candidate *candidate)
{
	if (candidate->quals == NIL && candidate->all_filters == NULL)
		return without_filters(true);
	if (candidate->all_filters == NULL && candidate->filters != NULL && candidate->qual_reason == NULL)
		candidate->all_filters = without_rows(candidate->filters);
	return candidate_check_once(candidate, &(CompileRequest) {.aggregate = true, .quals = candidate->quals}, &candidate->all_filters);
}

bool
candidate_ends_in_full_join(const Candidate *candidate)
{
	return candidate->joins != NIL && ((const CandidateJoin *) llast(candidate->joins))->request.type == JOIN_FULL;
}

List *
candidate_joins(const Candidate *candidate)
{
	List	   *joins = NIL;
	ListCell   *lc;

	foreach(lc, candidate->joins)
		joins = lappend(joins, &((CandidateJoin *) lfirst(lc))->request);
	return joins;
}

List *
candidate_children(const Candidate *candidate)
{
	List	   *oids = NIL;
	ListCell   *lc;

	foreach(lc, candidate->children)
		oids = lappend_oid(oids, ((CandidateChild *) lfirst(lc))->relation);
	return oids;
}

List *
candidate_quals(const Candidate *candidate, bool on_device)
{
	List	   *quals = NIL;
	ListCell   *qual;
	ListCell   *flag;

	forboth(qual, candidate->quals, flag, candidate->on_device)
		if ((lfirst_int(flag) != 0) == on_device)
			quals = lappend(quals, lfirst(qual));
	return quals;
}
