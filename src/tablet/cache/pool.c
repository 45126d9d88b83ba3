/*
 * pool.c
 *		The memory of cached tablets.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "port/atomics.h"
#include "storage/ipc.h"
#include "storage/lwlock.h"
#include "storage/shmem.h"
#include "storage/spin.h"
#include "utils/guc.h"
#include "utils/memutils.h"

#include "device/clock.h"
#include "device/machine.h"
#include "device/mapping.h"
#include "guc.h"
#include "tablet/cache/pool.h"

#define TRANCHE "gpudb tablets"

enum
{
	LOCK_CONTENTS,
	LOCK_MEMORY,				/* lock whose tranche serves dsa.c's own locks */
	LOCK_Count
};

/*
 * Longest time that a huge page may take, as an average over one call; where it
 * takes longer memory is so scarce that small pages have to do, until another
 * attempt some minutes later.
 */
#define HUGE_PAGE_MOST_NS	UINT64CONST(50000000)
#define REFUSED_NS			UINT64CONST(300000000000)

/* Number of huge pages that are taken at once: a part of those that the pool has, within a bound. */
#define AT_ONCE_PART		16
#define AT_ONCE_MOST		16

/* Approximate number of bytes taken last of which the time is remembered. */
#define BYTES_REMEMBERED	(UINT64CONST(64) << 20)

/* Memory is always taken ahead where a byte takes longer than this: clearing it takes a tenth of a nanosecond or two. */
#define AHEAD_LEAST_NS		0.5

/*
 * Part of the pool that is taken ahead there, within a bound; part of
 * shared_buffers, or of the pool if that is smaller, that the pool gets as soon
 * as the server has started; and the part of the machine's memory that must be
 * free for both.
 */
#define AHEAD_PART			16
#define AHEAD_MOST			((Size) 512 << 20)
#define AHEAD_FIRST_PART	4
#define FREE_PART			8

/* Number of huge pages that are taken ahead at once; whoever takes them looks between two times whether a query runs. */
#define AHEAD_AT_ONCE		4

/* State of a huge page of the pool. */
typedef enum HugePageState
{
	HUGE_UNUSED,				/* nothing was allocated in the page yet */
	HUGE_AHEAD,					/* nothing was allocated, but some process backs the page with memory */
	HUGE_FILLED					/* allocated, or the kernel has refused to make it huge */
} HugePageState;

/* Counters and states of the pool's huge pages, behind the pool in the same mapping. */
typedef struct HugePages
{
	pg_atomic_uint32 made;
	pg_atomic_uint32 ahead;		/* pages in state HUGE_AHEAD */
	pg_atomic_uint64 taken;		/* bytes taken of late */
	pg_atomic_uint64 ns;		/* time that it took to get memory for `taken` */
	pg_atomic_uint32 state[];	/* HugePageState */
} HugePages;

static uint8 *place = NULL;		/* inherited from the postmaster */
static HugePages *huge;			/* inherited from the postmaster */
static uint64 refused_ns = 0;	/* when this process got no huge page, or only after long; 0 = never */
static dsa_area *area = NULL;	/* view of the pool in this process */

/* Default size of the pool, in MB: a part of the memory, within bounds; and the size where the memory is not known. */
#define DEFAULT_PART		4
#define DEFAULT_LEAST		64
#define DEFAULT_MOST		(64 * 1024)
#define DEFAULT_UNKNOWN		256

/*
 * Choose a quarter of the memory that the server may use, but no more than half
 * of what shared_buffers leave.  SHOW tells what was chosen.
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

/*
 * Check that pointers are offsets from the pool's start, which dsa.h does not
 * promise.  Return the first one: memory before it is dsa.c's own.
 */
static dsa_pointer
check_pointers(dsa_area *made)
{
	dsa_pointer pointer = dsa_allocate(made, 1);

	if (dsa_get_address(made, pointer) != (void *) (place + pointer))
		elog(FATAL, "gpudb: pointers into dynamic shared memory are no offsets");
	dsa_free(made, pointer);
	return pointer;
}

/*
 * Warn if the pool and shared_buffers exceed the memory: the pool is taken as
 * it is filled, so that nobody else would notice before there is none left.
 */
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

/* Return the bytes of the mapping: the pool, and the states of its huge pages. */
static Size
mapping_bytes(void)
{
	return pool_bytes() + offsetof(HugePages, state) + sizeof(pg_atomic_uint32) * (pool_bytes() / HUGE_PAGE);
}

/* Create the pool, empty: after a crash nothing that was in it may be believed. */
void
pool_create(void)
{
	dsa_area   *made;
	Size		own;

	if (IsUnderPostmaster || pool_bytes() == 0)
		return;
	if (place != NULL)
		mapping_drop(place, mapping_bytes());
	else
		compare_with_memory();
	place = mapping_create(mapping_bytes());
	huge = (HugePages *) (place + pool_bytes());
	pg_atomic_init_u32(&huge->made, 0);
	pg_atomic_init_u64(&huge->taken, 0);
	pg_atomic_init_u64(&huge->ns, 0);
	pg_atomic_init_u32(&huge->ahead, 0);
	made = dsa_create_in_place(place, pool_bytes(), GetNamedLWLockTranche(TRANCHE)[LOCK_MEMORY].lock.tranche, NULL);
	dsa_pin(made);
	/* no segments besides the mapping: pointers are offsets */
	dsa_set_size_limit(made, pool_bytes());
	own = check_pointers(made) / HUGE_PAGE;
	for (Size page = 0; page < pool_bytes() / HUGE_PAGE; page++)
		pg_atomic_init_u32(&huge->state[page], page < own ? HUGE_FILLED : HUGE_UNUSED);
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
	static LWLock *lock = NULL;

	/* remembered, since PostgreSQL compares the names of all tranches to find the lock */
	if (lock == NULL)
		lock = &GetNamedLWLockTranche(TRANCHE)[LOCK_CONTENTS].lock;
	return lock;
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

Size
pool_huge_bytes(void)
{
	return pg_atomic_read_u32(&huge->made) * HUGE_PAGE;
}

/* Change the state of a page; return false if it was not `before`. */
static bool
change_state(Size page, HugePageState before, HugePageState after)
{
	uint32		expected = before;

	return pg_atomic_read_u32(&huge->state[page]) == before &&
		pg_atomic_compare_exchange_u32(&huge->state[page], &expected, after);
}

/* Remember what taking memory took.  Additions of two processes at once may be lost, which does no harm. */
static void
remember_time(Size bytes, uint64 ns)
{
	uint64		taken = pg_atomic_add_fetch_u64(&huge->taken, bytes);

	ns = pg_atomic_add_fetch_u64(&huge->ns, ns);
	if (taken < BYTES_REMEMBERED)
		return;
	pg_atomic_write_u64(&huge->taken, taken / 2);
	pg_atomic_write_u64(&huge->ns, ns / 2);
}

static double
ns_per_byte(void)
{
	if (gpudb_debug_memory >= 0)
		return gpudb_debug_memory / 1024.0;
	return (double) pg_atomic_read_u64(&huge->ns) / Max(pg_atomic_read_u64(&huge->taken), 1);
}

Size
pool_bytes_ahead(void)
{
	return pg_atomic_read_u32(&huge->ahead) * HUGE_PAGE;
}

double
pool_ns_to_take(double bytes)
{
	return pool_exists() ? Max(bytes - (double) pool_bytes_ahead(), 0) * ns_per_byte() : 0;
}

/* Return true if the machine gives huge pages, as far as this process has seen of late. */
static bool
huge_pages_left(void)
{
	return refused_ns == 0 || clock_ns() - refused_ns > REFUSED_NS;
}

/* Note that a page is filled, or has to be without being huge: it does not wait for columns. */
static void
fill_page(Size page)
{
	if (change_state(page, HUGE_AHEAD, HUGE_FILLED))
		pg_atomic_fetch_sub_u32(&huge->ahead, 1);
	else
		(void) change_state(page, HUGE_UNUSED, HUGE_FILLED);
}

/*
 * Ask the kernel for huge pages, all in one call, and count them.  If a device
 * has pinned small pages of some (EAGAIN), each is asked for alone.
 */
static void
ask_kernel(Size first, Size npages)
{
	if (mapping_make_huge(place + first * HUGE_PAGE, npages))
		pg_atomic_fetch_add_u32(&huge->made, (uint32) npages);
	else if (errno != EAGAIN)
	{
		refused_ns = clock_ns();
		for (Size page = 0; page < npages; page++)
			fill_page(first + page);
	}
	else if (npages > 1)
		for (Size page = 0; page < npages && huge_pages_left(); page++)
			ask_kernel(first + page, 1);
}

/*
 * Claim up to `most` pages from `first` on that nobody has claimed yet: they
 * are in state HUGE_AHEAD, and this process backs them with memory.  Return
 * their number.
 */
static Size
claim_pages(Size first, Size most)
{
	const Size	npages = pool_bytes() / HUGE_PAGE;
	Size		n = 0;

	while (n < most && first + n < npages && pg_atomic_read_u32(&huge->state[first + n]) == HUGE_UNUSED)
	{
		/* counted before another process can fill the page */
		pg_atomic_fetch_add_u32(&huge->ahead, 1);
		if (!change_state(first + n, HUGE_UNUSED, HUGE_AHEAD))
		{
			pg_atomic_fetch_sub_u32(&huge->ahead, 1);
			break;
		}
		n++;
	}
	return n;
}

/* Back claimed pages with memory. */
static void
take_pages(Size first, Size npages)
{
	const uint64 begun = clock_ns();
	uint64		took;

	if (npages == 0)
		return;
	ask_kernel(first, npages);
	took = clock_ns() - begun;
	remember_time(npages * HUGE_PAGE, took);
	if (took > npages * HUGE_PAGE_MOST_NS)
		refused_ns = clock_ns();
}

/*
 * Back memory that was allocated now with huge pages.  Where the pool grows
 * much, the pages that are allocated after the next ones are taken, too, in
 * one call of the kernel: other processes fill the next ones meanwhile.
 */
static void
ask_for_huge_pages(dsa_pointer pointer, Size bytes)
{
	const Size	end = Min((pointer + bytes + HUGE_PAGE - 1) / HUGE_PAGE, pool_bytes() / HUGE_PAGE);
	const Size	at_once = Min(pg_atomic_read_u32(&huge->made) / AT_ONCE_PART, AT_ONCE_MOST);

	for (Size page = pointer / HUGE_PAGE; page < end; page++)
	{
		if (huge_pages_left())
			take_pages(page, claim_pages(page, Min(Max(at_once, end - page), AT_ONCE_MOST)));
		fill_page(page);
	}
	if (at_once > 1 && huge_pages_left())
		take_pages(end + at_once, claim_pages(end + at_once, at_once));
}

bool
pool_wants_memory(void)
{
	const Size	first = Min((Size) NBuffers * BLCKSZ, pool_bytes()) / AHEAD_FIRST_PART;

	if (!huge_pages_left())
		return false;
	if (Max(pool_huge_bytes(), pool_bytes_ahead()) < first)
		return true;
	return ns_per_byte() >= AHEAD_LEAST_NS && pool_bytes_ahead() < Min(pool_bytes() / AHEAD_PART, AHEAD_MOST);
}

/* Return true if the machine has memory to spare; tests do not depend on that. */
static bool
memory_is_left(void)
{
	return gpudb_debug_memory >= 0 || machine_memory_available() > machine_memory() / FREE_PART;
}

bool
pool_take_ahead(void)
{
	if (!pool_wants_memory() || !memory_is_left())
		return false;
	for (Size page = 0; page < pool_bytes() / HUGE_PAGE; page++)
	{
		const Size	n = claim_pages(page, AHEAD_AT_ONCE);

		if (n == 0)
			continue;
		take_pages(page, n);
		/* The process does not read what it has taken, and is not to look as large as the pool. */
		mapping_leave(place + page * HUGE_PAGE, n * HUGE_PAGE);
		return true;
	}
	return false;
}

dsa_pointer
pool_allocate(Size bytes)
{
	const dsa_pointer pointer = dsa_allocate_extended(attached(), bytes, DSA_ALLOC_HUGE | DSA_ALLOC_NO_OOM);

	if (DsaPointerIsValid(pointer) && bytes > 0)
		ask_for_huge_pages(pointer, bytes);
	return pointer;
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
