/*
 * lifecycle.c
 *		Begin, run and end of GpuScan, GpuAgg and GpuJoin.
 *
 * Threads read pinned pages and memory of the run while a job has items in
 * flight.  Therefore no node returns to its parent with items in flight, the
 * nodes drain the job before they let an error pass, and a memory-context
 * callback closes what an error in a node above leaves behind.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "optimizer/optimizer.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "device/device.h"
#include "device/threads.h"
#include "exec/build/auto_prewarm.h"
#include "exec/join/joins.h"
#include "exec/join/multipass_join.h"
#include "exec/node/lifecycle.h"
#include "exec/node/params.h"
#include "exec/run/children.h"
#include "exec/run/debug_program.h"
#include "exec/run/node.h"
#include "exec/run/require.h"
#include "exec/run/stat.h"
#include "guc.h"
#include "pg_compat.h"
#include "tablet/read/build.h"

/*
 * Number of compilations of a program until its joins' tables have what it
 * wants, besides one for each table that cannot have dictionary codes.
 */
#define MAX_JOIN_ROUNDS 4

static NodeReport last_report;

/* Close the jobs and return the threads when the run's memory context is reset, after an error or at the end. */
static void
cleanup_callback(void *arg)
{
	GpuNode    *node = arg;

	feed_abandon(&node->feed);
	feed_abandon(&node->child_feed);
	threads_return(node->threads);
	node->threads = 0;
}

GpuNode *
node_create(size_t size, const NodeMethods *methods)
{
	GpuNode    *node = palloc0(size);

	NodeSetTag(node, T_CustomScanState);
	node->css.methods = &methods->exec;
	return node;
}

TupleTableSlot *
node_exec(CustomScanState *css)
{
	GpuNode    *node = (GpuNode *) css;
	TupleTableSlot *slot;

	PG_TRY();
	{
		slot = methods_of(node)->next_row(node);
	}
	PG_CATCH();
	{
		cleanup_callback(node);
		PG_RE_THROW();
	}
	PG_END_TRY();
	return slot;
}

void
node_begin(GpuNode *node, EState *estate, int eflags)
{
	CustomScan *plan = (CustomScan *) node->css.ss.ps.plan;

	node->eflags = eflags;
	node->prefer_gpu = intVal(linitial(list_nth(plan->custom_private, NODE_PRIVATE_PASS))) != 0;
	node->predicted_ms = intVal(lsecond(list_nth(plan->custom_private, NODE_PRIVATE_PASS))) / 1000.0;
	node->predicted_groups = intVal(lthird(list_nth(plan->custom_private, NODE_PRIVATE_PASS)));
	node->request.nopen = intVal(list_nth(plan->custom_private, NODE_PRIVATE_SECRET)) - 1;
	node->secret = node->request.secret = node->request.nopen >= 0;
	node->scan_tlist = plan->custom_scan_tlist;
	if (plan->scan.scanrelid > 0)
	{
		node->relid = plan->scan.scanrelid;
		node->relation = node->css.ss.ss_currentRelation;
	}
	else
	{
		node->relid = node_driver(plan);
		node->computation = (uint32) intVal(list_nth(plan->custom_private, NODE_PRIVATE_HASH));
		node->relation = ExecOpenScanRelation(estate, node->relid, eflags);
		children_begin(node);
		joins_begin(node, estate);
	}
	node->run_context = AllocSetContextCreate(estate->es_query_cxt, "gpudb run", ALLOCSET_DEFAULT_SIZES);
	node->scales = MemoryContextAllocZero(estate->es_query_cxt,
										  sizeof(int16) * (RelationGetNumberOfAttributes(node->relation) + 1));
	for (int a = 0; a <= RelationGetNumberOfAttributes(node->relation); a++)
		node->scales[a] = SCALE_FIRST_GUESS;
}

/* Return the attributes that the node reads, offset as by pull_varattnos(). */
static Bitmapset *
attributes_of(const GpuNode *node)
{
	Bitmapset  *attributes = NULL;

	pull_varattnos((Node *) node->scan_tlist, node->relid, &attributes);
	pull_varattnos((Node *) node->request.quals, node->relid, &attributes);
	pull_varattnos((Node *) node->request.outputs, node->relid, &attributes);
	return attributes;
}

/*
 * Compile the program and build the tables of its joins, in turns: the program
 * depends on the tables, and the columns of the tables on the program.
 */
static void
compile_over_tables(GpuNode *node, CompileInput *input)
{
	input->tables = NULL;
	for (int round = 0; round < MAX_JOIN_ROUNDS + node->njoins; round++)
	{
		DeviceStatus status;

		compile_program(input, &node->request, &node->compiled);
		if (node->compiled.reason != NULL || node->njoins == 0 || (input->tables != NULL && joins_are_built(node)))
			return;
		status = joins_build(node);
		input->tables = node->tables;
		input->dicts = node->dicts;
		/* Tables with too many distinct texts for dictionary codes are built without codes. */
		if (status == STATUS_CODES_EXCEEDED)
			input->tables = NULL;
		else if (status != STATUS_DONE)
			return;
	}
	node->compiled.reason = "expression";
}

/* Compile, reading texts as dictionary codes where the program allows it and `codes` offers them; NULL = nowhere. */
static void
compile_with_dicts(GpuNode *node, uint32 *dict_sizes)
{
	CompileInput input = {
		.varno = node->relid, .notnull = node_not_null(node),
		.scan_tlist = node->scan_tlist, .value = param_value, .value_arg = node, .relation = RelationGetRelid(node->relation),
		.whole_texts = node->whole_texts, .scales = node->scales, .dict_sizes = dict_sizes
	};
	DictSource	without;

	node->feed.dicts = NULL;
	do
	{
		ColumnWanted *wanted;

		compile_over_tables(node, &input);
		if (node->compiled.reason != NULL)
			return;
		wanted = node_columns_wanted(node);
		children_translate(node, wanted);
		node->feed.wanted = wanted;
		node->feed.dicts = run_dicts_open(children_first(node), &node->compiled, wanted, &without);
		if (without.join > 0)
			joins_refuse_dicts(node, without.join - 1);
		else if (without.attno != 0)
			dict_sizes[without.attno] = 0;
	} while (without.attno != 0);
}

uint32 *
node_offer_dicts(const GpuNode *node, CodeRoom room)
{
	/* Child relations have dictionaries of their own. */
	return node->without_dicts || node->nchildren > 0 ? NULL
		: run_dicts_offer(node->relation, node->css.ss.ps.state->es_snapshot, attributes_of(node), room);
}

/*
 * Return true if more than half of a run's texts, or of their dictionary
 * codes, are cached.  A GPU adds none to the cache, so a worker is asked to
 * build them otherwise.
 */
static bool
find_texts(const GpuNode *node)
{
	if (!node->compiled.program->aggregates)
		return false;
	if (tablet_cached_part(node->relation, node->feed.source.end, node->feed.wanted, node->compiled.ncolumns) > 0.5)
		return true;
	auto_prewarm_admit(node->relation, node->feed.wanted, node->compiled.ncolumns);
	return false;
}

void
node_keep_rows(GpuNode *node, bool keep)
{
	CompileRequest *request = &node->request;

	if (node->may_keep && (request->give_rows || request->keep_rows))
	{
		request->keep_rows = request->aggregate = keep;
		request->give_rows = !keep;
	}
}

void
node_choose_keeping(GpuNode *node)
{
	node_keep_rows(node, node->without_gpu == NULL && device_gpu_missing() == NULL && node->nchildren == 0 && !joins_end_in_full(node) &&
				   (gpudb_device == DEVICE_GPU || (gpudb_device == DEVICE_AUTO && node->prefer_gpu)));
}

/*
 * Number of runs whose room for dictionary values, which grow with each run,
 * may be exceeded before room is made for the maximum.
 */
#define MOST_OUTGROWN 2

/*
 * Compile the request and choose the device.  Return false, with the reason in
 * node->compiled, if the request cannot be compiled.
 */
static bool
compile_request(GpuNode *node)
{
	const bool	may_gpu = device_may_use_gpu();
	/* A truth table for the maximum number of codes of a dictionary does not fit into a GPU's program. */
	const bool	for_gpu = may_gpu && node->noutgrown < MOST_OUTGROWN;

	compile_with_dicts(node, node_offer_dicts(node, for_gpu ? ROOM_FOR_PRESENT : ROOM_FOR_ALL));
	if (node->compiled.reason != NULL)
		return false;
	node->device = device_choose(node->compiled.program, node->prefer_gpu, &node->report.device_why);
	if (!columns_are_coded(node->feed.wanted, node->compiled.ncolumns) || !may_gpu)
	{
		if (node->device == &remote_device && node->nchildren == 0 && columns_have_texts(node->relation, node->feed.wanted, node->compiled.ncolumns))
			(void) find_texts(node);
		return true;
	}
	if (node->device == &remote_device)
	{
		if (find_texts(node))
			return true;
		compile_with_dicts(node, NULL);
		if (node->compiled.reason == NULL)
			return true;
		node->device = &cpu_device;
		node->report.device_why = "a condition on a text column of which little is cached";
	}
	/* The CPU device assigns dictionary codes while it builds columns. */
	compile_with_dicts(node, node_offer_dicts(node, ROOM_FOR_ALL));
	return node->compiled.reason == NULL;
}

const char *
node_why_not_materialized(const GpuNode *node)
{
	if (node->compiled.reason == NULL)
		return node->report.device_why;
	if (!OidIsValid(node->compiled.not_materialized))
		return "a GPU cannot run this program";
	return MemoryContextStrdup(node->css.ss.ps.state->es_query_cxt,
							   psprintf("a GPU does not return values of type %s from joins", format_type_be(node->compiled.not_materialized)));
}

/*
 * Compile the request, with rows of joins materialized on the GPU if it can do
 * so, else without.  Return false, with the reason in node->compiled, if the
 * request cannot be compiled.
 */
static bool
compile_run(GpuNode *node)
{
	const char *why;
	bool		compiled;

	if (node->without_gpu != NULL)
		joins_fetch_to_host(node);
	node_choose_keeping(node);
	compiled = compile_request(node);
	if (!node->request.keep_rows || (compiled && node->device == &remote_device))
		return compiled;
	why = node_why_not_materialized(node);
	node_keep_rows(node, false);
	compiled = compile_request(node);
	if (gpudb_device == DEVICE_GPU)
		node->report.device_why = why;
	return compiled;
}

/* Put the tables of joins where the GPU finds them.  Return NULL, or why the GPU cannot run the program. */
static const char *
bring_to_gpu(GpuNode *node)
{
	const char *why = node->without_gpu;

	if (why == NULL)
		why = multipass_join_begin(node);
	if (why == NULL && !joins_share(node))
		why = "no room in the pool for the tables of joins";
	if (why != NULL)
		multipass_join_end(node);
	return why;
}

/*
 * Compile the request and put the tables of joins where the device finds them,
 * on the CPU device if the GPU cannot have them.  Return false, with the
 * reason in node->compiled, if the request cannot be compiled.
 */
static bool
compile_on_device(GpuNode *node)
{
	if (!compile_run(node))
		return false;
	if (node->device == &remote_device)
	{
		const char *why = bring_to_gpu(node);

		if (why != NULL)
		{
			node->device = &cpu_device;
			node->report.device_why = why;
		}
	}
	else if (node->without_gpu != NULL && gpudb_device == DEVICE_GPU)
		node->report.device_why = node->without_gpu;
	if (node->device == &remote_device || (!joins_are_device_resident(node) && !node->request.keep_rows))
		return true;
	joins_fetch_to_host(node);
	node_keep_rows(node, false);
	compile_with_dicts(node, node_offer_dicts(node, ROOM_FOR_ALL));
	return node->compiled.reason == NULL;
}

/* Estimated number of groups above which a GPU does not try first whether they are few. */
#define MANY_GROUPS 65536

/* Open a job on the device that was chosen; node->feed.job is NULL if that fails. */
static void
open_job(GpuNode *node)
{
	node->report.op_cost = node->compiled.op_cost;
	if (gpudb_debug_program[0] != '\0')
		debug_program_write(gpudb_debug_program, &node->compiled);
	node->feed.spec = (JobSpec) {
		.program = node->compiled.program, .tables = node->tables, .shared = node->shared,
		.deform = deform_spec_create(children_first(node), node->feed.wanted, node->compiled.ncolumns),
		.memory_limit = guc_group_bytes(),
		.many_groups = node->request.keys != NIL && node->predicted_groups > MANY_GROUPS, .threads = node->threads,
		.yield_after = gpudb_debug_yield, .interrupted = feed_interrupted,
		.no_other = node->request.keep != NULL || node->request.keep_rows || joins_are_device_resident(node), .keep_most = node->keep_most
	};
	run_dicts_catch_up(node->feed.dicts);
	(void) feed_open_job(&node->feed, node->device);
}

/* Return true if the node has changed its request after compiling. */
static bool
refine(GpuNode *node)
{
	const NodeMethods *methods = methods_of(node);

	return methods->refine != NULL && methods->refine(node);
}

bool
node_open_job(GpuNode *node)
{
	MemoryContext old = MemoryContextSwitchTo(node->run_context);

	require_gpu();
	if (compile_on_device(node) && (!refine(node) || compile_on_device(node)))
	{
		open_job(node);
		if (node->feed.job == NULL)
			node_note_status(node, STATUS_MEMORY_LIMIT);
	}
	else
		node_note_fallback(node, node->compiled.reason,
						   node->build_failure_reason != NULL ? node->build_failure_reason : "a value at run time is not supported");
	MemoryContextSwitchTo(old);
	return node->feed.job != NULL;
}

bool
node_try_job(GpuNode *node)
{
	MemoryContext old = MemoryContextSwitchTo(node->run_context);

	if (node->without_gpu == NULL && compile_run(node) && node->device == &remote_device && bring_to_gpu(node) == NULL)
		open_job(node);
	MemoryContextSwitchTo(old);
	return node->feed.job != NULL;
}

void
node_start_run(GpuNode *node)
{
	/* Register on the run's own context: callbacks of a parent context are called after its children are gone. */
	node->cleanup.func = cleanup_callback;
	node->cleanup.arg = node;
	MemoryContextRegisterResetCallback(node->run_context, &node->cleanup);
	feed_begin(&node->feed, node->run_context, children_first(node), node->css.ss.ps.state->es_snapshot);
	node->feed.reads_all = node->secret;
	node->feed.counts_bytes = node->css.ss.ps.instrument != NULL;
	node->running = true;
	node->multipass.count = 0;
	node->threads = threads_lease();
}

void
node_add_time(GpuNode *node, instr_time start)
{
	instr_time	now;

	INSTR_TIME_SET_CURRENT(now);
	INSTR_TIME_SUBTRACT(now, start);
	node->report.device_ms += INSTR_TIME_GET_MILLISEC(now);
}

void
node_close_job(GpuNode *node)
{
	feed_close_job(&node->feed);
}

void
node_end_run(GpuNode *node)
{
	FeedReport *report = &node->feed.report;
	int			feeders;

	feed_end(&node->feed);
	multipass_join_end(node);
	if (report->left_for != STATUS_DONE && !node->secret)
		stat_count_left(feed_left_reason(report));
	/* Report the maximum of the feeders that took part at a time. */
	feeders = Max(node->report.feed.feeders, report->feeders);
	/* The number of runs must not be disclosed either: report the last one only. */
	if (node->secret && report->page_batches + report->tablets_skipped > 0)
		memset(&node->report.feed, 0, sizeof(node->report.feed));
	feed_report_add(&node->report.feed, report);
	node->report.feed.feeders = feeders;
	memset(report, 0, sizeof(*report));
	threads_return(node->threads);
	node->threads = 0;
	node->running = false;
	node->compiled.program = NULL;
	MemoryContextReset(node->run_context);
}

const NodeReport *
node_last_report(void)
{
	return &last_report;
}

void
node_end(GpuNode *node)
{
	node_end_run(node);
	last_report = node->report;
	if (!node->secret && node->report.feed.page_batches > 0 && node->report.fallback_reason == NULL)
		stat_count_executed();
	joins_end(node);
	children_end(node);
	if (node->child != NULL)
		ExecEndNode(node->child);
}

void
node_rescan(GpuNode *node)
{
	node_end_run(node);
	joins_rescan(node);
	if (node->child != NULL)
	{
		/* ExecReScan() does not reach custom_ps */
		if (node->css.ss.ps.chgParam != NULL)
			UpdateChangedParamSet(node->child, node->css.ss.ps.chgParam);
		if (node->child->chgParam == NULL)
			ExecReScan(node->child);
	}
}

bool
node_mend_dicts(GpuNode *node)
{
	const bool	had_dicts = !node->without_dicts;

	/* Compiling again makes room for the dictionaries that have outgrown theirs. */
	if (had_dicts && run_dicts_outgrown(node->feed.dicts))
		node->noutgrown++;
	else if (had_dicts)
	{
		node->without_dicts = true;
		for (int j = 0; j < node->njoins; j++)
			joins_refuse_dicts(node, j);
	}
	return had_dicts;
}

/*
 * Make other runs avoid the GPU.  The reason does not depend on the status if
 * rows may be hidden, since their values cause it.
 */
static bool
leave_gpu(GpuNode *node, DeviceStatus status)
{
	if (node->without_gpu == NULL)
		node->without_gpu = status != STATUS_GROUPS_LOST && !node->secret ? status_text(status)
			: "the GPU process has ended with device-resident rows or groups, or has evicted some";
	return true;
}

bool
node_mend(GpuNode *node, const FeedOutcome *outcome)
{
	switch (outcome->status)
	{
		case STATUS_GROUPS_LOST:
			return leave_gpu(node, outcome->status);
		case STATUS_NO_ROOM:
			/* node->keep_most has been raised to the number of rows. */
			return node->request.keep_rows;
		case STATUS_TEXT_TOO_LONG:
			if (node->whole_texts)
				return false;
			node->whole_texts = true;
			return true;
		case STATUS_CODES_EXCEEDED:
			return node_mend_dicts(node);
		case STATUS_SCALE_EXCEEDED:
			return node_raise_scales(node, outcome->max_scale);
		default:
			/* Materialized rows need memory, and values of at most 64 bits: try without the GPU. */
			return node->request.keep_rows && leave_gpu(node, outcome->status);
	}
}

bool
node_raise_scales(GpuNode *node, const int32 *max_scale)
{
	bool		raised = false;

	for (int i = 0; i < node->compiled.ncolumns; i++)
	{
		const ColumnUse *use = &node->compiled.column[i];
		int			seen = max_scale[i];

		/* Another page batch may have raised the scale since this program was compiled. */
		if (use->second || seen <= use->scale)
			continue;
		if (seen > DECIMAL_MAX_DIGITS)
			return false;
		node->scales[use->attno] = Max(node->scales[use->attno], seen);
		raised = true;
	}
	return raised;
}
