/*
 * admission.h
 *		Which columns are worth to be built by somebody else than the queries that want them: accounts in shared memory.
 *
 * Each relation whose columns would have made a query faster has an account of
 * the time that was lost for want of them.  When that is as much as building
 * them takes, they are admitted to the cache, and a worker builds them: who
 * rents until he has paid the price, and buys then, never pays more than twice
 * what he would have paid had he known the future (the ski-rental problem,
 * Karlin et al. 1988).  What was lost long ago counts less.  Columns that did
 * not last cost twice as much the next time.
 */
#ifndef GPUDB_TABLET_ADMISSION_H
#define GPUDB_TABLET_ADMISSION_H

#include "postgres.h"

#include "utils/rel.h"
#include "utils/timestamp.h"

#include "tablet/build.h"

/* Columns of one relation; who wants more does without the others. */
#define ADMISSION_COLUMNS	64

/* Relations that have accounts. */
#define ADMISSION_ACCOUNTS	256

/* A column, and what it was of when it was wanted: after ALTER TABLE nobody wants it so. */
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

/* What is to be built. */
typedef struct Admission
{
	Oid			database;
	Oid			relation;
	bool		first;			/* nothing of this relation was built for this account yet */
	AdmittedColumns columns;
} Admission;

/* What a query has lost for want of a relation's columns, and what building them takes; both in milliseconds. */
typedef struct AdmissionCharge
{
	double		lost;
	double		price;
} AdmissionCharge;

typedef enum AdmissionState
{
	ADMISSION_NONE,				/* the place is free */
	ADMISSION_OPEN,				/* what was lost is less than the price */
	ADMISSION_WAITS,			/* for a worker */
	ADMISSION_TAKEN,			/* one builds them */
	ADMISSION_ENDED				/* they were built, as far as there was room */
} AdmissionState;

/* An account, for views. */
typedef struct AdmissionShown
{
	AdmissionState state;
	Oid			database;
	Oid			relation;
	TimestampTz since;			/* the last charge, or the end of building */
	double		lost;			/* milliseconds, as they count now */
	double		price;			/* likewise, with what it costs more for not having lasted */
	int			builds;			/* within the hour */
	int			ncolumns;
	AttrNumber	attno[ADMISSION_COLUMNS];
} AdmissionShown;

/* Reserve shared memory (at library load), then attach to it. */
extern void admission_request_shmem(void);
extern void admission_attach_shmem(void);

/*
 * Charge a relation's account.  True if its columns are to be built and this
 * database has no worker that does so: then the caller starts one.
 */
extern bool admission_charge(Relation relation, const ColumnWanted *wanted, int nwanted, AdmissionCharge charge);

/* This process builds for its database from now on, until it exits; false if another one does. */
extern bool admission_begin_work(void);
extern void admission_end_work(void);

/* For how long, in milliseconds, columns of this database have waited to be built; negative if there are none. */
extern double admission_waited(void);

/* Of the admitted columns of this database those that have waited for longest; nobody else takes them.  False if there are none. */
extern bool admission_take(Admission *admission);

/* What was taken is built, or cannot be.  Columns that were wanted meanwhile have an account again. */
extern void admission_end(Oid relation);

/* Forget a database's accounts; the process that builds for it, 0 if there is none. */
extern int	admission_forget(Oid database);

/* The account at a place, as of some moment; false if there is none. */
extern bool admission_show(int place, AdmissionShown *shown);

#endif							/* GPUDB_TABLET_ADMISSION_H */
