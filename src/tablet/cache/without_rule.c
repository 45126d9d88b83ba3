/*
 * without_rule.c
 *		Code that does not follow a rule, for builds that do without it.
 */
#include "postgres.h"

#include "access/visibilitymap.h"
#include "storage/bufmgr.h"

#include "pg_compat.h"
#include "tablet/cache/without_rule.h"

void
break_no_lock_held(Relation relation, BlockNumber block, Buffer buffer)
{
	Buffer		map = InvalidBuffer;

	(void) visibilitymap_get_status(relation, block, &map);
	if (!BufferIsValid(map))
		return;
	LockBuffer(map, BUFFER_LOCK_SHARE);
	LockBuffer(buffer, BUFFER_LOCK_SHARE);
	LockBuffer(buffer, BUFFER_LOCK_UNLOCK);
	LockBuffer(map, BUFFER_LOCK_UNLOCK);
	ReleaseBuffer(map);
}

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
