/*
 * range.c
 *		Proofs about programs from zone maps, by interval arithmetic.
 *
 * A body is interpreted once over intervals instead of values: a LOAD gives the column's minimum
 * and maximum in a tablet, arithmetic gives the interval of its results, a comparison its possible
 * outcomes.  Selections are ignored, which can only widen an interval.
 *
 * The guard of narrow programs: if every unchecked operation stays inside 64 bits, no row of the
 * tablet can overflow.  Pruning: if a filter's condition cannot be true, or no key of a table is
 * among a column's values, no row passes.
 */
#include "core/vm/code_table.h"
#include "core/numeric/decimal.h"
#include "core/vm/op_arith.h"
#include "core/vm/op_date.h"
#include "core/vm/program.h"
#include "core/tablet/tablet_format.h"

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

/* Columns of a tablet, and their assignment to the program's columns. */
typedef struct Zones
{
	const TabletColumn *column;
	const uint8_t *place;		/* index of each of the program's columns; NULL = the same index */
} Zones;

static Interval
column_interval(const Zones *zones, uint32_t column)
{
	const TabletColumn *found = &zones->column[zones->place != NULL ? zones->place[column] : column];

	return (Interval) {wide_load(found->min), wide_load(found->max)};
}

/* Return the interval of the values that a FETCH reads. */
static Interval
fetched_interval(const Program *program, const Zones *zones, const Instr *in)
{
	const uint64_t *bounds = program_words(program) + in->imm;

	return FETCH_TABLE(in->c) == 0 ? column_interval(zones, FETCH_COLUMN(in->c)) : (Interval) {wide_load(bounds), wide_load(bounds + 2)};
}

/* Return the interval of an instruction's result for operands in intervals a and b; if unknown, all of int64. */
static Interval
interval_of(const Program *program, const Zones *zones, const Instr *in, const Interval *a, const Interval *b)
{
	Interval	r = {INT64_MIN, INT64_MAX};

	switch ((Opcode) in->op)
	{
		case VMOP_LOAD_I:
			r = column_interval(zones, (uint32_t) in->imm);
			break;
		case VMOP_FETCH_I:
			r = fetched_interval(program, zones, in);
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
			/* results outside are reported as errors */
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
		case VMOP_DATE_TO_TS:
			/* outside the range of dates the function is not monotonic */
			if (a->min >= INT32_MIN && a->max <= INT32_MAX)
			{
				r.min = op_date_to_ts((int64_t) a->min);
				r.max = op_date_to_ts((int64_t) a->max);
			}
			break;
		case VMOP_TS_TO_DATE:
			r.min = op_ts_to_date((int64_t) a->min);
			r.max = op_ts_to_date((int64_t) a->max);
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
	const Zones zones = {tablet->column};
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
		r = interval_of(program, &zones, in, &reg[in->a], &reg[in->b]);
		if (!interval_fits(&r))
			return false;
		reg[in->dst] = r;
	}
	return true;
}

/* Pruning */

/* Bitmask of the possible outcomes of a condition. */
#define MAY_BE_FALSE	1
#define MAY_BE_TRUE		2
#define MAY_BE_NULL		4
#define MAY_BE_ANY		(MAY_BE_FALSE | MAY_BE_TRUE | MAY_BE_NULL)

/* Values that each register may have over the rows of each tablet. */
typedef struct Facts
{
	Interval	range[PROGRAM_MAX_REGISTERS][ZONES_MOST];	/* interval of an integer register */
	uint8_t		may_be[PROGRAM_MAX_REGISTERS][ZONES_MOST];	/* possible outcomes of a boolean register */
} Facts;

static uint8_t
may_be(bool is_true, bool is_false)
{
	return (is_true ? MAY_BE_TRUE : 0) | (is_false ? MAY_BE_FALSE : 0) | MAY_BE_NULL;
}

/* Return the outcomes of a AND b if `absorbs` is MAY_BE_FALSE, of a OR b if it is MAY_BE_TRUE. */
static uint8_t
may_be_both(uint8_t a, uint8_t b, uint8_t absorbs)
{
	const uint8_t other = absorbs ^ MAY_BE_FALSE ^ MAY_BE_TRUE;
	uint8_t		r = (a | b) & absorbs;

	if (a & b & other)
		r |= other;
	if (((a & MAY_BE_NULL) && (b & ~absorbs)) || ((b & MAY_BE_NULL) && (a & ~absorbs)))
		r |= MAY_BE_NULL;
	return r;
}

/* Return true if some of n sorted constants lie in an interval. */
static bool
some_within(const uint64_t *words, uint32_t n, const Interval *a)
{
	uint32_t	low = 0;
	uint32_t	high = n;

	while (low < high)
	{
		const uint32_t middle = low + (high - low) / 2;

		if ((int64_t) words[middle] < a->min)
			low = middle + 1;
		else
			high = middle;
	}
	return low < n && (int64_t) words[low] <= a->max;
}

/* Return the outcomes of a condition on the dictionary codes in an interval, as code_table_truths() does. */
static uint32_t
truths_of_codes(const Program *program, const Instr *in, const Interval *dict_codes)
{
	return dict_codes->min < 0 || dict_codes->max > UINT32_MAX ? ~0u
		: code_table_truths(program_words(program) + in->imm, (uint64_t) dict_codes->min, (uint64_t) dict_codes->max);
}

/* Return true if an instruction reports no error for any row of tablet t. */
static bool
reports_nothing(const Program *program, const Instr *in, const Facts *facts, uint32_t t)
{
	if (in->op == VMOP_TEST_CODE)
		return truths_of_codes(program, in, &facts->range[in->a][t]) >> CODE_UNKNOWN == 0;
	return op_info[in->op].status == STATUS_DONE;
}

static uint8_t
condition_of(const Program *program, const Instr *in, const Facts *facts, uint32_t t)
{
	const Interval *a = &facts->range[in->a][t];
	const Interval *b = &facts->range[in->b][t];
	const uint8_t p = facts->may_be[in->a][t];
	const uint8_t q = facts->may_be[in->b][t];
	const bool	overlap = a->min <= b->max && b->min <= a->max;
	const bool	one_value = a->min == a->max && b->min == b->max;

	switch ((Opcode) in->op)
	{
		case VMOP_CONST_B:
			return in->c ? MAY_BE_NULL : program_words(program)[in->imm] != 0 ? MAY_BE_TRUE : MAY_BE_FALSE;
		case VMOP_EQ_I:
		case VMOP_EQ_W:
			return may_be(overlap, !(one_value && overlap));
		case VMOP_NE_I:
		case VMOP_NE_W:
			return may_be(!(one_value && overlap), overlap);
		case VMOP_LT_I:
		case VMOP_LT_W:
			return may_be(a->min < b->max, a->max >= b->min);
		case VMOP_LE_I:
		case VMOP_LE_W:
			return may_be(a->min <= b->max, a->max > b->min);
		case VMOP_TEST_CODE:
			return may_be(truths_of_codes(program, in, a) >> CODE_TRUE & 1, truths_of_codes(program, in, a) >> CODE_FALSE & 1);
		case VMOP_IN_I:
			return may_be(some_within(program_words(program) + in->imm, in->c, a), true);
		case VMOP_AND:
			return may_be_both(p, q, MAY_BE_FALSE);
		case VMOP_OR:
			return may_be_both(p, q, MAY_BE_TRUE);
		case VMOP_NOT:
			return (p & MAY_BE_TRUE ? MAY_BE_FALSE : 0) | (p & MAY_BE_FALSE ? MAY_BE_TRUE : 0) | (p & MAY_BE_NULL);
		case VMOP_IS_TRUE:
			return (p & MAY_BE_TRUE) | (p & ~MAY_BE_TRUE ? MAY_BE_FALSE : 0);
		case VMOP_IS_FALSE:
			return (p & MAY_BE_FALSE ? MAY_BE_TRUE : 0) | (p & ~MAY_BE_FALSE ? MAY_BE_FALSE : 0);
		case VMOP_BLEND_B:
			return p | q;
		default:
			return MAY_BE_ANY;
	}
}

/* Return the interval of a wide instruction's result. */
static Interval
wide_interval_of(const Program *program, const Zones *zones, const Instr *in, const Interval *a)
{
	Interval	r = {WIDE_MIN, WIDE_MAX};

	switch ((Opcode) in->op)
	{
		case VMOP_LOAD_W:
			return column_interval(zones, (uint32_t) in->imm);
		case VMOP_CONST_W:
			if (!in->c)
				r.min = r.max = wide_load(program_words(program) + in->imm);
			return r;
		case VMOP_WIDEN:
			return *a;
		case VMOP_FETCH_W:
			return fetched_interval(program, zones, in);
		default:
			return r;
	}
}

/* Return true if an instruction searches or reads rows of tables without changing lanes. */
static bool
is_lookup(const OpInfo *op)
{
	return op->shape == SHAPE_JOIN_KEY || op->shape == SHAPE_ROW || op->shape == SHAPE_FETCH;
}

/* Return true if some values of an interval are within the bounds of a BOUND; empty bounds have min > max. */
static bool
is_within(const Program *program, const Instr *in, const Interval *a)
{
	const uint64_t *bounds = program_words(program) + in->imm;

	return (int64_t) bounds[0] <= (int64_t) bounds[1] && a->min <= (int64_t) bounds[1] && (int64_t) bounds[0] <= a->max;
}

/* Return true if no row of tablet t passes an instruction. */
static bool
stops_all(const Program *program, const Instr *in, const Facts *facts, uint32_t t)
{
	if (in->op == VMOP_FILTER)
		return !in->c && !(facts->may_be[in->a][t] & MAY_BE_TRUE);
	return in->op == VMOP_BOUND && !is_within(program, in, &facts->range[in->a][t]);
}

/* Store the interval or outcomes of an instruction's result for tablet t. */
static void
note_result(const Program *program, const Zones *zones, const Instr *in, Facts *facts, uint32_t t)
{
	const Interval *a = &facts->range[in->a][t];
	Interval   *r = &facts->range[in->dst][t];

	switch (op_info[in->op].dst)
	{
		case KIND_I:
			*r = interval_of(program, zones, in, a, &facts->range[in->b][t]);
			if (!interval_fits(r))
				*r = (Interval) {INT64_MIN, INT64_MAX};
			break;
		case KIND_W:
			*r = wide_interval_of(program, zones, in, a);
			break;
		case KIND_B:
			facts->may_be[in->dst][t] = condition_of(program, in, facts, t);
			break;
		default:
			break;
	}
}

/*
 * Return a bitmask of the tablets some rows of which may pass; see program.h.  Each instruction is
 * decoded once for all tablets, since decoding it takes longer than evaluating it over an interval.
 */
uint32_t
program_choose(const Program *program, int body, const ZoneMaps *zones)
{
	const Instr *code = program_instrs(program, body);
	/* Tablets that are still undecided. */
	uint32_t	open = zones->n < 32 ? ((uint32_t) 1 << zones->n) - 1 : UINT32_MAX;
	uint32_t	chosen = 0;
	Facts		facts;

	for (uint32_t pc = 0; pc < program->body[body].ninstrs && open != 0; pc++)
	{
		const Instr *in = &code[pc];
		const OpInfo *op = &op_info[in->op];
		const bool	is_end = op->shape >= SHAPE_KEY && !is_lookup(op);

		for (uint32_t t = 0; t < zones->n; t++)
		{
			const Zones of_tablet = {zones->tablet[t]->column, zones->place};
			const uint32_t bit = (uint32_t) 1 << t;

			if ((open & bit) == 0)
				continue;
			if (stops_all(program, in, &facts, t))
				open &= ~bit;
			/* a failure is reported even if no row passes later; instructions after the filters need no evaluation */
			else if (is_end || !reports_nothing(program, in, &facts, t))
			{
				chosen |= bit;
				open &= ~bit;
			}
			else
				note_result(program, &of_tablet, in, &facts, t);
		}
	}
	return chosen | open;
}

bool
program_may_pass(const Program *program, int body, const Tablet *tablet)
{
	const ZoneMaps zones = {.n = 1, .tablet = {tablet}};

	return program_choose(program, body, &zones) != 0;
}
