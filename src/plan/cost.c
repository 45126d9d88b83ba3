/*
 * cost.c
 *		What gpudb nodes cost, in the planner's units.
 *
 * Time is counted in nanoseconds and turned into PostgreSQL's units by one
 * figure: how long PostgreSQL itself takes for a unit of estimated CPU cost.
 * TPC-H Q6 over a resident lineitem is estimated at 0.0225 units a row beside
 * the pages and takes 93 ns a row, 4 µs a unit.
 *
 * Pages may have to be read from disk; that part costs what it costs
 * PostgreSQL.  The backend pins pages while threads (and, when it waits, the
 * backend itself) compute, so a pass takes the longer of pinning alone and
 * everything shared by all threads.
 */
#include "postgres.h"

#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "utils/spccache.h"

#include "device/threads.h"
#include "plan/cost.h"

#define NS_PER_COST_UNIT	4000.0
#define START_NS			100000.0	/* compile, wake threads, merge */
#define FEED_PAGE_NS		900.0	/* pin a page and list its visible tuples */
#define ROW_OUT_NS			150.0	/* attributes taken from the heap tuple, beyond cpu_tuple_cost */
#define GROUP_OUT_NS		400.0

Cost
cost_device_pass(PlannerInfo *root, const RelOptInfo *rel, double row_ns)
{
	double		seq_page_cost;
	double		feed = rel->pages * FEED_PAGE_NS;
	double		threads = threads_wanted() + 1;
	double		work = feed + rel->tuples * row_ns;

	get_tablespace_page_costs(rel->reltablespace, NULL, &seq_page_cost);
	return seq_page_cost * rel->pages + (START_NS + Max(feed, work / threads)) / NS_PER_COST_UNIT;
}

Cost
cost_rows_out(double rows)
{
	return rows * (cpu_tuple_cost + ROW_OUT_NS / NS_PER_COST_UNIT);
}

Cost
cost_groups_out(double groups)
{
	return groups * (cpu_tuple_cost + GROUP_OUT_NS / NS_PER_COST_UNIT);
}
