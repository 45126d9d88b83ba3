/*
 * compile_agg.h
 *		States while they are being compiled: of aggregates, and of rows that are kept.
 */
#ifndef GPUDB_COMPILE_COMPILE_AGG_H
#define GPUDB_COMPILE_COMPILE_AGG_H

#include "postgres.h"

#include "compile/compiler.h"

/* What a state is computed from; index = state number. */
typedef struct StateSource
{
	StateKind	kind;
	bool		wide;			/* sums: of 128-bit values */
	int			vreg;
	int			companion;		/* MIN_BY and MAX_BY */
	int			mask;
} StateSource;

typedef struct AggCompiler
{
	Compiler   *c;
	Program    *shape;			/* keys and states are recorded here */
	int			group;			/* register of group numbers, 0 without keys */
	StateSource source[PROGRAM_MAX_STATES];
} AggCompiler;

/* The number of such a state, made if new; -1 when there are too many. */
extern int	need_state(AggCompiler *ac, StateKind kind, bool wide, int vreg, int mask);

/*
 * The instructions that update the states.  They come after everything that
 * can fail or ask for room, so that a tile updates all of them or none.
 */
extern void emit_updates(AggCompiler *ac);

#endif							/* GPUDB_COMPILE_COMPILE_AGG_H */
