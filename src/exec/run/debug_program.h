/*
 * debug_program.h
 *		gpudb.debug_program: writes a compiled program to a file.
 */
#ifndef GPUDB_EXEC_RUN_DEBUG_PROGRAM_H
#define GPUDB_EXEC_RUN_DEBUG_PROGRAM_H

#include "compile/compile.h"

/*
 * Write, in the byte order of the machine: the number of columns; for each
 * column its attribute number and scale, 16 bits each; the program.  Raises an
 * error if the file cannot be written.
 */
extern void debug_program_write(const char *path, const CompileResult *compiled);

#endif							/* GPUDB_EXEC_RUN_DEBUG_PROGRAM_H */
