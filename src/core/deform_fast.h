/*
 * deform_fast.h
 *		Tuples without NULLs and with all attributes: nearly every tuple of most tables.
 *
 * The plan's attributes are folded into steps: leading fixed-width attributes
 * that nobody wants become one offset, every step knows where its column's
 * values lie, and the common forms (short headers, numerics of at most four
 * base-10000 digits) are taken without a call.  Whatever is not common goes
 * through deform.h, value by value, so both give the same columns.
 */
#ifndef GPUDB_CORE_DEFORM_FAST_H
#define GPUDB_CORE_DEFORM_FAST_H

#include "core/deform.h"

#define FAST_MAX_STEPS 96

typedef struct FastStep
{
	uint8_t		kind;			/* DeformKind */
	uint8_t		align;
	int16_t		scale;
	uint32_t	bytes;			/* of a fixed-width attribute */
	uint8_t    *values;			/* of its column */
	const DeformAttr *attr;
} FastStep;

typedef struct FastPlan
{
	uint32_t	natts;			/* a tuple must have at least these */
	uint32_t	start;			/* offset of the first step's attribute */
	uint32_t	nsteps;			/* 0: use the general way */
	FastStep	step[FAST_MAX_STEPS];
} FastPlan;

/* Fold a plan for one tablet. */
CORE_FN void
fast_plan_init(FastPlan *fast, const DeformPlan *plan, const Tablet *tablet)
{
	uint32_t	a = 0;

	fast->natts = plan->natts;
	fast->start = 0;
	fast->nsteps = 0;
	for (; a < plan->natts && plan->attr[a].kind == DEFORM_SKIP_FIXED; a++)
	{
		fast->start = (fast->start + plan->attr[a].align - 1) & ~(uint32_t) (plan->attr[a].align - 1);
		fast->start += (uint32_t) plan->attr[a].length;
	}
	if (plan->natts - a > FAST_MAX_STEPS)
		return;
	for (; a < plan->natts; a++)
	{
		const DeformAttr *attr = &plan->attr[a];
		FastStep   *step = &fast->step[fast->nsteps++];

		step->kind = attr->kind;
		step->align = attr->align;
		step->scale = attr->scale;
		step->bytes = deform_fixed_bytes(attr);
		step->values = attr->column >= 0 ? tablet_at(tablet, tablet->column[attr->column].values) : NULL;
		step->attr = attr;
	}
}

/*
 * Factors that move a number of four base-10000 digits to its place, for
 * k = -32 ... 18 decimal positions.  Upwards it is 10^k.  Downwards the number
 * is known to end in -k zeros: shifting out the factors of 2 and multiplying
 * by the inverse of 5^-k modulo 2^64 divides exactly (Granlund and Montgomery
 * 1994, section 9).
 */
#define PLACE_MIN (-32)
#define PLACE_MAX 18

CORE_FN uint64_t
place_factor(int32_t k)
{
	static const uint64_t factor[PLACE_MAX - PLACE_MIN + 1] = {
		UINT64_C(1610335118080299137), UINT64_C(8051675590401495685), UINT64_C(3364889804588375193),
		UINT64_C(16824449022941875965), UINT64_C(10335268819871173361), UINT64_C(14782855951936763573),
		UINT64_C(127303464845611401), UINT64_C(636517324228057005), UINT64_C(3182586621140285025),
		UINT64_C(15912933105701425125), UINT64_C(5777689233668919161), UINT64_C(10441702094635044189),
		UINT64_C(15315022325756117713), UINT64_C(2788135333942382101), UINT64_C(13940676669711910505),
		UINT64_C(14363151127430897677), UINT64_C(16475523416025833537), UINT64_C(8590640785290961221),
		UINT64_C(6059715779035702873), UINT64_C(11851834821468962749), UINT64_C(3918941886216158897),
		UINT64_C(1147965357371242869), UINT64_C(5739826786856214345), UINT64_C(10252389860571520109),
		UINT64_C(14368461155438497313), UINT64_C(16502073556063831717), UINT64_C(8723391485480952121),
		UINT64_C(6723469279985657373), UINT64_C(15170602326218735249), UINT64_C(2066035336255469781),
		UINT64_C(10330176681277348905), UINT64_C(14757395258967641293), UINT64_C(1), UINT64_C(10), UINT64_C(100),
		UINT64_C(1000), UINT64_C(10000), UINT64_C(100000), UINT64_C(1000000), UINT64_C(10000000), UINT64_C(100000000),
		UINT64_C(1000000000), UINT64_C(10000000000), UINT64_C(100000000000), UINT64_C(1000000000000),
		UINT64_C(10000000000000), UINT64_C(100000000000000), UINT64_C(1000000000000000), UINT64_C(10000000000000000),
		UINT64_C(100000000000000000), UINT64_C(1000000000000000000)
	};

	return factor[k - PLACE_MIN];
}

/*
 * The usual numeric: short header, at most four digits, one word of result.
 * `word` holds the digits and whatever follows them.  False when it is not
 * usual.  Nothing here depends on how many digits there are, so nothing is
 * mispredicted.
 */
CORE_FN bool
fast_decimal(uint32_t header, uint32_t ndigits, uint64_t word, int32_t scale, int64_t *value)
{
	int32_t		weight = (int32_t) (header & 0x3F) - (int32_t) (header & 0x40);
	int32_t		dscale = (int32_t) (header >> 7) & 0x3F;
	int32_t		place = scale + 4 * (weight + 1) - 16;
	int64_t		sign = -(int64_t) ((header >> 13) & 1);
	uint64_t	high;
	uint64_t	low;
	uint64_t	v;

	if (core_unlikely((header & 0xC000) != 0x8000 || ndigits > 4 || dscale > scale ||
					  place > 18 - 16 || place < PLACE_MIN))
		return false;
	word &= ndigits == 4 ? UINT64_MAX : ((uint64_t) 1 << (16 * ndigits)) - 1;
	high = (word & 0xFFFF) * 10000 + ((word >> 16) & 0xFFFF);
	low = ((word >> 32) & 0xFFFF) * 10000 + (word >> 48);
	v = high * 100000000 + low;
	v = (v >> (place < 0 ? -place : 0)) * place_factor(place);
	*value = ((int64_t) v ^ sign) - sign;
	return true;
}

/* A varlena at p that is wanted.  *used is its whole length. */
CORE_FN DeviceStatus
fast_varlena(const FastStep *step, Tablet *tablet, uint32_t row, const uint8_t *page,
			 const uint8_t *p, const uint8_t *end, uint32_t *used)
{
	uint32_t	header = 1;
	uint32_t	total = p[0] >> 1;

	if (core_likely((p[0] & 1) && total >= 3 && p + total <= end && p + 16 <= page + HEAP_PAGE_SIZE))
	{
		*used = total;
		if (step->kind == DEFORM_DECIMAL && !step->attr->wide && step->attr->dscale_column < 0)
		{
			int64_t		value;

			if (core_likely(fast_decimal(load_u16(p + 1), (total - 3) / 2, load_u64(p + 3), step->scale, &value)))
			{
				((int64_t *) step->values)[row] = value;
				return STATUS_DONE;
			}
		}
	}
	else
	{
		total = varlena_length(p, (uint32_t) (end - p), &header);
		if (core_unlikely(total == 0))
			return STATUS_DAMAGED_PAGE;
		*used = total;
	}
	return deform_varlena(step->attr, tablet, row, page, p, total, header);
}

/* One tuple whose attributes lie from data to end. */
CORE_FN DeviceStatus
fast_tuple(const FastPlan *fast, Tablet *tablet, uint32_t row,
		   const uint8_t *page, const uint8_t *data, const uint8_t *end)
{
	const FastStep *step = fast->step;
	const FastStep *last = step + fast->nsteps;
	const uint8_t *p = data + fast->start;
	DeviceStatus result = STATUS_DONE;
	DeviceStatus status;
	uint32_t	used;

	for (; step < last; step++)
	{
		/* data is aligned to 8 within the page, so addresses align like offsets */
		if (step->bytes > 0)
		{
			p = page + (((uint32_t) (p - page) + step->align - 1) & ~(uint32_t) (step->align - 1));
			if (core_unlikely(p + step->bytes > end))
				return STATUS_DAMAGED_PAGE;
			if (step->values != NULL)
			{
				if (step->bytes == 4)
					memcpy(step->values + 4 * (size_t) row, p, 4);
				else if (step->bytes == 8)
					memcpy(step->values + 8 * (size_t) row, p, 8);
				else if (step->bytes == 2)
					memcpy(step->values + 2 * (size_t) row, p, 2);
				else
					step->values[row] = *p;
			}
			p += step->bytes;
			continue;
		}
		if (core_unlikely(p >= end))
			return STATUS_DAMAGED_PAGE;
		if (core_unlikely(step->kind == DEFORM_SKIP_CSTRING))
		{
			while (p < end && *p != 0)
				p++;
			p++;
			continue;
		}
		/* a byte of 0 is padding before a 4-byte header */
		if (*p == 0)
			p = page + (((uint32_t) (p - page) + step->align - 1) & ~(uint32_t) (step->align - 1));
		if (step->kind == DEFORM_SKIP_VARLENA)
		{
			if (core_likely((*p & 1) && *p != 1))
				p += *p >> 1;
			else
			{
				used = p < end ? varlena_length(p, (uint32_t) (end - p), &(uint32_t) {0}) : 0;
				if (used == 0)
					return STATUS_DAMAGED_PAGE;
				p += used;
			}
			continue;
		}
		if (core_unlikely(p >= end))
			return STATUS_DAMAGED_PAGE;
		status = fast_varlena(step, tablet, row, page, p, end, &used);
		if (core_unlikely(status != STATUS_DONE))
		{
			if (status != STATUS_SCALE_EXCEEDED)
				return status;
			result = status;
		}
		p += used;
	}
	return p <= end ? result : STATUS_DAMAGED_PAGE;
}

/* How many tuples ahead of the one at hand memory is asked for. */
#define PREFETCH_TUPLES 6

/* Ask for the first cache lines of a tuple; only a hint, so nothing is checked but the position. */
CORE_FN void
prefetch_tuple(const uint8_t *page, uint32_t offnum)
{
	const uint8_t *tuple;

	if (HEAP_PAGE_LINP + 4 * offnum > HEAP_PAGE_SIZE || offnum == 0)
		return;
	tuple = page + (load_u32(page + HEAP_PAGE_LINP + 4 * (offnum - 1)) & (HEAP_PAGE_SIZE - 1));
	core_prefetch(tuple);
	core_prefetch(tuple + 64);
}

/*
 * Deform every listed tuple.  The tablet has been laid out for pages->nrows
 * rows with a variable-width area as large as var_columns allow; column types
 * follow the plan.  On any status but DONE its contents are unusable, except
 * that after SCALE_EXCEEDED max_dscale tells the scales to assume instead.
 */
CORE_FN DeviceStatus
deform_pages(const DeformPlan *plan, const PageList *pages, Tablet *tablet)
{
	uint32_t   *places = (uint32_t *) tablet_at(tablet, tablet->rows);
	DeviceStatus result = STATUS_DONE;
	FastPlan	fast;
	uint32_t	row = 0;
	uint32_t	pg;
	uint32_t	t;
	uint32_t	c;

	fast_plan_init(&fast, plan, tablet);
	for (pg = 0; pg < pages->npages; pg++)
	{
		const uint8_t *page = pages->page[pg];
		const uint16_t *offsets = pages->offsets[pg];
		uint32_t	n = pages->ntuples[pg];

		for (t = 0; t < n; t++)
		{
			HeapTupleView tuple;
			DeviceStatus status = STATUS_DAMAGED_PAGE;

			if (t + PREFETCH_TUPLES < n)
				prefetch_tuple(page, offsets[t + PREFETCH_TUPLES]);
			else if (pg + 1 < pages->npages && t + PREFETCH_TUPLES - n < pages->ntuples[pg + 1])
				prefetch_tuple(pages->page[pg + 1], pages->offsets[pg + 1][t + PREFETCH_TUPLES - n]);

			if (core_likely(heap_tuple_view(page, offsets[t], &tuple)))
			{
				if (core_likely(tuple.nulls == NULL && tuple.natts >= fast.natts && fast.nsteps > 0))
					status = fast_tuple(&fast, tablet, row, page, tuple.data, tuple.data + tuple.length);
				else
					status = deform_tuple(plan, page, &tuple, tablet, row);
			}
			if (core_unlikely(status != STATUS_DONE))
			{
				if (status != STATUS_SCALE_EXCEEDED)
					return status;
				result = status;
			}
			places[row++] = ROW_PLACE(pg, offsets[t]);
		}
	}
	for (c = 0; c < tablet->ncols && result == STATUS_DONE; c++)
		deform_zone_map(tablet, &tablet->column[c]);
	return result;
}

#endif							/* GPUDB_CORE_DEFORM_FAST_H */
