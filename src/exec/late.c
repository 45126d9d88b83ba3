/*
 * late.c
 *		Late materialization: columns of groups that are read from their rows when a group is returned.
 *
 * A row is found through the index of its table's primary key, under the
 * query's snapshot.  It must exist, since the group was computed from it.  Where
 * an outer join has found no row the keys are NULL, and so are the
 * late-materialized columns.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/stratnum.h"
#include "access/tableam.h"
#include "executor/executor.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"

#include "pg_compat.h"
#include "exec/late.h"

/* The late-materialized columns of one table. */
typedef struct LateTable
{
	int			first;			/* place of the first column in the scan slot */
	int			ncolumns;
	AttrNumber *attno;
	Oid			index_oid;
	int			nkeys;
	int		   *place;			/* places of the index's columns in the scan slot */

	/* fields below are set when the first row is read */
	Relation	index;			/* NULL until then */
	IndexScanDesc scan;
	ScanKey		keys;
	TupleTableSlot *row;
	Relation	heap;
} LateTable;

struct Late
{
	EState	   *estate;
	int			ntables;
	LateTable	table[FLEXIBLE_ARRAY_MEMBER];
};

static Var *
late_var(const List *scan_tlist, int entry)
{
	return castNode(Var, list_nth_node(TargetEntry, scan_tlist, entry)->expr);
}

Late *
late_begin(GpuNode *node, const List *plan, int first)
{
	EState	   *estate = node->css.ss.ps.state;
	Late	   *late;
	ListCell   *lc;

	if (plan == NIL)
		return NULL;
	late = palloc0(offsetof(Late, table) + sizeof(LateTable) * list_length(plan));
	late->estate = estate;
	foreach(lc, plan)
	{
		LateTable  *table = &late->table[late->ntables++];
		List	   *places = lthird(lfirst(lc));
		ListCell   *place;

		table->first = first;
		table->ncolumns = linitial_int(linitial(lfirst(lc)));
		table->attno = palloc(sizeof(AttrNumber) * table->ncolumns);
		for (int i = 0; i < table->ncolumns; i++)
			table->attno[i] = late_var(node->scan_tlist, first + i)->varattno;
		table->heap = ExecGetRangeTableRelation(estate, late_var(node->scan_tlist, first)->varno);
		table->index_oid = linitial_oid(lsecond(lfirst(lc)));
		table->nkeys = list_length(places);
		table->place = palloc(sizeof(int) * table->nkeys);
		foreach(place, places)
			table->place[foreach_current_index(place)] = lfirst_int(place);
		first += table->ncolumns;
	}
	return late;
}

bool
late_is_seen(const Late *late, const List *qual)
{
	const LateTable *last = &late->table[late->ntables - 1];
	Bitmapset  *attributes = NULL;
	bool		seen = false;

	pull_varattnos((Node *) qual, INDEX_VAR, &attributes);
	for (int entry = late->table[0].first; entry < last->first + last->ncolumns; entry++)
		seen |= bms_is_member(entry + 1 - FirstLowInvalidHeapAttributeNumber, attributes);
	return seen;
}

static void
open_table(LateTable *table, EState *estate)
{
	MemoryContext old = MemoryContextSwitchTo(estate->es_query_cxt);

	table->index = index_open(table->index_oid, AccessShareLock);
	table->keys = palloc0(sizeof(ScanKeyData) * table->nkeys);
	for (int k = 0; k < table->nkeys; k++)
	{
		const Oid	family = table->index->rd_opfamily[k];
		const Oid	type = table->index->rd_opcintype[k];
		const Oid	equal = get_opfamily_member(family, type, type, BTEqualStrategyNumber);

		ScanKeyEntryInitialize(&table->keys[k], 0, k + 1, BTEqualStrategyNumber, InvalidOid, table->index->rd_indcollation[k],
							   get_opcode(equal), (Datum) 0);
	}
	table->scan = compat_index_beginscan(table->heap, table->index, estate->es_snapshot, table->nkeys);
	table->row = table_slot_create(table->heap, NULL);
	MemoryContextSwitchTo(old);
}

static void
read_row(LateTable *table, EState *estate, TupleTableSlot *slot)
{
	for (int k = 0; k < table->nkeys; k++)
		if (slot->tts_isnull[table->place[k]])
			return;
	if (table->index == NULL)
		open_table(table, estate);
	for (int k = 0; k < table->nkeys; k++)
		table->keys[k].sk_argument = slot->tts_values[table->place[k]];
	index_rescan(table->scan, table->keys, table->nkeys, NULL, 0);
	if (!index_getnext_slot(table->scan, ForwardScanDirection, table->row))
		ereport(ERROR, (errcode(ERRCODE_INDEX_CORRUPTED),
						errmsg("index \"%s\" lacks a row of table \"%s\"", RelationGetRelationName(table->index),
							   RelationGetRelationName(table->heap)),
						errhint("Please REINDEX it.")));
	for (int i = 0; i < table->ncolumns; i++)
		slot->tts_values[table->first + i] = slot_getattr(table->row, table->attno[i], &slot->tts_isnull[table->first + i]);
}

void
late_read(Late *late, TupleTableSlot *slot)
{
	for (int t = 0; t < late->ntables; t++)
		read_row(&late->table[t], late->estate, slot);
}

void
late_end(Late *late)
{
	for (int t = 0; late != NULL && t < late->ntables; t++)
	{
		LateTable  *table = &late->table[t];

		if (table->index == NULL)
			continue;
		ExecDropSingleTupleTableSlot(table->row);
		index_endscan(table->scan);
		index_close(table->index, NoLock);
	}
}

List *
late_columns(const Late *late, const List *scan_tlist)
{
	List	   *columns = NIL;

	for (int t = 0; late != NULL && t < late->ntables; t++)
		for (int i = 0; i < late->table[t].ncolumns; i++)
			columns = lappend(columns, late_var(scan_tlist, late->table[t].first + i));
	return columns;
}
