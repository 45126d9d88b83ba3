/*
 * machine.h
 *		How much of this machine the server may use: processors and memory.
 *
 * A process may be bound to some processors, and a container have a quota of
 * their time and a limit of memory, none of which the machine's own figures
 * tell.
 */
#ifndef GPUDB_DEVICE_MACHINE_H
#define GPUDB_DEVICE_MACHINE_H

#include "postgres.h"

/* Look at what the server's container has, once, when the library is loaded. */
extern void machine_init(void);

/* Processors that this process may run on, or as many as it has the time of, rounded up; counted anew for each statement. */
extern int	machine_processors(void);

/* Bytes of memory; 0 = not known. */
extern uint64 machine_memory(void);

/* Bytes of it that could be had now without anything being swapped; 0 = not known, as within a container's limit. */
extern uint64 machine_memory_available(void);

/*
 * Whether a segment of dynamic shared memory for so many parallel workers can
 * be had: PostgreSQL raises an error where the file system that it is made in is
 * full, which is not the query's fault that could do without workers.
 */
extern bool machine_has_segment(int nworkers);

/* How many processes of this server run queries now, besides this one: none that waits counts. */
extern int	machine_running(void);

#endif							/* GPUDB_DEVICE_MACHINE_H */
