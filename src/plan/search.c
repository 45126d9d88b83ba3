/*
 * search.c
 *		Stores gpudb's planner state of each query level.
 *
 * Planning nests and may end by an error, so the state of a level is tied to
 * the memory context in which it was begun: when that context goes, the state
 * is unlinked.
 *
 * Most queries are too cheap for a device, and their planning must not take
 * longer than without gpudb.  Relations that PostgreSQL expects to be cheap
 * are therefore not examined when its hooks are called, and pairs that its
 * join search considers are only stored.  Once a join is expensive, the stored
 * pairs are examined in their order, and base relations as they are needed
 * (candidate_of()).
 */
#include "postgres.h"

#include <math.h>

#include "utils/memutils.h"

#include "device/calibration.h"
#include "guc.h"
#include "plan/lower_bound.h"
#include "plan/path.h"
#include "plan/search.h"

/*
 * Multiple of the cost of starting a device that PostgreSQL's plan must cost,
 * for each relation in it, before plans for a device are considered: that
 * takes the longer the more relations there are.
 */
#define LEAST_STARTS	3

typedef struct KnownCandidate
{
	Relids		relids;
	uint32		hash;
	char		status;
	Candidate  *candidate;
} KnownCandidate;

#define SH_PREFIX known
#define SH_ELEMENT_TYPE KnownCandidate
#define SH_KEY_TYPE Relids
#define SH_KEY relids
#define SH_HASH_KEY(table, key) bms_hash_value(key)
#define SH_EQUAL(table, a, b) bms_equal(a, b)
#define SH_STORE_HASH
#define SH_GET_HASH(table, element) (element)->hash
#define SH_SCOPE static inline
#define SH_DECLARE
#define SH_DEFINE
#include "lib/simplehash.h"

/* Initial size of the hash table of a level. */
#define FIRST_CANDIDATES	8

/* Joins of a type that have been compiled: to which relations, and by which clauses. */
typedef struct CompiledJoins
{
	JoinType	type;
	Relids		inner;
	List	   *clauses;		/* RestrictInfos, by their addresses */
} CompiledJoins;

/* A join without keys that has been compiled. */
typedef struct BoundedJoin
{
	JoinType	type;
	Relids		inner;
	List	   *clauses;		/* RestrictInfos, by their addresses */
	JoinBounds	bounds;
} BoundedJoin;

typedef struct Search
{
	struct Search *outer;
	PlannerInfo *root;
	known_hash *candidates;
	List	   *deferred;		/* JoinPairs with their own JoinPathExtraData */
	List	   *compiled;		/* of CompiledJoins */
	List	   *bounded;		/* of BoundedJoin */
	RelOptInfo *saved;			/* search_saved_join() */
	Cost		cost_to_beat;	/* search_cost_to_beat() */
	MaySort		may_sort;
	LevelBound	bounds[BOUND_DETAILS];
	Candidate **minimal;		/* by range table index */
	MemoryContextCallback unlink;
} Search;

static Search *searches = NULL;

static void
unlink_search(void *arg)
{
	Search	  **link = &searches;

	while (*link != NULL && *link != arg)
		link = &(*link)->outer;
	if (*link != NULL)
		*link = (*link)->outer;
}

static Search *
find_search(const PlannerInfo *root)
{
	for (Search *search = searches; search != NULL; search = search->outer)
		if (search->root == root)
			return search;
	return NULL;
}

/*
 * Return the state of a query level, which is begun if there is none; the
 * current memory context must be the planner's.
 */
static Search *
open_search(PlannerInfo *root)
{
	Search	   *search = find_search(root);

	if (search != NULL)
		return search;
	search = palloc0(sizeof(Search));
	search->root = root;
	search->cost_to_beat = INFINITY;
	search->outer = searches;
	search->candidates = known_create(root->planner_cxt, FIRST_CANDIDATES, NULL);
	search->unlink.func = unlink_search;
	search->unlink.arg = search;
	MemoryContextRegisterResetCallback(root->planner_cxt, &search->unlink);
	return searches = search;
}

bool
search_is_worth(const PlannerInfo *root, const RelOptInfo *rel)
{
	/* results of grouping and other upper relations have no relids of their own */
	const int	nrelations = bms_num_members(rel->relids != NULL ? rel->relids : root->all_baserels);
	const Cost	start = calibration_figure(FIGURE_cpu_start) / calibration_figure(FIGURE_pg_unit);

	return gpudb_force || path_least_cost(rel) >= Max(nrelations, 1) * LEAST_STARTS * start;
}

Candidate *
search_find(PlannerInfo *root, Relids relids)
{
	const Search *search = find_search(root);
	const KnownCandidate *known = search != NULL ? known_lookup(search->candidates, relids) : NULL;

	return known != NULL ? known->candidate : NULL;
}

void
search_remember(PlannerInfo *root, Candidate *candidate)
{
	MemoryContext old = MemoryContextSwitchTo(root->planner_cxt);
	bool		found;

	known_insert(open_search(root)->candidates, candidate->relids, &found)->candidate = candidate;
	MemoryContextSwitchTo(old);
}

void
search_defer(PlannerInfo *root, const JoinPair *pair)
{
	MemoryContext old = MemoryContextSwitchTo(root->planner_cxt);
	Search	   *search = open_search(root);
	JoinPair   *copy = palloc(sizeof(JoinPair));
	JoinPathExtraData *extra = palloc(sizeof(JoinPathExtraData));

	*copy = *pair;
	*extra = *pair->extra;
	/* the sjinfo of an inner join is a variable of PostgreSQL's make_join_rel() */
	extra->sjinfo = palloc(sizeof(SpecialJoinInfo));
	*extra->sjinfo = *pair->extra->sjinfo;
	copy->extra = extra;
	search->deferred = lappend(search->deferred, copy);
	MemoryContextSwitchTo(old);
}

List *
search_deferred(PlannerInfo *root)
{
	const Search *search = find_search(root);

	return search != NULL ? search->deferred : NIL;
}

List *
search_take_deferred(PlannerInfo *root)
{
	Search	   *search = find_search(root);
	List	   *deferred = search_deferred(root);

	if (search != NULL)
		search->deferred = NIL;
	return deferred;
}

void
search_save_join(PlannerInfo *root, const RelOptInfo *joined)
{
	MemoryContext old = MemoryContextSwitchTo(root->planner_cxt);
	Search	   *search = open_search(root);
	Path	   *cheapest = path_cheapest(joined->pathlist, NULL);
	ListCell   *lc;

	search->saved = palloc(sizeof(RelOptInfo));
	*search->saved = *joined;
	search->saved->pathlist = cheapest != NULL ? list_make1(path_copy(cheapest)) : NIL;
	foreach(lc, search->deferred)
	{
		JoinPair   *pair = lfirst(lc);

		if (pair->joined == joined)
			pair->joined = search->saved;
	}
	MemoryContextSwitchTo(old);
}

RelOptInfo *
search_saved_join(PlannerInfo *root)
{
	const Search *search = find_search(root);

	return search != NULL ? search->saved : NULL;
}

void
search_set_cost_to_beat(PlannerInfo *root, Cost cost)
{
	Search	   *search = find_search(root);

	if (search != NULL)
		search->cost_to_beat = cost;
}

Cost
search_cost_to_beat(PlannerInfo *root)
{
	const Search *search = find_search(root);

	return search != NULL ? search->cost_to_beat : INFINITY;
}

/* Return the state of a query level, which is begun if there is none, whatever the current memory context is. */
static Search *
open_anywhere(PlannerInfo *root)
{
	MemoryContext old = MemoryContextSwitchTo(root->planner_cxt);
	Search	   *search = open_search(root);

	MemoryContextSwitchTo(old);
	return search;
}

LevelBound *
search_lower_bounds(PlannerInfo *root, BoundDetail detail)
{
	return &open_anywhere(root)->bounds[detail];
}

Candidate **
search_minimal(PlannerInfo *root, Index relid)
{
	Search	   *search = open_anywhere(root);

	Assert((int) relid < root->simple_rel_array_size);
	if (search->minimal == NULL)
		search->minimal = MemoryContextAllocZero(root->planner_cxt, sizeof(Candidate *) * root->simple_rel_array_size);
	return &search->minimal[relid];
}

MaySort *
search_may_sort(PlannerInfo *root)
{
	return &open_anywhere(root)->may_sort;
}

static CompiledJoins *
find_compiled(const Search *search, JoinType type)
{
	ListCell   *lc;

	foreach(lc, search != NULL ? search->compiled : NIL)
		if (((const CompiledJoins *) lfirst(lc))->type == type)
			return lfirst(lc);
	return NULL;
}

bool
search_is_compiled(PlannerInfo *root, const JoinPair *pair)
{
	const CompiledJoins *joins = find_compiled(find_search(root), pair->type);
	ListCell   *lc;

	if (joins == NULL || !bms_is_subset(pair->inner->relids, joins->inner))
		return false;
	foreach(lc, pair->extra->restrictlist)
		if (!list_member_ptr(joins->clauses, lfirst(lc)))
			return false;
	return true;
}

void
search_note_compiled(PlannerInfo *root, const JoinPair *pair)
{
	MemoryContext old = MemoryContextSwitchTo(root->planner_cxt);
	Search	   *search = open_search(root);
	CompiledJoins *joins = find_compiled(search, pair->type);

	if (joins == NULL)
	{
		joins = palloc0(sizeof(CompiledJoins));
		joins->type = pair->type;
		search->compiled = lappend(search->compiled, joins);
	}
	joins->inner = bms_add_members(joins->inner, pair->inner->relids);
	joins->clauses = list_concat_unique_ptr(joins->clauses, pair->extra->restrictlist);
	MemoryContextSwitchTo(old);
}

static bool
are_same_clauses(const List *a, const List *b)
{
	ListCell   *x;
	ListCell   *y;

	if (list_length(a) != list_length(b))
		return false;
	forboth(x, a, y, b)
		if (lfirst(x) != lfirst(y))
			return false;
	return true;
}

const JoinBounds *
search_find_bounds(PlannerInfo *root, const JoinPair *pair)
{
	const Search *search = find_search(root);
	ListCell   *lc;

	foreach(lc, search != NULL ? search->bounded : NIL)
	{
		const BoundedJoin *join = lfirst(lc);

		if (join->type == pair->type && are_same_clauses(join->clauses, pair->extra->restrictlist) && bms_equal(join->inner, pair->inner->relids))
			return &join->bounds;
	}
	return NULL;
}

const JoinBounds *
search_note_bounds(PlannerInfo *root, const JoinPair *pair, const JoinUse *use)
{
	MemoryContext old = MemoryContextSwitchTo(root->planner_cxt);
	Search	   *search = open_search(root);
	BoundedJoin *join = palloc(sizeof(BoundedJoin));

	*join = (BoundedJoin) {
		pair->type, pair->inner->relids, pair->extra->restrictlist, {use->sorted, {use->bound[JOIN_LOWER], use->bound[JOIN_UPPER]}}
	};
	search->bounded = lappend(search->bounded, join);
	MemoryContextSwitchTo(old);
	return &join->bounds;
}
