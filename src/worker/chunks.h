/*
 * chunks.h
 *		Attaching of the buffer pool and of cached tablets to the device, in chunks and on demand.
 */
#ifndef GPUDB_WORKER_CHUNKS_H
#define GPUDB_WORKER_CHUNKS_H

#include "postgres.h"

#include "device/channel.h"

/* Memory that the GPU process shares with others and only reads. */
typedef struct SharedMemory
{
	uint8	   *start;
	uint64		bytes;
} SharedMemory;

/* Initialize this file's state, once in each GPU process. */
extern void chunks_open(Channel *channel, const Provider *provider, SharedMemory buffers, SharedMemory tablets);

/* Attach a chunk of the buffer pool that some backend wants, which takes milliseconds.  False if none is wanted. */
extern bool chunks_attach_wanted(void);

/* Return the page at an offset into the buffer pool; NULL if the offset is invalid or its chunk not attached. */
extern const uint8 *chunks_page(uint64 offset);

/*
 * Return the address of `bytes` bytes at an offset into the memory of cached
 * tablets.  Attaches their chunks if necessary, which takes milliseconds each.
 * NULL if the range is invalid or cannot be attached.
 */
extern const uint8 *chunks_tablet_bytes(uint64 offset, uint64 bytes);

#endif							/* GPUDB_WORKER_CHUNKS_H */
