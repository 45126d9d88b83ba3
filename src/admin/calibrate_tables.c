/*
 * calibrate_tables.c
 *		Creates the tables of gpudb.calibrate(): all-visible, in shared_buffers in order, and in no processor cache.
 */
#include "postgres.h"

#include "access/heapam.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "storage/bufmgr.h"
#include "utils/builtins.h"
#include "utils/numeric.h"
#include "utils/rel.h"

#include "admin/calibrate_query.h"
#include "admin/calibrate_tables.h"
#include "device/memory_rates.h"
#include "pg_compat.h"
#include "plan/cost.h"

/*
 * Sizes of the tables.  They are a part of shared_buffers, so that scans leave
 * them there; and passes are short and many, so that some of them meet an idle
 * machine.
 */
#define LARGE_PAGES 6000
#define PAGE_ROWS	60
#define NARROW_PAGE_ROWS 226
#define TINY_ROWS	1000
#define BATCH		1000

static Relation
open_table(const char *name, LOCKMODE lock)
{
	return table_openrv(makeRangeVar(pstrdup(query_schema()), pstrdup(name), -1), lock);
}

/*
 * Insert rows that every transaction sees, as after VACUUM, so that pages are
 * as in a table that is not being changed.
 */
static void
fill(const char *name, int nrows)
{
	Relation	relation = open_table(name, RowExclusiveLock);
	BulkInsertState state = GetBulkInsertState();
	TupleTableSlot *slot[BATCH];
	Datum		text = CStringGetTextDatum(TEXT_VALUE);
	int			natts = RelationGetDescr(relation)->natts;

	for (int i = 0; i < BATCH; i++)
		slot[i] = MakeSingleTupleTableSlot(RelationGetDescr(relation), &TTSOpsVirtual);
	for (int row = 0; row < nrows;)
	{
		int			n = 0;

		CHECK_FOR_INTERRUPTS();
		for (; n < BATCH && row < nrows; n++, row++)
		{
			Datum		number = NumericGetDatum(int64_div_fast_to_numeric(row * INT64CONST(7), 2));
			Datum		value[] = {
				Int32GetDatum(row), Int32GetDatum(row % NEAR_GROUPS), Int64GetDatum((int64) row * 7), Float8GetDatum(row / 8.0),
				Int32GetDatum(row % 77), Int32GetDatum(-row), number, text, number, number, Int32GetDatum(row)
			};

			ExecClearTuple(slot[n]);
			memset(slot[n]->tts_isnull, 0, natts * sizeof(bool));
			memcpy(slot[n]->tts_values, value, natts * sizeof(Datum));
			ExecStoreVirtualTuple(slot[n]);
		}
		table_multi_insert(relation, slot, n, GetCurrentCommandId(true), TABLE_INSERT_SKIP_FSM | TABLE_INSERT_FROZEN, state);
	}
	for (int i = 0; i < BATCH; i++)
		ExecDropSingleTupleTableSlot(slot[i]);
	FreeBulkInsertState(state);
	table_finish_bulk_insert(relation, TABLE_INSERT_SKIP_FSM | TABLE_INSERT_FROZEN);
	table_close(relation, NoLock);
	CommandCounterIncrement();
}

/* Evict a table's pages from shared_buffers and read them again, the last one first. */
static void
read_backwards(Relation relation)
{
	BlockNumber block = RelationGetNumberOfBlocks(relation);

	FlushRelationBuffers(relation);
	compat_drop_buffers(relation);
	while (block > 0)
		ReleaseBuffer(ReadBuffer(relation, --block));
}

/*
 * Place a table's pages in shared_buffers one behind the other, whatever was
 * there before: how fast they are read depends on it.  Freed buffers are
 * reused the last ones first, so the last page is read first; once, so that
 * the free buffers are the table's own, and again.  Returns the number of
 * pages.
 */
static double
line_up(const char *name)
{
	Relation	relation = open_table(name, AccessExclusiveLock);
	const double pages = RelationGetNumberOfBlocks(relation);

	read_backwards(relation);
	read_backwards(relation);
	table_close(relation, NoLock);
	return pages;
}

/* Create a table of `nrows` rows, and return its number of pages. */
static double
make_table(const char *name, double nrows, const char *more_columns)
{
	query_execute(psprintf("CREATE UNLOGGED TABLE @schema@.%s (k int, v int%s) "
						   "WITH (autovacuum_enabled = off, parallel_workers = " FEEDERS ")", name, more_columns));
	fill(name, (int) nrows);
	query_execute(psprintf("ANALYZE @schema@.%s", name));
	return line_up(name);
}

void
tables_make(CalibrationTables *t)
{
	const char *more = ", w bigint, f double precision, x int, y int, n numeric(12,2), t pg_catalog.text COLLATE pg_catalog.\"C\", "
		"n2 numeric(12,2), n3 numeric(12,2), z int";
	const double pages = Min(LARGE_PAGES, NBuffers / 6);

	query_make_schema();
	t->large_rows = PAGE_ROWS * pages;
	t->large_pages = make_table("calibration_large", t->large_rows, more);
	t->narrow_rows = NARROW_PAGE_ROWS * pages / 2;
	t->narrow_pages = make_table("calibration_narrow", t->narrow_rows, "");
	t->small_rows = t->large_rows / 9;
	t->small_pages = make_table("calibration_small", t->small_rows, more);
	(void) make_table("calibration_tiny", TINY_ROWS, more);
}

static void
flush_table(const char *name)
{
	Relation	relation = open_table(name, AccessShareLock);
	const BlockNumber blocks = RelationGetNumberOfBlocks(relation);

	for (BlockNumber block = 0; block < blocks; block++)
	{
		Buffer		buffer = ReadBuffer(relation, block);

		memory_flush(BufferGetPage(buffer), BLCKSZ);
		ReleaseBuffer(buffer);
	}
	table_close(relation, NoLock);
}

void
tables_flush(void)
{
	flush_table("calibration_large");
	flush_table("calibration_narrow");
	flush_table("calibration_small");
}
