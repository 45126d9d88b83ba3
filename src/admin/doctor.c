/*
 * doctor.c
 *		gpudb.doctor(): a diagnosis of the installation in words, one or two sentences per line.
 *
 * The report tells on which device queries run and why, what is calibrated and
 * cached, what cannot run, and what to do next.
 */
#include "postgres.h"

#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

#include "access/htup_details.h"
#include "access/xlog.h"
#include "catalog/pg_authid.h"
#include "catalog/pg_class.h"
#include "fmgr.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"

#include "device/calibration.h"
#include "device/channel.h"
#include "device/device.h"
#include "guc.h"
#include "pg_compat.h"
#include "tablet/cache/pool.h"
#include "tablet/cache/shelf.h"
#include "worker/supervisor.h"
#include "worker/workers.h"

#define MB (1024.0 * 1024.0)

extern PGDLLEXPORT Datum gpudb_doctor(PG_FUNCTION_ARGS);

PG_FUNCTION_INFO_V1(gpudb_doctor);

/* Return a sentence about a missing library or driver on this host, NULL if both are there. */
static const char *
missing_on_host(void)
{
	char		path[MAXPGPATH];
	struct stat st;
	void	   *driver;

	snprintf(path, sizeof(path), "%s/%s.so", pkglib_path, PROVIDER_LIBRARY);
	if (stat(path, &st) != 0)
		return psprintf("The library %s is missing: gpudb was built without a CUDA toolkit. "
						"If this machine has a GPU, install one, and build and install gpudb again (docs/gpu-install.md); "
						"if not, there is nothing to do.", path);
	driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
	if (driver == NULL)
		return "NVIDIA's driver is missing: there is no libcuda.so.1. If this machine has a GPU, install the driver; "
			"in a container, start it with --gpus (docs/gpu-install.md).";
	dlclose(driver);
	return NULL;
}

/* Return a sentence about the state of the GPU process. */
static const char *
state_of_process(const Channel *channel)
{
	const char *why = channel->provider_state.why;

	switch ((HelperState) pg_atomic_read_u32((pg_atomic_uint32 *) &channel->state))
	{
		case HELPER_OFF:
			if (gpudb_provider == PROVIDER_NONE)
				return "gpudb.provider is none: to use a GPU set it to auto and restart the server.";
			return supervisor_is_registered()
				? "The GPU process has not been started yet; look again in a second."
				: "There is no worker to start the GPU process.";
		case HELPER_STARTING:
			return "The GPU process is starting; look again in a second.";
		case HELPER_SERVING:
			return psprintf("All is well%s: the GPU process %d has run %lu batches.",
							gpudb_provider == PROVIDER_CPU ? ", but gpudb.provider is cpu, for tests" : "",
							channel->helper, (unsigned long) channel->batches);
		case HELPER_NO_DEVICE:
			if (gpudb_provider == PROVIDER_CPU)
				return psprintf("gpudb.provider is cpu, for tests, and its library, which only make install-test-provider installs, cannot be used: %s. "
								"To use a GPU set gpudb.provider to auto and restart the server.", why);
			return psprintf("CUDA finds no device that can be used: %s. "
							"After a change of hardware or driver, reload the server's configuration.", why);
		case HELPER_DOWN:
			return psprintf("The GPU process %s; another one starts soon.", channel->said);
		case HELPER_BROKEN:
			return psprintf("The GPU process ended again and again without having run a query; the last one %s. "
							"It is tried again in a few minutes, or at once when the server is restarted.", channel->said);
	}
	return "";
}

/* Append which device the queries of this session run on, and why. */
static void
tell_device(StringInfo text, const Channel *channel)
{
	const bool	gpu = device_gpu_missing() == NULL;
	const char *missing = !gpu && gpudb_provider == PROVIDER_AUTO ? missing_on_host() : NULL;

	if (missing == NULL)
		missing = state_of_process(channel);
	if (gpu)
		appendStringInfo(text, "%s\n", missing);
	if (!gpudb_enabled)
		appendStringInfoString(text, "Queries run on PostgreSQL's own nodes alone: gpudb.enabled is off in this session. "
							   "Set it to on where it was set to off: in the session, the role, the database or postgresql.conf.\n");
	else if (gpu && gpudb_device == DEVICE_CPU)
		appendStringInfoString(text, "Queries run on the CPU device: gpudb.device is cpu in this session. Set it to auto to use the GPU.\n");
	else if (gpu)
		appendStringInfoString(text, "Queries run on the GPU where that is faster and it can, else on the CPU device.\n");
	else
		appendStringInfoString(text, "Queries run on the CPU device: no GPU serves.\n");
	if (!gpu)
		appendStringInfo(text, "%s\n", missing);
}

static void
tell_calibration(StringInfo text)
{
	const bool	gpu_is_guessed = device_gpu_missing() == NULL && !calibration_measured(FIGURE_gpu_start);
	const char *const how = "SELECT gpudb.calibrate() measures it, in some 20 seconds, on a machine that is otherwise idle.";

	if (!calibration_measured(FIGURE_cpu_start))
		appendStringInfo(text, "The cost model is not calibrated: it guesses how fast this machine is. %s\n", how);
	else if (gpu_is_guessed)
		appendStringInfo(text, "The cost model is calibrated for the CPU, and guesses how fast the GPU is. %s\n", how);
	else
		appendStringInfo(text, "The cost model is calibrated, last on %s.\n", timestamptz_to_str(calibration_time()));
}

static void
add_bytes(const ShelfColumn *column, void *arg)
{
	*(Size *) arg += column->bytes;
}

static void
tell_cache(StringInfo text)
{
	Size		used = 0;

	if (!pool_exists())
	{
		appendStringInfoString(text, "No columns are cached: gpudb.pool_size is 0. Set it and restart the server.\n");
		return;
	}
	/* the bytes that columns take disclose something of their values, which may be hidden from the user */
	if (has_privs_of_role(GetUserId(), ROLE_PG_READ_ALL_STATS))
	{
		shelf_visit(add_bytes, &used);
		appendStringInfo(text, "Cached columns take %.1f of %.1f MB (gpudb.pool_size), of which %.0f MB stand in huge pages, and %.0f MB of these wait for more columns.\n",
						 used / MB, pool_bytes() / MB, pool_huge_bytes() / MB, pool_bytes_ahead() / MB);
	}
	else
		appendStringInfo(text, "Cached columns may take %.1f MB (gpudb.pool_size).\n", pool_bytes() / MB);
	appendStringInfo(text, "Each table of a query's joins, each sort, and the groups of each aggregate may take %d MB (gpudb.join_memory).\n", gpudb_join_memory);
	if (!gpudb_cache)
		appendStringInfoString(text, "Queries of this session neither use nor cache columns: gpudb.cache is off.\n");
}

/* A table is reported if more than 1 / UNMARKED_PART of its pages, and more than UNMARKED_LEAST, are unmarked. */
#define UNMARKED_PART		10
#define UNMARKED_LEAST		1280

/*
 * Append a line about a table with many pages that are not marked all-visible.
 * VACUUM leaves pages unmarked when a transaction that began before their rows
 * still runs, and autovacuum does not return to a table that nobody changes.
 */
static void
tell_table(StringInfo text, Oid relation)
{
	HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relation));
	Form_pg_class class;

	if (!HeapTupleIsValid(tuple))
		return;
	class = (Form_pg_class) GETSTRUCT(tuple);
	if (class->relpages - class->relallvisible > Max(class->relpages / UNMARKED_PART, UNMARKED_LEAST))
		appendStringInfo(text, "%d of %d pages of table %s are not marked all-visible, so each session looks at their rows again after any change in the server. "
						 "VACUUM it.\n", class->relpages - class->relallvisible, class->relpages,
						 quote_qualified_identifier(get_namespace_name(class->relnamespace), NameStr(class->relname)));
	ReleaseSysCache(tuple);
}

/* Set of the relation files of this database that have cached columns. */
typedef struct CachedFiles
{
	int			n;
	int			room;
	struct
	{
		Oid			tablespace;
		Oid			file;
	}		   *file;
} CachedFiles;

/* Add the file of a cached column to a set of files; a callback of shelf_visit(). */
static void
note_file(const ShelfColumn *column, void *arg)
{
	CachedFiles *files = arg;

	if (column->database != MyDatabaseId)
		return;
	for (int i = files->n - 1; i >= 0; i--)
		if (files->file[i].file == column->file && files->file[i].tablespace == column->tablespace)
			return;
	if (files->n == files->room)
	{
		files->room *= 2;
		files->file = repalloc_huge(files->file, files->room * sizeof(*files->file));
	}
	files->file[files->n].tablespace = column->tablespace;
	files->file[files->n++].file = column->file;
}

/* Append lines about the tables with cached columns of which the user may be told. */
static void
tell_tables(StringInfo text)
{
	CachedFiles files = {.room = 64};

	files.file = palloc(files.room * sizeof(*files.file));
	shelf_visit(note_file, &files);
	for (int i = 0; i < files.n; i++)
	{
		const Oid	relation = compat_relation_of_file(files.file[i].tablespace, files.file[i].file);

		if (OidIsValid(relation) && shelf_may_be_told(relation, 0))
			tell_table(text, relation);
	}
}

/* Append lines about what cannot run on this server. */
static void
tell_what_is_off(StringInfo text)
{
	const char *workers = workers_left_out();

	if (workers[0] != '\0')
		appendStringInfo(text, "max_worker_processes is %d, which leaves no room for %s. Raise it and restart the server.\n",
						 max_worker_processes, workers);
	if (RecoveryInProgress())
		appendStringInfoString(text, "This server is a standby: it cannot be calibrated. A promotion ends that.\n");
}

Datum
gpudb_doctor(PG_FUNCTION_ARGS)
{
	const Channel *channel = channel_get();
	StringInfoData text;

	initStringInfo(&text);
	if (channel == NULL)
		appendStringInfoString(&text, "gpudb is not preloaded, so PostgreSQL plans and runs all queries alone. "
							   "Add gpudb to shared_preload_libraries in postgresql.conf and restart the server.");
	else
	{
		tell_device(&text, channel);
		tell_calibration(&text);
		tell_cache(&text);
		tell_tables(&text);
		tell_what_is_off(&text);
		appendStringInfoString(&text, "SELECT * FROM gpudb.why_not('SELECT ...') tells which parts of a query run on gpudb, and why others do not.");
	}
	PG_RETURN_TEXT_P(cstring_to_text_with_len(text.data, text.len));
}
