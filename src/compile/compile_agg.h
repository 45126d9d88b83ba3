/*
 * compile_agg.h
 *		Compilation of group states: of aggregates, and those that describe materialized rows.
 */
#ifndef GPUDB_COMPILE_COMPILE_AGG_H
#define GPUDB_COMPILE_COMPILE_AGG_H

#include "postgres.h"

#include "compile/compiler.h"

/* Inputs of a state.  States with equal inputs are shared. */
typedef struct StateSource
{
	StateKind	kind;
	bool		wide;			/* sums: of 128-bit values */
	int			vreg;			/* register of the values, 0 for count(*) */
	int			companion;		/* MIN_BY, MAX_BY: register; BINS, VALUES: shift from a value's distance to its bin */
	int			least;			/* BINS, VALUES: register of the range's lower bound; 0 for other states */
	int			mask;			/* register of the lanes that count */
} StateSource;

typedef struct AggCompiler
{
	Compiler   *c;
	Program    *shape;			/* keys and states are recorded here */
	int			group;			/* register of group numbers, 0 without keys */
	StateSource source[PROGRAM_MAX_STATES]; /* by state number */
} AggCompiler;

/* Words of a group's row up to which states with bins or collected values are added. */
#define ROW_WORDS_MOST 16384

/* Return the number of the state with these inputs, added if new; -1 if there are too many states. */
extern int	need_source(AggCompiler *ac, StateSource source);

/* Return the number of the state of a kind over register `vreg`, added if new; -1 if there are too many states. */
extern int	need_state(AggCompiler *ac, StateKind kind, bool wide, int vreg, int mask);

/*
 * Emit the instructions that update the states.  They come after everything that
 * can fail or request memory, so that a tile updates all of them or none.
 */
extern void emit_updates(AggCompiler *ac);

/* Return the number of the state that counts floats equal to -0, which equals 0 and prints differently. */
extern int	count_negative_zeros(AggCompiler *ac, const Operand *arg, int mask);

/*
 * Return true if PostgreSQL's order of an aggregate's argument is that of its
 * register, and equal values are identical.  False with c->reason set.
 */
extern bool order_known(Compiler *c, Oid collation, const AggResult *result);

/*
 * Return the argument of percentile_cont without its cast to float8, if the cast
 * preserves the order of the values, else the argument itself.
 */
extern Expr *compile_before_float8(Expr *expr);

/* Compile the states from which an ordered-set aggregate selects its values: compile_select.c. */
extern bool compile_select(AggCompiler *ac, const Aggref *agg, const Operand *arg, int mask, AggResult *result);

#endif							/* GPUDB_COMPILE_COMPILE_AGG_H */
