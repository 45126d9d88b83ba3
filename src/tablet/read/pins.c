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

#include "storage/bufmgr.h"

#include "device/budget.h"
#include "tablet/read/pins.h"

static Budget budget = {"gpudb pin budget"};

void
pins_request_shmem(void)
{
	budget_request_shmem();
}

void
pins_attach_shmem(void)
{
	budget_attach_shmem(&budget);
}

bool
pins_lease(int n)
{
	return budget.own + n <= PINS_PER_SCAN && budget_take(&budget, n, n, NBuffers / 8) == n;
}

void
pins_return(int n)
{
	budget_return(&budget, n);
}
