/*
 * shelf_room.h
 *		Worth of an object for which the pool is to make room, and the shelves that may make it.
 */
#ifndef GPUDB_TABLET_CACHE_SHELF_ROOM_H
#define GPUDB_TABLET_CACHE_SHELF_ROOM_H

#include "postgres.h"

#include <math.h>

#include "utils/dsa.h"

struct Shelf;
struct ColumnKeys;

typedef struct ShelfRoom
{
	uint64		since;			/* shelves that nobody has pinned after this time may make room */
	struct Shelf *shelf;		/* shelf that may make room if the caller alone has pinned it, NULL = none */
	const struct ColumnKeys *keys;	/* keys of columns of `shelf` that stay */
	double		uses;			/* uses of the object by queries, decayed to now; INFINITY = room at any price */
	uint32		blocks;			/* blocks that the object is of */
} ShelfRoom;

/* Room at any price, made by shelves that nobody uses now. */
#define SHELF_ROOM_AT_ANY_PRICE (ShelfRoom) {.since = shelf_time(), .uses = INFINITY, .blocks = 1}

/* Allocate memory in the pool for values of value_bytes each; return InvalidDsaPointer if there is none. */
extern dsa_pointer shelf_allocate_values(Size bytes, Size value_bytes, const ShelfRoom *room);

#endif							/* GPUDB_TABLET_CACHE_SHELF_ROOM_H */
