/*
 * extension.c
 *		Lookup of the extension gpudb in the current database, and of its functions.
 *
 * A preloaded library is loaded in every database of a server, but it plans
 * queries only where CREATE EXTENSION has been run.  pg_extension tells where,
 * and has no system cache, so each backend remembers the result.  Whatever
 * changes the result also creates or drops functions.  PostgreSQL sends
 * invalidations of functions to every backend at commit, and to the
 * transaction's own backend at each command and at rollback; the result is then
 * looked up anew.
 *
 * Cached plans were made for one result, so they are discarded when it changes.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/transam.h"
#include "catalog/dependency.h"
#include "catalog/indexing.h"
#include "catalog/pg_extension.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/plancache.h"
#include "utils/syscache.h"

#include "compile/extension.h"

static bool assumed;

/* Result of the last lookup: `extension` and `schema` are current only while `known` is true. */
static bool known;
static Oid	extension = InvalidOid; /* InvalidOid = the extension does not exist */
static Oid	schema;
static uint32 hash;				/* syscache hash of gpudb.version(text), or of the last one that existed */
static uint32 changes;			/* number of invalidations of functions so far */

/* Invalidate the result since some function has changed; a callback of the system cache. */
static void
forget(Datum arg, int cache, uint32 changed)
{
	known = false;
	changes++;
	if (changed == hash)
		ResetPlanCache();
}

/* Look up the extension in pg_extension: return its OID, or InvalidOid, and store its schema. */
static Oid
find_extension(Oid *where)
{
	Relation	relation = table_open(ExtensionRelationId, AccessShareLock);
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;
	Oid			found = InvalidOid;

	ScanKeyInit(&key, Anum_pg_extension_extname, BTEqualStrategyNumber, F_NAMEEQ, CStringGetDatum("gpudb"));
	scan = systable_beginscan(relation, ExtensionNameIndexId, true, NULL, 1, &key);
	tuple = systable_getnext(scan);
	if (HeapTupleIsValid(tuple))
	{
		found = ((Form_pg_extension) GETSTRUCT(tuple))->oid;
		*where = ((Form_pg_extension) GETSTRUCT(tuple))->extnamespace;
	}
	systable_endscan(scan);
	table_close(relation, AccessShareLock);
	return found;
}

/* Return the function of the extension found by look_up() with this name and argument type, or InvalidOid. */
static Oid
find_function(const char *name, Oid argument)
{
	const Oid	function = GetSysCacheOid3(PROCNAMEARGSNSP, Anum_pg_proc_oid, CStringGetDatum(name),
										   PointerGetDatum(buildoidvector(&argument, 1)), ObjectIdGetDatum(schema));

	return OidIsValid(function) && getExtensionOfObject(ProcedureRelationId, function) == extension ? function : InvalidOid;
}

/* Look up the extension.  If a function changes meanwhile, the next caller looks it up again. */
static void
look_up(void)
{
	static bool registered;
	const Oid	before = extension;
	const uint32 changes_before = changes;
	Oid			version;

	if (!registered)
		CacheRegisterSyscacheCallback(PROCOID, forget, (Datum) 0);
	extension = find_extension(&schema);
	version = OidIsValid(extension) ? find_function("version", TEXTOID) : InvalidOid;
	if (OidIsValid(version))
		hash = GetSysCacheHashValue1(PROCOID, ObjectIdGetDatum(version));
	if (registered && extension != before)
		ResetPlanCache();
	registered = true;
	known = changes == changes_before;
}

static inline bool
is_created(void)
{
	if (unlikely(!known))
		look_up();
	return OidIsValid(extension);
}

bool
extension_is_installed(void)
{
	return is_created() || assumed;
}

void
extension_assume(bool assume)
{
	assumed = assume;
}

Oid
extension_function(const char *name, Oid argument)
{
	return is_created() ? find_function(name, argument) : InvalidOid;
}

bool
is_own_function(Oid function, const char *name)
{
	char	   *called;

	if (function < FirstNormalObjectId || !is_created() || get_func_namespace(function) != schema)
		return false;
	called = get_func_name(function);
	return called != NULL && strcmp(called, name) == 0 && getExtensionOfObject(ProcedureRelationId, function) == extension;
}
