/*
 * candidate.h
 *		Which relations of a query a device pipeline could read, and why others not.
 */
#ifndef GPUDB_PLAN_CANDIDATE_H
#define GPUDB_PLAN_CANDIDATE_H

#include "postgres.h"

#include "nodes/pathnodes.h"

#include "compile/compile.h"

/* What the same work costs on either device, INFINITY on one that cannot do it. */
typedef struct DeviceCost
{
	Cost		cpu;
	Cost		gpu;
} DeviceCost;

/* A join of a candidate: with the rows of a build path. */
typedef struct CandidateJoin
{
	JoinRequest request;
	Path	   *build;			/* NULL: the subplan is that of a NOT IN */
	Node	   *not_in;			/* the filter that it is; NULL = it is an ordinary join */
	double		rows;			/* that look for theirs */
	List	   *above;			/* filters of what a full join has made, in their order: PostgreSQL tests them */
} CandidateJoin;

/* What is read in the place of a relation that is the parent of a tree. */
typedef struct CandidateMember
{
	Oid			relation;
	BlockNumber pages;
} CandidateMember;

/*
 * The table of a candidate's rows, if it has no columns for expressions: found
 * once for all pairs, when all paths over the candidate's relations are there.
 */
typedef struct CandidateTable
{
	DeviceCost	least;			/* what it costs at least, whatever its rows come from, */
	bool		least_known;	/* once that was asked for */
	bool		known;			/* whether what follows was found */
	Path	   *build;			/* that makes its rows; NULL = there is none */
	DeviceCost	cost;			/* of making it of these */
} CandidateTable;

/*
 * The best device pipeline over one relation, or over one and others that are
 * joined with it.  It is kept apart from the planner's paths: a scan that
 * loses by itself is thrown away by add_path() long before the aggregate above
 * it could profit from it.
 */
typedef struct Candidate
{
	Relids		relids;
	RelOptInfo *rel;			/* that the device reads; the parent of a tree with its members' pages and tuples */
	List	   *members;		/* of CandidateMember: of such a parent, else NIL */
	List	   *joins;			/* of CandidateJoin, in order */
	struct Candidate *scanned;	/* where filters have become joins, the one that has them as filters; else NULL */
	DeviceCost	builds;			/* of their tables, */
	DeviceCost	probes;			/* and of looking for rows in these */
	DeviceCost *filters_cost;	/* of a pass without joins; NULL before it was asked for */
	DeviceCost *rows_cost;		/* result of cost_rows(); NULL before it was asked for */
	double		rows;			/* that there are after the last of them, */
	double		lanes;			/* and how many stand side by side, 0 = as many as a tile has */
	bool		offered;		/* as a GpuJoin */
	bool		read_before;	/* by an earlier pass of the same node, which has left columns behind */
	List	  **cached_parts;	/* cost.c: of CachedPart, known already; of all pipelines that read the relation */
	double	   *resident;		/* cost.c: the part of its pages in shared_buffers, negative before it was asked for; likewise */
	CandidateTable table;
	int			nloops;			/* that a program with its joins has at least, one inside the other, */
	int			nregisters;		/* and registers that last as long as what is found by them */
	Oid			relation;
	bool		secret;			/* some of its rows may be hidden from the user */
	List	   *open;			/* filters, and gates, that may look at these: those of the lowest security level, and leakproof ones */
	const char *reason;			/* NULL, or why no device can read the relation */
	uint32	   *codes;			/* for CompileInput */
	Bitmapset  *notnull;		/* attribute numbers */
	BlockNumber toast_pages;	/* of the relation's TOAST table */
	List	   *quals;			/* all filters in PostgreSQL's order */
	List	   *on_device;		/* for each: 1 = the device can compute it */
	List	   *gates;			/* filters without columns: PostgreSQL tests them once */
	const char *qual_reason;	/* why some filter stays with PostgreSQL, NULL if none does */
	CompileResult *filters;		/* those on the device, compiled together; NULL if they cannot be */
	CompileResult *all_filters; /* candidate_all_filters() */
	CompileResult *as_rows;		/* the program that returns its rows, with what is wanted of them; NULL before it was asked for */
	CompileResult *as_kept;		/* the same of a GPU that keeps them */
	const char *rows_reason;	/* why no node can return its rows; NULL = one can, or nobody has asked */
	struct PassCost *rows_pass; /* what the better one costs; likewise */
	Selectivity passing;		/* the part of the rows that these let pass */
} Candidate;

/*
 * The candidate over a relation: what was remembered for it (plan/search.h),
 * or for a base relation that was not examined yet a new one.  NULL for joins
 * that were not examined, and for relations that no device could ever read.
 */
extern Candidate *candidate_of(PlannerInfo *root, const RelOptInfo *rel);

/* Return whether a program reads texts as such: neither packed nor by their codes.  They may lie out of line. */
extern bool candidate_reads_texts(const CompileResult *result);

/* Return whether a base relation is a user's table, or the parent of a partition or inheritance tree. */
extern bool candidate_is_of_table(RelOptInfo *rel, const RangeTblEntry *rte);

/*
 * Return a candidate that stands for any over a table: its cost follows from
 * the table's size, the types of the columns that the query needs and the
 * number of filters, and no pipeline that reads the table costs less.  It is
 * created once for each relation.  The result is NULL for the parents of
 * trees, and for kinds of relations that no device reads.
 */
extern Candidate *candidate_minimal(PlannerInfo *root, RelOptInfo *rel);

/* The clauses of filters in the order in which PostgreSQL evaluates them. */
extern List *candidate_order(PlannerInfo *root, List *filters);

/*
 * Whether rows may be hidden from the user who reads this query level, by
 * policies or by a security-barrier view around it.
 */
extern bool candidate_hides_rows(const PlannerInfo *root);

/* For NODE_PRIVATE_SECRET, of a node that tests some of its filters first. */
extern int	candidate_secret(const Candidate *candidate, const List *quals);

/* Check a request over a candidate's relation. */
extern bool candidate_check(const Candidate *candidate, const CompileRequest *request, CompileResult *result);

/* The same, unless the result is known; with a reason if the device cannot. */
extern const CompileResult *candidate_check_once(const Candidate *candidate, const CompileRequest *request, CompileResult **known);

/* All filters as those of an aggregate, compiled together; with a reason if they cannot be. */
extern const CompileResult *candidate_all_filters(Candidate *candidate);

/* Whether its last join is a full one, which nothing in the same node can come after. */
extern bool candidate_ends_in_full_join(const Candidate *candidate);

/* The same of all filters of some relations, and of the conditions among them. */
extern bool candidate_relations_cannot_fail(PlannerInfo *root, const Bitmapset *relids);

/* The joins of a candidate, for CompileRequest. */
extern List *candidate_joins(const Candidate *candidate);

/* For NODE_PRIVATE_MEMBERS. */
extern List *candidate_members(const Candidate *candidate);

/* The filters on or off the device. */
extern List *candidate_quals(const Candidate *candidate, bool on_device);

#endif							/* GPUDB_PLAN_CANDIDATE_H */
