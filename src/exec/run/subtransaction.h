/*
 * subtransaction.h
 *		Runs a function in a subtransaction and reports whether it raised an error.
 */
#ifndef GPUDB_EXEC_RUN_SUBTRANSACTION_H
#define GPUDB_EXEC_RUN_SUBTRANSACTION_H

#include "postgres.h"

/* Return true if run_in_subtransaction() may be called: not in a parallel worker, nor while workers run for this process. */
extern bool can_run_in_subtransaction(void);

/*
 * Run work(arg) in a subtransaction, in the current memory context.  Return
 * false if it raised an error, which is discarded unless it ends the query
 * (class operator_intervention).  `work` must not start parallel workers.
 *
 * What `work` acquires belongs to the subtransaction's resource owner, which
 * ends with it: `work` must not create anything of the query that lasts
 * longer, such as a plan's state, a scan, a tuplestore or the query's JIT
 * context.  State that PostgreSQL's functions hold from call to call is tied
 * to transactions by themselves: a function in SQL begins anew in another
 * subtransaction, PL/pgSQL's state belongs to the transaction as a whole.
 */
extern bool run_in_subtransaction(void (*work) (void *arg), void *arg);

#endif							/* GPUDB_EXEC_RUN_SUBTRANSACTION_H */
