/*
 * extension.h
 *		Whether gpudb has been created in this database, and which functions are its own.
 */
#ifndef GPUDB_COMPILE_EXTENSION_H
#define GPUDB_COMPILE_EXTENSION_H

#include "postgres.h"

/* Whether the planner may offer gpudb nodes: CREATE EXTENSION has been run, or is assumed to have been. */
extern bool extension_is_here(void);

/* For gpudb.calibrate() in a database without the extension. */
extern void extension_assume(bool assumed);

/* The extension's function of this name and one argument of this type; InvalidOid if there is none. */
extern Oid	extension_function(const char *name, Oid argument);

/* Whether a function is one of the extension's, of this name. */
extern bool is_own_function(Oid function, const char *name);

#endif							/* GPUDB_COMPILE_EXTENSION_H */
