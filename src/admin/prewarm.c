/*
 * prewarm.c
 *		gpudb.prewarm(): cache a relation's columns before a query needs them.
 *
 * The compiler determines the forms in which queries read an attribute: those
 * in which a scan would return it.
 */
#include "postgres.h"

#include "access/relation.h"
#include "access/sysattr.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rls.h"
#include "utils/snapmgr.h"

#include "compile/compile.h"
#include "core/numeric/decimal.h"
#include "exec/build/build_parallel.h"
#include "exec/run/node.h"
#include "exec/run/run_dicts.h"
#include "exec/run/stat.h"
#include "pg_compat.h"
#include "tablet/cache/pool.h"
#include "tablet/scan/tablet_scan.h"

extern PGDLLEXPORT Datum gpudb_prewarm(PG_FUNCTION_ARGS);

PG_FUNCTION_INFO_V1(gpudb_prewarm);

/* Maximum number of columns for an attribute: its value, and a display scale or bytes. */
#define MOST_FORMS		2

/* State of one gpudb.prewarm() call: the columns of a relation to be cached. */
typedef struct Wanted
{
	Relation	relation;
	Snapshot	snapshot;
	bool		named;			/* attributes were named, so failures are reported as warnings */
	Bitmapset  *attributes;
	int16	   *scales;			/* assumed scales of numerics without a declared scale, by attribute number */
} Wanted;

static void
warn(const Wanted *wanted, AttrNumber attno, const char *why)
{
	if (wanted->named)
		ereport(WARNING,
				(errmsg("column \"%s\" of relation \"%s\" cannot be cached", get_attname(RelationGetRelid(wanted->relation), attno, false),
						RelationGetRelationName(wanted->relation)),
				 errdetail_internal("%s", why)));
}

/* Set forms[] to the columns that are cached for an attribute and return their number; 0 if none can be. */
static int
forms_of(const Wanted *wanted, AttrNumber attno, ColumnWanted *forms)
{
	Form_pg_attribute attribute = TupleDescAttr(RelationGetDescr(wanted->relation), attno - 1);
	Var		   *var = makeVar(1, attno, attribute->atttypid, attribute->atttypmod, attribute->attcollation, 0);
	CompileInput input = {
		.varno = 1, .relation = RelationGetRelid(wanted->relation), .scales = wanted->scales,
		.dict_sizes = run_dicts_offer(wanted->relation, wanted->snapshot,
								 bms_make_singleton(attno - FirstLowInvalidHeapAttributeNumber), ROOM_FOR_ONE)
	};
	CompileRequest request = {.give_rows = true, .outputs = list_make1(var)};
	CompileResult *compiled = palloc0(sizeof(CompileResult));
	const ColumnWanted text = {.attno = attno};
	int			n = 0;

	compile_program(&input, &request, compiled);
	if (compiled->reason == NULL && compiled->gives_rows)
		for (n = 0; n < compiled->ncolumns; n++)
			forms[n] = column_wanted(&compiled->column[n]);
	/* the scan was not compiled to return texts of any length, but programs read them */
	if (n == 0 && dict_suit_type(attribute->atttypid))
		forms[n++] = text;
	/* a scan returns an interval from its bytes alone; aggregates also read its span */
	if (n == 1 && forms[0].second)
	{
		forms[n] = forms[0];
		forms[n++].second = false;
	}
	Assert(n <= MOST_FORMS);
	pfree(compiled);
	return n;
}

/*
 * Return true if the pool has room for an attribute's forms; an attribute without room would
 * prevent caching the relation.
 */
static bool
have_room(const Wanted *wanted, const ColumnWanted *forms, int n)
{
	for (int f = 0; f < n; f++)
		if (!tablet_texts_have_room(wanted->relation, &forms[f]))
			return false;
	return true;
}

/* Return all columns to be cached; attributes that cannot be cached are removed from the set. */
static ColumnWanted *
list_columns(Wanted *wanted, int *n)
{
	ColumnWanted *columns = palloc(sizeof(ColumnWanted) * MOST_FORMS * (bms_num_members(wanted->attributes) + 1));
	int			attno = -1;

	*n = 0;
	while ((attno = bms_next_member(wanted->attributes, attno)) >= 0)
	{
		const int	forms = forms_of(wanted, (AttrNumber) attno, columns + *n);

		if (forms > 0 && have_room(wanted, columns + *n, forms))
			*n += forms;
		else
		{
			warn(wanted, (AttrNumber) attno, forms == 0 ? "Values of its type are not cached." : "Its texts are too large a part of the pool.");
			wanted->attributes = bms_del_member(wanted->attributes, attno);
		}
	}
	return columns;
}

/*
 * After a failure: change the columns wanted so that another attempt may succeed; return false if
 * nothing can be changed.
 */
static bool
want_less(Wanted *wanted, const ColumnWanted *columns, const Built *done)
{
	AttrNumber	attno;

	if (done->column < 0)
		return false;
	attno = columns[done->column].attno;
	if (done->status == STATUS_SCALE_EXCEEDED && done->scale > wanted->scales[attno] && done->scale <= DECIMAL_MAX_DIGITS)
		wanted->scales[attno] = (int16) done->scale;
	else if (done->status == STATUS_CODES_EXCEEDED && columns[done->column].coded && !dict_likely(wanted->relation, attno))
	{
		/* the dictionary was given up: texts are cached as plain texts */
	}
	else
	{
		warn(wanted, attno, status_text(done->status));
		wanted->attributes = bms_del_member(wanted->attributes, attno);
	}
	return true;
}

/* Cache the columns wanted, in several attempts if needed; return the number of tablets added to the cache. */
static uint64
prewarm(Wanted *wanted)
{
	uint64		added = 0;

	for (;;)
	{
		Built		done;
		int			n;
		ColumnWanted *columns = list_columns(wanted, &n);

		if (n == 0)
			return added;
		if (!build_all_columns(&(BuildOrder) {.relation = wanted->relation, .snapshot = wanted->snapshot, .wanted = columns, .nwanted = n}, &done))
		{
			ereport(WARNING, (errmsg("nothing of relation \"%s\" can be cached now", RelationGetRelationName(wanted->relation))));
			return added;
		}
		added += done.added;
		if (done.status == STATUS_DONE || !want_less(wanted, columns, &done))
			return added;
		pfree(columns);
	}
}

/* Return the numbers of the named attributes, or of all; raises an error for names that do not exist. */
static Bitmapset *
attributes_named(Relation relation, ArrayType *names)
{
	Bitmapset  *attributes = NULL;
	Datum	   *name;
	bool	   *null;
	int			n;

	if (names == NULL)
	{
		for (int a = 1; a <= RelationGetNumberOfAttributes(relation); a++)
			if (!TupleDescAttr(RelationGetDescr(relation), a - 1)->attisdropped)
				attributes = bms_add_member(attributes, a);
		return attributes;
	}
	deconstruct_array(names, TEXTOID, -1, false, TYPALIGN_INT, &name, &null, &n);
	for (int i = 0; i < n; i++)
	{
		AttrNumber	attno;

		if (null[i])
			ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("column names must not be null")));
		attno = get_attnum(RelationGetRelid(relation), TextDatumGetCString(name[i]));
		if (attno <= 0)
			ereport(ERROR,
					(errcode(ERRCODE_UNDEFINED_COLUMN),
					 errmsg("column \"%s\" of relation \"%s\" does not exist", TextDatumGetCString(name[i]), RelationGetRelationName(relation))));
		attributes = bms_add_member(attributes, attno);
	}
	return attributes;
}

/* Raise an error if the user may not read the attributes. */
static void
check_privileges(Relation relation, const Bitmapset *attributes)
{
	Oid			oid = RelationGetRelid(relation);
	int			attno = -1;

	/* rows hidden by policies must not be read either, since failures would reveal something about them */
	if (check_enable_rls(oid, InvalidOid, true) == RLS_ENABLED && !compat_owns_relation(oid, GetUserId()))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("permission denied for table %s", RelationGetRelationName(relation)),
				 errdetail("Row-level security hides rows of it.")));
	if (pg_class_aclcheck(oid, GetUserId(), ACL_SELECT) == ACLCHECK_OK)
		return;
	while ((attno = bms_next_member(attributes, attno)) >= 0)
	{
		AclResult	result = pg_attribute_aclcheck(oid, (AttrNumber) attno, GetUserId(), ACL_SELECT);

		if (result != ACLCHECK_OK)
			aclcheck_error(result, get_relkind_objtype(relation->rd_rel->relkind), RelationGetRelationName(relation));
	}
}

/* gpudb.prewarm(relation regclass, columns text[]): return how many tablets were added to the cache or got columns. */
Datum
gpudb_prewarm(PG_FUNCTION_ARGS)
{
	Wanted		wanted = {.named = !PG_ARGISNULL(1)};
	uint64		added;
	char		kind;

	require_preloaded();
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	if (!pool_exists())
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE), errmsg("nothing is cached"),
				 errhint("Set gpudb.pool_size, and restart the server.")));
	wanted.relation = relation_open(PG_GETARG_OID(0), AccessShareLock);
	kind = wanted.relation->rd_rel->relkind;
	if (kind != RELKIND_RELATION && kind != RELKIND_MATVIEW)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE), errmsg("relation \"%s\" cannot be cached", RelationGetRelationName(wanted.relation)),
				 errdetail_relkind_not_supported(kind)));
	wanted.attributes = attributes_named(wanted.relation, wanted.named ? PG_GETARG_ARRAYTYPE_P(1) : NULL);
	check_privileges(wanted.relation, wanted.attributes);
	wanted.scales = palloc0(sizeof(int16) * (RelationGetNumberOfAttributes(wanted.relation) + 1));
	wanted.snapshot = RegisterSnapshot(GetActiveSnapshot());
	added = prewarm(&wanted);
	UnregisterSnapshot(wanted.snapshot);
	relation_close(wanted.relation, AccessShareLock);
	PG_RETURN_INT64((int64) added);
}
