/*
 * group_tables.c
 *		Device-resident group tables of jobs, and returning their groups to backends.
 *
 * The first groups are returned in a result, which also tells the total number.
 * For the others the owner submits page batches with result slots through the
 * slot's ring; if it could get none, they are returned in results as well.
 */
#include "postgres.h"

#include "worker/group_tables.h"
#include "worker/page_batches.h"

typedef struct GroupTables
{
	ProviderTable *table;
	int			users;			/* number of jobs that use it, 0 = free */
} GroupTables;

static const Provider *provider;
static GroupTables tables[CHANNEL_JOBS];

bool
group_tables_open(const Provider *device, JobGroups *groups, JobGroups *head, const ProviderJob *job)
{
	GroupTables *free_one = tables;

	provider = device;
	if (provider->open_table == NULL)
		return false;
	if (head->shared == NULL)
	{
		while (free_one->users > 0)
			free_one++;
		free_one->table = provider->open_table(job);
		if (free_one->table == NULL)
			return false;
		free_one->users = 1;
		*head = (JobGroups) {.shared = free_one};
	}
	if (head != groups)
	{
		*groups = (JobGroups) {.shared = head->shared};
		groups->shared->users++;
	}
	return true;
}

void
group_tables_close(JobGroups *groups)
{
	if (groups->shared != NULL && --groups->shared->users == 0)
		provider->close_table(groups->shared->table);
	*groups = (JobGroups) {.shared = NULL};
}

ProviderTable *
group_tables_of(const JobGroups *groups)
{
	return groups->shared != NULL ? groups->shared->table : NULL;
}

bool
group_tables_wanted(ChannelJob *job, const JobGroups *groups)
{
	if (groups->shared == NULL || groups->done)
		return false;
	switch ((ChannelDraining) pg_atomic_read_u32(&job->draining))
	{
		case DRAINING_NOTHING:
			return false;
		case DRAINING_FIRST:
			return groups->drained == 0;
		case DRAINING_SMALL:
			return true;
		case DRAINING_SLOTS:
			return pg_atomic_read_u32(&job->submitted) != pg_atomic_read_u32(&job->taken);
	}
	return false;
}

/*
 * Return the destination of the next groups, in the result or in the result
 * slots of the next page batch in the ring, and store its size in words.  NULL
 * if the page batch is invalid.
 */
static uint64 *
next_place(Channel *channel, int slot, ChannelResult *result, uint32 *words)
{
	ChannelJob *job = &channel->job[slot];
	uint32		at = pg_atomic_read_u32(&job->taken);

	result->room = CHANNEL_NO_ROOM;
	*words = CHANNEL_ROWS_WORDS;
	if (pg_atomic_read_u32(&job->draining) != DRAINING_SLOTS)
		return result->rows;
	pg_read_barrier();
	result->room = job->ring[at % CHANNEL_JOB_PAGE_BATCHES];
	pg_atomic_write_u32(&job->taken, at + 1);
	return page_batch_groups_place(channel, slot, result->room, words);
}

/*
 * Read only the groups that can be among the first job->top.wanted, if the owner
 * requests that and they fit; *n is 0 if not.  False if the device fails.
 */
static bool
read_top(const ChannelJob *job, const JobGroups *groups, uint32 total, uint32 room, uint64 *into, uint32 *n)
{
	const GroupTop top = job->top;

	*n = 0;
	if (groups->drained > 0 || top.wanted == 0 || top.wanted >= total || provider->read_top == NULL)
		return true;
	return provider->read_top(groups->shared->table, &top, room, into, n);
}

DeviceStatus
group_tables_read(Channel *channel, int slot, JobGroups *groups, uint32 row_words, ChannelResult *result, ReadGroups *read)
{
	ProviderTable *table = groups->shared->table;
	uint64		text_bytes = 0;
	uint32		total = 0;
	uint32		left_out = 0;
	uint32		room;
	uint32		n = 0;
	DeviceStatus status = STATUS_DONE;

	StaticAssertStmt(CHANNEL_ROWS_WORDS >= GROUP_WORDS_MOST, "a result has no room for a group");
	read->at = next_place(channel, slot, result, &room);
	if (read->at == NULL)
		status = STATUS_BAD_PROGRAM;
	else if (!provider->count_groups(table, &total) || !read_top(&channel->job[slot], groups, total, room, read->at, &n))
		status = STATUS_DEVICE_DOWN;
	else if (n > 0)
	{
		left_out = total - n;
		total = n;
	}
	else if (total > groups->drained && !provider->read_groups(table, groups->drained, room, read->at, &n, &text_bytes))
		status = STATUS_DEVICE_DOWN;
	if (status != STATUS_DONE)
		n = 0;
	groups->drained += n;
	groups->done = status != STATUS_DONE || groups->drained == total;
	result->total = total;
	result->left_out = left_out;
	result->ngroups = n;
	result->text_bytes = n > 0 ? (uint32) text_bytes : 0;
	read->words = n * (1 + row_words) + result->text_bytes / 8;
	return status;
}
