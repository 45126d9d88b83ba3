/*
 * resident.cu
 *		Columns of cached tablets that are cached in device memory.
 *
 * A hash table finds columns by their numbers, which are assigned
 * consecutively as columns are made: neighbours are neighbours in the hash
 * table, too.
 */
#include <stdlib.h>
#include <string.h>

#include "core/tablet/tablet_format.h"

#include "host/pool.h"
#include "host/resident.h"

#define SEGMENT_LEAST	((uint64_t) 8 * 1024 * 1024)
#define SEGMENT_MOST	((uint64_t) 64 * 1024 * 1024)
#define ALIGNMENT		((uint64_t) 256)

#define NOBODY UINT32_MAX

typedef struct Entry
{
	uint64_t	number;			/* number of the column */
	ResidentColumn at;
	uint64_t	value_bytes;
	uint64_t	null_bytes;
	uint64_t	text_bytes;
	uint32_t	segment;
	uint32_t	next;			/* next entry in its bucket, or in the free list */
	uint32_t	neighbour;		/* entry that precedes it in the segment */
	uint32_t	attempt;		/* resident_begin() count when it was added */
	uint64_t	begin;			/* bytes of the segment in use before it */
} Entry;

typedef struct Segment
{
	uint8_t    *start;			/* NULL: no segment */
	uint64_t	bytes;
	uint64_t	used;
	uint64_t	born;
	uint64_t	last_use;
	uint32_t	pins;			/* number of batches that use the segment */
	uint32_t	entries;		/* last entry of the segment */
} Segment;

static uint64_t segment_bytes;
static Segment segments[RESIDENT_SEGMENTS];
static uint32_t filling = NOBODY;	/* segment to which columns are added */
static uint64_t clock_ticks;
static uint32_t attempt;
static uint64_t bytes_used;
static uint64_t endings;		/* number of batches that have released columns */

static Entry *entries;
static uint32_t nentries;		/* number of entries and of buckets: a power of two */
static uint32_t free_entry = NOBODY;
static uint32_t *buckets;

void
resident_start(uint64_t pool_bytes)
{
	segment_bytes = pool_bytes / (RESIDENT_SEGMENTS / 2) / ALIGNMENT * ALIGNMENT;
	if (segment_bytes < SEGMENT_LEAST)
		segment_bytes = SEGMENT_LEAST;
	if (segment_bytes > SEGMENT_MOST && pool_bytes <= SEGMENT_MOST * RESIDENT_SEGMENTS)
		segment_bytes = SEGMENT_MOST;
}

/* Entries */

static uint32_t *
bucket_of(uint64_t number)
{
	return &buckets[number & (nentries - 1)];
}

/* Double the number of entries, or allocate the first ones; return false if memory is short. */
static bool
more_entries(void)
{
	const uint32_t n = nentries == 0 ? 16384 : 2 * nentries;
	Entry	   *larger = n > 0 ? (Entry *) realloc(entries, n * sizeof(Entry)) : NULL;
	uint32_t   *index;

	if (larger == NULL)
		return false;
	entries = larger;
	index = (uint32_t *) realloc(buckets, n * sizeof(uint32_t));
	if (index == NULL)
		return false;
	buckets = index;
	memset(buckets, 0xff, n * sizeof(uint32_t));
	for (uint32_t e = nentries; e < n; e++)
	{
		entries[e].next = e + 1 < n ? e + 1 : NOBODY;
		entries[e].segment = NOBODY;
	}
	free_entry = nentries;
	for (uint32_t e = 0; e < nentries; e++)
	{
		uint32_t   *bucket = &buckets[entries[e].number & (n - 1)];

		entries[e].next = *bucket;
		*bucket = e;
	}
	nentries = n;
	return true;
}

static Entry *
find_entry(uint64_t number)
{
	for (uint32_t e = nentries > 0 ? *bucket_of(number) : NOBODY; e != NOBODY; e = entries[e].next)
		if (entries[e].number == number)
			return &entries[e];
	return NULL;
}

/* Remove an entry from its bucket and put it on the free list. */
static void
drop_entry(uint32_t number)
{
	uint32_t   *link = bucket_of(entries[number].number);

	while (*link != number)
		link = &entries[*link].next;
	*link = entries[number].next;
	entries[number].next = free_entry;
	free_entry = number;
}

/* Add an entry for a column in a segment; return NULL if memory is short. */
static Entry *
add_entry(uint64_t number, uint32_t segment)
{
	uint32_t	e;

	if (free_entry == NOBODY && !more_entries())
		return NULL;
	e = free_entry;
	free_entry = entries[e].next;
	entries[e].number = number;
	entries[e].segment = segment;
	entries[e].next = *bucket_of(number);
	*bucket_of(number) = e;
	entries[e].attempt = attempt;
	entries[e].begin = segments[segment].used;
	entries[e].neighbour = segments[segment].entries;
	segments[segment].entries = e;
	return &entries[e];
}

/* Segments */

/* Add a segment to a set; return false if it was in the set. */
static bool
note(uint32_t segment, ResidentUse *use)
{
	uint64_t   *word = &use->segment[segment / 64];
	const uint64_t bit = (uint64_t) 1 << segment % 64;

	if (*word & bit)
		return false;
	*word |= bit;
	return true;
}

static void
pin(uint32_t segment, ResidentUse *use)
{
	if (!note(segment, use))
		return;
	segments[segment].pins++;
	segments[segment].last_use = ++clock_ticks;
}

/* Give a segment without columns back to the pool. */
static void
give_segment(uint32_t s)
{
	bytes_used -= segments[s].used;
	pool_give(segments[s].start);
	segments[s].start = NULL;
	if (filling == s)
		filling = NOBODY;
}

bool
resident_evict(void)
{
	uint32_t	oldest = NOBODY;

	for (uint32_t s = 0; s < RESIDENT_SEGMENTS; s++)
		if (segments[s].start != NULL && segments[s].pins == 0 &&
			(oldest == NOBODY || segments[s].last_use < segments[oldest].last_use))
			oldest = s;
	if (oldest == NOBODY)
		return false;
	for (uint32_t e = segments[oldest].entries; e != NOBODY;)
	{
		const uint32_t next = entries[e].neighbour;

		drop_entry(e);
		e = next;
	}
	give_segment(oldest);
	return true;
}

/* Begin a segment of `bytes` bytes, evicting others as needed; return NOBODY if there is no room. */
static uint32_t
begin_segment(uint64_t bytes, ResidentCopies *copies)
{
	uint8_t    *start = NULL;
	uint32_t	s;

	for (;;)
	{
		for (s = 0; s < RESIDENT_SEGMENTS && segments[s].start != NULL;)
			s++;
		if (s < RESIDENT_SEGMENTS)
			start = pool_take(bytes);
		if (start != NULL)
			break;
		if (!resident_evict())
			return NOBODY;
	}
	clock_ticks++;
	segments[s] = {start, bytes, 0, clock_ticks, clock_ticks, 0, NOBODY};
	/* the memory may contain another database's data */
	copies->clear[copies->nclear].start = start;
	copies->clear[copies->nclear++].bytes = bytes;
	return s;
}

static uint64_t
aligned(uint64_t bytes)
{
	return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* Allocate `bytes` bytes at the end of a segment, which has room for them; return NULL for 0 bytes. */
static const uint8_t *
take_bytes(uint32_t number, uint64_t bytes)
{
	Segment    *segment = &segments[number];
	const uint8_t *place = segment->start + segment->used;

	segment->used += aligned(bytes);
	bytes_used += aligned(bytes);
	return bytes > 0 ? place : NULL;
}

static void
copy_bytes(const uint8_t *from, const uint8_t *to, uint64_t bytes, ResidentCopies *copies)
{
	if (bytes > 0)
		copies->copy[copies->ncopies++] = {from, (uint8_t *) to, (bytes + 7) / 8 * 8};
}

/*
 * Return a segment with room for `bytes` bytes: the one that is being filled,
 * a new one if it is full, or a separate one if they are many; NOBODY if there
 * is no room.
 */
static uint32_t
segment_for(uint64_t bytes, ResidentCopies *copies)
{
	if (bytes > segment_bytes)
		return begin_segment(bytes, copies);
	if (filling == NOBODY || segments[filling].used + bytes > segment_bytes)
		filling = begin_segment(segment_bytes, copies);
	return filling;
}

/* Find the entry of a number with these sizes, or add it without a location; return NULL if there is no room. */
static Entry *
have_entry(uint64_t number, uint64_t value_bytes, uint64_t null_bytes, uint64_t text_bytes, ResidentCopies *copies, bool *is_new)
{
	const uint64_t bytes = aligned(value_bytes) + aligned(null_bytes) + aligned(text_bytes);
	Entry	   *entry = find_entry(number);
	uint32_t	segment;

	*is_new = entry == NULL;
	/* an existing entry of other sizes is another column's: refuse the number */
	if (entry != NULL)
		return entry->value_bytes == value_bytes && entry->null_bytes == null_bytes && entry->text_bytes == text_bytes ? entry : NULL;
	segment = segment_for(bytes, copies);
	if (segment == NOBODY)
		return NULL;
	entry = add_entry(number, segment);
	if (entry == NULL)
		return NULL;
	entry->value_bytes = value_bytes;
	entry->null_bytes = null_bytes;
	entry->text_bytes = text_bytes;
	return entry;
}

static void
use_entry(const Entry *entry, ResidentUse *use, ResidentUse *also)
{
	pin(entry->segment, use);
	if (also != NULL)
		(void) note(entry->segment, also);
}

bool
resident_find(const ProviderColumn *column, uint32_t nrows, ResidentUse *use, ResidentUse *also, ResidentCopies *copies, ResidentColumn *at)
{
	const uint64_t value_bytes = column->values != NULL ? (uint64_t) coltype_bytes((ColType) column->stored.type) * nrows : 0;
	const uint64_t null_bytes = column->nulls != NULL ? tablet_bitmap_bytes(nrows) : 0;
	bool		is_new;
	Entry	   *entry = have_entry(column->number, value_bytes, null_bytes, column->text_bytes, copies, &is_new);

	if (entry == NULL)
		return false;
	if (is_new)
	{
		entry->at.values = take_bytes(entry->segment, value_bytes);
		entry->at.nulls = take_bytes(entry->segment, null_bytes);
		entry->at.texts = take_bytes(entry->segment, column->text_bytes);
		copy_bytes(column->values, entry->at.values, value_bytes, copies);
		copy_bytes(column->nulls, entry->at.nulls, null_bytes, copies);
		copy_bytes(column->texts, entry->at.texts, column->text_bytes, copies);
	}
	use_entry(entry, use, also);
	*at = entry->at;
	return true;
}

uint8_t *
resident_reserve(uint64_t number, uint64_t bytes, ResidentUse *use, ResidentUse *also, ResidentCopies *copies)
{
	bool		is_new;
	Entry	   *entry = have_entry(number, bytes, 0, 0, copies, &is_new);

	if (entry == NULL)
		return NULL;
	if (is_new)
		entry->at.values = take_bytes(entry->segment, bytes);
	use_entry(entry, use, also);
	return (uint8_t *) entry->at.values;
}

uint64_t
resident_now(void)
{
	return clock_ticks;
}

bool
resident_stayed(const ResidentUse *noted, uint64_t since)
{
	for (uint32_t w = 0; w < RESIDENT_SEGMENTS / 64; w++)
		for (uint64_t bits = noted->segment[w]; bits != 0; bits &= bits - 1)
		{
			const Segment *segment = &segments[w * 64 + (uint32_t) __builtin_ctzll(bits)];

			if (segment->start == NULL || segment->born > since)
				return false;
		}
	return true;
}

void
resident_use(const ResidentUse *noted, ResidentUse *use)
{
	for (uint32_t w = 0; w < RESIDENT_SEGMENTS / 64; w++)
		for (uint64_t bits = noted->segment[w] & ~use->segment[w]; bits != 0; bits &= bits - 1)
			pin(w * 64 + (uint32_t) __builtin_ctzll(bits), use);
}

void
resident_begin(ResidentCopies *copies)
{
	copies->ncopies = copies->nclear = 0;
	attempt++;
}

/* Forget the columns of a segment that were added since resident_begin(): the last ones. */
static void
undo_segment(Segment *segment)
{
	while (segment->entries != NOBODY && entries[segment->entries].attempt == attempt)
	{
		const uint32_t e = segment->entries;

		bytes_used -= segment->used - entries[e].begin;
		segment->used = entries[e].begin;
		segment->entries = entries[e].neighbour;
		drop_entry(e);
	}
}

void
resident_undo(ResidentUse *use)
{
	const uint64_t before = endings;

	resident_let_go(use);
	/* waiting batches need not be told of columns that were used only for a moment */
	endings = before;
	for (uint32_t s = 0; s < RESIDENT_SEGMENTS; s++)
	{
		if (segments[s].start == NULL)
			continue;
		undo_segment(&segments[s]);
		if (segments[s].entries == NOBODY)
			give_segment(s);
	}
}

void
resident_let_go(ResidentUse *use)
{
	uint64_t	any = 0;

	for (uint32_t w = 0; w < RESIDENT_SEGMENTS / 64; w++)
	{
		any |= use->segment[w];
		for (uint64_t bits = use->segment[w]; bits != 0; bits &= bits - 1)
			segments[w * 64 + (uint32_t) __builtin_ctzll(bits)].pins--;
	}
	memset(use, 0, sizeof(*use));
	endings += any != 0;
}

uint64_t
resident_endings(void)
{
	return endings;
}

bool
resident_in_use(void)
{
	for (uint32_t s = 0; s < RESIDENT_SEGMENTS; s++)
		if (segments[s].pins > 0)
			return true;
	return false;
}

uint64_t
resident_bytes(void)
{
	return bytes_used;
}
