/*
 * sort_rows.c
 *		Sorting the rows of a tablet by some of its columns.
 *
 * A word is sorted by its first byte, which distributes rows to 256 buckets, and each bucket then
 * by its other bytes, from the last one on (LSD radix sort), in a piece of memory that a
 * processor's cache holds.  Of several words the last one is sorted first, since every step is
 * stable.
 */
#include "core/sort/sort_rows.h"
#include "core/vm/op_cast.h"
#include "core/vm/op_text.h"
#include "core/numeric/wide_types.h"

#define BUCKETS			256

/* Number of rows up to which one thread sorts faster than several. */
#define FEW_ROWS		16384

/* Digits of the first word by which rows outside the wanted range are separated. */
#define CUT_BITS		11
#define CUT_DIGITS		(1u << CUT_BITS)

/* Maximum number of a text's first bytes in a word. */
#define PREFIX_BYTES	7

typedef struct Sort
{
	const Tablet *rows;
	const SortKey *keys;
	const SortRanks *ranks;
	uint32_t	nkeys;
	const SortHelpers *helpers;
	SortParts	parts;
	uint32_t	text_bytes[SORT_MOST_KEYS];	/* number of a text key's first bytes in its word */
	bool		exact;			/* rows of equal words are equal */

	/* word being sorted: words[i] is that of row order[i]; other_* is temporary memory */
	uint32_t	n;
	uint32_t	word;
	bool		any_order;		/* order[] is not initialized yet */
	uint32_t   *order;
	uint64_t   *words;
	uint32_t   *other_order;
	uint64_t   *other_words;
	uint32_t	nwork;			/* parts that the work is divided into */
	uint32_t	shift;			/* number of bits below the first digit */
	uint32_t	digits;			/* number of values of the first digit */
	uint32_t  (*count)[CUT_DIGITS];	/* per part: number of rows with each first digit; then the next position of each */
	uint32_t	bucket[BUCKETS + 1];	/* first row of each bucket */
} Sort;

/* Keys */

static bool
is_float(const TabletColumn *column)
{
	return column->type == COLTYPE_F32 || column->type == COLTYPE_F64;
}

/* Return a value that is not a text as an integer in the order of the key. */
static Wide
value_of(const Tablet *rows, const TabletColumn *column, uint32_t row)
{
	const uint8_t *values = tablet_at(rows, column->values);

	switch ((ColType) column->type)
	{
		case COLTYPE_BOOL:
		case COLTYPE_U8:
			return values[row];
		case COLTYPE_I16:
			return ((const int16_t *) values)[row];
		case COLTYPE_I32:
			return ((const int32_t *) values)[row];
		case COLTYPE_U32:
			return ((const uint32_t *) values)[row];
		case COLTYPE_I128:
			return wide_load((const uint64_t *) values + 2 * (size_t) row);
		case COLTYPE_F32:
			/* -0 becomes 0 */
			return op_float_key((double) ((const float *) values)[row] + 0.0);
		case COLTYPE_F64:
			return op_float_key(((const double *) values)[row] + 0.0);
		default:
			return ((const int64_t *) values)[row];
	}
}

/* Find the bounds of a column's values. */
static void
bounds_of(const Tablet *rows, const TabletColumn *column, Wide *least, Wide *largest)
{
	*least = wide_load(column->min);
	*largest = wide_load(column->max);
	if (column->type == COLTYPE_BOOL)
	{
		*least = 0;
		*largest = 1;
	}
	if (!is_float(column))
		return;
	*least = WIDE_MAX;
	*largest = WIDE_MIN;
	for (uint32_t row = 0; row < rows->nrows; row++)
	{
		const Wide	v = value_of(rows, column, row);

		*least = v < *least ? v : *least;
		*largest = v > *largest ? v : *largest;
	}
	if (rows->nrows == 0)
		*least = *largest = 0;
}

const uint8_t *
sort_text(const Tablet *rows, const SortKey *key, uint32_t row, uint32_t *length)
{
	const uint64_t ref = ((const uint64_t *) tablet_at(rows, rows->column[key->column].values))[row];
	const uint8_t *bytes = tablet_at(rows, rows->var) + TEXT_OFFSET(ref);

	*length = (uint32_t) TEXT_LENGTH(ref);
	if (key->padded)
		*length = (uint32_t) text_trimmed(bytes, *length);
	return bytes;
}

/* Return the length of the longest text, or one that exceeds PREFIX_BYTES. */
static uint32_t
longest_text(const Tablet *rows, const SortKey *key)
{
	uint32_t	longest = 0;

	for (uint32_t row = 0; row < rows->nrows && longest <= PREFIX_BYTES; row++)
	{
		uint32_t	length = 0;

		if (!tablet_is_null(rows, &rows->column[key->column], row))
			(void) sort_text(rows, key, row, &length);
		longest = length > longest ? length : longest;
	}
	return longest;
}

/* Return the ranks of a key's texts; NULL if they are ordered by their bytes. */
static const SortRanks *
ranks_of(const SortRanks *ranks, uint32_t k)
{
	return ranks != NULL && ranks[k].rank != NULL ? &ranks[k] : NULL;
}

static void
add_key(Sort *sort, uint32_t k)
{
	const SortKey *key = &sort->keys[k];
	const TabletColumn *column = &sort->rows->column[key->column];
	const bool	nulls = column->null_count > 0;
	Wide		least;
	Wide		most;

	if (ranks_of(sort->ranks, k) != NULL)
	{
		/* ranks are sorted like values */
		sort_add_key(&sort->parts, k, key, nulls, 0, sort->ranks[k].most);
		return;
	}
	if (column->type == COLTYPE_TEXT)
	{
		const uint32_t longest = longest_text(sort->rows, key);

		/* texts contain no zero bytes, so complete texts padded with zeros are distinguished */
		sort->exact = longest <= PREFIX_BYTES;
		sort->text_bytes[k] = sort->exact ? longest : PREFIX_BYTES;
		sort_add_codes(&sort->parts, k, key, nulls, ((uint64_t) 1 << 8 * sort->text_bytes[k]) - 1, 0);
		return;
	}
	bounds_of(sort->rows, column, &least, &most);
	sort_add_key(&sort->parts, k, key, nulls, least, most);
}

/* Return the first bytes of a text as an integer. */
static uint64_t
prefix_of(const Sort *sort, const SortPart *part, uint32_t row)
{
	uint32_t	length;
	const uint8_t *bytes = sort_text(sort->rows, &sort->keys[part->key], row, &length);
	uint64_t	prefix = 0;

	for (uint32_t i = 0; i < sort->text_bytes[part->key]; i++)
		prefix = prefix << 8 | (i < length ? bytes[i] : 0);
	return prefix;
}

static const TabletColumn *
column_of(const Sort *sort, const SortPart *part)
{
	return &sort->rows->column[sort->keys[part->key].column];
}

static uint64_t
code_of(const Sort *sort, const SortPart *part, uint32_t row)
{
	const TabletColumn *column = column_of(sort, part);
	const bool	null = tablet_is_null(sort->rows, column, row);
	const SortRanks *ranks = ranks_of(sort->ranks, part->key);

	if (ranks != NULL)
		return sort_code(part, null, null ? 0 : ranks->rank[row]);
	if (!null && column->type == COLTYPE_TEXT)
	{
		const uint64_t prefix = prefix_of(sort, part, row);

		return part->of_first + (part->descending ? (((uint64_t) 1 << 8 * sort->text_bytes[part->key]) - 1) - prefix : prefix);
	}
	return sort_code(part, null, null ? 0 : value_of(sort->rows, column, row));
}

/* Words */

/* Return the first row of a part of the work. */
static uint32_t
start_of(const Sort *sort, uint32_t work)
{
	return (uint32_t) ((uint64_t) sort->n * work / sort->nwork);
}

/* Append the sort codes of a column of plain integers, the usual case, in one loop. */
#define PLAIN_CODES(type) \
	do { \
		const type *const values = (const type *) tablet_at(sort->rows, column->values); \
		if (part->descending) \
			for (uint32_t i = first; i < end; i++) \
				words[i] = words[i] << part->bits | (from - (uint64_t) (int64_t) values[order[i]]); \
		else \
			for (uint32_t i = first; i < end; i++) \
				words[i] = words[i] << part->bits | ((uint64_t) (int64_t) values[order[i]] - from); \
		return; \
	} while (0)

/* Append a part to the words of rows `first` to `end`, as their lowest bits. */
static void
append_codes(const Sort *sort, const SortPart *part, uint32_t first, uint32_t end)
{
	const TabletColumn *column = column_of(sort, part);
	const uint32_t *order = sort->order;
	const uint64_t from = part->from[0];
	uint64_t   *words = sort->words;

	if (part->bits < 64 && part->kind == PART_CODE && column->null_count == 0)
		switch ((ColType) column->type)
		{
			case COLTYPE_I16: PLAIN_CODES(int16_t);
			case COLTYPE_I32: PLAIN_CODES(int32_t);
			case COLTYPE_U32: PLAIN_CODES(uint32_t);
			case COLTYPE_I64: PLAIN_CODES(int64_t);
			default: break;
		}
	for (uint32_t i = first; i < end; i++)
		words[i] = (part->bits < 64 ? words[i] << part->bits : 0) | code_of(sort, part, order[i]);
}

/* Make the words of a part of the rows, in the current order. */
static void
make_words(void *arg, uint32_t work)
{
	Sort	   *sort = arg;
	const uint32_t first = start_of(sort, work);
	const uint32_t end = start_of(sort, work + 1);

	if (sort->any_order)
		for (uint32_t i = first; i < end; i++)
			sort->order[i] = i;
	memset(sort->words + first, 0, (size_t) (end - first) * sizeof(uint64_t));
	for (uint32_t p = 0; p < sort->parts.nparts; p++)
		if (sort->parts.part[p].word == sort->word)
			append_codes(sort, &sort->parts.part[p], first, end);
}

static void
run(Sort *sort, void (*work) (void *arg, uint32_t part))
{
	if (sort->nwork > 1)
		sort->helpers->run(sort->helpers, work, sort);
	else
		work(sort, 0);
}

static void
make_all_words(Sort *sort, uint32_t word)
{
	sort->word = word;
	run(sort, make_words);
	sort->any_order = false;
}

/* Sorting a word */

static void
count_digits(void *arg, uint32_t work)
{
	Sort	   *sort = arg;
	uint32_t   *count = sort->count[work];

	memset(count, 0, sort->digits * sizeof(uint32_t));
	for (uint32_t i = start_of(sort, work); i < start_of(sort, work + 1); i++)
		count[sort->words[i] >> sort->shift]++;
}

static void
scatter(void *arg, uint32_t work)
{
	Sort	   *sort = arg;
	uint32_t   *place = sort->count[work];

	for (uint32_t i = start_of(sort, work); i < start_of(sort, work + 1); i++)
	{
		const uint32_t at = place[sort->words[i] >> sort->shift]++;

		sort->other_words[at] = sort->words[i];
		sort->other_order[at] = sort->order[i];
	}
}

/*
 * Sort rows by a byte of their words, from one memory to the other, stably; false if all words have
 * the same byte and nothing was done.
 */
static bool
sort_by_byte(const uint64_t *words, const uint32_t *order, uint64_t *to_words, uint32_t *to_order, uint32_t n, uint32_t shift)
{
	uint32_t	place[256] = {0};
	uint32_t	end = 0;

	for (uint32_t i = 0; i < n; i++)
		place[words[i] >> shift & 255]++;
	if (n == 0 || place[words[0] >> shift & 255] == n)
		return false;
	for (uint32_t byte = 0; byte < 256; byte++)
	{
		end += place[byte];
		place[byte] = end - place[byte];
	}
	for (uint32_t i = 0; i < n; i++)
	{
		const uint32_t at = place[words[i] >> shift & 255]++;

		to_words[at] = words[i];
		to_order[at] = order[i];
	}
	return true;
}

/*
 * Sort n rows by the lowest `bits` bits of their words.  The rows are in the other memory if
 * `other`; the result is in order[] and words[].
 */
static void
sort_piece(Sort *sort, uint32_t first, uint32_t n, uint32_t bits, bool other)
{
	uint64_t   *words[2] = {sort->words + first, sort->other_words + first};
	uint32_t   *order[2] = {sort->order + first, sort->other_order + first};

	for (uint32_t shift = 0; shift < bits; shift += 8)
		if (!sort->helpers->interrupted() && sort_by_byte(words[other], order[other], words[!other], order[!other], n, shift))
			other = !other;
	if (!other)
		return;
	memcpy(words[0], words[1], (size_t) n * sizeof(uint64_t));
	memcpy(order[0], order[1], (size_t) n * sizeof(uint32_t));
}

/* Sort the buckets that begin in a part of the rows. */
static void
sort_buckets(void *arg, uint32_t work)
{
	Sort	   *sort = arg;

	for (uint32_t b = 0; b < BUCKETS; b++)
		if (sort->bucket[b] >= start_of(sort, work) && sort->bucket[b] < start_of(sort, work + 1))
			sort_piece(sort, sort->bucket[b], sort->bucket[b + 1] - sort->bucket[b], sort->shift, true);
}

static void
place_digits(Sort *sort)
{
	uint32_t	at = 0;

	for (uint32_t digit = 0; digit < sort->digits; digit++)
	{
		sort->bucket[digit] = at;
		for (uint32_t work = 0; work < sort->nwork; work++)
		{
			const uint32_t count = sort->count[work][digit];

			sort->count[work][digit] = at;
			at += count;
		}
	}
	for (uint32_t digit = sort->digits; digit <= BUCKETS; digit++)
		sort->bucket[digit] = at;
}

/* Sort by the word that has been made. */
static void
sort_by_word(Sort *sort)
{
	const uint32_t bits = sort_bits_of_word(&sort->parts, sort->word);

	if (sort->nwork == 1)
	{
		sort_piece(sort, 0, sort->n, bits, false);
		return;
	}
	sort->shift = bits > 8 ? bits - 8 : 0;
	sort->digits = 1u << (bits - sort->shift);
	run(sort, count_digits);
	place_digits(sort);
	run(sort, scatter);
	run(sort, sort_buckets);
}

/* Restriction to the wanted rows */

/*
 * Return the digit of the row with number `row` in the order, and set *before to the number of rows
 * with smaller digits.
 */
static uint32_t
digit_of_row(const Sort *sort, uint32_t row, uint32_t *before)
{
	uint32_t	digit = 0;

	*before = 0;
	for (;; digit++)
	{
		uint32_t	n = 0;

		for (uint32_t work = 0; work < sort->nwork; work++)
			n += sort->count[work][digit];
		if (digit == sort->digits - 1 || *before + n > row)
			return digit;
		*before += n;
	}
}

/*
 * Partition the rows by the first digit of their first words, which have been made: rows before the
 * wanted range come first and are not sorted any more, rows behind it are left out.  Returns how
 * many come first.
 */
static uint32_t
cut(Sort *sort, uint32_t from, uint32_t end)
{
	const uint32_t bits = sort_bits_of_word(&sort->parts, 0);
	uint32_t	before;
	uint32_t	unused;
	uint32_t	first;
	uint32_t	last;
	uint32_t	n;
	uint32_t	at = 0;

	sort->shift = bits > CUT_BITS ? bits - CUT_BITS : 0;
	sort->digits = 1u << (bits - sort->shift);
	run(sort, count_digits);
	first = digit_of_row(sort, from, &before);
	last = digit_of_row(sort, end - 1, &unused);
	n = before;
	for (uint32_t i = 0; i < sort->n; i++)
	{
		const uint64_t digit = sort->words[i] >> sort->shift;

		if (digit < first)
			sort->other_order[at++] = sort->order[i];
		else if (digit <= last)
			sort->other_order[n++] = sort->order[i];
	}
	memcpy(sort->order, sort->other_order, n * sizeof(uint32_t));
	sort->order += before;
	sort->n = n - before;
	return before;
}

/* Rows with equal words */

/* Compare the values of a key in two rows: less than 0, 0, more; texts by their ranks, if there are any. */
static int
compare_key(const Tablet *rows, const SortKey *key, const SortRanks *ranks, uint32_t a, uint32_t b)
{
	const TabletColumn *column = &rows->column[key->column];
	const bool	null_a = tablet_is_null(rows, column, a);
	const bool	null_b = tablet_is_null(rows, column, b);
	int			differ;

	if (null_a || null_b)
		return null_a && null_b ? 0 : null_a == key->nulls_first ? -1 : 1;
	if (ranks != NULL)
		differ = (ranks->rank[a] > ranks->rank[b]) - (ranks->rank[a] < ranks->rank[b]);
	else if (column->type == COLTYPE_TEXT)
	{
		uint32_t	length_a;
		uint32_t	length_b;
		const uint8_t *text_a = sort_text(rows, key, a, &length_a);
		const uint8_t *text_b = sort_text(rows, key, b, &length_b);

		differ = core_memcmp(text_a, text_b, length_a < length_b ? length_a : length_b);
		differ = differ != 0 ? differ : (length_a > length_b) - (length_a < length_b);
	}
	else
	{
		const Wide	v = value_of(rows, column, a);
		const Wide	w = value_of(rows, column, b);

		differ = (v > w) - (v < w);
	}
	return key->descending ? -differ : differ;
}

static int
compare_rows(const Tablet *rows, const SortKey *keys, const SortRanks *ranks, uint32_t nkeys, uint32_t a, uint32_t b)
{
	int			differ = 0;

	for (uint32_t k = 0; k < nkeys && differ == 0; k++)
		differ = compare_key(rows, &keys[k], ranks_of(ranks, k), a, b);
	return differ;
}

int
sort_compare(const Tablet *rows, const SortKey *keys, uint32_t nkeys, uint32_t a, uint32_t b)
{
	return compare_rows(rows, keys, NULL, nkeys, a, b);
}

/* Sort n rows by comparisons, as a bottom-up merge sort; `room` has the same size. */
static void
sort_by_comparing(const Sort *sort, uint32_t *order, uint32_t n, uint32_t *room)
{
	for (uint32_t half = 1; half < n && !sort->helpers->interrupted(); half = half > n / 2 ? n : half * 2)
	{
		for (uint32_t first = 0; first < n; first = n - first <= 2 * half ? n : first + 2 * half)
		{
			const uint32_t middle = n - first < half ? n : first + half;
			const uint32_t end = n - middle < half ? n : middle + half;
			uint32_t	a = first;
			uint32_t	b = middle;

			for (uint32_t i = first; i < end; i++)
				room[i] = b == end || (a < middle && compare_rows(sort->rows, sort->keys, sort->ranks, sort->nkeys, order[a], order[b]) <= 0) ? order[a++] : order[b++];
		}
		memcpy(order, room, n * sizeof(uint32_t));
	}
}

static bool
same_words(const Sort *sort, uint32_t a, uint32_t b)
{
	for (uint32_t p = 0; p < sort->parts.nparts; p++)
		if (code_of(sort, &sort->parts.part[p], a) != code_of(sort, &sort->parts.part[p], b))
			return false;
	return true;
}

/* Sort each run of rows with the same words by comparisons. */
static void
sort_runs(Sort *sort)
{
	for (uint32_t first = 0, end; first < sort->n; first = end)
	{
		for (end = first + 1; end < sort->n && same_words(sort, sort->order[first], sort->order[end]); end++)
			;
		sort_by_comparing(sort, sort->order + first, end - first, sort->other_order);
	}
}

uint64_t
sort_room_bytes(uint32_t nrows)
{
	return (uint64_t) nrows * (2 * sizeof(uint64_t) + sizeof(uint32_t)) + SORT_PARTS * CUT_DIGITS * sizeof(uint32_t);
}

uint32_t
sort_rows(const SortRequest *request, uint32_t *order, void *room)
{
	const uint32_t nrows = request->rows->nrows;
	const uint32_t end = request->end < nrows ? request->end : nrows;
	Sort		sort = {
		.rows = request->rows, .keys = request->keys, .ranks = request->ranks, .nkeys = request->nkeys, .helpers = request->helpers, .exact = true, .n = nrows,
		.any_order = true, .order = order
	};
	uint32_t	before = 0;

	if (request->first >= end)
		return 0;
	sort.words = (uint64_t *) room;
	sort.other_words = sort.words + nrows;
	sort.other_order = (uint32_t *) (sort.other_words + nrows);
	sort.count = (uint32_t (*)[CUT_DIGITS]) (sort.other_order + nrows);
	sort.nwork = nrows > FEW_ROWS ? SORT_PARTS : 1;
	for (uint32_t k = 0; k < sort.nkeys && sort.exact; k++)
		add_key(&sort, k);
	sort_place_parts(&sort.parts);
	make_all_words(&sort, 0);
	if (end - request->first < nrows / 4 && sort.parts.nwords > 0)
	{
		before = cut(&sort, request->first, end);
		sort.nwork = sort.n > FEW_ROWS ? SORT_PARTS : 1;
	}
	for (uint32_t word = sort.parts.nwords; word > 0 && !sort.helpers->interrupted(); word--)
	{
		make_all_words(&sort, word - 1);
		sort_by_word(&sort);
	}
	if (!sort.exact)
		sort_runs(&sort);
	return before + sort.n;
}
