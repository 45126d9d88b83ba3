/*
 * explain.c
 *		Shows the properties of gpudb nodes in EXPLAIN.
 */
#include "postgres.h"

#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/ruleutils.h"

#include "pg_compat.h"
#include "device/device.h"
#include "exec/join/joins.h"
#include "exec/node/explain.h"
#include "exec/node/lifecycle.h"
#include "exec/run/children.h"
#include "exec/run/node.h"

char *
node_expr_text(Node *expr, const CustomScanState *css, List *ancestors, ExplainState *es)
{
	bool		prefix = list_length(es->rtable) > 1 || es->verbose;
	List	   *context = set_deparse_context_plan(es->deparse_cxt, css->ss.ps.plan, ancestors);

	return deparse_expression(expr, context, prefix, false);
}

void
node_explain_expr(const char *label, Node *expr, const CustomScanState *css, List *ancestors, ExplainState *es)
{
	ExplainPropertyText(label, node_expr_text(expr, css, ancestors, es), es);
}

void
node_explain_list(const char *label, const List *exprs, const CustomScanState *css, List *ancestors, ExplainState *es)
{
	List	   *texts = NIL;
	ListCell   *lc;

	foreach(lc, exprs)
		texts = lappend(texts, node_expr_text(lfirst(lc), css, ancestors, es));
	if (texts != NIL)
		ExplainPropertyList(label, texts, es);
}

/* Reset the node to its state before it ran, which does not depend on values. */
static void
forget_runs(GpuNode *node)
{
	if (node->running)
		node_end_run(node);
	memset(node->scales, 0, sizeof(int16) * (RelationGetNumberOfAttributes(node->relation) + 1));
	node->whole_texts = node->without_dicts = false;
	node->without_gpu = NULL;
	node_keep_rows(node, false);
	node->request.give_rows = !node->request.aggregate && !node->fetches;
	node->device = NULL;
	node->report.device_why = NULL;
}

static bool
compile_request(GpuNode *node)
{
	CompileInput input = {
		.varno = node->relid, .scan_tlist = node->scan_tlist, .relation = RelationGetRelid(node->relation),
		.whole_texts = node->whole_texts, .scales = node->scales, .dict_sizes = node_offer_dicts(node, ROOM_FOR_ONE)
	};

	if (node->compiled.program != NULL)
		return true;
	if (node->device == NULL || node->device == &remote_device)
		node_choose_keeping(node);
	if (compile_check(&input, &node->request, &node->compiled) || !node->request.keep_rows)
		return node->compiled.reason == NULL;
	node->report.device_why = node_why_not_materialized(node);
	node_keep_rows(node, false);
	return compile_check(&input, &node->request, &node->compiled);
}

/* Compile as the executor would, for a plan that has not run; only the first one of several programs. */
static bool
compile_for_explain(GpuNode *node)
{
	List	   *all = node->request.aggs;
	bool		compiled;

	if (node->parts != NIL)
		node->request.aggs = linitial(node->parts);
	compiled = compile_request(node);
	node->request.aggs = all;
	return compiled;
}

static void
explain_device(GpuNode *node, ExplainState *es)
{
	const Device *device = node->device;
	const char *why = NULL;

	if (device == NULL && compile_for_explain(node))
		device = device_choose(node->compiled.program, node->prefer_gpu, &why);
	if (device == NULL)
		return;
	if ((node->device != NULL || why != NULL) && node->report.device_why != NULL)
		why = node->report.device_why;
	if (why != NULL)
		ExplainPropertyText("Device", psprintf("%s (%s)", device->name, why), es);
	else
		ExplainPropertyText("Device", device->name, es);
}

/* Return the number of page batches that the relations read by the node have; 0 if nothing was read. */
static int64
page_batches_of(const GpuNode *node)
{
	int64		page_batches = 0;

	if (node->report.feed.page_batches + node->report.feed.tablets_skipped == 0)
		return 0;
	for (int m = 0; m < Max(node->nchildren, 1); m++)
		page_batches += ((int64) RelationGetNumberOfBlocks(children_at(node, m)) + PAGE_BATCH_PAGES - 1) / PAGE_BATCH_PAGES;
	return page_batches;
}

/*
 * Show the figures of a node that reads rows which may be hidden from the
 * user: only what would be read with nothing cached and without fallback.  All
 * other figures depend on values.
 */
static void
explain_secret_report(const GpuNode *node, ExplainState *es)
{
	const FeedReport *feed = &node->report.feed;

	ExplainPropertyInteger("Tablets", NULL, page_batches_of(node), es);
	ExplainPropertyInteger("Rows In", NULL, feed->rows_in + feed->rows_skipped, es);
}

/* Show the figures of a node; times only if the user asks for times. */
static void
explain_report(GpuNode *node, ExplainState *es)
{
	const NodeReport *report = &node->report;
	const FeedReport *feed = &report->feed;

	if (report->fallback_reason)
		ExplainPropertyText("Fallback", psprintf("%s (%s)", report->fallback_reason, report->fallback_text), es);
	if (report->rounds > 0)
		ExplainPropertyInteger("Rounds", NULL, report->rounds, es);
	if (report->sampled > 0)
		ExplainPropertyInteger("Rounds of a Sample", NULL, report->sampled, es);
	ExplainPropertyInteger("Tablets", NULL, feed->page_batches, es);
	if (feed->tablets_found > 0)
		ExplainPropertyInteger("Tablets Cached", NULL, feed->tablets_found, es);
	if (feed->tablets_skipped > 0)
		ExplainPropertyInteger("Tablets Skipped", NULL, feed->tablets_skipped, es);
	if (feed->blocks_reread > 0)
		ExplainPropertyInteger("Cached Blocks Reread", NULL, feed->blocks_reread, es);
	if (feed->tablets_added > 0)
		ExplainPropertyInteger("Tablets Added", NULL, feed->tablets_added, es);
	if (node->fetches)
		ExplainPropertyInteger("Rows Fetched", NULL, feed->rows_fetched, es);
	if (report->fallback_page_batches > 0)
		ExplainPropertyInteger("Tablets by PostgreSQL", NULL, report->fallback_page_batches, es);
	if (feed->left_page_batches > 0)
		ExplainPropertyInteger("Tablets on CPU", NULL, feed->left_page_batches, es);
	if (feed->left_for != STATUS_DONE)
		ExplainPropertyText("Left to CPU", psprintf("%s (%s)", feed_left_reason(feed), status_text(feed->left_for)), es);
	if (feed->feeders > 0)
		ExplainPropertyInteger("Feeders", NULL, feed->feeders, es);
	ExplainPropertyInteger("Rows In", NULL, feed->rows_in, es);
	if (es->buffers)
	{
		ExplainPropertyInteger("Pages Pinned", NULL, feed->pages_pinned, es);
		ExplainPropertyInteger("Pages Copied", NULL, feed->pages_copied, es);
		if (feed->column_bytes > 0)
			ExplainPropertyInteger("Column Bytes", NULL, feed->column_bytes, es);
	}
	if (es->timing)
	{
		ExplainPropertyFloat("Device Time", "ms", report->device_ms, 3, es);
		ExplainPropertyFloat("Feed Time", "ms", feed->feed_ms, 3, es);
		ExplainPropertyFloat("Build Time", "ms", feed->times.deform_ns / 1e6, 3, es);
		ExplainPropertyFloat("Kernel Time", "ms", feed->times.run_ns / 1e6, 3, es);
	}
}

/* Show the program, one property for each body. */
static void
explain_program(GpuNode *node, ExplainState *es)
{
	static const char *const label[] = {"Program", "Wide Program"};
	const Program *program = node->compiled.program;

	for (int body = BODY_NARROW; body <= BODY_WIDE; body++)
	{
		char	   *text;
		uint32		length;

		if (!program->body[body].exists)
			continue;
		length = program_disassemble(program, body, NULL, 0);
		text = palloc(length + 1);
		program_disassemble(program, body, text, length + 1);
		ExplainPropertyText(label[body], text, es);
	}
}

void
node_explain(CustomScanState *css, List *ancestors, ExplainState *es)
{
	GpuNode    *node = (GpuNode *) css;
	const NodeMethods *methods = methods_of(node);

	if (node->secret)
		forget_runs(node);
	explain_device(node, es);
	if (node->nchildren > 0)
		ExplainPropertyInteger("Child Relations", NULL, node->nchildren, es);
	if (node->request.quals != NIL)
		node_explain_expr("GPU Filter", (Node *) make_ands_explicit(list_copy(node->request.quals)), css, ancestors, es);
	joins_explain(node, ancestors, es);
	if (node->request.outputs != NIL && compile_for_explain(node) && node->compiled.gives_rows)
		node_explain_list("GPU Output", node->request.outputs, css, ancestors, es);
	node_explain_list("GPU Group Key", node->request.keys, css, ancestors, es);
	node_explain_list("GPU Aggregates", node->request.aggs, css, ancestors, es);
	if (node->parts != NIL)
		ExplainPropertyInteger("Programs", NULL, list_length(node->parts), es);
	if (methods->explain != NULL)
		methods->explain(node, ancestors, es);
	if (es->costs)
		ExplainPropertyFloat("Predicted Time", "ms", node->predicted_ms, 3, es);
	if (es->analyze)
	{
		/* A scan that is still open has not added its own figures yet. */
		if (node->running)
			node_end_run(node);
		if (node->secret)
			explain_secret_report(node, es);
		else
			explain_report(node, es);
	}
	if (es->verbose && compile_for_explain(node))
		explain_program(node, es);
}
