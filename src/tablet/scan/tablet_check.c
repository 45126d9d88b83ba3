/*
 * tablet_check.c
 *		Comparison of cached tablets with the heap: each is compared, as a query would use it, with what its pages are
 *		turned into now.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "nodes/pg_list.h"

#include "pg_compat.h"
#include "tablet/scan/tablet_check.h"
#include "tablet/scan/tablet_read.h"
#include "tablet/scan/tablet_scan_private.h"

/* Keys of a relation's cached columns. */
typedef struct KeysFound
{
	Oid			tablespace;
	Oid			file;
	List	   *keys;			/* ColumnKey */
} KeysFound;

/* Check of one column, in progress. */
typedef struct Checker
{
	TabletReading *reading;
	const ScanTablet *tablet;	/* current tablet */
	uint32		first_row[TABLET_BLOCKS];	/* first row of each block of the tablet */
	TabletCheck found;
} Checker;

static void
note_key(const ShelfColumn *column, void *arg)
{
	KeysFound  *found = arg;
	ColumnKey  *key;
	ListCell   *lc;

	if (column->tablespace != found->tablespace || column->database != MyDatabaseId || column->file != found->file)
		return;
	foreach(lc, found->keys)
		if (column_key_equal(lfirst(lc), &column->key))
			return;
	key = palloc(sizeof(ColumnKey));
	*key = column->key;
	found->keys = lappend(found->keys, key);
}

/* Values */

static Wide
integer_at(const Tablet *tablet, uint32 row)
{
	const TabletColumn *column = &tablet->column[0];
	const uint8 *value = tablet_at(tablet, column->values) + (Size) coltype_bytes(column->type) * row;
	const ForEncoding encoding = for_encoding_of(column);
	int64		integer;

	if (encoding.type == COLTYPE_I128)
		return wide_load((const uint64 *) value);
	for_unpack(&encoding, value, 1, &integer);
	return integer;
}

static const uint8 *
text_at(const Tablet *tablet, uint32 row, uint32 *length)
{
	const TabletColumn *column = &tablet->column[0];
	const uint64 ref = ((const uint64 *) tablet_at(tablet, column->values))[row];

	*length = TEXT_LENGTH(ref);
	return tablet_at(tablet, tablet->var + column->base) + TEXT_OFFSET(ref);
}

static bool
same_text(const Tablet *a, uint32 a_row, const Tablet *b, uint32 b_row)
{
	uint32		a_length;
	uint32		b_length;
	const uint8 *a_bytes = text_at(a, a_row, &a_length);
	const uint8 *b_bytes = text_at(b, b_row, &b_length);

	return a_length == b_length && memcmp(a_bytes, b_bytes, a_length) == 0;
}

static bool
same_value(const Tablet *a, uint32 a_row, const Tablet *b, uint32 b_row)
{
	const TabletColumn *column = &a->column[0];
	const uint32 bytes = coltype_bytes(column->type);
	const TabletColumn *other = &b->column[0];
	const bool	null = tablet_is_null(a, column, a_row);
	const bool	other_null = tablet_is_null(b, other, b_row);

	if (null || other_null)
		return null == other_null;
	if (coltype_integer(column->type))
		return coltype_integer(other->type) && integer_at(a, a_row) == integer_at(b, b_row);
	if (column->type == COLTYPE_TEXT && other->type == COLTYPE_TEXT)
		return same_text(a, a_row, b, b_row);
	return column->type == other->type &&
		memcmp(tablet_at(a, column->values) + (Size) a_row * bytes, tablet_at(b, other->values) + (Size) b_row * bytes, bytes) == 0;
}

/* Comparing */

/* Compare a block's n rows, which begin at page_batch_row in the page batch. */
static void
compare_block(Checker *c, uint32 block, const Tablet *page_batch, uint32 page_batch_row, uint32 n)
{
	const uint32 ncached = c->tablet->notes->pages->ntuples[block];
	const uint32 both = Min(n, ncached);

	c->found.blocks++;
	c->found.rows += n;
	c->found.differences += Max(n, ncached) - both;
	for (uint32 i = 0; i < both; i++)
		c->found.differences += !same_value(page_batch, page_batch_row + i, c->tablet->cached, c->first_row[block] + i);
}

/* Compare the blocks of a page batch that are left to compare. */
static void
compare_page_batch(Checker *c, BlockSet *left)
{
	const PageBatch *page_batch = c->reading->page_batch;
	DeviceStatus status;
	const Tablet *values = tablet_read_columns(c->reading, &status);
	uint32		row = 0;

	for (uint32 p = 0; p < page_batch->list.npages; p++)
	{
		const uint32 block = page_batch->block[p] - c->tablet->notes->first;

		if (block_set_has(left, block))
		{
			if (status == STATUS_DONE)
				compare_block(c, block, values, row, page_batch->list.ntuples[p]);
			block_set_remove(left, block);
		}
		row += page_batch->list.ntuples[p];
	}
}

static void
check_tablet(Checker *c, uint32 number)
{
	TabletReading *reading = c->reading;
	const BlockNotes *notes;
	BlockSet	left;
	uint32		row = 0;

	c->tablet = &reading->scan->tablets[number];
	notes = c->tablet->notes;
	left = c->tablet->seen->usable;
	for (uint32 block = 0; block < notes->nblocks; block++)
	{
		c->first_row[block] = row;
		row += notes->pages->ntuples[block];
	}
	c->found.tablets++;
	reading->source.next = number * TABLET_BLOCKS;
	reading->source.end = reading->source.next + blocks_of_tablet(reading->scan, number);
	while (page_source_next(&reading->source, reading->page_batch))
	{
		compare_page_batch(c, &left);
		page_batch_release(reading->page_batch);
		CHECK_FOR_INTERRUPTS();
	}
	/* blocks without rows are in no page batch */
	for (uint32 block = 0; block < notes->nblocks; block++)
		if (block_set_has(&left, block))
			compare_block(c, block, NULL, 0, 0);
}

/* Compare one column; return false if nothing of it can be used. */
static bool
check_column(Relation relation, Snapshot snapshot, const ColumnKey *key, TabletCheck *found)
{
	const ColumnWanted wanted = {.attno = key->attno, .second = key->second, .packed = key->packed, .coded = key->dict_number != 0, .scale = key->scale};
	Checker    *c = palloc0(sizeof(Checker));
	TabletScan *scan;

	c->found.attno = key->attno;
	c->reading = tablet_read_open(relation, snapshot, &wanted, 1);
	scan = c->reading->scan;
	/* an attribute of the same number before, in a transaction that was rolled back, has another key */
	if (scan != NULL && column_key_equal(&scan->columns.key[0], key))
		for (uint32 t = 0; t < scan->ntablets; t++)
			if (scan->tablets[t].cached != NULL)
				check_tablet(c, t);
	tablet_read_close(c->reading);
	*found = c->found;
	pfree(c);
	return found->tablets > 0;
}

void
tablet_check(Relation relation, Snapshot snapshot, TabletCheckReport report, void *arg)
{
	KeysFound	found = {compat_relation_tablespace(relation), compat_relation_file(relation), NIL};
	TabletCheck check;
	ListCell   *lc;

	shelf_visit(note_key, &found);
	foreach(lc, found.keys)
	{
		const ColumnKey *key = lfirst(lc);

		/* an attribute that was rolled back has left its columns behind */
		if (key->attno <= RelationGetNumberOfAttributes(relation) &&
			!TupleDescAttr(RelationGetDescr(relation), key->attno - 1)->attisdropped &&
			check_column(relation, snapshot, key, &check))
			report(&check, arg);
	}
	list_free_deep(found.keys);
}
