/*
 * params.c
 *		Values of parameters and stable expressions when a run starts.
 *
 * A subplan never runs in a subtransaction of gpudb's: its scans' resources
 * belong to the query and must outlive the subtransaction.
 */
#include "postgres.h"

#include "access/tableam.h"
#include "access/xact.h"
#include "executor/executor.h"
#include "jit/jit.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "exec/join/joins.h"
#include "exec/node/params.h"
#include "exec/run/node.h"
#include "exec/run/subtransaction.h"

/* Part of a relation that PostgreSQL may probe: 1 / PROBE_SHARE of its pages, but at least PROBE_MIN_PAGES. */
#define PROBE_SHARE 32
#define PROBE_MIN_PAGES 64

static bool
find_walker(Node *expr, void *arg)
{
	GpuNode    *node = arg;
	const Param *param = (const Param *) expr;

	if (expr == NULL)
		return false;
	if (IsA(expr, Param) && param->paramkind == PARAM_EXEC)
		node->exec_params = list_append_unique_int(node->exec_params, param->paramid);
	return expression_tree_walker(expr, find_walker, arg);
}

void
params_find(GpuNode *node)
{
	ListCell   *lc;

	find_walker((Node *) node->request.quals, node);
	find_walker((Node *) node->request.keys, node);
	find_walker((Node *) node->request.aggs, node);
	foreach(lc, node->request.joins)
	{
		const JoinRequest *join = lfirst(lc);

		find_walker((Node *) join->conditions, node);
		find_walker((Node *) join->filters, node);
	}
}

static bool
waits(const GpuNode *node, int paramid)
{
	return node->css.ss.ps.ps_ExprContext->ecxt_param_exec_vals[paramid].execPlan != NULL;
}

bool
params_wait(const GpuNode *node)
{
	ListCell   *lc;

	foreach(lc, node->exec_params)
		if (waits(node, lfirst_int(lc)))
			return true;
	return false;
}

/* Replace INDEX_VARs by the expressions of the scan target list that they stand for. */
static Node *
resolve_mutator(Node *expr, void *arg)
{
	List	   *scan_tlist = arg;

	if (expr == NULL)
		return NULL;
	if (IsA(expr, Var) && ((Var *) expr)->varno == INDEX_VAR)
		return resolve_mutator((Node *) list_nth_node(TargetEntry, scan_tlist, ((Var *) expr)->varattno - 1)->expr,
							   arg);
	return expression_tree_mutator(expr, resolve_mutator, arg);
}

/* Expressions that PostgreSQL computes for each row: filters; keys; an aggregate's filter and then its arguments. */
typedef struct Probe
{
	ExprState  *quals;
	List	   *keys;			/* ExprStates */
	List	   *agg_filters;	/* ExprStates, NULL for none */
	List	   *agg_args;		/* lists of ExprStates */
} Probe;

static ExprState *
init_expr(GpuNode *node, Node *expr)
{
	return ExecInitExpr((Expr *) resolve_mutator(expr, node->scan_tlist), NULL);
}

static void
init_probe(GpuNode *node, Probe *probe)
{
	ListCell   *lc;
	ListCell   *arg;

	*probe = (Probe) {
		.quals = ExecInitQual((List *) resolve_mutator((Node *) node->request.quals, node->scan_tlist), NULL)
	};
	/* keys and aggregates also need rows of other relations */
	if (node->njoins > 0)
		return;
	foreach(lc, node->request.keys)
		probe->keys = lappend(probe->keys, init_expr(node, lfirst(lc)));
	foreach(lc, node->request.aggs)
	{
		Aggref	   *agg = lfirst_node(Aggref, lc);
		List	   *args = NIL;

		foreach(arg, agg->args)
			args = lappend(args, init_expr(node, (Node *) lfirst_node(TargetEntry, arg)->expr));
		probe->agg_filters = lappend(probe->agg_filters, init_expr(node, (Node *) agg->aggfilter));
		probe->agg_args = lappend(probe->agg_args, args);
	}
}

static bool
is_true(ExprState *state, ExprContext *econtext)
{
	bool		isnull;
	Datum		value = ExecEvalExprSwitchContext(state, econtext, &isnull);

	return !isnull && DatumGetBool(value);
}

/* Evaluate expressions for their side effects, discarding the values. */
static void
evaluate_all(List *states, ExprContext *econtext)
{
	ListCell   *lc;
	bool		isnull;

	foreach(lc, states)
		ExecEvalExprSwitchContext(lfirst(lc), econtext, &isnull);
}

static void
probe_row(const Probe *probe, ExprContext *econtext)
{
	ListCell   *filter;
	ListCell   *args;

	ResetExprContext(econtext);
	if (!ExecQual(probe->quals, econtext))
		return;
	evaluate_all(probe->keys, econtext);
	forboth(filter, probe->agg_filters, args, probe->agg_args)
		if (lfirst(filter) == NULL || is_true(lfirst(filter), econtext))
			evaluate_all(lfirst(args), econtext);
}

bool
params_probe(GpuNode *node)
{
	BlockNumber last_page;
	TableScanDesc scan;
	TupleTableSlot *slot;
	Probe		probe;
	ExprContext *econtext = node->css.ss.ps.ps_ExprContext;
	MemoryContext old;
	bool		waiting = params_wait(node);
	bool		exhausted = false;

	if (!waiting)
		return true;
	if (node->nchildren > 0)
	{
		node_note_fallback(node, "subplan", "a subplan's value is wanted for several child relations");
		return false;
	}
	/* rows that one filter has left out raise no errors in the other filters */
	if (joins_have_filter(node) && !compile_cannot_fail((Node *) node->request.quals))
	{
		node_note_fallback(node, "subplan", "a subplan's value is wanted beside NOT IN");
		return false;
	}
	old = MemoryContextSwitchTo(node->run_context);
	last_page = Max(RelationGetNumberOfBlocks(node->relation) / PROBE_SHARE, PROBE_MIN_PAGES);
	slot = table_slot_create(node->relation, NULL);
	scan = table_beginscan_strat(node->relation, node->css.ss.ps.state->es_snapshot, 0, NULL, true, false);
	init_probe(node, &probe);
	econtext->ecxt_scantuple = slot;
	while (waiting && !exhausted)
	{
		CHECK_FOR_INTERRUPTS();
		exhausted = !table_scan_getnextslot(scan, ForwardScanDirection, slot);
		if (exhausted || ItemPointerGetBlockNumber(&slot->tts_tid) > last_page)
			break;
		probe_row(&probe, econtext);
		waiting = params_wait(node);
	}
	table_endscan(scan);
	ExecDropSingleTupleTableSlot(slot);
	econtext->ecxt_scantuple = NULL;
	MemoryContextSwitchTo(old);
	MemoryContextReset(node->run_context);
	if (waiting && (!exhausted || node->njoins > 0))
	{
		node_note_fallback(node, "subplan", "no row among the first asked for a subplan's value");
		return false;
	}
	return true;
}

/*
 * Initialize an expression that is evaluated once, without PostgreSQL's JIT.  The
 * query's JIT context would belong to the resource owner of the subtransaction
 * in which the expression may be evaluated, and end with it.
 */
static ExprState *
init_for_once(GpuNode *node, Expr *expr)
{
	EState	   *estate = node->css.ss.ps.state;
	const int	flags = estate->es_jit_flags;
	ExprState  *volatile state = NULL;

	estate->es_jit_flags = PGJIT_NONE;
	PG_TRY();
	{
		state = ExecInitExpr(expr, &node->css.ss.ps);
	}
	PG_FINALLY();
	{
		estate->es_jit_flags = flags;
	}
	PG_END_TRY();
	return state;
}

static Const *
evaluate(GpuNode *node, Expr *expr)
{
	ExprContext *econtext = node->css.ss.ps.ps_ExprContext;
	ExprState  *state = init_for_once(node, expr);
	Oid			type = exprType((Node *) expr);
	int16		length;
	bool		byval;
	bool		isnull;
	Datum		value = ExecEvalExprSwitchContext(state, econtext, &isnull);

	get_typlenbyval(type, &length, &byval);
	if (!isnull)
		value = datumCopy(value, byval, length);
	return makeConst(type, exprTypmod((Node *) expr), exprCollation((Node *) expr), length, value, isnull, byval);
}

/* An evaluation that may raise an error, run in a subtransaction. */
typedef struct Evaluation
{
	GpuNode    *node;
	Expr	   *expr;
	Const	   *value;
} Evaluation;

static void
evaluate_work(void *arg)
{
	Evaluation *evaluation = arg;

	evaluation->value = evaluate(evaluation->node, evaluation->expr);
}

/*
 * Evaluate an expression that may raise an error in a subtransaction; return
 * NULL if it does.  PostgreSQL might never have evaluated the expression, so the
 * error must not be raised here.
 */
static Const *
evaluate_in_subtransaction(GpuNode *node, Expr *expr)
{
	Evaluation	evaluation = {node, expr, NULL};

	/* a subplan may start workers, for which parallel mode must not be left */
	return !IsInParallelMode() && run_in_subtransaction(evaluate_work, &evaluation) ? evaluation.value : NULL;
}

/* Return true if an expression refers to a subplan that has not run. */
static bool
waits_walker(Node *expr, void *arg)
{
	const Param *param = (const Param *) expr;

	if (expr == NULL)
		return false;
	if (IsA(expr, Param) && param->paramkind == PARAM_EXEC && waits(arg, param->paramid))
		return true;
	return expression_tree_walker(expr, waits_walker, arg);
}

/* Return true if an expression may be computed without evaluating some of its operands. */
static bool
does_without_walker(Node *expr, void *arg)
{
	if (expr == NULL)
		return false;
	if (IsA(expr, CaseExpr) || IsA(expr, CoalesceExpr) || IsA(expr, BoolExpr) || IsA(expr, RowCompareExpr))
		return true;
	return expression_tree_walker(expr, does_without_walker, arg);
}

Const *
param_value(void *arg, Expr *expr)
{
	GpuNode    *node = arg;

	/* no row asked for the subplan's value, nor for a value that cannot be computed without it */
	if (waits_walker((Node *) expr, node))
		return does_without_walker((Node *) expr, NULL) ? NULL
			: makeNullConst(exprType((Node *) expr), exprTypmod((Node *) expr), exprCollation((Node *) expr));
	return IsA(expr, Param) ? evaluate(node, expr) : evaluate_in_subtransaction(node, expr);
}
