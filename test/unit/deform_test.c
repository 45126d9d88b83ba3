/*
 * deform_test.c
 *		Heap pages to columns.
 *
 * Random tables are written to pages and deformed; every column must hold
 * what was written.  Pages come plain, which takes the fast way, and with
 * NULLs, short tuples, long and external values mixed in.  Damaged pages may
 * give any answer but must not lead outside of page or tablet: both lie
 * between pages that may not be touched.
 */
#include "core/deform_fast.h"
#include "heap_builder.h"
#include "tap.h"

#define MAX_PAGES	6
#define MAX_ROWS	(MAX_PAGES * 292)
#define MAX_COLUMNS	(2 * HEAP_MAX_ATTRS)

/* How unusual a table's rows are. */
typedef enum Mood
{
	MOOD_PLAIN,					/* no NULLs, all attributes, short values */
	MOOD_MIXED					/* anything that can be deformed without help */
} Mood;

typedef struct Table
{
	HeapAttr	attr[HEAP_MAX_ATTRS];
	HeapValue	missing[HEAP_MAX_ATTRS];
	uint8_t		missing_bytes[HEAP_MAX_ATTRS * 16];
	uint32_t	natts;
	uint16_t	types[MAX_COLUMNS];
	uint32_t	ncolumns;
	HeapPage	page[MAX_PAGES];
	PageList	list;
	uint16_t	offsets[MAX_PAGES][292];
	HeapValue  *row[MAX_ROWS];	/* by attribute; what the row holds, missing values filled in */
	uint64_t	text_bytes;		/* of all columns that go to the variable-width area */
} Table;

static Table table;

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
	attr->deform.column = attr->deform.dscale_column = -1;
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
		attr->deform.dscale_column = new_column(t, COLTYPE_I16);
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
		{DEFORM_I64, COLTYPE_I64, 8}, {DEFORM_F32, COLTYPE_F32, 4}, {DEFORM_F64, COLTYPE_F64, 8}
	};
	uint32_t	pick = random_below(14);

	if (pick < 6)
	{
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
		set_attr(attr, DEFORM_SKIP_VARLENA, random_below(2) ? 4 : 8, 0);
	else if (pick == 12 && mood == MOOD_MIXED && random_below(2))
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

/* A decimal with at most `scale` digits after the point that fits its column. */
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
	if (attr->numeric)
	{
		random_numeric(attr, v);
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
	return packed << 8 | length;
}

/* What tuples that end before the attribute have: NULL, or a value. */
static void
random_missing(Table *t, uint32_t a)
{
	DeformAttr *d = &t->attr[a].deform;
	HeapValue  *v = &t->missing[a];

	random_value(&t->attr[a], MOOD_MIXED, v);
	if (v->length > 7)
		v->length = 7;
	d->missing = !v->null;
	if (v->null)
		return;
	memset(d->missing_value, 0, sizeof(d->missing_value));
	switch ((DeformKind) d->kind)
	{
		case DEFORM_DECIMAL:
			wide_store(d->missing_value, v->decimal * pow10_wide(d->scale - v->dscale));
			d->missing_dscale = (int16_t) v->dscale;
			break;
		case DEFORM_TEXT:
			d->missing_value[0] = a * 16;
			d->missing_value[1] = v->length;
			memcpy(t->missing_bytes + a * 16, v->text, v->length);
			break;
		case DEFORM_PACKED:
		case DEFORM_PACKED_TRIMMED:
			d->missing_value[0] = pack_reference(v, d->kind == DEFORM_PACKED_TRIMMED);
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

/* Fill one page with up to `most` tuples; some line pointers are left out of the list, as if dead. */
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
			if (!values[a].null && t->attr[a].deform.kind == DEFORM_TEXT)
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

static DeformPlan *
make_plan(const Table *t)
{
	DeformPlan *plan = (DeformPlan *) malloc(sizeof(DeformPlan) + HEAP_MAX_ATTRS * sizeof(DeformAttr));
	uint32_t	a;

	plan->natts = t->natts;
	plan->ncolumns = t->ncolumns;
	plan->var_columns = 0;
	plan->missing_bytes = t->missing_bytes;
	for (a = 0; a < t->natts; a++)
	{
		plan->attr[a] = t->attr[a].deform;
		plan->var_columns += t->attr[a].deform.kind == DEFORM_TEXT;
	}
	return plan;
}

static Tablet *
make_tablet(const Table *t)
{
	Tablet	   *tablet = (Tablet *) guard_alloc(tablet_size(t->types, t->ncolumns, t->list.nrows, t->text_bytes), 64);

	tablet_layout(tablet, t->types, t->ncolumns, t->list.nrows, t->text_bytes);
	return tablet;
}

static void
free_tablet(const Table *t, Tablet *tablet)
{
	guard_free(tablet, tablet_size(t->types, t->ncolumns, t->list.nrows, t->text_bytes), 64);
}

static bool
is_null(const Tablet *tablet, int column, uint32_t row)
{
	const TabletColumn *c = &tablet->column[column];

	return c->null_count > 0 && (tablet_at(tablet, c->nulls)[row / 8] >> (row % 8) & 1);
}

static void
expect_cell(const Tablet *tablet, const HeapAttr *attr, uint32_t row, const HeapValue *v)
{
	const DeformAttr *d = &attr->deform;
	const TabletColumn *column = &tablet->column[d->column];
	uint32_t	width = coltype_bytes((ColType) column->type);
	const uint8_t *cell = tablet_at(tablet, column->values) + (size_t) row * width;
	uint8_t		zeros[16] = {0};
	uint64_t	word = 0;
	Wide		wide;

	if (!tap_expect(is_null(tablet, d->column, row) == v->null, "row %u column %d: NULL", row, d->column))
		return;
	memcpy(&word, cell, width < 8 ? width : 8);
	if (v->null)
		tap_expect(memcmp(cell, zeros, width) == 0, "row %u column %d: a NULL's value is not 0", row, d->column);
	else if (d->kind == DEFORM_DECIMAL)
	{
		wide = d->wide ? wide_load((const uint64_t *) cell) : (Wide) (int64_t) word;
		tap_expect(wide == v->decimal * pow10_wide(d->scale - v->dscale), "row %u column %d: %s at scale %d gives %s at %d",
				   row, d->column, wide_text(v->decimal), v->dscale, wide_text(wide), d->scale);
	}
	else if (d->kind == DEFORM_TEXT)
		tap_expect(TEXT_LENGTH(word) == v->length && (uint64_t) TEXT_OFFSET(word) + v->length <= tablet->var_used &&
				   memcmp(tablet_at(tablet, tablet->var) + TEXT_OFFSET(word), v->text, v->length) == 0,
				   "row %u column %d: text of %u bytes", row, d->column, v->length);
	else if (d->kind == DEFORM_PACKED || d->kind == DEFORM_PACKED_TRIMMED)
		tap_expect(word == pack_reference(v, d->kind == DEFORM_PACKED_TRIMMED), "row %u column %d: packed text", row,
				   d->column);
	else
		tap_expect(memcmp(cell, v->fixed, width) == 0, "row %u column %d: value", row, d->column);
}

/* The zone map holds every value; of integers it is tight, NULL counting as 0. */
static void
expect_zone_map(const Tablet *tablet, int c)
{
	const TabletColumn *column = &tablet->column[c];
	uint32_t	width = coltype_bytes((ColType) column->type);
	Wide		low = 0;
	Wide		high = 0;
	uint32_t	row;

	if (column->type == COLTYPE_BOOL || column->type == COLTYPE_F32 || column->type == COLTYPE_F64 ||
		column->type == COLTYPE_TEXT || tablet->nrows == 0)
		return;
	for (row = 0; row < tablet->nrows; row++)
	{
		const uint8_t *cell = tablet_at(tablet, column->values) + (size_t) row * width;
		Wide		v = column->type == COLTYPE_I16 ? (int16_t) load_u16(cell) : column->type == COLTYPE_I32
			? (int32_t) load_u32(cell) : column->type == COLTYPE_I64 ? (int64_t) load_u64(cell)
			: wide_load((const uint64_t *) cell);

		low = row == 0 || v < low ? v : low;
		high = row == 0 || v > high ? v : high;
	}
	tap_expect(wide_load(column->min) == low && wide_load(column->max) == high, "column %d: zone map %s to %s, not %s to %s",
			   c, wide_text(wide_load(column->min)), wide_text(wide_load(column->max)), wide_text(low), wide_text(high));
}

static void
expect_tablet(const Table *t, const Tablet *tablet)
{
	const uint32_t *places = (const uint32_t *) tablet_at(tablet, tablet->rows);
	uint32_t	nulls[MAX_COLUMNS] = {0};
	uint32_t	row = 0;
	uint32_t	pg;
	uint32_t	i;
	uint32_t	a;

	for (pg = 0; pg < t->list.npages; pg++)
		for (i = 0; i < t->list.ntuples[pg]; i++, row++)
		{
			tap_expect(ROW_PAGE(places[row]) == pg && ROW_OFFNUM(places[row]) == t->offsets[pg][i], "row %u: place", row);
			for (a = 0; a < t->natts; a++)
			{
				const HeapValue *v = &t->row[row][a];
				const DeformAttr *d = &t->attr[a].deform;

				if (d->column >= 0)
				{
					expect_cell(tablet, &t->attr[a], row, v);
					nulls[d->column] += v->null;
				}
				if (d->dscale_column >= 0)
				{
					tap_expect(is_null(tablet, d->dscale_column, row) == v->null &&
							   ((const int16_t *) tablet_at(tablet, tablet->column[d->dscale_column].values))[row] ==
							   (v->null ? 0 : v->dscale), "row %u: display scale", row);
					nulls[d->dscale_column] += v->null;
				}
			}
		}
	for (i = 0; i < t->ncolumns; i++)
	{
		tap_expect(tablet->column[i].null_count == nulls[i], "column %u: %u NULLs, not %u", i, tablet->column[i].null_count,
				   nulls[i]);
		expect_zone_map(tablet, (int) i);
	}
}

static void
test_tables(const char *name, Mood mood, int rounds)
{
	static const uint32_t sizes[] = {0, 1, 2, 5, 6, 7, 31, 32, 33, 291};
	int			round;
	long		fast = 0;

	tap_begin(name);
	for (round = 0; round < rounds; round++)
	{
		Tablet	   *tablet;
		DeformPlan *plan;
		FastPlan	folded;
		DeviceStatus status;

		random_schema(&table, mood);
		fill_pages(&table, 1 + random_below(MAX_PAGES), sizes[random_below(lengthof(sizes))], mood);
		plan = make_plan(&table);
		tablet = make_tablet(&table);
		fast_plan_init(&folded, plan);
		fast += folded.usable;
		status = deform_pages(plan, &table.list, tablet);
		if (tap_expect(status == STATUS_DONE, "table %d: '%s'", round, status_text(status)))
			expect_tablet(&table, tablet);
		free_tablet(&table, tablet);
		free(plan);
		free_table(&table);
	}
	tap_expect(fast > rounds / 10, "only %ld plans of %d were for the fast way", fast, rounds);
	tap_end();
}

/* Numerics of every size and scale through both ways. */
static void
test_numerics(void)
{
	static HeapValue values[1];
	int			scale;
	int			dscale;
	int			digits;

	tap_begin("numerics of every size and display scale");
	for (scale = 0; scale <= 18; scale++)
		for (dscale = 0; dscale <= scale; dscale++)
		{
			Table	   *t = &table;
			DeformPlan *plan;
			Tablet	   *tablet;
			DeviceStatus status;

			memset(t, 0, sizeof(*t));
			set_attr(&t->attr[0], DEFORM_DECIMAL, 4, 0);
			t->attr[0].numeric = true;
			t->attr[0].deform.scale = (int16_t) scale;
			t->attr[0].deform.column = new_column(t, COLTYPE_I64);
			t->natts = 1;
			heap_page_init(&t->page[0]);
			t->list.page[0] = t->page[0].bytes;
			t->list.offsets[0] = t->offsets[0];
			t->list.npages = 1;
			for (digits = 0; digits <= 18 - (scale - dscale); digits++)
			{
				const Wide	power = pow10_wide(digits);
				const Wide	some[] = {power - 1, power, 1 - power, -power, power / 2 + 1, (Wide) (random_u64() % (uint64_t) power)};
				size_t		i;

				for (i = 0; i < lengthof(some); i++)
				{
					memset(values, 0, sizeof(values));
					values[0].decimal = some[i];
					values[0].dscale = dscale;
					if (!wide_fits_int64(some[i] * pow10_wide(scale - dscale)))
						continue;
					t->row[t->list.nrows] = (HeapValue *) malloc(sizeof(values));
					memcpy(t->row[t->list.nrows], values, sizeof(values));
					t->offsets[0][t->list.nrows] = heap_add_tuple(&t->page[0], t->attr, values, 1);
					t->list.ntuples[0] = (uint16_t) ++t->list.nrows;
				}
				/* a page for each number of digits, so that one unusual value leaves the others to the fast way */
				plan = make_plan(t);
				tablet = make_tablet(t);
				status = deform_pages(plan, &t->list, tablet);
				if (tap_expect(status == STATUS_DONE, "scale %d of %d, %d digits: '%s'", dscale, scale, digits,
							   status_text(status)))
					expect_tablet(t, tablet);
				free_tablet(t, tablet);
				free(plan);
				while (t->list.nrows > 0)
					free(t->row[--t->list.nrows]);
				t->list.ntuples[0] = 0;
				t->page[0].lower = HEAP_PAGE_LINP;
				t->page[0].upper = HEAP_PAGE_SIZE;
				t->page[0].ntuples = 0;
			}
			free_table(t);
		}
	tap_end();
}

/* One table of one numeric column; `bad` values among good ones. */
static DeviceStatus
deform_one(Table *t, const HeapValue *bad, int16_t *max_dscale, uint32_t *patches)
{
	DeformPlan *plan = make_plan(t);
	Tablet	   *tablet;
	DeviceStatus status;
	uint32_t	at = random_below(40);
	uint32_t	i;

	heap_page_init(&t->page[0]);
	t->list.page[0] = t->page[0].bytes;
	t->list.offsets[0] = t->offsets[0];
	t->list.npages = 1;
	for (i = 0; i < 40; i++)
	{
		HeapValue	good;

		memset(&good, 0, sizeof(good));
		good.decimal = i;
		good.length = i % 8;
		memset(good.text, 'x', sizeof(good.text));
		t->offsets[0][i] = heap_add_tuple(&t->page[0], t->attr, i == at ? bad : &good, 1);
	}
	t->list.ntuples[0] = 40;
	t->list.nrows = 40;
	t->text_bytes = 4000;
	tablet = make_tablet(t);
	status = deform_pages(plan, &t->list, tablet);
	*max_dscale = tablet->column[0].max_dscale;
	*patches = tablet->column[0].patch_count;
	if (status == STATUS_DONE && *patches == 1)
	{
		uint64_t	word = ((const uint64_t *) tablet_at(tablet, tablet->column[0].values))[at];
		uint32_t	place = TEXT_LENGTH(word);

		/* the low bits lead to the value on its page */
		tap_expect((word & TEXT_PATCH) && place < HEAP_PAGE_SIZE && (t->page[0].bytes[place] == 1 ||
																	 (t->page[0].bytes[place] & 3) == 2),
				   "patch leads to byte %u", place);
	}
	free_tablet(t, tablet);
	heap_page_free(&t->page[0]);
	free(plan);
	return status;
}

static void
test_what_does_not_fit(void)
{
	Table	   *t = &table;
	HeapValue	v;
	int16_t		max_dscale = 0;
	uint32_t	patches = 0;
	int			form;

	tap_begin("what does not fit the plan is told");
	memset(t, 0, sizeof(*t));
	set_attr(&t->attr[0], DEFORM_DECIMAL, 4, 0);
	t->attr[0].numeric = true;
	t->attr[0].deform.scale = 2;
	t->attr[0].deform.column = new_column(t, COLTYPE_I64);
	t->natts = 1;

	memset(&v, 0, sizeof(v));
	v.decimal = 123456;
	v.dscale = 5;
	tap_expect(deform_one(t, &v, &max_dscale, &patches) == STATUS_SCALE_EXCEEDED && max_dscale == 5,
			   "scale 5 in a column of scale 2: max_dscale %d", max_dscale);
	v.dscale = 2;
	v.decimal = pow10_wide(22);
	tap_expect(deform_one(t, &v, &max_dscale, &patches) == STATUS_NEEDS_WIDE, "24 digits in a narrow column");
	v.decimal = (Wide) INT64_MAX + 1;
	tap_expect(deform_one(t, &v, &max_dscale, &patches) == STATUS_NEEDS_WIDE, "2^63 in a narrow column");
	v.decimal = INT64_MAX;
	tap_expect(deform_one(t, &v, &max_dscale, &patches) == STATUS_DONE, "2^63 - 1 in a narrow column");
	v.decimal = INT64_MIN;
	tap_expect(deform_one(t, &v, &max_dscale, &patches) == STATUS_DONE, "-2^63 in a narrow column");
	v.dscale = 0;
	v.decimal = pow10_wide(38) - 1;
	tap_expect(deform_one(t, &v, &max_dscale, &patches) == STATUS_DECIMAL_TOO_WIDE, "40 digits");
	v.decimal = 1;
	v.form = FORM_COMPRESSED;
	tap_expect(deform_one(t, &v, &max_dscale, &patches) == STATUS_DECIMAL_TOO_WIDE, "a compressed numeric");
	v.form = FORM_EXTERNAL;
	tap_expect(deform_one(t, &v, &max_dscale, &patches) == STATUS_DECIMAL_TOO_WIDE, "a numeric stored out of line");
	v.form = FORM_LONG;
	tap_expect(deform_one(t, &v, &max_dscale, &patches) == STATUS_DONE, "a numeric with a long varlena header");
	tap_end();

	tap_begin("compressed and external text is left to the backend");
	for (form = FORM_COMPRESSED; form <= FORM_EXTERNAL; form++)
	{
		memset(t, 0, sizeof(*t));
		set_attr(&t->attr[0], DEFORM_TEXT, 4, 0);
		t->attr[0].deform.column = new_column(t, COLTYPE_TEXT);
		t->natts = 1;
		memset(&v, 0, sizeof(v));
		v.length = 30;
		v.form = (HeapForm) form;
		tap_expect(deform_one(t, &v, &max_dscale, &patches) == STATUS_DONE && patches == 1, "%u patches", patches);
		t->attr[0].deform.kind = DEFORM_PACKED;
		t->types[0] = COLTYPE_I64;
		tap_expect(deform_one(t, &v, &max_dscale, &patches) == STATUS_DAMAGED_PAGE, "packed text is never compressed");
	}
	tap_end();
}

static void
test_special_numerics(void)
{
	static const uint16_t special[] = {0xC000, 0xD000, 0xF000};
	size_t		i;

	tap_begin("NaN and infinities are told");
	for (i = 0; i < lengthof(special); i++)
	{
		Table	   *t = &table;
		HeapValue	v;
		int16_t		max_dscale = 0;
		uint32_t	patches = 0;

		/* a text attribute writes the payload, a numeric one reads it */
		memset(t, 0, sizeof(*t));
		set_attr(&t->attr[0], DEFORM_DECIMAL, 4, 0);
		t->attr[0].deform.column = new_column(t, COLTYPE_I64);
		t->natts = 1;
		memset(&v, 0, sizeof(v));
		v.length = 2;
		memcpy(v.text, &special[i], 2);
		/* the rows around it are text, too: make all of them special */
		tap_expect(deform_one(t, &v, &max_dscale, &patches) != STATUS_DONE, "header %04x", special[i]);
	}
	tap_end();
}

/* The same pages through the general way only. */
static DeviceStatus
deform_generally(const DeformPlan *plan, const PageList *pages, Tablet *tablet)
{
	DeviceStatus result = STATUS_DONE;
	uint32_t	row = 0;
	uint32_t	pg;

	for (pg = 0; pg < pages->npages; pg++)
	{
		DeviceStatus status = deform_page(plan, pages->page[pg], pages->offsets[pg], pages->ntuples[pg], tablet, row);

		if (status == STATUS_SCALE_EXCEEDED)
			result = status;
		else if (status != STATUS_DONE)
			return status;
		row += pages->ntuples[pg];
	}
	return result;
}

static void
damage_page(HeapPage *page)
{
	int			n;

	for (n = 1 + (int) random_below(4); n > 0; n--)
	{
		uint32_t	at = random_below(3) == 0 ? HEAP_PAGE_LINP + random_below(page->lower - HEAP_PAGE_LINP + 4)
			: page->upper + random_below(HEAP_PAGE_SIZE - page->upper);
		/* near the end of the page one step leads outside */
		if (random_below(3) == 0)
			at = HEAP_PAGE_SIZE - 1 - random_below(64);
		if (at >= HEAP_PAGE_SIZE)
			continue;
		page->bytes[at] = (uint8_t) (random_below(3) ? random_u64() : random_below(2) ? 0xFF : 1 + 2 * random_below(3));
	}
}

/* Deform damaged pages both ways. */
static void
deform_damaged(void *arg, Progress *progress)
{
	long		trial;

	for (trial = progress->at; trial < 6000; trial++)
	{
		uint32_t	copies;
		DeformPlan *plan;

		random_seed((uint64_t) trial + 77);
		progress->at = trial + 1;
		random_schema(&table, trial % 3 ? MOOD_PLAIN : MOOD_MIXED);
		fill_pages(&table, 1, 1 + random_below(trial % 2 ? 3 : 60), trial % 3 ? MOOD_PLAIN : MOOD_MIXED);
		if (table.page[0].ntuples == 0)
		{
			free_table(&table);
			continue;
		}
		plan = make_plan(&table);
		for (copies = 0; copies < 10; copies++)
		{
			Tablet	   *tablet;

			damage_page(&table.page[0]);
			tablet = make_tablet(&table);
			if (deform_pages(plan, &table.list, tablet) == STATUS_DONE)
				progress->trials++;
			free_tablet(&table, tablet);
			tablet = make_tablet(&table);
			deform_generally(plan, &table.list, tablet);
			free_tablet(&table, tablet);
		}
		free(plan);
		free_table(&table);
	}
}

static void
test_damaged_pages(void)
{
	Progress   *progress = progress_make();
	long		started = -1;
	int			deaths = 0;

	tap_begin("damaged pages do not lead outside");
	while (started != progress->at && deaths < 50)
	{
		bool		alive;

		started = progress->at;
		alive = survives(deform_damaged, NULL, progress);
		deaths += !alive;
		tap_expect(alive, "died at trial %ld", progress->at - 1);
		if (alive)
			break;
	}
	tap_expect(progress->trials > 100, "only %ld damaged pages were read to the end", progress->trials);
	tap_end();
}

/* Valid pages whose last bytes belong to values of unusual forms. */
static void
deform_page_ends(void *arg, Progress *progress)
{
	long		trial;

	for (trial = progress->at; trial < 4000; trial++)
	{
		DeformPlan *plan;
		Tablet	   *tablet;

		random_seed((uint64_t) trial + 7777);
		progress->at = trial + 1;
		random_schema(&table, MOOD_PLAIN);
		fill_pages(&table, 1, 1 + random_below(3), trial % 2 ? MOOD_PLAIN : MOOD_MIXED);
		plan = make_plan(&table);
		tablet = make_tablet(&table);
		if (deform_pages(plan, &table.list, tablet) == STATUS_DONE)
			progress->trials++;
		free_tablet(&table, tablet);
		free(plan);
		free_table(&table);
	}
}

static void
test_page_ends(void)
{
	Progress   *progress = progress_make();
	bool		alive;

	tap_begin("valid pages are read without looking behind their end");
	alive = survives(deform_page_ends, NULL, progress);
	tap_expect(alive, "died at trial %ld", progress->at - 1);
	tap_expect(!alive || progress->trials == 4000, "%ld of 4000 were read", progress->trials);
	tap_end();
}

/*
 * One varlena in the last `room` bytes of a page, with every first byte: a
 * header that claims too much, a TOAST pointer, padding, or a value too short
 * for its kind.
 */
static void
deform_last_bytes(void *arg, Progress *progress)
{
	static const DeformKind kinds[] = {DEFORM_DECIMAL, DEFORM_TEXT, DEFORM_PACKED, DEFORM_PACKED_TRIMMED, DEFORM_SKIP_VARLENA};
	uint32_t	trial;

	for (trial = (uint32_t) progress->at; trial < lengthof(kinds) * 20 * 256 * 2; trial++)
	{
		Table	   *t = &table;
		uint32_t	room = 1 + trial / 256 % 20;
		uint32_t	tuple = HEAP_PAGE_SIZE - room - 24;
		uint32_t	item = tuple | 1u << 15 | (24 + room) << 17;
		DeformPlan *plan;
		Tablet	   *tablet;
		uint8_t    *page;

		progress->at = trial + 1;
		memset(t, 0, sizeof(*t));
		set_attr(&t->attr[0], kinds[trial / 256 / 20 % lengthof(kinds)], 4, 0);
		if (t->attr[0].deform.kind != DEFORM_SKIP_VARLENA)
			t->attr[0].deform.column = new_column(t, t->attr[0].deform.kind == DEFORM_TEXT ? COLTYPE_TEXT : COLTYPE_I64);
		t->natts = 1;
		snprintf(progress->note, sizeof(progress->note), "kind %d, %u bytes, the first %02x", t->attr[0].deform.kind, room,
				 trial % 256);
		heap_page_init(&t->page[0]);
		page = t->page[0].bytes;
		memcpy(page + HEAP_PAGE_LINP, &item, 4);
		page[tuple + HEAP_TUPLE_INFOMASK2] = 1;
		page[tuple + HEAP_TUPLE_HOFF] = 24;
		memset(page + HEAP_PAGE_SIZE - room, trial / 256 / 20 / lengthof(kinds) ? 0xFF : 0, room);
		page[HEAP_PAGE_SIZE - room] = (uint8_t) trial;
		t->offsets[0][0] = 1;
		t->list.page[0] = page;
		t->list.offsets[0] = t->offsets[0];
		t->list.ntuples[0] = 1;
		t->list.npages = t->list.nrows = 1;
		t->text_bytes = room;
		plan = make_plan(t);
		tablet = make_tablet(t);
		if (deform_pages(plan, &t->list, tablet) == STATUS_DONE)
			progress->trials++;
		free_tablet(t, tablet);
		free(plan);
		heap_page_free(&t->page[0]);
	}
}

static void
test_last_bytes(void)
{
	Progress   *progress = progress_make();
	bool		alive = false;
	int			deaths = 0;

	tap_begin("a varlena in the last bytes of a page does not lead outside");
	while (!alive && deaths++ < 20)
	{
		alive = survives(deform_last_bytes, NULL, progress);
		tap_expect(alive, "died: %s", progress->note);
	}
	tap_expect(progress->trials > 1000, "only %ld were read", progress->trials);
	tap_end();
}

/* Line pointers that lead nowhere. */
static void
test_line_pointers(void)
{
	static const uint32_t wrong[][2] = {
		/* offset, length */
		{0, 0}, {0, 32}, {8, 32}, {8192, 32}, {8191, 1}, {8170, 23}, {32767, 32767}, {8160, 22}, {8160, 0}
	};
	HeapPage	page;
	HeapTupleView view;
	size_t		i;
	uint32_t	item;

	tap_begin("line pointers that lead nowhere are damage");
	heap_page_init(&page);
	for (i = 0; i < lengthof(wrong); i++)
	{
		item = wrong[i][0] | 1u << 15 | wrong[i][1] << 17;
		memcpy(page.bytes + HEAP_PAGE_LINP, &item, 4);
		tap_expect(!heap_tuple_view(page.bytes, 1, &view), "offset %u length %u", wrong[i][0], wrong[i][1]);
	}
	tap_expect(!heap_tuple_view(page.bytes, 0, &view), "line pointer 0");
	tap_expect(!heap_tuple_view(page.bytes, 2043, &view) && !heap_tuple_view(page.bytes, 65535, &view),
			   "line pointers behind the page");
	/* header sizes: shorter than the fixed part, longer than the tuple, too short for the bitmap */
	item = 8128 | 1u << 15 | 64u << 17;
	memcpy(page.bytes + HEAP_PAGE_LINP, &item, 4);
	page.bytes[8128 + HEAP_TUPLE_HOFF] = 22;
	tap_expect(!heap_tuple_view(page.bytes, 1, &view), "t_hoff 22");
	page.bytes[8128 + HEAP_TUPLE_HOFF] = 65;
	tap_expect(!heap_tuple_view(page.bytes, 1, &view), "t_hoff 65 of 64");
	page.bytes[8128 + HEAP_TUPLE_HOFF] = 24;
	tap_expect(heap_tuple_view(page.bytes, 1, &view) && view.length == 40, "t_hoff 24");
	page.bytes[8128 + HEAP_TUPLE_INFOMASK] = HEAP_HASNULL;
	page.bytes[8128 + HEAP_TUPLE_INFOMASK2] = 9;
	tap_expect(!heap_tuple_view(page.bytes, 1, &view), "9 attributes in a bitmap of one byte");
	page.bytes[8128 + HEAP_TUPLE_INFOMASK2] = 8;
	tap_expect(heap_tuple_view(page.bytes, 1, &view) && view.nulls != NULL, "8 attributes in a bitmap of one byte");
	heap_page_free(&page);
	tap_end();
}

int
main(void)
{
	test_line_pointers();
	test_page_ends();
	test_last_bytes();
	test_tables("random tables of plain rows", MOOD_PLAIN, 600);
	test_tables("random tables with NULLs, short tuples and long values", MOOD_MIXED, 600);
	test_numerics();
	test_what_does_not_fit();
	test_special_numerics();
	test_damaged_pages();
	return tap_done();
}
