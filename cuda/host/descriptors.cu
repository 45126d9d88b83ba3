/*
 * descriptors.cu
 *		Tablet descriptors for the kernels: the locations of cached tablets'
 *		columns in device memory.
 */
#include <stdlib.h>
#include <string.h>

#include "core/hash.h"

#include "host/descriptors.h"

/*
 * Number of shelves whose descriptors are cached, indexed by the low digits of
 * their numbers, which are assigned consecutively.
 */
#define SHELVES 1024

/*
 * Numbers among columns, whose own are smaller, for the descriptors of a
 * shelf, and for a second copy of a column's texts.
 */
#define NUMBER_OF_DESCRIPTORS(shelf) ((uint64_t) 1 << 63 | (shelf)->number)
#define NUMBER_OF_TEXTS(column) ((uint64_t) 1 << 62 | (column)->number)

typedef struct PlacedShelf
{
	uint64_t	number;			/* 0 = none */
	uint32_t	placed;			/* bitmap of the tablets whose descriptors and columns are resident */
	uint64_t	since;			/* resident_now() when they were placed */
	ResidentUse use;			/* segments that contain them */
	uint8_t    *descriptors;	/* descriptors in device memory */
	uint64_t	form[CACHED_SHELF_MOST];
	uint32_t	nrows[CACHED_SHELF_MOST];
	Tablet	   *cover;			/* the zone maps of all of its tablets together */
	uint8_t    *code_bits;		/* the greatest vm_code_bits() of each column, allocated behind `cover` */
} PlacedShelf;

/* Key columns of the current program; none if some key is something else. */
static uint16_t key_column[PROGRAM_MAX_KEYS];
static uint32_t nkeys;

static PlacedShelf shelves[SHELVES];

/* Return the offset of a column from a tablet's descriptor in device memory. */
static uint64_t
distance(const uint8_t *head, const uint8_t *column)
{
	return column != NULL ? (uint64_t) (uintptr_t) column - (uint64_t) (uintptr_t) head : 0;
}

void
descriptors_describe(uint32_t nrows, const ProviderColumn *column, uint32_t ncolumns, Tablet *head)
{
	memset(head, 0, sizeof(Tablet));
	head->nrows = nrows;
	head->ncols = ncolumns;
	head->failed_column = -1;
	for (uint32_t c = 0; c < ncolumns; c++)
		head->column[c] = column[c].stored;
}

static uint64_t
form_of(const ProviderColumn *column, uint32_t ncolumns)
{
	uint64_t	hash = 0;

	for (uint32_t c = 0; c < ncolumns; c++)
		hash = hash_combine(hash, column[c].stored.type | (column[c].stored.null_count > 0 ? 256u : 0));
	return hash;
}

/*
 * Place second copies of a tablet's texts in device memory, which are copied
 * together; return false if there is no room.
 */
static bool
copy_texts(CudaBatch *own, ResidentCopies *copies, const ProviderColumn *column, uint32_t ncolumns, ResidentUse *also, TextBytes *texts)
{
	for (uint32_t c = 0; c < ncolumns; c++)
	{
		ProviderColumn bytes = {};
		ResidentColumn at;

		if (texts[c].start == NULL)
			continue;
		bytes.number = NUMBER_OF_TEXTS(&column[c]);
		bytes.texts = column[c].texts;
		bytes.text_bytes = column[c].text_bytes;
		if (!resident_find(&bytes, 0, &own->use, also, copies, &at))
			return false;
		texts[c].start = at.texts;
	}
	return true;
}

/*
 * Set the base of text references in a descriptor.  Columns that were copied
 * at different times may be too far apart for a common base: then their texts
 * are copied once more, side by side.  Returns false if there is no room.
 */
static bool
place_texts(CudaBatch *own, ResidentCopies *copies, const ProviderColumn *column, ResidentUse *also, TextBytes *texts, Tablet *head)
{
	return tablet_place_texts(head, texts) ||
		(copy_texts(own, copies, column, head->ncols, also, texts) && tablet_place_texts(head, texts));
}

/*
 * Write the next descriptor of a batch, which will be stored at `place`, and
 * add the segments of its columns to *also unless that is NULL; return NULL if
 * there is no room for the columns.
 */
static Tablet *
write_head(CudaBatch *own, ResidentCopies *copies, const ProviderTablet *tablet, const ProviderColumn *column, const uint8_t *place,
		   ResidentUse *also)
{
	const uint32_t ncolumns = own->batch.job->view.program->ncolumns;
	Tablet	   *head = (Tablet *) (own->request + own->descriptors_at + (uint64_t) own->ndescriptors * head_bytes(ncolumns));
	TextBytes	texts[PROGRAM_MAX_COLUMNS];
	ResidentColumn at;

	descriptors_describe(tablet->nrows, column, ncolumns, head);
	for (uint32_t c = 0; c < ncolumns; c++)
	{
		if (column[c].number == 0)
			at = {column[c].values, column[c].nulls, NULL};
		else if (!resident_find(&column[c], tablet->nrows, &own->use, also, copies, &at))
			return NULL;
		head->column[c].values = distance(place, at.values);
		head->column[c].nulls = distance(place, at.nulls);
		texts[c] = {at.texts, column[c].text_bytes};
	}
	if (!place_texts(own, copies, column, also, texts, head))
		return NULL;
	/* relative to the address at which the descriptor will be stored */
	if (head->var != 0)
		head->var += (uint64_t) (uintptr_t) head - (uint64_t) (uintptr_t) place;
	own->ndescriptors++;
	return head;
}

/* Tablets of shelves */

/* Begin to cache the descriptors of a shelf; return false if there is no room. */
static bool
begin_shelf(CudaBatch *own, PlacedShelf *known, const ProviderShelf *shelf, ResidentCopies *copies)
{
	const uint32_t ncolumns = shelf->ncolumns;
	Tablet	   *head = (Tablet *) own->head;
	Tablet	   *cover = (Tablet *) realloc(known->cover, head_bytes(ncolumns) + ncolumns);

	known->number = 0;
	if (cover == NULL)
		return false;
	known->cover = cover;
	known->code_bits = (uint8_t *) cover + head_bytes(ncolumns);
	memset(known->code_bits, 0, ncolumns);
	memset(&known->use, 0, sizeof(known->use));
	known->placed = 0;
	known->descriptors = resident_reserve(NUMBER_OF_DESCRIPTORS(shelf), (uint64_t) shelf->ntablets * head_bytes(ncolumns), &own->use, &known->use, copies);
	if (known->descriptors == NULL)
		return false;
	for (uint32_t t = 0; t < shelf->ntablets; t++)
	{
		const ProviderColumn *column = &shelf->column[(size_t) t * ncolumns];

		descriptors_describe(shelf->tablet[t].nrows, column, ncolumns, head);
		tablet_cover(cover, head, t == 0);
		known->form[t] = form_of(column, ncolumns);
		known->nrows[t] = shelf->tablet[t].nrows;
		for (uint32_t c = 0; c < ncolumns; c++)
		{
			const uint32_t bits = vm_code_bits(&column[c].stored);

			known->code_bits[c] = (uint8_t) (known->code_bits[c] < bits ? bits : known->code_bits[c]);
		}
	}
	known->number = shelf->number;
	return true;
}

/* Return true if the stored values of all keys have few enough bits for a dense index. */
static bool
shelf_is_dense(const PlacedShelf *known)
{
	uint32_t	bits = 0;

	for (uint32_t k = 0; k < nkeys; k++)
		bits += known->code_bits[key_column[k]];
	return nkeys > 0 && bits <= CODE_BITS;
}

/* Place the selected tablets of a shelf in device memory; return NULL if there is no room. */
static PlacedShelf *
place_shelf(CudaBatch *own, const ProviderPick *pick, ResidentCopies *copies)
{
	const ProviderShelf *shelf = pick->shelf;
	const uint32_t ncolumns = shelf->ncolumns;
	const uint32_t bytes = head_bytes(ncolumns);
	PlacedShelf *known = &shelves[shelf->number % SHELVES];

	if (known->number == shelf->number && resident_stayed(&known->use, known->since))
		resident_use(&known->use, &own->use);
	else if (!begin_shelf(own, known, shelf, copies))
		return NULL;
	for (uint32_t left = pick->wanted & ~known->placed; left != 0; left &= left - 1)
	{
		const uint32_t t = (uint32_t) __builtin_ctz(left);
		const uint64_t from = own->descriptors_at + (uint64_t) own->ndescriptors * bytes;
		uint8_t    *place = known->descriptors + (uint64_t) t * bytes;

		if (write_head(own, copies, &shelf->tablet[t], &shelf->column[(size_t) t * ncolumns], place, &known->use) == NULL)
			return NULL;
		/* the batch's descriptors are in its arena when this copy runs */
		copies->copy[copies->ncopies++] = {own->arena + from, place, bytes};
		known->placed |= (uint32_t) 1 << t;
	}
	known->since = resident_now();
	return known;
}

static bool
place_shelves(CudaBatch *own, ResidentCopies *copies, PlacedTablet *placed, uint32_t *n)
{
	const Program *program = own->batch.job->view.program;

	for (uint32_t p = 0; p < own->batch.npicks; p++)
	{
		const ProviderPick *pick = &own->batch.pick[p];
		const ProviderShelf *shelf = pick->shelf;
		const PlacedShelf *known = place_shelf(own, pick, copies);
		bool		dense;
		bool		wide;

		if (known == NULL)
			return false;
		dense = shelf_is_dense(known);
		wide = program_choose_body(program, known->cover) == BODY_WIDE;
		for (uint32_t left = pick->wanted; left != 0; left &= left - 1)
		{
			const uint32_t t = (uint32_t) __builtin_ctz(left);
			const ProviderColumn *column = &shelf->column[(size_t) t * shelf->ncolumns];
			int			body = BODY_NARROW;

			if (wide)
			{
				descriptors_describe(known->nrows[t], column, shelf->ncolumns, (Tablet *) own->head);
				body = program_choose_body(program, (Tablet *) own->head);
			}
			placed[(*n)++] = {(const Tablet *) (known->descriptors + (uint64_t) t * head_bytes(shelf->ncolumns)), NULL,
				known->nrows[t], body, dense, known->form[t], column};
		}
	}
	return true;
}

/* Tablets of no shelf */

static bool
tablet_is_dense(const ProviderColumn *column)
{
	uint32_t	bits = 0;

	for (uint32_t k = 0; k < nkeys; k++)
		bits += vm_code_bits(&column[key_column[k]].stored);
	return nkeys > 0 && bits <= CODE_BITS;
}

static bool
place_others(CudaBatch *own, ResidentCopies *copies, PlacedTablet *placed, uint32_t *n)
{
	const Program *program = own->batch.job->view.program;
	const uint32_t ncolumns = program->ncolumns;

	for (uint32_t t = 0; t < own->batch.ntablets; t++)
	{
		const ProviderTablet *tablet = &own->batch.tablet[t];
		const ProviderColumn *column = &own->batch.column[(size_t) t * ncolumns];
		const uint8_t *place = own->arena + own->descriptors_at + (uint64_t) own->ndescriptors * head_bytes(ncolumns);
		const Tablet *head = write_head(own, copies, tablet, column, place, NULL);

		if (head == NULL)
			return false;
		placed[(*n)++] = {(const Tablet *) place, tablet->selected, tablet->nrows, program_choose_body(program, head),
			tablet_is_dense(column), form_of(column, ncolumns), column};
	}
	return true;
}

/* All tablets of a batch */

void
descriptors_undo(CudaBatch *own)
{
	for (uint32_t p = 0; p < own->batch.npicks; p++)
		shelves[own->batch.pick[p].shelf->number % SHELVES].number = 0;
	resident_undo(&own->use);
}

bool
descriptors_place(CudaBatch *own, ResidentCopies *copies, PlacedTablet *placed)
{
	uint32_t	n = 0;

	own->ndescriptors = 0;
	/* the wide body's keys are the same columns */
	nkeys = own->batch.table == NULL ? vm_key_columns(own->batch.job->view.program, BODY_NARROW, key_column) : 0;
	if (place_shelves(own, copies, placed, &n) && place_others(own, copies, placed, &n))
		return true;
	descriptors_undo(own);
	return false;
}
