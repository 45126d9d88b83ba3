/*
 * mapping.c
 *		Shared memory apart from PostgreSQL's own segment, and huge pages.
 *
 * A large request inside PostgreSQL's segment could cost shared_buffers its
 * huge pages, and is touched whole at the start.
 */
#include "postgres.h"

#include <sys/mman.h>

#include "port/atomics.h"
#include "utils/memutils.h"

#include "device/mapping.h"

/* MADV_COLLAPSE is of Linux 6.1; headers may be older than the kernel. */
#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

/* Reserve inaccessible address space that begins at a multiple of HUGE_PAGE; return MAP_FAILED on failure. */
static void *
reserve_aligned(Size size)
{
	uint8	   *start = mmap(NULL, size + HUGE_PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	uint8	   *aligned = (uint8 *) TYPEALIGN(HUGE_PAGE, start);

	if (start == MAP_FAILED)
		return MAP_FAILED;
	if (aligned > start)
		munmap(start, aligned - start);
	munmap(aligned + size, start + HUGE_PAGE - aligned);
	return aligned;
}

void *
mapping_create(Size size)
{
	void	   *reserved;
	void	   *start = MAP_FAILED;

	size = TYPEALIGN(HUGE_PAGE, size);
	reserved = reserve_aligned(size);
	/* a mapping of its own, not a part of a larger one: huge pages are aligned by the distance from its start */
	if (reserved != MAP_FAILED)
		start = mmap(reserved, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
	if (start == MAP_FAILED)
		ereport(FATAL,
				(errcode(ERRCODE_OUT_OF_MEMORY),
				 errmsg("gpudb could not map %zu bytes of shared memory: %m", size)));
	return start;
}

bool
mapping_make_huge(uint8 *start, Size npages)
{
	/* the kernel takes the file for truncated if no page is present */
	for (Size page = 0; page < npages; page++)
		pg_atomic_fetch_add_u32((pg_atomic_uint32 *) (start + page * HUGE_PAGE), 0);
	return madvise(start, npages * HUGE_PAGE, MADV_COLLAPSE) == 0;
}

void
mapping_leave(uint8 *start, Size size)
{
	/* a failure does no harm */
	(void) madvise(start, size, MADV_DONTNEED);
}

void
mapping_read_once(const void *start, Size size)
{
	uint8	   *first = (uint8 *) TYPEALIGN(HUGE_PAGE, start);
	uint8	   *end = (uint8 *) TYPEALIGN_DOWN(HUGE_PAGE, (const uint8 *) start + size);

	/* a failure does no harm */
	if (end > first)
		(void) madvise(first, end - first, MADV_SEQUENTIAL);
}

void
mapping_drop(void *start, Size size)
{
	munmap(start, TYPEALIGN(HUGE_PAGE, size));
}

void *
mapping_reserve(Size size, Size huge)
{
	uint8	   *start = reserve_aligned(size);

	if (start == MAP_FAILED)
		return NULL;
	if (mprotect(start, size, PROT_READ | PROT_WRITE) != 0)
	{
		munmap(start, size);
		return NULL;
	}
	(void) madvise(start + huge, size - huge, MADV_HUGEPAGE);
	return start;
}

void *
mapping_palloc(MemoryContext context, Size size)
{
	uint8	   *block = MemoryContextAllocHuge(context, size);
	uint8	   *first = (uint8 *) TYPEALIGN(HUGE_PAGE, block);
	uint8	   *end = (uint8 *) TYPEALIGN_DOWN(HUGE_PAGE, block + size);

	/* failure is harmless: a machine without huge pages uses small ones */
	if (end > first)
		(void) madvise(first, end - first, MADV_HUGEPAGE);
	return block;
}
