/*
 * cost_parts.c
 *		Estimates what part of a relation is in memory: as cached columns, or as pages in shared_buffers.
 */
#include "postgres.h"

#include "access/table.h"
#include "catalog/pg_class.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"

#include "core/hash.h"
#include "exec/run/node.h"
#include "guc.h"
#include "pg_compat.h"
#include "plan/cost.h"
#include "plan/cost_private.h"
#include "plan/what_if.h"
#include "tablet/cache/recent.h"
#include "tablet/scan/tablet_scan.h"

/*
 * Reduce a program's columns, and what is wanted of each, to those that are
 * not cached: the others cost nothing to build.  All are left in place if each
 * column is cached as a whole, but in different tablets.
 */
static void
leave_missing(Relation relation, BlockNumber pages, CompileResult *columns, ColumnWanted *wanted)
{
	int			n = 0;

	for (int i = 0; i < columns->ncolumns; i++)
	{
		if (tablet_cached_part(relation, pages, &wanted[i], 1) >= WHAT_IF_WHOLE)
			continue;
		columns->column[n] = columns->column[i];
		wanted[n++] = wanted[i];
	}
	if (n > 0)
		columns->ncolumns = n;
}

/*
 * Return the columns of a program that are missing where part `part` of a
 * relation has all of them, and the time that building these takes.
 */
static MissingColumns
price_missing(const Candidate *candidate, const CompileResult *compiled, Relation relation, BlockNumber pages, double part,
			  const ColumnWanted *wanted)
{
	CompileResult columns = *compiled;
	ColumnWanted *missing = memcpy(palloc(sizeof(ColumnWanted) * Max(compiled->ncolumns, 1)), wanted, sizeof(ColumnWanted) * compiled->ncolumns);

	leave_missing(relation, pages, &columns, missing);
	return (MissingColumns) {pages, missing, columns.ncolumns, cost_building(candidate, &columns) * pages / Max(candidate->rel->pages, 1) * (1 - part)};
}

/*
 * Return the part of a relation, or of a child relation, in which columns are
 * cached; 1 if they count as cached (what_if.h).
 */
static double
part_of_relation(const Candidate *candidate, const CompileResult *compiled, Relation relation, BlockNumber pages, const ColumnWanted *wanted)
{
	const int	nwanted = compiled->ncolumns;
	const double part = tablet_cached_part(relation, pages, wanted, nwanted);
	MissingColumns missing = {pages, wanted, nwanted};

	if (part >= WHAT_IF_WHOLE || !gpudb_auto_prewarm || !tablet_can_be_cached(relation, wanted, nwanted))
		return part;
	/* only a what-if planning uses the price */
	if (what_if_is_planned())
		missing = price_missing(candidate, compiled, relation, pages, part, wanted);
	return what_if_note(relation, &missing) ? 1 : part;
}

/* Return the part of a tree's child relations in which the columns are cached. */
static double
cached_part_of_children(const Candidate *candidate, const CompileResult *compiled, Relation parent)
{
	double		pages = 0;
	ListCell   *lc;

	foreach(lc, candidate->children)
	{
		const CandidateChild *child = lfirst(lc);
		Relation	relation = table_open(child->relation, NoLock);
		AttrMap    *attributes = compat_attributes_by_name(RelationGetDescr(relation), RelationGetDescr(parent));
		ColumnWanted *wanted = columns_wanted(compiled->column, compiled->ncolumns);

		for (int i = 0; i < compiled->ncolumns; i++)
			wanted[i].attno = attributes->attnums[wanted[i].attno - 1];
		pages += child->pages * part_of_relation(candidate, compiled, relation, child->pages, wanted);
		pfree(wanted);
		free_attrmap(attributes);
		table_close(relation, NoLock);
	}
	return pages / Max(candidate->rel->pages, 1);
}

/* Ask the pool which part of a relation has all columns of a program. */
static double
ask_cached_part(const Candidate *candidate, const CompileResult *compiled)
{
	/* the planner has locked the relation */
	Relation	relation = table_open(candidate->relation, NoLock);
	double		part;

	if (candidate->children != NIL)
		part = cached_part_of_children(candidate, compiled, relation);
	else
	{
		ColumnWanted *wanted = columns_wanted(compiled->column, compiled->ncolumns);

		part = part_of_relation(candidate, compiled, relation, candidate->rel->pages, wanted);
		pfree(wanted);
	}
	table_close(relation, NoLock);
	return part;
}

/* The pool's answer about some columns of a relation, which are identified by the sum of their hashes. */
typedef struct CachedPart
{
	uint64		columns;
	double		part;			/* part of the relation that has all of the columns */
	bool		counted;		/* the memory has been estimated */
	CachedBytes	cached_bytes;
} CachedPart;

static uint64
hash_of_columns(const CompileResult *compiled)
{
	uint64		hash = 0;

	for (int i = 0; i < compiled->ncolumns; i++)
	{
		const ColumnUse *column = &compiled->column[i];

		hash += hash_mix((uint64) (uint16) column->attno << 32 | (uint64) (uint16) column->scale << 16 |
						 column->second << 2 | column->packed << 1 | column->coded);
	}
	return hash;
}

/*
 * Return the pool's answer about a program's columns, asked once: the join
 * search needs it again and again, and a large table has many shelves.
 */
static CachedPart *
find_part(const Candidate *candidate, const CompileResult *compiled)
{
	const uint64 columns = hash_of_columns(compiled);
	CachedPart *known;
	ListCell   *lc;

	foreach(lc, *candidate->cached_parts)
	{
		known = lfirst(lc);
		if (known->columns == columns)
			return known;
	}
	known = palloc(sizeof(CachedPart));
	*known = (CachedPart) {.columns = columns, .part = ask_cached_part(candidate, compiled)};
	*candidate->cached_parts = lappend(*candidate->cached_parts, known);
	return known;
}

double
cost_cached_part(const Candidate *candidate, const CompileResult *compiled, double groups)
{
	if (!gpudb_cache || (groups == 0 && !compiled->gives_rows))
		return 0;
	if (candidate->read_before && get_rel_persistence(candidate->relation) == RELPERSISTENCE_PERMANENT)
		return 1;
	return find_part(candidate, compiled)->part;
}

/*
 * Bytes that a number takes in the pool, where it is frame-of-reference
 * encoded (core/tablet/for_encoding.h), and that a dictionary code takes, about.
 */
#define NUMBER_BYTES	3
#define CODE_BYTES		1

/* Return about how many bytes a row's value of a column takes in the pool. */
static double
bytes_of_column(Relation relation, const ColumnWanted *wanted)
{
	int			width;

	if (!column_is_text(relation, wanted))
		return wanted->coded ? CODE_BYTES : NUMBER_BYTES;
	width = get_attavgwidth(RelationGetRelid(relation), wanted->attno);
	return sizeof(uint64) + (width > 0 ? width : COST_USUAL_TEXT);
}

static CachedBytes
count_bytes_to_cache(const Candidate *candidate, const CompileResult *compiled)
{
	/* the planner has locked the relation */
	const Relation relation = table_open(candidate->relation, NoLock);
	ColumnWanted *wanted = columns_wanted(compiled->column, compiled->ncolumns);
	CompileResult columns = *compiled;
	CachedBytes	cached_bytes = {0};

	if (candidate->children != NIL || tablet_can_be_cached(relation, wanted, columns.ncolumns))
	{
		if (candidate->children == NIL)
			leave_missing(relation, candidate->rel->pages, &columns, wanted);
		for (int i = 0; i < columns.ncolumns; i++)
			cached_bytes.bytes += bytes_of_column(relation, &wanted[i]) * candidate->rel->tuples;
		cached_bytes.texts = columns_have_texts(relation, wanted, columns.ncolumns);
	}
	pfree(wanted);
	table_close(relation, NoLock);
	return cached_bytes;
}

CachedBytes
cost_bytes_to_cache(const Candidate *candidate, const CompileResult *compiled)
{
	CachedPart *known = find_part(candidate, compiled);

	if (!known->counted)
	{
		known->cached_bytes = count_bytes_to_cache(candidate, compiled);
		known->counted = true;
	}
	return known->cached_bytes;
}

/* Return the number of pages of a relation, or of a tree's child relations, that are in shared_buffers. */
static double
ask_resident_pages(Oid relation, BlockNumber pages, const List *children)
{
	double		resident = 0;
	Relation	opened;
	ListCell   *lc;

	foreach(lc, children)
	{
		const CandidateChild *child = lfirst(lc);

		resident += ask_resident_pages(child->relation, child->pages, NIL);
	}
	if (children != NIL)
		return resident;
	opened = table_open(relation, NoLock);
	resident = pages * recent_resident_part(opened, pages);
	table_close(opened, NoLock);
	return resident;
}

double
cost_part_outside(const Candidate *candidate)
{
	if (*candidate->resident < 0)
		*candidate->resident = ask_resident_pages(candidate->relation, candidate->rel->pages, candidate->children) / Max(candidate->rel->pages, 1);
	return 1 - *candidate->resident;
}

double
cost_resident_part(const PlannerInfo *root, const RelOptInfo *rel)
{
	const RangeTblEntry *entry = IS_SIMPLE_REL(rel) ? root->simple_rte_array[rel->relid] : NULL;

	/* the child relations of an inherited table are relations of their own */
	if (entry == NULL || entry->rtekind != RTE_RELATION || rel->pages == 0)
		return 1;
	return ask_resident_pages(entry->relid, rel->pages, NIL) / rel->pages;
}

double
cost_readers_of_postgres(const RelOptInfo *rel)
{
	int			workers = 0;
	ListCell   *lc;

	foreach(lc, rel->partial_pathlist)
		workers = Max(workers, ((const Path *) lfirst(lc))->parallel_workers);
	return workers + (parallel_leader_participation ? Max(1 - 0.3 * workers, 0) : 0);
}
