/*
 * pulse.h
 *		Whether the GPU process is alive.
 *
 * Silence is not death: on a busy machine a loop over a batch may take
 * seconds.  A process that neither beats nor takes time of a CPU is stopped or
 * hangs.  One that only takes time goes round in circles in the end.
 */
#ifndef GPUDB_DEVICE_PULSE_H
#define GPUDB_DEVICE_PULSE_H

#include <stdbool.h>
#include <stdint.h>

/* A process that takes time but does not beat counts as dead after so many times the silence that is allowed, or so long. */
#define PULSE_CIRCLES	30
#define PULSE_CIRCLES_MS 60000

typedef struct Pulse
{
	uint64_t	beats;			/* as last seen */
	uint64_t	cpu_ns;
	uint64_t	beaten;			/* when there was another beat, by clock_ns() */
	uint64_t	seen_alive;		/* or time was taken */
} Pulse;

/* Begin to listen. */
extern void pulse_begin(Pulse *pulse, int pid, uint64_t beats);

/* Feel for it again; whether the process has been silent for longer than that. */
extern bool pulse_is_lost(Pulse *pulse, int pid, uint64_t beats, int silence_ms);

#endif							/* GPUDB_DEVICE_PULSE_H */
