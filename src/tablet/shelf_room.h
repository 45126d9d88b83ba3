/*
 * shelf_room.h
 *		How much something is worth for which the pool is to have room, and which shelves may make it.
 */
#ifndef GPUDB_TABLET_SHELF_ROOM_H
#define GPUDB_TABLET_SHELF_ROOM_H

#include "postgres.h"

#include <math.h>

struct Shelf;
struct ColumnKeys;

typedef struct ShelfRoom
{
	uint64		since;			/* shelves that nobody has pinned since then, */
	struct Shelf *shelf;		/* and this one, if the caller alone has pinned it, NULL = none, */
	const struct ColumnKeys *keys;	/* but for its columns of these keys */
	double		uses;			/* for something that queries want so often, as it counts now; INFINITY: at any price, */
	uint32		blocks;			/* of so many blocks */
} ShelfRoom;

/* Room for what is wanted at any price: shelves make it that nobody uses now. */
#define SHELF_ROOM_AT_ANY_PRICE (ShelfRoom) {.since = shelf_time(), .uses = INFINITY, .blocks = 1}

#endif							/* GPUDB_TABLET_SHELF_ROOM_H */
