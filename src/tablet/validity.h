/*
 * validity.h
 *		Whether rows that were read earlier are the rows that a snapshot sees now.
 *
 * The rows of a block that was all-visible when it was read are its rows for
 * every snapshot, as long as its bit in the visibility map has not been
 * cleared since.  Setting a bit gives the map's page a new LSN; a bit that is
 * set and was never set since was never cleared since.  So `bits still set and
 * LSN unchanged` proves the rows good, with one look for 32,672 blocks.
 * docs/tablets.md gives the rules under which that is sound.
 */
#ifndef GPUDB_TABLET_VALIDITY_H
#define GPUDB_TABLET_VALIDITY_H

#include "postgres.h"

#include "access/xlogdefs.h"
#include "storage/block.h"
#include "storage/bufpage.h"
#include "utils/rel.h"
#include "utils/snapshot.h"

/* The bytes of a page of the visibility map, with two bits a heap block. */
#define MAP_BYTES	(BLCKSZ - MAXALIGN(SizeOfPageHeaderData))

/* The heap blocks that one page of the map tells of: a shelf. */
#define SHELF_BLOCKS	(MAP_BYTES * 4)

/* A page of the visibility map as it was at one moment. */
typedef struct MapPage
{
	XLogRecPtr	lsn;			/* InvalidXLogRecPtr: the map has no such page */
	uint8		bits[MAP_BYTES];
} MapPage;

/*
 * Whether the map can prove anything of this relation to this snapshot.  If
 * not, nothing that was read earlier may be used, and nothing kept.
 */
extern bool validity_provable(Relation relation, Snapshot snapshot);

/* Copy the map's page for a shelf: bits and LSN together. */
extern void map_page_read(Relation relation, uint32 shelf, MapPage *page);

/* Whether n blocks from `first` on, counted in the shelf, are all-visible. */
extern bool map_page_all_visible(const MapPage *page, uint32 first, uint32 n);

#endif							/* GPUDB_TABLET_VALIDITY_H */
