/*
 * heap_page.h
 *		PostgreSQL's heap pages and tuple headers, byte for byte.
 *
 * The offsets are those of src/include/storage/bufpage.h and access/htup_details.h;
 * src/tablet/read/pages.c asserts at compile time that they agree.  Page bytes are treated as hostile: a
 * position is checked before it is read.
 */
#ifndef GPUDB_CORE_TABLET_HEAP_PAGE_H
#define GPUDB_CORE_TABLET_HEAP_PAGE_H

#include "core/target.h"

#define HEAP_PAGE_SIZE			8192
#define HEAP_PAGE_LINP			24	/* offset of the line pointers */
#define HEAP_MAX_TUPLES			291 /* maximum number of tuples on a page */
#define HEAP_TUPLE_INFOMASK2	18
#define HEAP_TUPLE_INFOMASK		20
#define HEAP_TUPLE_HOFF			22
#define HEAP_TUPLE_BITS			23
#define HEAP_HASNULL			0x0001
#define HEAP_NATTS_MASK			0x07FF

/* Location of a tuple within its page. */
typedef struct HeapTupleView
{
	const uint8_t *data;		/* first byte of the first attribute */
	uint32_t	length;			/* bytes of the attributes */
	uint32_t	natts;
	const uint8_t *nulls;		/* NULL bitmap; bit set = value present; NULL when no attribute is null */
} HeapTupleView;

/*
 * Read all of a page into the processor's cache.  Walking a page's tuples visits cache lines in
 * descending order and some lines apart, which the processor does not prefetch, so each line is
 * waited for.  Reading the lines sequentially makes the processor prefetch them and takes less than
 * half of the time.
 */
CORE_FN void
heap_page_read(const uint8_t *page)
{
	uint32_t	at;

	for (at = 0; at < HEAP_PAGE_SIZE; at += CORE_LINE_BYTES)
		(void) *(const volatile uint8_t *) (page + at);
}

/* Find a tuple by its line pointer; false if the page is damaged. */
CORE_FN bool
heap_tuple_view(const uint8_t *page, uint32_t offnum, HeapTupleView *view)
{
	uint32_t	item;
	uint32_t	off;
	uint32_t	len;
	uint32_t	hoff;
	const uint8_t *tuple;

	if (core_unlikely(offnum == 0 || HEAP_PAGE_LINP + 4 * offnum > HEAP_PAGE_SIZE))
		return false;
	item = load_u32(page + HEAP_PAGE_LINP + 4 * (offnum - 1));
	off = item & 0x7FFF;
	len = item >> 17;
	if (core_unlikely(off + len > HEAP_PAGE_SIZE || len < HEAP_TUPLE_BITS || off < HEAP_PAGE_LINP))
		return false;
	tuple = page + off;
	hoff = tuple[HEAP_TUPLE_HOFF];
	if (core_unlikely(hoff > len || hoff < HEAP_TUPLE_BITS))
		return false;
	/* other bits of these words may change concurrently: one load, then mask */
	view->natts = load_u16(tuple + HEAP_TUPLE_INFOMASK2) & HEAP_NATTS_MASK;
	view->nulls = NULL;
	if (load_u16(tuple + HEAP_TUPLE_INFOMASK) & HEAP_HASNULL)
	{
		if (core_unlikely(HEAP_TUPLE_BITS + (view->natts + 7) / 8 > hoff))
			return false;
		view->nulls = tuple + HEAP_TUPLE_BITS;
	}
	view->data = tuple + hoff;
	view->length = len - hoff;
	return true;
}

/*
 * Read the header of a varlena at p, with `room` bytes up to the end of the tuple.  Returns the
 * total length, or 0 when it does not fit; *header is the size of the header, or 0 for a value that
 * is compressed or stored out of line.
 */
CORE_FN uint32_t
varlena_length(const uint8_t *p, uint32_t room, uint32_t *header)
{
	uint32_t	total;

	if (core_unlikely(room == 0))
		return 0;
	if (core_likely(p[0] & 1))
	{
		if (core_unlikely(p[0] == 1))
		{
			/* a TOAST pointer: tag, then 16 bytes (on disk there is no other kind) */
			*header = 0;
			return room >= 18 ? 18 : 0;
		}
		*header = 1;
		total = p[0] >> 1;
		return total <= room ? total : 0;
	}
	if (core_unlikely(room < 4))
		return 0;
	total = load_u32(p) >> 2;
	*header = (p[0] & 2) ? 0 : 4;
	return total >= 4 && total <= room ? total : 0;
}

#endif							/* GPUDB_CORE_TABLET_HEAP_PAGE_H */
