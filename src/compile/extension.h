/*
 * extension.h
 *		Lookup of the extension gpudb in the current database, and of its functions.
 */
#ifndef GPUDB_COMPILE_EXTENSION_H
#define GPUDB_COMPILE_EXTENSION_H

#include "postgres.h"

/* Return true if the planner may offer gpudb nodes: the extension exists in the database, or is assumed to. */
extern bool extension_is_installed(void);

/* Set whether to assume that the extension exists, for gpudb.calibrate() in a database without it. */
extern void extension_assume(bool assumed);

/* Return the extension's function with this name and one argument of this type, or InvalidOid. */
extern Oid	extension_function(const char *name, Oid argument);

/* Return true if a function belongs to the extension and has this name. */
extern bool is_own_function(Oid function, const char *name);

#endif							/* GPUDB_COMPILE_EXTENSION_H */
