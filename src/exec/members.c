/*
 * members.c
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
#include "exec/members.h"
#include "pg_compat.h"
#include "tablet/build.h"

struct Member
{
	Relation	relation;
	AttrMap    *attributes;		/* attribute number in `relation` of each attribute of the parent */
};

void
members_begin(GpuNode *node)
{
	const CustomScan *plan = (const CustomScan *) node->css.ss.ps.plan;
	const List *oids = list_nth(plan->custom_private, NODE_PRIVATE_MEMBERS);

	node->nmembers = list_length(oids);
	if (node->nmembers == 0)
		return;
	node->members = palloc(sizeof(Member) * node->nmembers);
	for (int m = 0; m < node->nmembers; m++)
	{
		Member	   *member = &node->members[m];

		member->relation = table_open(list_nth_oid(oids, m), AccessShareLock);
		member->attributes = compat_attributes_by_name(RelationGetDescr(member->relation), RelationGetDescr(node->relation));
	}
}

void
members_end(GpuNode *node)
{
	for (int m = 0; m < node->nmembers; m++)
		table_close(node->members[m].relation, NoLock);
	node->nmembers = 0;
}

Relation
members_at(const GpuNode *node, int m)
{
	return node->nmembers > 0 ? node->members[m].relation : node->relation;
}

Relation
members_first(const GpuNode *node)
{
	return members_at(node, 0);
}

static void
translate(const Member *member, ColumnWanted *wanted, int n)
{
	for (int i = 0; i < n; i++)
		wanted[i].attno = member->attributes->attnums[wanted[i].attno - 1];
}

void
members_translate(const GpuNode *node, ColumnWanted *wanted)
{
	if (node->nmembers > 0)
		translate(&node->members[0], wanted, node->compiled.ncolumns);
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
feed_member(GpuNode *node, const Member *member, FeedOutcome *outcome)
{
	Feed	   *feed = &node->member_feed;
	ColumnWanted *wanted = node_columns_wanted(node);

	translate(member, wanted, node->compiled.ncolumns);
	*feed = (Feed) {.reads_all = node->secret, .spec = node->feed.spec, .wanted = wanted, .take_rows = node->feed.take_rows, .take_arg = node->feed.take_arg};
	feed->spec.deform = deform_spec_create(member->relation, wanted, node->compiled.ncolumns);
	feed_begin(feed, node->run_context, member->relation, node->css.ss.ps.state->es_snapshot);
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
members_feed(GpuNode *node, FeedOutcome *outcome)
{
	MemoryContext old = MemoryContextSwitchTo(node->run_context);

	for (int m = 1; m < node->nmembers && outcome->status == STATUS_DONE; m++)
		feed_member(node, &node->members[m], outcome);
	MemoryContextSwitchTo(old);
}
