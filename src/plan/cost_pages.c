/*
 * cost_pages.c
 *		Computes what passes, and what PostgreSQL's paths, are charged for pages.
 *
 * PostgreSQL charges a path for every page that it reads, wherever the page is, and gpudb charges its nodes the same.
 * Two paths that read the same pages are charged alike; but PostgreSQL's path may read a small index where a node reads
 * the whole table.  If the table is in shared_buffers, then neither waits for its pages, and the difference is no time.
 *
 * An index scan's cost does not tell its pages apart from its CPU time.  PostgreSQL therefore computes it again while
 * a page costs nothing.
 */
#include "postgres.h"

#include <math.h>

#include "miscadmin.h"
#include "nodes/pathnodes.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "utils/spccache.h"

#include "plan/cost.h"
#include "plan/cost_private.h"

/*
 * Nanoseconds by which reading a page from memory takes longer where the table is much larger than the calibrated one:
 * with 140,000 pages, the processor finds neither pages nor their addresses in its caches.
 */
#define FAR_PAGE_NS		300

Cost
cost_resident_pages(const Candidate *candidate)
{
	double		page;

	if (candidate->rel->pages < COST_LEAST_PAGES_OUTSIDE)
		return 0;
	get_tablespace_page_costs(candidate->rel->reltablespace, NULL, &page);
	return Max(page - FAR_PAGE_NS / NS(pg_unit), 0) * candidate->rel->pages * (1 - cost_part_outside(candidate));
}

/* Return true if a page of a tablespace costs nothing. */
static bool
pages_are_free(Oid tablespace)
{
	double		random;
	double		sequential;

	get_tablespace_page_costs(tablespace, &random, &sequential);
	return random == 0 && sequential == 0;
}

/* Return what an index scan would cost if pages cost nothing; -INFINITY if its tablespaces have page costs of their own. */
static Cost
cost_without_pages(PlannerInfo *root, const IndexPath *path)
{
	const double random = random_page_cost;
	const double sequential = seq_page_cost;
	IndexPath	copy = *path;

	random_page_cost = seq_page_cost = 0;
	PG_TRY();
	{
		if (pages_are_free(path->indexinfo->reltablespace) && pages_are_free(path->path.parent->reltablespace))
			cost_index(&copy, root, 1, path->path.parallel_aware);
		else
			copy.path.total_cost = -INFINITY;
	}
	PG_FINALLY();
	{
		random_page_cost = random;
		seq_page_cost = sequential;
	}
	PG_END_TRY();
	return copy.path.total_cost;
}

static Cost
cost_of_seq_scan(const Path *path)
{
	double		sequential;

	get_tablespace_page_costs(path->parent->reltablespace, NULL, &sequential);
	return path->pathtype == T_SeqScan ? path->parent->pages * sequential : INFINITY;
}

static Cost
cost_of_all_pages(PlannerInfo *root, const List *paths)
{
	Cost		cost = 0;
	ListCell   *lc;

	foreach(lc, paths)
		cost += cost_of_pages(root, lfirst(lc));
	return cost;
}

Cost
cost_of_pages(PlannerInfo *root, const Path *path)
{
	check_stack_depth();
	switch (nodeTag(path))
	{
		case T_Path:
			return cost_of_seq_scan(path);
		case T_IndexPath:
			return path->total_cost - cost_without_pages(root, (const IndexPath *) path);
		case T_AppendPath:
			return cost_of_all_pages(root, ((const AppendPath *) path)->subpaths);
		case T_MergeAppendPath:
			return cost_of_all_pages(root, ((const MergeAppendPath *) path)->subpaths);
		case T_AggPath:
			return cost_of_pages(root, ((const AggPath *) path)->subpath);
		case T_GroupPath:
			return cost_of_pages(root, ((const GroupPath *) path)->subpath);
		case T_UpperUniquePath:
			return cost_of_pages(root, ((const UpperUniquePath *) path)->subpath);
		case T_ProjectionPath:
			return cost_of_pages(root, ((const ProjectionPath *) path)->subpath);
		case T_SortPath:
			return cost_of_pages(root, ((const SortPath *) path)->subpath);
		case T_IncrementalSortPath:
			return cost_of_pages(root, ((const IncrementalSortPath *) path)->spath.subpath);
		case T_GatherPath:
			return cost_of_pages(root, ((const GatherPath *) path)->subpath);
		case T_GatherMergePath:
			return cost_of_pages(root, ((const GatherMergePath *) path)->subpath);
		default:
			/* a path may run those below it several times, or stop early */
			return INFINITY;
	}
}
