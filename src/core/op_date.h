/*
 * op_date.h
 *		Dates (days) and timestamps (microseconds), both since 2000-01-01.
 */
#ifndef GPUDB_CORE_OP_DATE_H
#define GPUDB_CORE_OP_DATE_H

#include "core/target.h"

#define DAY_USECS INT64_C(86400000000)

/* First day that no timestamp reaches: 294277-01-01 (END_TIMESTAMP in datatype/timestamp.h). */
#define DATE_BEYOND_TIMESTAMPS 106751983

/*
 * A date as a timestamp, for comparing: infinities stay, and days after the
 * last timestamp stand above every finite one (date_cmp_timestamp's rule).
 */
CORE_FN int64_t
op_date_to_ts(int64_t day)
{
	int64_t		ts = (int64_t) ((uint64_t) day * (uint64_t) DAY_USECS);

	ts = day >= DATE_BEYOND_TIMESTAMPS ? INT64_MAX - 1 : ts;
	ts = day == INT32_MAX ? INT64_MAX : ts;
	return day == INT32_MIN ? INT64_MIN : ts;
}

#endif							/* GPUDB_CORE_OP_DATE_H */
