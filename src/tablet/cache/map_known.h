/*
 * map_known.h
 *		Pages of the visibility map that this session has read already.
 */
#ifndef GPUDB_TABLET_CACHE_MAP_KNOWN_H
#define GPUDB_TABLET_CACHE_MAP_KNOWN_H

#include "postgres.h"

#include "tablet/cache/validity.h"

/*
 * Get the visibility map's page for a shelf, which has nblocks blocks, at a
 * snapshot horizon whose end of the WAL was looked up after the snapshot was
 * taken.  The page is read, unless it was read at this horizon before.
 */
extern void map_page_at(Relation relation, uint32 shelf, uint32 nblocks, const SnapshotHorizon *horizon, MapPage *page);

#endif							/* GPUDB_TABLET_CACHE_MAP_KNOWN_H */
