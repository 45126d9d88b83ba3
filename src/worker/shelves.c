/*
 * shelves.c
 *		Descriptions of shelves that the GPU process remembers, in a hash table.
 */
#include "postgres.h"

#include <stdlib.h>

#include "core/hash.h"
#include "worker/shelves.h"

#define BUCKETS 1024

/* Bytes that all remembered shelves may take; if all are pinned, they may take more. */
#define BYTES_MOST ((Size) 64 * 1024 * 1024)

typedef struct KnownShelf
{
	ProviderShelf shelf;		/* must be first */
	uint64		told;			/* number by which requesters name the shelf */
	Size		bytes;			/* size of this structure */
	uint64		last_use;		/* clock_ticks of the last use */
	int			pins;			/* number of GPU batches that use the shelf */
	struct KnownShelf *next;	/* next shelf of the bucket */
	ProviderTablet tablet[CACHED_SHELF_MOST];
	ProviderColumn column[];
} KnownShelf;

static KnownShelf *buckets[BUCKETS];
static Size bytes_used;
static uint64 clock_ticks;
static uint64 last_number;

/* Return the bucket of a shelf; one shelf may be remembered with several sets of columns, in different buckets. */
static KnownShelf **
bucket_of(uint64 told, uint32 ncolumns, const uint64 *first)
{
	uint64		hash = told;

	for (uint32 c = 0; c < ncolumns; c++)
		hash = hash_combine(hash, first[c]);
	return &buckets[hash % BUCKETS];
}

/* Return the bucket of a remembered shelf. */
static KnownShelf **
bucket_of_shelf(const KnownShelf *known)
{
	uint64		first[PROGRAM_MAX_COLUMNS];

	for (uint32 c = 0; c < known->shelf.ncolumns; c++)
		first[c] = known->column[c].number;
	return bucket_of(known->told, known->shelf.ncolumns, first);
}

const ProviderShelf *
shelves_find(uint64 number, uint32 ntablets, uint32 ncolumns, const uint64 *first)
{
	for (KnownShelf *known = *bucket_of(number, ncolumns, first); known != NULL; known = known->next)
	{
		bool		same = known->told == number && known->shelf.ntablets == ntablets && known->shelf.ncolumns == ncolumns;

		for (uint32 c = 0; c < ncolumns && same; c++)
			same = known->column[c].number == first[c];
		if (!same)
			continue;
		known->last_use = ++clock_ticks;
		return &known->shelf;
	}
	return NULL;
}

ProviderShelf *
shelves_new(uint32 ntablets, uint32 ncolumns)
{
	const Size	bytes = sizeof(KnownShelf) + (Size) ntablets * ncolumns * sizeof(ProviderColumn);
	KnownShelf *known = malloc(bytes);

	if (known == NULL)
		return NULL;
	memset(known, 0, sizeof(KnownShelf));
	known->bytes = bytes;
	known->shelf.ntablets = ntablets;
	known->shelf.ncolumns = ncolumns;
	known->shelf.tablet = known->tablet;
	known->shelf.column = known->column;
	return &known->shelf;
}

/* Forget the least recently used shelf that is not pinned; false if there is none. */
static bool
forget_oldest(void)
{
	KnownShelf **oldest = NULL;
	KnownShelf *gone;

	for (int b = 0; b < BUCKETS; b++)
		for (KnownShelf **link = &buckets[b]; *link != NULL; link = &(*link)->next)
			if ((*link)->pins == 0 && (oldest == NULL || (*link)->last_use < (*oldest)->last_use))
				oldest = link;
	if (oldest == NULL)
		return false;
	gone = *oldest;
	*oldest = gone->next;
	bytes_used -= gone->bytes;
	free(gone);
	return true;
}

void
shelves_keep(ProviderShelf *shelf, uint64 number)
{
	KnownShelf *known = (KnownShelf *) shelf;
	KnownShelf **bucket;

	while (bytes_used + known->bytes > BYTES_MOST && forget_oldest())
		;
	bytes_used += known->bytes;
	known->told = number;
	known->shelf.number = ++last_number;
	known->last_use = ++clock_ticks;
	for (uint32 t = 0; t < shelf->ntablets; t++)
	{
		shelf->nrows += shelf->tablet[t].nrows;
		shelf->bytes += shelf->tablet[t].bytes;
	}
	bucket = bucket_of_shelf(known);
	known->next = *bucket;
	*bucket = known;
}

void
shelves_drop(ProviderShelf *shelf)
{
	free(shelf);
}

void
shelves_pin(const ProviderShelf *shelf)
{
	((KnownShelf *) unconstify(ProviderShelf *, shelf))->pins++;
}

void
shelves_unpin(const ProviderShelf *shelf)
{
	((KnownShelf *) unconstify(ProviderShelf *, shelf))->pins--;
}
