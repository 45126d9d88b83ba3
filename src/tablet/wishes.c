/*
 * wishes.c
 *		Columns that queries wanted and did not find.
 *
 * A short list in shared memory.  A wish stays on it for a while after it was
 * granted: where the columns found no room, or did not last, building them again
 * and again would help nobody.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "storage/spin.h"
#include "utils/timestamp.h"

#include "tablet/pool.h"
#include "tablet/tablet_scan.h"
#include "tablet/wishes.h"

#define WISHES		32

/* How long the same is not wished for again. */
#define PATIENCE_MS	60000

typedef enum WishState
{
	WISH_NONE,
	WISH_WAITS,
	WISH_TAKEN,
	WISH_ENDED
} WishState;

typedef struct NotedWish
{
	WishState	state;
	TimestampTz since;
	int			taker;			/* process that has taken it */
	Wish		wish;
} NotedWish;

typedef struct Wishes
{
	slock_t		lock;			/* first */
	NotedWish	noted[WISHES];
} Wishes;

static Wishes *wishes = NULL;

void
wishes_request_shmem(void)
{
	pool_request_beside(sizeof(Wishes));
}

void
wishes_attach_shmem(void)
{
	wishes = pool_attach_beside("gpudb wishes", sizeof(Wishes));
}

static bool
same_wish(const Wish *a, const Wish *b)
{
	return a->database == b->database && a->relation == b->relation && a->form == b->form;
}

/* How good a place is for another wish: 0 = it is another's; the emptier the better. */
static int
freedom(const NotedWish *noted, TimestampTz now)
{
	if (noted->state == WISH_NONE)
		return 3;
	if (noted->state == WISH_TAKEN || !TimestampDifferenceExceeds(noted->since, now, PATIENCE_MS))
		return 0;
	return noted->state == WISH_ENDED ? 2 : 1;
}

/* The place of the same wish, or the best one for it; NULL if there is none. */
static NotedWish *
place_for(const Wish *wish, TimestampTz now)
{
	NotedWish  *best = NULL;

	for (int i = 0; i < WISHES; i++)
	{
		NotedWish  *noted = &wishes->noted[i];

		if (noted->state != WISH_NONE && same_wish(&noted->wish, wish))
			return noted;
		if (freedom(noted, now) > (best != NULL ? freedom(best, now) : 0))
			best = noted;
	}
	return best;
}

/* Whether somebody grants wishes of a database, and so will take others. */
static bool
has_worker(Oid database)
{
	for (int i = 0; i < WISHES; i++)
		if (wishes->noted[i].state == WISH_TAKEN && wishes->noted[i].wish.database == database)
			return true;
	return false;
}

bool
wish_add(Relation relation, const ColumnWanted *wanted, int nwanted)
{
	const TimestampTz now = GetCurrentTimestamp();
	Wish		wish = {.database = MyDatabaseId, .relation = RelationGetRelid(relation), .ncolumns = nwanted};
	NotedWish  *place;
	bool		alone = false;

	if (wishes == NULL || nwanted > WISH_COLUMNS)
		return false;
	memcpy(wish.column, wanted, sizeof(ColumnWanted) * nwanted);
	/* this process's */
	for (int c = 0; c < nwanted; c++)
		wish.column[c].codes = NULL;
	wish.form = tablet_columns_hash(relation, wanted, nwanted);
	SpinLockAcquire(&wishes->lock);
	place = place_for(&wish, now);
	if (place != NULL && freedom(place, now) > 0)
	{
		*place = (NotedWish) {.state = WISH_WAITS, .since = now, .wish = wish};
		alone = !has_worker(MyDatabaseId);
	}
	SpinLockRelease(&wishes->lock);
	return alone;
}

bool
wish_take(Wish *wish)
{
	NotedWish  *oldest = NULL;

	SpinLockAcquire(&wishes->lock);
	for (int i = 0; i < WISHES; i++)
	{
		NotedWish  *noted = &wishes->noted[i];

		if (noted->state == WISH_WAITS && noted->wish.database == MyDatabaseId && (oldest == NULL || noted->since < oldest->since))
			oldest = noted;
	}
	if (oldest != NULL)
	{
		oldest->state = WISH_TAKEN;
		oldest->taker = MyProcPid;
		*wish = oldest->wish;
	}
	SpinLockRelease(&wishes->lock);
	return oldest != NULL;
}

static void
set_state(const Wish *wish, WishState state)
{
	const TimestampTz now = GetCurrentTimestamp();

	SpinLockAcquire(&wishes->lock);
	for (int i = 0; i < WISHES; i++)
		if (wishes->noted[i].state != WISH_NONE && same_wish(&wishes->noted[i].wish, wish))
		{
			wishes->noted[i].state = state;
			wishes->noted[i].since = now;
		}
	SpinLockRelease(&wishes->lock);
}

void
wish_end(const Wish *wish)
{
	set_state(wish, WISH_ENDED);
}

int
wishes_forget(Oid database)
{
	int			taker = 0;

	if (wishes == NULL)
		return 0;
	SpinLockAcquire(&wishes->lock);
	for (int i = 0; i < WISHES; i++)
	{
		NotedWish  *noted = &wishes->noted[i];

		if (noted->wish.database != database)
			continue;
		if (noted->state == WISH_TAKEN)
			taker = noted->taker;
		else
			noted->state = WISH_NONE;
	}
	SpinLockRelease(&wishes->lock);
	return taker;
}
