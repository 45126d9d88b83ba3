/*
 * node.h
 *		State shared by all gpudb plan nodes, and what the planner stores in their plans.
 *
 * Life cycle of a node: BeginCustomScan opens relations and does nothing else.
 * The first request for a tuple evaluates parameters, compiles the program,
 * reads the relation under the query's snapshot and opens a job on a device: a
 * "run", which lasts until the end of the node or its next rescan.
 *
 * PostgreSQL answers what the device cannot.  GpuAgg, which returns nothing
 * before everything is computed, falls back to its child plan; GpuScan applies
 * its own filters and projection to the rows of the pages concerned.
 */
#ifndef GPUDB_EXEC_RUN_NODE_H
#define GPUDB_EXEC_RUN_NODE_H

#include "postgres.h"

#include "nodes/execnodes.h"
#include "nodes/extensible.h"
#include "portability/instr_time.h"

#include "compile/compile.h"
#include "exec/agg/top.h"
#include "exec/join/multipass_join.h"
#include "exec/run/feed.h"

/* Indexes into CustomScan.custom_private. */
enum NodePrivate
{
	/*
	 * Integer, 0 = no policy or security barrier hides rows from the user;
	 * otherwise 1 + the number of leading filters that may see all rows, and
	 * nothing may be disclosed about the rows that were read
	 */
	NODE_PRIVATE_SECRET,
	/*
	 * List of the planner's estimates for the pass: Integer, 1 = the GPU is
	 * faster; Integer, microseconds; Integer, groups
	 */
	NODE_PRIVATE_PASS,
	/* GpuScan: integer list, for each filter in PostgreSQL's order: 1 = evaluated on the device */
	NODE_PRIVATE_ON_DEVICE,
	/*
	 * Integer, number of leading entries of custom_scan_tlist that are group
	 * keys (GpuAgg) or output columns (GpuJoin)
	 */
	NODE_PRIVATE_KEYS,
	/* GpuAgg: Integer, number of aggregates; they follow the keys */
	NODE_PRIVATE_AGGS,
	/* GpuAgg, GpuJoin: Integer, hash of the computation without its constants */
	NODE_PRIVATE_HASH,
	/*
	 * GpuAgg, GpuJoin: Integer, position in custom_relids of the relation that
	 * the device reads; the others are join tables
	 */
	NODE_PRIVATE_DRIVER,
	/*
	 * List of joins, each an integer list: JoinType, 1 = keys are unique, 1 =
	 * few rows are expected, plan ID of the subplan of a NOT IN or 0; the
	 * joins' expressions stand last in custom_exprs, for a NOT IN the filter
	 * itself
	 */
	NODE_PRIVATE_JOINS,
	/* OID list: the child relations to read if the relation that the device reads is a parent, else NIL */
	NODE_PRIVATE_CHILDREN,
	/* GpuAgg: integer list for top_of_plan() */
	NODE_PRIVATE_TOP,
	/*
	 * GpuAgg: for each table with late-materialized columns a list of three:
	 * an integer list with the number of these columns, which follow the
	 * aggregates; an OID list with the index to read the table by; an integer
	 * list with the entries of custom_scan_tlist that are the keys of the
	 * index
	 */
	NODE_PRIVATE_LATE_MATERIALIZATION,
	/* GpuAgg: integer list, number of aggregates of each program; NIL = one program computes all */
	NODE_PRIVATE_PARTS,
	NODE_PRIVATE_Count,
	/* GpuScan: Integer, 1 = texts of any length are outputs */
	NODE_PRIVATE_TEXTS = NODE_PRIVATE_KEYS,
	/* GpuScan: Integer, 1 = rows that pass the filters in cached columns are fetched from their pages */
	NODE_PRIVATE_FETCHES
};

extern const CustomScanMethods gpu_scan_methods;
extern const CustomScanMethods gpu_agg_methods;
extern const CustomScanMethods gpu_join_methods;
extern const CustomScanMethods gpu_materialized_scan_methods;

/* Report of a node's execution, for EXPLAIN and the statistics. */
typedef struct NodeReport
{
	const char *fallback_reason;	/* reason code, NULL if none */
	const char *fallback_text;
	uint64		fallback_windows;	/* GpuScan: page batches left to PostgreSQL */
	double		device_ms;		/* spent by the backend on passes: feeding, waiting, fetching results */
	const char *device_why;		/* why the device is not the one asked for; NULL if it is */
	FeedReport	feed;			/* sum over all runs that have ended */
	uint64		groups_left_out;	/* groups that cannot be among the first n */
	int			rounds;			/* runs that narrowed the histograms of quantiles */
	int			sampled;		/* number of these runs that read only a sample of rows */
	double		op_cost;		/* estimated cost of the last program's instructions */
} NodeReport;

typedef struct GpuNode GpuNode;
typedef struct NodeJoin NodeJoin;
typedef struct Child Child;
typedef struct LateMaterialization LateMaterialization;
typedef struct Quantiles Quantiles;

struct GpuNode
{
	CustomScanState css;
	TupleTableSlot *(*next_row) (GpuNode *node);
	int			eflags;
	bool		secret;
	bool		fetches;		/* GpuScan: rows that pass in cached columns are fetched from their pages */
	Relation	relation;		/* the base relation that the device reads */
	Index		relid;			/* range table index of `relation` */
	CompileRequest request;		/* filters, keys and aggregates as in the plan */
	List	   *scan_tlist;		/* expressions that INDEX_VARs of the request stand for */
	List	   *exec_params;	/* IDs of the PARAM_EXEC parameters in the request */
	bool		whole_texts;	/* some text key, minimum or maximum is too long to be packed into an integer */
	bool		without_dicts;	/* read texts instead of dictionary codes, after a run in which codes did not suffice */
	int			noutgrown;		/* runs in which a dictionary outgrew the program's room for it */
	int16	   *scales;			/* scales assumed for numerics without a declared one, by attribute number */

	/* Child relations, if `relation` is the parent of a tree: children.c */
	int			nchildren;		/* 0 = `relation` is read itself */
	Child	   *children;
	Feed		child_feed;		/* feed of the current child relation after the first one */

	/* Joins: joins.c */
	bool		may_keep;		/* rows of the node may be materialized on a GPU until all are complete */
	int			njoins;
	NodeJoin   *joins;
	JoinRows   *tables;			/* table of each join */
	JoinDicts  *dicts;			/* dictionaries of each join table's columns */
	SharedTable *shared;		/* where devices that copy tables find each of them */
	bool		tables_on_host;	/* build all join tables on the host, none device-resident */
	uint32		keep_most;		/* upper bound of the rows to materialize on the device; 0 = not known yet */
	MemoryContext join_context; /* memory of the join tables, which outlast a run */
	const char *build_failure_reason; /* why a join table could not be built; NULL if none failed */
	bool		not_built_below;	/* a node below has reported that failure itself */
	MultipassJoin multipass;	/* state of a partitioned (multi-pass) hash join */

	Quantiles  *quantiles;		/* GpuAgg: state of quantile selection; NULL = nothing is known yet */
	List	   *parts;			/* GpuAgg: list of aggregates of each program; NIL = one program computes all */
	Top			top;			/* GpuAgg: the groups that are wanted */
	LateMaterialization *late_materialization; /* GpuAgg: late-materialized columns; NULL = there are none */

	/* Fallback of GpuAgg and GpuJoin */
	uint32		computation;	/* hash of the computation, its key in the fallback cache */
	PlanState  *child;			/* PostgreSQL's plan; NULL until needed */
	bool		fell_back;

	/* State of the current run */
	bool		running;
	MemoryContext run_context;	/* program, columns, page batches */
	CompileResult compiled;
	Feed		feed;
	const Device *device;
	bool		prefer_gpu;		/* the planner expects the GPU to be faster */
	double		predicted_ms;	/* the planner's estimate for one pass */
	int			predicted_groups;
	const char *without_gpu;	/* why this query must not use the GPU any more; NULL = it may */
	int			threads;		/* threads of the CPU device leased for the run */
	MemoryContextCallback cleanup;

	NodeReport	report;
};

/* exec_common.c */

/* Return the report of the node that ended last in this session. */
extern const NodeReport *node_last_report(void);

/* Return the range table index of the relation that the device reads for a GpuAgg or GpuJoin. */
extern Index node_driver(const CustomScan *plan);

/* Describe a program's column as a column of the relation.  The caller sets not_null. */
extern ColumnWanted column_wanted(const ColumnUse *use);

/* Describe `n` columns of a program as columns of the relation, in a palloc'd array.  The caller sets not_null. */
extern ColumnWanted *columns_wanted(const ColumnUse *use, int n);

/* Describe the columns of the compiled program as attributes of the node's relation, in a palloc'd array. */
extern ColumnWanted *node_columns_wanted(const GpuNode *node);

/* Allocate a zeroed state of `size` bytes that begins with a GpuNode. */
extern GpuNode *node_create(size_t size, const CustomExecMethods *methods, TupleTableSlot *(*next_row) (GpuNode *node));

/* Return the node's next row: ExecCustomScan of all nodes.  Drains and closes the jobs before an error is rethrown. */
extern TupleTableSlot *node_exec(CustomScanState *css);

/* Initialize the part of a node that all share, and open its relations: first part of BeginCustomScan. */
extern void node_begin(GpuNode *node, EState *estate, int eflags);

/* Add the time since `start` to the node's device_ms. */
extern void node_add_time(GpuNode *node, instr_time start);

/* Return, for CompileInput, which attributes may be read as dictionary codes; NULL if none may. */
extern uint32 *node_offer_dicts(const GpuNode *node, CodeRoom room);

/* Begin a run: open the relation's pages under the query's snapshot and lease threads of the CPU device. */
extern void node_start_run(GpuNode *node);

/*
 * Request that the rows of joins be materialized on the GPU if the node is to
 * run there: a GPU returns rows of joins in no other way.
 */
extern void node_choose_keeping(GpuNode *node);

/* Turn materialization on the device on or off; no-op for nodes whose rows cannot be materialized. */
extern void node_keep_rows(GpuNode *node, bool keep);

/* Return why a GPU does not materialize the rows of the request that was compiled last. */
extern const char *node_why_not_materialized(const GpuNode *node);

/*
 * Compile the program and open a job, for the first time in a run or again.
 * Return false, after noting the fallback, if there is no job.
 */
extern bool node_open_job(GpuNode *node);

/*
 * Compile and open a job on a GPU only, for work that has an alternative.
 * Return false, noting nothing, if that fails.
 */
extern bool node_try_job(GpuNode *node);

/* Add the open job's figures to the report and close it; no-op if there is none. */
extern void node_close_job(GpuNode *node);

/* Close the job, add the run's figures to the report, return threads and free the run's memory. */
extern void node_end_run(GpuNode *node);

/* End the node, its joins and its fallback child, and publish its report as the session's last one. */
extern void node_end(GpuNode *node);

/* End the run, and prepare joins and fallback child for the next one. */
extern void node_rescan(GpuNode *node);

/* After CODES_EXCEEDED: make room for more dictionary codes, or do without.  Return false if codes were off already. */
extern bool node_mend_dicts(GpuNode *node);

/* Maximum number of runs, with larger scales or on another device, before PostgreSQL takes over. */
#define NODE_MOST_ROUNDS 9

/* Prepare another run after one that failed.  Return false if no other run would succeed. */
extern bool node_mend(GpuNode *node, const FeedOutcome *outcome);

/*
 * After SCALE_EXCEEDED: raise the assumed scales to those that the columns
 * have shown.  Return false if no larger scale helps.
 */
extern bool node_raise_scales(GpuNode *node, const int32 *max_scale);

/* fallback.c */

/* Record why the device did not answer.  Raises an error if gpudb.debug_require forbids fallbacks. */
extern void node_note_fallback(GpuNode *node, const char *reason, const char *text);

/* Record a device's status as the reason of a fallback, as node_note_fallback() does. */
extern void node_note_status(GpuNode *node, DeviceStatus status);

/*
 * Add a failure to the fallback cache, so that the planner does not plan it
 * again: by the column that could not be read if it is known, else by the
 * computation.  No-op where that would disclose hidden rows, and for child
 * relations.
 */
extern void node_remember(GpuNode *node, const FeedOutcome *outcome);

/* Add the failure to build a join table to the fallback cache, unless a node below has reported it itself. */
extern void node_remember_tables(GpuNode *node);

/*
 * Store another node's row, which may have fewer attributes, in a virtual
 * slot.  Its values last as long as `row` does.
 */
extern void node_copy_row(TupleTableSlot *row, TupleTableSlot *slot);

/* Return the fallback child's next row, in the child's slot, or NULL at the end.  Initializes the child if needed. */
extern TupleTableSlot *node_fallback_next(GpuNode *node);

/* explain.c */

/* Show an expression of the node as a property. */
extern void node_explain_expr(const char *label, Node *expr, const CustomScanState *css, List *ancestors, struct ExplainState *es);

/* Show a list of expressions of the node as a property, unless it is empty. */
extern void node_explain_list(const char *label, const List *exprs, const CustomScanState *css, List *ancestors, struct ExplainState *es);

/* Show all properties of a GpuNode: ExplainCustomScan of the nodes that begin with one. */
extern void node_explain(CustomScanState *css, List *ancestors, struct ExplainState *es);

#endif							/* GPUDB_EXEC_RUN_NODE_H */
