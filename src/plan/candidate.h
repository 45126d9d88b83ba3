/*
 * candidate.h
 *		Which relations of a query a device pipeline could read, and why others not.
 */
#ifndef GPUDB_PLAN_CANDIDATE_H
#define GPUDB_PLAN_CANDIDATE_H

#include "postgres.h"

#include "nodes/pathnodes.h"

#include "compile/compile.h"

/*
 * The best device pipeline over one relation.  It is kept apart from the
 * planner's paths: a scan that loses by itself is thrown away by add_path()
 * long before the aggregate above it could profit from it.
 */
typedef struct Candidate
{
	Relids		relids;
	RelOptInfo *rel;
	Oid			relation;
	bool		secret;			/* some of its rows may be hidden from the user */
	const char *reason;			/* NULL, or why no device can read the relation */
	uint32	   *codes;			/* for CompileInput */
	Bitmapset  *notnull;		/* attribute numbers */
	BlockNumber toast_pages;	/* of the relation's TOAST table */
	List	   *quals;			/* all filters in PostgreSQL's order */
	List	   *on_device;		/* for each: 1 = the device can compute it */
	List	   *gates;			/* filters without columns: PostgreSQL tests them once */
	const char *qual_reason;	/* why some filter stays with PostgreSQL, NULL if none does */
	CompileResult *filters;		/* those on the device, compiled together; NULL if they cannot be */
} Candidate;

/* Examine a base relation and remember the result for the query level. */
extern Candidate *candidate_create(PlannerInfo *root, RelOptInfo *rel, RangeTblEntry *rte);

/* What was found for a set of relations, or NULL. */
extern Candidate *candidate_find(PlannerInfo *root, Relids relids);

/* Check a request over a candidate's relation. */
extern bool candidate_check(const Candidate *candidate, const CompileRequest *request, CompileResult *result);

/* The filters on or off the device. */
extern List *candidate_quals(const Candidate *candidate, bool on_device);

#endif							/* GPUDB_PLAN_CANDIDATE_H */
