/*
 * auto_prewarm.h
 *		Columns that queries wanted are left behind by a background worker: gpudb.auto_prewarm.
 */
#ifndef GPUDB_EXEC_AUTO_PREWARM_H
#define GPUDB_EXEC_AUTO_PREWARM_H

#include "postgres.h"

#include "utils/rel.h"

#include "tablet/build.h"

/* At library load: DROP DATABASE ends the worker of that database. */
extern void auto_prewarm_init(void);

/* A query wants columns of which most are not there, and will not leave them behind itself. */
extern void auto_prewarm_wish(Relation relation, const ColumnWanted *wanted, int nwanted);

#endif							/* GPUDB_EXEC_AUTO_PREWARM_H */
