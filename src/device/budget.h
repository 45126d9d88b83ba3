/*
 * budget.h
 *		Something scarce that all backends of the server share: a counter of what is on lease.
 */
#ifndef GPUDB_DEVICE_BUDGET_H
#define GPUDB_DEVICE_BUDGET_H

#include "postgres.h"

#include "port/atomics.h"

typedef struct Budget
{
	const char *name;			/* of the counter in shared memory */
	pg_atomic_uint32 *leased;	/* by all backends; NULL before budget_attach_shmem() */
	int			own;			/* by this process, which gives it back at its exit */
	bool		exit_registered;
} Budget;

/* Reserve shared memory (at library load), then attach to it. */
extern void budget_request_shmem(void);
extern void budget_attach_shmem(Budget *budget);

/*
 * Take as much as is left below `limit`, at most `most`; 0, taking nothing,
 * when fewer than `least` are left.
 */
extern int	budget_take(Budget *budget, int least, int most, uint32 limit);

/* Return how much other processes have on lease. */
extern int	budget_of_others(const Budget *budget);

/* Give back n. */
extern void budget_return(Budget *budget, int n);

#endif							/* GPUDB_DEVICE_BUDGET_H */
