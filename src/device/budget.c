/*
 * budget.c
 *		A scarce resource that all backends of the server share.
 */
#include "postgres.h"

#include "storage/ipc.h"
#include "storage/lwlock.h"
#include "storage/shmem.h"

#include "device/budget.h"

void
budget_request_shmem(void)
{
	RequestAddinShmemSpace(MAXALIGN(sizeof(pg_atomic_uint32)));
}

void
budget_attach_shmem(Budget *budget)
{
	bool		found;

	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	budget->leased = ShmemInitStruct(budget->name, sizeof(pg_atomic_uint32), &found);
	if (!found)
		pg_atomic_init_u32(budget->leased, 0);
	LWLockRelease(AddinShmemInitLock);
}

static void
return_own(int code, Datum arg)
{
	Budget	   *budget = (Budget *) DatumGetPointer(arg);

	budget_return(budget, budget->own);
}

int
budget_take(Budget *budget, int least, int most, uint32 limit)
{
	uint32		leased;
	int			n;

	if (budget->leased == NULL)
		return 0;
	if (!budget->exit_registered)
		before_shmem_exit(return_own, PointerGetDatum(budget));
	budget->exit_registered = true;
	leased = pg_atomic_read_u32(budget->leased);
	do
	{
		n = leased >= limit ? 0 : Min(most, (int) (limit - leased));
		if (n < least || n == 0)
			return 0;
	} while (!pg_atomic_compare_exchange_u32(budget->leased, &leased, leased + n));
	budget->own += n;
	return n;
}

int
budget_of_others(const Budget *budget)
{
	return budget->leased != NULL ? (int) pg_atomic_read_u32(budget->leased) - budget->own : 0;
}

void
budget_return(Budget *budget, int n)
{
	/* a FATAL exit gives back all units first, and then again each lease that is being cleaned up */
	n = Min(n, budget->own);
	budget->own -= n;
	if (n > 0)
		pg_atomic_sub_fetch_u32(budget->leased, n);
}
