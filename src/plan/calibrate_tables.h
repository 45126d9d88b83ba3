/*
 * calibrate_tables.h
 *		The tables of gpudb.calibrate().
 */
#ifndef GPUDB_PLAN_CALIBRATE_TABLES_H
#define GPUDB_PLAN_CALIBRATE_TABLES_H

/* What the tables hold that queries look at. */
#define TEXT_VALUE	"what a row may hold besides numbers"
#define FEEDERS		"3"

typedef struct CalibrationTables
{
	double		large_rows;		/* a few dozen a page */
	double		large_pages;
	double		narrow_rows;	/* as many a page as there can be, or nearly so */
	double		narrow_pages;
	double		small_rows;		/* like the large one's */
	double		small_pages;
} CalibrationTables;

/* Make them and one more of a thousand rows, inside SPI_connect() and a transaction that will be rolled back. */
extern void tables_make(CalibrationTables *t);

/*
 * Have their pages leave the processors' caches.  Those of a large server hold
 * all of the tables, or not, as its neighbours like; tables that are worth a
 * device are larger.
 */
extern void tables_flush(void);

#endif							/* GPUDB_PLAN_CALIBRATE_TABLES_H */
