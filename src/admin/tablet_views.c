/*
 * tablet_views.c
 *		Functions behind the views gpudb.tablets, gpudb.cache, gpudb.dictionaries, gpudb.admission and
 *		gpudb.progress, and functions that check and evict cached tablets.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/relation.h"
#include "catalog/pg_attribute.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

#include "exec/run/stat.h"
#include "pg_compat.h"
#include "tablet/cache/dict.h"
#include "tablet/cache/pool.h"
#include "tablet/cache/progress.h"
#include "tablet/cache/shelf.h"
#include "tablet/scan/admission.h"
#include "tablet/scan/tablet_check.h"

extern PGDLLEXPORT Datum gpudb_tablets(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum gpudb_dictionaries(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum gpudb_admission(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum gpudb_progress(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum gpudb_check(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum gpudb_evict(PG_FUNCTION_ARGS);

PG_FUNCTION_INFO_V1(gpudb_tablets);
PG_FUNCTION_INFO_V1(gpudb_dictionaries);
PG_FUNCTION_INFO_V1(gpudb_admission);
PG_FUNCTION_INFO_V1(gpudb_progress);
PG_FUNCTION_INFO_V1(gpudb_check);
PG_FUNCTION_INFO_V1(gpudb_evict);

/* Return the name of a column, palloc'd; NULL if the relation or the column is gone. */
static char *
name_of_column(Oid relation, AttrNumber attno)
{
	HeapTuple	tuple = OidIsValid(relation) ? SearchSysCacheAttNum(relation, attno) : NULL;
	char	   *name;

	if (!HeapTupleIsValid(tuple))
		return NULL;
	name = pstrdup(NameStr(((Form_pg_attribute) GETSTRUCT(tuple))->attname));
	ReleaseSysCache(tuple);
	return name;
}

/* Copy of the descriptions of cached columns: names are looked up later, without the pool's lock. */
typedef struct Seen
{
	int			n;
	int			room;
	ShelfColumn *column;
} Seen;

static void
see(const ShelfColumn *column, void *arg)
{
	Seen	   *seen = arg;

	if (column->database != MyDatabaseId)
		return;
	if (seen->n == seen->room)
	{
		seen->room *= 2;
		seen->column = repalloc_huge(seen->column, seen->room * sizeof(ShelfColumn));
	}
	seen->column[seen->n++] = *column;
}

/* Return the name, as in coltype.def, of the form in which a column's values are stored. */
static const char *
form_name(ColType form)
{
	switch (form)
	{
#define COLTYPE(name, bytes, meaning) case COLTYPE_##name: return #name;
#include "core/tablet/coltype.def"
#undef COLTYPE
		case COLTYPE_Count:
			break;
	}
	return "";
}

/*
 * gpudb.tablets(): return relation, column_name, first_block, blocks, blocks_lost, rows, form, bytes, bytes_raw,
 * hits, rebuilds, unused, last_use.
 */
Datum
gpudb_tablets(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	Seen		seen = {.room = 64};

	require_preloaded();
	InitMaterializedSRF(fcinfo, 0);
	seen.column = palloc(seen.room * sizeof(ShelfColumn));
	shelf_visit(see, &seen);
	for (int i = 0; i < seen.n; i++)
	{
		const ShelfColumn *c = &seen.column[i];
		Oid			relation = compat_relation_of_file(c->tablespace, c->file);
		char	   *name = name_of_column(relation, c->key.attno);

		/* dropped by now, or hidden from this user */
		if (name == NULL || !shelf_may_be_told(relation, c->key.attno))
			continue;
		{
			Datum		values[] = {
				ObjectIdGetDatum(relation), CStringGetTextDatum(name), Int64GetDatum((int64) c->first_block), Int32GetDatum((int32) c->nblocks),
				Int32GetDatum((int32) c->nlost), Int32GetDatum((int32) c->nrows), CStringGetTextDatum(form_name(c->form)),
				Int64GetDatum((int64) c->bytes), Int64GetDatum((int64) c->raw_bytes), Int64GetDatum((int64) c->hits),
				Int64GetDatum((int64) c->rebuilds), Int64GetDatum((int64) c->unused), TimestampTzGetDatum(c->last_use)
			};
			bool		nulls[lengthof(values)] = {false};

			tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
		}
	}
	return (Datum) 0;
}

/* Copy of the descriptions of dictionaries. */
typedef struct SeenDicts
{
	int			n;
	int			room;
	DictShown *shown;
} SeenDicts;

static void
see_dicts(const DictShown *shown, void *arg)
{
	SeenDicts  *seen = arg;

	if (shown->database != MyDatabaseId)
		return;
	if (seen->n == seen->room)
	{
		seen->room *= 2;
		seen->shown = repalloc(seen->shown, seen->room * sizeof(DictShown));
	}
	seen->shown[seen->n++] = *shown;
}

/* gpudb.dictionaries(): return relation, column_name, entries, bytes, refused. */
Datum
gpudb_dictionaries(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	SeenDicts	seen = {.room = 64};

	require_preloaded();
	InitMaterializedSRF(fcinfo, 0);
	seen.shown = palloc(seen.room * sizeof(DictShown));
	dict_visit(see_dicts, &seen);
	for (int i = 0; i < seen.n; i++)
	{
		const DictShown *c = &seen.shown[i];
		Oid			relation = compat_relation_of_file(c->tablespace, c->file);
		char	   *name = name_of_column(relation, c->attno);

		/* dropped by now, or hidden from this user */
		if (name == NULL || !shelf_may_be_told(relation, c->attno))
			continue;
		{
			Datum		values[] = {
				ObjectIdGetDatum(relation), CStringGetTextDatum(name), Int32GetDatum((int32) c->nvalues), Int64GetDatum((int64) c->bytes),
				BoolGetDatum(c->refused)
			};
			bool		nulls[lengthof(values)] = {false};

			tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
		}
	}
	return (Datum) 0;
}

/* Open a relation with AccessShareLock; raises an error if the user does not own it. */
static Relation
open_own(Oid oid)
{
	Relation	relation;

	require_preloaded();
	relation = relation_open(oid, AccessShareLock);
	if (!compat_owns_relation(oid, GetUserId()))
		aclcheck_error(ACLCHECK_NOT_OWNER, get_relkind_objtype(relation->rd_rel->relkind), RelationGetRelationName(relation));
	return relation;
}

typedef struct CheckRows
{
	ReturnSetInfo *result;
	Relation	relation;
} CheckRows;

static void
put_check(const TabletCheck *check, void *arg)
{
	const CheckRows *rows = arg;
	Form_pg_attribute attribute = TupleDescAttr(RelationGetDescr(rows->relation), check->attno - 1);
	Datum		values[] = {
		CStringGetTextDatum(NameStr(attribute->attname)), Int64GetDatum((int64) check->tablets), Int64GetDatum((int64) check->blocks),
		Int64GetDatum((int64) check->rows), Int64GetDatum((int64) check->differences)
	};
	bool		nulls[lengthof(values)] = {false};

	tuplestore_putvalues(rows->result->setResult, rows->result->setDesc, values, nulls);
}

/* gpudb.progress(): return pid, relation, tablets_done, tablets, began. */
Datum
gpudb_progress(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;

	require_preloaded();
	InitMaterializedSRF(fcinfo, 0);
	for (int place = 0; place < PROGRESS_PLACES && pool_exists(); place++)
	{
		const Progress progress = progress_at(place);
		Datum		values[] = {
			Int32GetDatum(progress.pid), ObjectIdGetDatum(progress.relation), Int64GetDatum(progress.ndone),
			Int64GetDatum(progress.ntablets), TimestampTzGetDatum(progress.began)
		};
		bool		nulls[lengthof(values)] = {false};

		if (progress.pid != 0 && progress.database == MyDatabaseId && shelf_may_be_told(progress.relation, 0))
			tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	}
	return (Datum) 0;
}

/* Names of the states of accounts in gpudb.admission. */
static const char *const state_names[] = {
	[ADMISSION_NONE] = "", [ADMISSION_OPEN] = "wanted", [ADMISSION_WAITS] = "waits", [ADMISSION_TAKEN] = "being built", [ADMISSION_ENDED] = "built"
};

/* Return the names of an account's columns, each once, as an array. */
static Datum
column_names(const AdmissionShown *shown)
{
	Datum		names[ADMISSION_COLUMNS];
	Bitmapset  *seen = NULL;
	int			n = 0;

	for (int c = 0; c < shown->ncolumns; c++)
	{
		char	   *name = bms_is_member(shown->attno[c], seen) ? NULL : name_of_column(shown->relation, shown->attno[c]);

		seen = bms_add_member(seen, shown->attno[c]);
		if (name != NULL)
			names[n++] = CStringGetTextDatum(name);
	}
	return PointerGetDatum(construct_array(names, n, TEXTOID, -1, false, TYPALIGN_INT));
}

/* gpudb.admission(): return relation, columns, state, lost_ms, price_ms, builds, since. */
Datum
gpudb_admission(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	AdmissionShown shown;

	require_preloaded();
	InitMaterializedSRF(fcinfo, 0);
	for (int place = 0; place < ADMISSION_ACCOUNTS; place++)
	{
		/* lost_ms reveals how many rows the relation has */
		if (!admission_show(place, &shown) || shown.database != MyDatabaseId || !shelf_may_be_told(shown.relation, 0))
			continue;
		{
			Datum		values[] = {
				ObjectIdGetDatum(shown.relation), column_names(&shown), CStringGetTextDatum(state_names[shown.state]), Float8GetDatum(shown.lost),
				Float8GetDatum(shown.price), Int32GetDatum(shown.builds), TimestampTzGetDatum(shown.since)
			};
			bool		nulls[lengthof(values)] = {false};

			tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
		}
	}
	return (Datum) 0;
}

/*
 * gpudb.check(relation regclass): return column_name, tablets, blocks, rows, differences; only for
 * the relation's owner.
 */
Datum
gpudb_check(PG_FUNCTION_ARGS)
{
	CheckRows	rows = {(ReturnSetInfo *) fcinfo->resultinfo, open_own(PG_GETARG_OID(0))};
	Snapshot	snapshot = RegisterSnapshot(GetActiveSnapshot());

	InitMaterializedSRF(fcinfo, 0);
	tablet_check(rows.relation, snapshot, put_check, &rows);
	UnregisterSnapshot(snapshot);
	relation_close(rows.relation, AccessShareLock);
	return (Datum) 0;
}

/* gpudb.evict(relation regclass): evict its tablets and return how many there were; only for the relation's owner. */
Datum
gpudb_evict(PG_FUNCTION_ARGS)
{
	Relation	relation = open_own(PG_GETARG_OID(0));
	uint64		tablets;

	tablets = shelf_evict_relation(relation);
	relation_close(relation, AccessShareLock);
	PG_RETURN_INT64((int64) tablets);
}
