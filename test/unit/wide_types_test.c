/*
 * wide_types_test.c
 *		uuid, timetz, interval and name as 128-bit integers and text: they are in
 *		SQL's order, and conversions back give the value where they can.
 */
#include "core/numeric/wide_types.h"
#include "guard.h"
#include "tap.h"

static int
sign_of(int v)
{
	return (v > 0) - (v < 0);
}

static int
compare_wide(Wide a, Wide b)
{
	return (a > b) - (a < b);
}

static void
test_uuid(void)
{
	long		i;

	tap_begin("uuids are ordered as their bytes and come back");
	for (i = 0; i < 200000; i++)
	{
		uint8_t		a[UUID_BYTES];
		uint8_t		b[UUID_BYTES];
		uint8_t		back[UUID_BYTES];
		int			k;

		for (k = 0; k < UUID_BYTES; k++)
		{
			a[k] = (uint8_t) (random_below(3) ? random_u64() : random_below(2) ? 0xFF : 0);
			b[k] = random_below(8) ? a[k] : (uint8_t) random_u64();
		}
		uuid_of_wide(wide_of_uuid(a), back);
		tap_expect(memcmp(a, back, UUID_BYTES) == 0, "trial %ld does not come back", i);
		tap_expect(compare_wide(wide_of_uuid(a), wide_of_uuid(b)) == sign_of(memcmp(a, b, UUID_BYTES)), "order of trial %ld", i);
	}
	tap_end();
}

/* Compare as timetz_cmp_internal() does: by the time in GMT, then by the zone. */
static int
compare_timetz(int64_t at, int32_t az, int64_t bt, int32_t bz)
{
	int64_t		a = at + az * INT64_C(1000000);
	int64_t		b = bt + bz * INT64_C(1000000);

	if (a != b)
		return a < b ? -1 : 1;
	return (az > bz) - (az < bz);
}

static void
test_timetz(void)
{
	long		i;

	tap_begin("timetz: by the moment, then by the zone; it comes back");
	for (i = 0; i < 200000; i++)
	{
		uint8_t		bytes[2][TIMETZ_BYTES];
		int64_t		time[2];
		int32_t		zone[2];
		Wide		wide[2];
		int			k;

		for (k = 0; k < 2; k++)
		{
			int64_t		time_back;
			int32_t		zone_back;

			/* up to 24:00, and 16 hours either way */
			zone[k] = ((int32_t) random_below(65) - 32) * (random_below(2) ? 1800 : 1799);
			time[k] = random_below(2) ? (int64_t) (random_u64() % (uint64_t) (USECS_OF_DAY + 1)) : random_below(3) * USECS_OF_DAY / 2;
			if (k == 1 && random_below(2))
				time[1] = time[0] + (zone[0] - (int64_t) zone[1]) * 1000000;
			memcpy(bytes[k], &time[k], 8);
			memcpy(bytes[k] + 8, &zone[k], 4);
			wide[k] = wide_of_timetz(bytes[k]);
			timetz_of_wide(wide[k], &time_back, &zone_back);
			tap_expect(time_back == time[k] && zone_back == zone[k], "%lld %d does not come back", (long long) time[k], zone[k]);
		}
		tap_expect(compare_wide(wide[0], wide[1]) == compare_timetz(time[0], zone[0], time[1], zone[1]),
				   "%lld %d and %lld %d", (long long) time[0], zone[0], (long long) time[1], zone[1]);
	}
	tap_end();
}

/*
 * Compare as interval_cmp_value() does, with months of 30 days and days of 24 hours; here part by
 * part, carrying upwards.
 */
static int
compare_intervals(const int64_t *time, const int32_t *day, const int32_t *month)
{
	int64_t		days[2];
	int64_t		usecs[2];
	int			k;

	for (k = 0; k < 2; k++)
	{
		int64_t		carry = time[k] / USECS_OF_DAY - (time[k] % USECS_OF_DAY < 0);

		usecs[k] = time[k] - carry * USECS_OF_DAY;
		days[k] = carry + day[k] + INT64_C(30) * month[k];
	}
	if (days[0] != days[1])
		return days[0] < days[1] ? -1 : 1;
	return (usecs[0] > usecs[1]) - (usecs[0] < usecs[1]);
}

static void
test_interval(void)
{
	long		i;

	tap_begin("intervals are ordered by their span, and their bytes are stored");
	for (i = 0; i < 200000; i++)
	{
		uint8_t		bytes[2][INTERVAL_BYTES];
		int64_t		time[2];
		int32_t		day[2];
		int32_t		month[2];
		uint64_t	stored[2];
		int			k;

		for (k = 0; k < 2; k++)
		{
			bool		small = random_below(2);

			/* no carry may wrap around: the first time is at least one day from the end */
			time[k] = small ? ((int64_t) random_below(5) - 2) * USECS_OF_DAY + random_below(2) : random_int64() / 2;
			day[k] = small ? (int32_t) random_below(121) - 60 : (int32_t) random_u64();
			month[k] = small ? (int32_t) random_below(5) - 2 : (int32_t) random_u64();
			memcpy(bytes[k], &time[k], 8);
			memcpy(bytes[k] + 8, &day[k], 4);
			memcpy(bytes[k] + 12, &month[k], 4);
			wide_store(stored, wide_of_bytes(bytes[k]));
			tap_expect(memcmp(stored, bytes[k], INTERVAL_BYTES) == 0, "bytes of trial %ld", i);
		}
		tap_expect(compare_wide(wide_of_interval(bytes[0]), wide_of_interval(bytes[1])) == compare_intervals(time, day, month),
				   "%lld us %d days %d months and %lld us %d days %d months", (long long) time[0], day[0], month[0],
				   (long long) time[1], day[1], month[1]);
	}
	tap_end();
}

static void
test_name(void)
{
	uint8_t    *bytes = (uint8_t *) guard_alloc(NAME_BYTES, 1);
	uint32_t	n;

	tap_begin("a name ends with its first zero byte, or with its room");
	for (n = 0; n <= NAME_BYTES; n++)
	{
		memset(bytes, 'x', NAME_BYTES);
		if (n < NAME_BYTES)
			bytes[n] = 0;
		tap_expect(name_length(bytes) == n, "length %u", n);
	}
	guard_free(bytes, NAME_BYTES, 1);
	tap_end();
}

/* Convert random bytes, as a damaged page may have. */
static void
convert_garbage(void *arg, Progress *progress)
{
	long		i;

	for (i = 0; i < 100000; i++)
	{
		uint64_t	bytes[2] = {random_u64(), random_u64()};
		int64_t		time;
		int32_t		zone;

		snprintf(progress->note, sizeof(progress->note), "%016llx %016llx", (unsigned long long) bytes[0],
				 (unsigned long long) bytes[1]);
		wide_of_interval((const uint8_t *) bytes);
		timetz_of_wide(wide_of_timetz((const uint8_t *) bytes), &time, &zone);
		progress->trials += time == (int64_t) bytes[0];
	}
}

static void
test_garbage(void)
{
	Progress   *progress = progress_make();

	tap_begin("any bytes are converted, and timetz back, without undefined behaviour");
	tap_expect(survives(convert_garbage, NULL, progress), "dies of %s", progress->note);
	tap_end();
}

int
main(void)
{
	test_uuid();
	test_timetz();
	test_interval();
	test_name();
	test_garbage();
	return tap_done();
}
