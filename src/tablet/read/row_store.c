/*
 * row_store.c
 *		Store of rows that come one by one, as the columns of a growing tablet.
 *
 * Values go where deforming a tuple would have put them, by the same
 * functions.  The tablet is laid out anew, twice as large, when rows or texts
 * have filled it, and when a decimal wants 128 bits.
 */
#include "postgres.h"

#include "access/tupmacs.h"
#include "fmgr.h"
#include "utils/memutils.h"

#include "device/mapping.h"
#include "tablet/read/row_store.h"

#define FIRST_ROWS	1024
#define FIRST_TEXT	16384
#define ROOM_FACTOR	1.05

struct RowStore
{
	MemoryContext context;
	uint64		limit;
	TupleDesc	desc;
	bool		wide;			/* decimals have 128 bits */
	DeformPlan *plan[2];		/* narrow, wide */
	uint16	   *types[2];
	AttrNumber *attno;			/* attribute of each column */
	bool		takes_digits;
	LocalDict **dicts;			/* dictionaries of columns that hold dictionary codes, NULL of others */
	uint32		capacity;		/* rows that there is room for */
	uint32		nrows;
	void	   *block;
	Tablet	   *tablet;			/* tablet in `block` */
	void		(*take) (void *arg);	/* takes rows away; NULL = they stay */
	void	   *take_arg;
	uint64		taken;
};

static void
set_types(RowStore *store, const ColumnWanted *wanted, int nwanted, bool wide)
{
	store->plan[wide] = deform_plan_of_rows(store->desc, wanted, nwanted, wide);
	store->types[wide] = palloc(sizeof(uint16) * Max(nwanted, 1));
	for (int w = 0; w < nwanted; w++)
		store->types[wide][w] = deform_column_type(store->plan[wide]->attr[wanted[w].attno - 1].kind, wide, wanted[w].second);
}

/* Copy a column to a tablet with larger ones: all rows that it has room for, since some may be added at present. */
static void
copy_column(const RowStore *store, const Tablet *from, Tablet *to, int c)
{
	const uint32 nrows = from->nrows;
	const TabletColumn *column = &from->column[c];
	TabletColumn *larger = &to->column[c];
	const uint16 type = larger->type;
	const uint64 values = larger->values;
	const uint64 nulls = larger->nulls;

	if (column->type == type)
		memcpy(tablet_at(to, values), tablet_at(from, column->values), (size_t) coltype_bytes(type) * nrows);
	else
		for (uint32 row = 0; row < nrows; row++)
			wide_store((uint64 *) tablet_at(to, values) + 2 * (uint64) row,
					   ((const int64 *) tablet_at(from, column->values))[row]);
	if (column->null_count > 0)
	{
		memset(tablet_at(to, nulls), 0, tablet_bitmap_bytes(store->capacity));
		memcpy(tablet_at(to, nulls), tablet_at(from, column->nulls), tablet_bitmap_bytes(nrows));
	}
	*larger = *column;
	larger->type = type;
	larger->values = values;
	larger->nulls = nulls;
}

/* Lay out the tablet with room for `rows` rows and `text` bytes of text; return false when that is too much. */
static bool
lay_out(RowStore *store, uint32 rows, uint64 text, bool wide)
{
	const Tablet *before = store->tablet;
	const uint32 ncolumns = store->plan[wide]->ncolumns;
	const uint64 size = tablet_size(store->types[wide], ncolumns, rows, text);
	void	   *block;
	Tablet	   *tablet;

	if (size > store->limit || text > UINT32_MAX / 2)
		return false;
	block = mapping_palloc(store->context, size + 64);
	tablet = (Tablet *) TYPEALIGN(64, (uintptr_t) block);
	tablet_layout(tablet, store->types[wide], ncolumns, rows, text);
	store->capacity = rows;
	store->wide = wide;
	if (before != NULL)
	{
		for (uint32 c = 0; c < ncolumns; c++)
			copy_column(store, before, tablet, c);
		memcpy(tablet_at(tablet, tablet->var), tablet_at(before, before->var), before->var_used);
		tablet->var_used = before->var_used;
		pfree(store->block);
	}
	store->block = block;
	store->tablet = tablet;
	return true;
}

RowStore *
row_store_create(MemoryContext context, TupleDesc desc, const ColumnWanted *wanted, int nwanted, uint64 limit, double expected)
{
	MemoryContext old = MemoryContextSwitchTo(context);
	RowStore   *store = palloc0(sizeof(RowStore));
	uint64		text;
	uint32		rows;

	store->context = context;
	store->limit = limit;
	store->desc = desc;
	store->dicts = palloc0(sizeof(LocalDict *) * Max(nwanted, 1));
	store->attno = palloc(sizeof(AttrNumber) * Max(nwanted, 1));
	for (int w = 0; w < nwanted; w++)
	{
		store->attno[w] = wanted[w].attno;
		store->dicts[w] = wanted[w].coded ? local_dict_create(context) : NULL;
	}
	set_types(store, wanted, nwanted, false);
	set_types(store, wanted, nwanted, true);
	text = store->plan[0]->var_columns > 0 ? FIRST_TEXT : 0;
	/* room for the rows expected and a few more, unless it might be room that others need */
	rows = (uint32) Min(Max(expected * ROOM_FACTOR, FIRST_ROWS), UINT32_MAX / 2);
	if (tablet_size(store->types[0], store->plan[0]->ncolumns, rows, text) > limit / 2)
		rows = FIRST_ROWS;
	(void) lay_out(store, rows, text, false);
	MemoryContextSwitchTo(old);
	return store;
}

/* Add a text, for which there may have to be more room. */
static DeviceStatus
add_text(RowStore *store, const DeformAttr *attr, uint32 row, const uint8 *bytes, uint32 length)
{
	const Tablet *tablet = store->tablet;

	if (tablet->var_used + length > tablet->var_capacity &&
		!lay_out(store, store->capacity, Max(2 * tablet->var_capacity, tablet->var_used + length), store->wide))
		return STATUS_MEMORY_LIMIT;
	return deform_text(store->tablet, &store->tablet->column[attr->column], row, bytes, length);
}

/* Store a row's dictionary code. */
static void
set_code(RowStore *store, int column, uint32 row, uint32 code)
{
	((uint32 *) tablet_at(store->tablet, store->tablet->column[column].values))[row] = code;
}

static DeviceStatus
add_varlena(RowStore *store, const DeformAttr *attr, uint32 row, Datum value)
{
	struct varlena *datum = PG_DETOAST_DATUM_PACKED(value);
	const uint32 header = VARATT_IS_1B(datum) ? VARHDRSZ_SHORT : VARHDRSZ;
	const VarlenaView view = {(const uint8 *) datum, (const uint8 *) datum, VARSIZE_ANY(datum), header};
	DeviceStatus status;
	uint32		code;

	if (attr->kind == DEFORM_TEXT)
		status = add_text(store, attr, row, view.start + header, view.total - header);
	else if (attr->kind == DEFORM_CODE)
	{
		status = row_store_code(store, attr->column, view.start + header, view.total - header, &code);
		if (status == STATUS_DONE)
			set_code(store, attr->column, row, code);
	}
	else
		status = deform_varlena(attr, store->tablet, row, &view);
	if ((Pointer) datum != DatumGetPointer(value))
		pfree(datum);
	return status;
}

static DeviceStatus
add_value(RowStore *store, const DeformAttr *attr, Form_pg_attribute att, uint32 row, Datum value)
{
	Tablet	   *tablet = store->tablet;
	const uint32 bytes = deform_fixed_bytes(attr);

	if (att->attlen == -1)
		return add_varlena(store, attr, row, value);
	if (attr->kind == DEFORM_NAME)
		return add_text(store, attr, row, (const uint8 *) DatumGetPointer(value), name_length((const uint8 *) DatumGetPointer(value)));
	if (deform_converts(attr->kind))
		return deform_converted(attr, tablet, row, (const uint8 *) DatumGetPointer(value));
	store_att_byval(tablet_at(tablet, tablet->column[attr->column].values) + (uint64) row * bytes, value, bytes);
	return STATUS_DONE;
}

void
row_store_clear(RowStore *store)
{
	store->nrows = 0;
	store->tablet->var_used = 0;
	for (uint32 c = 0; c < store->tablet->ncols; c++)
		store->tablet->column[c].null_count = 0;
}

bool
row_store_widen(RowStore *store)
{
	return store->wide || lay_out(store, store->capacity, store->tablet->var_capacity, true);
}

void
row_store_on_full(RowStore *store, void (*take) (void *arg), void *arg)
{
	store->take = take;
	store->take_arg = arg;
}

/* Return true if `rows` rows more, or as much text again, would not fit. */
static bool
is_filled(const RowStore *store, uint32 rows)
{
	const uint32 ncolumns = store->plan[store->wide]->ncolumns;
	const uint16 *types = store->types[store->wide];
	const uint64 wanted = (uint64) store->nrows + rows;
	const uint64 text = store->tablet->var_capacity;

	if (wanted > store->capacity &&
		(wanted > UINT32_MAX / 2 || tablet_size(types, ncolumns, Max(2 * store->capacity, (uint32) wanted), text) > store->limit))
		return true;
	return store->tablet->var_used > text / 2 && (2 * text > UINT32_MAX / 2 || tablet_size(types, ncolumns, store->capacity, 2 * text) > store->limit);
}

bool
row_store_reserve(RowStore *store, uint32 rows)
{
	uint64		wanted = (uint64) store->nrows + rows;

	if (store->tablet != NULL && store->take != NULL && store->nrows > 0 && is_filled(store, rows))
	{
		store->take(store->take_arg);
		store->taken += store->nrows;
		row_store_clear(store);
		wanted = rows;
	}
	if (store->tablet == NULL || wanted > UINT32_MAX / 2)
		return false;
	return wanted <= store->capacity || lay_out(store, Max(2 * store->capacity, (uint32) wanted), store->tablet->var_capacity, store->wide);
}

void
row_store_take_digits(RowStore *store)
{
	store->takes_digits = true;
}

int
row_store_digits(const RowStore *store, int column)
{
	return store->plan[store->wide]->attr[store->attno[column] - 1].scale;
}

/* Multiply the first n values of a column; return false, with no value changed, if one needs more bits than it has. */
static bool
multiply(Tablet *tablet, const TabletColumn *column, uint32 n, Wide factor)
{
	uint64	   *words = (uint64 *) tablet_at(tablet, column->values);
	const bool	wide = column->type == COLTYPE_I128;
	uint32		overflow = 0;

	/* check first, so that all values are multiplied, or none */
	for (uint32 row = 0; row < n && !overflow; row++)
	{
		const Wide	value = wide ? wide_load(words + 2 * (Size) row) : (int64) words[row];
		const Wide	product = wide_mul(value, factor, &overflow);

		overflow |= !wide && !wide_fits_int64(product);
	}
	for (uint32 row = 0; row < n && !overflow; row++)
	{
		if (wide)
			wide_store(words + 2 * (Size) row, wide_load(words + 2 * (Size) row) * factor);
		else
			words[row] = (uint64) ((int64) words[row] * (int64) factor);
	}
	return !overflow;
}

/* Convert a column's first n decimals to the number of digits that the next value needs. */
static DeviceStatus
take_digits(RowStore *store, AttrNumber attno, uint32 n)
{
	const int	c = store->plan[0]->attr[attno - 1].column;
	const int	digits = store->tablet->column[c].max_scale;
	const int	more = digits - row_store_digits(store, c);

	if (digits > DECIMAL_MAX_DIGITS)
		return STATUS_DECIMAL_TOO_WIDE;
	if (!multiply(store->tablet, &store->tablet->column[c], n, pow10_wide(more)))
	{
		if (store->wide)
			return STATUS_DECIMAL_TOO_WIDE;
		if (!row_store_widen(store))
			return STATUS_MEMORY_LIMIT;
		if (!multiply(store->tablet, &store->tablet->column[c], n, pow10_wide(more)))
			return STATUS_DECIMAL_TOO_WIDE;
	}
	store->tablet->column[c].max_scale = 0;
	for (int wide = 0; wide < 2; wide++)
		store->plan[wide]->attr[attno - 1].scale = (int16) digits;
	return STATUS_DONE;
}

DeviceStatus
row_store_put(RowStore *store, AttrNumber attno, uint32 row, Datum value, bool isnull)
{
	const DeformAttr *attr = &store->plan[store->wide]->attr[attno - 1];
	Form_pg_attribute att = TupleDescAttr(store->desc, attno - 1);
	DeviceStatus status;

	row += store->nrows;
	if (isnull)
	{
		deform_null(attr, store->tablet, row);
		return STATUS_DONE;
	}
	status = add_value(store, attr, att, row, value);
	if (status == STATUS_SCALE_EXCEEDED && store->takes_digits)
	{
		status = take_digits(store, attno, row);
		if (status == STATUS_DONE)
			status = add_value(store, &store->plan[store->wide]->attr[attno - 1], att, row, value);
	}
	if (status != STATUS_NEEDS_WIDE)
		return status;
	if (!row_store_widen(store))
		return STATUS_MEMORY_LIMIT;
	return add_value(store, &store->plan[true]->attr[attno - 1], att, row, value);
}

void
row_store_copy(RowStore *store, int column, const uint8 *values, const uint8 *nulls, uint32 rows)
{
	Tablet	   *tablet = store->tablet;
	TabletColumn *to = &tablet->column[column];
	const uint32 bytes = coltype_bytes(to->type);

	memcpy(tablet_at(tablet, to->values) + (uint64) store->nrows * bytes, values, (size_t) rows * bytes);
	if (memchr(nulls, true, rows) == NULL)
		return;
	for (uint32 row = 0; row < rows; row++)
		if (nulls[row])
			deform_set_null(tablet, to, store->nrows + row);
}

DeviceStatus
row_store_put_text(RowStore *store, int column, uint32 row, const uint8 *bytes, uint32 length, uint64 *ref)
{
	const DeformAttr attr = {.column = column};
	DeviceStatus status = add_text(store, &attr, store->nrows + row, bytes, length);

	*ref = ((const uint64 *) tablet_at(store->tablet, store->tablet->column[column].values))[store->nrows + row];
	return status;
}

void
row_store_put_ref(RowStore *store, int column, uint32 row, uint64 ref)
{
	((uint64 *) tablet_at(store->tablet, store->tablet->column[column].values))[store->nrows + row] = ref;
}

DeviceStatus
row_store_code(RowStore *store, int column, const uint8 *bytes, uint32 length, uint32 *code)
{
	*code = local_dict_add(store->dicts[column], bytes, length);
	return *code == DICTIONARY_NONE ? STATUS_CODES_EXCEEDED : STATUS_DONE;
}

void
row_store_put_code(RowStore *store, int column, uint32 row, uint32 code)
{
	set_code(store, column, store->nrows + row, code);
}

const DictView *
row_store_dict(const RowStore *store, int column)
{
	return store->dicts[column] != NULL ? local_dict_view(store->dicts[column]) : NULL;
}

void
row_store_put_null(RowStore *store, int column, uint32 row)
{
	deform_set_null(store->tablet, &store->tablet->column[column], store->nrows + row);
}

ColType
row_store_type(const RowStore *store, int column)
{
	return store->tablet->column[column].type;
}

void
row_store_count(RowStore *store, uint32 rows)
{
	store->nrows += rows;
}

DeviceStatus
row_store_add(RowStore *store, const Datum *values, const bool *isnull)
{
	const DeformPlan *plan = store->plan[0];

	if (!row_store_reserve(store, 1))
		return STATUS_MEMORY_LIMIT;
	for (uint32 a = 0; a < plan->natts; a++)
	{
		DeviceStatus status;

		if (plan->attr[a].column < 0 && plan->attr[a].second_column < 0)
			continue;
		status = row_store_put(store, a + 1, 0, values[a], isnull[a]);
		if (status != STATUS_DONE)
			return status;
	}
	store->nrows++;
	return STATUS_DONE;
}

Tablet *
row_store_tablet(const RowStore *store)
{
	return store->tablet;
}

int
row_store_scale(const RowStore *store, int column)
{
	return store->tablet->column[column].max_scale;
}

Tablet *
row_store_finish(RowStore *store)
{
	Tablet	   *tablet = store->tablet;

	tablet->nrows = store->nrows;
	for (uint32 c = 0; c < tablet->ncols; c++)
		deform_zone_map(tablet, &tablet->column[c]);
	return tablet;
}

uint64
row_store_bytes(const RowStore *store)
{
	return store->tablet->size;
}

uint64
row_store_added(const RowStore *store)
{
	return store->taken + store->nrows;
}
