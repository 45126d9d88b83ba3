/*
 * calibrate_tables.h
 *		The tables of gpudb.calibrate().
 */
#ifndef GPUDB_ADMIN_CALIBRATE_TABLES_H
#define GPUDB_ADMIN_CALIBRATE_TABLES_H

/* Constants of the tables that queries refer to. */
#define TEXT_VALUE	"what a row may hold besides numbers"
#define FEEDERS		"3"

typedef struct CalibrationTables
{
	double		large_rows;		/* a few dozen per page */
	double		large_pages;
	double		narrow_rows;	/* at or near the maximum per page */
	double		narrow_pages;
	double		small_rows;		/* as many per page as in the large table */
	double		small_pages;
} CalibrationTables;

/*
 * Create the tables and one more of a thousand rows, inside SPI_connect() and
 * a transaction that will be rolled back.
 */
extern void tables_make(CalibrationTables *t);

/*
 * Flush the tables' pages from the processors' caches.  The caches of a large
 * server hold all of the tables, or not, depending on other load; tables that
 * are worth a device are larger.
 */
extern void tables_flush(void);

#endif							/* GPUDB_ADMIN_CALIBRATE_TABLES_H */
