/*
 * calibrate_query.h
 *		The queries of gpudb.calibrate(), and how long they take.
 *
 * All functions run inside SPI_connect(), and with a search_path that nobody
 * else can put anything into.  Queries name all objects that they use with
 * their schema; @schema@ stands for the one of the calibration's own tables.
 */
#ifndef GPUDB_ADMIN_CALIBRATE_QUERY_H
#define GPUDB_ADMIN_CALIBRATE_QUERY_H

/* Times of a query. */
typedef struct Timing
{
	double		ms;				/* total */
	double		pass_ms;		/* the node's pass */
	double		rest_ms;		/* the rest: ms - pass_ms */
	double		feed_ns;		/* the pass without deform_ns and run_ns, which are the CPU device's */
	double		deform_ns;
	double		run_ns;
	double		op_cost;		/* cost of its program per row */
} Timing;

/* Set a configuration parameter until the calibration ends. */
extern void query_set(const char *name, const char *value);

/* Choose the device of the next queries; NULL: PostgreSQL alone. */
extern void query_device(const char *device);

extern void query_execute(const char *sql);

/* Create the schema of the calibration's own tables, and return its name. */
extern void query_make_schema(void);
extern const char *query_schema(void);

extern Timing query_run(const char *sql);

/*
 * Run a query once more, and return its typical times, each part by itself:
 * the mean of the middle half of all runs under the same settings since
 * query_forget().
 */
extern Timing query_typical(const char *sql);

/* Return the least time of the passes of all these runs of a query, in milliseconds. */
extern double query_least_pass_ms(const char *sql);

extern void query_forget(void);

#endif							/* GPUDB_ADMIN_CALIBRATE_QUERY_H */
