/*
 * cautious.h
 *		Running something whose error is nobody's yet.
 */
#ifndef GPUDB_EXEC_CAUTIOUS_H
#define GPUDB_EXEC_CAUTIOUS_H

#include "postgres.h"

/* Whether run_cautiously() may be called: not in a parallel worker, nor while workers run for this process. */
extern bool can_run_cautiously(void);

/*
 * Run it in a subtransaction, in the current memory context; false if it raised
 * an error, which is forgotten, unless somebody ends the query.  It must start
 * no parallel workers.
 *
 * What it acquires belongs to the subtransaction's resource owner, which ends
 * with it: nothing of the query may be made there that lasts longer, such as a
 * plan's state, a scan, a tuplestore or the query's JIT context.  What PostgreSQL's
 * functions keep from call to call is theirs to tie to transactions: a function in
 * SQL begins anew in another subtransaction, PL/pgSQL's belongs to the
 * transaction as a whole.
 */
extern bool run_cautiously(void (*work) (void *arg), void *arg);

#endif							/* GPUDB_EXEC_CAUTIOUS_H */
