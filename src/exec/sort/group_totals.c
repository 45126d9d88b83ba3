/*
 * group_totals.c
 *		Aggregates over all rows of groups of sorted rows, or over their distinct values.
 *
 * Threads process equal parts of the rows, whatever the number of groups.  If
 * a part begins within a group, the total of its rows of that group is added
 * to the totals of the parts before it.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "device/threads.h"
#include "exec/sort/group_totals.h"

/* Total of some rows of a group and, for minimum and maximum, the row that has the value. */
typedef struct GroupTotal
{
	Total		all;
	uint32		best;
} GroupTotal;

/*
 * Totals of a range of groups, computed by threads in parts of the rows.  The
 * first rows of a part may belong to a group that began in an earlier part.
 */
typedef struct Totalling
{
	const SortedGroups *groups;
	const GroupCall *call;
	SortKey		key;			/* sort key of the attribute */
	GroupRange	range;
	GroupTotal *total;			/* total of each group, from range.first on */
	GroupTotal	begun[SORT_PARTS];	/* total of each part's first rows, if their group began earlier */
	uint32		group[SORT_PARTS];	/* index of that group in the range; range.n = none */
} Totalling;

/* Return true if a row's value is to replace the best one. */
static bool
is_better(const Totalling *totalling, uint32 row, const GroupTotal *total)
{
	return total->all.count == 0 ||
		(sort_compare(totalling->groups->stored->rows, &totalling->key, 1, row, total->best) < 0) == (totalling->call->total == TOTAL_MIN);
}

/* Add the rows at the places [from, to) of a group's order to a total. */
static void
total_rows(const Totalling *totalling, uint32 group, uint32 from, uint32 to, GroupTotal *total)
{
	const GroupCall *call = totalling->call;
	const StoredRows *stored = totalling->groups->stored;
	const SortedSet *set = &totalling->groups->set[Max(call->set, 0)];
	const TotalOf of = group_total_of(call);

	for (uint32 i = from; i < to; i++)
	{
		const uint32 row = set->order[i];

		stored_rows_ask_ahead(stored, totalling->key.column, set->order + i, stored->rows->nrows - i);
		/* NULLs come last among sorted values. */
		if (!total_counts(stored, of, row) ||
			(call->distinct && i > totalling->groups->start[group] && sort_compare(stored->rows, &set->by, 1, set->order[i - 1], row) == 0))
			continue;
		if (total_is_of_row(call->total) && is_better(totalling, row, total))
			total->best = row;
		total_change(stored, of, row, true, &total->all);
	}
}

static void
total_part(void *arg, uint32 part)
{
	Totalling  *totalling = arg;
	const GroupRange range = totalling->range;
	const uint32 *start = totalling->groups->start + range.first;
	const uint32 nrows = start[range.n] - start[0];
	const uint32 from = start[0] + threads_part_start(nrows, SORT_PARTS, part);
	const uint32 to = start[0] + threads_part_start(nrows, SORT_PARTS, part + 1);
	uint32		low = 0;
	uint32		high = range.n;

	/* Find the last group that does not begin after the part's first row. */
	while (high - low > 1)
	{
		const uint32 middle = low + (high - low) / 2;

		if (start[middle] <= from)
			low = middle;
		else
			high = middle;
	}
	totalling->group[part] = range.n;
	for (uint32 g = low; g < range.n && start[g] < to; g++)
	{
		const bool	begun = start[g] < from;

		if (begun)
			totalling->group[part] = g;
		total_rows(totalling, range.first + g, Max(start[g], from), Min(start[g + 1], to), begun ? &totalling->begun[part] : &totalling->total[g]);
	}
}

/* Add the total of later rows of the group. */
static void
add_total(const Totalling *totalling, const GroupTotal *more, GroupTotal *total)
{
	if (more->all.count == 0)
		return;
	if (total_is_of_row(totalling->call->total) && is_better(totalling, more->best, total))
		total->best = more->best;
	total_add(&more->all, &total->all);
}

void
group_totals_compute(const SortedGroups *groups, const GroupCall *call, GroupRange range, Datum *values, bool *isnull)
{
	Totalling  *totalling = palloc(sizeof(Totalling));
	uint32	   *best = palloc(sizeof(uint32) * range.n);
	bool	   *none = palloc(sizeof(bool) * range.n);

	*totalling = (Totalling) {.groups = groups, .call = call, .range = range, .total = palloc0(sizeof(GroupTotal) * range.n)};
	if (call->attribute >= 0)
	{
		totalling->key = total_key(groups->stored, group_total_of(call));
		threads_run_parts(groups->start[range.first + range.n] - groups->start[range.first], SORT_PARTS, total_part, totalling);
		CHECK_FOR_INTERRUPTS();
		for (uint32 part = 0; part < SORT_PARTS; part++)
			if (totalling->group[part] < range.n)
				add_total(totalling, &totalling->begun[part], &totalling->total[totalling->group[part]]);
	}
	for (uint32 g = 0; g < range.n; g++)
	{
		Total	   *total = &totalling->total[g].all;

		if (call->attribute < 0)
			total->count = groups->start[range.first + g + 1] - groups->start[range.first + g];
		best[g] = totalling->total[g].best;
		isnull[g] = total->count == 0 && call->total != TOTAL_COUNT;
		if (!isnull[g] && !total_is_of_row(call->total))
			values[g] = total_datum(groups->stored, group_total_of(call), total);
	}
	/* Without any value the row is not looked at. */
	if (total_is_of_row(call->total) && groups->stored->rows->nrows > 0)
		stored_rows_read(groups->stored, call->attribute, best, range.n, values, none);
}
