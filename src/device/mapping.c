/*
 * mapping.c
 *		Shared memory apart from PostgreSQL's own segment; and huge pages.
 *
 * A large request inside PostgreSQL's segment could cost shared_buffers its
 * huge pages, and is touched whole at the start.
 */
#include "postgres.h"

#include <sys/mman.h>

#include "utils/memutils.h"

#include "device/mapping.h"

#define HUGE_PAGE ((Size) 2 * 1024 * 1024)

void *
mapping_create(Size size)
{
	uint8	   *start;
	uint8	   *aligned;

	size = TYPEALIGN(HUGE_PAGE, size);
	start = mmap(NULL, size + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (start == MAP_FAILED)
		ereport(FATAL,
				(errcode(ERRCODE_OUT_OF_MEMORY),
				 errmsg("gpudb could not map %zu bytes of shared memory: %m", size + HUGE_PAGE)));
	aligned = (uint8 *) TYPEALIGN(HUGE_PAGE, start);
	if (aligned > start)
		munmap(start, aligned - start);
	munmap(aligned + size, start + HUGE_PAGE - aligned);
	return aligned;
}

void
mapping_drop(void *start, Size size)
{
	munmap(start, TYPEALIGN(HUGE_PAGE, size));
}

void *
mapping_palloc(MemoryContext context, Size size)
{
	uint8	   *block = MemoryContextAllocHuge(context, size);
	uint8	   *first = (uint8 *) TYPEALIGN(HUGE_PAGE, block);
	uint8	   *end = (uint8 *) TYPEALIGN_DOWN(HUGE_PAGE, block + size);

	/* a machine without them takes what it has */
	if (end > first)
		(void) madvise(first, end - first, MADV_HUGEPAGE);
	return block;
}
