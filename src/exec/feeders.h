/*
 * feeders.h
 *		PostgreSQL's parallel workers help an aggregate to feed its device.
 */
#ifndef GPUDB_EXEC_FEEDERS_H
#define GPUDB_EXEC_FEEDERS_H

#include "postgres.h"

#include "exec/feed.h"

/*
 * One worker for so many pages, unless the table's parallel_workers says
 * otherwise: to start workers takes some 4 ms, in which one process pins them.
 */
#define PAGES_PER_FEEDER 8192

typedef struct Feeders Feeders;

/*
 * Start workers that draw blocks from the same share as the feed, whose job is
 * open and which has read nothing yet.  NULL when that would not pay, or is
 * not possible; else the backend is in parallel mode until feeders_finish().
 */
extern Feeders *feeders_start(Feed *feed);

/*
 * Wait for the workers and add to the feed's job and report, and to *outcome,
 * what came of them; of no use any more if *outcome has failed.
 */
extern void feeders_finish(Feeders *feeders, Feed *feed, FeedOutcome *outcome);

#endif							/* GPUDB_EXEC_FEEDERS_H */
