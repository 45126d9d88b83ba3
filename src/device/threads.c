/*
 * threads.c
 *		The budget of CPU threads.
 *
 * Sixty-four sessions with a pool of threads each would only get in each
 * other's way.  So helper threads are leased for the time of a run, from one
 * counter; each backend itself always works.
 */
#include "postgres.h"

#include <unistd.h>

#include "port/atomics.h"
#include "storage/ipc.h"
#include "storage/lwlock.h"
#include "storage/shmem.h"

#include "device/device.h"
#include "device/threads.h"
#include "guc.h"

typedef struct ThreadBudget
{
	pg_atomic_uint32 leased;
} ThreadBudget;

static ThreadBudget *budget = NULL;

/* What this process has on lease, for its exit. */
static int	own_lease = 0;

static void
return_own_lease(int code, Datum arg)
{
	threads_return(own_lease);
}

void
threads_request_shmem(void)
{
	RequestAddinShmemSpace(MAXALIGN(sizeof(ThreadBudget)));
}

void
threads_attach_shmem(void)
{
	bool		found;

	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	budget = ShmemInitStruct("gpudb thread budget", sizeof(ThreadBudget), &found);
	if (!found)
		pg_atomic_init_u32(&budget->leased, 0);
	LWLockRelease(AddinShmemInitLock);
}

static int
processors(void)
{
	return (int) sysconf(_SC_NPROCESSORS_ONLN);
}

int
threads_wanted(void)
{
	int			threads = gpudb_cpu_threads > 0 ? gpudb_cpu_threads : processors();

	return Min(Max(threads, 1) - 1, DEVICE_MAX_HELPERS);
}

int
threads_lease(void)
{
	static bool exit_registered = false;
	int			wanted = threads_wanted();
	/* a session that asks for more threads than there are processors shall be able to have them */
	uint32		limit = Max(processors(), wanted);
	uint32		leased;

	if (budget == NULL)
		return 0;
	if (!exit_registered)
		before_shmem_exit(return_own_lease, (Datum) 0);
	exit_registered = true;
	leased = pg_atomic_read_u32(&budget->leased);
	for (;;)
	{
		int			n = leased >= limit ? 0 : Min(wanted, (int) (limit - leased));

		if (n == 0)
			return 0;
		if (pg_atomic_compare_exchange_u32(&budget->leased, &leased, leased + n))
		{
			own_lease += n;
			return n;
		}
	}
}

void
threads_return(int n)
{
	own_lease -= n;
	if (n > 0)
		pg_atomic_sub_fetch_u32(&budget->leased, n);
}
