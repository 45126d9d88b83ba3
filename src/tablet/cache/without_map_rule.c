/*
 * without_map_rule.c
 *		Visibility map pages read too early, for builds that do without a rule about them (without_rule.h).
 */
#include "postgres.h"

#include "pg_compat.h"
#include "tablet/cache/without_map_rule.h"

void
break_map_is_older(Relation relation, uint32 shelf, FullTransactionId xmin_horizon, MapPage *page)
{
	static MapPage seen;
	static Oid	file;
	static FullTransactionId of;

	if (shelf == 0 && file == compat_relation_file(relation) && FullTransactionIdEquals(of, xmin_horizon) && !XLogRecPtrIsInvalid(seen.lsn))
	{
		*page = seen;
		return;
	}
	map_page_read(relation, shelf, page);
	if (shelf == 0)
	{
		seen = *page;
		file = compat_relation_file(relation);
		of = xmin_horizon;
	}
}

void
break_map_after_snapshot(Relation relation, uint32 shelf, MapPage *page)
{
	break_map_is_older(relation, shelf, InvalidFullTransactionId, page);
}
