/*
 * deform_tables.h
 *		Random tables on heap pages, and the values of their rows.
 */
#ifndef GPUDB_TEST_DEFORM_TABLES_H
#define GPUDB_TEST_DEFORM_TABLES_H

#include "heap_builder.h"
#include "tap.h"

#define MAX_PAGES	6
#define MAX_ROWS	(MAX_PAGES * 292)
#define MAX_COLUMNS	(2 * HEAP_MAX_ATTRS)
#define MISSING_ROOM	NAME_BYTES

/* The kinds of rows that a random table has. */
typedef enum Mood
{
	MOOD_PLAIN,					/* no NULLs, all attributes, short values */
	MOOD_MIXED					/* anything that can be deformed without help */
} Mood;

typedef struct Table
{
	HeapAttr	attr[HEAP_MAX_ATTRS];
	HeapValue	missing[HEAP_MAX_ATTRS];
	uint8_t		missing_bytes[HEAP_MAX_ATTRS * MISSING_ROOM];
	uint32_t	natts;
	uint16_t	types[MAX_COLUMNS];
	uint32_t	ncolumns;
	HeapPage	page[MAX_PAGES];
	PageList	list;
	uint16_t	offsets[MAX_PAGES][292];
	HeapValue  *row[MAX_ROWS];	/* values of each row by attribute, missing ones filled in */
	uint64_t	text_bytes;		/* bytes of all columns that go to the variable-width area */
} Table;

static int16_t
new_column(Table *t, ColType type)
{
	t->types[t->ncolumns] = (uint16_t) type;
	return (int16_t) t->ncolumns++;
}

static void
set_attr(HeapAttr *attr, DeformKind kind, int align, int length)
{
	memset(attr, 0, sizeof(*attr));
	attr->deform.kind = (uint8_t) kind;
	attr->deform.align = (uint8_t) align;
	attr->deform.length = (int16_t) length;
	attr->deform.column = attr->deform.second_column = -1;
}

static void
random_decimal_attr(Table *t, HeapAttr *attr, Mood mood)
{
	set_attr(attr, DEFORM_DECIMAL, 4, 0);
	attr->numeric = true;
	attr->deform.scale = (int16_t) random_below(mood == MOOD_PLAIN ? 9 : 20);
	attr->deform.wide = random_below(4) == 0;
	if (random_below(8))
		attr->deform.column = new_column(t, attr->deform.wide ? COLTYPE_I128 : COLTYPE_I64);
	if (attr->deform.column < 0 || random_below(6) == 0)
		attr->deform.second_column = new_column(t, COLTYPE_I16);
}

/* Choose a random type of fixed width that is converted when it is deformed. */
static void
random_converted_attr(Table *t, HeapAttr *attr, Mood mood)
{
	switch (random_below(4))
	{
		case 0:
			set_attr(attr, DEFORM_UUID, 1, UUID_BYTES);
			attr->deform.column = new_column(t, COLTYPE_I128);
			break;
		case 1:
			set_attr(attr, DEFORM_TIMETZ, 8, TIMETZ_BYTES);
			attr->deform.column = new_column(t, COLTYPE_I128);
			break;
		case 2:
			set_attr(attr, DEFORM_NAME, 1, NAME_BYTES);
			attr->deform.column = new_column(t, COLTYPE_TEXT);
			break;
		default:
			set_attr(attr, DEFORM_INTERVAL, 8, INTERVAL_BYTES);
			if (mood == MOOD_PLAIN || random_below(4))
				attr->deform.column = new_column(t, COLTYPE_I128);
			if (attr->deform.column < 0 || (mood == MOOD_MIXED && random_below(2)))
				attr->deform.second_column = new_column(t, COLTYPE_I128);
			break;
	}
}

static void
random_attr(Table *t, HeapAttr *attr, Mood mood)
{
	static const struct
	{
		DeformKind	kind;
		ColType		type;
		int			bytes;
	}			fixed[] = {
		{DEFORM_BOOL, COLTYPE_BOOL, 1}, {DEFORM_I16, COLTYPE_I16, 2}, {DEFORM_I32, COLTYPE_I32, 4},
		{DEFORM_I64, COLTYPE_I64, 8}, {DEFORM_F32, COLTYPE_F32, 4}, {DEFORM_F64, COLTYPE_F64, 8},
		{DEFORM_U8, COLTYPE_U8, 1}, {DEFORM_U32, COLTYPE_U32, 4}
	};
	uint32_t	pick = random_below(15);

	if (random_below(6) == 0)
		random_converted_attr(t, attr, mood);
	else if (pick < 6)
	{
		pick = random_below(lengthof(fixed));
		set_attr(attr, fixed[pick].kind, fixed[pick].bytes, fixed[pick].bytes);
		attr->deform.column = new_column(t, fixed[pick].type);
	}
	else if (pick < 9)
		random_decimal_attr(t, attr, mood);
	else if (pick == 9)
	{
		set_attr(attr, DEFORM_TEXT, 4, 0);
		attr->deform.column = new_column(t, COLTYPE_TEXT);
	}
	else if (pick == 10)
	{
		set_attr(attr, random_below(2) ? DEFORM_PACKED : DEFORM_PACKED_TRIMMED, 4, 0);
		attr->deform.column = new_column(t, COLTYPE_I64);
	}
	else if (pick == 11)
	{
		set_attr(attr, DEFORM_BITS, 4, 0);
		attr->deform.column = new_column(t, COLTYPE_I64);
	}
	else if (pick == 12)
		set_attr(attr, DEFORM_SKIP_VARLENA, random_below(2) ? 4 : 8, 0);
	else if (pick == 13 && mood == MOOD_MIXED && random_below(2))
		set_attr(attr, DEFORM_SKIP_CSTRING, 1, 0);
	else
	{
		int			align = 1 << random_below(4);

		set_attr(attr, DEFORM_SKIP_FIXED, align, align * (1 + (int) random_below(4)));
	}
}

static void
random_bytes(uint8_t *bytes, uint32_t n)
{
	while (n-- > 0)
		*bytes++ = (uint8_t) random_u64();
}

/* Make a random decimal with at most `scale` digits after the point that fits its column. */
static void
random_numeric(const HeapAttr *attr, HeapValue *v)
{
	int			digits = (int) random_below(attr->deform.wide ? 34 : 19);
	int			zeros = (int) random_below(6);

	v->dscale = (int) random_below((uint32_t) attr->deform.scale + 1);
	/* after moving to the column's scale there must be room for all digits, the first base-10000 digit being full */
	digits -= attr->deform.scale - v->dscale;
	for (v->decimal = 0; digits > 0; digits--)
		v->decimal = v->decimal * 10 + (digits <= zeros ? 0 : random_below(10));
	if (random_below(2))
		v->decimal = -v->decimal;
	if (attr->deform.column >= 0 && !attr->deform.wide)
	{
		while (!wide_fits_int64(v->decimal * pow10_wide(attr->deform.scale - v->dscale)))
			v->decimal /= 10;
	}
}

/* Make a random bit(n): n in four bytes, then the bits from the first one on; bits behind the last one are 0. */
static void
random_bits(HeapValue *v)
{
	const uint32_t n = 1 + random_below(BITS_MOST);

	v->length = 4 + (n + 7) / 8;
	memcpy(v->text, &n, 4);
	random_bytes(v->text + 4, v->length - 4);
	v->text[v->length - 1] &= (uint8_t) (0xff << (8 * (v->length - 4) - n));
}

static void
random_value(const HeapAttr *attr, Mood mood, HeapValue *v)
{
	uint32_t	i;

	memset(v, 0, sizeof(*v));
	v->null = mood == MOOD_MIXED && random_below(6) == 0;
	v->form = random_below(mood == MOOD_PLAIN ? 40 : 6) ? FORM_SHORT : FORM_LONG;
	v->long_header = mood == MOOD_MIXED && random_below(10) == 0;
	random_bytes(v->fixed, sizeof(v->fixed));
	if (attr->deform.kind == DEFORM_BOOL)
		v->fixed[0] &= 1;
	if (attr->deform.kind == DEFORM_NAME)
	{
		/* the name ends before the first zero byte, if there is one */
		for (i = 0; i < NAME_BYTES; i++)
			v->fixed[i] |= 1;
		v->length = random_below(4) ? random_below(20) : NAME_BYTES;
		if (v->length < NAME_BYTES)
			v->fixed[v->length] = 0;
		memcpy(v->text, v->fixed, v->length);
		return;
	}
	if (attr->numeric)
	{
		random_numeric(attr, v);
		return;
	}
	if (attr->deform.kind == DEFORM_BITS)
	{
		random_bits(v);
		return;
	}
	v->length = random_below(random_below(20) || attr->deform.kind == DEFORM_SKIP_CSTRING ? 12 : HEAP_MAX_TEXT);
	if (attr->deform.kind == DEFORM_PACKED || attr->deform.kind == DEFORM_PACKED_TRIMMED)
		v->length = random_below(8);
	for (i = 0; i < v->length; i++)
		v->text[i] = (uint8_t) (random_below(3) ? 'a' + random_below(26) : random_below(2) ? ' ' : 1 + random_below(255));
	if (attr->deform.kind == DEFORM_PACKED_TRIMMED && random_below(3) == 0)
		for (; v->length < 20; v->length++)
			v->text[v->length] = ' ';
	if (attr->deform.kind == DEFORM_SKIP_VARLENA && mood == MOOD_MIXED && random_below(4) == 0)
		v->form = random_below(2) ? FORM_EXTERNAL : FORM_COMPRESSED;
}

static uint64_t
pack_reference(const HeapValue *v, bool trimmed)
{
	uint32_t	length = v->length;
	uint64_t	packed = 0;
	uint32_t	i;

	while (trimmed && length > 0 && v->text[length - 1] == ' ')
		length--;
	for (i = 0; i < 7; i++)
		packed = packed << 8 | (i < length ? v->text[i] : 0);
	return (packed << 8 | length) ^ (uint64_t) 1 << 63;
}

/* Return the number that the bits of a bit(n) make, one by one. */
static uint64_t
bits_reference(const HeapValue *v)
{
	uint64_t	number = 0;
	uint32_t	n;
	uint32_t	i;

	memcpy(&n, v->text, 4);
	for (i = 0; i < n; i++)
		number = 2 * number + (v->text[4 + i / 8] >> (7 - i % 8) & 1);
	return number;
}

/* Choose the value of an attribute in tuples that end before it: NULL, or a value. */
static void
random_missing(Table *t, uint32_t a)
{
	DeformAttr *d = &t->attr[a].deform;
	HeapValue  *v = &t->missing[a];

	random_value(&t->attr[a], MOOD_MIXED, v);
	if (v->length > 7 && d->kind != DEFORM_NAME && d->kind != DEFORM_BITS)
		v->length = 7;
	d->missing = !v->null;
	if (v->null)
		return;
	memset(d->missing_value, 0, sizeof(d->missing_value));
	switch ((DeformKind) d->kind)
	{
		case DEFORM_DECIMAL:
			wide_store(d->missing_value, v->decimal * pow10_wide(d->scale - v->dscale));
			d->missing_dscale = d->missing_scale = (int16_t) v->dscale;
			break;
		case DEFORM_UUID:
		case DEFORM_TIMETZ:
		case DEFORM_INTERVAL:
		case DEFORM_NAME:
			d->missing_value[0] = a * MISSING_ROOM;
			memcpy(t->missing_bytes + a * MISSING_ROOM, v->fixed, (size_t) d->length);
			break;
		case DEFORM_TEXT:
			d->missing_value[0] = a * MISSING_ROOM;
			d->missing_value[1] = v->length;
			memcpy(t->missing_bytes + a * MISSING_ROOM, v->text, v->length);
			break;
		case DEFORM_PACKED:
		case DEFORM_PACKED_TRIMMED:
			d->missing_value[0] = pack_reference(v, d->kind == DEFORM_PACKED_TRIMMED);
			break;
		case DEFORM_BITS:
			d->missing_value[0] = bits_reference(v);
			break;
		default:
			memcpy(d->missing_value, v->fixed, 8);
			break;
	}
}

static void
random_schema(Table *t, Mood mood)
{
	uint32_t	a;

	memset(t, 0, sizeof(*t));
	t->natts = 1 + random_below(random_below(4) ? 9 : HEAP_MAX_ATTRS);
	for (a = 0; a < t->natts; a++)
	{
		random_attr(t, &t->attr[a], mood);
		random_missing(t, a);
	}
}

/* Fill a page with up to `most` tuples; some line pointers are left out of the list, as if dead. */
static void
fill_page(Table *t, uint32_t pg, uint32_t most, Mood mood)
{
	HeapPage   *page = &t->page[pg];
	uint32_t	n = 0;

	heap_page_init(page);
	t->list.page[pg] = page->bytes;
	t->list.offsets[pg] = t->offsets[pg];
	while (n < most)
	{
		HeapValue  *values = (HeapValue *) malloc(sizeof(HeapValue) * t->natts);
		uint32_t	natts = t->natts;
		uint16_t	offnum;
		uint32_t	a;

		if (mood == MOOD_MIXED && random_below(8) == 0)
			natts = random_below(t->natts + 1);
		for (a = 0; a < t->natts; a++)
			random_value(&t->attr[a], mood, &values[a]);
		offnum = heap_add_tuple(page, t->attr, values, natts);
		if (offnum == 0 || random_below(10) == 0)
		{
			free(values);
			if (offnum == 0)
				break;
			continue;
		}
		for (a = natts; a < t->natts; a++)
			values[a] = t->missing[a];
		for (a = 0; a < t->natts; a++)
			if (!values[a].null && (t->attr[a].deform.kind == DEFORM_TEXT || t->attr[a].deform.kind == DEFORM_NAME))
				t->text_bytes += values[a].length;
		t->offsets[pg][n++] = offnum;
		t->row[t->list.nrows++] = values;
	}
	t->list.ntuples[pg] = (uint16_t) n;
	t->list.npages = pg + 1;
}

static void
fill_pages(Table *t, uint32_t npages, uint32_t most, Mood mood)
{
	uint32_t	pg;

	for (pg = 0; pg < npages; pg++)
		fill_page(t, pg, most, mood == MOOD_MIXED && random_below(3) == 0 ? MOOD_PLAIN : mood);
}

static void
free_table(Table *t)
{
	uint32_t	i;

	for (i = 0; i < t->list.npages; i++)
		heap_page_free(&t->page[i]);
	for (i = 0; i < t->list.nrows; i++)
		free(t->row[i]);
	t->list.npages = t->list.nrows = 0;
}

#endif							/* GPUDB_TEST_DEFORM_TABLES_H */
