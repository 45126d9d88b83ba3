/*
 * cost_fetch.c
 *		Cost of finding rows in cached columns, and of fetching them from their pages.
 */
#include "postgres.h"

#include <math.h>

#include "optimizer/cost.h"
#include "utils/spccache.h"

#include "device/device.h"
#include "guc.h"
#include "plan/cost.h"
#include "plan/cost_private.h"

/* Part of the relation in which the columns that rows are found in must be cached for rows to be fetched. */
#define LEAST_CACHED	0.5

/* Return the part of a relation's pages that have some of `rows` rows, wherever these are. */
static double
part_of_pages(const RelOptInfo *rel, double rows)
{
	return 1 - pow(1 - Min(rows / Max(rel->tuples, 1), 1), rel->tuples / Max(rel->pages, 1));
}

/* Return the nanoseconds that reading a page takes, and knowing its tuples, which no processor cache holds. */
static double
ns_of_page(const RelOptInfo *rel)
{
	return NS(pin_page) + NS(cpu_page) + rel->tuples / Max(rel->pages, 1) * NS(pin_tuple);
}

/*
 * Return the cost of reading a page from outside shared_buffers: the more the
 * smaller the part of all pages that is read, as in cost_bitmap_heap_scan().
 * *in_memory becomes what PostgreSQL's plans, and passes over all pages, count
 * for a page that is in memory.
 */
static Cost
cost_of_page(const RelOptInfo *rel, double part, Cost *in_memory)
{
	double		random;

	get_tablespace_page_costs(rel->reltablespace, &random, in_memory);
	return *in_memory + Max(random - *in_memory, 0) * (1 - sqrt(part));
}

bool
cost_fetching(Candidate *candidate, double passing, PassCost *pass, Cost *out)
{
	CompileResult filters = *candidate->filters;
	double		cached;
	double		outside;
	double		part;
	double		pages;
	Cost		read;
	Cost		in_memory;

	/* reading selected pages would tell of rows that policies hide; and without a column nothing is found */
	if (candidate->secret || filters.ncolumns == 0)
		return false;
	/* a GPU finds rows in pages */
	if (gpudb_device == DEVICE_GPU && device_may_use_gpu())
		return false;
	filters.gives_rows = true;
	cached = cost_cached_part(candidate, &filters, 0);
	if (cached < LEAST_CACHED)
		return false;
	part = part_of_pages(candidate->rel, passing);
	pages = cached * part * candidate->rel->pages;
	outside = cost_part_outside(candidate);
	read = cost_of_page(candidate->rel, part, &in_memory);
	*pass = (PassCost) {.cost = cost_rows(candidate).cpu};
	*out = pages * (ns_of_page(candidate->rel) / NS(pg_unit) + outside * read) + cost_rows_out(candidate->filters, passing);
	/* a page in memory has a cost, as in PostgreSQL's plans, but takes no time */
	pass->ms = (pass->cost + *out) * NS(pg_unit) / 1e6;
	*out += pages * (1 - outside) * in_memory;
	return true;
}
