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
#include "core/tablet/deform_fast.h"
#ifdef GPUDB_TEST_GPU
#include "gpu/deformer.h"
#define deform_pages gpu_deform_pages
/* every call copies, launches and waits; under a sanitizer that takes long: GPUDB_TEST_SHORT=1 */
#define FEWER (tap_short() ? 200 : 20)
#define TRIALS(n) ((n) / FEWER)
#define STEP ((uint32_t) FEWER + 1)
#else
#define TRIALS(n) (n)
#define STEP 1u
#endif

#include "deform_tables.h"
#include "heap_builder.h"
#include "tap.h"

static Table table;

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
		plan->var_columns += t->attr[a].deform.kind == DEFORM_TEXT || t->attr[a].deform.kind == DEFORM_NAME;
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

/* Convert a uuid, timetz or interval to 128 bits, by their definitions. */
static Wide
converted(const HeapValue *v, DeformKind kind)
{
	UWide		r = 0;
	int64_t		time;
	int32_t		word[2];
	int			i;

	memcpy(&time, v->fixed, 8);
	memcpy(word, v->fixed + 8, 8);
	switch (kind)
	{
		case DEFORM_UUID:
			for (i = 0; i < 16; i++)
				r = r * 256 + v->fixed[i];
			return (Wide) (r - ((UWide) 1 << 127));
		case DEFORM_TIMETZ:
			/* any bytes: the time wraps around */
			time = (int64_t) ((uint64_t) time + (uint64_t) word[0] * 1000000);
			return (Wide) time * 4294967296 + word[0] + INT64_C(2147483648);
		default:
			return (Wide) time + ((Wide) word[0] + (Wide) word[1] * 30) * 86400 * 1000000;
	}
}

/* Check the second column: a numeric's display scale, or the bytes of an interval. */
static void
expect_second(const Tablet *tablet, const HeapAttr *attr, uint32_t row, const HeapValue *v)
{
	const DeformAttr *d = &attr->deform;
	const uint8_t *values = tablet_at(tablet, tablet->column[d->second_column].values);
	uint8_t		zeros[16] = {0};

	tap_expect(is_null(tablet, d->second_column, row) == v->null, "row %u: NULL of the second column", row);
	if (d->kind == DEFORM_INTERVAL)
		tap_expect(memcmp(values + 16 * (size_t) row, v->null ? zeros : v->fixed, 16) == 0, "row %u: bytes of an interval", row);
	else
		tap_expect(((const int16_t *) values)[row] == (v->null ? 0 : v->dscale), "row %u: display scale", row);
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
	else if (d->kind == DEFORM_TEXT || d->kind == DEFORM_NAME)
		tap_expect(TEXT_LENGTH(word) == v->length && (uint64_t) TEXT_OFFSET(word) + v->length <= tablet->var_used &&
				   memcmp(tablet_at(tablet, tablet->var) + TEXT_OFFSET(word), v->text, v->length) == 0,
				   "row %u column %d: text of %u bytes", row, d->column, v->length);
	else if (d->kind == DEFORM_PACKED || d->kind == DEFORM_PACKED_TRIMMED)
		tap_expect(word == pack_reference(v, d->kind == DEFORM_PACKED_TRIMMED), "row %u column %d: packed text", row,
				   d->column);
	else if (d->kind == DEFORM_BITS)
		tap_expect(word == bits_reference(v), "row %u column %d: bits", row, d->column);
	else if (d->kind == DEFORM_UUID || d->kind == DEFORM_TIMETZ || d->kind == DEFORM_INTERVAL)
		tap_expect(wide_load((const uint64_t *) cell) == converted(v, (DeformKind) d->kind), "row %u column %d: kind %d", row,
				   d->column, d->kind);
	else
		tap_expect(memcmp(cell, v->fixed, width) == 0, "row %u column %d: value", row, d->column);
}

/* Check that the zone map holds every value; of integers it is tight, NULL counting as 0. */
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
		Wide		v = column->type == COLTYPE_U8 ? cell[0] : column->type == COLTYPE_U32 ? load_u32(cell)
			: column->type == COLTYPE_I16 ? (int16_t) load_u16(cell) : column->type == COLTYPE_I32
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
				if (d->second_column >= 0)
				{
					expect_second(tablet, &t->attr[a], row, v);
					nulls[d->second_column] += v->null;
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
	/* few rounds may have no table for the fast way */
	tap_expect(rounds < 20 || fast > rounds / 10, "only %ld plans of %d were for the fast way", fast, rounds);
	tap_end();
}

/* Test numerics of every size and scale, deformed both ways. */
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

/* Deform a table of one column, with the value `bad` among good ones. */
static DeviceStatus
deform_one(Table *t, const HeapValue *bad, int32_t *max_scale, uint32_t *patches)
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
	*max_scale = tablet->column[0].max_scale;
	*patches = tablet->column[0].patch_count;
	if (status == STATUS_DONE && *patches == 1)
	{
		uint64_t	word = ((const uint64_t *) tablet_at(tablet, tablet->column[0].values))[at];
		uint32_t	place = TEXT_LENGTH(word);

		/* the low bits are the value's place on its page */
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
	int32_t		max_scale = 0;
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
	tap_expect(deform_one(t, &v, &max_scale, &patches) == STATUS_SCALE_EXCEEDED && max_scale == 5,
			   "scale 5 in a column of scale 2: max_scale %d", max_scale);
	/* trailing zeros, four by four, are not stored: 7 needs no scale whatever it displays, 1.5 needs 4 */
	v.decimal = 7 * pow10_wide(20);
	v.dscale = 20;
	tap_expect(deform_one(t, &v, &max_scale, &patches) == STATUS_DONE, "7 at display scale 20 in a column of scale 2");
	v.decimal = 15 * pow10_wide(19);
	tap_expect(deform_one(t, &v, &max_scale, &patches) == STATUS_SCALE_EXCEEDED && max_scale == 4,
			   "1.5 at display scale 20 in a column of scale 2: max_scale %d", max_scale);
	t->attr[0].deform.scale = 4;
	tap_expect(deform_one(t, &v, &max_scale, &patches) == STATUS_DONE, "1.5 at display scale 20 in a column of scale 4");
	t->attr[0].deform.scale = 2;
	v.decimal = 15;
	v.dscale = 1;
	tap_expect(deform_one(t, &v, &max_scale, &patches) == STATUS_DONE, "1.5 in a column of scale 2");
	v.dscale = 2;
	v.decimal = pow10_wide(22);
	tap_expect(deform_one(t, &v, &max_scale, &patches) == STATUS_NEEDS_WIDE, "24 digits in a narrow column");
	v.decimal = (Wide) INT64_MAX + 1;
	tap_expect(deform_one(t, &v, &max_scale, &patches) == STATUS_NEEDS_WIDE, "2^63 in a narrow column");
	v.decimal = INT64_MAX;
	tap_expect(deform_one(t, &v, &max_scale, &patches) == STATUS_DONE, "2^63 - 1 in a narrow column");
	v.decimal = INT64_MIN;
	tap_expect(deform_one(t, &v, &max_scale, &patches) == STATUS_DONE, "-2^63 in a narrow column");
	v.dscale = 0;
	v.decimal = pow10_wide(38) - 1;
	tap_expect(deform_one(t, &v, &max_scale, &patches) == STATUS_DECIMAL_TOO_WIDE, "40 digits");
	v.decimal = 1;
	v.form = FORM_COMPRESSED;
	tap_expect(deform_one(t, &v, &max_scale, &patches) == STATUS_DECIMAL_TOO_WIDE, "a compressed numeric");
	v.form = FORM_EXTERNAL;
	tap_expect(deform_one(t, &v, &max_scale, &patches) == STATUS_DECIMAL_TOO_WIDE, "a numeric stored out of line");
	v.form = FORM_LONG;
	tap_expect(deform_one(t, &v, &max_scale, &patches) == STATUS_DONE, "a numeric with a long varlena header");
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
		tap_expect(deform_one(t, &v, &max_scale, &patches) == STATUS_DONE && patches == 1, "%u patches", patches);
		t->attr[0].deform.kind = DEFORM_PACKED;
		t->types[0] = COLTYPE_I64;
		tap_expect(deform_one(t, &v, &max_scale, &patches) == STATUS_DAMAGED_PAGE, "packed text is never compressed");
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
		int32_t		max_scale = 0;
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
		tap_expect(deform_one(t, &v, &max_scale, &patches) != STATUS_DONE, "header %04x", special[i]);
	}
	tap_end();
}

/* Deform pages by the general way only. */
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
		/* near the end of the page, where one step leads outside */
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

	for (trial = progress->at; trial < TRIALS(6000); trial++)
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
	tap_expect(progress->trials > TRIALS(100), "only %ld damaged pages were read to the end", progress->trials);
	tap_end();
}

/* Deform valid pages whose last bytes belong to values of unusual forms. */
static void
deform_page_ends(void *arg, Progress *progress)
{
	long		trial;

	for (trial = progress->at; trial < TRIALS(4000); trial++)
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
	tap_expect(!alive || progress->trials == TRIALS(4000), "%ld of %d were read", progress->trials, TRIALS(4000));
	tap_end();
}

/*
 * Deform pages with a varlena in the last `room` bytes, with every first byte: a header that claims
 * too much, a TOAST pointer, padding, or a value too short for its kind.
 */
static void
deform_last_bytes(void *arg, Progress *progress)
{
	static const DeformKind kinds[] = {DEFORM_DECIMAL, DEFORM_TEXT, DEFORM_PACKED, DEFORM_PACKED_TRIMMED, DEFORM_BITS, DEFORM_SKIP_VARLENA};
	uint32_t	trial;

	for (trial = (uint32_t) progress->at; trial < lengthof(kinds) * 20 * 256 * 2; trial += STEP)
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
	tap_expect(progress->trials > TRIALS(1000) / 2, "only %ld were read", progress->trials);
	tap_end();
}

/* Test line pointers that lead nowhere. */
static void
test_line_pointers(void)
{
	static const uint32_t wrong[][2] = {
		/* offset and length of a line pointer */
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
	test_tables("random tables of plain rows", MOOD_PLAIN, TRIALS(600));
	test_tables("random tables with NULLs, short tuples and long values", MOOD_MIXED, TRIALS(600));
	test_numerics();
	test_what_does_not_fit();
	test_special_numerics();
	test_damaged_pages();
	return tap_done();
}
