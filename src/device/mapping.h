/*
 * mapping.h
 *		Shared memory apart from PostgreSQL's own segment; and huge pages.
 */
#ifndef GPUDB_DEVICE_MAPPING_H
#define GPUDB_DEVICE_MAPPING_H

#include "postgres.h"

/* Bytes of a huge page, a multiple of which every mapping begins at. */
#define HUGE_PAGE ((Size) 2 * 1024 * 1024)

/*
 * Map `size` bytes in the postmaster, for all its children to share: zeroed,
 * aligned to huge pages, taken from the machine as they are touched.  FATAL if
 * that cannot be.
 */
extern void *mapping_create(Size size);

/*
 * Have a huge page stand behind HUGE_PAGE bytes of a mapping, whatever the
 * machine's settings are, and keep what is there; false, with errno, if the
 * machine gives none.  Memory whose pages are not there yet gets one fastest.
 * The call takes the time that their first touch would take, or much longer
 * where memory is scarce.
 */
extern bool mapping_make_huge(void *start);

/* Unmap what mapping_create() made; other processes keep theirs. */
extern void mapping_drop(void *start, Size size);

/*
 * Map `size` bytes for this process alone, of which those from `huge` on, a
 * multiple of HUGE_PAGE, are to be in huge pages where the machine gives some.
 * They are taken from the machine as they are touched.  NULL if that cannot be.
 */
extern void *mapping_reserve(Size size, Size huge);

/* palloc() of what may be large and is gone over in no order: in huge pages, where the machine gives some. */
extern void *mapping_palloc(MemoryContext context, Size size);

#endif							/* GPUDB_DEVICE_MAPPING_H */
