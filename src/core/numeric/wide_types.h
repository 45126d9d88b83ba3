/*
 * wide_types.h
 *		Conversion of types of 12 and 16 bytes to 128-bit integers in their SQL order.
 *
 * uuid and timetz map one to one, so the value can be computed back from the integer.  Intervals do
 * not: '1 day' and '24 hours' are equal and print differently.  An interval's integer is the span
 * that PostgreSQL compares (interval_cmp_value() in timestamp.c); where a value must be returned,
 * the interval's bytes are carried along.
 */
#ifndef GPUDB_CORE_NUMERIC_WIDE_TYPES_H
#define GPUDB_CORE_NUMERIC_WIDE_TYPES_H

#include "core/target.h"

#define UUID_BYTES		16
#define TIMETZ_BYTES	12
#define INTERVAL_BYTES	16
#define NAME_BYTES		64

#define USECS_PER_SECOND	INT64_C(1000000)
#define USECS_OF_DAY		INT64_C(86400000000)
#define DAYS_OF_MONTH		30

/* Return a uuid's integer; uuids are compared byte by byte, unsigned. */
CORE_FN Wide
wide_of_uuid(const uint8_t *bytes)
{
	UWide		v = 0;
	int			i;

	for (i = 0; i < UUID_BYTES; i++)
		v = v << 8 | bytes[i];
	return (Wide) (v ^ ((UWide) 1 << 127));
}

CORE_FN void
uuid_of_wide(Wide value, uint8_t *bytes)
{
	UWide		v = (UWide) value ^ ((UWide) 1 << 127);
	int			i;

	for (i = UUID_BYTES - 1; i >= 0; i--, v >>= 8)
		bytes[i] = (uint8_t) v;
}

/* Return a timetz's integer: the instant in UTC, then the zone in seconds west of Greenwich. */
CORE_FN Wide
wide_of_timetz(const uint8_t *bytes)
{
	int64_t		zone = (int32_t) load_u32(bytes + 8);
	int64_t		instant = (int64_t) (load_u64(bytes) + (uint64_t) (zone * USECS_PER_SECOND));

	return (Wide) instant * ((int64_t) 1 << 32) + (zone - INT32_MIN);
}

CORE_FN void
timetz_of_wide(Wide value, int64_t *time, int32_t *zone)
{
	*zone = (int32_t) ((int64_t) ((UWide) value & UINT32_MAX) + INT32_MIN);
	*time = (int64_t) ((uint64_t) (value >> 32) - (uint64_t) (*zone * USECS_PER_SECOND));
}

/* Return the span that an interval is compared by, in microseconds. */
CORE_FN Wide
wide_of_interval(const uint8_t *bytes)
{
	int64_t		days = (int64_t) (int32_t) load_u32(bytes + 12) * DAYS_OF_MONTH + (int32_t) load_u32(bytes + 8);

	return (Wide) days * USECS_OF_DAY + (int64_t) load_u64(bytes);
}

/* Return the 16 bytes of an interval unchanged, as an integer. */
CORE_FN Wide
wide_of_bytes(const uint8_t *bytes)
{
	return (Wide) (((UWide) load_u64(bytes + 8) << 64) | load_u64(bytes));
}

/* Return the length of a name: the bytes before its first zero byte. */
CORE_FN uint32_t
name_length(const uint8_t *bytes)
{
	uint32_t	n = 0;

	while (n < NAME_BYTES && bytes[n] != 0)
		n++;
	return n;
}

#endif							/* GPUDB_CORE_NUMERIC_WIDE_TYPES_H */
