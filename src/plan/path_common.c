/*
 * path_common.c
 *		Copying, choosing and offering paths.
 */
#include "postgres.h"

#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"

#include "guc.h"
#include "plan/path.h"

static Size
path_size(const Path *path)
{
	switch (nodeTag(path))
	{
		case T_Path:
			return sizeof(Path);
		case T_IndexPath:
			return sizeof(IndexPath);
		case T_BitmapHeapPath:
			return sizeof(BitmapHeapPath);
		case T_TidPath:
			return sizeof(TidPath);
		case T_TidRangePath:
			return sizeof(TidRangePath);
		case T_AggPath:
			return sizeof(AggPath);
		case T_GroupPath:
			return sizeof(GroupPath);
		case T_NestPath:
			return sizeof(NestPath);
		case T_MergePath:
			return sizeof(MergePath);
		case T_HashPath:
			return sizeof(HashPath);
		default:
			return 0;
	}
}

Path *
path_copy(const Path *path)
{
	Size		size = path_size(path);
	Path	   *copy;

	if (size == 0)
		return NULL;
	copy = palloc(size);
	memcpy(copy, path, size);
	return copy;
}

Path *
path_cheapest(List *paths, bool (*accept) (const Path *path))
{
	Path	   *cheapest = NULL;
	ListCell   *lc;

	foreach(lc, paths)
	{
		Path	   *path = lfirst(lc);

		if (path->param_info != NULL || path_size(path) == 0 || (accept && !accept(path)))
			continue;
		if (cheapest == NULL || path->total_cost < cheapest->total_cost)
			cheapest = path;
	}
	return cheapest;
}

void
path_group_keys(PlannerInfo *root, List *clauses, List **keys, List **of_keys)
{
	ListCell   *lc;

	*keys = *of_keys = NIL;
	foreach(lc, clauses)
	{
		Node	   *key = get_sortgroupclause_expr(lfirst(lc), root->processed_tlist);

		if (list_member(*keys, key))
			continue;
		*keys = lappend(*keys, key);
		*of_keys = lappend(*of_keys, lfirst(lc));
	}
}

void
path_offer(RelOptInfo *rel, Path *path)
{
	if (gpudb_force)
	{
		rel->pathlist = NIL;
		rel->partial_pathlist = NIL;
	}
	add_path(rel, path);
}
