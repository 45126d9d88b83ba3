/*
 * threads.h
 *		The threads of the CPU device, a budget that all backends share.
 */
#ifndef GPUDB_DEVICE_THREADS_H
#define GPUDB_DEVICE_THREADS_H

/* Reserve shared memory (at library load), then attach to it. */
extern void threads_request_shmem(void);
extern void threads_attach_shmem(void);

/* Threads besides the backend itself that a query would like: gpudb.cpu_threads, or the processors there are. */
extern int	threads_wanted(void);

/*
 * Take up to threads_wanted() from the budget of the server, which is as many
 * as it has processors; 0 when none are left, and the backend works alone.
 */
extern int	threads_lease(void);
extern void threads_return(int n);

/*
 * Whether other processes of this server that run queries now, and the threads
 * that these have leased, take all processors.  A lease counts only where some
 * process runs: one that has threads and waits for its client lets them wait.
 */
extern bool threads_are_busy(void);

/* The first of so many rows that is of a part, of so many parts. */
static inline uint32
threads_part_start(uint32 nrows, uint32 parts, uint32 part)
{
	return (uint32) ((uint64) nrows * part / parts);
}

/*
 * Run all parts of a work that calls nothing of PostgreSQL: by the threads
 * that this process has leased, which must have nothing else to do, or by what
 * can be leased.
 */
extern void threads_run_all(uint32 parts, void (*work) (void *arg, uint32 part), void *arg);

/* Run all parts of a work on so many rows in the same way, or, if the rows are few, by this process alone. */
extern void threads_run_parts(uint32 nrows, uint32 parts, void (*work) (void *arg, uint32 part), void *arg);

#endif							/* GPUDB_DEVICE_THREADS_H */
