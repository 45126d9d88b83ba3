/*
 * pool.c
 *		The memory of cached tablets.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "storage/ipc.h"
#include "storage/lwlock.h"
#include "storage/shmem.h"
#include "storage/spin.h"
#include "utils/guc.h"
#include "utils/memutils.h"

#include "device/machine.h"
#include "device/mapping.h"
#include "guc.h"
#include "tablet/pool.h"

#define TRANCHE "gpudb tablets"

enum
{
	LOCK_CONTENTS,
	LOCK_MEMORY,				/* its tranche serves dsa.c's own locks */
	LOCK_Count
};

static uint8 *place = NULL;		/* inherited from the postmaster */
static dsa_area *area = NULL;	/* this process's view of it */

/* The default size, in MB: a part of the memory, within bounds; and where nobody knows how much there is. */
#define DEFAULT_PART		4
#define DEFAULT_LEAST		64
#define DEFAULT_MOST		(64 * 1024)
#define DEFAULT_UNKNOWN		256

/*
 * A quarter of the memory that the server may use, but no more than half of
 * what shared_buffers leave.  SHOW tells what was chosen.
 */
void
pool_choose_size(void)
{
	const uint64 there = machine_memory() >> 20;
	const uint64 buffers = ((uint64) NBuffers * BLCKSZ) >> 20;
	uint64		size = there > 0 ? Min(there / DEFAULT_PART, (there - Min(buffers, there)) / 2) : DEFAULT_UNKNOWN;

	if (gpudb_pool_size < 0)
		guc_set_default_mb("gpudb.pool_size", size, DEFAULT_LEAST, DEFAULT_MOST);
}

Size
pool_bytes(void)
{
	return (Size) gpudb_pool_size * 1024 * 1024;
}

void
pool_request_shmem(void)
{
	RequestNamedLWLockTranche(TRANCHE, LOCK_Count);
}

/* dsa.h does not promise that. */
static void
check_pointers(dsa_area *made)
{
	dsa_pointer pointer = dsa_allocate(made, 1);

	if (dsa_get_address(made, pointer) != (void *) (place + pointer))
		elog(FATAL, "gpudb: pointers into dynamic shared memory are no offsets");
	dsa_free(made, pointer);
}

/* The pool is taken as it is filled, so that nobody else would notice before there is none left. */
static void
compare_with_memory(void)
{
	const uint64 there = machine_memory();
	const uint64 buffers = (uint64) NBuffers * BLCKSZ;

	if (there > 0 && pool_bytes() + buffers > there)
		ereport(WARNING,
				(errmsg("gpudb.pool_size and shared_buffers are %llu MB together, and the server has %llu MB of memory",
						(unsigned long long) ((pool_bytes() + buffers) >> 20), (unsigned long long) (there >> 20)),
				 errhint("Reduce gpudb.pool_size: columns of tables are cached until it is full.")));
}

/* After a crash nothing that was in it may be believed. */
void
pool_create(void)
{
	dsa_area   *made;

	if (IsUnderPostmaster || pool_bytes() == 0)
		return;
	if (place != NULL)
		mapping_drop(place, pool_bytes());
	else
		compare_with_memory();
	place = mapping_create(pool_bytes());
	made = dsa_create_in_place(place, pool_bytes(), GetNamedLWLockTranche(TRANCHE)[LOCK_MEMORY].lock.tranche, NULL);
	dsa_pin(made);
	/* no segments besides this place: pointers are offsets */
	dsa_set_size_limit(made, pool_bytes());
	check_pointers(made);
	dsa_detach(made);
}

bool
pool_exists(void)
{
	return place != NULL;
}

uint8 *
pool_start(void)
{
	return place;
}

LWLock *
pool_lock(void)
{
	return &GetNamedLWLockTranche(TRANCHE)[LOCK_CONTENTS].lock;
}

static dsa_area *
attached(void)
{
	if (area == NULL)
	{
		MemoryContext old = MemoryContextSwitchTo(TopMemoryContext);

		area = dsa_attach_in_place(place, NULL);
		dsa_pin_mapping(area);
		MemoryContextSwitchTo(old);
	}
	return area;
}

void
pool_request_beside(Size bytes)
{
	if (pool_bytes() > 0)
		RequestAddinShmemSpace(MAXALIGN(bytes));
}

void *
pool_attach_beside(const char *name, Size bytes)
{
	bool		found;
	void	   *beside;

	if (!pool_exists())
		return NULL;
	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	beside = ShmemInitStruct(name, bytes, &found);
	if (!found)
	{
		memset(beside, 0, bytes);
		SpinLockInit((slock_t *) beside);
	}
	LWLockRelease(AddinShmemInitLock);
	return beside;
}

void
pool_attach(void)
{
	(void) attached();
}

dsa_pointer
pool_allocate(Size bytes)
{
	return dsa_allocate_extended(attached(), bytes, DSA_ALLOC_HUGE | DSA_ALLOC_NO_OOM);
}

void
pool_free(dsa_pointer pointer)
{
	if (DsaPointerIsValid(pointer))
		dsa_free(attached(), pointer);
}

void *
pool_address(dsa_pointer pointer)
{
	return DsaPointerIsValid(pointer) ? place + pointer : NULL;
}
