/*
 * calibrate_query.h
 *		The queries of gpudb.calibrate(), and how long they take.
 *
 * All of these run inside SPI_connect(), and with a search_path that nobody
 * else can put anything into.  They name all that they use with its schema,
 * of which @schema@ is the one of the calibration's own tables.
 */
#ifndef GPUDB_PLAN_CALIBRATE_QUERY_H
#define GPUDB_PLAN_CALIBRATE_QUERY_H

/* What a query took. */
typedef struct Timing
{
	double		ms;				/* all in all */
	double		pass_ms;		/* of these the node's pass */
	double		rest_ms;		/* and the rest */
	double		feed_ns;		/* of the pass, but for what the CPU device's next two took */
	double		deform_ns;
	double		run_ns;
	double		op_cost;		/* of its program, a row */
} Timing;

/* A setting, until the calibration ends. */
extern void query_set(const char *name, const char *value);

/* The device of the next queries; NULL: PostgreSQL alone. */
extern void query_device(const char *device);

extern void query_execute(const char *sql);

/* Make the schema of the calibration's own tables; then, its name. */
extern void query_make_schema(void);
extern const char *query_schema(void);

extern Timing query_run(const char *sql);

/*
 * What a query typically takes, each part by itself, after another run: the
 * mean of the middle half of all runs under the same settings, since
 * query_forget().
 */
extern Timing query_typical(const char *sql);
extern void query_forget(void);

#endif							/* GPUDB_PLAN_CALIBRATE_QUERY_H */
