/*
 * compile_agg.c
 *		Group keys and aggregates.
 *
 * A group's row holds states: counts, sums, extremes.  An aggregate is one or
 * more of them and a recipe (AggResult) for its value; equal states are kept
 * once, so avg(x) and sum(x) share theirs.
 *
 * Values that PostgreSQL holds equal but prints differently need care, since
 * which of them it returns depends on the order of rows: numerics of one
 * value and several display scales, and the two zeros of floats.  Extra
 * states find out whether that happened; if so, PostgreSQL answers.
 */
#include "postgres.h"

#include "catalog/pg_aggregate.h"
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"

#include "core/op_agg.h"

#include "compile/compiler.h"

/* How display scales are folded into a number for min and max. */
#define DSCALE_FACTOR 64

/* What a state is computed from; index = state number. */
typedef struct StateSource
{
	StateKind	kind;
	int			vreg;
	int			mask;
} StateSource;

typedef struct AggCompiler
{
	Compiler   *c;
	Program    *shape;			/* keys and states are recorded here */
	int			group;			/* register of group numbers, 0 without keys */
	StateSource source[PROGRAM_MAX_STATES];
} AggCompiler;

static bool
add_key(Compiler *c, Program *shape, KeyKind kind, Opcode op, int vreg, int *hash)
{
	int			k = shape->nkeys;

	if (k == PROGRAM_MAX_KEYS)
		return refuse(c, REASON_EXPRESSION);
	shape->key_kind[k] = kind;
	shape->key_word[k] = shape->row_words;
	shape->row_words += kind == KEY_WORD ? 1 : 2;
	shape->nkeys++;
	*hash = emit(&c->em, op, vreg, *hash, 0, k);
	return true;
}

static bool
compile_key(Compiler *c, Program *shape, Expr *expr, int *hash, Operand *operand)
{
	Emitter    *em = &c->em;
	Oid			type = exprType((Node *) expr);

	if (!compile_expr(c, expr, operand))
		return false;
	switch (operand->class)
	{
		case CLASS_BOOL:
			return add_key(c, shape, KEY_WORD, VMOP_KEY_I, emit(em, VMOP_BOOL_TO_INT, operand->vreg, 0, 0, 0), hash);
		case CLASS_INT:
			return add_key(c, shape, KEY_WORD, VMOP_KEY_I, operand->vreg, hash);
		case CLASS_FLOAT:
			{
				int			plain = emit(em, VMOP_NO_NEG_ZERO, operand->vreg, 0, c->mask, 0);

				return add_key(c, shape, KEY_WORD, VMOP_KEY_I, emit(em, VMOP_FLOAT_KEY, plain, 0, 0, 0), hash);
			}
		case CLASS_DECIMAL:
			return add_key(c, shape, KEY_WIDE, VMOP_KEY_W, widened(c, operand), hash);
		case CLASS_PACKED:
		case CLASS_TEXT:
			if (!OidIsValid(exprCollation((Node *) expr)) ||
				!get_collation_isdeterministic(exprCollation((Node *) expr)))
				return refuse(c, REASON_COLLATION);
			/* blanks that do not count in bpchar can be put back only where a length is declared */
			if (type == BPCHAROID && exprTypmod((Node *) expr) < (int32) VARHDRSZ)
				return refuse(c, REASON_DATA_TYPE);
			if (operand->class == CLASS_PACKED)
				return add_key(c, shape, KEY_WORD, VMOP_KEY_I, operand->vreg, hash);
			return add_key(c, shape, KEY_TEXT, VMOP_KEY_T,
						   type == BPCHAROID ? emit(em, VMOP_TRIM_T, operand->vreg, 0, 0, 0) : operand->vreg, hash);
	}
	return false;
}

/* The opcode that adds to a state, from the operand's width and grouping. */
static Opcode
state_op(StateKind kind, bool wide, bool grouped)
{
	switch (kind)
	{
		case STATE_COUNT:
			return grouped ? VMOP_COUNT_G : VMOP_COUNT;
		case STATE_SUM:
			if (wide)
				return grouped ? VMOP_SUM_W_G : VMOP_SUM_W;
			return grouped ? VMOP_SUM_I_G : VMOP_SUM_I;
		case STATE_SUM_F:
			return grouped ? VMOP_SUM_F_G : VMOP_SUM_F;
		case STATE_MIN_I:
			return grouped ? VMOP_MIN_I_G : VMOP_MIN_I;
		case STATE_MAX_I:
			return grouped ? VMOP_MAX_I_G : VMOP_MAX_I;
		case STATE_MIN_W:
			return grouped ? VMOP_MIN_W_G : VMOP_MIN_W;
		case STATE_MAX_W:
			return grouped ? VMOP_MAX_W_G : VMOP_MAX_W;
	}
	return VMOP_END;
}

/* The number of a state over register vreg (0 for count(*)), made if new; -1 when there are too many. */
static int
need_state(AggCompiler *ac, StateKind kind, bool wide, int vreg, int mask)
{
	Program    *shape = ac->shape;
	int			s;

	for (s = 0; s < shape->nstates; s++)
		if (ac->source[s].kind == kind && ac->source[s].vreg == vreg && ac->source[s].mask == mask)
			return s;
	if (s == PROGRAM_MAX_STATES)
	{
		refuse(ac->c, REASON_EXPRESSION);
		return -1;
	}
	ac->source[s] = (StateSource) {kind, vreg, mask};
	shape->state_kind[s] = kind;
	shape->state_word[s] = shape->row_words;
	emit(&ac->c->em, state_op(kind, wide, ac->group != 0), vreg, ac->group, mask, shape->row_words);
	shape->row_words += state_words(kind);
	shape->nstates++;
	return s;
}

/* Count of the rows where an operand is not NULL. */
static int
count_state(AggCompiler *ac, const Operand *arg, int mask)
{
	return need_state(ac, STATE_COUNT, false, arg->nullable ? arg->vreg : 0, mask);
}

/* A mask without the rows where the operand is NULL. */
static int
mask_present(AggCompiler *ac, const Operand *arg, int mask)
{
	return arg->nullable ? emit(&ac->c->em, VMOP_MASK_NOT_TRUE, null_test(ac->c, arg), mask, 0, 0) : mask;
}

/*
 * Least or largest numeric whose display scale varies: the value with the
 * scale folded in, once so that small scales come first and once so that
 * large ones do.  The value is certain when both agree.
 */
static void
numeric_extreme(AggCompiler *ac, StateKind kind, const Operand *arg, int mask, AggResult *result)
{
	Compiler   *c = ac->c;
	uint64		factor[2];
	uint64		most[2];
	int			scaled;
	int			dscale = emit(&c->em, VMOP_WIDEN, arg->dscale_vreg, 0, 0, 0);
	int			inverse;

	wide_store(factor, DSCALE_FACTOR);
	wide_store(most, DSCALE_FACTOR - 1);
	scaled = emit(&c->em, VMOP_MUL_W, widened(c, arg), emit_constant(&c->em, KIND_W, factor, false), mask, 0);
	inverse = emit(&c->em, VMOP_SUB_W, emit_constant(&c->em, KIND_W, most, false), dscale, mask, 0);
	result->value = need_state(ac, kind, true, emit(&c->em, VMOP_ADD_W, scaled, dscale, mask, 0), mask);
	result->other = need_state(ac, kind, true, emit(&c->em, VMOP_ADD_W, scaled, inverse, mask, 0), mask);
}

static void
extreme(AggCompiler *ac, bool least, const Operand *arg, int mask, AggResult *result)
{
	Emitter    *em = &ac->c->em;

	switch (arg->class)
	{
		case CLASS_DECIMAL:
			if (arg->dscale < 0)
				numeric_extreme(ac, least ? STATE_MIN_W : STATE_MAX_W, arg, mask, result);
			else
				result->value = need_state(ac, least ? STATE_MIN_W : STATE_MAX_W, true, widened(ac->c, arg), mask);
			break;
		case CLASS_FLOAT:
			{
				int			negative_zero = emit(em, VMOP_NEG_ZERO, arg->vreg, 0, 0, 0);

				result->other = need_state(ac, STATE_COUNT, false, 0,
										   emit(em, VMOP_MASK_TRUE, negative_zero, mask, 0, 0));
				result->value = need_state(ac, least ? STATE_MIN_I : STATE_MAX_I, false,
										   emit(em, VMOP_FLOAT_KEY, arg->vreg, 0, 0, 0), mask);
				break;
			}
		default:
			result->value = need_state(ac, least ? STATE_MIN_I : STATE_MAX_I, false, arg->vreg, mask);
			break;
	}
}

static void
total(AggCompiler *ac, const Operand *arg, int mask, AggResult *result)
{
	if (arg->class == CLASS_FLOAT)
		result->value = need_state(ac, STATE_SUM_F, false, arg->vreg, mask);
	else
		result->value = need_state(ac, STATE_SUM, arg->class == CLASS_DECIMAL && ac->c->wide, arg->vreg, mask);
	if (arg->class == CLASS_DECIMAL && arg->dscale < 0)
		result->dscale_max = need_state(ac, STATE_MAX_I, false, arg->dscale_vreg, mask_present(ac, arg, mask));
}

static bool
compile_aggregate(AggCompiler *ac, Aggref *agg, AggResult *result)
{
	Compiler   *c = ac->c;
	const AggregateMap *map = map_aggregate(agg->aggfnoid);
	int			mask = VREG_SELECTION;
	Operand		condition;
	Operand		arg;
	Expr	   *expr;

	if (map == NULL || agg->aggdistinct != NIL || agg->aggorder != NIL || agg->aggkind != AGGKIND_NORMAL ||
		agg->aggsplit != AGGSPLIT_SIMPLE || agg->agglevelsup != 0)
		return refuse(c, REASON_EXPRESSION);
	*result = (AggResult) {.action = map->action, .value = -1, .count = -1, .other = -1, .dscale_max = -1};
	if (agg->aggfilter)
	{
		if (!compile_expr(c, agg->aggfilter, &condition))
			return false;
		mask = emit(&c->em, VMOP_MASK_TRUE, condition.vreg, VREG_SELECTION, 0, 0);
	}
	if (map->action == AGG_COUNT_ALL)
	{
		result->count = need_state(ac, STATE_COUNT, false, 0, mask);
		return c->reason == NULL;
	}
	expr = linitial_node(TargetEntry, agg->args)->expr;
	c->mask = mask;
	if (!compile_expr(c, expr, &arg))
		return false;
	c->mask = VREG_SELECTION;
	result->argtype = exprType((Node *) expr);
	result->scale = arg.scale;
	result->dscale = arg.dscale;
	result->count = count_state(ac, &arg, mask);
	switch ((AggAction) map->action)
	{
		case AGG_COUNT_ALL:
		case AGG_COUNT:
			break;
		case AGG_SUM:
		case AGG_AVG:
			total(ac, &arg, mask, result);
			break;
		case AGG_MIN:
		case AGG_MAX:
			extreme(ac, map->action == AGG_MIN, &arg, mask, result);
			break;
	}
	return c->reason == NULL;
}

bool
compile_keys_and_aggregates(Compiler *c, const CompileRequest *request, Program *shape)
{
	AggCompiler *ac = palloc0(sizeof(AggCompiler));
	CompileResult *result = c->result;
	Operand    *key = palloc0(sizeof(Operand) * Max(1, list_length(request->keys)));
	int			hash = int_constant(c, 0);
	int			i;
	ListCell   *lc;

	ac->c = c;
	ac->shape = shape;
	i = 0;
	foreach(lc, request->keys)
	{
		if (!compile_key(c, shape, lfirst(lc), &hash, &key[i++]))
			return false;
	}
	if (request->keys != NIL)
		ac->group = emit(&c->em, VMOP_GROUP, hash, 0, 0, 0);

	result->nkeys = list_length(request->keys);
	for (i = 0; i < result->nkeys; i++)
	{
		Node	   *expr = list_nth(request->keys, i);

		result->key[i] = (KeyResult) {
			.type = exprType(expr), .typmod = exprTypmod(expr), .packed = key[i].class == CLASS_PACKED,
			.scale = key[i].scale, .dscale = key[i].dscale, .dscale_min = -1, .dscale_max = -1
		};
		if (key[i].class == CLASS_DECIMAL && key[i].dscale < 0)
		{
			int			mask = mask_present(ac, &key[i], VREG_SELECTION);

			result->key[i].dscale_min = need_state(ac, STATE_MIN_I, false, key[i].dscale_vreg, mask);
			result->key[i].dscale_max = need_state(ac, STATE_MAX_I, false, key[i].dscale_vreg, mask);
		}
	}
	result->naggs = list_length(request->aggs);
	result->agg = palloc0(sizeof(AggResult) * Max(1, result->naggs));
	i = 0;
	foreach(lc, request->aggs)
	{
		if (!compile_aggregate(ac, lfirst_node(Aggref, lc), &result->agg[i++]))
			return false;
	}
	shape->grouped = request->keys != NIL;
	return c->reason == NULL;
}
