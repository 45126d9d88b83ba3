/*
 * mapping.h
 *		Shared memory apart from PostgreSQL's own segment, and huge pages.
 */
#ifndef GPUDB_DEVICE_MAPPING_H
#define GPUDB_DEVICE_MAPPING_H

#include "postgres.h"

/* Size of a huge page in bytes; every mapping begins at a multiple of it. */
#define HUGE_PAGE ((Size) 2 * 1024 * 1024)

/*
 * Map `size` bytes in the postmaster, to be shared by all its children:
 * zeroed, aligned to huge pages, and allocated by the kernel as they are
 * touched.  Raises FATAL on failure.
 */
extern void *mapping_create(Size size);

/*
 * Put huge pages behind the next `npages` times HUGE_PAGE bytes of a mapping,
 * whatever the machine's settings are, and preserve the contents.  Returns
 * false, with errno, if the kernel has none for some of them.  Memory that was
 * not touched before is the fastest to convert.  The call takes the time that
 * the first touch of the pages would take, or much longer if memory is scarce.
 * Besides, the kernel waits for all processors once in each call, which takes
 * milliseconds while these are busy.
 */
extern bool mapping_make_huge(uint8 *start, Size npages);

/* Drop this process's page table entries of a part of a mapping; its contents stay. */
extern void mapping_leave(uint8 *start, Size size);

/*
 * Tell the kernel that this process reads a part of shared memory once, in
 * order.  Then the pages do not count as used when the process ends, which
 * takes the kernel as long as reading them once more if it is their first use,
 * one process at a time.
 */
extern void mapping_read_once(const void *start, Size size);

/* Unmap a mapping of mapping_create(); it stays mapped in other processes. */
extern void mapping_drop(void *start, Size size);

/*
 * Map `size` bytes for this process alone; those from `huge` on, a multiple of
 * HUGE_PAGE, are in huge pages if the kernel has some.  The memory is
 * allocated as it is touched.  Returns NULL on failure.
 */
extern void *mapping_reserve(Size size, Size huge);

/* palloc() a block that may be large and is accessed at random: in huge pages, if the kernel has some. */
extern void *mapping_palloc(MemoryContext context, Size size);

#endif							/* GPUDB_DEVICE_MAPPING_H */
