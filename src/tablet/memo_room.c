/*
 * memo_room.c
 *		Memory of a session in which memos of shelves stand.
 *
 * One mapping, made when it is first needed, and never given back.  Its pages
 * come when they are touched.  Room is taken by first fit in units of a page;
 * there are few pieces.
 */
#include "postgres.h"

#include "device/mapping.h"
#include "tablet/memo_room.h"

#define UNIT		4096
#define SMALL_UNITS	(HUGE_PAGE / UNIT)
#define HUGE_UNITS	(3 * HUGE_PAGE / UNIT)
#define UNITS		(SMALL_UNITS + HUGE_UNITS)

static uint8 *room;
static bool taken[UNITS];
static Size free_from[2] = {0, SMALL_UNITS};	/* no unit before is free, of small pages and of huge ones */

static Size
units_of(Size bytes)
{
	return (bytes + UNIT - 1) / UNIT;
}

/* The first of n free units, from one on and before another; `end` if there are none. */
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
memo_room_take(Size bytes, bool huge)
{
	const Size	n = units_of(bytes);
	const Size	end = huge ? UNITS : SMALL_UNITS;
	Size		first;

	if (room == NULL)
		room = mapping_reserve(UNITS * UNIT, SMALL_UNITS * UNIT);
	if (room == NULL || n == 0)
		return NULL;
	first = find_units(n, free_from[huge], end);
	if (first == end)
		return NULL;
	memset(&taken[first], true, n);
	if (first == free_from[huge])
		free_from[huge] += n;
	return room + first * UNIT;
}

void
memo_room_give(void *start, Size bytes)
{
	const Size	first = ((uint8 *) start - room) / UNIT;
	const bool	huge = first >= SMALL_UNITS;

	memset(&taken[first], false, units_of(bytes));
	free_from[huge] = Min(free_from[huge], first);
}
