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
	first = find_units(n, huge ? SMALL_UNITS : 0, end);
	if (first == end)
		return NULL;
	memset(&taken[first], true, n);
	return room + first * UNIT;
}

void
memo_room_give(void *start, Size bytes)
{
	memset(&taken[((uint8 *) start - room) / UNIT], false, units_of(bytes));
}
