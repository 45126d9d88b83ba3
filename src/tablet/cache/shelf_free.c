/*
 * shelf_free.c
 *		Cached tablets, grouped into shelves: freeing and views.
 */
#include "postgres.h"

#include <sys/stat.h>

#include "miscadmin.h"
#include "storage/lwlock.h"
#include "utils/acl.h"
#include "utils/rls.h"
#include "utils/timestamp.h"

#include "pg_compat.h"
#include "tablet/cache/dict.h"
#include "tablet/cache/pool.h"
#include "tablet/cache/shelf.h"
#include "tablet/cache/shelf_private.h"

/* Least time between two searches of a session for files that are gone. */
#define ORPHANS_MS	1000

/* Freeing, with the lock held exclusively */

void
shelf_drop_columns(dsa_pointer columns)
{
	while (DsaPointerIsValid(columns))
	{
		CachedColumn *column = pool_address(columns);
		dsa_pointer next = column->next;

		pool_free(column->values);
		pool_free(column->nulls);
		pool_free(column->texts);
		pool_free(columns);
		columns = next;
	}
}

void
shelf_drop_tablet(dsa_pointer pointer)
{
	const CachedTablet *tablet = pool_address(pointer);

	if (tablet == NULL)
		return;
	shelf_drop_columns(tablet->columns);
	pool_free(tablet->pages);
	pool_free(pointer);
}

void
shelf_drop_retired(Shelf *shelf)
{
	while (DsaPointerIsValid(shelf->retired))
	{
		dsa_pointer pointer = shelf->retired;

		shelf->retired = ((CachedTablet *) pool_address(pointer))->next;
		shelf_drop_tablet(pointer);
	}
	shelf->nretired = 0;
}

/* Free a shelf that nobody has pinned. */
static void
drop_shelf(Shelf *shelf)
{
	shelf_note_contents();
	shelf_drop_retired(shelf);
	for (int t = 0; t < SHELF_TABLETS; t++)
		shelf_drop_tablet(shelf->tablet[t]);
	hash_search(shelf_directory, &shelf->key, HASH_REMOVE, NULL);
}

bool
shelf_evict_oldest(uint64 since)
{
	HASH_SEQ_STATUS all;
	Shelf	   *shelf;
	Shelf	   *oldest = NULL;

	LWLockAcquire(pool_lock(), LW_EXCLUSIVE);
	hash_seq_init(&all, shelf_directory);
	while ((shelf = hash_seq_search(&all)) != NULL)
		if (pg_atomic_read_u32(&shelf->pins) == 0 && pg_atomic_read_u64(&shelf->used) <= since &&
			(oldest == NULL || pg_atomic_read_u64(&shelf->used) < pg_atomic_read_u64(&oldest->used)))
			oldest = shelf;
	if (oldest != NULL)
		drop_shelf(oldest);
	LWLockRelease(pool_lock());
	return oldest != NULL;
}

void
shelf_replace(Shelf *shelf, uint32 tablet, dsa_pointer by)
{
	dsa_pointer old = shelf->tablet[tablet];
	const uint32 hits = pg_atomic_read_u32(&shelf->hits[tablet]);
	const bool	unused = hits == shelf->hits_before[tablet];

	shelf_note_change(shelf);
	shelf->tablet[tablet] = by;
	if (DsaPointerIsValid(old))
		shelf_account_tablet(shelf, pool_address(old), false);
	if (DsaPointerIsValid(by))
		shelf_account_tablet(shelf, pool_address(by), true);
	shelf->hits_before[tablet] = hits;
	shelf->in_vain[tablet] = DsaPointerIsValid(old) && unused ? shelf->in_vain[tablet] + 1 : 0;
	if (!DsaPointerIsValid(old))
		return;
	shelf->rebuilds[tablet] += DsaPointerIsValid(by);
	shelf->unused[tablet] += DsaPointerIsValid(by) && unused;
	((CachedTablet *) pool_address(old))->next = shelf->retired;
	shelf->retired = old;
	shelf->nretired++;
}

bool
shelf_file_is_gone(Oid database, Oid tablespace, Oid file)
{
	char	   *path = compat_relation_path(database, tablespace, file);
	struct stat found;
	bool		gone = stat(path, &found) != 0 || found.st_size == 0;

	pfree(path);
	return gone;
}

void
shelf_drop_orphans(void)
{
	static TimestampTz last = 0;
	HASH_SEQ_STATUS all;
	Shelf	   *shelf;

	if (!TimestampDifferenceExceeds(last, GetCurrentTimestamp(), ORPHANS_MS))
		return;
	last = GetCurrentTimestamp();
	LWLockAcquire(pool_lock(), LW_EXCLUSIVE);
	hash_seq_init(&all, shelf_directory);
	while ((shelf = hash_seq_search(&all)) != NULL)
		if (pg_atomic_read_u32(&shelf->pins) == 0 &&
			shelf_file_is_gone(shelf->key.database, shelf->key.tablespace, shelf->key.file))
			drop_shelf(shelf);
	LWLockRelease(pool_lock());
	dict_drop_orphans();
}

uint64
shelf_evict_relation(Relation relation)
{
	HASH_SEQ_STATUS all;
	Shelf	   *shelf;
	uint64		tablets = 0;

	if (shelf_directory == NULL)
		return 0;
	LWLockAcquire(pool_lock(), LW_EXCLUSIVE);
	hash_seq_init(&all, shelf_directory);
	while ((shelf = hash_seq_search(&all)) != NULL)
	{
		if (shelf->key.tablespace != compat_relation_tablespace(relation) || shelf->key.database != MyDatabaseId ||
			shelf->key.file != compat_relation_file(relation))
			continue;
		for (int t = 0; t < SHELF_TABLETS; t++)
			if (DsaPointerIsValid(shelf->tablet[t]))
			{
				shelf_replace(shelf, t, InvalidDsaPointer);
				tablets++;
			}
		if (pg_atomic_read_u32(&shelf->pins) == 0)
			drop_shelf(shelf);
	}
	LWLockRelease(pool_lock());
	dict_evict_relation(relation);
	return tablets;
}

/* Call `visit` for each column of a tablet. */
static void
show_tablet(Shelf *shelf, uint32 number, ShelfVisitor visit, void *arg)
{
	const CachedTablet *tablet = pool_address(shelf->tablet[number]);
	ShelfColumn shown = {
		.tablespace = shelf->key.tablespace, .database = shelf->key.database, .file = shelf->key.file,
		.first_block = tablet->notes.first, .nblocks = tablet->notes.nblocks,
		.nlost = block_set_count(&tablet->stamp.lost), .nrows = tablet->nrows,
		.hits = pg_atomic_read_u32(&shelf->hits[number]), .rebuilds = shelf->rebuilds[number], .unused = shelf->unused[number],
		.last_use = (TimestampTz) pg_atomic_read_u64(&shelf->last_use)
	};

	for (dsa_pointer c = tablet->columns; DsaPointerIsValid(c);)
	{
		const CachedColumn *column = pool_address(c);

		shown.key = column->key;
		shown.form = column->stored.type;
		shown.bytes = cached_column_bytes(column, tablet->nrows, coltype_bytes(column->stored.type));
		shown.raw_bytes = cached_column_bytes(column, tablet->nrows, column->stored.raw_bytes);
		visit(&shown, arg);
		c = column->next;
	}
}

void
shelf_visit(ShelfVisitor visit, void *arg)
{
	HASH_SEQ_STATUS all;
	Shelf	   *shelf;

	if (shelf_directory == NULL)
		return;
	LWLockAcquire(pool_lock(), LW_SHARED);
	hash_seq_init(&all, shelf_directory);
	while ((shelf = hash_seq_search(&all)) != NULL)
		for (int t = 0; t < SHELF_TABLETS; t++)
			if (DsaPointerIsValid(shelf->tablet[t]))
				show_tablet(shelf, t, visit, arg);
	LWLockRelease(pool_lock());
}

bool
shelf_may_be_told(Oid relation, AttrNumber attno)
{
	bool		missing = false;

	if (check_enable_rls(relation, InvalidOid, true) == RLS_ENABLED)
		return false;
	/* the relation may be dropped at this moment */
	if (pg_class_aclcheck_ext(relation, GetUserId(), ACL_SELECT, &missing) == ACLCHECK_OK)
		return true;
	return attno != 0 && pg_attribute_aclcheck_ext(relation, attno, GetUserId(), ACL_SELECT, &missing) == ACLCHECK_OK;
}
