/*
 * build_parallel.c
 *		Builds columns of a whole relation in the cache, by several processes.
 *
 * The threads of the CPU device deform pages in parallel, but a single process
 * has to pin the pages, put texts together and copy the columns into the pool.
 * On a machine with many processors all wait for that one.  Therefore parallel
 * workers of PostgreSQL build, too.  Each process draws some tablets, builds
 * them with its part of the threads, and draws the next ones.  The fewer
 * tablets are left the fewer are drawn, so that a small relation occupies
 * several processes, and all end at about the same time (guided
 * self-scheduling, Polychronopoulos and Kuck 1987).  The server starts workers
 * one after the other, which takes some milliseconds for each.  Until a worker
 * begins, a thread of the leader stands in for it.
 *
 *		segment:  Shared | the columns | buffer and WAL usage of each worker
 */
#include "postgres.h"

#include "access/table.h"
#include "access/xact.h"
#include "executor/instrument.h"
#include "miscadmin.h"
#include "port/atomics.h"
#include "storage/bufmgr.h"
#include "storage/spin.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

#include "device/machine.h"
#include "device/mapping.h"
#include "device/threads.h"
#include "exec/build/build_parallel.h"
#include "exec/run/segment.h"
#include "tablet/cache/progress.h"
#include "tablet/cache/shelf.h"
#include "tablet/scan/tablet_scan.h"

/* Maximum number of tablets that a process draws at once: 64 MB of pages. */
#define DRAWN_MOST		(SHELF_TABLETS / 4)

/* Number of tablets for which a worker is started: building them takes longer than its start. */
#define WORKER_TABLETS	(SHELF_TABLETS / 8)

enum SegmentKey
{
	KEY_SHARED = 1,
	KEY_WANTED,
	KEY_BUFFER_USAGE,
	KEY_WAL_USAGE
};

typedef struct Shared
{
	Oid			relation;
	int			nwanted;
	uint32		ntablets;
	pg_atomic_uint32 next;		/* next tablet to draw */
	pg_atomic_uint32 nprocesses;	/* number of processes; 0 until it is known how many have started */
	pg_atomic_uint32 threads;	/* threads of all processes, besides the processes themselves */
	pg_atomic_uint32 nbegun;	/* number of workers that have begun */
	slock_t		lock;			/* protects the members below */
	bool		begun;			/* some columns can be cached */
	Built		result;			/* sum over all processes, with the first failure */
} Shared;

/* Threads leased for all processes, returned when the memory context of this struct is reset. */
typedef struct Leased
{
	int			threads;
	MemoryContextCallback closing;
} Leased;

extern PGDLLEXPORT void gpudb_build_main(dsm_segment *segment, shm_toc *toc);

static void
init_shared(Shared *shared, const BuildOrder *order, uint32 ntablets)
{
	*shared = (Shared) {
		.relation = RelationGetRelid(order->relation), .nwanted = order->nwanted, .ntablets = ntablets,
		.result = {.status = STATUS_DONE, .column = -1}
	};
	pg_atomic_init_u32(&shared->next, 0);
	pg_atomic_init_u32(&shared->nprocesses, 0);
	pg_atomic_init_u32(&shared->threads, 0);
	pg_atomic_init_u32(&shared->nbegun, 0);
	SpinLockInit(&shared->lock);
}

/* Add the result of building some tablets.  Return true if further tablets are to be built. */
static bool
add_result(Shared *shared, bool begun, const Built *built)
{
	bool		more;

	SpinLockAcquire(&shared->lock);
	shared->begun |= begun;
	shared->result.added += built->added;
	if (shared->result.status == STATUS_DONE && built->status != STATUS_DONE)
	{
		shared->result.status = built->status;
		shared->result.column = built->column;
		shared->result.scale = built->scale;
	}
	more = begun && shared->result.status == STATUS_DONE;
	SpinLockRelease(&shared->lock);
	return more;
}

/*
 * Return the number of threads that this process may use besides itself.  If
 * the threads cannot be divided evenly the first processes get one more, and
 * the leader gets one for each worker that has not begun.
 */
static int
own_threads(Shared *shared)
{
	const uint32 nprocesses = pg_atomic_read_u32(&shared->nprocesses);
	const uint32 number = IsParallelWorker() ? (uint32) ParallelWorkerNumber + 1 : 0;
	const uint32 threads = pg_atomic_read_u32(&shared->threads);
	const uint32 missing = number > 0 || nprocesses == 0 ? 0 : nprocesses - 1 - pg_atomic_read_u32(&shared->nbegun);

	return nprocesses == 0 ? 0 : (int) (threads / nprocesses + (number < threads % nprocesses ? 1 : 0) + missing);
}

/* Return how many tablets to draw from `first` on, all of one shelf. */
static uint32
tablets_to_draw(Shared *shared, uint32 first)
{
	const uint32 nprocesses = pg_atomic_read_u32(&shared->nprocesses);
	const uint32 share = nprocesses == 0 ? 1 : (shared->ntablets - first) / (2 * nprocesses);

	return Min(Min(Max(share, 1), DRAWN_MOST), SHELF_TABLETS - first % SHELF_TABLETS);
}

/* Draw the next tablets.  Return false if none are left. */
static bool
draw(Shared *shared, TabletRange *drawn)
{
	drawn->first = pg_atomic_read_u32(&shared->next);
	do
	{
		if (drawn->first >= shared->ntablets)
			return false;
		drawn->n = tablets_to_draw(shared, drawn->first);
	} while (!pg_atomic_compare_exchange_u32(&shared->next, &drawn->first, drawn->first + drawn->n));
	return true;
}

/* Draw tablets and build them, until none are left or a column cannot be read. */
static void
build_drawn(Shared *shared, BuildOrder order)
{
	TabletRange drawn;
	bool		more = true;

	while (more && draw(shared, &drawn))
	{
		Built		built;
		bool		begun;

		CHECK_FOR_INTERRUPTS();
		order.threads = own_threads(shared);
		begun = build_tablet_columns(&order, drawn, &built);
		more = add_result(shared, begun, &built);
	}
}

static Size
wanted_bytes(const BuildOrder *order)
{
	return order->nwanted * sizeof(ColumnWanted);
}

/* Build all tablets with up to `nworkers` parallel workers and `threads` threads in all. */
static void
build_with_workers(const BuildOrder *order, int nworkers, int threads, uint32 ntablets, bool *begun, Built *result)
{
	ParallelContext *context;
	Shared	   *shared;
	Shared		alone;
	BufferUsage *buffer_usage = NULL;
	WalUsage   *wal_usage = NULL;

	EnterParallelMode();
	context = CreateParallelContext("gpudb", "gpudb_build_main", nworkers);
	segment_estimate(context, sizeof(Shared));
	segment_estimate(context, wanted_bytes(order));
	segment_estimate(context, mul_size(nworkers, sizeof(BufferUsage)));
	segment_estimate(context, mul_size(nworkers, sizeof(WalUsage)));
	InitializeParallelDSM(context);
	shared = context->nworkers > 0 ? segment_insert(context, KEY_SHARED, sizeof(Shared)) : &alone;
	init_shared(shared, order, ntablets);
	/* Without dynamic shared memory there are no workers. */
	if (context->nworkers > 0)
	{
		memcpy(segment_insert(context, KEY_WANTED, wanted_bytes(order)), order->wanted, wanted_bytes(order));
		buffer_usage = segment_insert(context, KEY_BUFFER_USAGE, context->nworkers * sizeof(BufferUsage));
		wal_usage = segment_insert(context, KEY_WAL_USAGE, context->nworkers * sizeof(WalUsage));
		LaunchParallelWorkers(context);
	}
	pg_atomic_write_u32(&shared->threads, (uint32) Max(threads - context->nworkers_launched, 0));
	pg_atomic_write_u32(&shared->nprocesses, (uint32) context->nworkers_launched + 1);
	build_drawn(shared, *order);
	if (context->nworkers > 0)
		WaitForParallelWorkersToFinish(context);
	for (int w = 0; w < context->nworkers_launched; w++)
		InstrAccumParallelQuery(&buffer_usage[w], &wal_usage[w]);
	*begun = shared->begun;
	*result = shared->result;
	DestroyParallelContext(context);
	ExitParallelMode();
}

static void
let_go(void *arg)
{
	const Leased *leased = arg;

	threads_return(leased->threads);
	progress_clear();
}

bool
build_all_columns(const BuildOrder *order, Built *result)
{
	const uint32 ntablets = tablets_of(RelationGetNumberOfBlocks(order->relation));
	MemoryContext context;
	MemoryContext old;
	Leased	   *leased;
	int			nworkers;
	bool		begun;

	*result = (Built) {.status = STATUS_DONE, .column = -1};
	if (!tablet_scan_possible(order->relation))
		return false;
	context = AllocSetContextCreate(CurrentMemoryContext, "gpudb building", ALLOCSET_SMALL_SIZES);
	old = MemoryContextSwitchTo(context);
	leased = palloc0(sizeof(Leased));
	leased->closing = (MemoryContextCallback) {.func = let_go, .arg = leased};
	MemoryContextRegisterResetCallback(context, &leased->closing);
	leased->threads = threads_lease();
	/* A worker takes the place of a thread; the leader builds the first tablets itself. */
	nworkers = IsUnderPostmaster ? Min(leased->threads, (int) (Max(ntablets, 1) - 1) / WORKER_TABLETS) : 0;
	build_with_workers(order, machine_has_segment(nworkers) ? nworkers : 0, leased->threads, ntablets, &begun, result);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
	return begun;
}

/* Run a parallel worker. */
void
gpudb_build_main(dsm_segment *segment, shm_toc *toc)
{
	Shared	   *shared = shm_toc_lookup(toc, KEY_SHARED, false);
	BufferUsage *buffer_usage = shm_toc_lookup(toc, KEY_BUFFER_USAGE, false);
	WalUsage   *wal_usage = shm_toc_lookup(toc, KEY_WAL_USAGE, false);
	Relation	relation = table_open(shared->relation, AccessShareLock);
	const BuildOrder order = {
		.relation = relation, .snapshot = RegisterSnapshot(GetActiveSnapshot()), .wanted = shm_toc_lookup(toc, KEY_WANTED, false),
		.nwanted = shared->nwanted
	};

	pg_atomic_fetch_add_u32(&shared->nbegun, 1);
	mapping_read_once(BufferBlocks, (Size) NBuffers * BLCKSZ);
	InstrStartParallelQuery();
	build_drawn(shared, order);
	InstrEndParallelQuery(&buffer_usage[ParallelWorkerNumber], &wal_usage[ParallelWorkerNumber]);
	UnregisterSnapshot(order.snapshot);
	table_close(relation, AccessShareLock);
}
