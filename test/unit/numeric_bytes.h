/*
 * numeric_bytes.h
 *		Numerics as PostgreSQL stores them: header, weight, base-10000 digits.
 *
 * They are made from decimal characters, so that the bytes share nothing with
 * the code that reads them.
 */
#ifndef GPUDB_TEST_NUMERIC_BYTES_H
#define GPUDB_TEST_NUMERIC_BYTES_H

#include "tap.h"

#define MAX_PAYLOAD 128

typedef struct Payload
{
	uint8_t		bytes[MAX_PAYLOAD];
	uint32_t	length;
} Payload;

static inline void
put_u16(Payload *p, uint32_t value)
{
	p->bytes[p->length++] = (uint8_t) value;
	p->bytes[p->length++] = (uint8_t) (value >> 8);
}

static inline void
put_header(Payload *p, bool long_form, bool negative, int dscale, int weight)
{
	p->length = 0;
	if (long_form)
	{
		put_u16(p, (negative ? 0x4000u : 0u) | (uint32_t) dscale);
		put_u16(p, (uint32_t) weight & 0xFFFF);
	}
	else
		put_u16(p, 0x8000u | (negative ? 0x2000u : 0u) | (uint32_t) dscale << 7 | ((uint32_t) weight & 0x7F));
}

static inline bool
short_form_holds(int dscale, int weight)
{
	return dscale <= 63 && weight >= -64 && weight <= 63;
}

/* Write value / 10^scale as PostgreSQL stores it, without base-10000 digits 0 at either end. */
static inline void
put_numeric(Payload *p, Wide value, int scale, bool long_form)
{
	char		digits[160];
	const char *text = wide_text(value < 0 ? -value : value);
	int			point;
	int			n = 0;
	int			first = 0;
	int			last;
	int			weight;
	int			i;

	/* pad with zeros on both sides, so that the point is at a multiple of four digits */
	point = (int) strlen(text) - scale;
	while (point + n < 0 || (point + n) % 4 != 0)
		digits[n++] = '0';
	point += n;
	n += sprintf(digits + n, "%s", text);
	while (n % 4 != 0 || n < point)
		digits[n++] = '0';
	last = n / 4;
	while (first < last && memcmp(digits + 4 * first, "0000", 4) == 0)
		first++;
	while (last > first && memcmp(digits + 4 * (last - 1), "0000", 4) == 0)
		last--;
	weight = first == last ? 0 : point / 4 - 1 - first;
	put_header(p, long_form || !short_form_holds(scale, weight), value < 0, scale, weight);
	for (i = first; i < last; i++)
		put_u16(p, (uint32_t) ((digits[4 * i] - '0') * 1000 + (digits[4 * i + 1] - '0') * 100 +
							   (digits[4 * i + 2] - '0') * 10 + (digits[4 * i + 3] - '0')));
}

#endif							/* GPUDB_TEST_NUMERIC_BYTES_H */
