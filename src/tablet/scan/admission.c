/*
 * admission.c
 *		Accounts of the time that queries have lost for want of columns.
 *
 * A relation has one account, for all columns that its queries lacked since it
 * was opened: they are built in one pass over the relation's pages.  Where all
 * slots are taken, the account that owes least makes room.
 */
#include "postgres.h"

#include <math.h>

#include "miscadmin.h"
#include "storage/spin.h"

#include "tablet/cache/pool.h"
#include "tablet/scan/admission.h"
#include "tablet/scan/tablet_scan.h"

/* Time after which a loss counts half. */
#define HALF_LIFE_MS	600000.0

/*
 * Time for which columns that were built are not built again: where they found
 * no room, or did not last, that would help nobody.
 */
#define PATIENCE_MS		60000

/* Columns that have to be built again within this time cost twice as much as the last time. */
#define LASTING_MS		3600000

/* Number of rebuilds up to which the price doubles. */
#define MOST_BUILDS		10

/* Time after which another worker is asked for, if the one that was asked for has not begun. */
#define RETRY_MS		5000

/* Number of databases whose workers are known; those of other databases are asked for too often. */
#define WORKERS			64

typedef struct Worker
{
	Oid			database;		/* InvalidOid = free slot */
	int			pid;			/* 0 = worker was asked for, and has not begun */
	TimestampTz asked;
} Worker;

typedef struct Account
{
	AdmissionState state;
	TimestampTz since;			/* see AdmissionShown */
	TimestampTz waiting;		/* time since which columns wait */
	TimestampTz built;			/* time when columns were built last; 0 = never */
	int			builds;
	double		lost;			/* losses as of `since` */
	double		price;
	Admission	wanted;			/* columns that are not cached */
	AdmittedColumns had;		/* columns that are being built, or were built within the hour */
} Account;

typedef struct Accounts
{
	slock_t		lock;			/* must be first: pool_attach_beside() */
	Worker		worker[WORKERS];
	Account		account[ADMISSION_ACCOUNTS];
} Accounts;

static Accounts *accounts = NULL;

void
admission_request_shmem(void)
{
	pool_request_beside(sizeof(Accounts));
}

void
admission_attach_shmem(void)
{
	accounts = pool_attach_beside("gpudb admission", sizeof(Accounts));
}

static bool
has_column(const AdmittedColumns *columns, const AdmittedColumn *column)
{
	for (int c = 0; c < columns->n; c++)
		if (columns->column[c].form == column->form)
			return true;
	return false;
}

static void
add_columns(AdmittedColumns *to, const AdmittedColumns *columns)
{
	for (int c = 0; c < columns->n && to->n < ADMISSION_COLUMNS; c++)
		if (!has_column(to, &columns->column[c]))
			to->column[to->n++] = columns->column[c];
}

static bool
has_columns(const AdmittedColumns *of, const AdmittedColumns *columns)
{
	for (int c = 0; c < columns->n; c++)
		if (!has_column(of, &columns->column[c]))
			return false;
	return true;
}

static double
ms_between(TimestampTz from, TimestampTz to)
{
	return Max((double) (to - from), 0) / 1000;
}

/* Return an account's losses, decayed to the present. */
static double
lost_by(const Account *account, TimestampTz now)
{
	return account->lost * exp2(-ms_between(account->since, now) / HALF_LIFE_MS);
}

/* Return what building costs, given how often it was done in vain. */
static double
price_of(const Account *account)
{
	return ldexp(account->price, Min(account->builds, MOST_BUILDS));
}

static bool
is_of(const Account *account, Oid relation)
{
	return account->state != ADMISSION_NONE && account->wanted.database == MyDatabaseId && account->wanted.relation == relation;
}

/* Return the account of a relation, or the slot for a new one; NULL if there is none. */
static Account *
place_for(Oid relation, TimestampTz now)
{
	Account    *best = NULL;
	double		least = INFINITY;

	for (int i = 0; i < ADMISSION_ACCOUNTS; i++)
	{
		Account    *account = &accounts->account[i];
		double		owed;

		if (is_of(account, relation))
			return account;
		if (account->state == ADMISSION_NONE)
			owed = -1;
		else if (account->state == ADMISSION_WAITS || account->state == ADMISSION_TAKEN)
			continue;
		else
			owed = account->state == ADMISSION_OPEN ? lost_by(account, now) : 0;
		if (owed < least)
		{
			least = owed;
			best = account;
		}
	}
	return best;
}

/* Return the slot of this database's worker, or a free one; NULL if there is none. */
static Worker *
place_of_worker(void)
{
	Worker	   *place = NULL;

	for (int i = 0; i < WORKERS; i++)
	{
		if (accounts->worker[i].database == MyDatabaseId)
			return &accounts->worker[i];
		if (place == NULL && !OidIsValid(accounts->worker[i].database))
			place = &accounts->worker[i];
	}
	return place;
}

/* Return true if a worker has to be started, and note that it was asked for. */
static bool
ask_for_worker(TimestampTz now)
{
	Worker	   *worker = place_of_worker();

	if (worker == NULL)
		return true;
	if (worker->database == MyDatabaseId && (worker->pid != 0 || ms_between(worker->asked, now) < RETRY_MS))
		return false;
	*worker = (Worker) {.database = MyDatabaseId, .asked = now};
	return true;
}

/* Open an account for a relation, in the slot of another relation's. */
static void
open_account(Account *account, Oid relation, TimestampTz now)
{
	memset(account, 0, sizeof(Account));
	account->state = ADMISSION_OPEN;
	account->since = now;
	account->wanted.database = MyDatabaseId;
	account->wanted.relation = relation;
}

/*
 * Reopen a relation's account after columns of it were built; return false if
 * these were the columns that are wanted, and it is too soon.
 */
static bool
reopen_account(Account *account, const AdmittedColumns *columns, TimestampTz now)
{
	const double age = ms_between(account->built, now);

	if (has_columns(&account->had, columns))
	{
		if (age < PATIENCE_MS)
			return false;
		account->builds = age < LASTING_MS ? account->builds + 1 : 0;
	}
	else if (age >= LASTING_MS)
		account->builds = 0;
	account->state = ADMISSION_OPEN;
	account->since = now;
	return true;
}

static void
await_worker(Account *account, TimestampTz now)
{
	if (account->state == ADMISSION_OPEN && account->lost >= price_of(account))
	{
		account->state = ADMISSION_WAITS;
		account->waiting = now;
	}
}

/* Charge an account, which may still be another relation's; return true if columns wait to be built. */
static bool
charge_account(Account *account, Oid relation, const AdmittedColumns *columns, AdmissionCharge charge, TimestampTz now)
{
	if (!is_of(account, relation))
		open_account(account, relation, now);
	else if (account->state == ADMISSION_ENDED && !reopen_account(account, columns, now))
		return false;
	else if (account->state == ADMISSION_TAKEN && has_columns(&account->had, columns))
		return false;
	add_columns(&account->wanted.columns, columns);
	account->price = Max(account->price, charge.price);
	account->lost = lost_by(account, now) + charge.lost;
	account->since = now;
	await_worker(account, now);
	return account->state == ADMISSION_WAITS;
}

bool
admission_charge(Relation relation, const ColumnWanted *wanted, int nwanted, AdmissionCharge charge)
{
	const TimestampTz now = GetCurrentTimestamp();
	AdmittedColumns columns = {Min(nwanted, ADMISSION_COLUMNS)};
	Account    *account;
	bool		asks;

	if (accounts == NULL)
		return false;
	for (int c = 0; c < columns.n; c++)
	{
		columns.column[c] = (AdmittedColumn) {wanted[c], tablet_columns_hash(relation, &wanted[c], 1)};
		/* a pointer that only this process can use */
		columns.column[c].wanted.dict = NULL;
	}
	SpinLockAcquire(&accounts->lock);
	account = place_for(RelationGetRelid(relation), now);
	asks = account != NULL && charge_account(account, RelationGetRelid(relation), &columns, charge, now) && ask_for_worker(now);
	SpinLockRelease(&accounts->lock);
	return asks;
}

bool
admission_begin_work(void)
{
	Worker	   *worker;
	bool		alone;

	SpinLockAcquire(&accounts->lock);
	worker = place_of_worker();
	alone = worker == NULL || worker->database != MyDatabaseId || worker->pid == 0;
	if (alone && worker != NULL)
		*worker = (Worker) {.database = MyDatabaseId, .pid = MyProcPid};
	SpinLockRelease(&accounts->lock);
	return alone;
}

void
admission_end_work(void)
{
	SpinLockAcquire(&accounts->lock);
	for (int i = 0; i < WORKERS; i++)
		if (accounts->worker[i].pid == MyProcPid)
			accounts->worker[i].database = InvalidOid;
	SpinLockRelease(&accounts->lock);
}

/* Return the account of this database whose columns have waited longest for a worker; NULL if none waits. */
static Account *
next_waiting(void)
{
	Account    *oldest = NULL;

	for (int i = 0; i < ADMISSION_ACCOUNTS; i++)
	{
		Account    *account = &accounts->account[i];

		if (account->state == ADMISSION_WAITS && account->wanted.database == MyDatabaseId &&
			(oldest == NULL || account->waiting < oldest->waiting))
			oldest = account;
	}
	return oldest;
}

double
admission_waited(void)
{
	const TimestampTz now = GetCurrentTimestamp();
	const Account *oldest;
	double		waited;

	SpinLockAcquire(&accounts->lock);
	oldest = next_waiting();
	waited = oldest != NULL ? ms_between(oldest->waiting, now) : -1;
	SpinLockRelease(&accounts->lock);
	return waited;
}

bool
admission_take(Admission *admission)
{
	const TimestampTz now = GetCurrentTimestamp();
	Account    *oldest;

	SpinLockAcquire(&accounts->lock);
	oldest = next_waiting();
	if (oldest != NULL)
	{
		*admission = oldest->wanted;
		admission->first = oldest->built == 0;
		oldest->state = ADMISSION_TAKEN;
		/* queries that want different columns in turn are not to have each rebuilt as if it were new */
		if (ms_between(oldest->built, now) >= LASTING_MS)
			oldest->had.n = 0;
		add_columns(&oldest->had, &oldest->wanted.columns);
		oldest->wanted.columns.n = 0;
		oldest->lost = oldest->price = 0;
	}
	SpinLockRelease(&accounts->lock);
	return oldest != NULL;
}

void
admission_end(Oid relation)
{
	const TimestampTz now = GetCurrentTimestamp();

	SpinLockAcquire(&accounts->lock);
	for (int i = 0; i < ADMISSION_ACCOUNTS; i++)
	{
		Account    *account = &accounts->account[i];

		if (account->state != ADMISSION_TAKEN || !is_of(account, relation))
			continue;
		account->state = account->wanted.columns.n > 0 ? ADMISSION_OPEN : ADMISSION_ENDED;
		account->built = now;
		if (account->state == ADMISSION_ENDED)
			account->since = now;
		await_worker(account, now);
	}
	SpinLockRelease(&accounts->lock);
}

int
admission_forget(Oid database)
{
	int			worker = 0;

	if (accounts == NULL)
		return 0;
	SpinLockAcquire(&accounts->lock);
	for (int i = 0; i < ADMISSION_ACCOUNTS; i++)
		if (accounts->account[i].wanted.database == database && accounts->account[i].state != ADMISSION_TAKEN)
			accounts->account[i].state = ADMISSION_NONE;
	for (int i = 0; i < WORKERS; i++)
		if (accounts->worker[i].database == database)
			worker = accounts->worker[i].pid;
	SpinLockRelease(&accounts->lock);
	return worker;
}

bool
admission_show(int place, AdmissionShown *shown)
{
	const TimestampTz now = GetCurrentTimestamp();
	const Account *account;
	const AdmittedColumns *columns;

	if (accounts == NULL)
		return false;
	account = &accounts->account[place];
	SpinLockAcquire(&accounts->lock);
	columns = account->state == ADMISSION_TAKEN || account->state == ADMISSION_ENDED ? &account->had : &account->wanted.columns;
	*shown = (AdmissionShown) {
		.state = account->state, .database = account->wanted.database, .relation = account->wanted.relation, .since = account->since,
		.lost = account->state == ADMISSION_OPEN ? lost_by(account, now) : account->lost, .price = price_of(account),
		.builds = account->builds, .ncolumns = columns->n
	};
	for (int c = 0; c < shown->ncolumns; c++)
		shown->attno[c] = columns->column[c].wanted.attno;
	SpinLockRelease(&accounts->lock);
	return shown->state != ADMISSION_NONE;
}
