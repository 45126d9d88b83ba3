/*
 * free_cores.c
 *		A test whether this machine has idle cores: threads spin on the clock,
 *		and compare the CPU time that they got with the time that passed.
 *
 * The load that the system reports is an average over a minute at least, and
 * may be that of a host with more cores than this server is given.
 */
#include <pthread.h>
#include <signal.h>

#include "device/clock.h"
#include "device/device.h"
#include "device/free_cores.h"

#define TRIAL_NS	UINT64_C(100000000)

/* Least fraction of the time that a thread must have run to count as having had a core. */
#define NEARLY_ALL	0.9

typedef struct Trial
{
	uint64_t	begin;
	bool		free;
} Trial;

static uint64_t
thread_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t) t.tv_sec * 1000000000u + (uint64_t) t.tv_nsec;
}

static void *
spin(void *arg)
{
	Trial	   *trial = arg;
	const uint64_t before = thread_ns();

	while (clock_ns() < trial->begin + TRIAL_NS)
		;
	/* a thread that could not even begin in time has not had a core, either */
	trial->free = (double) (thread_ns() - before) >= NEARLY_ALL * (double) (clock_ns() - trial->begin);
	return NULL;
}

bool
cores_are_free(int threads)
{
	Trial		trial[DEVICE_MAX_HELPERS + 1];
	pthread_t	thread[DEVICE_MAX_HELPERS];
	sigset_t	all;
	sigset_t	before;
	int			started = 0;
	bool		free;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	trial[0] = (Trial) {clock_ns(), false};
	while (started < threads && started < DEVICE_MAX_HELPERS)
	{
		trial[started + 1] = trial[0];
		if (pthread_create(&thread[started], NULL, spin, &trial[started + 1]) != 0)
			break;
		started++;
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	spin(&trial[0]);
	free = trial[0].free;
	for (int t = 0; t < started; t++)
	{
		pthread_join(thread[t], NULL);
		free &= trial[t + 1].free;
	}
	return free;
}
