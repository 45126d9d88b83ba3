/*
 * deform_fast.h
 *		Fast path for pages of usual tuples: without NULLs, with all attributes, nothing compressed.
 *
 * A page is processed in two passes while it is in the cache.  The first walks each tuple and notes
 * the positions of its attributes; attributes before the first varlena need no walk, since their
 * offsets are the same in every tuple.  The second processes column by column, in loops without
 * branches on the data, which the compiler vectorises.
 *
 * A page with anything unusual on it is deformed tuple by tuple by deform.h instead, so both paths
 * give the same columns.
 */
#ifndef GPUDB_CORE_TABLET_DEFORM_FAST_H
#define GPUDB_CORE_TABLET_DEFORM_FAST_H

#include "core/tablet/deform.h"

#define FAST_MAX_STEPS		32
#define FAST_MAX_TUPLES		292	/* more than a page can have */

/* Initial reach of a plan, before a page has been read. */
#define REACH_UNKNOWN	64

/* An attribute from the first varlena on. */
typedef struct FastStep
{
	uint16_t	bytes;			/* bytes of a fixed-width attribute; 0 = varlena */
	uint16_t	align;			/* alignment - 1 */
} FastStep;

/* A wanted column. */
typedef struct FastColumn
{
	uint8_t		kind;			/* DeformKind */
	int16_t		scale;
	int16_t		step;			/* step of its attribute; -1 = at `offset` in every tuple */
	uint32_t	offset;
	uint16_t	column;
	bool		differs;		/* dictionary codes: the page read last repeated few texts */
	const DictView *view;
} FastColumn;

typedef struct FastPlan
{
	bool		usable;
	uint32_t	natts;			/* minimum number of attributes of a tuple */
	uint32_t	start;			/* offset of the first step's attribute */
	uint32_t	nsteps;
	uint32_t	ncolumns;
	/* Bytes from a tuple's start to its last wanted attribute, in the page read last. */
	uint32_t	reach;
	FastStep	step[FAST_MAX_STEPS];
	FastColumn	column[FAST_MAX_STEPS];
} FastPlan;

/* Positions on the page at hand, relative to its first byte. */
typedef struct FastPositions
{
	uint16_t	data[FAST_MAX_TUPLES];	/* position of each tuple's first attribute */
	uint16_t	attr[FAST_MAX_STEPS][FAST_MAX_TUPLES];
} FastPositions;

/* Initialize a fast plan; it is unusable if the fast path does not cover some attribute. */
CORE_FN void
fast_plan_init(FastPlan *fast, const DeformPlan *plan)
{
	uint32_t	offset = 0;
	bool		walked = false;
	uint32_t	a;

	memset(fast, 0, sizeof(*fast));
	fast->reach = REACH_UNKNOWN;
	fast->natts = plan->natts;
	for (a = 0; a < plan->natts; a++)
	{
		const DeformAttr *attr = &plan->attr[a];
		uint32_t	bytes = deform_fixed_bytes(attr);

		if (attr->kind == DEFORM_SKIP_CSTRING || attr->wide || attr->second_column >= 0 ||
			(attr->kind == DEFORM_SKIP_FIXED && bytes == 0))
			return;
		walked |= bytes == 0;
		if (!walked)
			offset = (offset + attr->align - 1) & ~(uint32_t) (attr->align - 1);
		else if (fast->nsteps == FAST_MAX_STEPS)
			return;
		if (attr->column >= 0)
		{
			if (fast->ncolumns == FAST_MAX_STEPS)
				return;
			fast->column[fast->ncolumns++] = (FastColumn) {
				.kind = attr->kind, .scale = attr->scale, .step = (int16_t) (walked ? (int16_t) fast->nsteps : -1), .offset = offset,
				.column = (uint16_t) attr->column, .view = attr->view
			};
		}
		if (walked)
			fast->step[fast->nsteps++] = (FastStep) {(uint16_t) bytes, (uint16_t) (attr->align - 1)};
		else
			offset += bytes;
	}
	fast->start = offset;
	fast->usable = true;
}

/* Return the length of a value with a 4-byte header; 0 if it is compressed or damaged. */
CORE_FN uint32_t
fast_long_varlena(const uint8_t *page, uint32_t p, uint32_t end)
{
	uint32_t	total;

	if (p + 4 > end || (page[p] & 3) != 0)
		return 0;
	total = load_u32(page + p) >> 2;
	return total >= 4 && total <= end - p ? total : 0;
}

/* Note the positions of a tuple's attributes; false when the tuple is not usual. */
CORE_FN bool
fast_walk(const FastPlan *fast, const uint8_t *page, const HeapTupleView *tuple, uint32_t t, FastPositions *at)
{
	uint32_t	data = (uint32_t) (tuple->data - page);
	uint32_t	end = data + tuple->length;
	uint32_t	p = data + fast->start;
	uint16_t   *position = &at->attr[0][t];
	const FastStep *step = fast->step;
	const FastStep *last = step + fast->nsteps;

	at->data[t] = (uint16_t) data;
	for (; step < last; step++, position += FAST_MAX_TUPLES)
	{
		uint32_t	total;

		if (core_unlikely(p >= end))
			return false;
		total = step->bytes;
		if (total == 0)
		{
			uint32_t	first = page[p];

			total = first >> 1;
			if (core_unlikely(!(first & 1) || total == 0))
			{
				/* a byte of 0 is padding before a 4-byte header */
				if (first == 0)
					p = (p + step->align) & ~(uint32_t) step->align;
				total = fast_long_varlena(page, p, end);
				if (total == 0)
					return false;
			}
		}
		else
			/* tuples begin at multiples of 8, so positions in the page align like offsets */
			p = (p + step->align) & ~(uint32_t) step->align;
		*position = (uint16_t) p;
		p += total;
	}
	return p <= end;
}

/*
 * Return the factor that moves a number of four base-10000 digits by k = -32 ... 18 decimal
 * positions.  Upwards it is 10^k.  Downwards the number is known to end in -k zeros: shifting out
 * the factors of 2 and multiplying by the inverse of 5^-k modulo 2^64 divides exactly (Granlund and
 * Montgomery 1994, section 9).
 */
#define PLACE_MIN (-32)
#define PLACE_MAX 18

CORE_FN uint64_t
place_factor(int64_t k)
{
	static const uint64_t factor[64] = {
		UINT64_C(1610335118080299137), UINT64_C(8051675590401495685), UINT64_C(3364889804588375193),
		UINT64_C(16824449022941875965), UINT64_C(10335268819871173361), UINT64_C(14782855951936763573),
		UINT64_C(127303464845611401), UINT64_C(636517324228057005), UINT64_C(3182586621140285025),
		UINT64_C(15912933105701425125), UINT64_C(5777689233668919161), UINT64_C(10441702094635044189),
		UINT64_C(15315022325756117713), UINT64_C(2788135333942382101), UINT64_C(13940676669711910505),
		UINT64_C(14363151127430897677), UINT64_C(16475523416025833537), UINT64_C(8590640785290961221),
		UINT64_C(6059715779035702873), UINT64_C(11851834821468962749), UINT64_C(3918941886216158897),
		UINT64_C(1147965357371242869), UINT64_C(5739826786856214345), UINT64_C(10252389860571520109),
		UINT64_C(14368461155438497313), UINT64_C(16502073556063831717), UINT64_C(8723391485480952121),
		UINT64_C(6723469279985657373), UINT64_C(15170602326218735249), UINT64_C(2066035336255469781),
		UINT64_C(10330176681277348905), UINT64_C(14757395258967641293), UINT64_C(1), UINT64_C(10), UINT64_C(100),
		UINT64_C(1000), UINT64_C(10000), UINT64_C(100000), UINT64_C(1000000), UINT64_C(10000000), UINT64_C(100000000),
		UINT64_C(1000000000), UINT64_C(10000000000), UINT64_C(100000000000), UINT64_C(1000000000000),
		UINT64_C(10000000000000), UINT64_C(100000000000000), UINT64_C(1000000000000000), UINT64_C(10000000000000000),
		UINT64_C(100000000000000000), UINT64_C(1000000000000000000)
	};

	return factor[(k - PLACE_MIN) & 63];
}

/*
 * Decode decimals from leading parts (the first three bytes) and tails (the eight bytes that end where the
 * value ends).  Returns true if some value is not usual: short header, at most four digits, no more
 * display scale than assumed, one word.  Nothing branches, so the loop is vectorised.
 */
CORE_FN bool
fast_decode(const uint64_t *CORE_RESTRICT leading, const uint64_t *CORE_RESTRICT tails, uint32_t n, int64_t scale,
			int64_t *CORE_RESTRICT values)
{
	uint64_t	unusual = 0;
	uint32_t	t;

	for (t = 0; t < n; t++)	/* vectorised */
	{
		uint64_t	head = leading[t];
		uint64_t	ndigits = (((head >> 1) & 0x7F) - 3) >> 1;
		int64_t		weight = (int64_t) ((head >> 8) & 0x3F) - (int64_t) ((head >> 8) & 0x40);
		int64_t		dscale = (int64_t) (head >> 15) & 0x3F;
		int64_t		place = scale + 4 * weight - 12;
		int64_t		sign = -(int64_t) ((head >> 21) & 1);
		uint64_t	bad = ((head & 0xC00001) ^ 0x800001) | (uint64_t) ((int64_t) (4 - ndigits) >> 63) |
			(uint64_t) ((scale - dscale) >> 63) | (uint64_t) ((2 - place) >> 63) |
			(uint64_t) ((place - PLACE_MIN) >> 63);
		/* left-aligned digits, the first one lowest; in two steps, since without digits the shift is by 64 */
		uint64_t	half = (32 - 8 * ndigits) & 63;
		uint64_t	digits = tails[t] >> half >> half;
		uint64_t	v = ((digits & 0xFFFF) * 10000 + ((digits >> 16) & 0xFFFF)) * 100000000 +
			((digits >> 32) & 0xFFFF) * 10000 + (digits >> 48);
		uint64_t	down = (uint64_t) (-place & (place >> 63)) & 63;

		unusual |= bad;
		v = (v >> down) * place_factor(place);
		values[t] = ((int64_t) v ^ sign) - sign;
	}
	return unusual != 0;
}

/* Deform a column of numerics; false when some value is not usual. */
CORE_FN bool
fast_decimals(const uint8_t *page, const uint16_t *at, uint32_t n, int32_t scale, int64_t *values)
{
	uint64_t	leading[FAST_MAX_TUPLES];
	uint64_t	tails[FAST_MAX_TUPLES];
	uint32_t	t;

	for (t = 0; t < n; t++)
	{
		const uint8_t *p = page + at[t];

		/* a numeric has at least three bytes; one in the page's last two is not usual */
		uint32_t	before = at[t] - 1u;

		leading[t] = load_u32(page + (before < HEAP_PAGE_SIZE - 4 ? before : HEAP_PAGE_SIZE - 4)) >> 8;
		/* the load stays inside the tuple, including its header; a long header is not usual anyway */
		tails[t] = load_u64(p + ((p[0] & 1) ? p[0] >> 1 : 0) - 8);
	}
	return !fast_decode(leading, tails, n, scale, values);
}

/* Deform a column of texts, by reference or packed, or of bits; false when the page needs the general path. */
CORE_FN bool
fast_texts(const uint8_t *page, const uint16_t *at, uint32_t n, const FastColumn *column, Tablet *tablet, uint32_t row)
{
	uint64_t   *values = (uint64_t *) tablet_at(tablet, tablet->column[column->column].values) + row;
	uint32_t	t;

	for (t = 0; t < n; t++)
	{
		const uint8_t *p = page + at[t];
		uint32_t	header = (p[0] & 1) ? 1 : 4;
		uint32_t	length = ((p[0] & 1) ? p[0] >> 1 : load_u32(p) >> 2) - header;

		p += header;
		if (column->kind == DEFORM_TEXT)
		{
			if (deform_text(tablet, &tablet->column[column->column], row + t, p, length) != STATUS_DONE)
				return false;
			continue;
		}
		if (column->kind == DEFORM_BITS)
		{
			if (deform_bits(p, length, &values[t]) != STATUS_DONE)
				return false;
			continue;
		}
		if (column->kind == DEFORM_PACKED_TRIMMED)
			length = text_trimmed(p, length);
		if (core_unlikely(length > TEXT_PACKED_MAX))
			return false;
		values[t] = text_pack(p, length);
	}
	return true;
}

/* Cache of a column's texts found on the page at hand, and their dictionary codes. */
#define FAST_SEEN_BITS 4

typedef struct FastSeen
{
	const uint8_t *text;		/* NULL = none */
	uint64_t	word;			/* fast_first_word() of the text */
	uint32_t	length;
	uint32_t	code;
} FastSeen;

/* Return the first 8 bytes of a text on a page, behind its header; a shorter text is padded with zeros. */
CORE_FN uint64_t
fast_first_word(const uint8_t *text, uint32_t length)
{
	if (length >= 8)
		return load_u64(text);
	/* the bytes before the text are on the page, too; in two steps, since for an empty text the shift is by 64 */
	return load_u64(text + length - 8) >> (32 - 4 * length) >> (32 - 4 * length);
}

/* Return true if two texts of equal length and equal first words are equal. */
CORE_FN bool
fast_texts_equal(const uint8_t *a, const uint8_t *b, uint32_t length)
{
	uint32_t	i;

	for (i = 8; i + 8 <= length; i += 8)
		if (load_u64(a + i) != load_u64(b + i))
			return false;
	return length <= 8 || load_u64(a + length - 8) == load_u64(b + length - 8);
}

/* Return the address and length of the text of a varlena on a page. */
CORE_FN const uint8_t *
fast_text(const uint8_t *p, uint32_t *length)
{
	const uint32_t header = (p[0] & 1) ? 1 : 4;

	*length = ((p[0] & 1) ? p[0] >> 1 : load_u32(p) >> 2) - header;
	return p + header;
}

/* Deform a column of dictionary codes, looking up all texts together. */
CORE_HOST void
fast_codes_at_once(const uint8_t *page, const uint16_t *at, uint32_t n, const FastColumn *column, Tablet *tablet, uint32_t row)
{
	uint32_t   *dict_codes = (uint32_t *) tablet_at(tablet, tablet->column[column->column].values) + row;
	DictLookup	value[FAST_MAX_TUPLES];
	uint32_t	t;

	for (t = 0; t < n; t++)
		value[t].bytes = fast_text(page + at[t], &value[t].length);
	dict_view_find_all(column->view, value, n);
	for (t = 0; t < n; t++)
		dict_codes[t] = deform_code_or_mark(&tablet->column[column->column], value[t].code, at[t]);
}

/*
 * Deform a column of dictionary codes, comparing each text with those seen before on the page.  A
 * page repeats texts if the column has few values, and a comparison takes less time than hashing
 * the text.  Returns the number of texts that were looked up.
 */
CORE_HOST uint32_t
fast_codes_in_turn(const uint8_t *page, const uint16_t *at, uint32_t n, const FastColumn *column, Tablet *tablet, uint32_t row)
{
	uint32_t   *dict_codes = (uint32_t *) tablet_at(tablet, tablet->column[column->column].values) + row;
	FastSeen	seen[1 << FAST_SEEN_BITS];
	uint32_t	looked_up = 0;
	uint32_t	t;

	memset(seen, 0, sizeof(seen));
	for (t = 0; t < n; t++)
	{
		uint32_t	length;
		const uint8_t *text = fast_text(page + at[t], &length);
		const uint64_t word = fast_first_word(text, length);
		FastSeen   *like = &seen[word * UINT64_C(0x9e3779b97f4a7c15) >> (64 - FAST_SEEN_BITS)];

		if (like->text != NULL && like->word == word && like->length == length && fast_texts_equal(like->text, text, length))
		{
			dict_codes[t] = like->code;
			continue;
		}
		dict_codes[t] = deform_code_or_mark(&tablet->column[column->column], dict_view_find(column->view, text, length), at[t]);
		looked_up++;
		/* a mark belongs to this text alone */
		if ((dict_codes[t] & CODE_PATCH) == 0)
			*like = (FastSeen) {text, word, length, dict_codes[t]};
	}
	return looked_up;
}

/* Deform a column of dictionary codes; false when the page needs the general path. */
CORE_HOST bool
fast_codes(const uint8_t *page, const uint16_t *at, uint32_t n, FastColumn *column, Tablet *tablet, uint32_t row)
{
	if (core_unlikely(column->view == NULL))
		return false;
	if (column->differs)
		fast_codes_at_once(page, at, n, column, tablet, row);
	else
		column->differs = fast_codes_in_turn(page, at, n, column, tablet, row) > n / 2;
	return true;
}

/* Copy the values of a fixed-width column. */
#define FAST_COPY(ctype) \
	for (t = 0; t < n; t++) \
		memcpy(values + t * sizeof(ctype), page + at[t] + offset, sizeof(ctype))

CORE_FN bool
fast_column(FastColumn *column, const uint8_t *page, const FastPositions *positions, uint32_t n,
			Tablet *tablet, uint32_t row)
{
	const uint16_t *at = column->step < 0 ? positions->data : positions->attr[column->step];
	uint32_t	offset = column->step < 0 ? column->offset : 0;
	uint32_t	width = coltype_bytes((ColType) tablet->column[column->column].type);
	uint8_t    *values = tablet_at(tablet, tablet->column[column->column].values) + (size_t) row * width;
	const DeformAttr converted = {.kind = column->kind, .column = (int16_t) column->column, .second_column = -1};
	uint32_t	t;

	switch ((DeformKind) column->kind)
	{
		case DEFORM_DECIMAL:
			return fast_decimals(page, at, n, column->scale, (int64_t *) values);
		case DEFORM_TEXT:
		case DEFORM_PACKED:
		case DEFORM_PACKED_TRIMMED:
		case DEFORM_BITS:
			return fast_texts(page, at, n, column, tablet, row);
		case DEFORM_CODE:
			return fast_codes(page, at, n, column, tablet, row);
		case DEFORM_BOOL:
		case DEFORM_U8:
			FAST_COPY(uint8_t);
			return true;
		case DEFORM_I16:
			FAST_COPY(uint16_t);
			return true;
		case DEFORM_I32:
		case DEFORM_U32:
		case DEFORM_F32:
			FAST_COPY(uint32_t);
			return true;
		case DEFORM_I64:
		case DEFORM_F64:
			FAST_COPY(uint64_t);
			return true;
		case DEFORM_UUID:
		case DEFORM_TIMETZ:
		case DEFORM_INTERVAL:
		case DEFORM_NAME:
			for (t = 0; t < n; t++)
				if (deform_converted(&converted, tablet, row + t, page + at[t] + offset) != STATUS_DONE)
					return false;
			return true;
		case DEFORM_SKIP_FIXED:
		case DEFORM_SKIP_VARLENA:
		case DEFORM_SKIP_CSTRING:
			break;
	}
	return false;
}

/* Number of tuples by which memory is prefetched ahead. */
#define PREFETCH_TUPLES 6

/* Prefetch the first cache lines of a tuple; only a hint, so nothing is checked but the position. */
CORE_FN void
prefetch_tuple(const uint8_t *page, uint32_t offnum)
{
	const uint8_t *tuple;

	if (HEAP_PAGE_LINP + 4 * offnum > HEAP_PAGE_SIZE || offnum == 0)
		return;
	tuple = page + (load_u32(page + HEAP_PAGE_LINP + 4 * (offnum - 1)) & (HEAP_PAGE_SIZE - 1));
	core_prefetch(tuple);
	core_prefetch(tuple + 64);
}

/*
 * Return true if walking n tuples of a page reads at least half of its cache lines, so that reading
 * all lines first pays off.
 */
CORE_FN bool
fast_dense(const FastPlan *fast, uint32_t n)
{
	return n * (fast->reach + CORE_LINE_BYTES) >= HEAP_PAGE_SIZE / 2;
}

/* Deform a page into rows from `row` on; false, with nothing lost, when it is not usual. */
CORE_FN bool
fast_page(FastPlan *fast, const uint8_t *page, const uint16_t *offsets, uint32_t n, Tablet *tablet, uint32_t row)
{
	const bool	dense = fast_dense(fast, n);
	FastPositions positions;
	uint64_t	var_used = tablet->var_used;
	uint32_t	t;
	uint32_t	c;

	if (!fast->usable || n > FAST_MAX_TUPLES)
		return false;
	if (dense)
		heap_page_read(page);
	for (t = 0; t < n; t++)
	{
		HeapTupleView tuple;

		if (!dense && t + PREFETCH_TUPLES < n)
			prefetch_tuple(page, offsets[t + PREFETCH_TUPLES]);
		if (core_unlikely(!heap_tuple_view(page, offsets[t], &tuple) || tuple.nulls != NULL ||
						  tuple.natts < fast->natts || tuple.length < fast->start ||
						  !fast_walk(fast, page, &tuple, t, &positions)))
			return false;
	}
	if (n > 0)
		fast->reach = HEAP_TUPLE_BITS + (fast->nsteps > 0 ? positions.attr[fast->nsteps - 1][0] - positions.data[0] : fast->start);
	for (c = 0; c < fast->ncolumns; c++)
		if (core_unlikely(!fast_column(&fast->column[c], page, &positions, n, tablet, row)))
		{
			tablet->var_used = var_used;
			return false;
		}
	return true;
}

/* Deform a page on the general path, tuple by tuple. */
CORE_FN DeviceStatus
deform_page(const DeformPlan *plan, const uint8_t *page, const uint16_t *offsets, uint32_t n, Tablet *tablet, uint32_t row)
{
	DeviceStatus result = STATUS_DONE;
	uint32_t	t;

	for (t = 0; t < n; t++)
	{
		HeapTupleView tuple;
		DeviceStatus status = STATUS_DAMAGED_PAGE;

		if (core_likely(heap_tuple_view(page, offsets[t], &tuple)))
			status = deform_tuple(plan, page, &tuple, tablet, row + t);
		if (core_unlikely(status == STATUS_SCALE_EXCEEDED))
			result = status;
		else if (core_unlikely(status != STATUS_DONE))
			return status;
	}
	return result;
}

/*
 * Deform every listed tuple.  The tablet has been laid out for pages->nrows rows with a
 * variable-width area as large as var_columns may need; column types follow the plan.  On any
 * status but DONE its contents are unusable, except that after SCALE_EXCEEDED max_scale has the
 * scales to assume instead.
 */
CORE_FN DeviceStatus
deform_pages(const DeformPlan *plan, const PageList *pages, Tablet *tablet)
{
	uint32_t   *places = (uint32_t *) tablet_at(tablet, tablet->rows);
	DeviceStatus result = STATUS_DONE;
	FastPlan	fast;
	uint32_t	row = 0;
	uint32_t	pg;
	uint32_t	t;
	uint32_t	c;

	fast_plan_init(&fast, plan);
	for (pg = 0; pg < pages->npages; pg++)
	{
		const uint16_t *offsets = pages->offsets[pg];
		uint32_t	n = pages->ntuples[pg];

		if (pg + 1 < pages->npages && !fast_dense(&fast, pages->ntuples[pg + 1]))
			for (t = 0; t < PREFETCH_TUPLES && t < pages->ntuples[pg + 1]; t++)
				prefetch_tuple(pages->page[pg + 1], pages->offsets[pg + 1][t]);
		if (!fast_page(&fast, pages->page[pg], offsets, n, tablet, row))
		{
			DeviceStatus status = deform_page(plan, pages->page[pg], offsets, n, tablet, row);

			if (core_unlikely(status == STATUS_SCALE_EXCEEDED))
				result = status;
			else if (core_unlikely(status != STATUS_DONE))
				return status;
		}
		for (t = 0; t < n; t++)
			places[row++] = ROW_PLACE(pg, offsets[t]);
	}
	for (c = 0; c < tablet->ncols && result == STATUS_DONE; c++)
		deform_zone_map(tablet, &tablet->column[c]);
	return result;
}

#endif							/* GPUDB_CORE_TABLET_DEFORM_FAST_H */
