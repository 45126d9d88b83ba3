/*
 * column_build.c
 *		Column of a tablet, assembled from the columns of page batches.
 *
 * A frame-of-reference encoding is guessed, at first that of the tablet before,
 * and mended when a page batch does not fit it.  So nearly all values are
 * stored once, by whoever has made them, in the pool, where they stay.
 *
 * When the column moves, for more room or another encoding, page batches in
 * progress still write to where it was: what they have written there is taken
 * over when they come, and that memory is freed when no batch is in progress.
 */
#include "postgres.h"

#include "port/pg_bitutils.h"
#include "utils/memutils.h"

#include "device/cpu_kernel.h"
#include "tablet/cache/column_build.h"
#include "tablet/cache/pool.h"

/* Number of values that are re-encoded at a time. */
#define CHUNK 512

/* Largest number of bytes that references of a column can lead to. */
#define TEXTS_MOST ((Size) INT32_MAX)

void
column_build_begin(ColumnBuild *build)
{
	build->begun = false;
	build->nrows = build->null_count = 0;
	build->max_scale = 0;
	build->raw_bytes = 0;
	build->text_bytes = 0;
	build->text_rows = 0;
}

/* Memory */

/* Return where the values of rows from `row` on are; NULL if they take no bytes. */
static uint8 *
values_at(const ColumnBuild *build, uint32 row)
{
	uint8	   *values = pool_address(build->values);

	return values != NULL ? values + (Size) coltype_bytes(build->encoding.type) * row : NULL;
}

/*
 * Allocate other memory for nrows values of a type; the memory where they are
 * still stays, too.  Return false if the pool has none.
 */
static bool
move(ColumnBuild *build, uint16 type, uint32 nrows)
{
	const Size	value_bytes = coltype_bytes(type);
	const Size	room = value_bytes * nrows;
	dsa_pointer values = InvalidDsaPointer;

	if (build->nmoves == MOVES_MOST)
		return false;
	if (room > 0)
	{
		values = shelf_allocate_values(room, value_bytes, &build->room_for);
		if (!DsaPointerIsValid(values))
			return false;
	}
	build->outgrown[build->nmoves++] = build->values;
	build->values = values;
	build->room = room;
	return true;
}

/* Make room for the values of nrows rows, and copy those that were added; return false if the pool has none. */
static bool
reserve(ColumnBuild *build, uint32 nrows)
{
	const Size	value_bytes = coltype_bytes(build->encoding.type);
	const Size	there = Min(build->room, value_bytes * build->nrows);
	const uint8 *before = pool_address(build->values);

	if (value_bytes * nrows <= build->room)
		return true;
	if (!move(build, build->encoding.type, nrows))
		return false;
	if (there > 0)
		memcpy(pool_address(build->values), before, there);
	return true;
}

void
column_build_drop(ColumnBuild *build)
{
	while (build->nmoves > 0)
		pool_free(build->outgrown[--build->nmoves]);
	pool_free(build->values);
	pool_free(build->texts);
	build->values = build->texts = InvalidDsaPointer;
	build->room = build->text_room = 0;
}

/* NULLs */

/* Allocate zeroed memory; return NULL without memory. */
static uint8 *
allocate(const ColumnBuild *build, Size bytes)
{
	return MemoryContextAllocExtended(build->context, Max(bytes, 1), MCXT_ALLOC_HUGE | MCXT_ALLOC_NO_OOM | MCXT_ALLOC_ZERO);
}

/* Return n bits, at most 64, from anywhere in a bitmap, reading no word that has none of them. */
static uint64
bits_at(const uint64 *bits, uint32 first, uint32 n)
{
	const uint32 shift = first % 64;
	uint64		word = bits[first / 64] >> shift;

	if (shift + n > 64)
		word |= bits[first / 64 + 1] << (64 - shift);
	return n == 64 ? word : word & ((UINT64CONST(1) << n) - 1);
}

/* Copy n bits from anywhere in one bitmap to anywhere in another one, where no bit is set yet. */
static void
copy_bits(uint8 *to, uint32 at, const uint8 *from, uint32 first, uint32 n)
{
	uint64	   *words = (uint64 *) to;

	for (uint32 i = 0; i < n; i += 64)
	{
		const uint32 here = Min(n - i, 64);
		const uint32 shift = (at + i) % 64;
		const uint64 bits = bits_at((const uint64 *) from, first + i, here);

		words[(at + i) / 64] |= bits << shift;
		if (shift + here > 64)
			words[(at + i) / 64 + 1] |= bits >> (64 - shift);
	}
}

/*
 * Make room for the NULLs of rows_expected rows in a bitmap that has no NULLs
 * but those added; return false without memory.
 */
static bool
reserve_nulls(ColumnBuild *build, uint32 rows_expected)
{
	const Size	wanted = tablet_bitmap_bytes(rows_expected);
	uint8	   *grown;

	if (build->null_count == 0 && build->nulls != NULL)
		memset(build->nulls, 0, build->null_room);
	if (wanted <= build->null_room)
		return true;
	grown = allocate(build, wanted);
	if (grown == NULL)
		return false;
	if (build->nulls != NULL)
	{
		memcpy(grown, build->nulls, build->null_room);
		pfree(build->nulls);
	}
	build->nulls = grown;
	build->null_room = wanted;
	return true;
}

/* Frame-of-reference encodings */

/* Return the bits that values may differ in under a frame-of-reference encoding. */
static uint64
differing_of(const ForEncoding *encoding)
{
	return encoding->type == COLTYPE_SAME ? 0 : ~UINT64CONST(0) << encoding->shift;
}

static ForRange
range_of(const TabletColumn *column, uint64 differing)
{
	return (ForRange) {wide_load(column->min), wide_load(column->max), differing};
}

static void
widen(ForRange *range, const ForRange *by)
{
	range->differing |= by->differing | (uint64) (range->min ^ by->min);
	range->min = Min(range->min, by->min);
	range->max = Max(range->max, by->max);
}

/* Re-encode n values into memory elsewhere; return false if the new encoding does not hold all values. */
static bool
recode(const ForEncoding *from, const uint8 *values, uint32 n, const ForEncoding *to, uint8 *into)
{
	const CpuKernel *kernel = cpu_kernel();
	const bool	wide = from->type == COLTYPE_I128;
	Wide		chunk[CHUNK];
	bool		held = true;

	if (for_equal(from, to))
	{
		memcpy(into, values, (Size) coltype_bytes(to->type) * n);
		return true;
	}
	for (uint32 done = 0; done < n; done += CHUNK)
	{
		const uint32 here = Min(n - done, CHUNK);

		if (wide)
			memcpy(chunk, values + (Size) done * sizeof(Wide), here * sizeof(Wide));
		else
			for_unpack(from, values + (Size) done * coltype_bytes(from->type), here, (int64 *) chunk);
		held &= kernel->pack(to, wide ? COLTYPE_I128 : COLTYPE_I64, chunk, here, into + (Size) done * coltype_bytes(to->type));
	}
	return held;
}

/* Return the bits in which a page batch's integers differ. */
static uint64
differing_bits(const Tablet *page_batch, const TabletColumn *column)
{
	const ForEncoding plain = {COLTYPE_I64, 0, 0};
	const uint32 bytes = coltype_bytes(column->type);
	int64		chunk[CHUNK];
	int64		first = 0;
	uint64		differing = 0;

	for (uint32 done = 0; done < page_batch->nrows; done += CHUNK)
	{
		const uint32 here = Min(page_batch->nrows - done, CHUNK);

		cpu_kernel()->pack(&plain, column->type, tablet_at(page_batch, column->values) + (Size) done * bytes, here, chunk);
		first = done == 0 ? chunk[0] : first;
		for (uint32 i = 0; i < here; i++)
			differing |= chunk[i] ^ first;
	}
	return differing;
}

/* Re-encode the column; return false if the pool has no room. */
static bool
reencode(ColumnBuild *build, const ForEncoding *encoding, uint32 rows_expected)
{
	const uint8 *before = pool_address(build->values);

	if (!move(build, encoding->type, rows_expected))
		return false;
	/* rows of page batches in progress are undefined, and will be taken over */
	(void) recode(&build->encoding, before, Min(build->nrows, rows_expected), encoding, pool_address(build->values));
	build->encoding = *encoding;
	return true;
}

/* Adding */

ColumnPlace
column_build_place(ColumnBuild *build, uint32 first_row, uint32 rows_expected)
{
	if (!reserve(build, rows_expected))
		return (ColumnPlace) {0};
	return (ColumnPlace) {.wanted = true, .encoding = build->encoding, .values = values_at(build, first_row)};
}

/* Store a page batch's values in the column's encoding and memory; return false if the encoding does not hold them. */
static bool
take_integers(const ColumnBuild *build, uint32 first_row, const Tablet *page_batch, const TabletColumn *from, const ColumnPlace *place)
{
	uint8	   *to = values_at(build, first_row);

	if (!place->packed)
		return cpu_kernel()->pack(&build->encoding, from->type, tablet_at(page_batch, from->values), page_batch->nrows, to);
	return (place->values == to && for_equal(&place->encoding, &build->encoding)) ||
		recode(&place->encoding, place->values, page_batch->nrows, &build->encoding, to);
}

static bool
add_integers(ColumnBuild *build, uint32 first_row, uint32 rows_expected, const Tablet *page_batch, const TabletColumn *from,
			 const ColumnPlace *place)
{
	bool		taken = take_integers(build, first_row, page_batch, from, place);
	ForRange	range = range_of(from, taken ? differing_of(&build->encoding)
								 : place->packed ? differing_of(&place->encoding) : differing_bits(page_batch, from));

	if (build->begun)
		widen(&range, &build->range);
	if (!taken)
	{
		const ForEncoding encoding = for_choose(&range, build->encoding.type);

		taken = reencode(build, &encoding, rows_expected) && take_integers(build, first_row, page_batch, from, place);
	}
	build->range = range;
	return taken;
}

/* Add values of a type that has one form only. */
static bool
add_values(ColumnBuild *build, uint32 first_row, uint32 rows_expected, const Tablet *page_batch, const TabletColumn *from,
		   const ColumnPlace *place)
{
	uint8	   *to;

	build->encoding = for_encoding_of(from);
	build->range = range_of(from, 0);
	if (!reserve(build, rows_expected))
		return false;
	to = values_at(build, first_row);
	if (!place->packed || place->values != to)
		memcpy(to, place->packed ? place->values : tablet_at(page_batch, from->values), (Size) coltype_bytes(from->type) * page_batch->nrows);
	return true;
}

/*
 * Reserve room for the texts of n more rows, of `more` bytes, and for those of
 * the rows that are still expected, as if they were as long as these on
 * average.  The first rows may be the longest by far: where the pool has no
 * room for all that, what is there has to do.  Page batches come in any order,
 * so it is the rows whose texts are there that count.  Return false if the pool
 * has no room.
 */
static bool
reserve_texts(ColumnBuild *build, Size more, uint32 n, uint32 rows_expected)
{
	const Size	wanted = build->text_bytes + more;
	const uint32 nrows = build->text_rows + n;
	Size		room = nrows > 0 ? (Size) ((double) wanted * Max(rows_expected, nrows) / nrows) : wanted;
	dsa_pointer texts;

	if (wanted <= build->text_room)
		return true;
	if (wanted > TEXTS_MOST)
		return false;
	room = Min(room + room / 16, TEXTS_MOST);
	texts = shelf_allocate_values(room, 1, &build->room_for);
	if (!DsaPointerIsValid(texts))
	{
		room = wanted;
		texts = shelf_allocate_values(room, 1, &build->room_for);
	}
	if (!DsaPointerIsValid(texts))
		return false;
	if (build->text_bytes > 0)
		memcpy(pool_address(texts), pool_address(build->texts), build->text_bytes);
	/* no other process has written there */
	pool_free(build->texts);
	build->texts = texts;
	build->text_room = room;
	return true;
}

/*
 * Copy the texts that n references in the column lead to, in `bytes`, to the
 * column's own bytes, and make the references lead there.
 */
static bool
take_texts(ColumnBuild *build, uint32 first_row, uint32 n, const uint8 *bytes, uint32 rows_expected)
{
	uint64	   *refs = (uint64 *) values_at(build, first_row);
	Size		more = 0;
	uint8	   *into;

	for (uint32 i = 0; i < n; i++)
		more += TEXT_LENGTH(refs[i]);
	if (!reserve_texts(build, more, n, rows_expected))
		return false;
	build->text_rows += n;
	into = pool_address(build->texts);
	for (uint32 i = 0; i < n; i++)
	{
		const uint32 length = TEXT_LENGTH(refs[i]);

		if (length > 0)
			memcpy(into + build->text_bytes, bytes + TEXT_OFFSET(refs[i]), length);
		refs[i] = TEXT_REF(build->text_bytes, length);
		build->text_bytes += length;
	}
	return true;
}

/* Clear the references of NULL rows, which lead anywhere. */
static void
clear_nulls(ColumnBuild *build, uint32 first_row, const Tablet *page_batch, const TabletColumn *from)
{
	uint64	   *refs = (uint64 *) values_at(build, first_row);

	for (uint32 row = 0; row < page_batch->nrows; row++)
		if (tablet_is_null(page_batch, from, row))
			refs[row] = 0;
}

static bool
add_texts(ColumnBuild *build, uint32 first_row, uint32 rows_expected, const Tablet *page_batch, const TabletColumn *from, const ColumnPlace *place)
{
	if (!add_values(build, first_row, rows_expected, page_batch, from, place))
		return false;
	clear_nulls(build, first_row, page_batch, from);
	return take_texts(build, first_row, page_batch->nrows, tablet_at(page_batch, page_batch->var), rows_expected);
}

/* Clear the values of rows that are all NULL. */
static void
add_nothing(ColumnBuild *build, uint32 first_row, uint32 nrows)
{
	if (build->room > 0)
		memset(values_at(build, first_row), 0, (Size) coltype_bytes(build->encoding.type) * nrows);
}

bool
column_build_add(ColumnBuild *build, uint32 first_row, uint32 rows_expected, Tablet *page_batch, uint32 column, const ColumnPlace *place)
{
	TabletColumn *from = &page_batch->column[column];
	const bool	integers = coltype_integer(from->type);
	bool		added = true;

	/* later rows may have outgrown the memory */
	if (!reserve(build, rows_expected) || ((from->null_count > 0 || build->null_count > 0) && !reserve_nulls(build, rows_expected)))
		return false;
	if (from->null_count > 0)
		copy_bits(build->nulls, first_row, tablet_at(page_batch, from->nulls), 0, page_batch->nrows);
	build->null_count += from->null_count;
	build->max_scale = Max(build->max_scale, from->max_scale);
	build->raw_bytes = Max(build->raw_bytes, coltype_bytes(from->type));
	if (integers && (from->null_count == 0 || place->packed || column_fill_nulls(page_batch, from)))
		added = add_integers(build, first_row, rows_expected, page_batch, from, place);
	else if (from->type == COLTYPE_TEXT)
		added = add_texts(build, first_row, rows_expected, page_batch, from, place);
	else if (!integers)
		added = add_values(build, first_row, rows_expected, page_batch, from, place);
	else
		add_nothing(build, first_row, page_batch->nrows);
	build->begun |= !integers || from->null_count < page_batch->nrows;
	build->nrows = Max(build->nrows, first_row + page_batch->nrows);
	return added;
}

/* Merging */

/* Column to be merged; all of its rows are NULL if it has no encoding. */
typedef struct Part
{
	const ForEncoding *encoding;
	const uint8 *values;
	const uint8 *nulls;			/* bitmap of NULLs; NULL if there are none */
} Part;

/* Choose the frame-of-reference encoding of both parts. */
static ForEncoding
merge_encodings(ColumnBuild *build, const TabletColumn *from, const Part *own, const Part *older)
{
	ForRange	range = {0, 0, 0};

	if (older->encoding != NULL)
		range = range_of(from, differing_of(older->encoding));
	if (own->encoding != NULL && older->encoding != NULL)
		widen(&range, &build->range);
	else if (own->encoding != NULL)
		range = build->range;
	build->range = range;
	build->begun = own->encoding != NULL || older->encoding != NULL;
	return coltype_integer(from->type) ? for_choose(&range, COLTYPE_SAME) : *older->encoding;
}

static void
copy_run(const Part *part, const RowRun *run, const ForEncoding *encoding, uint8 *values, uint8 *nulls)
{
	const Size	bytes = coltype_bytes(encoding->type);
	uint8	   *to = values + bytes * run->to;

	if (part->nulls != NULL)
		copy_bits(nulls, run->to, part->nulls, run->from, run->n);
	if (part->encoding != NULL)
		(void) recode(part->encoding, part->values + (Size) coltype_bytes(part->encoding->type) * run->from, run->n, encoding, to);
	else if (bytes > 0)
		memset(to, 0, bytes * run->n);
}

bool
column_build_merge(ColumnBuild *build, const Tablet *tablet, uint32 column, const RowRun *runs, int nruns, uint32 nrows)
{
	const TabletColumn *from = &tablet->column[column];
	const ForEncoding older_encoding = from->type == COLTYPE_TEXT ? (ForEncoding) {COLTYPE_TEXT, 0, 0} : for_encoding_of(from);
	const Part	own = {build->begun ? &build->encoding : NULL, values_at(build, 0), build->null_count > 0 ? build->nulls : NULL};
	const Part	older = {
		coltype_integer(from->type) && from->null_count == tablet->nrows ? NULL : &older_encoding,
		tablet_at(tablet, from->values), from->null_count > 0 ? tablet_at(tablet, from->nulls) : NULL
	};
	const ForEncoding encoding = merge_encodings(build, from, &own, &older);
	const Size	null_bytes = tablet_bitmap_bytes(nrows);
	uint8	   *nulls = allocate(build, null_bytes);

	if (nulls == NULL || !move(build, encoding.type, nrows))
		return false;
	for (int r = 0; r < nruns; r++)
		copy_run(runs[r].older ? &older : &own, &runs[r], &encoding, pool_address(build->values), nulls);
	if (build->nulls != NULL)
		pfree(build->nulls);
	build->nulls = nulls;
	build->null_room = null_bytes;
	build->encoding = encoding;
	for (int r = 0; r < nruns && from->type == COLTYPE_TEXT; r++)
		if (runs[r].older && !take_texts(build, runs[r].to, runs[r].n, tablet_at(tablet, tablet->var + from->base), nrows))
			return false;
	build->nrows = nrows;
	build->null_count = (uint32) pg_popcount((const char *) nulls, (int) null_bytes);
	build->max_scale = Max(build->max_scale, from->max_scale);
	build->raw_bytes = Max(build->raw_bytes, from->raw_bytes);
	return true;
}

/* Finishing */

bool
column_build_end(ColumnBuild *build, uint32 nrows)
{
	ForEncoding	best;

	if (!build->begun)
	{
		build->encoding = (ForEncoding) {COLTYPE_SAME, 0, 0};
		build->range = (ForRange) {0, 0, 0};
	}
	/* the last page batches may have had no NULLs */
	if (build->null_count > 0 && !reserve_nulls(build, nrows))
		return false;
	if (coltype_integer(build->encoding.type))
	{
		best = for_choose(&build->range, COLTYPE_SAME);
		if (coltype_bytes(best.type) < coltype_bytes(build->encoding.type) && !reencode(build, &best, nrows))
			return false;
	}
	build->stored = (TabletColumn) {
		.null_count = build->null_count, .type = build->encoding.type, .shift = build->encoding.shift, .base = build->encoding.base,
		.raw_bytes = build->raw_bytes, .max_scale = build->max_scale
	};
	wide_store(build->stored.min, build->range.min);
	wide_store(build->stored.max, build->range.max);
	return true;
}
