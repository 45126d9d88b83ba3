/*
 * cautious.h
 *		Running something whose error is nobody's yet.
 */
#ifndef GPUDB_EXEC_CAUTIOUS_H
#define GPUDB_EXEC_CAUTIOUS_H

#include "postgres.h"

/*
 * Run it in a subtransaction, in the current memory context; false if it raised
 * an error, which is forgotten, unless somebody ends the query.  Not in
 * parallel mode, where there are no subtransactions.
 */
extern bool run_cautiously(void (*work) (void *arg), void *arg);

#endif							/* GPUDB_EXEC_CAUTIOUS_H */
