/*
 * kept.c
 *		Rows materialized on the device by jobs, and join tables made of them, which other jobs use.
 *
 * The owner of a job slot posts a request in ChannelJob.keeping, when all its
 * GPU batches have been answered: to make a join table of the rows, to sort
 * them, or to copy a range of them.  The service calls kept_serve() until the
 * request is done; making a table and sorting may take several calls.
 */
#include "postgres.h"

#include <stdlib.h>

#include "worker/kept.h"
#include "worker/windows.h"

/* Most sets of rows at a time: one for each slot, and as many that have outlived their slot. */
#define KEPT_MOST (2 * CHANNEL_JOBS)

typedef struct Kept
{
	uint64		number;			/* name for requesters: slot + 1 and the slot's state word */
	uint32		database;
	ProviderKept *rows;
	bool		is_table;
	bool		is_sorted;
	uint32		nrows;			/* number of rows, if sorted */
	uint32		ncolumns;
	uint8		type[PROGRAM_MAX_KEPT];
	int			users;			/* number of users, 0 = free */
} Kept;

static const Provider *provider;
static Kept kept[KEPT_MOST];
static Kept *of_slot[CHANNEL_JOBS];

bool
kept_open(const Provider *device, int slot, const ChannelJob *job, uint32 word, const ProviderJob *own)
{
	const Program *program = own->view.program;
	Kept	   *free_one = kept;

	if (program->nkept == 0)
		return true;
	provider = device;
	while (free_one < kept + KEPT_MOST && free_one->users > 0)
		free_one++;
	if (free_one == kept + KEPT_MOST || provider->open_kept == NULL)
		return false;
	*free_one = (Kept) {
		.number = (uint64) (slot + 1) << 32 | word, .database = own->database, .rows = provider->open_kept(own, job->keep_most),
		.ncolumns = program->nkept, .users = 1
	};
	memcpy(free_one->type, program->kept, sizeof(free_one->type));
	if (free_one->rows == NULL)
		free_one->users = 0;
	else
		of_slot[slot] = free_one;
	return free_one->rows != NULL;
}

ProviderKept *
kept_rows(int slot)
{
	return of_slot[slot] != NULL ? of_slot[slot]->rows : NULL;
}

/* End one use of a set of rows; the last one closes it. */
static void
leave(Kept *left)
{
	if (--left->users == 0)
		provider->close_kept(left->rows);
}

void
kept_close(int slot)
{
	if (of_slot[slot] != NULL)
		leave(of_slot[slot]);
	of_slot[slot] = NULL;
}

bool
kept_asked(ChannelJob *job)
{
	const ChannelKeeping keeping = pg_atomic_read_u32(&job->keeping);

	pg_read_barrier();
	return keeping_is_asked(keeping);
}

/* Continue with making a join table of a slot's rows, and return the state to report. */
static ChannelKeeping
make_table(Kept *own, ChannelJob *job)
{
	KeptPlan	plan = job->plan;
	DeviceStatus status;

	status = plan.head.nparts <= JOIN_MAX_PARTS && !plan.head.sorted && !own->is_sorted ? provider->index_kept(own->rows, &plan) : STATUS_BAD_PROGRAM;
	if (status == STATUS_TIME_SLICE)
		return KEEPING_ASKED;
	own->is_table = status == STATUS_DONE;
	job->plan = plan;
	return own->is_table ? KEEPING_TABLE : KEEPING_FAILED;
}

/* Continue with sorting a slot's rows, which is done only once, and return the state to report. */
static ChannelKeeping
sort(Kept *own, const ChannelJob *job)
{
	const KeptSort wanted = *(volatile const KeptSort *) &job->sort;
	DeviceStatus status;

	status = wanted.nkeys <= SORT_MOST_KEYS && !own->is_table && !own->is_sorted ? provider->sort_kept(own->rows, &wanted) : STATUS_BAD_PROGRAM;
	if (status == STATUS_TIME_SLICE)
		return KEEPING_SORT;
	own->is_sorted = status == STATUS_DONE;
	own->nrows = wanted.nrows;
	return own->is_sorted ? KEEPING_ROWS : KEEPING_FAILED;
}

/* Copy the requested range of rows to the requested destination, and return the state to report. */
static ChannelKeeping
hand_out(const Kept *own, Channel *channel, int slot)
{
	ChannelJob *job = &channel->job[slot];
	const ChannelPart part = *(volatile ChannelPart *) &job->part;
	uint64	   *into = job->result[0].rows;
	uint32		words = CHANNEL_ROWS_WORDS;
	KeptLayout	layout;

	kept_layout(own->type, own->ncolumns, part.nrows, &layout);
	if (part.room != CHANNEL_NO_ROOM)
		into = window_groups_place(channel, slot, part.room, &words);
	if (into == NULL || part.first % 64 != 0 || layout.size > words * sizeof(uint64) ||
		provider->read_kept(own->rows, part.first, part.nrows, (uint8 *) into) != STATUS_DONE)
		return KEEPING_FAILED;
	job->part.checksum = channel_sum(into, (uint32) (layout.size / sizeof(uint64)));
	return KEEPING_ROWS;
}

bool
kept_serve(Channel *channel, int slot)
{
	ChannelJob *job = &channel->job[slot];
	Kept	   *own = of_slot[slot];
	ChannelKeeping answer = KEEPING_FAILED;
	ChannelKeeping asked;

	if (!kept_asked(job))
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

static Kept *
find(uint64 number)
{
	for (Kept *one = kept; one < kept + KEPT_MOST; one++)
		if (one->users > 0 && one->number == number)
			return one;
	return NULL;
}

ProviderKept *
kept_use(uint64 number, uint32 database)
{
	Kept	   *found = find(number);

	if (found == NULL || !found->is_table || found->database != database)
		return NULL;
	found->users++;
	return found->rows;
}

ProviderKept *
kept_use_sorted(const KeptSource *source, uint32 database)
{
	Kept	   *found = find(source->number);

	if (found == NULL || !found->is_sorted || found->database != database || source->nrows != found->nrows)
		return NULL;
	found->users++;
	return found->rows;
}

void
kept_leave(uint64 number)
{
	Kept	   *found = find(number);

	if (found != NULL)
		leave(found);
}
