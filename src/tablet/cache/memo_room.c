/*
 * memo_room.c
 *		Memory of a session for memos of shelves.
 *
 * The memory is one mapping, made when it is first needed, and never given
 * back.  Its pages come when they are touched.  Memory is taken by first fit in
 * units of a page; there are few pieces.
 */
#include "postgres.h"

#include "device/mapping.h"
#include "tablet/cache/memo_room.h"

#define UNIT		4096
#define SMALL_UNITS	(HUGE_PAGE / UNIT)
#define LATER_UNITS	(2 * HUGE_PAGE / UNIT)
#define HUGE_UNITS	(3 * HUGE_PAGE / UNIT)
#define UNITS		(SMALL_UNITS + LATER_UNITS + HUGE_UNITS)

static uint8 *room;
static bool taken[UNITS];

/* In each area no unit before `free_from` is free, and none from `end_of` on belongs to the area. */
static Size free_from[MEMO_SLOTS] = {0, SMALL_UNITS, SMALL_UNITS + LATER_UNITS};
static const Size end_of[MEMO_SLOTS] = {SMALL_UNITS, SMALL_UNITS + LATER_UNITS, UNITS};

static Size
units_of(Size bytes)
{
	return (bytes + UNIT - 1) / UNIT;
}

/* Return the first of n adjacent free units in [from, end); `end` if there are none. */
static Size
find_units(Size n, Size from, Size end)
{
	Size		found = 0;

	for (Size u = from; u < end; u++)
	{
		found = taken[u] ? 0 : found + 1;
		if (found == n)
			return u + 1 - n;
	}
	return end;
}

void *
memo_room_take(Size bytes, MemoRoom where)
{
	const Size	n = units_of(bytes);
	Size		first;

	if (room == NULL)
		room = mapping_reserve(UNITS * UNIT, (SMALL_UNITS + LATER_UNITS) * UNIT);
	if (room == NULL || n == 0)
		return NULL;
	first = find_units(n, free_from[where], end_of[where]);
	if (first == end_of[where])
		return NULL;
	memset(&taken[first], true, n);
	if (first == free_from[where])
		free_from[where] += n;
	return room + first * UNIT;
}

void
memo_room_give(void *start, Size bytes)
{
	const Size	first = ((uint8 *) start - room) / UNIT;
	int			where = MEMO_SMALL_PAGES;

	while (first >= end_of[where])
		where++;
	memset(&taken[first], false, units_of(bytes));
	free_from[where] = Min(free_from[where], first);
}
