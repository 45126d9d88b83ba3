/*
 * fallback_cache.c
 *		The fallback cache: one table in shared memory for the whole server.
 *
 * An aggregate or a join that meets a NaN at its last row has worked in vain,
 * and the next query over that column should not repeat it.  Entries are keyed
 * by the relation's file and the cause.  An entry is valid until the relation's
 * rows have changed, as counted by the statistics collector, or an hour has
 * passed.  The table has a fixed size: a new entry replaces a free one, or else
 * the oldest.  One LWLock protects it: exclusive to add, shared to look up.
 *
 * Nothing is remembered of relations with hidden rows, since a change of plan
 * would reveal something about them.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "pgstat.h"
#include "storage/lwlock.h"
#include "storage/shmem.h"
#include "utils/rel.h"
#include "utils/timestamp.h"

#include "exec/run/fallback_cache.h"
#include "pg_compat.h"

#define MEMORY_ENTRIES	256
#define MEMORY_SECONDS	3600

typedef struct MemoryEntry
{
	Oid			database;
	Oid			file;			/* relfilenode; InvalidOid = the entry is free */
	FallbackCause cause;
	int64		changes;		/* change count of the relation when the entry was made */
	TimestampTz time;
} MemoryEntry;

typedef struct Memory
{
	LWLock	   *lock;
	uint32		used;			/* number of additions so far; 0 allows a lookup to skip the lock */
	MemoryEntry entry[MEMORY_ENTRIES];
} Memory;

static Memory *memory = NULL;

void
fallback_cache_request_shmem(void)
{
	RequestAddinShmemSpace(MAXALIGN(sizeof(Memory)));
	RequestNamedLWLockTranche("gpudb", 1);
}

void
fallback_cache_attach_shmem(void)
{
	bool		found;

	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	memory = ShmemInitStruct("gpudb memory of fallbacks", sizeof(Memory), &found);
	if (!found)
	{
		memset(memory, 0, sizeof(Memory));
		memory->lock = &GetNamedLWLockTranche("gpudb")->lock;
	}
	LWLockRelease(AddinShmemInitLock);
}

static bool
same_cause(const MemoryEntry *entry, Relation relation, FallbackCause cause)
{
	return entry->file == compat_relation_file(relation) && entry->database == MyDatabaseId &&
		entry->cause.attno == cause.attno && entry->cause.computation == cause.computation;
}

/* Return the entry of a cause, else a free entry, else the oldest entry; the caller holds the lock. */
static MemoryEntry *
place_for(Relation relation, FallbackCause cause)
{
	MemoryEntry *place = &memory->entry[0];

	for (int i = 0; i < MEMORY_ENTRIES; i++)
	{
		MemoryEntry *entry = &memory->entry[i];

		if (same_cause(entry, relation, cause))
			return entry;
		if (OidIsValid(place->file) && (!OidIsValid(entry->file) || entry->time < place->time))
			place = entry;
	}
	return place;
}

void
fallback_cache_add(Relation relation, FallbackCause cause)
{
	MemoryEntry *entry;
	int64		changes;

	if (memory == NULL)
		return;
	changes = compat_relation_changes(relation);
	LWLockAcquire(memory->lock, LW_EXCLUSIVE);
	entry = place_for(relation, cause);
	*entry = (MemoryEntry) {
		.database = MyDatabaseId, .file = compat_relation_file(relation), .cause = cause,
		.changes = changes, .time = GetCurrentTimestamp()
	};
	memory->used++;
	LWLockRelease(memory->lock);
}

bool
fallback_cache_is_empty(void)
{
	return memory == NULL || memory->used == 0;
}

bool
fallback_cache_has(Relation relation, FallbackCause cause)
{
	bool		found = false;
	int64		changes = 0;
	TimestampTz time = 0;

	if (fallback_cache_is_empty())
		return false;
	LWLockAcquire(memory->lock, LW_SHARED);
	for (uint32 i = 0; i < Min(memory->used, MEMORY_ENTRIES) && !found; i++)
	{
		const MemoryEntry *entry = &memory->entry[i];

		found = same_cause(entry, relation, cause);
		changes = entry->changes;
		time = entry->time;
	}
	LWLockRelease(memory->lock);
	return found && changes == compat_relation_changes(relation) &&
		!TimestampDifferenceExceeds(time, GetCurrentTimestamp(), MEMORY_SECONDS * 1000);
}
