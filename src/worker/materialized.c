/*
 * materialized.c
 *		Rows materialized on the device by jobs, and join tables made of them, which other jobs use.
 *
 * The owner of a job slot posts a request in ChannelJob.keeping, when all its
 * GPU batches have been answered: to make a join table of the rows, to sort
 * them, or to copy a range of them.  The service calls materialized_serve() until the
 * request is done; making a table and sorting may take several calls.
 */
#include "postgres.h"

#include <stdlib.h>

#include "worker/materialized.h"
#include "worker/page_batches.h"

/* Most sets of rows at a time: one for each slot, and as many that have outlived their slot. */
#define MATERIALIZED_MOST (2 * CHANNEL_JOBS)

typedef struct Materialized
{
	uint64		number;			/* name for requesters: slot + 1 and the slot's state word */
	uint32		database;
	ProviderMaterialized *rows;
	bool		is_table;
	bool		is_sorted;
	uint32		nrows;			/* number of rows, if sorted */
	uint32		ncolumns;
	uint8		type[PROGRAM_MAX_MATERIALIZED];
	int			users;			/* number of users, 0 = free */
} Materialized;

static const Provider *provider;
static Materialized materialized[MATERIALIZED_MOST];
static Materialized *of_slot[CHANNEL_JOBS];

bool
materialized_open(const Provider *device, int slot, const ChannelJob *job, uint32 word, const ProviderJob *own)
{
	const Program *program = own->view.program;
	Materialized *free_one = materialized;

	if (program->nmaterialized == 0)
		return true;
	provider = device;
	while (free_one < materialized + MATERIALIZED_MOST && free_one->users > 0)
		free_one++;
	if (free_one == materialized + MATERIALIZED_MOST || provider->open_materialized == NULL)
		return false;
	*free_one = (Materialized) {
		.number = (uint64) (slot + 1) << 32 | word, .database = own->database, .rows = provider->open_materialized(own, job->keep_most),
		.ncolumns = program->nmaterialized, .users = 1
	};
	memcpy(free_one->type, program->materialized, sizeof(free_one->type));
	if (free_one->rows == NULL)
		free_one->users = 0;
	else
		of_slot[slot] = free_one;
	return free_one->rows != NULL;
}

ProviderMaterialized *
materialized_rows(int slot)
{
	return of_slot[slot] != NULL ? of_slot[slot]->rows : NULL;
}

/* End one use of a set of rows; the last one closes it. */
static void
leave(Materialized *left)
{
	if (--left->users == 0)
		provider->close_materialized(left->rows);
}

void
materialized_close(int slot)
{
	if (of_slot[slot] != NULL)
		leave(of_slot[slot]);
	of_slot[slot] = NULL;
}

bool
materialized_asked(ChannelJob *job)
{
	const ChannelKeeping keeping = pg_atomic_read_u32(&job->keeping);

	pg_read_barrier();
	return keeping_is_asked(keeping);
}

/* Continue with making a join table of a slot's rows, and return the state to report. */
static ChannelKeeping
make_table(Materialized *own, ChannelJob *job)
{
	MaterializedPlan plan = job->plan;
	DeviceStatus status;

	status = plan.head.nparts <= JOIN_MAX_PARTS && !plan.head.sorted && !own->is_sorted ? provider->index_materialized(own->rows, &plan) : STATUS_BAD_PROGRAM;
	if (status == STATUS_TIME_SLICE)
		return KEEPING_ASKED;
	own->is_table = status == STATUS_DONE;
	job->plan = plan;
	return own->is_table ? KEEPING_TABLE : KEEPING_FAILED;
}

/* Continue with sorting a slot's rows, which is done only once, and return the state to report. */
static ChannelKeeping
sort(Materialized *own, const ChannelJob *job)
{
	const MaterializedSort wanted = *(volatile const MaterializedSort *) &job->sort;
	DeviceStatus status;

	status = wanted.nkeys <= SORT_MOST_KEYS && !own->is_table && !own->is_sorted ? provider->sort_materialized(own->rows, &wanted) : STATUS_BAD_PROGRAM;
	if (status == STATUS_TIME_SLICE)
		return KEEPING_SORT;
	own->is_sorted = status == STATUS_DONE;
	own->nrows = wanted.nrows;
	return own->is_sorted ? KEEPING_ROWS : KEEPING_FAILED;
}

/* Copy the requested range of rows to the requested destination, and return the state to report. */
static ChannelKeeping
hand_out(const Materialized *own, Channel *channel, int slot)
{
	ChannelJob *job = &channel->job[slot];
	const ChannelPart part = *(volatile ChannelPart *) &job->part;
	uint64	   *into = job->result[0].rows;
	uint32		words = CHANNEL_ROWS_WORDS;
	MaterializedLayout layout;

	materialized_layout(own->type, own->ncolumns, part.nrows, &layout);
	if (part.room != CHANNEL_NO_ROOM)
		into = page_batch_groups_place(channel, slot, part.room, &words);
	if (into == NULL || part.first % 64 != 0 || layout.size > words * sizeof(uint64) ||
		provider->read_materialized(own->rows, part.first, part.nrows, (uint8 *) into) != STATUS_DONE)
		return KEEPING_FAILED;
	job->part.checksum = channel_sum(into, (uint32) (layout.size / sizeof(uint64)));
	return KEEPING_ROWS;
}

bool
materialized_serve(Channel *channel, int slot)
{
	ChannelJob *job = &channel->job[slot];
	Materialized *own = of_slot[slot];
	ChannelKeeping answer = KEEPING_FAILED;
	ChannelKeeping asked;

	if (!materialized_asked(job))
		return false;
	asked = pg_atomic_read_u32(&job->keeping);
	/* without materialized rows the request fails */
	if (own != NULL)
		answer = asked == KEEPING_ASKED ? make_table(own, job) : asked == KEEPING_SORT ? sort(own, job) : hand_out(own, channel, slot);
	pg_write_barrier();
	if (answer != asked)
		pg_atomic_write_u32(&job->keeping, answer);
	return true;
}

static Materialized *
find(uint64 number)
{
	for (Materialized *one = materialized; one < materialized + MATERIALIZED_MOST; one++)
		if (one->users > 0 && one->number == number)
			return one;
	return NULL;
}

ProviderMaterialized *
materialized_use(uint64 number, uint32 database)
{
	Materialized *found = find(number);

	if (found == NULL || !found->is_table || found->database != database)
		return NULL;
	found->users++;
	return found->rows;
}

ProviderMaterialized *
materialized_use_sorted(const MaterializedSource *source, uint32 database)
{
	Materialized *found = find(source->number);

	if (found == NULL || !found->is_sorted || found->database != database || source->nrows != found->nrows)
		return NULL;
	found->users++;
	return found->rows;
}

void
materialized_leave(uint64 number)
{
	Materialized *found = find(number);

	if (found != NULL)
		leave(found);
}
