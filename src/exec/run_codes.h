/*
 * run_codes.h
 *		The codes of one run: dictionaries of the columns that its program reads
 *		as codes, and what PostgreSQL says of their values.
 */
#ifndef GPUDB_EXEC_RUN_CODES_H
#define GPUDB_EXEC_RUN_CODES_H

#include "postgres.h"

#include "utils/rel.h"
#include "utils/snapshot.h"

#include "compile/compile.h"
#include "tablet/build.h"

typedef struct RunCodes RunCodes;

/* How many values conditions are to have room for. */
typedef enum CodeRoom
{
	ROOM_FOR_ONE,				/* while planning: any number will do */
	ROOM_FOR_PRESENT,			/* those that there are, and some more */
	ROOM_FOR_ALL				/* as many as there can be */
} CodeRoom;

/*
 * For CompileInput: which attributes, of those in a set offset by
 * FirstLowInvalidHeapAttributeNumber, may be read as codes.  NULL if none.
 */
extern uint32 *run_codes_offer(Relation relation, Snapshot snapshot, Bitmapset *attributes, CodeRoom room);

/*
 * Pin the dictionaries of a program's columns, and note them in wanted[] and
 * in what the program's results are made of, all in the current memory
 * context, which they are pinned as long as.  Returns NULL, with *without a
 * column that cannot have codes, if that is so, or none if nothing is to have any.
 * No value is judged before run_codes_catch_up().
 */
extern RunCodes *run_codes_open(Relation relation, CompileResult *compiled, ColumnWanted *wanted, CodeSource *without);

/* Have values that were added since, by whomever, judged and known. */
extern void run_codes_catch_up(RunCodes *codes);

/* Whether there are more values than a condition had room for. */
extern bool run_codes_outgrown(const RunCodes *codes);

#endif							/* GPUDB_EXEC_RUN_CODES_H */
