/*
 * sql_support.c
 *		gpudb.sql_support: the types, functions and aggregates that the compiler knows, from its own lists.
 */
#include "postgres.h"

#include "fmgr.h"
#include "funcapi.h"
#include "utils/builtins.h"

#include "compile/opmap.h"

static void
put_object(ReturnSetInfo *result, const char *kind, Oid object)
{
	Datum		values[2] = {CStringGetTextDatum(kind), ObjectIdGetDatum(object)};
	bool		nulls[2] = {false, false};

	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

extern PGDLLEXPORT Datum gpudb_known_objects(PG_FUNCTION_ARGS);

PG_FUNCTION_INFO_V1(gpudb_known_objects);

/* gpudb.known_objects(): kind (type, function, aggregate) and OID of all that a program can compute with */
Datum
gpudb_known_objects(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;

	InitMaterializedSRF(fcinfo, 0);
	for (int i = 0; type_at(i) != NULL; i++)
		put_object(result, "type", type_at(i)->type);
	for (int i = 0; function_at(i) != NULL; i++)
		put_object(result, "function", function_at(i)->function);
	for (int i = 0; aggregate_at(i) != NULL; i++)
		put_object(result, "aggregate", aggregate_at(i)->function);
	return (Datum) 0;
}
