/*
 * node.h
 *		The state that all gpudb plan nodes share, and what the planner leaves in them.
 *
 * A node's life: Begin opens relations and nothing else.  The first request
 * for a tuple evaluates parameters, compiles the program, takes the snapshot's
 * view of the relation and starts a job on a device: a "run", which lasts
 * until the end or the next rescan.
 *
 * What the device cannot answer PostgreSQL answers: GpuAgg, which hands
 * nothing on before all is computed, by its fallback child; GpuScan by its own
 * filters and projection on the rows of the pages concerned.
 */
#ifndef GPUDB_EXEC_NODE_H
#define GPUDB_EXEC_NODE_H

#include "postgres.h"

#include "nodes/execnodes.h"
#include "nodes/extensible.h"
#include "portability/instr_time.h"

#include "compile/compile.h"
#include "exec/feed.h"
#include "exec/passes.h"
#include "exec/top.h"

/* Indexes into CustomScan.custom_private. */
enum NodePrivate
{
	/* Integer, 0 = no rows are hidden from the user; else nothing may be told of the rows that were read, and it is one more than
	 * the number of filters, from the first on, that may look at all of them */
	NODE_PRIVATE_SECRET,
	/* list of what the planner expects of the pass: Integer, 1 = on the GPU; Integer, microseconds; Integer, groups */
	NODE_PRIVATE_PASS,
	/* GpuScan: integer list, for each filter in PostgreSQL's order: 1 = on the device */
	NODE_PRIVATE_ON_DEVICE,
	/* GpuAgg: Integer, number of keys, GpuJoin: of what is wanted of rows; they stand first in custom_scan_tlist */
	NODE_PRIVATE_KEYS,
	/* GpuAgg: Integer, number of aggregates; they follow the keys */
	NODE_PRIVATE_AGGS,
	/* GpuAgg, GpuJoin: Integer, a hash of the computation without its constants */
	NODE_PRIVATE_HASH,
	/* the same: Integer, which of the node's relations, by range table index, the device reads; of the others it has tables */
	NODE_PRIVATE_DRIVER,
	/* list of joins, each an integer list of its JoinType, whether keys are unique, whether rows will be few, and of a NOT IN
	 * the number of its subplan, else 0; their expressions stand last in custom_exprs, of a NOT IN the filter itself */
	NODE_PRIVATE_JOINS,
	/* OID list: the members that are read where that relation is the parent of a tree, else NIL */
	NODE_PRIVATE_MEMBERS,
	/* GpuAgg: what top_of_plan() reads */
	NODE_PRIVATE_TOP,
	/* GpuAgg: of each table from which columns are read late the number of these, which follow the aggregates, the OID of the index
	 * by which it is read, and which keys its columns are: an integer list, an OID list, an integer list */
	NODE_PRIVATE_LATE,
	/* GpuAgg: integer list, the number of aggregates of each program; NIL = one program computes all */
	NODE_PRIVATE_PARTS,
	NODE_PRIVATE_Count,
	/* GpuScan: Integer, 1 = texts of any length are outputs */
	NODE_PRIVATE_TEXTS = NODE_PRIVATE_KEYS,
	/* GpuScan: Integer, 1 = rows that pass in cached columns are fetched from their pages */
	NODE_PRIVATE_FETCHES
};

extern const CustomScanMethods gpu_scan_methods;
extern const CustomScanMethods gpu_agg_methods;
extern const CustomScanMethods gpu_join_methods;
extern const CustomScanMethods gpu_kept_scan_methods;

/* What a node did, for EXPLAIN and the statistics. */
typedef struct NodeReport
{
	const char *fallback_reason;	/* reason code, NULL if none */
	const char *fallback_text;
	uint64		fallback_windows;	/* of GpuScan, left to PostgreSQL */
	double		device_ms;		/* the backend has spent on passes: feeding, waiting, fetching results */
	const char *device_why;		/* the device is not the one asked for; NULL if it is */
	FeedReport	feed;			/* of all runs that have ended */
	uint64		groups_left_out;	/* that cannot be among those that are wanted */
	int			rounds;			/* of runs that aggregates' values were selected in, */
	int			sampled;		/* and of these, those that saw a sample of the rows */
	double		op_cost;		/* of the last program */
} NodeReport;

typedef struct GpuNode GpuNode;
typedef struct NodeJoin NodeJoin;
typedef struct Member Member;
typedef struct Late Late;
typedef struct Selects Selects;

struct GpuNode
{
	CustomScanState css;
	TupleTableSlot *(*next_row) (GpuNode *node);
	int			eflags;
	bool		secret;
	bool		fetches;		/* GpuScan: rows that pass in cached columns are fetched from their pages */
	Relation	relation;		/* the base relation that the device reads */
	Index		relid;			/* its range table index */
	CompileRequest request;		/* filters, keys, aggregates as in the plan */
	List	   *scan_tlist;		/* what INDEX_VARs in them stand for */
	List	   *exec_params;	/* numbers of the PARAM_EXECs in them */
	bool		whole_texts;	/* keys and extremes have more bytes than an integer holds */
	bool		without_codes;	/* texts are read as such: there was one that codes do not do for */
	int			noutgrown;		/* runs for which dictionaries have become too large */
	int16	   *scales;			/* assumed for numerics without declared scale, by attribute number */

	/* of a relation that is the parent of a tree: members.c */
	int			nmembers;		/* 0 = it is read itself */
	Member	   *members;
	Feed		member_feed;	/* of one after the first */

	/* its joins: joins.c */
	bool		may_keep;		/* its rows may stay on a GPU until all are there */
	int			njoins;
	NodeJoin   *joins;
	JoinRows   *tables;			/* of each, */
	JoinBooks  *books;			/* the dictionaries of its columns, */
	SharedTable *shared;		/* and where devices that keep copies find it */
	bool		tables_here;	/* none is to be on a device alone */
	uint32		keep_most;		/* rows, of a request that keeps some */
	MemoryContext join_context; /* of these; they outlast a run */
	const char *why_not_built;	/* NULL, or why there is none, */
	bool		not_built_below;	/* which a node below has said of itself */
	Passes		passes;			/* with parts of one of them */

	Selects    *selects;		/* GpuAgg: the values that its aggregates select, as far as they are known; NULL = not at all */
	List	   *parts;			/* GpuAgg: for each of several programs the list of its aggregates; NIL = one program computes all */
	Top			top;			/* the groups that are wanted */
	Late	   *late;			/* and their columns that are read late; NULL = none */

	/* the fallback of GpuAgg and GpuJoin */
	uint32		computation;	/* a hash of it, to be remembered by */
	PlanState  *child;			/* NULL until needed */
	bool		fell_back;

	/* the run */
	bool		running;
	MemoryContext run_context;	/* program, columns, windows */
	CompileResult compiled;
	Feed		feed;
	const Device *device;
	bool		rather_gpu;		/* that is what the planner expects to be faster */
	double		predicted_ms;	/* of one pass */
	int			predicted_groups;
	const char *without_gpu;	/* why it is to run no more of this query; NULL = it may */
	int			threads;		/* on lease */
	MemoryContextCallback cleanup;

	NodeReport	report;
};

/* exec_common.c */

/* What the node that ended last in this session did. */
extern const NodeReport *node_last_report(void);

/* The relation that the device reads, by range table index, of those that a GpuAgg or GpuJoin is about. */
extern Index node_driver(const CustomScan *plan);

/* A column that a program reads, as one of the relation's; whether it is NOT NULL is the caller's to say. */
extern ColumnWanted column_wanted(const ColumnUse *use);

/* The same of so many. */
extern ColumnWanted *columns_wanted(const ColumnUse *use, int n);

/* The columns of the compiled program, as attributes of the node's relation. */
extern ColumnWanted *node_columns_wanted(const GpuNode *node);

/* A state of the given size, which starts with a GpuNode. */
extern GpuNode *node_create(size_t size, const CustomExecMethods *methods, TupleTableSlot *(*next_row) (GpuNode *node));

/* ExecCustomScan of every node: its next_row, draining the job before an error passes on to the parent. */
extern TupleTableSlot *node_exec(CustomScanState *css);
extern void node_begin(GpuNode *node, EState *estate, int eflags);

/* Note the time since `start` as spent on the pass. */
extern void node_add_time(GpuNode *node, instr_time start);

/* For CompileInput: the attributes that may be read as codes. */
extern uint32 *node_offer_codes(const GpuNode *node, CodeRoom room);

/* Open the pages. */
extern void node_start_run(GpuNode *node);

/*
 * Have a node that returns rows of joins ask for them to be kept by the GPU, if
 * that is where it is to run: they come back from there in no other way.
 */
extern void node_choose_keeping(GpuNode *node);

/* The same for a node of which that is known; nothing for other nodes. */
extern void node_keep_rows(GpuNode *node, bool keep);

/* After compiling in vain for that: why a GPU does not keep them. */
extern const char *node_why_not_kept(const GpuNode *node);

/*
 * Compile and open a job, for the first time in a run or again; false, after
 * noting why, when there is no job.
 */
extern bool node_open_job(GpuNode *node);

/* The same on a GPU alone, for what can be done otherwise: nothing is noted. */
extern bool node_try_job(GpuNode *node);

/* Note what the job did and close it; nothing if there is none. */
extern void node_close_job(GpuNode *node);
extern void node_end_run(GpuNode *node);
extern void node_end(GpuNode *node);
extern void node_rescan(GpuNode *node);

/* After CODES_EXCEEDED: have room for more, or do without codes.  False when neither helps. */
extern bool node_mend_codes(GpuNode *node);

/* Rounds, with larger scales or another device, before PostgreSQL takes over. */
#define NODE_MOST_ROUNDS 9

/* After a run that failed: have another one do better; false when none will. */
extern bool node_mend(GpuNode *node, const FeedOutcome *outcome);

/*
 * After SCALE_EXCEEDED: assume the scales that columns have shown.  False when
 * no larger scale helps.
 */
extern bool node_raise_scales(GpuNode *node, const int32 *max_scale);

/* fallback.c */

/* Note why the device did not answer; an error under gpudb.debug_require. */
extern void node_note_fallback(GpuNode *node, const char *reason, const char *text);
extern void node_note_status(GpuNode *node, DeviceStatus status);

/*
 * Keep the planner from planning what has just failed again: by the column
 * that could not be one, else by the computation.  Not where that would tell
 * of hidden rows.
 */
extern void node_remember(GpuNode *node, const FeedOutcome *outcome);

/* The same of a job for which a table could not be made, unless that is a node's below. */
extern void node_remember_tables(GpuNode *node);

/* Another node's row, which may have fewer attributes, in a virtual slot: it lasts as long as that one. */
extern void node_copy_row(TupleTableSlot *row, TupleTableSlot *slot);

/* The next row of the fallback child in its slot, or NULL. */
extern TupleTableSlot *node_fallback_next(GpuNode *node);

/* explain.c: an expression of a node's, or several, */
extern void node_explain_expr(const char *label, Node *expr, const CustomScanState *css, List *ancestors, struct ExplainState *es);
extern void node_explain_list(const char *label, const List *exprs, const CustomScanState *css, List *ancestors, struct ExplainState *es);

/* and all that there is of a GpuNode. */
extern void node_explain(CustomScanState *css, List *ancestors, struct ExplainState *es);

#endif							/* GPUDB_EXEC_NODE_H */
