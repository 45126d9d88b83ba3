/*
 * column_pack_test.c
 *		Storing columns in the frame-of-reference encodings that are requested for
 *		them: in separate memory, and in a block for another process.
 *
 * Columns are of every kind, with no, some and only NULLs; encodings hold their
 * values, or are any others.
 */
#include "core/tablet/column_pack.h"
#include "guard.h"
#include "tap.h"

#define ROWS_MOST 300

static const uint16_t types[] = {
	COLTYPE_BOOL, COLTYPE_U8, COLTYPE_I16, COLTYPE_I32, COLTYPE_U32, COLTYPE_I64, COLTYPE_I128, COLTYPE_F32, COLTYPE_F64
};

/* A tablet of one column, and properties of it that do not depend on an encoding. */
typedef struct Sample
{
	ColType		type;
	uint32_t	n;
	uint64_t	size;
	Tablet	   *tablet;
	Tablet	   *before;			/* copy of the tablet before packing */
	bool		any;			/* true if a row of the column is not NULL */
	ForRange	range;			/* range of the values that are not NULL */
} Sample;

static Wide
integer_at(const Tablet *tablet, const ForEncoding *encoding, const uint8_t *values, uint32_t row)
{
	int64_t		integer;

	values += (size_t) row * coltype_bytes((ColType) encoding->type);
	if (encoding->type == COLTYPE_I128)
		return wide_load((const uint64_t *) values);
	for_unpack(encoding, values, 1, &integer);
	return integer;
}

static void
find_range(Sample *s)
{
	const TabletColumn *column = &s->before->column[0];
	const ForEncoding raw = for_encoding_of(column);

	s->any = false;
	s->range = (ForRange) {0, 0, 0};
	for (uint32_t row = 0; row < s->n && coltype_integer(s->type); row++)
	{
		const Wide	v = integer_at(s->before, &raw, tablet_at(s->before, column->values), row);

		if (tablet_is_null(s->before, column, row))
			continue;
		s->range.differing |= s->any ? (uint64_t) (v ^ s->range.min) : 0;
		s->range.min = !s->any || v < s->range.min ? v : s->range.min;
		s->range.max = !s->any || v > s->range.max ? v : s->range.max;
		s->any = true;
	}
}

/* Make a tablet of random values whose upper bytes are often 0; NULL rows have 0, as they come from pages. */
static void
take_sample(Sample *s)
{
	const uint32_t nulls = random_below(4);
	TabletColumn *column;
	const uint16_t type = types[random_below(lengthof(types))];
	uint32_t	bytes;
	uint32_t	zeros;

	s->type = (ColType) type;
	s->n = 1 + random_below(ROWS_MOST);
	bytes = coltype_bytes(s->type);
	zeros = random_below(bytes);
	s->size = tablet_size(&type, 1, s->n, 0);
	s->tablet = (Tablet *) guard_alloc(s->size, 64);
	s->before = (Tablet *) guard_alloc(s->size, 64);
	memset(s->tablet, 0, s->size);
	tablet_layout(s->tablet, &type, 1, s->n, 0);
	column = &s->tablet->column[0];
	for (uint32_t row = 0; row < s->n; row++)
	{
		if (nulls == 1 || (nulls == 2 && random_below(3) == 0))
		{
			tablet_at(s->tablet, column->nulls)[row / 8] |= (uint8_t) (1 << row % 8);
			column->null_count++;
			continue;
		}
		for (uint32_t b = 0; b < bytes - zeros; b++)
			tablet_at(s->tablet, column->values)[(size_t) row * bytes + b] = s->type == COLTYPE_BOOL ? random_below(2) : (uint8_t) random_u64();
	}
	deform_zone_map(s->tablet, column);
	memcpy(s->before, s->tablet, s->size);
	find_range(s);
}

static void
drop_sample(Sample *s)
{
	guard_free(s->tablet, s->size, 64);
	guard_free(s->before, s->size, 64);
}

/* Return an encoding that holds the values, or one of any kind, or a type without a base. */
static ForEncoding
any_encoding(const Sample *s)
{
	const uint16_t any[] = {
		COLTYPE_SAME, COLTYPE_U8, COLTYPE_U16, COLTYPE_U32, COLTYPE_I64, COLTYPE_I128, COLTYPE_F64, COLTYPE_F32, COLTYPE_BOOL
	};
	const uint16_t type = any[random_below(lengthof(any))];

	switch (random_below(3))
	{
		case 0: return (ForEncoding) {coltype_integer(s->type) ? COLTYPE_I64 : s->type, 0, 0};
		case 1: return for_choose(&s->range, COLTYPE_SAME);
		default:
			return coltype_for_encoded((ColType) type) ? (ForEncoding) {type, (uint16_t) random_below(64), (int64_t) random_u64() >> random_below(64)}
				: (ForEncoding) {type, 0, 0};
	}
}

/* Return true if an encoding holds all values that are not NULL, tested one by one. */
static bool
holds_all(const Sample *s, const ForEncoding *encoding)
{
	const TabletColumn *column = &s->before->column[0];
	const ForEncoding raw = for_encoding_of(column);
	uint64_t	odd = 0;

	for (uint32_t row = 0; row < s->n; row++)
		if (!tablet_is_null(s->before, column, row))
			odd |= for_odd(encoding, integer_at(s->before, &raw, tablet_at(s->before, column->values), row));
	return odd == 0;
}

/* Check values that were encoded; NULLs must have values within the others' range. */
static void
expect_packed(const Sample *s, const ForEncoding *encoding, const uint8_t *values)
{
	const TabletColumn *column = &s->before->column[0];
	const ForEncoding raw = for_encoding_of(column);
	uint32_t	wrong = 0;

	for (uint32_t row = 0; row < s->n; row++)
	{
		const Wide	v = integer_at(s->before, encoding, values, row);

		if (tablet_is_null(s->before, column, row))
			wrong += v < s->range.min || v > s->range.max;
		else
			wrong += v != integer_at(s->before, &raw, tablet_at(s->before, column->values), row);
	}
	tap_expect(wrong == 0, "type %d in type %d, shift %d: %u of %u values are wrong", s->type, encoding->type, encoding->shift, wrong, s->n);
}

static void
expect_raw(const Sample *s, const uint8_t *values)
{
	const TabletColumn *column = &s->before->column[0];
	const uint32_t bytes = coltype_bytes(s->type);
	uint32_t	wrong = 0;

	for (uint32_t row = 0; row < s->n; row++)
		wrong += !tablet_is_null(s->before, column, row) &&
			memcmp(values + (size_t) row * bytes, tablet_at(s->before, column->values) + (size_t) row * bytes, bytes) != 0;
	tap_expect(wrong == 0, "type %d: %u of %u values are wrong", s->type, wrong, s->n);
}

static void
test_places(void)
{
	tap_begin("columns in their places");
	for (int trial = 0; trial < (tap_short() ? 500 : 20000); trial++)
	{
		Sample		s;
		ColumnPlace place;
		size_t		bytes;
		bool		expected;

		take_sample(&s);
		place = (ColumnPlace) {.wanted = random_below(8) > 0, .encoding = any_encoding(&s), .packed = true};
		bytes = (size_t) coltype_bytes((ColType) place.encoding.type) * s.n;
		place.values = (uint8_t *) guard_alloc(bytes, 16);
		expected = place.wanted && (!coltype_integer(s.type) ? place.encoding.type == s.type
									: coltype_integer((ColType) place.encoding.type) && s.any && holds_all(&s, &place.encoding));
		column_pack(for_pack, s.tablet, &s.tablet->column[0], &place);
		tap_expect(place.packed == expected, "type %d in type %d, shift %d: packed", s.type, place.encoding.type, place.encoding.shift);
		if (place.packed && coltype_integer(s.type))
			expect_packed(&s, &place.encoding, place.values);
		else if (place.packed)
			expect_raw(&s, place.values);
		guard_free(place.values, bytes, 16);
		drop_sample(&s);
	}
	tap_end();
}

static void
test_blocks(void)
{
	tap_begin("columns in blocks");
	for (int trial = 0; trial < (tap_short() ? 500 : 20000); trial++)
	{
		Sample		s;
		uint16_t	type;
		uint64_t	size;
		Tablet	   *block;
		TabletColumn *column;
		ForEncoding	encoding;
		ForEncoding	told;
		ForEncoding	expected;

		take_sample(&s);
		encoding = any_encoding(&s);
		expected = s.any && for_suits(&encoding, s.type) && holds_all(&s, &encoding) ? encoding : (ForEncoding) {s.type, 0, 0};
		type = (uint16_t) s.type;
		size = tablet_columns_size(&type, 1, s.n);
		block = (Tablet *) guard_alloc(size, 64);
		column = &block->column[0];
		column_set_encoding(column, &encoding);
		column_store(for_pack, s.tablet, 0, block);
		told = for_encoding_of(column);
		tap_expect(for_equal(&told, &expected), "type %d in type %d, shift %d: type %d, shift %d instead of %d, %d", s.type, encoding.type,
				   encoding.shift, told.type, told.shift, expected.type, expected.shift);
		if (for_equal(&told, &encoding) && s.any)
			expect_packed(&s, &told, tablet_at(block, column->values));
		else
			expect_raw(&s, tablet_at(block, column->values));
		tap_expect(column->null_count == s.before->column[0].null_count &&
				   (column->null_count == 0 || memcmp(tablet_at(block, column->nulls), tablet_at(s.before, s.before->column[0].nulls),
													  tablet_bitmap_bytes(s.n)) == 0), "type %d: NULLs", s.type);
		tap_expect(!s.any || (column->null_count > 0 && !for_equal(&told, &encoding)) ||
				   (wide_load(column->min) == s.range.min && wide_load(column->max) == s.range.max), "type %d: range", s.type);
		guard_free(block, size, 64);
		drop_sample(&s);
	}
	tap_end();
}

/* Test for_suits(), which a process calls for an encoding that it does not trust. */
static void
test_suits(void)
{
	tap_begin("encodings that suit a type");
	for (int trial = 0; trial < 20000; trial++)
	{
		const ForEncoding encoding = {(uint16_t) random_below(COLTYPE_Count + 2), (uint16_t) random_below(80), random_below(2) ? 0 : (int64_t) random_u64()};
		const ColType type = (ColType) types[random_below(lengthof(types))];
		bool		expected = coltype_integer(type) && coltype_bytes((ColType) encoding.type) <= coltype_bytes(type);

		switch (encoding.type)
		{
			case COLTYPE_SAME:
			case COLTYPE_U8:
			case COLTYPE_U16:
			case COLTYPE_U32:
				expected &= encoding.shift <= 63;
				break;
			case COLTYPE_I64:
			case COLTYPE_I128:
				expected &= encoding.shift == 0 && encoding.base == 0;
				break;
			default:
				expected = false;
		}
		tap_expect(for_suits(&encoding, type) == expected, "type %d in type %d, shift %d", type, encoding.type, encoding.shift);
	}
	tap_end();
}

/*
 * Test texts of columns in separate memory: a reference reaches 2 GB, up to the last byte and not
 * beyond. None is read.
 */
static void
test_texts(void)
{
	const uint8_t *anywhere = (const uint8_t *) (uintptr_t) 0x100000000;
	const uint64_t reach = INT32_MAX;
	const struct
	{
		uint64_t	at[3];
		uint64_t	n[3];
		bool		reached;
	}			cases[] = {
		{{0, 100, 300}, {100, 200, 8}, true},
		{{300, 0, 100}, {8, 100, 200}, true},
		{{0, reach - 8, 100}, {8, 8, 50}, true},
		{{0, reach - 7, 100}, {8, 8, 50}, false},
		{{0, reach / 2, 100}, {8, reach, 50}, false},
		{{reach / 2, 0, 100}, {reach, 8, 50}, false},
	};
	Tablet	   *tablet = (Tablet *) calloc(1, sizeof(Tablet) + 4 * sizeof(TabletColumn));

	tap_begin("texts of columns that stand apart are reached, or not");
	tablet->ncols = 4;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		TextBytes	texts[4] = {{NULL, 0}};

		for (int c = 0; c < 3; c++)
		{
			texts[c + 1].start = anywhere + cases[i].at[c];
			texts[c + 1].n = cases[i].n[c];
		}
		tap_expect(tablet_place_texts(tablet, texts) == cases[i].reached, "case %d", (int) i);
		for (int c = 1; c < 4 && cases[i].reached; c++)
			tap_expect(tablet_at(tablet, tablet->var) + tablet->column[c].base == texts[c].start, "case %d, column %d", (int) i, c);
	}
	tap_end();
	free(tablet);
}

int
main(void)
{
	test_suits();
	test_texts();
	test_places();
	test_blocks();
	return tap_done();
}
