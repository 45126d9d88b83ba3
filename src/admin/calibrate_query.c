/*
 * calibrate_query.c
 *		The queries of gpudb.calibrate(), and how long they take.
 */
#include "postgres.h"

#include <float.h>

#include "catalog/namespace.h"
#include "executor/spi.h"
#include "lib/stringinfo.h"
#include "optimizer/cost.h"
#include "portability/instr_time.h"
#include "utils/guc.h"
#include "utils/memutils.h"

#include "admin/calibrate_query.h"
#include "exec/node/lifecycle.h"
#include "guc.h"

#define SCHEMA		"@schema@"	/* stands for the schema's name in queries */
#define RUNS_MOST	1000		/* runs of a query that are stored; more do not improve the result */

/* Stored times of a query. */
typedef struct KnownQuery
{
	const char *name;			/* settings and query text */
	int			nruns;
	Timing		run[RUNS_MOST];
} KnownQuery;

static List *known_queries;		/* KnownQuery of this calibration */
static char schema[NAMEDATALEN];	/* name of its tables' schema */

void
query_set(const char *name, const char *value)
{
	(void) set_config_option(name, value, PGC_SUSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
}

void
query_device(const char *device)
{
	query_set("gpudb.enabled", device != NULL ? "on" : "off");
	if (device != NULL)
		query_set("gpudb.device", device);
}

/* Return a query with the schema's name inserted. */
static char *
with_schema(const char *sql)
{
	StringInfoData text;
	const char *at;

	initStringInfo(&text);
	for (; (at = strstr(sql, SCHEMA)) != NULL; sql = at + strlen(SCHEMA))
	{
		appendBinaryStringInfo(&text, sql, (int) (at - sql));
		appendStringInfoString(&text, schema);
	}
	appendStringInfoString(&text, sql);
	return text.data;
}

static void
execute(const char *text)
{
	if (SPI_execute(text, false, 0) < 0)
		elog(ERROR, "gpudb could not calibrate with: %s", text);
}

void
query_execute(const char *sql)
{
	char	   *text = with_schema(sql);

	execute(text);
	pfree(text);
}

/* Create a new schema, which no other session sees before it is dropped again, so it only has what is created here. */
void
query_make_schema(void)
{
	int			n = 0;

	do
		snprintf(schema, sizeof(schema), "gpudb_calibration_%d", n++);
	while (OidIsValid(get_namespace_oid(schema, true)));
	query_execute("CREATE SCHEMA @schema@");
}

const char *
query_schema(void)
{
	return schema;
}

Timing
query_run(const char *sql)
{
	const NodeReport *report = node_last_report();
	char	   *text = with_schema(sql);
	Timing		timing;
	instr_time	start;
	instr_time	end;

	INSTR_TIME_SET_CURRENT(start);
	execute(text);
	INSTR_TIME_SET_CURRENT(end);
	INSTR_TIME_SUBTRACT(end, start);
	timing.ms = INSTR_TIME_GET_MILLISEC(end);
	timing.pass_ms = report->device_ms;
	timing.rest_ms = timing.ms - report->device_ms;
	timing.deform_ns = (double) report->feed.times.deform_ns;
	timing.run_ns = (double) report->feed.times.run_ns;
	timing.feed_ns = timing.pass_ms * 1e6 - timing.deform_ns - timing.run_ns;
	timing.op_cost = report->op_cost;
	/* results of 100,000 groups would otherwise accumulate until SPI_finish() */
	SPI_freetuptable(SPI_tuptable);
	pfree(text);
	return timing;
}

/* Return the stored runs of a query under the current settings, an empty entry if there are none. */
static KnownQuery *
known_query(const char *sql)
{
	char	   *name = psprintf("%d %d %d %s", gpudb_enabled ? (int) gpudb_device : -1, gpudb_cpu_threads,
								max_parallel_workers_per_gather, sql);
	MemoryContext old;
	KnownQuery *known;
	ListCell   *lc;

	foreach(lc, known_queries)
	{
		known = lfirst(lc);
		if (strcmp(known->name, name) == 0)
			return known;
	}
	old = MemoryContextSwitchTo(TopTransactionContext);
	known = palloc0(sizeof(KnownQuery));
	known->name = pstrdup(name);
	known_queries = lappend(known_queries, known);
	MemoryContextSwitchTo(old);
	return known;
}

static int
compare_doubles(const void *a, const void *b)
{
	const double x = *(const double *) a;
	const double y = *(const double *) b;

	return (x > y) - (x < y);
}

/* Return the mean of the middle half of the times of all runs at an offset in Timing. */
static double
middle(const KnownQuery *known, size_t part)
{
	const int	begin = known->nruns / 4;
	const int	end = known->nruns - begin;
	double		sorted[RUNS_MOST];
	double		sum = 0;

	for (int i = 0; i < known->nruns; i++)
		sorted[i] = *(const double *) ((const char *) &known->run[i] + part);
	qsort(sorted, known->nruns, sizeof(double), compare_doubles);
	for (int i = begin; i < end; i++)
		sum += sorted[i];
	return sum / (end - begin);
}

Timing
query_typical(const char *sql)
{
	KnownQuery *known = known_query(sql);

	if (known->nruns < RUNS_MOST)
		known->run[known->nruns++] = query_run(sql);
	return (Timing)
	{
		.ms = middle(known, offsetof(Timing, ms)),
		.pass_ms = middle(known, offsetof(Timing, pass_ms)),
		.rest_ms = middle(known, offsetof(Timing, rest_ms)),
		.feed_ns = middle(known, offsetof(Timing, feed_ns)),
		.deform_ns = middle(known, offsetof(Timing, deform_ns)),
		.run_ns = middle(known, offsetof(Timing, run_ns)),
		.op_cost = known->run[0].op_cost
	};
}

double
query_least_pass_ms(const char *sql)
{
	const KnownQuery *known = known_query(sql);
	double		least = DBL_MAX;

	for (int i = 0; i < known->nruns; i++)
		least = Min(least, known->run[i].pass_ms);
	return least;
}

void
query_forget(void)
{
	known_queries = NIL;
}
