/*
 * auto_prewarm.h
 *		Background worker that builds the columns for lack of which queries were slow: gpudb.auto_prewarm.
 */
#ifndef GPUDB_EXEC_BUILD_AUTO_PREWARM_H
#define GPUDB_EXEC_BUILD_AUTO_PREWARM_H

#include "postgres.h"

#include "utils/rel.h"

#include "tablet/scan/admission.h"

/* Install, at library load, the hook by which DROP DATABASE terminates the worker of that database. */
extern void auto_prewarm_init(void);

/* Charge the account of a relation (tablet/scan/admission.h), and start a worker once its columns are admitted. */
extern void auto_prewarm_charge(Relation relation, const ColumnWanted *wanted, int nwanted, AdmissionCharge charge);

/* Admit columns whatever they cost: those that a query lacks and will not leave in the cache itself. */
extern void auto_prewarm_admit(Relation relation, const ColumnWanted *wanted, int nwanted);

#endif							/* GPUDB_EXEC_BUILD_AUTO_PREWARM_H */
