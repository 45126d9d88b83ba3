/*
 * decimal_test.c
 *		Numeric payloads to scaled integers, and arithmetic in 128 bits.
 *
 * The reference works on decimal digits as characters, so it shares nothing
 * with what it checks.
 */
#include "core/numeric/decimal.h"
#include "guard.h"
#include "numeric_bytes.h"
#include "tap.h"

static int
count_digits(Wide value)
{
	return value == 0 ? 0 : (int) strlen(wide_text(value < 0 ? -value : value));
}

/* Return a random number of at most `digits` digits, 0 to 38. */
static Wide
random_digits(int digits)
{
	Wide		v = 0;

	for (; digits > 0; digits--)
		v = v * 10 + random_below(10);
	return random_below(2) ? v : -v;
}

static Wide
multiply_by_tens(Wide value, int times)
{
	while (times-- > 0)
		value *= 10;
	return value;
}

/* Store value / 10^scale, read it back at a target scale, and compare. */
static void
expect_value(Wide value, int scale, int target, bool long_form)
{
	Payload		p;
	DecimalParts parts;
	Wide		got = 0;
	DeviceStatus status;
	int			digits = value == 0 ? 0 : count_digits(value) + target - scale;

	put_numeric(&p, value, scale, long_form);
	if (!tap_expect(decimal_split(p.bytes, p.length, &parts) == STATUS_DONE, "%s scale %d does not split",
					wide_text(value), scale))
		return;
	tap_expect(parts.dscale == scale, "%s scale %d has dscale %d", wide_text(value), scale, parts.dscale);
	status = decimal_value(&parts, target, &got);
	if (status == STATUS_DECIMAL_TOO_WIDE)
		/* 38 digits may need eleven base-10000 digits, which are refused */
		tap_expect(digits >= DECIMAL_MAX_DIGITS, "%s scale %d to scale %d is refused, %d digits",
				   wide_text(value), scale, target, digits);
	else
		tap_expect(status == STATUS_DONE && digits <= DECIMAL_MAX_DIGITS &&
				   got == multiply_by_tens(value, target - scale),
				   "%s scale %d to scale %d gives %s", wide_text(value), scale, target, wide_text(got));
}

/* Check that a value is stored as the bytes that PostgreSQL would store. */
static void
expect_stored(int64_t value, int scale)
{
	Payload		p;
	uint16_t	bytes[DECIMAL_STORE_BYTES / 2];
	uint32_t	length = decimal_store(value, scale, bytes);

	put_numeric(&p, value, scale, false);
	tap_expect(length == p.length && memcmp(bytes, p.bytes, length) == 0, "%s at scale %d is stored otherwise",
			   wide_text(value), scale);
}

static void
test_store(void)
{
	tap_begin("numerics are written as PostgreSQL stores them");
	for (int scale = 0; scale <= DECIMAL_STORE_SCALE; scale++)
	{
		expect_stored(0, scale);
		expect_stored(INT64_MAX, scale);
		expect_stored(INT64_MIN, scale);
		for (int digits = 1; digits <= 18; digits++)
			for (int i = 0; i < 200; i++)
			{
				int64_t		value = (int64_t) random_digits(digits);
				int			zeros = (int) random_below(18 - digits + 1);

				expect_stored((int64_t) multiply_by_tens(value, zeros), scale);
			}
	}
	tap_end();
}

static void
test_hand_made_payloads(void)
{
	/* bytes that PostgreSQL 15 stores, from pageinspect */
	static const struct
	{
		const char *name;
		uint8_t		bytes[12];
		uint32_t	length;
		int			scale;
		int64_t		value;
	}			cases[] = {
		{"0", {0x00, 0x80}, 2, 0, 0},
		{"0.00", {0x00, 0x81}, 2, 2, 0},
		{"1", {0x00, 0x80, 0x01, 0x00}, 4, 0, 1},
		{"-1", {0x00, 0xA0, 0x01, 0x00}, 4, 0, -1},
		{"1.10", {0x00, 0x81, 0x01, 0x00, 0xE8, 0x03}, 6, 2, 110},
		{"0.05", {0x7F, 0x81, 0xF4, 0x01}, 4, 2, 5},
		{"-0.05", {0x7F, 0xA1, 0xF4, 0x01}, 4, 2, -5},
		{"12345678.90", {0x01, 0x81, 0xD2, 0x04, 0x2E, 0x16, 0x28, 0x23}, 8, 2, 1234567890},
		{"10000", {0x01, 0x80, 0x01, 0x00}, 4, 0, 10000},
		{"0.0001", {0x7F, 0x82, 0x01, 0x00}, 4, 4, 1},
		{"0.00001", {0xFE, 0x82, 0xE8, 0x03}, 4, 5, 1},
		{"1 in long form", {0x00, 0x00, 0x00, 0x00, 0x01, 0x00}, 6, 0, 1},
		{"-1.5 in long form", {0x01, 0x40, 0x00, 0x00, 0x01, 0x00, 0x88, 0x13}, 8, 1, -15},
		{"0.05 in long form", {0x02, 0x00, 0xFF, 0xFF, 0xF4, 0x01}, 6, 2, 5},
	};
	size_t		i;

	tap_begin("payloads made by hand");
	for (i = 0; i < lengthof(cases); i++)
	{
		DecimalParts parts;
		Wide		value = -99;
		DeviceStatus split = decimal_split(cases[i].bytes, cases[i].length, &parts);

		tap_expect(split == STATUS_DONE && decimal_value(&parts, cases[i].scale, &value) == STATUS_DONE &&
				   value == cases[i].value, "%s gives %s", cases[i].name, wide_text(value));
		tap_expect(split != STATUS_DONE || cases[i].scale == parts.dscale, "%s has dscale %d",
				   cases[i].name, parts.dscale);
	}
	tap_end();
}

static void
test_special_headers(void)
{
	static const uint16_t special[] = {0xC000, 0xD000, 0xF000, 0xFFFF, 0xC001};
	size_t		i;

	tap_begin("NaN and infinities are SPECIAL_NUMERIC");
	for (i = 0; i < lengthof(special); i++)
	{
		Payload		p = {{0}, 0};
		DecimalParts parts;

		put_u16(&p, special[i]);
		tap_expect(decimal_split(p.bytes, 2, &parts) == STATUS_SPECIAL_NUMERIC, "header %04x", special[i]);
	}
	tap_end();
}

static void
test_damaged_lengths(void)
{
	DecimalParts parts;
	Payload		p;

	tap_begin("payloads too short for their header are DAMAGED_PAGE");
	put_header(&p, false, false, 2, 0);
	tap_expect(decimal_split(p.bytes, 0, &parts) == STATUS_DAMAGED_PAGE, "short form, 0 bytes");
	tap_expect(decimal_split(p.bytes, 1, &parts) == STATUS_DAMAGED_PAGE, "short form, 1 byte");
	tap_expect(decimal_split(p.bytes, 2, &parts) == STATUS_DONE && parts.ndigits == 0, "short form, 2 bytes");
	put_header(&p, true, false, 2, 0);
	tap_expect(decimal_split(p.bytes, 1, &parts) == STATUS_DAMAGED_PAGE, "long form, 1 byte");
	tap_expect(decimal_split(p.bytes, 2, &parts) == STATUS_DAMAGED_PAGE, "long form, 2 bytes");
	tap_expect(decimal_split(p.bytes, 3, &parts) == STATUS_DAMAGED_PAGE, "long form, 3 bytes");
	tap_expect(decimal_split(p.bytes, 4, &parts) == STATUS_DONE && parts.ndigits == 0, "long form, 4 bytes");
	tap_end();
}

static void
test_header_fields(void)
{
	int			weight;
	int			dscale;

	tap_begin("every dscale and weight of the short form");
	for (dscale = 0; dscale <= 63; dscale++)
		for (weight = -64; weight <= 63; weight++)
		{
			Payload		p;
			DecimalParts parts = {0};

			put_header(&p, false, weight & 1, dscale, weight);
			tap_expect(decimal_split(p.bytes, p.length, &parts) == STATUS_DONE && parts.dscale == dscale &&
					   parts.weight == weight && parts.negative == (weight & 1),
					   "dscale %d weight %d reads as %d %d", dscale, weight, parts.dscale, parts.weight);
		}
	tap_end();

	tap_begin("dscale and weight of the long form");
	for (dscale = 0; dscale <= 0x3FFF; dscale += 127)
		for (weight = INT16_MIN; weight <= INT16_MAX; weight += 255)
		{
			Payload		p;
			DecimalParts parts = {0};

			put_header(&p, true, weight & 1, dscale, weight);
			tap_expect(decimal_split(p.bytes, p.length, &parts) == STATUS_DONE && parts.dscale == dscale &&
					   parts.weight == weight && parts.negative == (weight & 1),
					   "dscale %d weight %d reads as %d %d", dscale, weight, parts.dscale, parts.weight);
		}
	tap_end();
}

static void
test_every_scale_and_size(void)
{
	int			scale;
	int			target;
	int			digits;

	tap_begin("random values of every size at every scale, read at every larger scale");
	for (scale = 0; scale <= 38; scale++)
		for (target = scale; target <= 38; target++)
			for (digits = 0; digits <= 38; digits++)
			{
				expect_value(random_digits(digits), scale, target, false);
				expect_value(random_digits(digits), scale, target, true);
			}
	tap_end();
}

static void
test_powers_of_ten(void)
{
	int			scale;
	int			e;

	tap_begin("10^n - 1, 10^n and 10^n + 1 at every scale");
	for (scale = 0; scale <= 38; scale++)
		for (e = 0; e <= 38; e++)
		{
			Wide		power = multiply_by_tens(1, e);

			expect_value(power - 1, scale, scale, false);
			expect_value(1 - power, scale, scale, false);
			expect_value(power, scale, scale, false);
			expect_value(-power, scale, scale, false);
			if (e < 38)
				expect_value(power + 1, scale, scale, false);
		}
	tap_end();
}

/* Read random digits, as a damaged page may have. */
static void
read_hostile_payloads(void *arg, Progress *progress)
{
	uint8_t    *end = (uint8_t *) guard_alloc(64, 64) + 64;
	long		i;

	for (i = 0; i < 300000; i++)
	{
		uint32_t	length = random_below(25);
		uint8_t    *payload = end - length;
		DecimalParts parts;
		Wide		value;
		uint32_t	b;

		progress->at = i;
		for (b = 0; b < length; b++)
			payload[b] = (uint8_t) random_u64();
		/* usually weights near those that are accepted */
		if (length >= 2 && random_below(4))
			payload[0] = (uint8_t) ((payload[0] & 0x80) | random_below(12));
		if (decimal_split(payload, length, &parts) == STATUS_DONE)
			decimal_value(&parts, (int) random_below(39), &value);
	}
}

static void
test_hostile_payloads(void)
{
	Progress   *progress = progress_make();
	bool		alive;

	tap_begin("random bytes are read without leaving the payload or 128 bits");
	alive = survives(read_hostile_payloads, NULL, progress);
	tap_expect(alive, "died at payload %ld", progress->at);
	tap_end();
}

static void
test_pow10(void)
{
	int			e;
	Wide		power = 1;

	tap_begin("powers of ten");
	for (e = 0; e <= 38; e++, power = e <= 38 ? power * 10 : 0)
	{
		tap_expect(pow10_wide(e) == power, "10^%d is %s", e, wide_text(pow10_wide(e)));
		tap_expect(e > 18 || pow10_int64(e) == (int64_t) power, "10^%d is wrong in 64 bits", e);
	}
	tap_end();
}

/* Compute |a| * |b| in 256 bits, by long multiplication with 32-bit limbs. */
static void
multiply_256(UWide a, UWide b, UWide *high, UWide *low)
{
	uint32_t	product[8] = {0};
	int			i;
	int			j;

	for (i = 0; i < 4; i++)
	{
		uint64_t	carry = 0;

		for (j = 0; j < 4; j++)
		{
			uint64_t	t = (uint64_t) (uint32_t) (a >> (32 * i)) * (uint32_t) (b >> (32 * j)) + product[i + j] + carry;

			product[i + j] = (uint32_t) t;
			carry = t >> 32;
		}
		product[i + 4] = (uint32_t) carry;
	}
	*low = *high = 0;
	for (i = 3; i >= 0; i--)
	{
		*low = *low << 32 | product[i];
		*high = *high << 32 | product[i + 4];
	}
}

static void
expect_product(Wide a, Wide b)
{
	UWide		high;
	UWide		low;
	uint32_t	overflow = 0;
	Wide		got = wide_mul(a, b, &overflow);
	bool		negative = (a < 0) != (b < 0);

	multiply_256(a < 0 ? (UWide) 0 - (UWide) a : (UWide) a, b < 0 ? (UWide) 0 - (UWide) b : (UWide) b, &high, &low);
	/* -2^127 itself may be reported or not: it is no decimal of 38 digits */
	if (high == 0 && low == (UWide) 1 << 127 && negative)
		tap_expect(overflow <= 1 && got == WIDE_MIN, "%s * %s", wide_text(a), wide_text(b));
	else if (high != 0 || low >> 127 != 0)
		tap_expect(overflow == 1, "%s * %s: overflow not reported", wide_text(a), wide_text(b));
	else
		tap_expect(overflow == 0 && got == (Wide) (negative ? (UWide) 0 - low : low), "%s * %s = %s, overflow %u",
				   wide_text(a), wide_text(b), wide_text(got), overflow);
}

static void
expect_sums(Wide a, Wide b)
{
	Wide		want;
	uint32_t	overflow = 0;
	uint32_t	lost = __builtin_add_overflow(a, b, &want);
	Wide		got = wide_add(a, b, &overflow);

	tap_expect(overflow == lost && got == want, "%s + %s = %s, overflow %u", wide_text(a), wide_text(b),
			   wide_text(got), overflow);
	overflow = 0;
	lost = __builtin_sub_overflow(a, b, &want);
	got = wide_sub(a, b, &overflow);
	tap_expect(overflow == lost && got == want, "%s - %s = %s, overflow %u", wide_text(a), wide_text(b),
			   wide_text(got), overflow);
}

static void
test_wide_arithmetic(void)
{
	Wide		edges[24];
	size_t		n = 0;
	size_t		i;
	size_t		j;
	int			t;

	for (t = -2; t <= 2; t++)
		edges[n++] = t;
	edges[n++] = INT64_MAX;
	edges[n++] = INT64_MIN;
	edges[n++] = (Wide) 1 << 63;
	edges[n++] = ((Wide) 1 << 64) - 1;
	edges[n++] = (Wide) 1 << 64;
	edges[n++] = ((Wide) 1 << 64) + 1;
	edges[n++] = -((Wide) 1 << 64);
	edges[n++] = (Wide) 1 << 126;
	edges[n++] = -((Wide) 1 << 126);
	edges[n++] = WIDE_MAX;
	edges[n++] = WIDE_MAX - 1;
	edges[n++] = -WIDE_MAX;
	edges[n++] = WIDE_MIN;
	edges[n++] = pow10_wide(38);
	edges[n++] = pow10_wide(19);
	edges[n++] = pow10_wide(38) - 1;

	tap_begin("products of 128-bit integers and their overflow");
	for (i = 0; i < n; i++)
		for (j = 0; j < n; j++)
			expect_product(edges[i], edges[j]);
	for (t = 0; t < 200000; t++)
		expect_product(random_wide(), random_wide());
	tap_end();

	tap_begin("sums and differences of 128-bit integers and their overflow");
	for (i = 0; i < n; i++)
		for (j = 0; j < n; j++)
			expect_sums(edges[i], edges[j]);
	for (t = 0; t < 200000; t++)
		expect_sums(random_wide(), random_wide());
	tap_end();

	tap_begin("the overflow flag stays set");
	{
		uint32_t	overflow = 1;

		wide_add(1, 1, &overflow);
		wide_sub(1, 1, &overflow);
		wide_mul(1, 1, &overflow);
		tap_expect(overflow == 1, "it is %u", overflow);
	}
	tap_end();
}

/* Round on the decimal text: cut `digits` characters, and look at the first one cut. */
static Wide
round_text(Wide value, int digits)
{
	char		text[48];
	int			length;
	int			i;
	bool		up;
	UWide		rounded = 0;

	if (digits == 0)
		return value;
	strcpy(text, wide_text(value));
	length = (int) strlen(text);
	i = text[0] == '-';
	up = length - i >= digits && text[length - digits] >= '5';
	for (; i < length - digits; i++)
		rounded = rounded * 10 + (UWide) (text[i] - '0');
	rounded += up;
	return (Wide) (value < 0 ? (UWide) 0 - rounded : rounded);
}

static void
test_rounding(void)
{
	int			digits;
	int			t;

	tap_begin("rounding half away from zero at every digit");
	for (digits = 0; digits <= 38; digits++)
	{
		Wide		unit = multiply_by_tens(1, digits);

		for (t = -3; t <= 3; t++)
		{
			Wide		v[4] = {unit / 2 + t, -(unit / 2) + t, unit + t, digits < 38 ? unit + unit / 2 + t : t};
			int			i;

			for (i = 0; i < 4; i++)
				tap_expect(wide_round(v[i], digits) == round_text(v[i], digits), "%s at %d digits gives %s",
						   wide_text(v[i]), digits, wide_text(wide_round(v[i], digits)));
		}
		for (t = 0; t < 3000; t++)
		{
			Wide		v = t == 0 ? WIDE_MAX : t == 1 ? WIDE_MIN : random_wide();

			tap_expect(wide_round(v, digits) == round_text(v, digits), "%s at %d digits gives %s", wide_text(v), digits,
					   wide_text(wide_round(v, digits)));
		}
	}
	tap_end();
}

int
main(void)
{
	test_hand_made_payloads();
	test_store();
	test_special_headers();
	test_damaged_lengths();
	test_header_fields();
	test_every_scale_and_size();
	test_powers_of_ten();
	test_pow10();
	test_wide_arithmetic();
	test_rounding();
	test_hostile_payloads();
	return tap_done();
}
