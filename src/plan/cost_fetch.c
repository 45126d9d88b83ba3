/*
 * cost_fetch.c
 *		The cost of finding rows in cached columns, and of fetching them from their pages.
 */
#include "postgres.h"

#include <math.h>

#include "optimizer/cost.h"
#include "utils/spccache.h"

#include "device/device.h"
#include "guc.h"
#include "plan/cost.h"
#include "plan/cost_private.h"

/* Rows are fetched where the columns that they are found in are cached in at least this part of the relation. */
#define LEAST_CACHED	0.5

/*
 * Return what it takes to read the pages that have so many rows, in the order of
 * their numbers, and to know their tuples there.  Of pages from outside
 * shared_buffers each costs the more the fewer are read, as in
 * cost_bitmap_heap_scan().
 */
static Cost
cost_of_pages(const Candidate *candidate, double rows)
{
	const RelOptInfo *rel = candidate->rel;
	const double per_page = rel->tuples / Max(rel->pages, 1);
	const double passing = Min(rows / Max(rel->tuples, 1), 1);
	const double part = 1 - pow(1 - passing, per_page);
	double		random;
	double		sequential;

	get_tablespace_page_costs(rel->reltablespace, &random, &sequential);
	return part * rel->pages *
		((NS(pin_page) + per_page * NS(pin_tuple)) / NS(pg_unit) + cost_part_outside(candidate) * (random - (random - sequential) * sqrt(part)));
}

bool
cost_fetching(Candidate *candidate, double passing, PassCost *pass, Cost *out)
{
	CompileResult filters = *candidate->filters;
	double		cached;

	/* which pages are read would tell of rows that policies hide; and without a column nothing is found */
	if (candidate->secret || filters.ncolumns == 0)
		return false;
	/* a GPU finds rows in pages */
	if (gpudb_device == DEVICE_GPU && device_may_use_gpu())
		return false;
	filters.gives_rows = true;
	cached = cost_cached_part(candidate, &filters, 0);
	if (cached < LEAST_CACHED)
		return false;
	*pass = (PassCost) {.cost = cost_rows(candidate).cpu};
	*out = cached * cost_of_pages(candidate, passing) + cost_rows_out(candidate->filters, passing);
	pass->ms = (pass->cost + *out) * NS(pg_unit) / 1e6;
	return true;
}
