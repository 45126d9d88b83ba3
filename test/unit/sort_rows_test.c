/*
 * sort_rows_test.c
 *		Sorting rows (core/sort/sort_rows.h) by columns of all types, compared with sorting by values.
 */
#include <stdlib.h>

#include "core/tablet/deform.h"
#include "core/vm/op_text.h"
#include "core/sort/sort_rows.h"
#include "fixture.h"
#include "guard.h"
#include "tap.h"

#define COLUMNS		10
#define MOST_TEXT	24

static const uint16_t types[COLUMNS] = {
	COLTYPE_BOOL, COLTYPE_U8, COLTYPE_I16, COLTYPE_I32, COLTYPE_U32, COLTYPE_I64, COLTYPE_I128, COLTYPE_F32, COLTYPE_F64, COLTYPE_TEXT
};

static const Tablet *sorting;
static const SortKey *sorting_by;
static uint32_t sorting_keys;
static const SortRanks *sorting_places;	/* ranks of texts, where they are used */
static const SortRanks no_places[1] = {{NULL, 0}};

static uint64_t
size_of_tablet(uint32_t nrows)
{
	return tablet_size(types, COLUMNS, nrows, (uint64_t) nrows * MOST_TEXT + 1);
}

static Tablet *
get_tablet(uint32_t nrows)
{
	const uint64_t size = size_of_tablet(nrows);
	Tablet	   *tablet = (Tablet *) guard_alloc(size, 64);

	memset(tablet, 0, size);
	tablet_layout(tablet, types, COLUMNS, nrows, (uint64_t) nrows * MOST_TEXT + 1);
	return tablet;
}

/* Return a random integer that is often or rarely equal to others. */
static int64_t
some_integer(uint32_t spread)
{
	return spread == 0 ? 7 : spread < 64 ? (int64_t) (random_u64() >> (64 - spread)) - ((int64_t) 1 << (spread - 1)) : random_int64();
}

static double
some_float(uint32_t spread)
{
	static const double odd[] = {0.0, -0.0, 1e300, -1e300, 1e-310};
	const uint32_t choice = random_below(spread < 5 ? 2 : 12);

	return choice < 5 ? odd[choice] : choice == 5 ? (double) NAN : choice == 6 ? (double) INFINITY : choice == 7 ? -(double) INFINITY : (double) some_integer(spread) / 8;
}

static void
put_value(Tablet *tablet, uint32_t c, uint32_t row, uint32_t spread)
{
	uint8_t    *values = tablet_at(tablet, tablet->column[c].values);
	uint32_t	length;

	switch ((ColType) types[c])
	{
		case COLTYPE_BOOL: values[row] = (uint8_t) random_below(2); break;
		case COLTYPE_U8: values[row] = (uint8_t) some_integer(spread < 8 ? spread : 8); break;
		case COLTYPE_I16: ((int16_t *) values)[row] = (int16_t) some_integer(spread < 16 ? spread : 16); break;
		case COLTYPE_I32: ((int32_t *) values)[row] = (int32_t) some_integer(spread < 32 ? spread : 32); break;
		case COLTYPE_U32: ((uint32_t *) values)[row] = (uint32_t) some_integer(spread < 32 ? spread : 32); break;
		case COLTYPE_I64: ((int64_t *) values)[row] = some_integer(spread); break;
		case COLTYPE_I128: wide_store((uint64_t *) values + 2 * (size_t) row, spread > 40 ? random_wide() : some_integer(spread)); break;
		case COLTYPE_F32: ((float *) values)[row] = (float) some_float(spread); break;
		case COLTYPE_F64: ((double *) values)[row] = some_float(spread); break;
		default:
			length = random_below(spread < 8 ? 3 : MOST_TEXT);
			((uint64_t *) values)[row] = TEXT_REF(tablet->var_used, length);
			for (uint32_t i = 0; i < length; i++)
				tablet_at(tablet, tablet->var)[tablet->var_used++] = (uint8_t) "aaaaaab \xC3"[random_below(9)];
			break;
	}
}

/* Make a tablet of `nrows` random rows, with values of at most `spread` bits. */
static Tablet *
random_rows(uint32_t nrows, uint32_t spread)
{
	Tablet	   *tablet = get_tablet(nrows);

	for (uint32_t c = 0; c < COLUMNS; c++)
	{
		const bool	some = random_below(2);

		for (uint32_t row = 0; row < nrows; row++)
		{
			put_value(tablet, c, row, spread);
			if (some && random_below(6) == 0)
				deform_set_null(tablet, &tablet->column[c], row);
		}
		deform_zone_map(tablet, &tablet->column[c]);
	}
	return tablet;
}

/* Compare two rows by the values of a key, in PostgreSQL's order. */
static int
compare_values(const Tablet *tablet, const SortKey *key, uint32_t a, uint32_t b)
{
	const TabletColumn *column = &tablet->column[key->column];
	const uint8_t *v = tablet_at(tablet, column->values);
	const bool	null_a = tablet_is_null(tablet, column, a);
	const bool	null_b = tablet_is_null(tablet, column, b);
	int			order = 0;

#define ORDER(x, y)	(((x) > (y)) - ((x) < (y)))
#define ORDER_FLOATS(x, y)	((x) != (x) ? ((y) != (y) ? 0 : 1) : (y) != (y) ? -1 : ORDER(x, y))
	if (null_a || null_b)
		return null_a == null_b ? 0 : (null_a ? 1 : -1) * (key->nulls_first ? -1 : 1);
	switch ((ColType) column->type)
	{
		case COLTYPE_BOOL:
		case COLTYPE_U8: order = ORDER(v[a], v[b]); break;
		case COLTYPE_I16: order = ORDER(((const int16_t *) v)[a], ((const int16_t *) v)[b]); break;
		case COLTYPE_I32: order = ORDER(((const int32_t *) v)[a], ((const int32_t *) v)[b]); break;
		case COLTYPE_U32: order = ORDER(((const uint32_t *) v)[a], ((const uint32_t *) v)[b]); break;
		case COLTYPE_I64: order = ORDER(((const int64_t *) v)[a], ((const int64_t *) v)[b]); break;
		case COLTYPE_I128: order = ORDER(wide_load((const uint64_t *) v + 2 * (size_t) a), wide_load((const uint64_t *) v + 2 * (size_t) b)); break;
		case COLTYPE_F32: order = ORDER_FLOATS(((const float *) v)[a], ((const float *) v)[b]); break;
		case COLTYPE_F64: order = ORDER_FLOATS(((const double *) v)[a], ((const double *) v)[b]); break;
		default:
			{
				const uint64_t x = ((const uint64_t *) v)[a];
				const uint64_t y = ((const uint64_t *) v)[b];
				const uint8_t *texts = tablet_at(tablet, tablet->var);
				uint32_t	length_x = (uint32_t) TEXT_LENGTH(x);
				uint32_t	length_y = (uint32_t) TEXT_LENGTH(y);

				if (key->padded)
				{
					length_x = text_trimmed(texts + TEXT_OFFSET(x), length_x);
					length_y = text_trimmed(texts + TEXT_OFFSET(y), length_y);
				}
				order = text_compare(texts + TEXT_OFFSET(x), length_x, texts + TEXT_OFFSET(y), length_y);
				break;
			}
	}
	return key->descending ? -order : order;
}

static int
compare_numbers(const void *a, const void *b)
{
	int			order = 0;

	for (uint32_t k = 0; k < sorting_keys && order == 0; k++)
		if (sorting_places[k].rank == NULL || tablet_is_null(sorting, &sorting->column[sorting_by[k].column], *(const uint32_t *) a) ||
			tablet_is_null(sorting, &sorting->column[sorting_by[k].column], *(const uint32_t *) b))
			order = compare_values(sorting, &sorting_by[k], *(const uint32_t *) a, *(const uint32_t *) b);
		else
			/* the collation for which ranks are made sorts texts in reverse */
			order = -compare_values(sorting, &sorting_by[k], *(const uint32_t *) a, *(const uint32_t *) b);
	return order;
}

/* Compute the ranks of a key's texts under a collation. */
static SortRanks
rank_texts(const Tablet *tablet, const SortKey *key)
{
	const SortKey upward = {.column = key->column, .padded = key->padded};
	const uint32_t n = tablet->nrows;
	uint32_t   *order = (uint32_t *) malloc(sizeof(uint32_t) * (n + 1));
	uint32_t   *rank = (uint32_t *) malloc(sizeof(uint32_t) * (n + 1));
	uint32_t	most = 0;

	for (uint32_t i = 0; i < n; i++)
		order[i] = i;
	sorting = tablet;
	sorting_by = &upward;
	sorting_keys = 1;
	sorting_places = no_places;
	qsort(order, n, sizeof(uint32_t), compare_numbers);
	/* NULLs come last, and have any rank */
	for (uint32_t i = n; i > 0; i--)
	{
		most += i < n && compare_numbers(&order[i - 1], &order[i]) != 0;
		rank[order[i - 1]] = most;
	}
	free(order);
	return (SortRanks) {rank, most};
}

static void
run_parts(const SortHelpers *helpers, void (*work) (void *arg, uint32_t part), void *arg)
{
	(void) helpers;
	/* in any order */
	for (uint32_t part = SORT_PARTS; part > 0; part--)
		work(arg, part - 1);
}

static bool
never(void)
{
	return false;
}

/* Check that the requested rows are in order, and that every row is listed once at most. */
static void
check(const Tablet *tablet, const SortKey *keys, uint32_t nkeys, uint32_t first, uint32_t most)
{
	const SortHelpers helpers = {run_parts, 0, never};
	const uint32_t n = tablet->nrows;
	const uint32_t end = most < n ? most : n;
	SortRanks	places[COLUMNS] = {{0}};
	const SortRequest request = {
		.rows = tablet, .keys = keys, .ranks = random_below(2) ? places : NULL, .nkeys = nkeys, .first = first, .end = most, .helpers = &helpers
	};
	uint32_t   *order = (uint32_t *) malloc(sizeof(uint32_t) * (n + 1));
	uint32_t   *want = (uint32_t *) malloc(sizeof(uint32_t) * (n + 1));
	uint8_t    *seen = (uint8_t *) calloc(n + 1, 1);
	void	   *room = malloc(sort_room_bytes(n));
	uint32_t	listed;

	for (uint32_t k = 0; k < nkeys && request.ranks != NULL; k++)
		if (keys[k].column == COLUMNS - 1 && random_below(4) > 0)
			places[k] = rank_texts(tablet, &keys[k]);
	listed = sort_rows(&request, order, room);
	sorting = tablet;
	sorting_by = keys;
	sorting_keys = nkeys;
	sorting_places = places;
	for (uint32_t i = 0; i < n; i++)
		want[i] = i;
	qsort(want, n, sizeof(uint32_t), compare_numbers);
	tap_expect(first >= end ? listed == 0 : listed >= end && listed <= n, "%u of %u rows are listed", listed, n);
	for (uint32_t i = 0; i < listed; i++)
	{
		if (!tap_expect(order[i] < n && !seen[order[i]], "row %u twice", order[i]))
			break;
		seen[order[i]] = 1;
		if (i >= first && i < end && !tap_expect(compare_numbers(&order[i], &want[i]) == 0, "row %u is number %u, first key column %u of %u", order[i], i, keys[0].column, nkeys))
			break;
		if (i < first && !tap_expect(compare_numbers(&order[i], &want[first]) <= 0, "row %u is among the first", order[i]))
			break;
	}
	for (uint32_t i = 1; i < n; i += 1 + n / 50)
	{
		const int	differ = sort_compare(tablet, keys, nkeys, want[i - 1], want[i]);

		tap_expect((differ <= 0 || request.ranks != NULL) && (differ == 0) == (compare_numbers(&want[i - 1], &want[i]) == 0), "rows %u and %u compared: %d", want[i - 1], want[i], differ);
	}
	for (uint32_t k = 0; k < nkeys; k++)
		free((uint32_t *) places[k].rank);
	free(order);
	free(want);
	free(seen);
	free(room);
}

static SortKey
random_key(uint16_t column)
{
	return (SortKey) {column, random_below(2), random_below(2), column == COLUMNS - 1 && random_below(2)};
}

static void
test_rows(const char *name, uint32_t most, int times, bool some)
{
	static const uint32_t spreads[] = {0, 1, 4, 9, 20, 33, 50, 64};

	tap_begin(name);
	for (int i = 0; i < times; i++)
	{
		const uint32_t nrows = random_below(most + 1);
		Tablet	   *tablet = random_rows(nrows, spreads[random_below(8)]);
		SortKey		keys[COLUMNS];
		const uint32_t nkeys = 1 + random_below(random_below(3) ? 2 : COLUMNS);
		const uint32_t first = some && nrows > 0 ? random_below(nrows) : 0;
		const uint32_t end = some ? first + 1 + random_below(random_below(2) ? 4 : most) : UINT32_MAX;

		for (uint32_t k = 0; k < nkeys; k++)
			keys[k] = random_key((uint16_t) (i < COLUMNS && k == 0 ? i : (int) random_below(COLUMNS)));
		check(tablet, keys, nkeys, first, end);
		guard_free(tablet, size_of_tablet(nrows), 64);
	}
	tap_end();
}

int
main(void)
{
	test_rows("few rows", 40, 600, false);
	test_rows("some of few rows", 40, 600, true);
	test_rows("thousands of rows", 3000, 60, false);
	test_rows("some of thousands of rows", 3000, 60, true);
	test_rows("so many rows that work is cut into parts", 60000, 16, false);
	test_rows("some of so many rows", 60000, 16, true);
	return tap_done();
}
