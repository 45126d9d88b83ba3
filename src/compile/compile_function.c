/*
 * compile_function.c
 *		Operators and functions over compiled arguments.
 *
 * A decimal carries two scales.  `scale` is where its point is in the integer
 * that the program computes with, fixed when compiling.  `dscale` is what
 * PostgreSQL would print; it is known when compiling for declared types and
 * lies in a register otherwise.
 */
#include "postgres.h"

#include "fmgr.h"
#include "mb/pg_wchar.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "core/decimal.h"
#include "core/op_text.h"

#include "compile/compiler.h"

static Operand
decimal_operand(int vreg, int scale, int dscale, bool nullable)
{
	return (Operand) {.class = CLASS_DECIMAL, .vreg = vreg, .scale = scale, .dscale = dscale, .nullable = nullable};
}

/* An opcode of decimals: its narrow or its wide form. */
static int
emit_decimal(Compiler *c, Opcode narrow, Opcode wide, int a, int b)
{
	return emit(&c->em, c->wide ? wide : narrow, a, b, c->mask, 0);
}

static int
decimal_constant(Compiler *c, Wide value)
{
	uint64		words[2];

	wide_store(words, value);
	if (!wide_fits_int64(value))
		c->narrow_fails = true;
	return emit_constant(&c->em, c->wide ? KIND_W : KIND_I, words, false);
}

/* Multiply up to a larger scale. */
Operand
decimal_at_scale(Compiler *c, const Operand *a, int scale)
{
	Operand		r = *a;

	if (scale == a->scale)
		return r;
	if (scale - a->scale > DECIMAL_MAX_DIGITS)
	{
		refuse(c, REASON_EXPRESSION);
		return r;
	}
	r.vreg = emit_decimal(c, VMOP_MUL_D, VMOP_MUL_W, a->vreg, decimal_constant(c, pow10_wide(scale - a->scale)));
	r.scale = scale;
	return r;
}

void
align_scales(Compiler *c, Operand *a, Operand *b)
{
	int			scale = Max(a->scale, b->scale);

	*a = decimal_at_scale(c, a, scale);
	*b = decimal_at_scale(c, b, scale);
}

int
dscale_vreg(Compiler *c, const Operand *a)
{
	return a->dscale < 0 ? a->dscale_vreg : int_constant(c, a->dscale);
}

/* The display scale of a sum: the larger one. */
static void
larger_dscale(Compiler *c, const Operand *a, const Operand *b, Operand *out)
{
	int			da;
	int			db;
	int			less;

	if (a->dscale >= 0 && b->dscale >= 0)
	{
		out->dscale = Max(a->dscale, b->dscale);
		return;
	}
	da = dscale_vreg(c, a);
	db = dscale_vreg(c, b);
	less = emit(&c->em, VMOP_LT_I, da, db, 0, 0);
	out->dscale = -1;
	out->dscale_vreg = emit(&c->em, VMOP_BLEND_I, db, da, less, 0);
}

static bool
decimal_add(Compiler *c, bool subtract, Operand *a, Operand *b, Operand *out)
{
	align_scales(c, a, b);
	*out = decimal_operand(subtract ? emit_decimal(c, VMOP_SUB_D, VMOP_SUB_W, a->vreg, b->vreg)
						   : emit_decimal(c, VMOP_ADD_D, VMOP_ADD_W, a->vreg, b->vreg),
						   a->scale, 0, a->nullable || b->nullable);
	larger_dscale(c, a, b, out);
	return c->reason == NULL;
}

static bool
decimal_mul(Compiler *c, const Operand *a, const Operand *b, Operand *out)
{
	if (a->scale + b->scale > DECIMAL_MAX_DIGITS)
		return refuse(c, REASON_EXPRESSION);
	*out = decimal_operand(emit_decimal(c, VMOP_MUL_D, VMOP_MUL_W, a->vreg, b->vreg),
						   a->scale + b->scale, a->dscale + b->dscale, a->nullable || b->nullable);
	if (a->dscale < 0 || b->dscale < 0)
	{
		out->dscale = -1;
		out->dscale_vreg = emit(&c->em, VMOP_ADD_D, dscale_vreg(c, a), dscale_vreg(c, b), 0, 0);
	}
	return true;
}

/* Scale of quotients: 16 significant digits and a margin for those below 1. */
#define QUOTIENT_SCALE 24

/*
 * a / b.  PostgreSQL chooses the display scale of each quotient from the
 * magnitudes of its operands and rounds there; then zeros fill it up to our
 * scale.  It takes 128 bits throughout.
 */
static bool
decimal_divide(Compiler *c, const Operand *a, const Operand *b, Operand *out)
{
	Emitter    *em = &c->em;
	int			wanted;
	int			least;
	int			less;
	int			shifted;

	c->narrow_fails |= !c->wide;
	if (!c->wide)
	{
		/* only the wide body will be kept: anything of the right class does here */
		*out = *a;
		out->constant = NULL;
		return true;
	}
	*out = decimal_operand(0, QUOTIENT_SCALE, -1, a->nullable || b->nullable);
	larger_dscale(c, a, b, out);
	least = dscale_vreg(c, out);
	wanted = emit(em, VMOP_DIV_SCALE_W, a->vreg, b->vreg, 0, a->scale | b->scale << 8);
	less = emit(em, VMOP_LT_I, least, wanted, 0, 0);
	out->dscale = -1;
	out->dscale_vreg = emit(em, VMOP_BLEND_I, wanted, least, less, 0);
	/* numerator at the scale at which the quotient comes out with its display scale */
	shifted = emit(em, VMOP_SHIFT_W, a->vreg,
				   emit(em, VMOP_ADD_D, out->dscale_vreg, int_constant(c, b->scale - a->scale), 0, 0), c->mask, 0);
	out->vreg = emit(em, VMOP_DIV_W, shifted, b->vreg, c->mask, 0);
	out->vreg = emit(em, VMOP_SHIFT_W, out->vreg,
					 emit(em, VMOP_SUB_D, int_constant(c, QUOTIENT_SCALE), out->dscale_vreg, 0, 0), c->mask, 0);
	return true;
}

/* Round to fewer digits after the point, or append zeros. */
static Operand
decimal_round(Compiler *c, const Operand *a, int scale)
{
	Operand		r = *a;

	if (scale >= a->scale)
		r = decimal_at_scale(c, a, scale);
	else
	{
		/* a narrow value has at most 18 digits, so one digit more rounds it to 0 as well */
		r.vreg = emit(&c->em, c->wide ? VMOP_ROUND_W : VMOP_ROUND_D, a->vreg, 0, 0,
					  c->wide ? a->scale - scale : Min(a->scale - scale, 18));
		if (!c->wide && a->scale - scale > 18)
			c->narrow_fails = true;
		r.scale = scale;
	}
	r.dscale = scale;
	return r;
}

/* numeric(x, typmod): round to the declared scale; too many digits before the point are refused by range. */
static bool
decimal_typmod(Compiler *c, const Operand *a, const Operand *typmod, Operand *out)
{
	int32		mod;
	int			precision;
	int			scale;
	Operand		limit;
	int			over;

	if (typmod->constant == NULL || typmod->constant->constisnull)
		return refuse(c, REASON_EXPRESSION);
	mod = DatumGetInt32(typmod->constant->constvalue);
	if (mod < (int32) VARHDRSZ)
	{
		*out = *a;
		return true;
	}
	precision = ((mod - VARHDRSZ) >> 16) & 0xffff;
	scale = (((mod - VARHDRSZ) & 0x7ff) ^ 1024) - 1024;
	if (scale < 0 || precision > DECIMAL_MAX_DIGITS - 1)
		return refuse(c, REASON_EXPRESSION);
	*out = decimal_round(c, a, scale);
	/* |value| < 10^precision, else PostgreSQL's "numeric field overflow" */
	limit = decimal_operand(decimal_constant(c, pow10_wide(precision) - 1), scale, scale, false);
	over = emit(&c->em, c->wide ? VMOP_LT_W : VMOP_LT_I, limit.vreg, out->vreg, 0, 0);
	emit(&c->em, VMOP_ZERO_I, emit(&c->em, VMOP_BOOL_TO_INT, emit(&c->em, VMOP_NOT, over, 0, 0, 0), 0, 0, 0),
		 0, c->mask, 0);
	limit.vreg = decimal_constant(c, 1 - pow10_wide(precision));
	over = emit(&c->em, c->wide ? VMOP_LT_W : VMOP_LT_I, out->vreg, limit.vreg, 0, 0);
	emit(&c->em, VMOP_ZERO_I, emit(&c->em, VMOP_BOOL_TO_INT, emit(&c->em, VMOP_NOT, over, 0, 0, 0), 0, 0, 0),
		 0, c->mask, 0);
	return c->reason == NULL;
}

/* A text constant as a packed word; too long for one, it equals nothing. */
static int
packed_constant(Compiler *c, Const *constant, bool trimmed)
{
	uint64		word = 0;

	if (!constant->constisnull)
	{
		struct varlena *text = PG_DETOAST_DATUM_PACKED(constant->constvalue);
		const uint8 *bytes = (uint8 *) VARDATA_ANY(text);
		int			length = VARSIZE_ANY_EXHDR(text);

		if (trimmed)
			length = text_trimmed(bytes, length);
		word = length <= TEXT_PACKED_MAX ? text_pack(bytes, length) : 0xff;
	}
	return emit_constant(&c->em, KIND_I, &word, constant->constisnull);
}

/* Bring both sides of a text comparison to one form; only equality is offered. */
static bool
unify_text(Compiler *c, bool bpchar, Operand *a, Operand *b)
{
	Operand    *sides[2] = {a, b};

	if (a->class == CLASS_PACKED || b->class == CLASS_PACKED)
	{
		bool		trimmed = a->class == CLASS_PACKED ? a->trimmed : b->trimmed;

		for (int i = 0; i < 2; i++)
		{
			if (sides[i]->class == CLASS_PACKED && sides[i]->trimmed == trimmed)
				continue;
			if (sides[i]->class != CLASS_TEXT || sides[i]->constant == NULL || trimmed != bpchar)
				return refuse(c, REASON_EXPRESSION);
			sides[i]->vreg = packed_constant(c, sides[i]->constant, trimmed);
			sides[i]->class = CLASS_PACKED;
		}
		return true;
	}
	if (bpchar)
		for (int i = 0; i < 2; i++)
			sides[i]->vreg = emit(&c->em, VMOP_TRIM_T, sides[i]->vreg, 0, 0, 0);
	return true;
}

bool
compile_comparison(Compiler *c, const FunctionMap *map, Oid collation, Operand *a, Operand *b, Operand *out)
{
	/* by comparison (EQ, NE, LT, LE) and kind */
	static const Opcode op_int[] = {VMOP_EQ_I, VMOP_NE_I, VMOP_LT_I, VMOP_LE_I};
	static const Opcode op_float[] = {VMOP_EQ_F, VMOP_NE_F, VMOP_LT_F, VMOP_LE_F};
	static const Opcode op_wide[] = {VMOP_EQ_W, VMOP_NE_W, VMOP_LT_W, VMOP_LE_W};
	static const Opcode op_text[] = {VMOP_EQ_T, VMOP_NE_T};
	Comparison	comparison = map->op;
	bool		swap = comparison == COMPARE_GT || comparison == COMPARE_GE;
	bool		nullable = a->nullable || b->nullable;
	Opcode		op = VMOP_END;

	if (swap)
		comparison = comparison == COMPARE_GT ? COMPARE_LT : COMPARE_LE;
	if (map->date_side != DATE_NONE)
	{
		Operand    *date = map->date_side == DATE_LEFT ? a : b;

		date->vreg = emit(&c->em, VMOP_DATE_TO_TS, date->vreg, 0, 0, 0);
	}
	switch (a->class)
	{
		case CLASS_BOOL:
			a->vreg = emit(&c->em, VMOP_BOOL_TO_INT, a->vreg, 0, 0, 0);
			b->vreg = emit(&c->em, VMOP_BOOL_TO_INT, b->vreg, 0, 0, 0);
			op = op_int[comparison];
			break;
		case CLASS_INT:
			op = op_int[comparison];
			break;
		case CLASS_FLOAT:
			op = op_float[comparison];
			break;
		case CLASS_DECIMAL:
			align_scales(c, a, b);
			op = (c->wide ? op_wide : op_int)[comparison];
			break;
		case CLASS_TEXT:
		case CLASS_PACKED:
			if (!OidIsValid(collation) || !get_collation_isdeterministic(collation))
				return refuse(c, REASON_COLLATION);
			if (comparison > COMPARE_NE)
				return refuse(c, REASON_EXPRESSION);
			if (!unify_text(c, map->function == F_BPCHAREQ || map->function == F_BPCHARNE, a, b))
				return false;
			op = a->class == CLASS_TEXT ? op_text[comparison] : op_int[comparison];
			break;
	}
	if (a->class != b->class)
		return refuse(c, REASON_EXPRESSION);
	*out = bool_operand(swap ? emit(&c->em, op, b->vreg, a->vreg, c->mask, 0)
						: emit(&c->em, op, a->vreg, b->vreg, c->mask, 0), nullable);
	return c->reason == NULL;
}

/* LIKE against a constant pattern that does not end in an escape. */
static bool
compile_like(Compiler *c, bool negate, const Operand *a, const Operand *pattern, Operand *out)
{
	struct varlena *text;
	const char *bytes;
	int			length;
	int			escapes = 0;
	bool		utf8 = GetDatabaseEncoding() == PG_UTF8;

	if (a->class != CLASS_TEXT || pattern->class != CLASS_TEXT || pattern->constant == NULL ||
		(!utf8 && pg_database_encoding_max_length() > 1))
		return refuse(c, REASON_EXPRESSION);
	if (!pattern->constant->constisnull)
	{
		text = PG_DETOAST_DATUM_PACKED(pattern->constant->constvalue);
		bytes = VARDATA_ANY(text);
		length = VARSIZE_ANY_EXHDR(text);
		while (length > escapes && bytes[length - 1 - escapes] == '\\')
			escapes++;
		if (escapes % 2 == 1)
			return refuse(c, REASON_EXPRESSION);
	}
	*out = bool_operand(emit_instr(&c->em, (EmitInstr) {.op = VMOP_LIKE_T, .a = a->vreg, .b = pattern->vreg, .c = utf8,
							   .m = c->mask}),
						a->nullable || pattern->nullable);
	if (negate)
		out->vreg = emit(&c->em, VMOP_NOT, out->vreg, 0, 0, 0);
	return true;
}

static bool
decimal_to_int(Compiler *c, const Operand *a, Opcode check, Operand *out)
{
	Operand		whole = decimal_round(c, a, 0);
	int			vreg = whole.vreg;

	if (c->wide)
		vreg = emit(&c->em, VMOP_NARROW, vreg, 0, c->mask, 0);
	if (check != VMOP_END)
		vreg = emit(&c->em, check, vreg, 0, c->mask, 0);
	*out = int_operand(vreg, a->nullable);
	return true;
}

/* An integer of any size as a decimal without digits after the point. */
static Operand
decimal_of_int(Compiler *c, const Operand *a)
{
	c->decimals = true;
	return decimal_operand(c->wide ? emit(&c->em, VMOP_WIDEN, a->vreg, 0, 0, 0) : a->vreg, 0, 0, a->nullable);
}

static Operand
float_operand(int vreg, bool nullable)
{
	return (Operand) {.class = CLASS_FLOAT, .vreg = vreg, .nullable = nullable};
}

bool
compile_function(Compiler *c, const FunctionMap *map, List *args, Operand *out)
{
	Emitter    *em = &c->em;
	Operand		a;
	Operand		b = {0};
	Opcode		op = map->op;
	bool		nullable;
	int			zero;

	if (!compile_expr(c, linitial(args), &a) ||
		(list_length(args) > 1 && !compile_expr(c, lsecond(args), &b)))
		return false;
	nullable = a.nullable || b.nullable;
	switch ((FunctionAction) map->action)
	{
		case ACTION_COMPARE:
			return refuse(c, REASON_EXPRESSION);	/* compile_comparison() takes these */
		case ACTION_INT_ARITH:
			*out = int_operand(emit(em, op, a.vreg, b.vreg, c->mask, 0), nullable);
			return true;
		case ACTION_INT_DIVIDE:
			{
				/* a NULL dividend makes the result NULL before the divisor is looked at */
				int			present = emit(em, VMOP_NOT, null_test(c, &a), 0, 0, 0);

				emit(em, VMOP_ZERO_I, b.vreg, 0, emit(em, VMOP_MASK_TRUE, present, c->mask, 0, 0), 0);
				*out = int_operand(emit(em, op, a.vreg, b.vreg, c->mask, 0), nullable);
				return true;
			}
		case ACTION_INT_NEGATE:
			*out = int_operand(emit(em, op, int_constant(c, 0), a.vreg, c->mask, 0), nullable);
			return true;
		case ACTION_FLOAT_DIVIDE:
			emit(em, VMOP_ZERO_F, a.vreg, b.vreg, c->mask, 0);
			/* FALLTHROUGH */
		case ACTION_FLOAT_ARITH:
			*out = float_operand(emit(em, op, a.vreg, b.vreg, c->mask, 0), nullable);
			return true;
		case ACTION_FLOAT_NEGATE:
			*out = float_operand(emit(em, VMOP_NEG_F, a.vreg, 0, 0, 0), nullable);
			return true;
		case ACTION_DECIMAL_ADD:
		case ACTION_DECIMAL_SUB:
			return decimal_add(c, map->action == ACTION_DECIMAL_SUB, &a, &b, out);
		case ACTION_DECIMAL_MUL:
			return decimal_mul(c, &a, &b, out);
		case ACTION_DECIMAL_DIVIDE:
			return decimal_divide(c, &a, &b, out);
		case ACTION_DECIMAL_NEGATE:
			zero = decimal_constant(c, 0);
			*out = a;
			out->constant = NULL;
			out->vreg = emit_decimal(c, VMOP_SUB_D, VMOP_SUB_W, zero, a.vreg);
			return true;
		case ACTION_SAME:
			*out = a;
			out->constant = NULL;
			return true;
		case ACTION_INT_CHECK:
			*out = int_operand(emit(em, op, a.vreg, 0, c->mask, 0), nullable);
			return true;
		case ACTION_INT_TO_FLOAT:
			*out = float_operand(emit(em, op, a.vreg, 0, 0, 0), nullable);
			return true;
		case ACTION_FLOAT_TO_FLOAT4:
			*out = float_operand(emit(em, VMOP_F8_TO_F4, a.vreg, 0, c->mask, 0), nullable);
			return true;
		case ACTION_FLOAT_TO_INT:
			*out = int_operand(emit(em, VMOP_F_TO_INT, a.vreg, 0, c->mask, 0), nullable);
			if (op != VMOP_END)
				out->vreg = emit(em, op, out->vreg, 0, c->mask, 0);
			return true;
		case ACTION_INT_TO_DECIMAL:
			*out = decimal_of_int(c, &a);
			return true;
		case ACTION_DECIMAL_TO_INT:
			return decimal_to_int(c, &a, op, out);
		case ACTION_DECIMAL_TO_FLOAT:
			*out = float_operand(emit(em, VMOP_DEC_TO_F8, widened(c, &a), 0, c->mask, a.scale), nullable);
			return true;
		case ACTION_DECIMAL_TYPMOD:
			return decimal_typmod(c, &a, &b, out);
		case ACTION_BPCHAR_TO_TEXT:
			*out = a;
			out->constant = NULL;
			if (a.class == CLASS_TEXT)
				out->vreg = emit(em, VMOP_TRIM_T, a.vreg, 0, 0, 0);
			else
				out->trimmed = false;
			return true;
		case ACTION_LIKE:
		case ACTION_NOT_LIKE:
			return compile_like(c, map->action == ACTION_NOT_LIKE, &a, &b, out);
	}
	return refuse(c, REASON_EXPRESSION);
}
