/*
 * for_test.c
 *		Frame-of-reference encoding: values come back, no encoding is wider than
 *		necessary, none takes what it cannot hold, and ranges hold for stored values.
 */
#include "core/tablet/for_encoding.h"
#include "core/tablet/for_range.h"
#include "guard.h"
#include "tap.h"

#define MOST_VALUES 700

/* Random integers of a column's type. */
typedef struct Values
{
	ColType		type;
	uint32_t	n;
	Wide		v[MOST_VALUES];
	ForRange	range;
} Values;

static const ColType types[] = {COLTYPE_U8, COLTYPE_I16, COLTYPE_I32, COLTYPE_U32, COLTYPE_I64, COLTYPE_I128};

static void
range_of_values(Values *values)
{
	values->range = (ForRange) {values->v[0], values->v[0], 0};
	for (uint32_t i = 1; i < values->n; i++)
	{
		if (values->v[i] < values->range.min)
			values->range.min = values->v[i];
		if (values->v[i] > values->range.max)
			values->range.max = values->v[i];
		values->range.differing |= (uint64_t) (values->v[i] ^ values->v[0]);
	}
}

/* Return a value truncated to a type. */
static Wide
as_stored(ColType type, Wide v)
{
	switch (type)
	{
		case COLTYPE_U8: return (uint8_t) v;
		case COLTYPE_I16: return (int16_t) v;
		case COLTYPE_I32: return (int32_t) v;
		case COLTYPE_U32: return (uint32_t) v;
		case COLTYPE_I64: return (int64_t) v;
		default: return v;
	}
}

/* Make random values that span some bits, above bits that they share, at any base. */
static void
random_values(Values *values, ColType type)
{
	const uint32_t shift = random_below(3) == 0 ? random_below(60) : 0;
	const uint32_t bits = random_below(66);
	const Wide	base = (Wide) ((UWide) random_u64() << (random_below(4) == 0 ? random_below(64) : 0)) - (random_below(2) ? INT64_MAX : 0);

	values->type = type;
	values->n = 1 + random_below(MOST_VALUES);
	for (uint32_t i = 0; i < values->n; i++)
	{
		const UWide random = bits == 0 ? 0 : bits < 64 ? random_u64() >> (64 - bits) : (UWide) random_u64() << (bits - 64);

		values->v[i] = as_stored(type, (Wide) ((UWide) base + (random << shift)));
	}
	range_of_values(values);
}

/* Return the values as a column stores them, in guarded memory. */
static uint8_t *
store_values(const Values *values)
{
	const uint32_t bytes = coltype_bytes(values->type);
	uint8_t    *stored = (uint8_t *) guard_alloc((size_t) bytes * values->n, 16);

	for (uint32_t i = 0; i < values->n; i++)
		memcpy(stored + (size_t) i * bytes, &values->v[i], bytes);
	return stored;
}

static bool
pack(const ForEncoding *encoding, const Values *values, uint8_t *to)
{
	uint8_t    *stored = store_values(values);
	bool		packed = for_pack(encoding, values->type, stored, values->n, to);

	guard_free(stored, (size_t) coltype_bytes(values->type) * values->n, 16);
	return packed;
}

static void
expect_back(const ForEncoding *encoding, const Values *values)
{
	const size_t bytes = (size_t) coltype_bytes((ColType) encoding->type) * values->n;
	uint8_t    *packed = (uint8_t *) guard_alloc(bytes, 16);
	int64_t		back[MOST_VALUES];
	uint32_t	i = 0;

	if (tap_expect(pack(encoding, values, packed), "type %d: an encoding of type %d, shift %d refuses its values", values->type, encoding->type,
				   encoding->shift))
	{
		if (encoding->type == COLTYPE_I128)
			while (i < values->n && wide_load((uint64_t *) packed + 2 * i) == values->v[i])
				i++;
		else
			for (for_unpack(encoding, packed, values->n, back); i < values->n && back[i] == values->v[i];)
				i++;
		tap_expect(i == values->n, "type %d in type %d, shift %d: value %u of %u", values->type, encoding->type, encoding->shift, i, values->n);
	}
	guard_free(packed, bytes, 16);
}

static void
test_back(void)
{
	static Values values;

	tap_begin("values come back from the encoding that is chosen for them");
	for (int trial = 0; trial < (tap_short() ? 500 : 20000); trial++)
	{
		const uint16_t least[] = {COLTYPE_SAME, COLTYPE_SAME, COLTYPE_U8, COLTYPE_U16, COLTYPE_U32, COLTYPE_I64, COLTYPE_I128};
		ForEncoding	encoding;

		random_values(&values, types[random_below(lengthof(types))]);
		encoding = for_choose(&values.range, least[random_below(lengthof(least))]);
		expect_back(&encoding, &values);
	}
	tap_end();
}

static void
test_narrowest(void)
{
	static const uint16_t order[] = {COLTYPE_SAME, COLTYPE_U8, COLTYPE_U16, COLTYPE_U32, COLTYPE_I64, COLTYPE_I128};
	static Values values;

	tap_begin("the encoding that is chosen is the narrowest");
	for (int trial = 0; trial < 20000; trial++)
	{
		const bool	wide = trial % 10 == 0;
		ForEncoding	encoding;
		uint64_t	span;
		int			want = 0;

		random_values(&values, wide ? COLTYPE_I128 : COLTYPE_I64);
		encoding = for_choose(&values.range, COLTYPE_SAME);
		span = (uint64_t) (values.range.max - values.range.min);
		if (values.range.differing != 0)
			span >>= __builtin_ctzll(values.range.differing);
		if (!wide_fits_int64(values.range.min) || !wide_fits_int64(values.range.max))
			want = 5;
		else
			while (want < 4 && span > for_most(order[want]))
				want++;
		tap_expect(encoding.type == order[want], "type %d, not %d", encoding.type, order[want]);
	}
	tap_end();
}

/* Test that an encoding refuses a value that is outside its range, or between two that it can store. */
static void
test_refuses(void)
{
	static Values values;
	const ForEncoding whole = {COLTYPE_I64, 0, 0};
	uint8_t		packed[MOST_VALUES * sizeof(Wide)] __attribute__((aligned(16)));

	tap_begin("an encoding refuses what it cannot hold");
	for (int trial = 0; trial < 20000; trial++)
	{
		Wide		odd;
		ForEncoding	encoding;
		Wide		last;

		random_values(&values, random_below(2) ? COLTYPE_I64 : COLTYPE_I128);
		encoding = for_choose(&values.range, COLTYPE_SAME);
		if (encoding.type == COLTYPE_I128 || (encoding.type == COLTYPE_I64 && values.type == COLTYPE_I64))
			continue;
		last = encoding.type == COLTYPE_I64 ? INT64_MAX : encoding.base + ((Wide) for_most(encoding.type) << encoding.shift);
		switch (random_below(3))
		{
			case 0: odd = (encoding.type == COLTYPE_I64 ? INT64_MIN : (Wide) encoding.base) - 1; break;
			case 1: odd = last + ((Wide) 1 << encoding.shift); break;
			default: odd = encoding.shift == 0 ? last + 1 : encoding.base + 1; break;
		}
		if (values.type == COLTYPE_I64 && !wide_fits_int64(odd))
			continue;
		values.v[random_below(values.n)] = odd;
		tap_expect(!pack(&encoding, &values, packed), "type %d in type %d, shift %d", values.type, encoding.type, encoding.shift);
	}
	tap_end();
	tap_ok(!for_pack(&whole, COLTYPE_F64, packed, 1, packed + 16), "floats are no integers");
}

/* Return a bound that values may be on both sides of, or far away from all of them. */
static int64_t
random_bound(const Values *values)
{
	const Wide	near = values->v[random_below(values->n)] + (Wide) random_below(5) - 2;

	switch (random_below(8))
	{
		case 0: return INT64_MIN;
		case 1: return INT64_MAX;
		case 2: return (int64_t) random_u64();
		default: return near < INT64_MIN ? INT64_MIN : near > INT64_MAX ? INT64_MAX : (int64_t) near;
	}
}

static void
test_ranges(void)
{
	static Values values;
	uint32_t	stored_in_four[MOST_VALUES];
	uint32_t	tried = 0;

	tap_begin("values are in a range when what is stored of them is in the encoding's");
	for (int trial = 0; trial < 20000; trial++)
	{
		ForEncoding	encoding;
		int64_t		low;
		int64_t		high;
		StoredRange range;

		random_values(&values, types[random_below(5)]);
		encoding = for_choose(&values.range, COLTYPE_U32);
		if (encoding.type != COLTYPE_U32 || !pack(&encoding, &values, (uint8_t *) stored_in_four))
			continue;
		tried++;
		low = random_bound(&values);
		high = random_bound(&values);
		range = for_stored_range(encoding.base, encoding.shift, low, high);
		for (uint32_t i = 0; i < values.n; i++)
			tap_expect((stored_in_four[i] >= range.least && stored_in_four[i] <= range.most) == (values.v[i] >= low && values.v[i] <= high),
					   "base %lld, shift %d, %lld to %lld: value %lld", (long long) encoding.base, encoding.shift, (long long) low,
					   (long long) high, (long long) values.v[i]);
	}
	tap_end();
	tap_ok(tried > 5000, "there were many encodings of 32 bits");
}

int
main(void)
{
	test_back();
	test_narrowest();
	test_refuses();
	test_ranges();
	return tap_done();
}
