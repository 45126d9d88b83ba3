/*
 * children.c
 *		Reading the partitions and inheritance children (child relations) of a node's relation.
 *
 * Child relations are read one after the other.  Each has its own order of
 * attributes, its own pages and its own cached columns, while the program is
 * the same for all.  So each is fed to a job with its own DeformSpec.  The first
 * child relation's job is the node's own, which absorbs the groups of the other
 * jobs as it absorbs those of parallel workers.
 */
#include "postgres.h"

#include "access/attmap.h"
#include "access/table.h"
#include "miscadmin.h"

#include "device/device.h"
#include "exec/run/children.h"
#include "pg_compat.h"
#include "tablet/read/build.h"

struct Child
{
	Relation	relation;
	AttrMap    *attributes;		/* attribute number in `relation` of each attribute of the parent */
};

void
children_begin(GpuNode *node)
{
	const CustomScan *plan = (const CustomScan *) node->css.ss.ps.plan;
	const List *oids = list_nth(plan->custom_private, NODE_PRIVATE_CHILDREN);

	node->nchildren = list_length(oids);
	if (node->nchildren == 0)
		return;
	node->children = palloc(sizeof(Child) * node->nchildren);
	for (int m = 0; m < node->nchildren; m++)
	{
		Child	   *child = &node->children[m];

		child->relation = table_open(list_nth_oid(oids, m), AccessShareLock);
		child->attributes = compat_attributes_by_name(RelationGetDescr(child->relation), RelationGetDescr(node->relation));
	}
}

void
children_end(GpuNode *node)
{
	for (int m = 0; m < node->nchildren; m++)
		table_close(node->children[m].relation, NoLock);
	node->nchildren = 0;
}

Relation
children_at(const GpuNode *node, int m)
{
	return node->nchildren > 0 ? node->children[m].relation : node->relation;
}

Relation
children_first(const GpuNode *node)
{
	return children_at(node, 0);
}

static void
translate(const Child *child, ColumnWanted *wanted, int n)
{
	for (int i = 0; i < n; i++)
		wanted[i].attno = child->attributes->attnums[wanted[i].attno - 1];
}

void
children_translate(const GpuNode *node, ColumnWanted *wanted)
{
	if (node->nchildren > 0)
		translate(&node->children[0], wanted, node->compiled.ncolumns);
}

/* Merge the groups of a child relation's completed job into the node's job. */
static DeviceStatus
merge(GpuNode *node, Feed *feed)
{
	const GroupTable *groups;
	DeviceStatus status = feed_finish(feed, &groups);

	return status == STATUS_DONE ? node->device->absorb(node->feed.job, groups, false) : status;
}

/*
 * Open a job for a child relation that leaves its groups with the node's job if
 * the device supports that, or else a job with groups of its own.
 */
static bool
open_job(GpuNode *node, Feed *feed)
{
	feed->spec.family = feed->take_rows == NULL ? node->device->family(node->feed.job) : 0;
	if (feed->spec.family != 0 && feed_open_job(feed, node->device))
		return true;
	feed->spec.family = 0;
	return feed_open_job(feed, node->device);
}

static void
feed_child(GpuNode *node, const Child *child, FeedOutcome *outcome)
{
	Feed	   *feed = &node->child_feed;
	ColumnWanted *wanted = node_columns_wanted(node);

	translate(child, wanted, node->compiled.ncolumns);
	*feed = (Feed) {.reads_all = node->secret, .spec = node->feed.spec, .wanted = wanted, .take_rows = node->feed.take_rows, .take_arg = node->feed.take_arg};
	feed->spec.deform = deform_spec_create(child->relation, wanted, node->compiled.ncolumns);
	feed_begin(feed, node->run_context, child->relation, node->css.ss.ps.state->es_snapshot);
	feed->counts_bytes = node->css.ss.ps.instrument != NULL;
	if (!open_job(node, feed))
		outcome->status = STATUS_MEMORY_LIMIT;
	else
	{
		feed_find_cached(feed);
		feed_all(feed, outcome);
		if (outcome->status == STATUS_DONE && feed->take_rows == NULL)
			outcome->status = merge(node, feed);
	}
	feed_end(feed);
	if (feed->report.resident)
		node->device->adopt(node->feed.job);
	feed_report_add(&node->feed.report, &feed->report);
}

void
children_feed(GpuNode *node, FeedOutcome *outcome)
{
	MemoryContext old = MemoryContextSwitchTo(node->run_context);

	for (int m = 1; m < node->nchildren && outcome->status == STATUS_DONE; m++)
		feed_child(node, &node->children[m], outcome);
	MemoryContextSwitchTo(old);
}
