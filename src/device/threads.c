/*
 * threads.c
 *		The budget of CPU threads.
 *
 * Sixty-four sessions with a pool of threads each would only compete for the
 * processors.  Therefore helper threads are leased for the time of a run, from
 * one counter; each backend itself always works.
 */
#include "postgres.h"

#include "device/budget.h"
#include "device/device.h"
#include "device/machine.h"
#include "device/threads.h"
#include "guc.h"

/* Fewest rows for which waking threads takes less time than the work. */
#define TOGETHER_ROWS	50000

static Budget budget = {"gpudb thread budget"};

void
threads_request_shmem(void)
{
	budget_request_shmem();
}

void
threads_attach_shmem(void)
{
	budget_attach_shmem(&budget);
}

int
threads_wanted(void)
{
	int			threads = gpudb_cpu_threads > 0 ? gpudb_cpu_threads : machine_processors();

	return Min(Max(threads, 1) - 1, DEVICE_MAX_HELPERS);
}

int
threads_lease(void)
{
	int			wanted = threads_wanted();

	/* a session that is set to use more threads than there are processors is allowed to have them */
	return budget_take(&budget, 1, wanted, Max(machine_processors(), wanted));
}

void
threads_return(int n)
{
	budget_return(&budget, n);
}

bool
threads_are_busy(void)
{
	const int	running = machine_running();

	return running > 0 && running + budget_of_others(&budget) >= machine_processors();
}

void
threads_run_all(uint32 parts, void (*work) (void *arg, uint32 part), void *arg)
{
	const int	leased = budget.own == 0 ? threads_lease() : 0;

	device_cpu_together(budget.own, parts, work, arg);
	threads_return(leased);
}

void
threads_run_parts(uint32 nrows, uint32 parts, void (*work) (void *arg, uint32 part), void *arg)
{
	if (nrows >= TOGETHER_ROWS)
		threads_run_all(parts, work, arg);
	else
		device_cpu_together(0, parts, work, arg);
}
