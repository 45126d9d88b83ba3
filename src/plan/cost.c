/*
 * cost.c
 *		Cost model of gpudb nodes: their cost in the planner's units, and the time that they will take.
 *
 * Time is counted in nanoseconds by the figures of device/calibration.def and turned into PostgreSQL's units by one of
 * them: how long PostgreSQL itself takes for a unit of estimated CPU cost.
 *
 * Pages may have to be read from disk; that part costs what it costs PostgreSQL, but for columns that are cached.
 * Feeding and computing overlap, so a pass takes as long as the slower of the two.  On the CPU device the backend also
 * computes when it waits, so there the work of all threads together is the other bound; on a GPU it is the transfer of
 * pages, which turns them into columns on the way, or the program's run, whichever is longer.
 */
#include "postgres.h"

#include <limits.h>
#include <math.h>

#include "access/htup_details.h"
#include "access/table.h"
#include "access/transam.h"
#include "catalog/pg_attribute.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/value.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"
#include "utils/spccache.h"
#include "utils/syscache.h"

#include "core/hash.h"
#include "core/provider_api.h"
#include "device/calibration.h"
#include "device/device.h"
#include "device/threads.h"
#include "exec/run/feeders.h"
#include "exec/run/node.h"
#include "guc.h"
#include "pg_compat.h"
#include "plan/cost.h"
#include "plan/cost_private.h"
#include "tablet/cache/pool.h"
#include "tablet/cache/recent.h"
#include "tablet/scan/tablet_scan.h"

/*
 * Nanoseconds below which the time of taking memory for columns is not counted: estimating how much memory they need
 * would take longer than it matters.
 */
#define LEAST_NS_OF_MEMORY	1e6

/* Rows that a block of a GPU's threads processes. */
#define BLOCK_ROWS		1024

/*
 * Ratio of an instruction's time, with fetching, decoding and flags, to an addition's own work, where one launch has
 * rows enough for the whole GPU, as over cached columns: query 6 of TPC-H executes 99 hardware instructions a row for
 * 7 of the accumulator machine's.
 */
#define ADDITIONS_OF_OP	2

/* Kernels that even the smallest batch launches: one deforms, one runs. */
#define BATCH_LAUNCHES	2

/* Cost per lane of loading a key, looking it up and testing whether it was found, as opcodes.def counts. */
#define LOOK_OPS		3

/*
 * Extra cost per row where a join has several rows per key, as opcodes.def counts: then the general interpreter runs
 * the whole program, and 15 million rows of TPC-H's query 12 take 4 ms where the accumulator machine takes 0.5.
 */
#define LOOP_OPS		150

/* Factor by which the general interpreter takes longer for an instruction. */
#define GENERAL_FACTOR	10

/* Words of a join table that a lookup of a key reads. */
#define PROBE_WORDS		2

/*
 * Cost per row of making a join table on a GPU besides writing its columns: counting and placing rows are worth this
 * many words read at random.
 */
#define MATERIALIZED_ROW_WORDS 8

/*
 * Cost of a group in a device-resident group table that is left out, since it cannot be among the first n, in words
 * read at random: its row, its slot and its order.
 */
#define RESIDENT_GROUP_WORDS 16

/* Bytes of a row in a join table besides its columns: its number, and its index entry. */
#define TABLE_ROW_BYTES	24

/*
 * Return the number of attributes that deforming passes over on the way to the last one wanted: those behind the first
 * attribute of variable length.
 */
static int
attributes_passed(Oid relation, AttrNumber last)
{
	AttrNumber	varies = 0;

	while (++varies < last)
	{
		HeapTuple	tuple = SearchSysCache2(ATTNUM, ObjectIdGetDatum(relation), Int16GetDatum(varies));
		bool		fixed = !HeapTupleIsValid(tuple) || ((Form_pg_attribute) GETSTRUCT(tuple))->attlen > 0;

		if (HeapTupleIsValid(tuple))
			ReleaseSysCache(tuple);
		if (!fixed)
			return last - varies;
	}
	return 0;
}

static AttrNumber
last_attribute(const CompileResult *compiled)
{
	AttrNumber	last = 0;

	for (int i = 0; i < compiled->ncolumns; i++)
		last = Max(last, compiled->column[i].attno);
	return last;
}

/* Return the nanoseconds of turning an attribute into a column's value. */
static double
ns_of_column(Oid relation, const ColumnUse *column)
{
	int			width;

	switch (getBaseType(column->type))
	{
		case NUMERICOID:
			return NS(cpu_numeric);
		case TEXTOID:
		case VARCHAROID:
		case BPCHAROID:
			width = get_attavgwidth(relation, column->attno);
			return NS(cpu_column) + NS(cpu_text) * (width > 0 ? width : COST_USUAL_TEXT);
		default:
			return NS(cpu_column);
	}
}

/*
 * Return a lower bound of ns_of_column(): 0 for texts, whose time depends on their length, and for types that may be
 * domains over texts.
 */
static double
least_of_column(Oid type)
{
	if (type == NUMERICOID)
		return NS(cpu_numeric);
	return type < FirstGenbkiObjectId && type != TEXTOID && type != VARCHAROID && type != BPCHAROID ? NS(cpu_column) : 0;
}

double
cost_least_of_columns(Oid relation, const List *vars)
{
	Bitmapset  *seen = NULL;
	AttrNumber	last = 0;
	double		ns = 0;
	ListCell   *lc;

	foreach(lc, vars)
	{
		const Var  *var = lfirst(lc);
		const double column = IsA(var, Var) && var->varattno > 0 && !bms_is_member(var->varattno, seen) ? least_of_column(var->vartype) : 0;

		if (column == 0)
			continue;
		seen = bms_add_member(seen, var->varattno);
		last = Max(last, var->varattno);
		ns += column;
	}
	return ns + NS(cpu_attribute) * attributes_passed(relation, last);
}

/*
 * Return the time of finding a row's group among `groups` groups: memory further away takes longer to read.  By the
 * logarithm of the number of groups, the time is a straight line through both calibrated figures.
 */
double
cost_ns_of_group(double groups)
{
	double		distance = log(Max(groups, NEAR_GROUPS) / NEAR_GROUPS) / log((double) FAR_GROUPS / NEAR_GROUPS);

	return groups <= 1 ? 0 : NS(cpu_group) + Max(NS(cpu_far_group) - NS(cpu_group), 0) * distance;
}

/*
 * Return the time of adding the groups that each of `threads` threads has found, a row at a time, to those of the
 * backend, which does that alone.  Of the `groups` groups each thread has those that its share of the rows meets by
 * chance.
 */
static double
ns_of_merging(double rows, double groups, double threads)
{
	const double share = rows / (threads + 1);

	return groups <= 1 ? 0 : threads * groups * -expm1(-share / groups) * cost_ns_of_group(groups);
}

/* Return the time that one process takes to find out which tuples are visible. */
static double
ns_of_feeding(const RelOptInfo *rel)
{
	return rel->pages * NS(pin_page) + rel->tuples * NS(pin_tuple);
}

/*
 * Return the extra cost of reading pages from outside shared_buffers in one process where PostgreSQL would scan in
 * several, which read pages beside one another; in units of PostgreSQL's cost of reading all pages.  An aggregate
 * leaves columns in the cache for the next one, which is worth that, so the result for it is 0.
 */
static double
slower_pages(const Candidate *candidate, GroupCount groups)
{
	return groups.found > 0 ? 0 : cost_part_outside(candidate) * Max(cost_readers_of_postgres(candidate->rel) - 1, 0);
}

/*
 * Return the factor by which `threads` threads besides the backend speed work up.  The gain of all of them was
 * measured; fewer of them gain more each, as if a part of the work were one thread's (Amdahl 1967).
 */
double
cost_gain_of_threads(double threads)
{
	const double all = threads_wanted();
	const double gain = 1 + all * NS(cpu_thread);
	double		alone;

	if (all == 0)
		return 1;
	alone = Max((1 + all) / gain - 1, 0) / all;
	return 1 / (alone + (1 - alone) / (1 + threads));
}

/* Return how many threads besides the backend a pass over a relation has: at most one for each page batch. */
static double
threads_over(const RelOptInfo *rel)
{
	return Min(threads_wanted(), rel->pages / PAGE_BATCH_PAGES);
}

/*
 * Return the time of a pass on the CPU device, where `from_pages` is the part of the pages that must be read and
 * turned into columns.
 */
static double
ns_on_cpu(const Candidate *candidate, const CompileResult *compiled, double groups, double from_pages)
{
	const RelOptInfo *rel = candidate->rel;
	double		threads = threads_over(rel);
	double		feed = ns_of_feeding(rel) * from_pages;
	double		ops = compiled->op_cost - (groups > 1 ? GROUP_OP_COST : 0);
	double		column = NS(cpu_row) + NS(cpu_attribute) * attributes_passed(candidate->relation, last_attribute(compiled)) + compiled->fetch_cost;
	/* every row goes through a program's filters, but only those that pass have groups */
	double		run = rel->tuples * NS(cpu_op) * ops + rel->rows * cost_ns_of_group(groups);
	double		work;

	for (int i = 0; i < compiled->ncolumns; i++)
		column += ns_of_column(candidate->relation, &compiled->column[i]);
	/* no core is faster than memory */
	work = Max((rel->pages * NS(cpu_page) + rel->tuples * column) * from_pages + run,
			   rel->pages * NS(cpu_read_page) * from_pages);
	return NS(cpu_start) + Max(feed, (feed + work) / cost_gain_of_threads(threads)) + ns_of_merging(rel->rows, groups, threads);
}

/*
 * Return true if the GPU uses a device-resident group table: if groups have texts, or if the groups that blocks leave
 * are more than are returned with a batch.  A block has some thousand rows.
 */
static bool
gpu_keeps(const RelOptInfo *rel, const CompileResult *compiled, double groups)
{
	double		pages = Min(rel->pages, BATCH_PAGES);
	double		rows = rel->pages > 0 ? rel->tuples / rel->pages * pages : 0;

	return program_text_keys(compiled->program) || groups * Max(rows / BLOCK_ROWS, 1) > BATCH_GROUPS;
}

double
cost_groups_returned(const Program *program, GroupCount groups)
{
	return program_text_keys(program) ? groups.found : groups.wanted;
}

/* Return the time of a device-resident group table, whose groups are returned when all rows have been processed. */
static double
ns_of_gpu_groups(const RelOptInfo *rel, const CompileResult *compiled, GroupCount groups)
{
	const double returned = cost_groups_returned(compiled->program, groups);

	if (!gpu_keeps(rel, compiled, groups.found))
		return 0;
	return NS(gpu_table) + returned * Max(NS(gpu_group), sizeof(uint64) / (double) BLCKSZ * NS(gpu_fetch_page)) +
		(groups.found - returned) * RESIDENT_GROUP_WORDS * NS(gpu_read_word);
}

/*
 * Return the time of an instruction on a row, in a launch over many rows.  A batch of pages has too few rows to keep
 * all of a GPU at work.
 */
static double
ns_of_gpu_op(void)
{
	return Min(ADDITIONS_OF_OP * NS(gpu_add), NS(gpu_op));
}

/*
 * Return the time of a pass on a GPU: transfer in, memory and computation, transfer out, of which the first two
 * overlap.  The times of passes were measured as a whole; what hardware could do at best bounds them.  Other processes
 * help to feed the pages of an aggregate or a join, unless some of its columns are cached, or it reads partitions or
 * inheritance children.
 */
static double
ns_on_gpu(const Candidate *candidate, const CompileResult *compiled, GroupCount groups, double from_pages)
{
	const RelOptInfo *rel = candidate->rel;
	int			feeders = groups.found > 0 && from_pages == 1 && candidate->children == NIL ? Min(rel->pages / PAGES_PER_FEEDER, max_parallel_workers_per_gather) : 0;
	double		feed = ns_of_feeding(rel) * from_pages / (feeders + 1) + (feeders > 0 ? NS(feeder_start) : 0);
	double		start = Max(NS(gpu_start), NS(gpu_hop) + BATCH_LAUNCHES * NS(gpu_launch));
	double		transfer = Max((rel->pages * NS(gpu_page) + rel->tuples * NS(gpu_row)) * from_pages,
							   NS(gpu_copy_start) + rel->pages * NS(gpu_copy_page) * from_pages);
	double		memory = rel->tuples * compiled->ncolumns * sizeof(uint64) / BLCKSZ * NS(gpu_read_page) +
		(gpu_keeps(rel, compiled, groups.found) ? rel->tuples * NS(gpu_read_word) : 0);
	double		run = rel->tuples * compiled->op_cost * (from_pages * NS(gpu_op) + (1 - from_pages) * ns_of_gpu_op());

	/* the backend fetches values stored out of line */
	return start + Max(feed, Max(transfer, memory + run)) + ns_of_gpu_groups(rel, compiled, groups) + rel->tuples * compiled->fetch_cost;
}

/* Return how often a GPU must read the whole relation because its memory does not hold all join tables at once. */
static double
npasses_on_gpu(const Candidate *candidate, const CompileResult *compiled)
{
	double		bytes = 0;
	ListCell   *lc;

	foreach(lc, compiled->njoins > 0 ? candidate->joins : NIL)
	{
		const CandidateJoin *join = lfirst(lc);

		/* the table of a NOT IN is never partitioned */
		if (join->build != NULL)
			bytes += join->build->rows * (compiled->join[foreach_current_index(lc)].ncolumns * sizeof(uint64) + TABLE_ROW_BYTES);
	}
	return Max(ceil(bytes / device_join_bytes()), 1);
}

/* Cost of a pass on either device; that on the GPU is INFINITY where there is none. */
typedef struct EitherPass
{
	PassCost	cpu;
	PassCost	gpu;
} EitherPass;

/*
 * Add the time for taking memory in the pool for the columns that a pass leaves there.  Where that is much, the
 * columns are left to a worker to build.  It is no part of that worker's price (cost_building()): nobody waits for it.
 */
static void
add_memory(const Candidate *candidate, const CompileResult *compiled, double cached, EitherPass *either)
{
	CachedBytes	cached_bytes;
	double		ns;

	/* columns take less memory than the pages that they come from */
	if (!gpudb_cache || cached == 1 || pool_ns_to_take((double) candidate->rel->pages * BLCKSZ) < LEAST_NS_OF_MEMORY)
		return;
	cached_bytes = cost_bytes_to_cache(candidate, compiled);
	/* the backend waits for the memory while the other threads work */
	ns = pool_ns_to_take(cached_bytes.bytes * (1 - cached)) / cost_gain_of_threads(threads_over(candidate->rel));
	either->cpu.ms += ns / 1e6;
	either->cpu.cost += ns / NS(pg_unit);
	if (cached_bytes.texts)
		return;
	either->gpu.ms += ns / 1e6;
	either->gpu.cost += ns / NS(pg_unit);
}

static EitherPass
cost_either_over(const Candidate *candidate, const CompileResult *compiled, GroupCount groups)
{
	const RelOptInfo *rel = candidate->rel;
	const bool	may_gpu = device_may_use_gpu() && program_suits_gpu(compiled->program);
	const double cached = cost_cached_part(candidate, compiled, groups.found);
	/* unless most is cached, all is read; rows come from pages, and so do texts that groups are made of */
	const double gpu_pages = cached > 0.5 && groups.found > 0 && !program_keys_own_texts(compiled->program) ? 1 - cached : 1;
	const double times = may_gpu ? npasses_on_gpu(candidate, compiled) : 0;
	const double cpu = ns_on_cpu(candidate, compiled, groups.found, 1 - cached);
	const double gpu = may_gpu ? times * ns_on_gpu(candidate, compiled, groups, gpu_pages) : INFINITY;
	double		page;
	EitherPass	either = {.cpu = {.groups = groups.found, .ms = cpu / 1e6}, .gpu = {.groups = groups.found, .ms = gpu / 1e6, .on_gpu = true}};

	get_tablespace_page_costs(rel->reltablespace, NULL, &page);
	either.cpu.cost = page * rel->pages * (1 - cached) + cpu / NS(pg_unit);
	either.gpu.cost = page * rel->pages * gpu_pages * times + gpu / NS(pg_unit);
	if (rel->pages >= COST_LEAST_PAGES_OUTSIDE && cached < 1)
	{
		const double outside = page * rel->pages * cost_part_outside(candidate);

		either.cpu.ms += outside * (1 - cached) * NS(pg_unit) / 1e6;
		either.gpu.ms += outside * gpu_pages * times * NS(pg_unit) / 1e6;
		either.cpu.cost += page * rel->pages * (1 - cached) * slower_pages(candidate, groups);
		either.gpu.cost += page * rel->pages * gpu_pages * slower_pages(candidate, groups);
		either.cpu.resident = cost_resident_pages(candidate) * (1 - cached);
		either.gpu.resident = cost_resident_pages(candidate) * gpu_pages * times;
	}
	if (groups.found > 0 || compiled->gives_rows)
		add_memory(candidate, compiled, cached, &either);
	return either;
}

bool
cost_is_gpu_better(DeviceCost cost)
{
	return isfinite(cost.gpu) && (gpudb_device == DEVICE_GPU || cost.gpu < cost.cpu);
}

Cost
cost_least(DeviceCost cost)
{
	return cost_is_gpu_better(cost) ? cost.gpu : cost.cpu;
}

static PassCost
better_pass(const EitherPass *either)
{
	return cost_is_gpu_better((DeviceCost) {.cpu = either->cpu.cost, .gpu = either->gpu.cost}) ? either->gpu : either->cpu;
}

void
cost_add(DeviceCost *cost, DeviceCost more)
{
	cost->cpu += more.cpu;
	cost->gpu += more.gpu;
}

PassCost
cost_pass(const Candidate *candidate, const CompileResult *compiled, GroupCount groups)
{
	const EitherPass either = cost_either_over(candidate, compiled, groups);

	return better_pass(&either);
}

double
cost_building(const Candidate *candidate, const CompileResult *compiled)
{
	CompileResult columns = *compiled;
	double		page;

	get_tablespace_page_costs(candidate->rel->reltablespace, NULL, &page);
	columns.op_cost = 0;
	return (ns_on_cpu(candidate, &columns, 0, 1) + page * candidate->rel->pages * cost_part_outside(candidate) * NS(pg_unit)) / 1e6;
}

List *
cost_private(const PassCost *pass)
{
	return list_make3(makeInteger(pass->on_gpu), makeInteger((int) Min(pass->ms * 1000, INT_MAX)),
					  makeInteger((int) Min(pass->groups, INT_MAX)));
}

bool
cost_on_gpu(const List *private)
{
	return intVal(linitial(private)) != 0;
}

Cost
cost_rows_out(const CompileResult *compiled, double rows)
{
	double		ns = compiled->gives_rows ? NS(output_row) + compiled->nattributes * NS(output_value) : NS(row_out);

	return rows * ns / NS(pg_unit);
}

/*
 * Cost of putting a row into a tuplestore and taking it out again, in units of returning a row from its heap tuple: it
 * is formed, copied and read.
 */
#define SPOOLED_ROW		2

Cost
cost_spooled(double rows, int width)
{
	const double bytes = rows * (SizeofMinimalTupleHeader + MAXALIGN(width));
	Cost		cost = rows * SPOOLED_ROW * NS(row_out) / NS(pg_unit);

	/* written to a temporary file and read back, as cost_material() counts it */
	if (bytes > work_mem * 1024.0)
		cost += seq_page_cost * ceil(bytes / BLCKSZ);
	return cost;
}

/* Convert nanoseconds on either device to the planner's units; on the CPU, all threads share the work. */
static DeviceCost
cost_of_work(double cpu, double gpu)
{
	return (DeviceCost) {.cpu = cpu / cost_gain_of_threads(threads_wanted()) / NS(pg_unit), .gpu = gpu / NS(pg_unit)};
}

/*
 * Return the time of looking up a row in a join table.  It is half of finding a group among as many rows: nothing is
 * compared, and nothing added.
 */
static double
ns_of_probe(double build_rows)
{
	return cost_ns_of_group(build_rows) / 2;
}

DeviceCost
cost_build(double rows, int ncolumns, bool as_columns)
{
	const double cpu = rows * (cost_ns_of_group(rows) / 2 + (as_columns ? NS(cpu_row) : NS(row_out)));
	const double bytes = rows * (TABLE_ROW_BYTES + ncolumns * sizeof(uint64));
	const double copy = NS(gpu_copy_start) + bytes / BLCKSZ * NS(gpu_copy_page);
	DeviceCost	cost = {.cpu = cpu / NS(pg_unit), .gpu = (cpu + copy) / NS(pg_unit)};

	/* a table that exceeds its memory would be left to PostgreSQL */
	if (bytes > guc_join_bytes())
		cost_add(&cost, (DeviceCost) {disable_cost, disable_cost});
	return cost;
}

Cost
cost_materialized_table(double rows, int ncolumns)
{
	return (NS(gpu_table) + rows * (ncolumns * sizeof(uint64) / BLCKSZ * NS(gpu_read_page) + MATERIALIZED_ROW_WORDS * NS(gpu_read_word))) / NS(pg_unit);
}

DeviceCost
cost_probe(double lanes, double probe_rows, double build_rows)
{
	return cost_of_work(lanes * LOOK_OPS * NS(cpu_op) + probe_rows * ns_of_probe(build_rows),
						lanes * LOOK_OPS * ns_of_gpu_op() + probe_rows * PROBE_WORDS * NS(gpu_read_word));
}

DeviceCost
cost_loop(double lanes)
{
	return cost_of_work(0, lanes * LOOP_OPS * ns_of_gpu_op());
}

/* Cost of making a pair and testing a condition on it, as opcodes.def counts. */
#define PAIR_OP_COST (op_info[VMOP_EXPAND].cost / 10.0 + 2 * op_info[VMOP_FETCH_I].cost / 10.0 + 1)

DeviceCost
cost_pairs(double pairs)
{
	return cost_of_work(pairs * NS(cpu_op) * PAIR_OP_COST, pairs * GENERAL_FACTOR * ns_of_gpu_op() * PAIR_OP_COST);
}

/* Return the cost, on either device, of a pass with a candidate's joins and what is computed above them. */
static EitherPass
cost_either_joined(const Candidate *candidate, const CompileResult *compiled, const CompileResult *filters, double rows, GroupCount groups)
{
	const double above = Max(compiled->op_cost - filters->op_cost - (groups.found > 1 ? GROUP_OP_COST : 0), 0);
	DeviceCost	work = cost_of_work(rows * (NS(cpu_op) * above + cost_ns_of_group(groups.found)),
									rows * (ns_of_gpu_op() * above + (groups.found > 1 ? NS(gpu_read_word) : 0)) +
									ns_of_gpu_groups(candidate->rel, compiled, groups));
	CompileResult below = *compiled;
	EitherPass	either;

	work.cpu += ns_of_merging(rows, groups.found, threads_wanted()) / NS(pg_unit);
	/* the pass reads the columns of the whole program */
	below.op_cost = filters->op_cost;
	either = cost_either_over(candidate, &below, NO_KEYS);
	cost_add(&work, candidate->probes);
	either.cpu.groups = either.gpu.groups = groups.found;
	either.cpu.resident = either.gpu.resident = 0;
	either.cpu.ms += work.cpu * NS(pg_unit) / 1e6;
	either.gpu.ms += work.gpu * NS(pg_unit) / 1e6;
	either.cpu.cost += work.cpu + candidate->builds.cpu;
	either.gpu.cost += work.gpu + candidate->builds.gpu;
	return either;
}

PassCost
cost_joined_pass(const Candidate *candidate, const CompileResult *compiled, const CompileResult *filters, double rows,
				 GroupCount groups)
{
	const EitherPass either = cost_either_joined(candidate, compiled, filters, rows, groups);

	return better_pass(&either);
}

PassCost
cost_materialized_pass(const Candidate *candidate, const CompileResult *compiled, const CompileResult *filters, double rows)
{
	const double fetch = NS(gpu_copy_start) + rows * compiled->program->nmaterialized * sizeof(uint64) / BLCKSZ * NS(gpu_fetch_page);
	PassCost	pass = cost_either_joined(candidate, compiled, filters, rows, NO_KEYS).gpu;

	pass.cost += fetch / NS(pg_unit);
	pass.ms += fetch / 1e6;
	return pass;
}

Cost
cost_other_columns(const Candidate *minimal, const CompileResult *filters)
{
	double		ns = minimal->all_filters->fetch_cost - NS(cpu_attribute) * attributes_passed(minimal->relation, last_attribute(filters));

	for (int i = 0; i < filters->ncolumns; i++)
		ns -= least_of_column(filters->column[i].type);
	return Max(ns, 0) * minimal->rel->tuples * (1 - cost_cached_part(minimal, minimal->all_filters, 1)) / cost_gain_of_threads(threads_wanted()) / NS(pg_unit);
}

DeviceCost
cost_rows(Candidate *candidate)
{
	if (candidate->rows_cost == NULL)
	{
		CompileResult filters = *candidate->filters;
		EitherPass	either;

		/* if all outputs can be had as columns, they may come from cached ones */
		filters.gives_rows = true;
		either = cost_either_over(candidate, &filters, NO_AGGREGATES);
		candidate->rows_cost = palloc(sizeof(DeviceCost));
		*candidate->rows_cost = (DeviceCost) {either.cpu.cost, either.gpu.cost};
	}
	return *candidate->rows_cost;
}

DeviceCost
cost_pipeline(Candidate *candidate)
{
	DeviceCost	cost;

	if (candidate->filters_cost == NULL)
	{
		const CompileResult *filters = candidate_all_filters(candidate);

		candidate->filters_cost = palloc0(sizeof(DeviceCost));
		if (filters->reason == NULL)
		{
			const EitherPass either = cost_either_over(candidate, filters, NO_KEYS);

			*candidate->filters_cost = (DeviceCost) {either.cpu.cost, either.gpu.cost};
		}
	}
	cost = *candidate->filters_cost;
	cost_add(&cost, candidate->builds);
	cost_add(&cost, candidate->probes);
	return cost;
}

Cost
cost_least_of_groups(double lanes, double rows, double groups, int computed)
{
	const double threads = threads_wanted();
	/* counting, which costs as much as a key, is the cheapest aggregate of groups */
	const double run = lanes * computed * op_info[VMOP_KEY_I].cost / 10.0 * NS(cpu_op) + rows * cost_ns_of_group(groups);

	/* grouping on a GPU takes hardly longer than the pass alone */
	if (device_may_use_gpu())
		return 0;
	return (run / cost_gain_of_threads(threads) + ns_of_merging(rows, groups, threads)) / NS(pg_unit);
}

Cost
cost_groups_out(double groups)
{
	return groups * NS(group_out) / NS(pg_unit);
}

double
cost_groups_of_threads(double groups, double rows)
{
	const int	threads = threads_wanted();

	return threads == 0 ? groups : Min(groups * (threads + 1), Max(rows, groups) + groups);
}

double
cost_group_bytes(const Program *program)
{
	/* tables double as they grow */
	return (program->row_words + 3) * sizeof(uint64) * 2;
}
