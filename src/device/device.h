/*
 * device.h
 *		The devices of this server, and which one serves a query.
 */
#ifndef GPUDB_DEVICE_DEVICE_H
#define GPUDB_DEVICE_DEVICE_H

#include <stdlib.h>

#include "core/device_api.h"

extern const Device cpu_device;
extern const Device remote_device;

/*
 * The device for the setting gpudb.device, a program, and what the planner
 * would rather have.  *why is set to a few
 * words when it is not the one asked for, else to NULL.
 */
extern const Device *device_choose(const Program *program, bool rather_gpu, const char **why);

/* Why no GPU serves, in a few words; NULL if one does. */
extern const char *device_gpu_missing(void);

/* Whether a query may run on a GPU: gpudb.device allows it, and one serves. */
extern bool device_may_use_gpu(void);

/* Bytes that the tables of a query's joins may take on the GPU that serves. */
extern uint64_t device_join_bytes(void);

/* Why no GPU serves, after waiting some seconds for a GPU process that starts. */
extern const char *device_await_gpu(void);

/* Most threads that a query may use besides the backend itself. */
#define DEVICE_MAX_HELPERS 64

/*
 * For a process that is about to give up its pins without having closed its
 * jobs: drop what is queued and wait for what runs here; leave to the GPU
 * process what it has.
 */
extern void device_quiesce(void);
extern void device_cpu_quiesce(void);

/* Run all parts of a work that calls nothing of PostgreSQL, by this process and so many threads, which it has leased. */
extern void device_cpu_together(int threads, uint32_t parts, void (*work) (void *arg, uint32_t part), void *arg);
extern void device_remote_quiesce(void);

/* Have room for so many bytes in a block from malloc, which loses what it held; without memory for it, false and no block. */
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
