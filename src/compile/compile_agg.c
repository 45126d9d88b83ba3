/*
 * compile_agg.c
 *		Group keys and aggregates.
 *
 * A group's row holds states: counts, sums, extremes.  An aggregate is one or
 * more states and a recipe (AggResult) for its value; equal states are stored
 * once, so avg(x) and sum(x) share theirs.
 *
 * Values that PostgreSQL considers equal but prints differently need care, since
 * which of them it returns depends on the order of rows: numerics of one
 * value and several display scales, and the two zeros of floats.  Extra
 * states detect whether that happened; if so, PostgreSQL's own plan runs.
 */
#include "postgres.h"

#include "catalog/pg_aggregate.h"
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"

#include "pg_compat.h"
#include "core/vm/op_agg.h"
#include "core/vm/op_text.h"

#include "compile/compile_agg.h"

/* Add a key to the group's row and combine its hash into *hash. */
static bool
add_key(Compiler *c, Program *shape, KeyKind kind, Opcode op, int vreg, int *hash)
{
	int			k = shape->nkeys;

	if (k == PROGRAM_MAX_KEYS)
		return refuse(c, REASON_EXPRESSION);
	shape->key_kind[k] = kind;
	shape->key_word[k] = shape->row_words;
	shape->row_words += words_of_key(kind);
	shape->nkeys++;
	*hash = emit(&c->em, op, vreg, *hash, 0, k);
	return true;
}

/*
 * Return true if a text is to be held in an integer of TEXT_WIDE_MAX bytes, by
 * which every device can group.  False if the column's mean length, or a value
 * met at run time, is larger.
 */
static bool
fits_wide(Compiler *c, Expr *expr)
{
	const Var  *var = (const Var *) scan_expr(c, expr);

	if (c->input->whole_texts)
		return false;
	/* no statistics are available here for a join table's columns: the declared length decides */
	if (IsA(var, Var) && var->varno != c->input->varno && getBaseType(var->vartype) != BPCHAROID)
		return var->vartypmod >= (int32) VARHDRSZ && var->vartypmod <= TEXT_WIDE_MAX + (int32) VARHDRSZ;
	/* the width of a name or char(n) does not bound its text's length; other widths count a byte of header */
	return !IsA(var, Var) || getBaseType(var->vartype) == NAMEOID || getBaseType(var->vartype) == BPCHAROID ||
		get_attavgwidth(c->input->relation, var->varattno) <= TEXT_WIDE_MAX + 1;
}

/* Convert a text to the form stored in a group's row: without insignificant blanks, and as an integer if it fits. */
static void
hold_text(Compiler *c, Expr *expr, Oid type, int mask, Operand *text)
{
	if (type == BPCHAROID)
		text->vreg = emit(&c->em, VMOP_TRIM_T, text->vreg, 0, 0, 0);
	if (!fits_wide(c, expr))
		return;
	text->class = CLASS_WIDE;
	text->vreg = emit(&c->em, VMOP_PACK_T, text->vreg, 0, mask, 0);
}

/* Return how many bytes of text an operand's integer holds; 0 if it is of another type, or not packed. */
static uint8
packed_bytes(const Operand *operand, Oid type)
{
	if (operand->class == CLASS_PACKED)
		return TEXT_PACKED_MAX;
	return operand->class == CLASS_WIDE && type != UUIDOID && type != TIMETZOID ? TEXT_WIDE_MAX : 0;
}

/* Compile a group key, add it to the group's row, and return its operand in *operand. */
static bool
compile_key(Compiler *c, Program *shape, Expr *expr, int *hash, Operand *operand)
{
	Emitter    *em = &c->em;
	int32		typmod = exprTypmod((Node *) expr);
	Oid			type = getBaseTypeAndTypmod(exprType((Node *) expr), &typmod);

	if (!compile_expr(c, expr, operand))
		return false;
	switch (operand->class)
	{
		case CLASS_BOOL:
			return add_key(c, shape, KEY_WORD, VMOP_KEY_I, emit(em, VMOP_BOOL_TO_INT, operand->vreg, 0, 0, 0), hash);
		case CLASS_INT:
			if (!bits_fit(type, typmod))
				return refuse(c, REASON_DATA_TYPE);
			return add_key(c, shape, KEY_WORD, VMOP_KEY_I, operand->vreg, hash);
		case CLASS_FLOAT:
			{
				int			plain = emit(em, VMOP_NO_NEG_ZERO, operand->vreg, 0, c->mask, 0);

				return add_key(c, shape, KEY_WORD, VMOP_KEY_I, emit(em, VMOP_FLOAT_KEY, plain, 0, 0, 0), hash);
			}
		case CLASS_DECIMAL:
			return add_key(c, shape, KEY_WIDE, VMOP_KEY_W, widened(c, operand), hash);
		case CLASS_WIDE:
			return add_key(c, shape, KEY_WIDE, VMOP_KEY_W, operand->vreg, hash);
		case CLASS_INTERVAL:
			/* equal intervals may print differently */
			return refuse(c, REASON_DATA_TYPE);
		case CLASS_PACKED:
		case CLASS_CODE:
		case CLASS_TEXT:
			if (!OidIsValid(exprCollation((Node *) expr)) ||
				!get_collation_isdeterministic(exprCollation((Node *) expr)))
				return refuse(c, REASON_COLLATION);
			/* insignificant blanks of bpchar can be restored only where a length is declared */
			if (type == BPCHAROID && typmod < (int32) VARHDRSZ)
				return refuse(c, REASON_DATA_TYPE);
			if (operand->class != CLASS_TEXT)
				return add_key(c, shape, KEY_WORD, VMOP_KEY_I, operand->vreg, hash);
			hold_text(c, expr, type, c->mask, operand);
			return operand->class == CLASS_WIDE ? add_key(c, shape, KEY_WIDE, VMOP_KEY_W, operand->vreg, hash)
				: add_key(c, shape, KEY_TEXT, VMOP_KEY_T, operand->vreg, hash);
	}
	return false;
}

/* Return the opcode that updates a state without keys; the next opcode in opcodes.def updates it by group. */
static Opcode
state_op(StateKind kind, bool wide)
{
	switch (kind)
	{
		case STATE_COUNT:
			return VMOP_COUNT;
		case STATE_SUM:
			return wide ? VMOP_SUM_W : VMOP_SUM_I;
		case STATE_SUM_F:
			return VMOP_SUM_F;
		case STATE_MIN_I:
			return VMOP_MIN_I;
		case STATE_MAX_I:
			return VMOP_MAX_I;
		case STATE_MIN_W:
			return VMOP_MIN_W;
		case STATE_MAX_W:
			return VMOP_MAX_W;
		case STATE_SUM_SQ:
			return VMOP_SUM_SQ;
		case STATE_ALL_BITS:
			return VMOP_ALL_BITS;
		case STATE_ANY_BITS:
			return VMOP_ANY_BITS;
		case STATE_ODD_BITS:
			return VMOP_ODD_BITS;
		case STATE_MIN_BY:
			return VMOP_MIN_BY;
		case STATE_MAX_BY:
			return VMOP_MAX_BY;
		case STATE_MIN_T:
			return VMOP_MIN_T;
		case STATE_MAX_T:
			return VMOP_MAX_T;
		case STATE_BINS:
			return VMOP_BINS;
		case STATE_VALUES:
			return VMOP_VALUES;
		case STATE_EXACT:
			return VMOP_EXACT;
	}
	return VMOP_END;
}

static bool
same_source(const StateSource *a, const StateSource *b)
{
	return a->kind == b->kind && a->wide == b->wide && a->vreg == b->vreg && a->companion == b->companion &&
		a->least == b->least && a->mask == b->mask;
}

int
need_source(AggCompiler *ac, StateSource source)
{
	Program    *shape = ac->shape;
	int			s;

	for (s = 0; s < shape->nstates; s++)
		if (same_source(&ac->source[s], &source))
			return s;
	if (s == PROGRAM_MAX_STATES)
	{
		ac->c->too_large = true;
		refuse(ac->c, REASON_EXPRESSION);
		return -1;
	}
	ac->source[s] = source;
	shape->state_kind[s] = source.kind;
	shape->state_word[s] = shape->row_words;
	shape->row_words += state_words(source.kind);
	shape->nstates++;
	return s;
}

int
need_state(AggCompiler *ac, StateKind kind, bool wide, int vreg, int mask)
{
	return need_source(ac, (StateSource) {.kind = kind, .wide = wide, .vreg = vreg, .mask = mask});
}

void
emit_updates(AggCompiler *ac)
{
	Emitter    *em = &ac->c->em;
	int			grouped = ac->group != 0;

	for (int s = 0; s < ac->shape->nstates; s++)
		if (state_is_text(ac->source[s].kind))
			emit(em, grouped ? VMOP_RESERVE_T_G : VMOP_RESERVE_T, ac->source[s].vreg, ac->group, ac->source[s].mask,
				 ac->shape->state_word[s]);
	for (int s = 0; s < ac->shape->nstates; s++)
	{
		const StateSource *source = &ac->source[s];

		emit_instr(em, (EmitInstr) {.op = state_op(source->kind, source->wide) + grouped, .a = source->vreg,
				   .b = source->least != 0 ? source->least : ac->group, .c = source->companion, .m = source->mask, .imm = ac->shape->state_word[s]});
	}
}

/* Return the number of the state that counts the rows where an operand is not NULL. */
static int
count_state(AggCompiler *ac, const Operand *arg, int mask)
{
	return need_state(ac, STATE_COUNT, false, arg->nullable ? arg->vreg : 0, mask);
}

/* Return a mask without the rows where an operand is NULL. */
static int
mask_present(AggCompiler *ac, const Operand *arg, int mask)
{
	return arg->nullable ? emit(&ac->c->em, VMOP_MASK_NOT_TRUE, null_test(ac->c, arg), mask, 0, 0) : mask;
}

int
count_negative_zeros(AggCompiler *ac, const Operand *arg, int mask)
{
	Emitter    *em = &ac->c->em;

	return need_state(ac, STATE_COUNT, false, 0, emit(em, VMOP_MASK_TRUE, emit(em, VMOP_NEG_ZERO, arg->vreg, 0, 0, 0), mask, 0, 0));
}

/* Add the states of min() or max(). */
static bool
extreme(AggCompiler *ac, bool least, const Operand *arg, int mask, AggResult *result)
{
	Emitter    *em = &ac->c->em;
	StateSource by = {.kind = least ? STATE_MIN_BY : STATE_MAX_BY, .vreg = arg->vreg, .companion = arg->second_vreg, .mask = mask};

	switch (arg->class)
	{
		case CLASS_DECIMAL:
			by.vreg = widened(ac->c, arg);
			if (arg->dscale < 0)
			{
				by.companion = emit(em, VMOP_WIDEN, arg->second_vreg, 0, 0, 0);
				result->value = need_source(ac, by);
			}
			else
				result->value = need_state(ac, least ? STATE_MIN_W : STATE_MAX_W, true, by.vreg, mask);
			break;
		case CLASS_INTERVAL:
			result->value = need_source(ac, by);
			break;
		case CLASS_WIDE:
			result->value = need_state(ac, least ? STATE_MIN_W : STATE_MAX_W, true, arg->vreg, mask);
			break;
		case CLASS_FLOAT:
			result->other = count_negative_zeros(ac, arg, mask);
			result->value = need_state(ac, least ? STATE_MIN_I : STATE_MAX_I, false,
									   emit(em, VMOP_FLOAT_KEY, arg->vreg, 0, 0, 0), mask);
			break;
		case CLASS_TEXT:
			result->value = need_state(ac, least ? STATE_MIN_T : STATE_MAX_T, false, arg->vreg, mask);
			break;
		case CLASS_BOOL:
		case CLASS_CODE:
			return refuse(ac->c, REASON_DATA_TYPE);
		case CLASS_INT:
		case CLASS_PACKED:
			result->value = need_state(ac, least ? STATE_MIN_I : STATE_MAX_I, false, arg->vreg, mask);
			break;
	}
	return true;
}

bool
order_known(Compiler *c, Oid collation, const AggResult *result)
{
	if (get_typtype(result->argtype) == TYPTYPE_ENUM && !enum_in_oid_order(result->argtype))
		return refuse(c, REASON_DATA_TYPE);
	if (!OidIsValid(collation))
		return type_is_collatable(result->argtype) ? refuse(c, REASON_COLLATION) : true;
	if (!compat_collate_is_c(collation))
		return refuse(c, REASON_COLLATION);
	if (result->argtype == BPCHAROID && result->typmod < (int32) VARHDRSZ)
		return refuse(c, REASON_DATA_TYPE);
	return true;
}

/* Add the states of a sum. */
static void
total(AggCompiler *ac, const Operand *arg, int mask, AggResult *result)
{
	if (arg->class == CLASS_FLOAT)
		result->value = need_state(ac, STATE_SUM_F, false, arg->vreg, mask);
	else
		result->value = need_state(ac, STATE_SUM, arg->class == CLASS_DECIMAL && ac->c->wide, arg->vreg, mask);
	if (arg->class == CLASS_DECIMAL && arg->dscale < 0)
		result->dscale_max = need_state(ac, STATE_MAX_I, false, arg->second_vreg, mask_present(ac, arg, mask));
}

/* Add the states of a variance: sum and sum of squares. */
static void
spread(AggCompiler *ac, const Operand *arg, int mask, AggResult *result)
{
	Compiler   *c = ac->c;
	bool		wide = arg->class == CLASS_DECIMAL ? c->wide : result->argtype == INT8OID;
	int			vreg = arg->vreg;

	total(ac, arg, mask, result);
	if (arg->class == CLASS_FLOAT)
	{
		result->other = need_state(ac, STATE_SUM_SQ, false, vreg, mask);
		return;
	}
	if (wide)
		vreg = widened(c, arg);
	result->other = need_state(ac, STATE_SUM, wide, emit(&c->em, wide ? VMOP_MUL_W : VMOP_MUL_D, vreg, vreg, mask, 0),
							   mask);
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

	if (map == NULL || agg->aggdistinct != NIL || (agg->aggorder != NIL && agg->aggkind == AGGKIND_NORMAL) ||
		agg->aggsplit != AGGSPLIT_SIMPLE || agg->agglevelsup != 0)
		return refuse(c, REASON_EXPRESSION);
	*result = (AggResult) {
		.action = map->action, .typmod = -1, .value = -1, .count = -1, .other = -1, .dscale_max = -1
	};
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
	if (map->action == AGG_PERCENTILE_CONT)
		expr = compile_before_float8(expr);
	c->mask = mask;
	if (!compile_expr(c, expr, &arg))
		return false;
	c->mask = VREG_SELECTION;
	result->typmod = exprTypmod((Node *) expr);
	result->argtype = getBaseTypeAndTypmod(exprType((Node *) expr), &result->typmod);
	if (map->action != AGG_COUNT && !bits_fit(result->argtype, result->typmod))
		return refuse(c, REASON_DATA_TYPE);
	result->scale = arg.scale;
	result->dscale = arg.dscale;
	result->count = count_state(ac, &arg, mask);
	if (arg.class == CLASS_TEXT && (map->action == AGG_MIN || map->action == AGG_MAX))
		hold_text(c, expr, result->argtype, mask, &arg);
	result->packed = packed_bytes(&arg, result->argtype);
	switch ((AggAction) map->action)
	{
		case AGG_COUNT_ALL:
		case AGG_COUNT:
			break;
		case AGG_EXACT_SUM:
		case AGG_EXACT_AVG:
			result->value = need_state(ac, STATE_EXACT, false, arg.vreg, mask);
			break;
		case AGG_SUM:
		case AGG_AVG:
			total(ac, &arg, mask, result);
			break;
		case AGG_MIN:
		case AGG_MAX:
			return order_known(c, agg->inputcollid, result) && extreme(ac, map->action == AGG_MIN, &arg, mask, result);
		case AGG_BOOL_AND:
		case AGG_BOOL_OR:
			result->value = need_state(ac, map->action == AGG_BOOL_AND ? STATE_MIN_I : STATE_MAX_I, false,
									   emit(&c->em, VMOP_BOOL_TO_INT, arg.vreg, 0, 0, 0), mask);
			break;
		case AGG_BIT_AND:
			result->value = need_state(ac, STATE_ALL_BITS, false, arg.vreg, mask);
			break;
		case AGG_BIT_OR:
			result->value = need_state(ac, STATE_ANY_BITS, false, arg.vreg, mask);
			break;
		case AGG_BIT_XOR:
			result->value = need_state(ac, STATE_ODD_BITS, false, arg.vreg, mask);
			break;
		case AGG_VAR_POP:
		case AGG_VAR_SAMP:
		case AGG_STDDEV_POP:
		case AGG_STDDEV_SAMP:
			spread(ac, &arg, mask, result);
			break;
		case AGG_PERCENTILE_DISC:
		case AGG_PERCENTILE_CONT:
			return compile_select(ac, agg, &arg, mask, result);
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
	result->nquantiles = result->rounds = 0;
	result->steps = request->steps;
	result->select = NULL;
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
		int32		typmod = exprTypmod(expr);
		Oid			type = getBaseTypeAndTypmod(exprType(expr), &typmod);

		result->key[i] = (KeyResult) {
			.type = type, .typmod = typmod, .packed = packed_bytes(&key[i], type), .dict = dict_source(c, &key[i], (Expr *) expr),
			.scale = key[i].scale, .dscale = key[i].dscale, .dscale_min = -1, .dscale_max = -1
		};
		if (key[i].class == CLASS_DECIMAL && key[i].dscale < 0)
		{
			int			mask = mask_present(ac, &key[i], VREG_SELECTION);

			result->key[i].dscale_min = need_state(ac, STATE_MIN_I, false, key[i].second_vreg, mask);
			result->key[i].dscale_max = need_state(ac, STATE_MAX_I, false, key[i].second_vreg, mask);
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
	emit_updates(ac);
	shape->grouped = request->keys != NIL;
	return c->reason == NULL;
}
