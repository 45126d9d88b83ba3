/*
 * chunks.h
 *		The buffer pool and cached tablets as the device sees them: chunks that are attached when somebody wants them.
 */
#ifndef GPUDB_WORKER_CHUNKS_H
#define GPUDB_WORKER_CHUNKS_H

#include "postgres.h"

#include "device/channel.h"

/* Memory that the helper shares with others, and only reads. */
typedef struct SharedMemory
{
	uint8	   *start;
	uint64		bytes;
} SharedMemory;

/* In the helper, once. */
extern void chunks_open(Channel *channel, const Provider *provider, SharedMemory buffers, SharedMemory tablets);

/* Attach a chunk that some backend wants, which takes milliseconds; whether there was one. */
extern bool chunks_attach_wanted(void);

/* The page at an offset into the pool; NULL if that is none, or is not attached. */
extern const uint8 *chunks_page(uint64 offset);

/*
 * So many bytes at an offset into the memory of cached tablets, attached if
 * need be, which takes milliseconds for the first ones of a chunk; NULL if
 * they are not within it, or cannot be attached.
 */
extern const uint8 *chunks_tablet_bytes(uint64 offset, uint64 bytes);

#endif							/* GPUDB_WORKER_CHUNKS_H */
