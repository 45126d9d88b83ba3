/*
 * decimal.h
 *		Decimals as scaled integers, and decoding and encoding of PostgreSQL's numeric.
 *
 * A decimal is an integer and a scale: value = integer / 10^scale.  PostgreSQL stores base-10000
 * digits with a weight; the layout of its short and long headers is that of
 * src/backend/utils/adt/numeric.c.
 */
#ifndef GPUDB_CORE_NUMERIC_DECIMAL_H
#define GPUDB_CORE_NUMERIC_DECIMAL_H

#include "core/status.h"
#include "core/target.h"

#define DECIMAL_MAX_DIGITS 38

CORE_FN int64_t
pow10_int64(int exponent)
{
	int64_t		p = 1;

	while (exponent-- > 0)
		p *= 10;
	return p;
}

/* Return 10^exponent for 0 <= exponent <= 38. */
CORE_FN Wide
pow10_wide(int exponent)
{
	return exponent <= 18 ? (Wide) pow10_int64(exponent)
		: (Wide) pow10_int64(18) * pow10_int64(exponent - 18 > 18 ? 18 : exponent - 18) * (exponent > 36 ? pow10_int64(exponent - 36) : 1);
}

/* Multiply; sets *overflow if the product leaves 128 bits. */
CORE_FN Wide
wide_mul(Wide a, Wide b, uint32_t *overflow)
{
	UWide		ua = a < 0 ? (UWide) 0 - (UWide) a : (UWide) a;
	UWide		ub = b < 0 ? (UWide) 0 - (UWide) b : (UWide) b;
	uint64_t	ah = (uint64_t) (ua >> 64);
	uint64_t	al = (uint64_t) ua;
	uint64_t	bh = (uint64_t) (ub >> 64);
	uint64_t	bl = (uint64_t) ub;
	UWide		low = (UWide) al * bl;
	UWide		cross = (UWide) ah * bl + (UWide) bh * al;
	UWide		sum = low + (cross << 64);
	bool		negative = (a < 0) != (b < 0);

	*overflow |= (ah != 0 && bh != 0) | ((cross >> 64) != 0) | (sum < low) | ((sum >> 127) != 0);
	return (Wide) (negative ? (UWide) 0 - sum : sum);
}

CORE_FN Wide
wide_add(Wide a, Wide b, uint32_t *overflow)
{
	Wide		r = (Wide) ((UWide) a + (UWide) b);

	*overflow |= (((a ^ r) & (b ^ r)) < 0);
	return r;
}

CORE_FN Wide
wide_sub(Wide a, Wide b, uint32_t *overflow)
{
	Wide		r = (Wide) ((UWide) a - (UWide) b);

	*overflow |= (((a ^ b) & (a ^ r)) < 0);
	return r;
}

/* Divide by 10^digits, rounding half away from zero, as numeric does. */
CORE_FN Wide
wide_round(Wide value, int digits)
{
	Wide		unit = pow10_wide(digits);
	Wide		quotient = value / unit;
	Wide		rest = value % unit;

	if (rest < 0)
		rest = -rest;
	if (rest >= unit - rest)
		quotient += value < 0 ? -1 : 1;
	return quotient;
}

/* Divide, rounding half away from zero; sets *by_zero if b is 0. */
CORE_FN Wide
wide_divide(Wide a, Wide b, uint32_t *by_zero)
{
	Wide		divisor = b == 0 ? 1 : b;
	UWide		ua = a < 0 ? (UWide) 0 - (UWide) a : (UWide) a;
	UWide		ub = divisor < 0 ? (UWide) 0 - (UWide) divisor : (UWide) divisor;
	UWide		quotient = ua / ub;
	UWide		rest = ua % ub;

	*by_zero |= b == 0;
	quotient += rest >= ub - rest;
	return (Wide) ((a < 0) != (divisor < 0) ? (UWide) 0 - quotient : quotient);
}

/* Return a * 10^k.  Sets *error if the result leaves 128 bits or is no whole number. */
CORE_FN Wide
wide_shift(Wide a, int64_t k, uint32_t *error)
{
	if (k < -DECIMAL_MAX_DIGITS || k > DECIMAL_MAX_DIGITS)
	{
		*error |= 1;
		return 0;
	}
	if (k >= 0)
		return wide_mul(a, pow10_wide((int) k), error);
	*error |= a % pow10_wide((int) -k) != 0;
	return a / pow10_wide((int) -k);
}

/*
 * Find the first nonzero base-10000 digit of a decimal and its weight, as numeric stores them; both
 * are 0 for the value 0.
 */
CORE_FN void
leading_group(Wide value, int scale, int *weight, int *first)
{
	UWide		rest = value < 0 ? (UWide) 0 - (UWide) value : (UWide) value;
	int			pad = (4 - scale % 4) % 4;
	UWide		unit = (UWide) pow10_int64(4 - pad);

	*weight = 0;
	*first = 0;
	if (rest == 0)
		return;
	/* the last base-10000 digit is padded with zeros */
	*weight = -(scale + pad) / 4;
	*first = (int) (rest % unit) * (int) pow10_int64(pad);
	for (rest /= unit; rest != 0; rest /= 10000, (*weight)++)
		*first = (int) (rest % 10000);
}

/*
 * Return the display scale that PostgreSQL gives a / b so that the quotient has at least 16
 * significant digits (select_div_scale() in numeric.c), before it is raised to the operands' own.
 */
CORE_FN int64_t
quotient_dscale(Wide a, int a_scale, Wide b, int b_scale)
{
	int			a_weight;
	int			a_first;
	int			b_weight;
	int			b_first;
	int			weight;
	int			dscale;

	leading_group(a, a_scale, &a_weight, &a_first);
	leading_group(b, b_scale, &b_weight, &b_first);
	weight = a_weight - b_weight - (a_first <= b_first);
	dscale = 16 - 4 * weight;
	return dscale > 0 ? dscale : 0;
}

/* Parts of a numeric, as read. */
typedef struct DecimalParts
{
	const uint8_t *digits;		/* base-10000 digits, int16 each, unaligned */
	int			ndigits;
	int			weight;			/* weight of the first digit, in base 10000 */
	int			dscale;
	bool		negative;
} DecimalParts;

/*
 * Split the payload of a numeric (without its varlena header).  Returns DONE,
 * SPECIAL_NUMERIC for NaN and infinities, or DAMAGED_PAGE.
 */
CORE_FN DeviceStatus
decimal_split(const uint8_t *payload, uint32_t length, DecimalParts *parts)
{
	uint16_t	header;
	uint32_t	header_size;

	if (core_unlikely(length < 2))
		return STATUS_DAMAGED_PAGE;
	header = load_u16(payload);
	if (core_likely((header & 0xC000) == 0x8000))
	{
		parts->negative = (header & 0x2000) != 0;
		parts->dscale = (header & 0x1F80) >> 7;
		parts->weight = (header & 0x003F) - ((header & 0x0040) ? 64 : 0);
		header_size = 2;
	}
	else if ((header & 0xC000) == 0xC000)
		return STATUS_SPECIAL_NUMERIC;
	else
	{
		if (length < 4)
			return STATUS_DAMAGED_PAGE;
		parts->negative = (header & 0xC000) == 0x4000;
		parts->dscale = header & 0x3FFF;
		parts->weight = (int16_t) load_u16(payload + 2);
		header_size = 4;
	}
	if (core_unlikely(length & 1))
		return STATUS_DAMAGED_PAGE;
	parts->digits = payload + header_size;
	parts->ndigits = (int) ((length - header_size) / 2);
	return STATUS_DONE;
}

/* Return v / 10^k for 1 <= k <= 3, as trailing digits need; divisors are constants. */
CORE_FN int64_t
drop_digits(int64_t v, int k)
{
	return k == 1 ? v / 10 : k == 2 ? v / 100 : v / 1000;
}

/* Return v * 10^k for 0 <= k <= 18. */
CORE_FN int64_t
append_digits(int64_t v, int k)
{
	for (; k >= 4; k -= 4)
		v *= 10000;
	return k == 0 ? v : k == 1 ? v * 10 : k == 2 ? v * 100 : v * 1000;
}

/* Return true if all base-10000 digits are at most 9999; a damaged page may contain anything. */
CORE_FN bool
decimal_digits_valid(const DecimalParts *parts)
{
	uint32_t	wrong = 0;
	int			i;

	for (i = 0; i < parts->ndigits; i++)
		wrong |= load_u16(parts->digits + 2 * i) > 9999;
	return !wrong;
}

/* Return the number of decimal digits of a leading base-10000 digit. */
CORE_FN int
leading_digits(int digit)
{
	return digit < 10 ? 1 : digit < 100 ? 2 : digit < 1000 ? 3 : 4;
}

/*
 * Return a scale that loses nothing: the display scale, or less where the value ends in zeros.
 * Trailing zeros are not stored in groups of four.
 */
CORE_FN int
decimal_scale_needed(const DecimalParts *parts)
{
	int			stored = 4 * (parts->ndigits - 1 - parts->weight);

	if (parts->ndigits == 0 || stored < 0)
		return 0;
	return stored < parts->dscale ? stored : parts->dscale;
}

/*
 * Compute the integer of a numeric at a scale of at least decimal_scale_needed().  Returns DONE,
 * DECIMAL_TOO_WIDE when it may have more than 38 digits, or DAMAGED_PAGE.
 */
CORE_FN DeviceStatus
decimal_value(const DecimalParts *parts, int scale, Wide *value)
{
	int			n = parts->ndigits;
	int			shift;			/* decimal places from the last digit to the target scale */
	int			i;

	if (n == 0)
	{
		*value = 0;
		return STATUS_DONE;
	}
	if (core_unlikely(!decimal_digits_valid(parts)))
		return STATUS_DAMAGED_PAGE;
	shift = scale + 4 * (parts->weight - (n - 1));
	if (core_likely(4 * (parts->weight + 1) + scale <= 18 && n <= 4 && shift > -4))
	{
		int64_t		v = 0;

		for (i = 0; i < n; i++)
			v = v * 10000 + (int16_t) load_u16(parts->digits + 2 * i);
		v = shift < 0 ? drop_digits(v, -shift) : append_digits(v, shift);
		*value = parts->negative ? -v : v;
		return STATUS_DONE;
	}
	if (4 * parts->weight + leading_digits((int16_t) load_u16(parts->digits)) + scale > DECIMAL_MAX_DIGITS ||
		shift <= -4 || n > 10)
		return STATUS_DECIMAL_TOO_WIDE;
	{
		Wide		v = 0;

		/* the last digit may contain zeros beyond the scale: add it separately */
		for (i = 0; i < n - 1; i++)
			v = v * 10000 + (int16_t) load_u16(parts->digits + 2 * i);
		if (shift < 0)
			v = v * pow10_int64(4 + shift)
				+ drop_digits((int16_t) load_u16(parts->digits + 2 * i), -shift);
		else
			v = (v * 10000 + (int16_t) load_u16(parts->digits + 2 * i)) * pow10_wide(shift);
		*value = parts->negative ? -v : v;
	}
	return STATUS_DONE;
}

/* Largest scale that decimal_store() accepts, and maximum of the bytes that it writes. */
#define DECIMAL_STORE_SCALE 16
#define DECIMAL_STORE_BYTES 20

/*
 * Write the payload of the numeric value / 10^scale with display scale `scale`, in its short form.
 * Returns its length in bytes.
 */
CORE_FN uint32_t
decimal_store(int64_t value, int scale, uint16_t *out)
{
	uint64_t	rest = value < 0 ? 0 - (uint64_t) value : (uint64_t) value;
	uint64_t	unit = (uint64_t) pow10_int64(scale);
	int			places = (scale + 3) / 4;	/* base-10000 digits behind the point */
	uint64_t	whole = rest / unit;
	uint64_t	part = rest % unit * (uint64_t) pow10_int64(4 * places - scale);
	int			digit[DECIMAL_STORE_BYTES / 2];	/* least significant digit first */
	int			n = 0;
	int			first = 0;
	int			weight;
	uint32_t	length = 0;

	for (; n < places; n++, part /= 10000)
		digit[n] = (int) (part % 10000);
	for (; whole > 0; n++, whole /= 10000)
		digit[n] = (int) (whole % 10000);
	/* zeros at either end are not stored */
	while (n > 0 && digit[n - 1] == 0)
		n--;
	while (first < n && digit[first] == 0)
		first++;
	weight = n == 0 ? 0 : n - 1 - places;
	out[length++] = (uint16_t) (0x8000 | (value < 0 ? 0x2000 : 0) | scale << 7 | (weight & 0x7F));
	while (n > first)
		out[length++] = (uint16_t) digit[--n];
	return length * (uint32_t) sizeof(uint16_t);
}

#endif							/* GPUDB_CORE_NUMERIC_DECIMAL_H */
