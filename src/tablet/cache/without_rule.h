/*
 * without_rule.h
 *		Rules under which cached tablets are sound, and builds that do without one.
 *
 * `make WITHOUT_RULE=RULE_...` makes a library that gives wrong answers, for
 * test/long/rules.sh, which shows that a test notices the absence of each
 * rule.  In all other builds this file has no effect.
 */
#ifndef GPUDB_TABLET_CACHE_WITHOUT_RULE_H
#define GPUDB_TABLET_CACHE_WITHOUT_RULE_H

#include "postgres.h"

#include "storage/buf.h"
#include "utils/rel.h"

/* Rules of docs/tablets.md, in its order. */
typedef enum ValidityRule
{
	RULE_NONE,
	RULE_LOGGED,
	RULE_OWN_FILE,
	RULE_FINGERPRINT,
	RULE_PAGE_FLAG,
	RULE_MULTIXACT,
	RULE_MAP_AFTER_SNAPSHOT,
	RULE_MAP_IS_OLDER,
	RULE_MAP_LSN,
	RULE_PAGE_LSN,
	RULE_QUIESCENT,
	RULE_QUIESCENT_BEFORE,
	RULE_SAME_HORIZON,
	RULE_SAME_WAL,
	RULE_REPLAYED_WAL,
	RULE_NO_LOCK_HELD,
	RULE_OLD_SNAPSHOT,
	RULE_SERIALIZABLE,
	RULE_DECIDED_ONCE
} ValidityRule;

#ifndef GPUDB_WITHOUT_RULE
#define GPUDB_WITHOUT_RULE RULE_NONE
#endif

/* Return true if the code is to follow a rule. */
#define FOLLOWS(rule) ((rule) != GPUDB_WITHOUT_RULE)

/* Lock a heap page while the visibility map's page is locked, in an order in which nobody else locks them. */
extern void break_no_lock_held(Relation relation, BlockNumber block, Buffer buffer);

#endif							/* GPUDB_TABLET_CACHE_WITHOUT_RULE_H */
