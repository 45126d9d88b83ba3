/*
 * kept.c
 *		Rows that the provider keeps for jobs, and tables of them, which other jobs look into.
 */
#include "postgres.h"

#include <stdlib.h>

#include "worker/kept.h"

/* As many as there are slots, and some that have outlived theirs. */
#define KEPT_MOST (2 * CHANNEL_JOBS)

typedef struct Kept
{
	uint64		number;			/* as requesters name it */
	uint32		database;
	ProviderKept *rows;
	bool		is_table;
	int			users;			/* 0 = there is none */
} Kept;

static const Provider *provider;
static Kept kept[KEPT_MOST];
static Kept *of_slot[CHANNEL_JOBS];

bool
kept_open(const Provider *device, int slot, const ChannelJob *job, uint32 word, const ProviderJob *own)
{
	Kept	   *free_one = kept;

	if (own->view.program->nkept == 0)
		return true;
	provider = device;
	while (free_one < kept + KEPT_MOST && free_one->users > 0)
		free_one++;
	if (free_one == kept + KEPT_MOST || provider->open_kept == NULL)
		return false;
	*free_one = (Kept) {
		.number = (uint64) (slot + 1) << 32 | word, .database = own->database, .rows = provider->open_kept(own, job->keep_most), .users = 1
	};
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
	const bool asked = pg_atomic_read_u32(&job->keeping) == KEEPING_ASKED;

	pg_read_barrier();
	return asked;
}

bool
kept_serve(int slot, ChannelJob *job)
{
	Kept	   *own = of_slot[slot];
	KeptPlan	plan;
	DeviceStatus status;

	if (!kept_asked(job))
		return false;
	if (own == NULL)
	{
		/* there was no room for any */
		pg_atomic_write_u32(&job->keeping, KEEPING_FAILED);
		return true;
	}
	plan = job->plan;
	status = plan.head.nparts <= JOIN_MAX_PARTS && !plan.head.sorted ? provider->index_kept(own->rows, &plan) : STATUS_BAD_PROGRAM;
	if (status == STATUS_TIME_SLICE)
		return true;
	own->is_table = status == STATUS_DONE;
	job->plan = plan;
	pg_write_barrier();
	pg_atomic_write_u32(&job->keeping, own->is_table ? KEEPING_TABLE : KEEPING_FAILED);
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

void
kept_leave(uint64 number)
{
	Kept	   *found = find(number);

	if (found != NULL)
		leave(found);
}
