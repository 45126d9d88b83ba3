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
#include "storage/shmem.h"
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
	Wish		wish;
} NotedWish;

typedef struct Wishes
{
	slock_t		lock;
	NotedWish	noted[WISHES];
} Wishes;

static Wishes *wishes = NULL;

void
wishes_request_shmem(void)
{
	if (pool_bytes() > 0)
		RequestAddinShmemSpace(MAXALIGN(sizeof(Wishes)));
}

void
wishes_attach_shmem(void)
{
	bool		found;

	if (!pool_exists())
		return;
	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	wishes = ShmemInitStruct("gpudb wishes", sizeof(Wishes), &found);
	if (!found)
	{
		memset(wishes, 0, sizeof(Wishes));
		SpinLockInit(&wishes->lock);
	}
	LWLockRelease(AddinShmemInitLock);
}

static bool
same_wish(const Wish *a, const Wish *b)
{
	return a->database == b->database && a->relation == b->relation && a->form == b->form;
}

/* Whether a place may be taken by another wish, or by the same again: for one that waits there may have been no worker to be had. */
static bool
is_free(const NotedWish *noted, TimestampTz now)
{
	return noted->state == WISH_NONE ||
		(noted->state != WISH_TAKEN && TimestampDifferenceExceeds(noted->since, now, PATIENCE_MS));
}

/* Note a wish unless it is on the list; the lock is held. */
static bool
note(const Wish *wish, TimestampTz now)
{
	NotedWish  *place = NULL;

	for (int i = 0; i < WISHES; i++)
	{
		NotedWish  *noted = &wishes->noted[i];

		if (is_free(noted, now))
			place = noted;
		else if (same_wish(&noted->wish, wish))
			return false;
	}
	if (place != NULL)
		*place = (NotedWish) {.state = WISH_WAITS, .since = now, .wish = *wish};
	return place != NULL;
}

bool
wish_add(Relation relation, const ColumnWanted *wanted, int nwanted)
{
	const TimestampTz now = GetCurrentTimestamp();
	Wish		wish = {.database = MyDatabaseId, .relation = RelationGetRelid(relation), .ncolumns = nwanted};
	bool		added;

	if (wishes == NULL || nwanted > WISH_COLUMNS)
		return false;
	memcpy(wish.column, wanted, sizeof(ColumnWanted) * nwanted);
	wish.form = tablet_columns_hash(relation, wanted, nwanted);
	SpinLockAcquire(&wishes->lock);
	added = note(&wish, now);
	SpinLockRelease(&wishes->lock);
	return added;
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
