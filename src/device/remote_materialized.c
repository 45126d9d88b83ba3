/*
 * remote_materialized.c
 *		Rows that the GPU process has materialized for a job: a join table of
 *		them, their order, or the rows themselves.
 *
 * Each is requested by a word of the job slot, which the GPU process answers.
 * Rows are fetched a range at a time: a few of them in the words of a result,
 * none of which is in use any more, larger ranges in result slots, as groups
 * are.
 */
#include "postgres.h"

#include <stdlib.h>

#include "device/device.h"
#include "device/remote.h"
#include "guc.h"

/* Pause between two checks for an answer after polling has not found one. */
#define ANSWER_PAUSE_US	20

static int	materialized_tables = 0; /* number of tables of this process, each with a job slot */

bool
remote_has_tables(void)
{
	return materialized_tables > 0;
}

/* A table is represented by its job slot, which stays open. */
struct MaterializedTable
{
	ChannelJob *slot;
};

static bool
has_answer(ChannelJob *slot)
{
	return !keeping_is_asked(pg_atomic_read_u32(&slot->keeping));
}

/*
 * Send a request to the GPU process, with all its arguments in the job slot.
 * Returns the answer, or the request itself if there will be none.
 */
static ChannelKeeping
ask(RemoteJob *job, ChannelKeeping what)
{
	ChannelKeeping answer;

	pg_write_barrier();
	pg_atomic_write_u32(&job->slot->keeping, what);
	channel_ring_doorbell(channel_get());
	INSTR_TIME_SET_CURRENT(job->news);
	(void) channel_poll(job->slot, has_answer);
	while ((answer = pg_atomic_read_u32(&job->slot->keeping)) == what)
	{
		if (!channel_job_alive(job->slot) || job->spec.interrupted() || remote_ms_since(job->news) > gpudb_queue_timeout)
			return what;
		pg_usleep(ANSWER_PAUSE_US);
	}
	pg_read_barrier();
	return answer;
}

MaterializedTable *
remote_hold(DeviceJob *device_job, SharedTable *shared)
{
	RemoteJob  *job = (RemoteJob *) device_job;
	MaterializedTable *table = job->slot != NULL && !job->lost ? malloc(sizeof(MaterializedTable)) : NULL;

	if (table == NULL)
		return NULL;
	*shared = (SharedTable) {.number = channel_family(job->slot)};
	table->slot = job->slot;
	job->slot = NULL;
	materialized_tables++;
	return table;
}

MaterializedTable *
remote_keep(DeviceJob *device_job, MaterializedPlan *plan, SharedTable *shared)
{
	RemoteJob  *job = (RemoteJob *) device_job;

	if (job->slot == NULL || job->lost)
		return NULL;
	job->slot->plan = *plan;
	if (ask(job, KEEPING_ASKED) != KEEPING_TABLE)
		return NULL;
	*plan = job->slot->plan;
	return remote_hold(device_job, shared);
}

bool
remote_sort(DeviceJob *device_job, const MaterializedSort *sort)
{
	RemoteJob  *job = (RemoteJob *) device_job;

	if (job->slot == NULL || job->lost)
		return false;
	job->slot->sort = *sort;
	return ask(job, KEEPING_SORT) == KEEPING_ROWS;
}

void
remote_drop(MaterializedTable *table)
{
	channel_close_job(table->slot, false);
	free(table);
	materialized_tables--;
}

/* Choose the place for a range of rows and return its address; reduce part->nrows to the rows that fit there. */
static uint8 *
place_of_part(RemoteJob *job, ChannelPart *part)
{
	const Program *program = job->spec.program;
	MaterializedLayout all;
	uint64		bytes = CHANNEL_ROWS_WORDS * sizeof(uint64);
	uint8	   *place = (uint8 *) job->slot->result[0].rows;

	materialized_layout(program->materialized, program->nmaterialized, part->nrows, &all);
	if (all.size > bytes && job->groups[0] == NULL)
		job->groups[0] = remote_take_result_slots(job, all.size / sizeof(uint64));
	part->room = CHANNEL_NO_ROOM;
	if (job->groups[0] != NULL)
	{
		part->room = (uint16) (job->groups[0] - channel_get()->page_batch);
		place = channel_get()->copies[job->groups[0]->room][0];
		bytes = job->groups[0]->nslots * CHANNEL_COPY_BYTES;
	}
	if (all.size > bytes)
		part->nrows = materialized_rows_that_fit(program->materialized, program->nmaterialized, bytes);
	return place;
}

bool
remote_fetch(DeviceJob *device_job, uint32_t first, uint32_t nrows, MaterializedPart *part)
{
	RemoteJob  *job = (RemoteJob *) device_job;
	const Program *program = job->spec.program;
	ChannelPart wanted = {.first = first, .nrows = nrows};
	MaterializedLayout layout;
	const uint8 *place;

	if (job->slot == NULL || job->lost)
		return false;
	place = place_of_part(job, &wanted);
	materialized_layout(program->materialized, program->nmaterialized, wanted.nrows, &layout);
	job->slot->part = wanted;
	if (ask(job, KEEPING_WANTED) != KEEPING_ROWS)
		return false;
	if (channel_sum((const uint64 *) place, (uint32) (layout.size / sizeof(uint64))) != job->slot->part.checksum)
	{
		remote_note_damage(job);
		return false;
	}
	part->nrows = wanted.nrows;
	part->total = *(const uint32 *) place;
	for (uint32 k = 0; k < program->nmaterialized; k++)
	{
		part->values[k] = place + layout.values[k];
		part->nulls[k] = place + layout.nulls[k];
	}
	return true;
}
