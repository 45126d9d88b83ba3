/*
 * machine.h
 *		The processors and the memory of this machine that the server may use.
 *
 * A process may be bound to some processors, and a container may have a quota
 * of their time and a limit of memory; the machine's own figures show none of
 * these.
 */
#ifndef GPUDB_DEVICE_MACHINE_H
#define GPUDB_DEVICE_MACHINE_H

#include "postgres.h"

/* Read the limits of the server's container, once, when the library is loaded. */
extern void machine_init(void);

/*
 * Return the number of processors that this process may use: its affinity, or
 * its CPU quota rounded up if that is less; counted anew for each statement.
 */
extern int	machine_processors(void);

/* Return the bytes of memory that the server may use; 0 = not known. */
extern uint64 machine_memory(void);

/* Return the bytes of memory available now without swapping; 0 = not known, as within a container's limit. */
extern uint64 machine_memory_available(void);

/*
 * Return true if a segment of dynamic shared memory for `nworkers` parallel
 * workers is available.  PostgreSQL raises an error if the file system of the
 * segment is full, and a query that could do without workers should not fail
 * for that.
 */
extern bool machine_has_segment(int nworkers);

/* Return the number of other processes of this server that run queries now; waiting processes do not count. */
extern int	machine_running(void);

#endif							/* GPUDB_DEVICE_MACHINE_H */
