/*
 * compile_decimal.c
 *		Compilation of arithmetic on numerics, as scaled integers.
 *
 * A decimal carries two scales.  `scale` is the number of decimal digits after
 * the point in the integer that the program computes with, fixed when compiling.
 * `dscale` is the display scale that PostgreSQL would print; it is known when
 * compiling for declared types and is in a register otherwise.
 */
#include "postgres.h"

#include "core/numeric/decimal.h"

#include "compile/compiler.h"

static Operand
decimal_operand(int vreg, int scale, int dscale, bool nullable)
{
	return (Operand) {.class = CLASS_DECIMAL, .vreg = vreg, .scale = scale, .dscale = dscale, .nullable = nullable};
}

/* Emit the narrow or the wide form of an opcode on decimals. */
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

/* Return a decimal at a larger or equal scale, multiplied by a power of 10. */
Operand
decimal_at_scale(Compiler *c, const Operand *a, int scale)
{
	Operand		r = *a;

	Assert(scale >= a->scale);
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
	return a->dscale < 0 ? a->second_vreg : int_constant(c, a->dscale);
}

/* Set the display scale of a sum: the larger one of its operands. */
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
	out->second_vreg = emit(&c->em, VMOP_BLEND_I, db, da, less, 0);
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
		out->second_vreg = emit(&c->em, VMOP_ADD_D, dscale_vreg(c, a), dscale_vreg(c, b), 0, 0);
	}
	return true;
}

/* Scale of quotients: 16 significant digits and a margin for those below 1. */
#define QUOTIENT_SCALE 24

/*
 * Compile a / b.  PostgreSQL chooses the display scale of each quotient from the
 * magnitudes of its operands and rounds there; the quotient is then scaled up to
 * QUOTIENT_SCALE.  All steps need 128 bits.
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
		/* only the wide body will be used: any operand of the right class will do here */
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
	out->second_vreg = emit(em, VMOP_BLEND_I, wanted, least, less, 0);
	/* shift the numerator so that the integer quotient has its display scale */
	shifted = emit(em, VMOP_SHIFT_W, a->vreg,
				   emit(em, VMOP_ADD_D, out->second_vreg, int_constant(c, b->scale - a->scale), 0, 0), c->mask, 0);
	out->vreg = emit(em, VMOP_DIV_W, shifted, b->vreg, c->mask, 0);
	out->vreg = emit(em, VMOP_SHIFT_W, out->vreg,
					 emit(em, VMOP_SUB_D, int_constant(c, QUOTIENT_SCALE), out->second_vreg, 0, 0), c->mask, 0);
	return true;
}

/* Drop digits after the point.  A narrow value has at most 18 digits: dropping more needs the wide body. */
static int
drop_digits_of(Compiler *c, Opcode narrow, Opcode wide, int vreg, int digits)
{
	if (digits > 18)
		c->narrow_fails |= !c->wide;
	return emit(&c->em, c->wide ? wide : narrow, vreg, 0, 0, c->wide ? digits : Min(digits, 18));
}

/* Round a decimal to fewer digits after the point, or append zeros. */
static Operand
decimal_round(Compiler *c, const Operand *a, int scale)
{
	Operand		r = *a;

	if (scale >= a->scale)
		r = decimal_at_scale(c, a, scale);
	else
	{
		r.vreg = drop_digits_of(c, VMOP_ROUND_D, VMOP_ROUND_W, a->vreg, a->scale - scale);
		r.scale = scale;
	}
	r.dscale = scale;
	return r;
}

/* Compile numeric(x, typmod): round to the declared scale, and test that the precision suffices. */
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

/* Return an integer of any size as a decimal without digits after the point. */
Operand
decimal_of_int(Compiler *c, const Operand *a)
{
	c->decimals = true;
	return decimal_operand(c->wide ? emit(&c->em, VMOP_WIDEN, a->vreg, 0, 0, 0) : a->vreg, 0, 0, a->nullable);
}


static bool
decimal_negate(Compiler *c, const Operand *a, Operand *out)
{
	*out = *a;
	out->constant = NULL;
	out->vreg = emit_decimal(c, VMOP_SUB_D, VMOP_SUB_W, decimal_constant(c, 0), a->vreg);
	return true;
}

static bool
decimal_abs(Compiler *c, const Operand *a, Operand *out)
{
	int			negative = emit(&c->em, c->wide ? VMOP_LT_W : VMOP_LT_I, a->vreg, decimal_constant(c, 0), 0, 0);
	Operand		negated;

	decimal_negate(c, a, &negated);
	*out = negated;
	out->vreg = emit(&c->em, c->wide ? VMOP_BLEND_W : VMOP_BLEND_I, negated.vreg, a->vreg, negative, 0);
	return true;
}

/* Compile a % b, which has the sign of a and the larger display scale. */
static bool
decimal_mod(Compiler *c, Operand *a, Operand *b, Operand *out)
{
	align_scales(c, a, b);
	*out = decimal_operand(emit_decimal(c, VMOP_MOD_D, VMOP_MOD_W, a->vreg, b->vreg), a->scale, 0,
						   a->nullable || b->nullable);
	larger_dscale(c, a, b, out);
	return c->reason == NULL;
}

/* Convert a whole number of units of 10^-scale, where scale may be negative, to a decimal. */
static bool
decimal_from_units(Compiler *c, Operand *units, int scale, Operand *out)
{
	units->scale = units->dscale = scale;
	units->constant = NULL;
	*out = decimal_at_scale(c, units, Max(scale, 0));
	out->dscale = Max(scale, 0);
	return c->reason == NULL;
}

/* Store the constant second argument of round() or trunc(), 0 if absent.  Returns false if unknown or out of range. */
static bool
digits_argument(const Operand *digits, int *scale)
{
	*scale = 0;
	if (digits == NULL)
		return true;
	if (digits->constant == NULL)
		return false;
	/* NULL makes the result NULL, whatever scale is used */
	if (!digits->constant->constisnull)
		*scale = DatumGetInt32(digits->constant->constvalue);
	return *scale >= -DECIMAL_MAX_DIGITS && *scale <= DECIMAL_MAX_DIGITS;
}

/* Compile round(), trunc(), floor() or ceil(), to `digits` places after the point, or to none without `digits`. */
static bool
decimal_to_digits(Compiler *c, FunctionAction action, const Operand *a, const Operand *digits, Operand *out)
{
	Operand		units = *a;
	int			scale;

	if (!digits_argument(digits, &scale))
		return refuse(c, REASON_EXPRESSION);
	if (scale >= a->scale)
	{
		*out = decimal_at_scale(c, a, scale);
		out->constant = NULL;
		out->dscale = scale;
	}
	else
	{
		int			drop = a->scale - scale;

		if (drop > DECIMAL_MAX_DIGITS)
			return refuse(c, REASON_EXPRESSION);
		switch (action)
		{
			case ACTION_DECIMAL_ROUND:
				units.vreg = drop_digits_of(c, VMOP_ROUND_D, VMOP_ROUND_W, a->vreg, drop);
				break;
			case ACTION_DECIMAL_TRUNC:
				units.vreg = drop_digits_of(c, VMOP_TRUNC_D, VMOP_TRUNC_W, a->vreg, drop);
				break;
			case ACTION_DECIMAL_FLOOR:
				units.vreg = drop_digits_of(c, VMOP_FLOOR_D, VMOP_FLOOR_W, a->vreg, drop);
				break;
			default:
				/* ceil(a) = -floor(-a) */
				decimal_negate(c, a, &units);
				units.vreg = drop_digits_of(c, VMOP_FLOOR_D, VMOP_FLOOR_W, units.vreg, drop);
				decimal_negate(c, &units, &units);
				break;
		}
		if (!decimal_from_units(c, &units, scale, out))
			return false;
	}
	if (digits != NULL && digits->nullable)
	{
		Operand		nothing = *out;

		/* the functions are strict: NULL digits give NULL */
		nothing.vreg = emit_constant(&c->em, c->wide ? KIND_W : KIND_I, (uint64[2]) {0, 0}, true);
		out->vreg = emit(&c->em, c->wide ? VMOP_BLEND_W : VMOP_BLEND_I, nothing.vreg, out->vreg,
						 null_test(c, digits), 0);
		out->nullable = true;
	}
	return c->reason == NULL;
}

bool
compile_decimal_function(Compiler *c, const FunctionMap *map, Operand *arg, int nargs, Operand *out)
{
	Operand    *a = &arg[0];
	Operand    *b = &arg[1];

	switch ((FunctionAction) map->action)
	{
		case ACTION_DECIMAL_ADD:
		case ACTION_DECIMAL_SUB:
			return decimal_add(c, map->action == ACTION_DECIMAL_SUB, a, b, out);
		case ACTION_DECIMAL_MUL:
			return decimal_mul(c, a, b, out);
		case ACTION_DECIMAL_DIVIDE:
			return decimal_divide(c, a, b, out);
		case ACTION_DECIMAL_MOD:
			return decimal_mod(c, a, b, out);
		case ACTION_DECIMAL_NEGATE:
			return decimal_negate(c, a, out);
		case ACTION_DECIMAL_ABS:
			return decimal_abs(c, a, out);
		case ACTION_DECIMAL_TYPMOD:
			return decimal_typmod(c, a, b, out);
		case ACTION_DECIMAL_TO_INT:
			return decimal_to_int(c, a, map->op, out);
		default:
			return decimal_to_digits(c, map->action, a, nargs > 1 ? b : NULL, out);
	}
}
