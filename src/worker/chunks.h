/*
 * chunks.h
 *		The buffer pool as the device sees it: chunks that are attached when somebody wants them.
 */
#ifndef GPUDB_WORKER_CHUNKS_H
#define GPUDB_WORKER_CHUNKS_H

#include "postgres.h"

#include "device/channel.h"

/* PostgreSQL's buffers, as the helper sees them. */
typedef struct BufferPool
{
	uint8	   *start;
	uint64		bytes;
} BufferPool;

/* In the helper, once. */
extern void chunks_open(Channel *channel, const Provider *provider, BufferPool buffers);

/* Attach a chunk that some backend wants, which takes milliseconds; whether there was one. */
extern bool chunks_attach_wanted(void);

/* The page at an offset into the pool; NULL if that is none, or is not attached. */
extern const uint8 *chunks_page(uint64 offset);

#endif							/* GPUDB_WORKER_CHUNKS_H */
