/*
 * pulse.h
 *		Detection of a GPU process that is dead or hangs.
 *
 * Silence is not death: on a busy machine a loop over a batch may take
 * seconds.  A process that neither beats nor takes CPU time is stopped or
 * hangs.  A process that takes CPU time without beating for long is taken for
 * an endless loop.
 */
#ifndef GPUDB_DEVICE_PULSE_H
#define GPUDB_DEVICE_PULSE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * A process that takes CPU time but does not beat counts as dead after this
 * multiple of the allowed silence, or after this time if it is less.
 */
#define PULSE_CIRCLES	30
#define PULSE_CIRCLES_MS 60000

typedef struct Pulse
{
	uint64_t	beats;			/* heartbeat counter as last seen */
	uint64_t	cpu_ns;
	uint64_t	beaten;			/* time of the last beat, by clock_ns() */
	uint64_t	seen_alive;		/* time of the last sign of life: a beat or CPU time */
} Pulse;

/* Begin to watch the process `pid`, whose heartbeat counter is `beats`. */
extern void pulse_begin(Pulse *pulse, int pid, uint64_t beats);

/* Check the process again; return true if it has been silent for longer than `silence_ms`. */
extern bool pulse_is_lost(Pulse *pulse, int pid, uint64_t beats, int silence_ms);

#endif							/* GPUDB_DEVICE_PULSE_H */
