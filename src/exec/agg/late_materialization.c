/*
 * late_materialization.c
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
#include "exec/agg/late_materialization.h"

/* The late-materialized columns of one table. */
typedef struct LateMaterializationTable
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
} LateMaterializationTable;

struct LateMaterialization
{
	EState	   *estate;
	int			ntables;
	LateMaterializationTable table[FLEXIBLE_ARRAY_MEMBER];
};

static Var *
late_materialization_var(const List *scan_tlist, int entry)
{
	return castNode(Var, list_nth_node(TargetEntry, scan_tlist, entry)->expr);
}

LateMaterialization *
late_materialization_begin(GpuNode *node, const List *plan, int first)
{
	EState	   *estate = node->css.ss.ps.state;
	LateMaterialization *late_materialization;
	ListCell   *lc;

	if (plan == NIL)
		return NULL;
	late_materialization = palloc0(offsetof(LateMaterialization, table) + sizeof(LateMaterializationTable) * list_length(plan));
	late_materialization->estate = estate;
	foreach(lc, plan)
	{
		LateMaterializationTable *table = &late_materialization->table[late_materialization->ntables++];
		List	   *places = lthird(lfirst(lc));
		ListCell   *place;

		table->first = first;
		table->ncolumns = linitial_int(linitial(lfirst(lc)));
		table->attno = palloc(sizeof(AttrNumber) * table->ncolumns);
		for (int i = 0; i < table->ncolumns; i++)
			table->attno[i] = late_materialization_var(node->scan_tlist, first + i)->varattno;
		table->heap = ExecGetRangeTableRelation(estate, late_materialization_var(node->scan_tlist, first)->varno);
		table->index_oid = linitial_oid(lsecond(lfirst(lc)));
		table->nkeys = list_length(places);
		table->place = palloc(sizeof(int) * table->nkeys);
		foreach(place, places)
			table->place[foreach_current_index(place)] = lfirst_int(place);
		first += table->ncolumns;
	}
	return late_materialization;
}

bool
late_materialization_is_seen(const LateMaterialization *late_materialization, const List *qual)
{
	const LateMaterializationTable *last = &late_materialization->table[late_materialization->ntables - 1];
	Bitmapset  *attributes = NULL;
	bool		seen = false;

	pull_varattnos((Node *) qual, INDEX_VAR, &attributes);
	for (int entry = late_materialization->table[0].first; entry < last->first + last->ncolumns; entry++)
		seen |= bms_is_member(entry + 1 - FirstLowInvalidHeapAttributeNumber, attributes);
	return seen;
}

static void
open_table(LateMaterializationTable *table, EState *estate)
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
read_row(LateMaterializationTable *table, EState *estate, TupleTableSlot *slot)
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
late_materialization_read(LateMaterialization *late_materialization, TupleTableSlot *slot)
{
	for (int t = 0; t < late_materialization->ntables; t++)
		read_row(&late_materialization->table[t], late_materialization->estate, slot);
}

void
late_materialization_end(LateMaterialization *late_materialization)
{
	for (int t = 0; late_materialization != NULL && t < late_materialization->ntables; t++)
	{
		LateMaterializationTable *table = &late_materialization->table[t];

		if (table->index == NULL)
			continue;
		ExecDropSingleTupleTableSlot(table->row);
		index_endscan(table->scan);
		index_close(table->index, NoLock);
	}
}

List *
late_materialization_columns(const LateMaterialization *late_materialization, const List *scan_tlist)
{
	List	   *columns = NIL;

	for (int t = 0; late_materialization != NULL && t < late_materialization->ntables; t++)
		for (int i = 0; i < late_materialization->table[t].ncolumns; i++)
			columns = lappend(columns, late_materialization_var(scan_tlist, late_materialization->table[t].first + i));
	return columns;
}
