/*
 * mapping.h
 *		Shared memory apart from PostgreSQL's own segment; and huge pages.
 */
#ifndef GPUDB_DEVICE_MAPPING_H
#define GPUDB_DEVICE_MAPPING_H

#include "postgres.h"

/*
 * Map `size` bytes in the postmaster, for all its children to share: zeroed,
 * aligned to huge pages, taken from the machine as they are touched.  FATAL if
 * that cannot be.
 */
extern void *mapping_create(Size size);

/* Unmap what mapping_create() made; other processes keep theirs. */
extern void mapping_drop(void *start, Size size);

/* palloc() of what may be large and is gone over in no order: in huge pages, where the machine gives some. */
extern void *mapping_palloc(MemoryContext context, Size size);

#endif							/* GPUDB_DEVICE_MAPPING_H */
