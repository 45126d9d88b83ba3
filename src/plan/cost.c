/*
 * cost.c
 *		What gpudb nodes cost, in the planner's units, and how long they will take.
 *
 * Time is counted in nanoseconds by the figures of device/calibration.def and
 * turned into PostgreSQL's units by one of them: how long PostgreSQL itself
 * takes for a unit of estimated CPU cost.
 *
 * Pages may have to be read from disk; that part costs what it costs
 * PostgreSQL.  Feeding and computing overlap, so a pass takes as long as the
 * slower of both.  On the CPU device the backend, when it waits, computes, too,
 * so there the work of all threads together is the other bound; on a GPU it is
 * the transfer of pages, which turns them into columns on the way, or the
 * program's run, whatever is longer.
 */
#include "postgres.h"

#include <limits.h>

#include "catalog/pg_type.h"
#include "nodes/value.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"
#include "utils/spccache.h"

#include "device/calibration.h"
#include "device/device.h"
#include "device/threads.h"
#include "guc.h"
#include "plan/cost.h"

/* As in exec/feeders.c: workers help to feed a GPU, one for so many pages. */
#define PAGES_PER_FEEDER 8192

#define NS(name) calibration_figure(FIGURE_##name)

static int
count_numerics(const CompileResult *compiled)
{
	int			n = 0;

	for (int i = 0; i < compiled->ncolumns; i++)
		n += getBaseType(compiled->column[i].type) == NUMERICOID;
	return n;
}

static double
ns_on_cpu(const RelOptInfo *rel, const CompileResult *compiled)
{
	double		feed = rel->pages * NS(pin_page);
	int			numerics = count_numerics(compiled);
	double		row = NS(cpu_row) + NS(cpu_column) * (compiled->ncolumns - numerics) + NS(cpu_numeric) * numerics +
		NS(cpu_op) * compiled->op_cost + compiled->fetch_cost;

	return NS(cpu_start) + Max(feed, (feed + rel->tuples * row) / (threads_wanted() + 1));
}

static double
ns_on_gpu(const RelOptInfo *rel, const CompileResult *compiled, bool aggregates)
{
	int			feeders = aggregates ? Min(rel->pages / PAGES_PER_FEEDER, max_parallel_workers_per_gather) : 0;
	double		feed = rel->pages * NS(pin_page) / (feeders + 1) + (feeders > 0 ? NS(feeder_start) : 0);
	double		transfer = rel->pages * NS(gpu_page);
	double		run = rel->tuples * NS(gpu_op) * compiled->op_cost;

	/* values stored out of line are the backend's to fetch */
	return NS(gpu_start) + Max(feed, Max(transfer, run)) + rel->tuples * compiled->fetch_cost;
}

PassCost
cost_pass(const RelOptInfo *rel, const CompileResult *compiled)
{
	bool		may_gpu = gpudb_device != DEVICE_CPU && device_gpu_missing() == NULL && program_suits_gpu(compiled->program);
	double		cpu = ns_on_cpu(rel, compiled);
	double		gpu = may_gpu ? ns_on_gpu(rel, compiled, compiled->program->aggregates) : 0;
	PassCost	pass = {.on_gpu = may_gpu && (gpudb_device == DEVICE_GPU || gpu < cpu)};
	double		seq_page_cost;
	double		ns = pass.on_gpu ? gpu : cpu;

	get_tablespace_page_costs(rel->reltablespace, NULL, &seq_page_cost);
	pass.cost = seq_page_cost * rel->pages + ns / NS(pg_unit);
	pass.ms = ns / 1e6;
	return pass;
}

List *
cost_private(const PassCost *pass)
{
	return list_make2(makeInteger(pass->on_gpu), makeInteger((int) Min(pass->ms * 1000, INT_MAX)));
}

Cost
cost_rows_out(double rows)
{
	return rows * (cpu_tuple_cost + NS(row_out) / NS(pg_unit));
}

Cost
cost_groups_out(double groups)
{
	return groups * (cpu_tuple_cost + NS(group_out) / NS(pg_unit));
}
