/*
 * device.h
 *		The devices of this server, and the choice of the one that serves a
 *		query.
 */
#ifndef GPUDB_DEVICE_DEVICE_H
#define GPUDB_DEVICE_DEVICE_H

#include <stdlib.h>

#include "core/device_api.h"

extern const Device cpu_device;
extern const Device remote_device;

/*
 * Return the device for a program, by the setting gpudb.device and, with
 * `auto`, by the planner's preference `prefer_gpu`.  Sets *why to a few words
 * if gpudb.device asks for the GPU and it is not chosen, else to NULL.
 */
extern const Device *device_choose(const Program *program, bool prefer_gpu, const char **why);

/* Return in a few words why no GPU serves; NULL if one does. */
extern const char *device_gpu_missing(void);

/* Return true if a query may run on a GPU: gpudb.device allows it, and a GPU serves. */
extern bool device_may_use_gpu(void);

/* Return how many bytes the tables of a query's joins may take on the GPU that serves. */
extern uint64_t device_join_bytes(void);

/*
 * Return in a few words why no GPU serves, NULL if one does, after waiting up
 * to 30 seconds for a GPU process that is starting.
 */
extern const char *device_await_gpu(void);

/* Most threads that a query may use besides the backend itself. */
#define DEVICE_MAX_HELPERS 64

/*
 * Prepare for the release of all pins by a process that has not closed its
 * jobs: drop the queued items and wait for the running ones; leave to the GPU
 * process the page batches that it has.
 */
extern void device_quiesce(void);
extern void device_cpu_quiesce(void);

/*
 * Run all `parts` of a work that calls no function of PostgreSQL, by this
 * process and `threads` threads that it has leased.
 */
extern void device_cpu_together(int threads, uint32_t parts, void (*work) (void *arg, uint32_t part), void *arg);
extern void device_remote_quiesce(void);

/*
 * Make *block, allocated by malloc, at least `bytes` bytes large; its contents
 * are lost when it grows.  Returns false, with *block NULL, if memory is
 * short.
 */
static inline bool
grow_block(void **block, uint64_t *capacity, uint64_t bytes)
{
	if (bytes <= *capacity)
		return true;
	free(*block);
	*block = malloc(bytes);
	*capacity = *block != NULL ? bytes : 0;
	return *block != NULL;
}

#endif							/* GPUDB_DEVICE_DEVICE_H */
