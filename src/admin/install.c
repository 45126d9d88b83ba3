/*
 * install.c
 *		Checks the schema when CREATE EXTENSION runs, before it creates anything.
 *
 * PostgreSQL uses an existing schema of that name, whoever owns it.  The owner
 * could drop or replace the extension's objects, and objects that existed
 * before would stand beside functions that superusers call.  Therefore the
 * schema must belong to a superuser, be empty, and be closed to others.  DROP
 * EXTENSION leaves an empty schema behind, and pg_dump creates one before it
 * creates the extension.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/dependency.h"
#include "catalog/indexing.h"
#include "catalog/pg_depend.h"
#include "catalog/pg_extension.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_proc.h"
#include "commands/extension.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "exec/run/stat.h"

extern PGDLLEXPORT Datum gpudb_check_installation(PG_FUNCTION_ARGS);

PG_FUNCTION_INFO_V1(gpudb_check_installation);

/* Return true if an object belongs to the extension that is being created, or is that extension. */
static bool
is_part(Oid class, Oid object)
{
	return class == ExtensionRelationId ? object == CurrentExtensionObject : getExtensionOfObject(class, object) == CurrentExtensionObject;
}

/* Return a description of an object that was in the schema before; NULL if there is none. */
static char *
find_stranger(Oid schema)
{
	Relation	relation = table_open(DependRelationId, AccessShareLock);
	char	   *found = NULL;
	ScanKeyData key[2];
	SysScanDesc scan;
	HeapTuple	tuple;

	ScanKeyInit(&key[0], Anum_pg_depend_refclassid, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(NamespaceRelationId));
	ScanKeyInit(&key[1], Anum_pg_depend_refobjid, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(schema));
	scan = systable_beginscan(relation, DependReferenceIndexId, true, NULL, 2, key);
	while (found == NULL && HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		const FormData_pg_depend *depend = (Form_pg_depend) GETSTRUCT(tuple);

		if (!is_part(depend->classid, depend->objid))
			found = getObjectDescription(&(ObjectAddress) {depend->classid, depend->objid, depend->objsubid}, true);
	}
	systable_endscan(scan);
	table_close(relation, AccessShareLock);
	return found;
}

/*
 * Return true if a role that is no superuser may create objects in the schema,
 * and set *who to it, or to ACL_ID_PUBLIC.
 */
static bool
is_open_to(Form_pg_namespace schema, const Acl *acl, Oid *who)
{
	for (int i = 0; acl != NULL && i < ACL_NUM(acl); i++)
	{
		const AclItem *item = &ACL_DAT(acl)[i];

		*who = item->ai_grantee;
		if ((ACLITEM_GET_PRIVS(*item) & ACL_CREATE) != 0 && *who != schema->nspowner && (*who == ACL_ID_PUBLIC || !superuser_arg(*who)))
			return true;
	}
	return false;
}

/* Return a sentence that says why the schema cannot be used for the extension; NULL if it can. */
static const char *
why_unfit(HeapTuple tuple)
{
	Form_pg_namespace schema = (Form_pg_namespace) GETSTRUCT(tuple);
	bool		null;
	Datum		acl = SysCacheGetAttr(NAMESPACEOID, tuple, Anum_pg_namespace_nspacl, &null);
	char	   *stranger;
	Oid			who;

	if (!superuser_arg(schema->nspowner))
		return psprintf("It belongs to role \"%s\", who is no superuser.", GetUserNameFromId(schema->nspowner, false));
	if (is_open_to(schema, null ? NULL : DatumGetAclP(acl), &who))
		return psprintf("%s may create objects in it.", OidIsValid(who) ? psprintf("Role \"%s\"", GetUserNameFromId(who, false)) : "Everybody");
	stranger = find_stranger(schema->oid);
	return stranger != NULL ? psprintf("It contains %s.", stranger) : NULL;
}

static void
check_schema(Oid schema)
{
	HeapTuple	tuple = SearchSysCache1(NAMESPACEOID, ObjectIdGetDatum(schema));
	const char *why = HeapTupleIsValid(tuple) ? why_unfit(tuple) : NULL;

	if (why != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("schema \"%s\" was there before, and gpudb cannot be created in it", NameStr(((Form_pg_namespace) GETSTRUCT(tuple))->nspname)),
				 errdetail_internal("%s", why),
				 errhint("Drop the schema, or rename it, and run CREATE EXTENSION again.")));
	if (HeapTupleIsValid(tuple))
		ReleaseSysCache(tuple);
}

/*
 * Check the schema when called by the extension's script: raises an error if
 * it cannot be used, and a warning if the library is not preloaded.
 */
Datum
gpudb_check_installation(PG_FUNCTION_ARGS)
{
	if (!creating_extension)
		PG_RETURN_VOID();
	check_schema(get_func_namespace(fcinfo->flinfo->fn_oid));
	if (!is_preloaded())
		ereport(WARNING,
				(errmsg("gpudb is not preloaded, so PostgreSQL plans and runs all queries alone"),
				 errhint("Add gpudb to shared_preload_libraries in postgresql.conf and restart the server.")));
	PG_RETURN_VOID();
}
