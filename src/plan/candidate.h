/*
 * candidate.h
 *		Candidates: relations of a query that a device pipeline can read, and the reasons why it cannot read others.
 */
#ifndef GPUDB_PLAN_CANDIDATE_H
#define GPUDB_PLAN_CANDIDATE_H

#include "postgres.h"

#include "nodes/pathnodes.h"

#include "compile/compile.h"

/* Cost of a piece of work on either device; INFINITY on a device that cannot do it. */
typedef struct DeviceCost
{
	Cost		cpu;
	Cost		gpu;
} DeviceCost;

/* A join of a candidate with the rows of a build path. */
typedef struct CandidateJoin
{
	JoinRequest request;
	Path	   *build;			/* NULL if the rows are those of the subplan of a NOT IN */
	Node	   *not_in;			/* the NOT IN filter that became this join; NULL = an ordinary join */
	double		rows;			/* estimated rows that are looked up */
	List	   *above;			/* filters above a full join, in PostgreSQL's order, which PostgreSQL tests */
} CandidateJoin;

/* A child relation that is read in place of the parent of a partition or inheritance tree. */
typedef struct CandidateChild
{
	Oid			relation;
	BlockNumber pages;
} CandidateChild;

/*
 * The join table of a candidate's rows, if it has no columns for expressions.
 * It is determined once for all pairs, when all paths over the candidate's
 * relations are there.
 */
typedef struct CandidateTable
{
	DeviceCost	least;			/* lower bound of its cost, whichever path the rows come from */
	bool		least_known;	/* `least` has been computed */
	bool		known;			/* `build` and `cost` have been determined */
	Path	   *build;			/* path that makes its rows; NULL = there is none */
	DeviceCost	cost;			/* cost of making it of the rows of `build` */
} CandidateTable;

/*
 * The best device pipeline over one relation, or over a join of one with
 * others.  It is held apart from the planner's paths: a scan that loses by
 * itself is discarded by add_path() long before the aggregate above it could
 * profit from it.
 */
typedef struct Candidate
{
	Relids		relids;
	RelOptInfo *rel;			/* relation to read; for a tree its parent, with the children's pages and tuples */
	List	   *children;		/* of CandidateChild: child relations if `rel` is the parent of a tree, else NIL */
	List	   *joins;			/* of CandidateJoin, in order */
	struct Candidate *scanned;	/* if filters became joins, the candidate that has them as filters; else NULL */
	DeviceCost	builds;			/* cost of making the tables of the joins */
	DeviceCost	probes;			/* cost of looking up rows in the tables of the joins */
	DeviceCost *filters_cost;	/* cost of a pass without joins; NULL before it was computed */
	DeviceCost *rows_cost;		/* result of cost_rows(); NULL before it was computed */
	double		rows;			/* estimated rows after the last join */
	double		lanes;			/* lanes of a tile in use after compaction; 0 = all */
	bool		offered;		/* a GpuJoin of this candidate was offered */
	bool		read_before;	/* an earlier pass of the same node has left the columns cached */
	List	  **cached_parts;	/* of CachedPart, shared by all pipelines that read the relation (cost_parts.c) */
	double	   *resident;		/* part of the pages in shared_buffers, negative = unknown; shared like cached_parts */
	CandidateTable table;
	int			nloops;			/* loops that a program with its joins nests at least */
	int			nregisters;		/* registers that live as long as the rows found by the joins */
	Oid			relation;
	bool		secret;			/* some of its rows may be hidden from the user */
	List	   *open;			/* filters and gates that may see hidden rows: of the lowest level, or leakproof */
	const char *reason;			/* reason code why no device can read the relation, or NULL */
	uint32	   *dict_sizes;		/* sizes of dictionaries, by attribute number; 0 = none; for CompileInput */
	Bitmapset  *notnull;		/* attribute numbers of columns that hold no NULLs */
	BlockNumber toast_pages;	/* pages of the relation's TOAST table */
	List	   *quals;			/* all filters in PostgreSQL's order */
	List	   *on_device;		/* integer list, for each of `quals`: 1 = the device can compute it */
	List	   *gates;			/* filters without columns, which PostgreSQL tests once */
	const char *qual_reason;	/* reason code why some filter stays with PostgreSQL, NULL if none does */
	CompileResult *filters;		/* filters on the device, compiled together; NULL if they cannot be */
	CompileResult *all_filters; /* result of candidate_all_filters() */
	CompileResult *as_rows;		/* program that returns the outputs of its rows; NULL before it was compiled */
	CompileResult *as_materialized; /* program that materializes its rows on a GPU; NULL before it was compiled */
	const char *rows_reason;	/* reason code why no node can return its rows; NULL = one can, or unknown */
	struct PassCost *rows_pass; /* cost of the cheaper pass that returns its rows; NULL before it was computed */
	Selectivity passing;		/* selectivity of the filters on the device */
} Candidate;

/*
 * Return the candidate over a relation: the one stored for it (plan/search.h),
 * or for a base relation that was not examined yet a new one.  Returns NULL
 * for joins that were not examined, and for relations that no device could
 * ever read.
 */
extern Candidate *candidate_of(PlannerInfo *root, const RelOptInfo *rel);

/* Return true if a program reads texts that are neither packed nor dictionary codes; such texts may lie out of line. */
extern bool candidate_reads_texts(const CompileResult *result);

/* Return true if a base relation is a user's table, or the parent of a partition or inheritance tree. */
extern bool candidate_is_of_table(RelOptInfo *rel, const RangeTblEntry *rte);

/*
 * Return a candidate that stands for any over a table: its cost follows from
 * the table's size, the types of the columns that the query needs and the
 * number of filters, and no pipeline that reads the table costs less.  It is
 * created once for each relation.  The result is NULL for the parents of
 * trees, and for kinds of relations that no device reads.
 */
extern Candidate *candidate_minimal(PlannerInfo *root, RelOptInfo *rel);

/* Return the clauses of filters in the order in which PostgreSQL evaluates them. */
extern List *candidate_order(PlannerInfo *root, List *filters);

/*
 * Return true if rows may be hidden from the user who reads this query level,
 * by policies or by a security-barrier view around it.
 */
extern bool candidate_hides_rows(const PlannerInfo *root);

/* Return the value of NODE_PRIVATE_SECRET for a node that tests `quals` first. */
extern int	candidate_secret(const Candidate *candidate, const List *quals);

/*
 * Compile a request over a candidate's relation as a draft; return false, with
 * a reason in *result, if that is not possible.
 */
extern bool candidate_check(const Candidate *candidate, const CompileRequest *request, CompileResult *result);

/*
 * Return the result of candidate_check() for a request, from *known if it is
 * there already; it has a reason if the device cannot compute the request.
 */
extern const CompileResult *candidate_check_once(const Candidate *candidate, const CompileRequest *request, CompileResult **known);

/* Return the result of compiling all filters as those of an aggregate; it has a reason if they cannot be compiled. */
extern const CompileResult *candidate_all_filters(Candidate *candidate);

/* Return true if a candidate's last join is a full join, after which the same node can do nothing else. */
extern bool candidate_ends_in_full_join(const Candidate *candidate);

/* Return true if no filter of some relations, and no condition among them, can raise an error. */
extern bool candidate_relations_cannot_fail(PlannerInfo *root, const Bitmapset *relids);

/* Return the JoinRequests of a candidate's joins, for CompileRequest. */
extern List *candidate_joins(const Candidate *candidate);

/* Return the OIDs of a candidate's child relations, for NODE_PRIVATE_CHILDREN. */
extern List *candidate_children(const Candidate *candidate);

/* Return the filters that are on the device, or those that are not. */
extern List *candidate_quals(const Candidate *candidate, bool on_device);

#endif							/* GPUDB_PLAN_CANDIDATE_H */
