/*
 * date_test.c
 *		The calendar, and days and times of timestamps.
 *
 * The reference walks from day to day, counting months by their lengths.
 */
#include "core/vm/op_date.h"
#include "guard.h"
#include "tap.h"

/* A day of the walk. */
typedef struct Walk
{
	int64_t		date;			/* days since 2000-01-01 */
	int64_t		year;			/* year, where 0 is 1 BC */
	int			month;
	int			day;
	int			doy;
	int			weekday;		/* weekday, where 0 is Sunday */
} Walk;

static bool
is_leap(int64_t year)
{
	return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

static int
days_of(int64_t year, int month)
{
	static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

	return days[month - 1] + (month == 2 && is_leap(year));
}

static void
next_day(Walk *w)
{
	w->date++;
	w->doy++;
	w->weekday = (w->weekday + 1) % 7;
	if (++w->day <= days_of(w->year, w->month))
		return;
	w->day = 1;
	if (++w->month <= 12)
		return;
	w->month = w->doy = 1;
	w->year++;
}

static void
expect_day(const Walk *w)
{
	const int64_t want[] = {
		w->year > 0 ? w->year : w->year - 1, (w->month + 2) / 3, w->month, w->day, w->weekday,
		w->weekday == 0 ? 7 : w->weekday, w->doy
	};
	int			f;

	for (f = FIELD_YEAR; f <= FIELD_DOY; f++)
	{
		uint32_t	error = 0;
		int64_t		got = op_part_date(w->date, f, &error);

		tap_expect(got == want[f] && error == 0, "field %d of day %lld is %lld, not %lld", f, (long long) w->date,
				   (long long) got, (long long) want[f]);
	}
}

/* Test all days from 4714-11-24 BC, the first date and a Monday, to AD 12000. */
static void
test_walk(void)
{
	Walk		w = {DATE_FIRST, -4713, 11, 24, 0, 1};
	int			month;

	tap_begin("every day from 4714-11-24 BC to AD 12000");
	for (month = 1; month < 11; month++)
		w.doy += days_of(w.year, month);
	w.doy += 24;
	for (; w.year <= 12000; next_day(&w))
	{
		expect_day(&w);
		if (w.year == 2000 && w.doy == 1)
			tap_expect(w.date == 0 && w.weekday == 6, "2000-01-01 is day %lld", (long long) w.date);
	}
	tap_end();
}

/* Test the last days that dates have, up to 5874897-12-31 (datatype/timestamp.h). */
static void
test_last_days(void)
{
	static const int64_t last = DATE_END - 1;
	uint32_t	error = 0;
	int64_t		day;

	tap_begin("the last day is 5874897-12-31, and cycles of 400 years repeat");
	tap_expect(op_part_date(last, FIELD_YEAR, &error) == 5874897 && op_part_date(last, FIELD_MONTH, &error) == 12 &&
			   op_part_date(last, FIELD_DAY, &error) == 31 && op_part_date(last, FIELD_DOY, &error) == 365, "last day");
	for (day = last - 800000; day <= last; day++)
	{
		int64_t		same = day - INT64_C(146097) * 14680;
		int			f;

		for (f = FIELD_QUARTER; f <= FIELD_DOY; f++)
			tap_expect(op_part_date(day, f, &error) == op_part_date(same, f, &error), "field %d of day %lld", f, (long long) day);
		tap_expect(op_part_date(day, FIELD_YEAR, &error) == op_part_date(same, FIELD_YEAR, &error) + 400 * 14680,
				   "year of day %lld", (long long) day);
	}
	tap_expect(error == 0, "a finite day is reported");
	op_part_date(INT32_MAX, FIELD_YEAR, &error);
	tap_expect(error == 1, "infinity is not reported");
	error = 0;
	op_part_date(INT32_MIN, FIELD_DAY, &error);
	tap_expect(error == 1, "-infinity is not reported");
	tap_end();
}

/* Test hours, minutes and microseconds, counted forward from midnight of some day. */
static void
test_times(void)
{
	long		i;

	tap_begin("day and time of timestamps, before 2000, too");
	for (i = 0; i < 200000; i++)
	{
		int64_t		day = (int64_t) random_below(6000000) - 2451545;
		int64_t		hour = random_below(24);
		int64_t		minute = random_below(60);
		int64_t		usecs = random_below(4) ? random_below(60000000) : random_below(2) ? 0 : 59999999;
		int64_t		ts = day * DAY_USECS + ((hour * 60 + minute) * 60000000 + usecs);
		uint32_t	error = 0;

		tap_expect(op_ts_to_date(ts) == day && op_part_time(ts, FIELD_HOUR, &error) == hour &&
				   op_part_time(ts, FIELD_MINUTE, &error) == minute &&
				   op_part_time(ts, FIELD_SECOND_USECS, &error) == usecs && error == 0, "timestamp %lld", (long long) ts);
	}
	tap_expect(op_ts_to_date(-1) == -1 && op_ts_to_date(0) == 0 && op_ts_to_date(-DAY_USECS) == -1 &&
			   op_ts_to_date(-DAY_USECS - 1) == -2, "around 2000-01-01");
	tap_expect(op_ts_to_date(INT64_MAX) == INT32_MAX && op_ts_to_date(INT64_MIN) == INT32_MIN, "infinities");
	tap_end();
}

/* Compute with any 64 bits, as lanes without a row, or lanes that are not active, may have. */
static void
compute_garbage(void *arg, Progress *progress)
{
	int			op = *(const int *) arg;
	volatile int64_t used;
	long		i;

	for (i = 0; i < 20000; i++)
	{
		int64_t		a = random_int64();
		int64_t		b = random_int64();
		uint32_t	error = 0;

		snprintf(progress->note, sizeof(progress->note), "%lld and %lld", (long long) a, (long long) b);
		switch (op)
		{
			case 0:
				used = op_add_date(a, b, &error);
				break;
			case 1:
				used = op_sub_date(a, b, &error);
				break;
			case 2:
				used = op_part_date(a, (int32_t) random_below(39), &error);
				break;
			case 3:
				used = op_part_time(a, (int32_t) random_below(39), &error);
				break;
			default:
				used = op_ts_to_date(a);
				used = op_date_as_ts(a, &error);
				break;
		}
		(void) used;
	}
}

static void
test_garbage(void)
{
	static const char *const names[] = {"ADD_DATE", "SUB_DATE", "PART_DATE", "PART_TIME", "TS_TO_DATE and DATE_AS_TS"};
	Progress   *progress = progress_make();
	int			op;

	tap_begin("any 64 bits are computed without undefined behaviour");
	for (op = 0; op < (int) lengthof(names); op++)
		tap_expect(survives(compute_garbage, &op, progress), "%s dies of %s", names[op], progress->note);
	tap_end();
}

int
main(void)
{
	test_walk();
	test_last_days();
	test_times();
	test_garbage();
	return tap_done();
}
