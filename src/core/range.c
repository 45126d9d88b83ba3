/*
 * range.c
 *		The guard of narrow programs: interval arithmetic over zone maps.
 *
 * The narrow body is interpreted once over intervals instead of values: a
 * LOAD gives the column's minimum and maximum in this tablet, arithmetic gives
 * the interval of its results.  If every unchecked operation stays inside 64
 * bits, no row of the tablet can overflow.  Selections are ignored, which can
 * only widen an interval.
 */
#include "core/decimal.h"
#include "core/op_arith.h"
#include "core/program.h"
#include "core/tablet_format.h"

typedef struct Interval
{
	Wide		min;
	Wide		max;
} Interval;

static bool
interval_fits(const Interval *r)
{
	return wide_fits_int64(r->min) && wide_fits_int64(r->max);
}

static Interval
interval_mul(const Interval *a, const Interval *b)
{
	/* the factors fit 64 bits, so the products fit 128 */
	Wide		p[4] = {a->min * b->min, a->min * b->max, a->max * b->min, a->max * b->max};
	Interval	r = {p[0], p[0]};
	int			i;

	for (i = 1; i < 4; i++)
	{
		r.min = p[i] < r.min ? p[i] : r.min;
		r.max = p[i] > r.max ? p[i] : r.max;
	}
	return r;
}

/* The interval of one instruction's result; anything unknown is all of int64. */
static Interval
interval_of(const Program *program, const Tablet *tablet, const Instr *in, const Interval *reg)
{
	const Interval *a = &reg[in->a];
	const Interval *b = &reg[in->b];
	Interval	r = {INT64_MIN, INT64_MAX};

	switch ((Opcode) in->op)
	{
		case VMOP_LOAD_I:
			r.min = wide_load(tablet->column[in->imm].min);
			r.max = wide_load(tablet->column[in->imm].max);
			break;
		case VMOP_CONST_I:
			r.min = r.max = in->c ? 0 : (int64_t) program_words(program)[in->imm];
			break;
		case VMOP_ADD_D:
			r.min = a->min + b->min;
			r.max = a->max + b->max;
			break;
		case VMOP_SUB_D:
			r.min = a->min - b->max;
			r.max = a->max - b->min;
			break;
		case VMOP_MUL_D:
			r = interval_mul(a, b);
			break;
		case VMOP_ROUND_D:
			r.min = wide_round(a->min, in->imm);
			r.max = wide_round(a->max, in->imm);
			break;
		case VMOP_TRUNC_D:
		case VMOP_FLOOR_D:
			r.min = op_floor_w(a->min, in->imm);
			r.max = op_trunc_w(a->max, in->imm);
			break;
		case VMOP_MOD_D:
			/* no larger than the dividend, and of its sign */
			r.min = a->min < 0 ? a->min : 0;
			r.max = a->max > 0 ? a->max : 0;
			break;
		case VMOP_ADD_I2:
		case VMOP_SUB_I2:
		case VMOP_MUL_I2:
		case VMOP_DIV_I2:
		case VMOP_CHECK_I2:
			/* anything else is reported */
			r.min = INT16_MIN;
			r.max = INT16_MAX;
			break;
		case VMOP_ADD_I4:
		case VMOP_SUB_I4:
		case VMOP_MUL_I4:
		case VMOP_DIV_I4:
		case VMOP_CHECK_I4:
			r.min = INT32_MIN;
			r.max = INT32_MAX;
			break;
		case VMOP_BLEND_I:
			r.min = a->min < b->min ? a->min : b->min;
			r.max = a->max > b->max ? a->max : b->max;
			break;
		default:
			break;
	}
	return r;
}

bool
program_fits(const Program *program, const Tablet *tablet)
{
	Interval	reg[PROGRAM_MAX_REGISTERS];
	const ProgramBody *body = &program->body[BODY_NARROW];
	const Instr *code = program_instrs(program, BODY_NARROW);
	uint32_t	pc;

	if (!body->exists)
		return false;
	for (pc = 0; pc < body->ninstrs; pc++)
	{
		const Instr *in = &code[pc];
		uint8_t		kind = op_info[in->op].dst;
		Interval	r;

		if (kind != KIND_I)
			continue;
		r = interval_of(program, tablet, in, reg);
		if (!interval_fits(&r))
			return false;
		reg[in->dst] = r;
	}
	return true;
}
