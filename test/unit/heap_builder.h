/*
 * heap_builder.h
 *		Heap pages made byte by byte, as PostgreSQL lays them out.
 *
 * A table has attributes (HeapAttr) and values (HeapValue); heap_add_tuple()
 * forms a tuple of them, with null bitmap and alignment padding, and puts it
 * on a page behind a line pointer, filling the page from its end.
 */
#ifndef GPUDB_TEST_HEAP_BUILDER_H
#define GPUDB_TEST_HEAP_BUILDER_H

#include "core/tablet/deform.h"
#include "guard.h"
#include "numeric_bytes.h"
#include "tap.h"

#define HEAP_MAX_ATTRS	40
#define HEAP_MAX_TEXT	300

typedef enum HeapForm
{
	FORM_SHORT,					/* 1-byte header, or 4 bytes where the value is too long for that */
	FORM_LONG,					/* 4-byte header */
	FORM_COMPRESSED,			/* inline, compressed */
	FORM_EXTERNAL				/* a TOAST pointer */
} HeapForm;

typedef struct HeapAttr
{
	DeformAttr	deform;
	bool		numeric;		/* varlenas only: true to store a numeric */
} HeapAttr;

typedef struct HeapValue
{
	bool		null;
	uint8_t		fixed[64];
	Wide		decimal;		/* value of a numeric, at scale dscale */
	int			dscale;
	bool		long_header;	/* numerics only: true for the long form of their own header */
	HeapForm	form;
	uint8_t		text[HEAP_MAX_TEXT];
	uint32_t	length;
} HeapValue;

typedef struct HeapPage
{
	uint8_t    *bytes;			/* the page, in guarded memory */
	uint32_t	lower;
	uint32_t	upper;
	uint16_t	ntuples;
} HeapPage;

static inline void
heap_page_init(HeapPage *page)
{
	page->bytes = (uint8_t *) guard_alloc(HEAP_PAGE_SIZE, GUARD_PAGE);
	memset(page->bytes, 0, HEAP_PAGE_SIZE);
	page->lower = HEAP_PAGE_LINP;
	page->upper = HEAP_PAGE_SIZE;
	page->ntuples = 0;
}

static inline void
heap_page_free(HeapPage *page)
{
	guard_free(page->bytes, HEAP_PAGE_SIZE, GUARD_PAGE);
}

static inline uint32_t
align_up(uint32_t at, uint32_t align)
{
	return (at + align - 1) / align * align;
}

/* Write the payload of a varlena to `out`, and return its length. */
static inline uint32_t
heap_payload(const HeapAttr *attr, const HeapValue *value, uint8_t *out)
{
	Payload		p;

	if (!attr->numeric)
	{
		memcpy(out, value->text, value->length);
		return value->length;
	}
	put_numeric(&p, value->decimal, value->dscale, value->long_header);
	memcpy(out, p.bytes, p.length);
	return p.length;
}

/* Write a varlena at offset `at`, and return the offset behind it. */
static inline uint32_t
heap_put_varlena(uint8_t *data, uint32_t at, const HeapAttr *attr, const HeapValue *value)
{
	uint8_t		payload[HEAP_MAX_TEXT + MAX_PAYLOAD];
	uint32_t	length = heap_payload(attr, value, payload);
	uint32_t	header;

	if (value->form == FORM_EXTERNAL)
	{
		data[at] = 1;
		data[at + 1] = 18;		/* VARTAG_ONDISK */
		memset(data + at + 2, 0x77, 16);
		return at + 18;
	}
	if (value->form == FORM_SHORT && length + 1 <= 127)
	{
		data[at] = (uint8_t) ((length + 1) << 1 | 1);
		memcpy(data + at + 1, payload, length);
		return at + 1 + length;
	}
	at = align_up(at, attr->deform.align);
	header = (length + 4) << 2 | (value->form == FORM_COMPRESSED ? 2 : 0);
	memcpy(data + at, &header, 4);
	memcpy(data + at + 4, payload, length);
	return at + 4 + length;
}

static inline uint32_t
heap_put_attr(uint8_t *data, uint32_t at, const HeapAttr *attr, const HeapValue *value)
{
	uint32_t	bytes = deform_fixed_bytes(&attr->deform);

	if (attr->deform.kind == DEFORM_SKIP_CSTRING)
	{
		memcpy(data + at, value->text, value->length);
		return at + value->length + 1;
	}
	if (bytes == 0)
		return heap_put_varlena(data, at, attr, value);
	at = align_up(at, attr->deform.align);
	memcpy(data + at, value->fixed, bytes);
	return at + bytes;
}

/* Add a tuple to a page, and return its line pointer's number, or 0 when the page is full. */
static inline uint16_t
heap_add_tuple(HeapPage *page, const HeapAttr *attrs, const HeapValue *values, uint32_t natts)
{
	static uint8_t tuple[64 + HEAP_MAX_ATTRS * (HEAP_MAX_TEXT + MAX_PAYLOAD + 16)];
	bool		has_nulls = false;
	uint32_t	hoff;
	uint32_t	at = 0;
	uint32_t	item;
	uint32_t	a;

	memset(tuple, 0, sizeof(tuple));
	for (a = 0; a < natts; a++)
		has_nulls |= values[a].null;
	hoff = align_up(HEAP_TUPLE_BITS + (has_nulls ? (natts + 7) / 8 : 0), 8);
	for (a = 0; a < natts; a++)
		if (!values[a].null)
		{
			if (has_nulls)
				tuple[HEAP_TUPLE_BITS + a / 8] |= (uint8_t) (1 << (a % 8));
			at = heap_put_attr(tuple + hoff, at, &attrs[a], &values[a]);
		}
	/* HEAP_HOT_UPDATED and HEAP_ONLY_TUPLE share a word with natts, visibility hints one with HASNULL */
	tuple[HEAP_TUPLE_INFOMASK2] = (uint8_t) natts;
	tuple[HEAP_TUPLE_INFOMASK2 + 1] = (uint8_t) (natts >> 8 | (random_below(2) ? 0xC0 : 0));
	tuple[HEAP_TUPLE_INFOMASK] = has_nulls ? HEAP_HASNULL : 0;
	tuple[HEAP_TUPLE_INFOMASK + 1] = 0x09;
	tuple[HEAP_TUPLE_HOFF] = (uint8_t) hoff;

	if (page->lower + 4 + align_up(hoff + at, 8) > page->upper)
		return 0;
	page->upper -= align_up(hoff + at, 8);
	memcpy(page->bytes + page->upper, tuple, hoff + at);
	item = page->upper | 1u << 15 | (hoff + at) << 17;
	memcpy(page->bytes + page->lower, &item, 4);
	page->lower += 4;
	return ++page->ntuples;
}

#endif							/* GPUDB_TEST_HEAP_BUILDER_H */
