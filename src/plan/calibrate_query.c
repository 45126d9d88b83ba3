/*
 * calibrate_query.c
 *		The queries of gpudb.calibrate(), and how long they take.
 */
#include "postgres.h"

#include <math.h>

#include "executor/spi.h"
#include "miscadmin.h"
#include "optimizer/cost.h"
#include "portability/instr_time.h"
#include "utils/guc.h"

#include "exec/node.h"
#include "guc.h"
#include "plan/calibrate_query.h"

/* The least of a query, remembered. */
typedef struct KnownTiming
{
	const char *name;			/* settings and query */
	Timing		least;
} KnownTiming;

static List *known_timings;		/* of this calibration */

void
query_set(const char *name, const char *value)
{
	(void) set_config_option(name, value, superuser() ? PGC_SUSET : PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
}

void
query_device(const char *device)
{
	query_set("gpudb.enabled", device != NULL ? "on" : "off");
	if (device != NULL)
		query_set("gpudb.device", device);
}

void
query_execute(const char *sql)
{
	if (SPI_execute(sql, false, 0) < 0)
		elog(ERROR, "gpudb could not calibrate with: %s", sql);
}

double
query_number(const char *sql)
{
	query_execute(sql);
	return strtod(SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1), NULL);
}

static void
keep_least(double *least, double value)
{
	*least = isnan(*least) ? value : Min(*least, value);
}

Timing
query_run(const char *sql)
{
	const NodeReport *report = node_last_report();
	Timing		timing;
	instr_time	start;
	instr_time	end;

	INSTR_TIME_SET_CURRENT(start);
	query_execute(sql);
	INSTR_TIME_SET_CURRENT(end);
	INSTR_TIME_SUBTRACT(end, start);
	timing.ms = INSTR_TIME_GET_MILLISEC(end);
	timing.pass_ms = report->device_ms;
	timing.rest_ms = timing.ms - report->device_ms;
	timing.deform_ns = (double) report->feed.times.deform_ns;
	timing.run_ns = (double) report->feed.times.run_ns;
	timing.feed_ns = timing.pass_ms * 1e6 - timing.deform_ns - timing.run_ns;
	timing.op_cost = report->op_cost;
	/* 100,000 groups, again and again, would otherwise stay until SPI_finish() */
	SPI_freetuptable(SPI_tuptable);
	return timing;
}

/* The least that a query has taken under these settings, in earlier rounds or not at all yet. */
static Timing *
known_timing(const char *sql)
{
	char	   *name = psprintf("%d %d %d %s", gpudb_enabled ? (int) gpudb_device : -1, gpudb_cpu_threads,
								max_parallel_workers_per_gather, sql);
	MemoryContext old;
	KnownTiming *known;
	ListCell   *lc;

	foreach(lc, known_timings)
	{
		known = lfirst(lc);
		if (strcmp(known->name, name) == 0)
			return &known->least;
	}
	old = MemoryContextSwitchTo(TopTransactionContext);
	known = palloc(sizeof(KnownTiming));
	*known = (KnownTiming) {pstrdup(name), {NAN, NAN, NAN, NAN, NAN, NAN, 0}};
	known_timings = lappend(known_timings, known);
	MemoryContextSwitchTo(old);
	return &known->least;
}

Timing
query_least(const char *sql)
{
	Timing	   *least = known_timing(sql);
	Timing		timing = query_run(sql);

	keep_least(&least->ms, timing.ms);
	keep_least(&least->pass_ms, timing.pass_ms);
	keep_least(&least->rest_ms, timing.rest_ms);
	keep_least(&least->feed_ns, timing.feed_ns);
	keep_least(&least->deform_ns, timing.deform_ns);
	keep_least(&least->run_ns, timing.run_ns);
	least->op_cost = timing.op_cost;
	return *least;
}

void
query_forget(void)
{
	known_timings = NIL;
}
