/*
 * workers.c
 *		Background workers that start with the server.
 *
 * PostgreSQL does not register workers for which max_worker_processes has no
 * room, and reports that only in the server log.
 */
#include "postgres.h"

#include "postmaster/bgworker_internals.h"

#include "worker/workers.h"

/* Names of the workers without room; set in the postmaster and inherited by all processes. */
static char left_out[2 * BGW_MAXLEN + 8];

static bool
is_registered(const BackgroundWorker *worker)
{
	slist_iter	iter;

	slist_foreach(iter, &BackgroundWorkerList)
	{
		const BackgroundWorker *other = &slist_container(RegisteredBgWorker, rw_lnode, iter.cur)->rw_worker;

		if (strcmp(other->bgw_library_name, worker->bgw_library_name) == 0 && strcmp(other->bgw_name, worker->bgw_name) == 0)
			return true;
	}
	return false;
}

bool
worker_register(BackgroundWorker *worker)
{
	RegisterBackgroundWorker(worker);
	if (is_registered(worker))
		return true;
	if (left_out[0] != '\0')
		strlcat(left_out, " and ", sizeof(left_out));
	strlcat(left_out, worker->bgw_name, sizeof(left_out));
	return false;
}

const char *
workers_left_out(void)
{
	return left_out;
}
