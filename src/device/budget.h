/*
 * budget.h
 *		A scarce resource that all backends of the server share: a counter of
 *		the units on lease.
 */
#ifndef GPUDB_DEVICE_BUDGET_H
#define GPUDB_DEVICE_BUDGET_H

#include "postgres.h"

#include "port/atomics.h"

typedef struct Budget
{
	const char *name;			/* name of the counter in shared memory */
	pg_atomic_uint32 *leased;	/* units leased by all backends; NULL before budget_attach_shmem() */
	int			own;			/* units leased by this process, which gives them back at its exit */
	bool		exit_registered;
} Budget;

/* Reserve shared memory for a counter (at library load), or attach a budget to its counter. */
extern void budget_request_shmem(void);
extern void budget_attach_shmem(Budget *budget);

/*
 * Lease as many units as are left below `limit`, at most `most`, and return
 * their number; lease nothing and return 0 if fewer than `least` are left.
 */
extern int	budget_take(Budget *budget, int least, int most, uint32 limit);

/* Return the number of units that other processes have on lease. */
extern int	budget_of_others(const Budget *budget);

/* Give back n units. */
extern void budget_return(Budget *budget, int n);

#endif							/* GPUDB_DEVICE_BUDGET_H */
