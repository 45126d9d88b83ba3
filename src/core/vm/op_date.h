/*
 * op_date.h
 *		Dates (days) and timestamps (microseconds), both since 2000-01-01.
 */
#ifndef GPUDB_CORE_VM_OP_DATE_H
#define GPUDB_CORE_VM_OP_DATE_H

#include "core/target.h"

#define DAY_USECS INT64_C(86400000000)

/* First day that no timestamp reaches: 294277-01-01 (END_TIMESTAMP in datatype/timestamp.h). */
#define DATE_BEYOND_TIMESTAMPS 106751983

/*
 * Convert a date to a timestamp for comparisons: infinities stay, and days after the last timestamp
 * compare above every finite one, as in date_cmp_timestamp().
 */
CORE_FN int64_t
op_date_to_ts(int64_t day)
{
	int64_t		ts = (int64_t) ((uint64_t) day * (uint64_t) DAY_USECS);

	ts = day >= DATE_BEYOND_TIMESTAMPS ? INT64_MAX - 1 : ts;
	ts = day == INT32_MAX ? INT64_MAX : ts;
	return day == INT32_MIN ? INT64_MIN : ts;
}

/* Convert a date to a timestamp as a value: a finite day that no timestamp reaches is an error. */
CORE_FN int64_t
op_date_as_ts(int64_t day, uint32_t *error)
{
	*error |= (day >= DATE_BEYOND_TIMESTAMPS) & (day != INT32_MAX);
	return op_date_to_ts(day);
}

/* Return the day of a timestamp; infinities stay. */
CORE_FN int64_t
op_ts_to_date(int64_t ts)
{
	int64_t		day = ts / DAY_USECS - (ts % DAY_USECS < 0);

	day = ts == INT64_MAX ? INT32_MAX : day;
	return ts == INT64_MIN ? INT32_MIN : day;
}

/* Julian day of 2000-01-01, and the range of dates (datatype/timestamp.h). */
#define EPOCH_JULIAN	INT64_C(2451545)
#define DATE_FIRST		(-EPOCH_JULIAN)
#define DATE_END		(INT64_C(2147483494) - EPOCH_JULIAN)

CORE_FN uint8_t date_is_infinite(int64_t day) { return (day == INT32_MAX) | (day == INT32_MIN); }

/* Add days to a date: an infinite date stays; leaving the range of dates is an error. */
CORE_FN int64_t
op_add_date(int64_t day, int64_t days, uint32_t *error)
{
	int64_t		r = (int64_t) ((uint64_t) day + (uint64_t) days);

	r = date_is_infinite(day) ? day : r;
	*error |= (date_is_infinite(day) ^ 1) & ((r < DATE_FIRST) | (r >= DATE_END));
	return r;
}

/* Return the difference of two dates in days; an infinite date is an error. */
CORE_FN int64_t
op_sub_date(int64_t a, int64_t b, uint32_t *error)
{
	*error |= date_is_infinite(a) | date_is_infinite(b);
	return (int64_t) ((uint64_t) a - (uint64_t) b);
}

/* Fields that EXTRACT takes from a day and from the time of day. */
typedef enum DateField
{
	FIELD_YEAR,
	FIELD_QUARTER,
	FIELD_MONTH,
	FIELD_DAY,
	FIELD_DOW,
	FIELD_ISODOW,
	FIELD_DOY,
	FIELD_HOUR,
	FIELD_MINUTE,
	FIELD_SECOND_USECS,			/* microseconds within the minute */
	FIELD_HOUR_OF_TIME,			/* hour of the type time, which may be 24:00 */
	FIELD_Count
} DateField;

typedef struct CivilDate
{
	int64_t		year;			/* 0 is 1 BC */
	int			month;			/* 1 .. 12 */
	int			day;			/* 1 .. 31 */
} CivilDate;

/*
 * Convert a day to a date of the Gregorian calendar, extended both ways.  Years are counted from
 * March, so that the leap day comes last (Hatcher 1984).
 */
CORE_FN CivilDate
civil_of_day(int64_t day)
{
	/* days since 0000-03-01, shifted by whole cycles of 400 years to be positive */
	int64_t		n = day + 730425 + INT64_C(146097) * 20000;
	int64_t		cycle = n / 146097;
	int64_t		of_cycle = n % 146097;
	int64_t		year = (of_cycle - of_cycle / 1460 + of_cycle / 36524 - of_cycle / 146096) / 365;
	int64_t		of_year = of_cycle - (365 * year + year / 4 - year / 100);
	int			month = (int) ((5 * of_year + 2) / 153);
	CivilDate	civil;

	civil.day = (int) (of_year - (153 * month + 2) / 5 + 1);
	civil.month = month < 10 ? month + 3 : month - 9;
	civil.year = (cycle - 20000) * 400 + year + (civil.month <= 2);
	return civil;
}

/* Return the first day of a calendar year. */
CORE_FN int64_t
first_day_of_year(int64_t year)
{
	int64_t		y = year - 1 + INT64_C(400) * 20000;

	return 365 * y + y / 4 - y / 100 + y / 400 - INT64_C(146097) * 20000 - 730119;
}

/* Return a field of a day; an infinite day is an error. */
CORE_FN int64_t
op_part_date(int64_t day, int32_t field, uint32_t *error)
{
	/* lanes that do not count may hold anything */
	int64_t		safe = day < DATE_FIRST || day >= DATE_END ? 0 : day;
	CivilDate	civil = civil_of_day(safe);
	/* 2000-01-01 was a Saturday */
	int64_t		dow = ((safe + 6) % 7 + 7) % 7;

	*error |= date_is_infinite(day);
	switch ((DateField) field)
	{
		case FIELD_YEAR:
			/* there is no year 0: 1 BC is -1 */
			return civil.year > 0 ? civil.year : civil.year - 1;
		case FIELD_QUARTER:
			return (civil.month - 1) / 3 + 1;
		case FIELD_MONTH:
			return civil.month;
		case FIELD_DAY:
			return civil.day;
		case FIELD_DOW:
			return dow;
		case FIELD_ISODOW:
			return dow == 0 ? 7 : dow;
		case FIELD_DOY:
			return safe - first_day_of_year(civil.year) + 1;
		default:
			return 0;
	}
}

/* Return a field of the time of day of a timestamp or time; an infinite timestamp is an error. */
CORE_FN int64_t
op_part_time(int64_t ts, int32_t field, uint32_t *error)
{
	int64_t		usecs = ts % DAY_USECS;

	*error |= (ts == INT64_MAX) | (ts == INT64_MIN);
	usecs += usecs < 0 ? DAY_USECS : 0;
	switch ((DateField) field)
	{
		case FIELD_HOUR:
			return usecs / INT64_C(3600000000);
		case FIELD_HOUR_OF_TIME:
			return ts / INT64_C(3600000000);
		case FIELD_MINUTE:
			return usecs / 60000000 % 60;
		case FIELD_SECOND_USECS:
			return usecs % 60000000;
		default:
			return 0;
	}
}

#endif							/* GPUDB_CORE_VM_OP_DATE_H */
