/*
 * run_dicts.h
 *		The dictionary codes of one run: dictionaries of the columns that its
 *		program reads as codes, and the results of conditions on their values.
 */
#ifndef GPUDB_EXEC_RUN_RUN_DICTS_H
#define GPUDB_EXEC_RUN_RUN_DICTS_H

#include "postgres.h"

#include "utils/rel.h"
#include "utils/snapshot.h"

#include "compile/compile.h"
#include "tablet/read/build.h"

typedef struct RunDicts RunDicts;

/* Number of dictionary values that conditions reserve room for. */
typedef enum CodeRoom
{
	ROOM_FOR_ONE,				/* while planning: any number will do */
	ROOM_FOR_PRESENT,			/* the present number of values, and some more */
	ROOM_FOR_ALL				/* the maximum number of values */
} CodeRoom;

/*
 * Return, for CompileInput, how many dictionary values a condition on each
 * attribute reserves room for, by attribute number; 0 = the attribute may not be
 * read as codes.  The attributes considered are those in a set offset by
 * FirstLowInvalidHeapAttributeNumber.  NULL if none may be.
 */
extern uint32 *run_dicts_offer(Relation relation, Snapshot snapshot, Bitmapset *attributes, CodeRoom room);

/*
 * Pin the dictionaries of a program's columns, until the current memory context
 * is reset, and store them in wanted[] and in the descriptions of the program's
 * results.  Return NULL, with *without set to a column that cannot have codes if
 * that is the reason, or zeroed if no column has codes.  No value is judged
 * before run_dicts_catch_up().
 */
extern RunDicts *run_dicts_open(Relation relation, CompileResult *compiled, ColumnWanted *wanted, DictSource *without);

/*
 * Evaluate the conditions on values that were added since the last call, by any backend, and
 * publish these values' codes.
 */
extern void run_dicts_catch_up(RunDicts *dicts);

/* Return true if a dictionary has more values than a condition has reserved room for. */
extern bool run_dicts_outgrown(const RunDicts *dicts);

#endif							/* GPUDB_EXEC_RUN_RUN_DICTS_H */
