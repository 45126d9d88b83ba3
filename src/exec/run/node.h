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

#include "compile/compile.h"
#include "core/join/join_slice.h"
#include "exec/run/feed.h"
#include "tablet/read/row_store.h"

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
extern const CustomScanMethods gpu_sort_methods;
extern const CustomScanMethods gpu_sort_agg_methods;

/* Report of a node's execution, for EXPLAIN and the statistics. */
typedef struct NodeReport
{
	const char *fallback_reason;	/* reason code, NULL if none */
	const char *fallback_text;
	uint64		fallback_page_batches;	/* GpuScan: page batches left to PostgreSQL */
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

/* Callback for rows materialized on the device, when all of them are.  Returns false if it could not use them. */
typedef bool (*MaterializedTaker) (GpuNode *node, const GroupTable *groups, void *arg);

/* Methods of a kind of node, called at the steps that all kinds share. */
typedef struct NodeMethods
{
	CustomExecMethods exec;		/* PostgreSQL's callbacks; a node's state points to them */
	/* Return the next row; an empty slot or NULL at the end. */
	TupleTableSlot *(*next_row) (GpuNode *node);
	/* Before the first run, after compiling: return true if the request has changed and must be compiled again.  NULL = never. */
	bool		(*refine) (GpuNode *node);
	/* Show, in EXPLAIN, what only this kind of node has; NULL = nothing. */
	void		(*explain) (GpuNode *node, List *ancestors, struct ExplainState *es);
	/*
	 * Collect all rows of a node that has not begun in a store with the given
	 * columns of the node's result.  Return DONE, or the reason why the device
	 * could not determine the rows; an error that a filter raises has not been
	 * raised then.  NULL = the kind returns no rows of relations.
	 */
	DeviceStatus (*collect) (PlanState *ps, RowStore *store, const ColumnUse *columns, int ncolumns);
	/*
	 * Materialize the columns `keep` of the node's result on the GPU, and pass
	 * them to `take`.  Return true if `take` has succeeded.  NULL as above.
	 */
	bool		(*materialize) (PlanState *ps, const JoinUse *keep, MaterializedTaker take, void *arg);
	/*
	 * The kind computes all outputs of its request before it returns a row:
	 * its target list refers to them by number, and its report tells why they
	 * could not be computed.
	 */
	bool		computes_outputs;
} NodeMethods;

/* State of a partitioned (multi-pass) hash join: exec/join/multipass_join.h. */
typedef struct MultipassJoin
{
	int			join;			/* index of the join whose table is partitioned */
	JoinRows	whole;			/* whole table of join `join`; NULLs = no table is partitioned */
	JoinCursor	next;			/* position of the next partition's rows in `whole` */
	uint32		left;			/* rows of `whole` in partitions still to come */
	uint64		room;			/* maximum size of a partition, in bytes */
	uint32		rows;			/* rows of a partition that probably fit in `room` bytes */
	MemoryContext context;		/* holds the installed partition; NULL until there is one */
	bool		changing;		/* the installed partition is being freed */
	int			count;			/* passes of this run so far, if partitioned; 0 = one pass with whole tables */
	double		build_ms;		/* time spent cutting and indexing partitions */
} MultipassJoin;

struct GpuNode
{
	CustomScanState css;
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

/* Return the methods of a node.  PostgreSQL's callbacks, which its state points to, come first in them. */
static inline const NodeMethods *
methods_of(const GpuNode *node)
{
	return (const NodeMethods *) node->css.methods;
}

/* node.c */

/* Return true if a plan node is a GpuScan, GpuAgg or GpuJoin, including scans of materialized rows. */
extern bool is_gpudb_node(const Plan *plan);

/*
 * Return true if a plan node is a GpuSort or GpuSortAgg.  The plan that it reads
 * may be of any kind, and lies below the fallback plan in its custom_plans.
 */
extern bool is_gpudb_over_any(const Plan *plan);

/* Return the range table index of the relation that the device reads for a GpuAgg or GpuJoin. */
extern Index node_driver(const CustomScan *plan);

/* Describe a program's column as a column of the relation.  The caller sets not_null. */
extern ColumnWanted column_wanted(const ColumnUse *use);

/* Describe `n` columns of a program as columns of the relation, in a palloc'd array.  The caller sets not_null. */
extern ColumnWanted *columns_wanted(const ColumnUse *use, int n);

/* Describe the columns of the compiled program as attributes of the node's relation, in a palloc'd array. */
extern ColumnWanted *node_columns_wanted(const GpuNode *node);

/*
 * Return the attributes of the node's relation declared NOT NULL, NULL for none.
 * Children of an inheritance parent may have NULLs there nevertheless, partitions
 * cannot.
 */
extern Bitmapset *node_not_null(const GpuNode *node);

/* Return the methods of a plan's state if it is a GpuScan, GpuAgg or GpuJoin, else NULL. */
extern const NodeMethods *node_methods(const PlanState *ps);

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

#endif							/* GPUDB_EXEC_RUN_NODE_H */
