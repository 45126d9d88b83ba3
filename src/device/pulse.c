/*
 * pulse.c
 *		The heartbeats of the GPU process, and its CPU time.
 */
#include <time.h>

#include "device/clock.h"
#include "device/pulse.h"

#define MS UINT64_C(1000000)

/* Return the CPU time of all threads of a process, in nanoseconds; 0 if there is no such process. */
static uint64_t
process_ns(int pid)
{
	clockid_t	clock;
	struct timespec t;

	if (pid <= 0 || clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &t) != 0)
		return 0;
	return (uint64_t) t.tv_sec * 1000000000u + (uint64_t) t.tv_nsec;
}

/* Return how long a process may take CPU time without a beat, in nanoseconds. */
static uint64_t
circles_ns(uint64_t silence)
{
	const uint64_t most = PULSE_CIRCLES_MS * MS;

	if (silence >= most)
		return silence;
	return silence < most / PULSE_CIRCLES ? silence * PULSE_CIRCLES : most;
}

void
pulse_begin(Pulse *pulse, int pid, uint64_t beats)
{
	*pulse = (Pulse) {.beats = beats, .cpu_ns = process_ns(pid), .beaten = clock_ns()};
	pulse->seen_alive = pulse->beaten;
}

bool
pulse_is_lost(Pulse *pulse, int pid, uint64_t beats, int silence_ms)
{
	const uint64_t now = clock_ns();
	const uint64_t silence = (uint64_t) silence_ms * MS;

	if (beats != pulse->beats)
	{
		*pulse = (Pulse) {.beats = beats, .cpu_ns = process_ns(pid), .beaten = now, .seen_alive = now};
		return false;
	}
	if (now - pulse->seen_alive <= silence / 4)
		return false;
	/* even a process that only waits wakes up now and then: 1/1000 of the silence in CPU time is enough */
	if (process_ns(pid) > pulse->cpu_ns + silence / 1000)
	{
		pulse->cpu_ns = process_ns(pid);
		pulse->seen_alive = now;
	}
	return now - pulse->seen_alive > silence || now - pulse->beaten > circles_ns(silence);
}
