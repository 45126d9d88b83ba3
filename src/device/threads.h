/*
 * threads.h
 *		The threads of the CPU device: a budget that all backends share.
 */
#ifndef GPUDB_DEVICE_THREADS_H
#define GPUDB_DEVICE_THREADS_H

/* Reserve shared memory (at library load), then attach to it. */
extern void threads_request_shmem(void);
extern void threads_attach_shmem(void);

/*
 * Return how many threads besides the backend itself a query would use: by
 * gpudb.cpu_threads, or by the number of processors.
 */
extern int	threads_wanted(void);

/*
 * Lease up to threads_wanted() threads from the budget of the server, which is
 * the number of its processors, and return how many were leased; 0 if none are
 * left, and the backend works alone.
 */
extern int	threads_lease(void);
extern void threads_return(int n);

/*
 * Return true if the other processes of this server that run queries now, and
 * the threads that they have leased, take all processors.  Leases count only
 * if some other process runs: the threads of a process that waits for its
 * client wait, too.
 */
extern bool threads_are_busy(void);

/* Return the first row of part number `part` when `nrows` rows are divided into `parts` parts. */
static inline uint32
threads_part_start(uint32 nrows, uint32 parts, uint32 part)
{
	return (uint32) ((uint64) nrows * part / parts);
}

/*
 * Run all `parts` of a work that calls no function of PostgreSQL: by the
 * threads that this process has leased, which must be idle, or else by threads
 * leased for this call.
 */
extern void threads_run_all(uint32 parts, void (*work) (void *arg, uint32 part), void *arg);

/* Run all `parts` of a work on `nrows` rows by threads_run_all(), or, if the rows are few, by this process alone. */
extern void threads_run_parts(uint32 nrows, uint32 parts, void (*work) (void *arg, uint32 part), void *arg);

#endif							/* GPUDB_DEVICE_THREADS_H */
