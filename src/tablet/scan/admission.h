/*
 * admission.h
 *		Admission of columns to the cache: accounts, in shared memory, of the time that queries lost for want of
 *		columns.
 *
 * Each relation whose columns would have made a query faster has an account of
 * the time that was lost for want of them.  When that time is as much as
 * building the columns takes, they are admitted to the cache, and a background
 * worker builds them.  This is the ski-rental problem (Karlin et al. 1988):
 * whoever rents until he has paid the price, and then buys, never pays more
 * than twice what he would have paid had he known the future.  Losses decay
 * with their age.  Columns that did not last cost twice as much the next time.
 */
#ifndef GPUDB_TABLET_SCAN_ADMISSION_H
#define GPUDB_TABLET_SCAN_ADMISSION_H

#include "postgres.h"

#include "utils/rel.h"
#include "utils/timestamp.h"

#include "tablet/read/build.h"

/* Largest number of columns of an account; further columns that queries want are ignored. */
#define ADMISSION_COLUMNS	64

/* Number of accounts, each of one relation. */
#define ADMISSION_ACCOUNTS	256

/* Column and a hash of its definition when a query wanted it; after ALTER TABLE no query wants it in that form. */
typedef struct AdmittedColumn
{
	ColumnWanted wanted;
	uint64		form;			/* tablet_columns_hash() */
} AdmittedColumn;

typedef struct AdmittedColumns
{
	int			n;
	AdmittedColumn column[ADMISSION_COLUMNS];
} AdmittedColumns;

/* Columns of one relation that a worker is to build. */
typedef struct Admission
{
	Oid			database;
	Oid			relation;
	bool		first;			/* no column of the relation was built for this account yet */
	AdmittedColumns columns;
} Admission;

/* Time that a query lost for want of a relation's columns, and the time that building them takes, in milliseconds. */
typedef struct AdmissionCharge
{
	double		lost;
	double		price;
} AdmissionCharge;

typedef enum AdmissionState
{
	ADMISSION_NONE,				/* free slot */
	ADMISSION_OPEN,				/* losses are less than the price */
	ADMISSION_WAITS,			/* columns wait for a worker */
	ADMISSION_TAKEN,			/* a worker builds the columns */
	ADMISSION_ENDED				/* columns were built, as far as there was room */
} AdmissionState;

/* Account, as shown in views. */
typedef struct AdmissionShown
{
	AdmissionState state;
	Oid			database;
	Oid			relation;
	TimestampTz since;			/* time of the last charge, or of the end of building */
	double		lost;			/* milliseconds, decayed to the present while the account is open */
	double		price;			/* milliseconds, doubled for each of `builds` */
	int			builds;			/* times that columns had to be built again within an hour */
	int			ncolumns;
	AttrNumber	attno[ADMISSION_COLUMNS];
} AdmissionShown;

/* Reserve shared memory for the accounts (at library load), then attach to it. */
extern void admission_request_shmem(void);
extern void admission_attach_shmem(void);

/*
 * Charge a relation's account.  Return true if columns of the relation are to
 * be built and this database has no worker that does so: then the caller starts
 * one.
 */
extern bool admission_charge(Relation relation, const ColumnWanted *wanted, int nwanted, AdmissionCharge charge);

/* Make this process the worker of its database until it exits; return false if the database has another one. */
extern bool admission_begin_work(void);
extern void admission_end_work(void);

/* Return for how many milliseconds columns of this database have waited to be built; negative if none wait. */
extern double admission_waited(void);

/*
 * Take over the columns of this database that have waited longest to be built,
 * which no other process takes then; return false if there are none.
 */
extern bool admission_take(Admission *admission);

/*
 * End the building of columns that admission_take() returned, built or not.
 * Columns wanted meanwhile have an account again.
 */
extern void admission_end(Oid relation);

/*
 * Forget a database's accounts, except those whose columns are being built;
 * return the process ID of the database's worker, 0 if it has none.
 */
extern int	admission_forget(Oid database);

/* Copy the account in slot `place`, as of one instant; return false if there is none. */
extern bool admission_show(int place, AdmissionShown *shown);

#endif							/* GPUDB_TABLET_SCAN_ADMISSION_H */
