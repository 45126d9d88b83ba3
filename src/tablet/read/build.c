/*
 * build.c
 *		Deform plans: how a relation's attributes become tablet columns.
 */
#include "postgres.h"

#include "access/detoast.h"
#include "access/htup_details.h"
#include "access/tupdesc_details.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "core/numeric/decimal.h"
#include "core/vm/op_text.h"

#include "tablet/read/build.h"

/* Largest size of the texts of one page batch; beyond it the query is PostgreSQL's. */
#define VAR_AREA_LIMIT ((uint64) TEXT_LENGTH_MOST)

/* Number of values that are assigned dictionary codes together. */
#define CODED_TOGETHER	32

static uint8
align_bytes(char attalign)
{
	switch (attalign)
	{
		case TYPALIGN_CHAR:
			return 1;
		case TYPALIGN_SHORT:
			return 2;
		case TYPALIGN_INT:
			return 4;
		default:
			return 8;
	}
}

static DeformKind
kind_of_type(Oid declared, const ColumnWanted *wanted)
{
	const bool	packed = wanted->packed;
	Oid			type = getBaseType(declared);

	if (wanted->coded)
		return DEFORM_CODE;
	switch (type)
	{
		case BOOLOID:
			return DEFORM_BOOL;
		case CHAROID:
			return DEFORM_U8;
		case OIDOID:
			return DEFORM_U32;
		case UUIDOID:
			return DEFORM_UUID;
		case TIMETZOID:
			return DEFORM_TIMETZ;
		case INTERVALOID:
			return DEFORM_INTERVAL;
		case NAMEOID:
			return DEFORM_NAME;
		case INT2OID:
			return DEFORM_I16;
		case INT4OID:
		case DATEOID:
			return DEFORM_I32;
		case INT8OID:
		case TIMEOID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			return DEFORM_I64;
		case FLOAT4OID:
			return DEFORM_F32;
		case FLOAT8OID:
			return DEFORM_F64;
		case NUMERICOID:
			return DEFORM_DECIMAL;
		case BITOID:
			return DEFORM_BITS;
		case BPCHAROID:
			return packed ? DEFORM_PACKED_TRIMMED : DEFORM_TEXT;
		case VARCHAROID:
		case TEXTOID:
			return packed ? DEFORM_PACKED : DEFORM_TEXT;
	}
	if (get_typtype(type) == TYPTYPE_ENUM)
		return DEFORM_U32;
	elog(ERROR, "gpudb has no column form for type %u", declared);
}

/* Plan to skip an attribute that no query wants. */
static void
skip_attribute(DeformAttr *attr, Form_pg_attribute att)
{
	attr->kind = att->attlen == -1 ? DEFORM_SKIP_VARLENA : att->attlen == -2 ? DEFORM_SKIP_CSTRING : DEFORM_SKIP_FIXED;
	attr->length = att->attlen;
	attr->align = align_bytes(att->attalign);
	attr->column = -1;
	attr->second_column = -1;
}

/* Set the value of a column added with a default, for tuples older than the column. */
static void
set_missing(DeformAttr *attr, TupleDesc desc, int a, StringInfo bytes)
{
	AttrMissing *missing = desc->constr && desc->constr->missing ? &desc->constr->missing[a] : NULL;
	Form_pg_attribute att = TupleDescAttr(desc, a);

	if (missing == NULL || !missing->am_present)
		return;
	attr->missing = 1;
	if (att->attlen == -1)
	{
		struct varlena *datum = PG_DETOAST_DATUM_PACKED(missing->am_value);
		const uint8 *payload = (uint8 *) VARDATA_ANY(datum);
		uint32		length = VARSIZE_ANY_EXHDR(datum);
		DecimalParts parts;
		Wide		value;

		switch ((DeformKind) attr->kind)
		{
			case DEFORM_DECIMAL:
				/* a value that cannot be held here makes every older tuple ask for PostgreSQL */
				attr->missing_dscale = attr->missing_scale = PG_INT16_MAX;
				if (decimal_split(payload, length, &parts) != STATUS_DONE)
					return;
				attr->missing_dscale = parts.dscale;
				attr->missing_scale = decimal_scale_needed(&parts);
				if (attr->missing_scale > attr->scale)
					return;
				if (decimal_value(&parts, attr->scale, &value) == STATUS_DONE)
					wide_store(attr->missing_value, value);
				else
					attr->missing_scale = PG_INT16_MAX;
				return;
			case DEFORM_PACKED_TRIMMED:
				length = text_trimmed(payload, length);
				/* FALLTHROUGH */
			case DEFORM_PACKED:
				attr->missing_value[0] = text_pack(payload, length);
				return;
			case DEFORM_BITS:
				(void) deform_bits(payload, length, attr->missing_value);
				return;
			default:
				attr->missing_value[0] = bytes->len;
				attr->missing_value[1] = length;
				appendBinaryStringInfo(bytes, (const char *) payload, length);
				return;
		}
	}
	if (deform_converts(attr->kind))
	{
		attr->missing_value[0] = bytes->len;
		appendBinaryStringInfo(bytes, DatumGetPointer(missing->am_value), att->attlen);
		return;
	}
	if (att->attbyval)
		store_att_byval(attr->missing_value, missing->am_value, att->attlen);
	else
		memcpy(attr->missing_value, DatumGetPointer(missing->am_value), Min(att->attlen, 16));
}

/*
 * Plan to store an attribute's texts as dictionary codes.  The text of older
 * tuples, which lies in `missing`, becomes a code, too, if it has one, or can
 * be assigned one.
 */
static void
set_dict(DeformAttr *attr, Dict *dict, StringInfo missing)
{
	uint32		code;

	if (dict == NULL)
		return;
	attr->view = dict_view_of(dict);
	if (!attr->missing)
		return;
	code = dict_add(dict, (uint8 *) missing->data + attr->missing_value[0], (uint32) attr->missing_value[1]);
	attr->missing_value[0] = code;
	/* without a dictionary older tuples ask for PostgreSQL */
	if (code == DICTIONARY_NONE)
		attr->view = NULL;
}

bool
columns_differ_in_form(const ColumnWanted *a, const ColumnWanted *b)
{
	return a->attno == b->attno && (a->second == b->second || a->packed != b->packed || a->coded != b->coded);
}

static DeformPlan *
create_plan(TupleDesc desc, const ColumnWanted *wanted, int nwanted, bool wide, StringInfo missing)
{
	DeformPlan *plan;
	int			natts = 0;

	for (int w = 0; w < nwanted; w++)
		natts = Max(natts, wanted[w].attno);
	plan = palloc0(offsetof(DeformPlan, attr) + sizeof(DeformAttr) * natts);
	plan->natts = natts;
	plan->ncolumns = nwanted;
	for (int a = 0; a < natts; a++)
		skip_attribute(&plan->attr[a], TupleDescAttr(desc, a));
	for (int w = 0; w < nwanted; w++)
	{
		Form_pg_attribute att = TupleDescAttr(desc, wanted[w].attno - 1);
		DeformAttr *attr = &plan->attr[wanted[w].attno - 1];

		if ((wanted[w].second ? attr->second_column : attr->column) >= 0)
			elog(ERROR, "gpudb: attribute %d is wanted in two forms at once", wanted[w].attno);
		if (wanted[w].second)
			attr->second_column = w;
		else
		{
			attr->column = w;
			attr->scale = wanted[w].scale;
		}
		attr->kind = kind_of_type(att->atttypid, &wanted[w]);
		attr->wide = wide;
		plan->var_columns += attr->kind == DEFORM_TEXT || attr->kind == DEFORM_NAME;
	}
	for (int a = 0; a < natts; a++)
		if (plan->attr[a].column >= 0 || plan->attr[a].second_column >= 0)
			set_missing(&plan->attr[a], desc, a, missing);
	for (int w = 0; w < nwanted; w++)
		if (wanted[w].coded)
			set_dict(&plan->attr[wanted[w].attno - 1], wanted[w].dict, missing);
	return plan;
}

DeformPlan *
deform_plan_of_rows(TupleDesc desc, const ColumnWanted *wanted, int nwanted, bool wide)
{
	StringInfoData none;

	initStringInfo(&none);
	return create_plan(desc, wanted, nwanted, wide, &none);
}

DeformSpec *
deform_spec_of_rows(TupleDesc desc, const ColumnWanted *wanted, int nwanted)
{
	DeformSpec *spec = palloc0(sizeof(DeformSpec));
	bool	   *not_null = palloc(sizeof(bool) * Max(nwanted, 1));
	StringInfoData missing;

	for (int w = 0; w < nwanted; w++)
		not_null[w] = wanted[w].not_null;
	spec->not_null = not_null;
	spec->coded = columns_are_coded(wanted, nwanted);

	initStringInfo(&missing);
	for (int wide = 0; wide < 2; wide++)
	{
		uint16	   *types = palloc(sizeof(uint16) * Max(nwanted, 1));

		for (int w = 0; w < nwanted; w++)
			types[w] = deform_column_type(kind_of_type(TupleDescAttr(desc, wanted[w].attno - 1)->atttypid, &wanted[w]), wide, wanted[w].second);
		resetStringInfo(&missing);
		spec->plan[wide] = create_plan(desc, wanted, nwanted, wide, &missing);
		spec->types[wide] = types;
	}
	for (int wide = 0; wide < 2; wide++)
		((DeformPlan *) spec->plan[wide])->missing_bytes = (uint8 *) missing.data;
	spec->missing_size = missing.len;
	spec->missing_text = missing.len;
	return spec;
}

DeformSpec *
deform_spec_create(Relation relation, const ColumnWanted *wanted, int nwanted)
{
	return deform_spec_of_rows(RelationGetDescr(relation), wanted, nwanted);
}

ColType
column_type(Oid type, const ColumnWanted *wanted)
{
	return deform_column_type(kind_of_type(type, wanted), false, wanted->second);
}

bool
column_is_text(Relation relation, const ColumnWanted *wanted)
{
	return column_type(TupleDescAttr(RelationGetDescr(relation), wanted->attno - 1)->atttypid, wanted) == COLTYPE_TEXT;
}

bool
columns_have_texts(Relation relation, const ColumnWanted *wanted, int nwanted)
{
	for (int w = 0; w < nwanted; w++)
		if (column_is_text(relation, &wanted[w]))
			return true;
	return false;
}

/* Return the stored value that a row's mark points to. */
static struct varlena *
stored_value(const PageList *pages, const Tablet *tablet, uint32 row, uint64 mark)
{
	const uint32 *places = (const uint32 *) tablet_at(tablet, tablet->rows);

	return (struct varlena *) (pages->page[ROW_PAGE(places[row])] + (mark & ~TEXT_PATCH));
}

static DeviceStatus
patch_column(const Device *device, DeviceWork *work, int c)
{
	for (uint32 row = 0; row < work->tablet->nrows; row++)
	{
		Tablet	   *tablet = work->tablet;
		uint64	   *values = (uint64 *) tablet_at(tablet, tablet->column[c].values);
		struct varlena *value;
		uint32		length;

		if (!(values[row] & TEXT_PATCH))
			continue;
		CHECK_FOR_INTERRUPTS();
		value = PG_DETOAST_DATUM_PACKED(PointerGetDatum(stored_value(work->pages, tablet, row, values[row])));
		length = VARSIZE_ANY_EXHDR(value);
		if (tablet->var_used + length > tablet->var_capacity)
		{
			if (tablet->var_used + length > VAR_AREA_LIMIT ||
				!device->enlarge(work, Max(tablet->var_capacity, length)))
				return STATUS_MEMORY_LIMIT;
			tablet = work->tablet;
		}
		deform_text(tablet, &tablet->column[c], row, (const uint8 *) VARDATA_ANY(value), length);
		pfree(value);
	}
	work->tablet->column[c].patch_count = 0;
	return STATUS_DONE;
}

/* Return true if a column has texts that are still to be fetched. */
static bool
waits_for_texts(const TabletColumn *column)
{
	return column->type == COLTYPE_TEXT && column->patch_count > 0;
}

uint64
tablet_bytes_to_fetch(const PageList *pages, const Tablet *tablet)
{
	uint64		bytes = 0;

	for (uint32 c = 0; c < tablet->ncols; c++)
	{
		const uint64 *values = (const uint64 *) tablet_at(tablet, tablet->column[c].values);

		for (uint32 row = 0; row < tablet->nrows && waits_for_texts(&tablet->column[c]); row++)
			if (values[row] & TEXT_PATCH)
				bytes += toast_raw_datum_size(PointerGetDatum(stored_value(pages, tablet, row, values[row]))) - VARHDRSZ;
	}
	return bytes;
}

/* Fetch a column's texts; return false if there is no room for them. */
static bool
fetch_texts(const PageList *pages, Tablet *tablet, uint32 c)
{
	const uint64 *values = (const uint64 *) tablet_at(tablet, tablet->column[c].values);

	for (uint32 row = 0; row < tablet->nrows; row++)
	{
		struct varlena *value;
		DeviceStatus status;

		if (!(values[row] & TEXT_PATCH))
			continue;
		CHECK_FOR_INTERRUPTS();
		value = PG_DETOAST_DATUM_PACKED(PointerGetDatum(stored_value(pages, tablet, row, values[row])));
		status = deform_text(tablet, &tablet->column[c], row, (const uint8 *) VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value));
		pfree(value);
		if (status != STATUS_DONE)
			return false;
	}
	tablet->column[c].patch_count = 0;
	return true;
}

DeviceStatus
tablet_patch_texts(const PageList *pages, Tablet *tablet)
{
	for (uint32 c = 0; c < tablet->ncols; c++)
		if (waits_for_texts(&tablet->column[c]) && !fetch_texts(pages, tablet, c))
		{
			tablet->failed_column = (int) c;
			return STATUS_MEMORY_LIMIT;
		}
	return STATUS_DONE;
}

/*
 * Values of a column that are assigned dictionary codes together: one after the
 * other each would wait for memory, and for the dictionary's lock.
 */
typedef struct WaitingValues
{
	uint32		n;
	uint32		row[CODED_TOGETHER];
	const uint8 *stored[CODED_TOGETHER];
	DictLookup	value[CODED_TOGETHER];
} WaitingValues;

/*
 * List the values of a column that wait for dictionary codes, from `row` on, as
 * many as there is room for; return the row after the last one that was
 * examined.
 */
static uint32
list_waiting(const PageList *pages, const Tablet *tablet, const uint32 *values, uint32 row, WaitingValues *waiting)
{
	const uint32 *places = (const uint32 *) tablet_at(tablet, tablet->rows);

	waiting->n = 0;
	for (; row < tablet->nrows && waiting->n < CODED_TOGETHER; row++)
	{
		const uint8 *stored;

		if (!(values[row] & CODE_PATCH))
			continue;
		stored = pages->page[ROW_PAGE(places[row])] + (values[row] & ~CODE_PATCH);
		core_prefetch(stored);
		waiting->row[waiting->n] = row;
		waiting->stored[waiting->n++] = stored;
	}
	return row;
}

/* Assign dictionary codes to values, which may have to be fetched; return false if not all can have one. */
static bool
code_values(Dict *dict, WaitingValues *waiting)
{
	struct varlena *value[CODED_TOGETHER];
	bool		coded;

	for (uint32 i = 0; i < waiting->n; i++)
	{
		value[i] = PG_DETOAST_DATUM_PACKED(PointerGetDatum(waiting->stored[i]));
		waiting->value[i] = (DictLookup) {(const uint8 *) VARDATA_ANY(value[i]), VARSIZE_ANY_EXHDR(value[i])};
	}
	coded = dict_add_values(dict, waiting->value, waiting->n);
	for (uint32 i = 0; i < waiting->n; i++)
		if ((const uint8 *) value[i] != waiting->stored[i])
			pfree(value[i]);
	return coded;
}

/* Assign dictionary codes to the values of a column that wait for one. */
static DeviceStatus
patch_dicts(const PageList *pages, Tablet *tablet, int c, Dict *dict)
{
	TabletColumn *column = &tablet->column[c];
	uint32	   *values = (uint32 *) tablet_at(tablet, column->values);
	WaitingValues waiting;

	for (uint32 row = 0; row < tablet->nrows;)
	{
		CHECK_FOR_INTERRUPTS();
		row = list_waiting(pages, tablet, values, row, &waiting);
		if (!code_values(dict, &waiting))
		{
			tablet->failed_column = c;
			return STATUS_CODES_EXCEEDED;
		}
		for (uint32 i = 0; i < waiting.n; i++)
			values[waiting.row[i]] = waiting.value[i].code;
	}
	column->patch_count = 0;
	deform_zone_map(tablet, column);
	return STATUS_DONE;
}

static bool
is_same_column(const ColumnWanted *a, const ColumnWanted *b)
{
	return a->attno == b->attno && a->second == b->second && a->packed == b->packed && a->coded == b->coded && a->scale == b->scale;
}

int
columns_add(ColumnWanted *list, int n, const ColumnWanted *wanted, int nwanted)
{
	for (int w = 0; w < nwanted; w++)
	{
		int			c = 0;

		while (c < n && !is_same_column(&list[c], &wanted[w]))
			c++;
		if (c == n)
			list[n++] = wanted[w];
	}
	return n;
}

bool
columns_are_coded(const ColumnWanted *wanted, int nwanted)
{
	bool		coded = false;

	for (int w = 0; w < nwanted; w++)
		coded |= wanted[w].coded;
	return coded;
}

DeviceStatus
tablet_patch_dicts(const PageList *pages, Tablet *tablet, const ColumnWanted *wanted)
{
	DeviceStatus status = STATUS_DONE;

	for (int c = 0; c < tablet->ncols && status == STATUS_DONE; c++)
		if (tablet->column[c].patch_count > 0 && wanted[c].coded)
			status = patch_dicts(pages, tablet, c, wanted[c].dict);
	return status;
}

DeviceStatus
tablet_patch(const Device *device, DeviceWork *work, const ColumnWanted *wanted)
{
	DeviceStatus status = wanted != NULL ? tablet_patch_dicts(work->pages, work->tablet, wanted) : STATUS_DONE;

	for (int c = 0; c < work->tablet->ncols && status == STATUS_DONE; c++)
		if (work->tablet->column[c].patch_count > 0)
			status = patch_column(device, work, c);
	return status;
}
