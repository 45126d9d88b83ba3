/*
 * without_rule.c
 *		Code that does not follow a rule, for builds that do without it.
 */
#include "postgres.h"

#include "access/visibilitymap.h"
#include "storage/bufmgr.h"

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
