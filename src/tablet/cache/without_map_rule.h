/*
 * without_map_rule.h
 *		Visibility map pages read too early, for builds that do without a rule about them (without_rule.h).
 */
#ifndef GPUDB_TABLET_CACHE_WITHOUT_MAP_RULE_H
#define GPUDB_TABLET_CACHE_WITHOUT_MAP_RULE_H

#include "postgres.h"

#include "utils/rel.h"

#include "tablet/cache/validity.h"

/*
 * Get the visibility map's page for a shelf as this process read it first:
 * ever, which is before most snapshots, or for snapshots of this xmin.
 */
extern void break_map_after_snapshot(Relation relation, uint32 shelf, MapPage *page);
extern void break_map_is_older(Relation relation, uint32 shelf, FullTransactionId xmin_horizon, MapPage *page);

#endif							/* GPUDB_TABLET_CACHE_WITHOUT_MAP_RULE_H */
