/*
 * feeders.h
 *		Parallel workers of PostgreSQL that help an aggregate to feed its device.
 */
#ifndef GPUDB_EXEC_RUN_FEEDERS_H
#define GPUDB_EXEC_RUN_FEEDERS_H

#include "postgres.h"

#include "exec/run/feed.h"

/*
 * Number of pages per worker, unless the table's parallel_workers says
 * otherwise.  Starting workers takes some 4 ms, in which one process pins that
 * many pages.
 */
#define PAGES_PER_FEEDER 8192

typedef struct Feeders Feeders;

/*
 * Start workers that draw blocks from the same share as `feed`, whose job is
 * open and which has read nothing yet.  Return NULL if that would not pay or
 * is not possible; else the backend is in parallel mode until
 * feeders_finish().
 */
extern Feeders *feeders_start(Feed *feed);

/*
 * Wait for the workers and add their groups and figures to the feed's job and
 * report, and their failures to *outcome.  Groups are discarded if *outcome
 * has failed.
 */
extern void feeders_finish(Feeders *feeders, Feed *feed, FeedOutcome *outcome);

#endif							/* GPUDB_EXEC_RUN_FEEDERS_H */
