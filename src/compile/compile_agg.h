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
	int			companion;		/* MIN_BY and MAX_BY: a register; BINS and VALUES: bits of a distance that tell nothing */
	int			least;			/* these: register of the least value that counts; 0 of others */
	int			mask;
} StateSource;

typedef struct AggCompiler
{
	Compiler   *c;
	Program    *shape;			/* keys and states are recorded here */
	int			group;			/* register of group numbers, 0 without keys */
	StateSource source[PROGRAM_MAX_STATES];
} AggCompiler;

/* Words of a group's row that may be taken by states of a size that is not small. */
#define ROW_WORDS_MOST 16384

/* The number of a state, made if new; -1 when there are too many. */
extern int	need_source(AggCompiler *ac, StateSource source);

/* The number of such a state, made if new; -1 when there are too many. */
extern int	need_state(AggCompiler *ac, StateKind kind, bool wide, int vreg, int mask);

/*
 * The instructions that update the states.  They come after everything that
 * can fail or ask for room, so that a tile updates all of them or none.
 */
extern void emit_updates(AggCompiler *ac);

/* The state that counts the floats that are -0: equal to 0, which prints differently. */
extern int	count_negative_zeros(AggCompiler *ac, const Operand *arg, int mask);

/* Whether PostgreSQL's order of an aggregate's argument is ours, and equal values are the same. */
extern bool order_known(Compiler *c, Oid collation, const AggResult *result);

/* What a percentile_cont's argument is cast from, the order of whose values is that of the floats; the argument itself if it is none. */
extern Expr *compile_before_float8(Expr *expr);

/* The states from which an ordered-set aggregate selects its values (compile_select.c). */
extern bool compile_select(AggCompiler *ac, const Aggref *agg, const Operand *arg, int mask, AggResult *result);

#endif							/* GPUDB_COMPILE_COMPILE_AGG_H */
