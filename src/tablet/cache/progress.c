/*
 * progress.c
 *		Progress of prewarming: a slot in shared memory for each process that does it.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "storage/ipc.h"
#include "storage/spin.h"

#include "tablet/cache/pool.h"
#include "tablet/cache/progress.h"

typedef struct Places
{
	slock_t		lock;			/* must be first: pool_attach_beside() */
	Progress	at[PROGRESS_PLACES];
} Places;

static Places *places = NULL;
static Progress *own = NULL;	/* slot of this process; NULL if it has none */

void
progress_request_shmem(void)
{
	pool_request_beside(sizeof(Places));
}

void
progress_attach_shmem(void)
{
	places = pool_attach_beside("gpudb progress", sizeof(Places));
}

/* Free the slot at exit: a FATAL error ends a process without ending what it did. */
static void
clear_at_exit(int code, Datum arg)
{
	progress_clear();
}

/* Take a free slot, if there is any; the lock is held. */
static void
take_place(void)
{
	for (int i = 0; i < PROGRESS_PLACES && own == NULL; i++)
		if (places->at[i].pid == 0)
			own = &places->at[i];
}

void
progress_set(Relation relation, uint32 ntablets, uint32 ndone)
{
	static bool registered = false;
	const TimestampTz now = GetCurrentTimestamp();

	if (!registered)
		before_shmem_exit(clear_at_exit, (Datum) 0);
	registered = true;
	SpinLockAcquire(&places->lock);
	if (own == NULL)
		take_place();
	if (own != NULL)
		*own = (Progress) {
			.pid = MyProcPid, .database = MyDatabaseId, .relation = RelationGetRelid(relation),
			.began = own->pid == MyProcPid && own->relation == RelationGetRelid(relation) ? own->began : now,
			.ntablets = ntablets, .ndone = ndone
		};
	SpinLockRelease(&places->lock);
}

void
progress_clear(void)
{
	if (own == NULL)
		return;
	SpinLockAcquire(&places->lock);
	own->pid = 0;
	SpinLockRelease(&places->lock);
	own = NULL;
}

Progress
progress_at(int place)
{
	Progress	seen;

	SpinLockAcquire(&places->lock);
	seen = places->at[place];
	SpinLockRelease(&places->lock);
	return seen;
}
