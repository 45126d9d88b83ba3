/*
 * node.c
 *		Questions about a node's state and its plan that all parts of the executor ask.
 */
#include "postgres.h"

#include "exec/run/node.h"

bool
is_gpudb_node(const Plan *plan)
{
	const CustomScan *scan = (const CustomScan *) plan;

	return IsA(plan, CustomScan) && (scan->methods == &gpu_scan_methods || scan->methods == &gpu_agg_methods || scan->methods == &gpu_join_methods ||
									 scan->methods == &gpu_materialized_scan_methods);
}

bool
is_gpudb_over_any(const Plan *plan)
{
	const CustomScan *scan = (const CustomScan *) plan;

	return IsA(plan, CustomScan) && (scan->methods == &gpu_sort_methods || scan->methods == &gpu_sort_agg_methods);
}

const NodeMethods *
node_methods(const PlanState *ps)
{
	return IsA(ps, CustomScanState) && is_gpudb_node(ps->plan) ? methods_of((const GpuNode *) ps) : NULL;
}

Index
node_driver(const CustomScan *plan)
{
	int			relid = -1;

	for (int before = intVal(list_nth(plan->custom_private, NODE_PRIVATE_DRIVER)); before >= 0; before--)
		relid = bms_next_member(plan->custom_relids, relid);
	return relid;
}

ColumnWanted
column_wanted(const ColumnUse *use)
{
	return (ColumnWanted) {
		.attno = use->attno, .second = use->second, .packed = use->packed, .coded = use->coded, .scale = use->scale
	};
}

ColumnWanted *
columns_wanted(const ColumnUse *use, int n)
{
	ColumnWanted *wanted = palloc(sizeof(ColumnWanted) * Max(n, 1));

	for (int c = 0; c < n; c++)
		wanted[c] = column_wanted(&use[c]);
	return wanted;
}

Bitmapset *
node_not_null(const GpuNode *node)
{
	return node->nchildren == 0 || node->relation->rd_rel->relkind == RELKIND_PARTITIONED_TABLE
		? compile_not_null(RelationGetDescr(node->relation)) : NULL;
}

ColumnWanted *
node_columns_wanted(const GpuNode *node)
{
	const CompileResult *compiled = &node->compiled;
	const Bitmapset *declared = node_not_null(node);
	ColumnWanted *wanted = columns_wanted(compiled->column, compiled->ncolumns);

	for (int i = 0; i < compiled->ncolumns; i++)
		wanted[i].not_null = bms_is_member(wanted[i].attno, declared);
	return wanted;
}
