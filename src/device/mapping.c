/*
 * mapping.c
 *		Shared memory apart from PostgreSQL's own segment.
 *
 * A large request inside PostgreSQL's segment could cost shared_buffers its
 * huge pages, and is touched whole at the start.
 */
#include "postgres.h"

#include <sys/mman.h>

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
