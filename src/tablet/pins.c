/*
 * pins.c
 *		The budget of buffer pins.
 *
 * A scan whose device reads pages in place holds many pins at once.  Other
 * sessions need buffers too: a session that pinned nearly all of them makes
 * innocent statements fail.  So all gpudb scans together hold at most an
 * eighth of shared_buffers; a scan that gets no lease copies its pages.
 */
#include "postgres.h"

#include "port/atomics.h"
#include "storage/bufmgr.h"
#include "storage/ipc.h"
#include "storage/lwlock.h"
#include "storage/shmem.h"

#include "tablet/pins.h"

typedef struct PinBudget
{
	pg_atomic_uint32 leased;
} PinBudget;

static PinBudget *budget = NULL;

/* What this process has on lease, for its exit. */
static int	own_lease = 0;

static void
return_own_lease(int code, Datum arg)
{
	if (own_lease > 0)
		pins_return(own_lease);
}

void
pins_request_shmem(void)
{
	RequestAddinShmemSpace(MAXALIGN(sizeof(PinBudget)));
}

void
pins_attach_shmem(void)
{
	bool		found;

	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	budget = ShmemInitStruct("gpudb pin budget", sizeof(PinBudget), &found);
	if (!found)
		pg_atomic_init_u32(&budget->leased, 0);
	LWLockRelease(AddinShmemInitLock);
}

bool
pins_lease(int n)
{
	static bool exit_registered = false;
	uint32		limit = NBuffers / 8;

	if (budget == NULL || own_lease + n > PINS_PER_SCAN)
		return false;
	if (!exit_registered)
	{
		before_shmem_exit(return_own_lease, (Datum) 0);
		exit_registered = true;
	}
	if (pg_atomic_add_fetch_u32(&budget->leased, n) > limit)
	{
		pg_atomic_sub_fetch_u32(&budget->leased, n);
		return false;
	}
	own_lease += n;
	return true;
}

void
pins_return(int n)
{
	Assert(n <= own_lease);
	own_lease -= n;
	pg_atomic_sub_fetch_u32(&budget->leased, n);
}
