/*
 * guard.h
 *		Guarded memory, and trials that may crash.
 *
 * guard_alloc() places a block so that its last byte lies just before pages
 * that may not be touched; before its first byte there are such pages, too.
 * survives() runs a function in a child process, where a fault or an abort by a
 * sanitizer ends only the child.
 */
#ifndef GPUDB_TEST_GUARD_H
#define GPUDB_TEST_GUARD_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/target.h"

#define GUARD_PAGE	4096u
#define GUARD_BYTES	(16u * 1024 * 1024)
#define GUARD_POOL_PAGES	256
#define GUARD_POOL_BLOCKS	16

static inline size_t
guard_inner(size_t size)
{
	return (size + GUARD_PAGE - 1) / GUARD_PAGE * GUARD_PAGE;
}

/* Freed blocks by their number of pages, since mapping memory is slow. */
typedef struct GuardPool
{
	uint8_t    *base[GUARD_POOL_BLOCKS];
	int			n;
} GuardPool;

static GuardPool guard_pool[GUARD_POOL_PAGES];

static inline uint8_t *
guard_map(size_t inner)
{
	GuardPool  *pool = inner / GUARD_PAGE < GUARD_POOL_PAGES ? &guard_pool[inner / GUARD_PAGE] : NULL;
	uint8_t    *base;

	if (pool && pool->n > 0)
		return pool->base[--pool->n];
	base = (uint8_t *) mmap(NULL, inner + 2 * (size_t) GUARD_BYTES, PROT_NONE,
							MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (base == MAP_FAILED || (inner > 0 && mprotect(base + GUARD_BYTES, inner, PROT_READ | PROT_WRITE) != 0))
	{
		printf("Bail out! no memory\n");
		exit(2);
	}
	return base;
}

/*
 * Allocate a guarded block. Fewer than `align` bytes lie between block and guard; align is a power
 * of two up to a page.
 */
static inline void *
guard_alloc(size_t size, size_t align)
{
	size_t		inner = guard_inner(size);
	uint8_t    *base = guard_map(inner);

	memset(base + GUARD_BYTES, 0xA5, inner);
	return base + GUARD_BYTES + inner - (size + align - 1) / align * align;
}

static inline void
guard_free(void *block, size_t size, size_t align)
{
	size_t		inner = guard_inner(size);
	GuardPool  *pool = inner / GUARD_PAGE < GUARD_POOL_PAGES ? &guard_pool[inner / GUARD_PAGE] : NULL;
	uint8_t    *base;

	if (block == NULL)
		return;
	base = (uint8_t *) block + (size + align - 1) / align * align - inner - GUARD_BYTES;
	if (pool && pool->n < GUARD_POOL_BLOCKS)
		pool->base[pool->n++] = base;
	else
		munmap(base, inner + 2 * (size_t) GUARD_BYTES);
}

typedef struct Progress
{
	volatile long at;			/* number of the trial that runs */
	volatile long trials;		/* number of effective trials, as the test defines it */
	char		note[160];		/* description of the trial that runs */
} Progress;

/* Return a Progress in memory that parent and child share. */
static inline Progress *
progress_make(void)
{
	void	   *block = mmap(NULL, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (block == MAP_FAILED)
	{
		printf("Bail out! no memory\n");
		exit(2);
	}
	return (Progress *) block;
}

/*
 * Return true if function(arg, progress) returns in a child process; output of a child that dies is
 * dropped unless GPUDB_TEST_VERBOSE is set.
 */
static inline bool
survives(void (*function) (void *arg, Progress *progress), void *arg, Progress *progress)
{
	pid_t		child;
	int			status;

#ifdef GPUDB_TEST_GPU
	/* a child could not use the GPU that its parent has used, so an access outside of memory ends the test */
	function(arg, progress);
	return true;
#endif
	fflush(stdout);
	child = fork();
	if (child < 0)
	{
		printf("Bail out! cannot fork\n");
		exit(2);
	}
	if (child == 0)
	{
		if (getenv("GPUDB_TEST_VERBOSE") == NULL && freopen("/dev/null", "w", stderr) == NULL)
			_exit(2);
		function(arg, progress);
		fflush(stdout);
		_exit(0);
	}
	while (waitpid(child, &status, 0) < 0)
		;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

#endif							/* GPUDB_TEST_GUARD_H */
