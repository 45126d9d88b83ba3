/*
 * column_build.c
 *		A column of a tablet, put together from the columns of windows.
 *
 * A frame is guessed, at first that of the tablet before, and mended when a
 * window does not fit it; so nearly all values are stored once.
 */
#include "postgres.h"

#include "port/pg_bitutils.h"
#include "utils/memutils.h"

#include "core/deform.h"

#include "device/cpu_kernel.h"
#include "tablet/column_build.h"

/* Values that are taken from one frame to another at a time. */
#define CHUNK 512

void
column_build_begin(ColumnBuild *build)
{
	build->begun = false;
	build->nrows = build->null_count = 0;
	build->max_scale = 0;
	build->raw_bytes = 0;
}

/* Memory */

/* Room for so many bytes, with those that are there kept and others zeroed; false without memory. */
static bool
reserve(const ColumnBuild *build, uint8 **bytes, Size *room, Size wanted)
{
	uint8	   *grown;

	if (wanted <= *room)
		return true;
	grown = MemoryContextAllocExtended(build->context, wanted, MCXT_ALLOC_HUGE | MCXT_ALLOC_NO_OOM);
	if (grown == NULL)
		return false;
	if (*bytes != NULL)
	{
		memcpy(grown, *bytes, *room);
		pfree(*bytes);
	}
	memset(grown + *room, 0, wanted - *room);
	*bytes = grown;
	*room = wanted;
	return true;
}

/* Put another array in the place of the values. */
static void
replace(uint8 **bytes, Size *room, uint8 *by, Size by_room)
{
	if (*bytes != NULL)
		pfree(*bytes);
	*bytes = by;
	*room = by_room;
}

static uint8 *
allocate(const ColumnBuild *build, Size bytes)
{
	return MemoryContextAllocExtended(build->context, Max(bytes, 1), MCXT_ALLOC_HUGE | MCXT_ALLOC_NO_OOM | MCXT_ALLOC_ZERO);
}

/* NULLs */

/* Bits from anywhere in one bitmap to anywhere in another one, which has none there. */
static void
copy_bits(uint8 *to, uint32 at, const uint8 *from, uint32 first, uint32 n)
{
	for (uint32 i = 0; i < n; i++)
		if (from[(first + i) / 8] >> ((first + i) % 8) & 1)
			to[(at + i) / 8] |= 1 << ((at + i) % 8);
}

/* Have a bitmap of no NULLs but those that were added; false without memory. */
static bool
reserve_nulls(ColumnBuild *build, uint32 rows_expected)
{
	if (build->null_count == 0 && build->nulls != NULL)
		memset(build->nulls, 0, build->null_room);
	return reserve(build, &build->nulls, &build->null_room, tablet_bitmap_bytes(rows_expected));
}

/* Give a window's NULL rows a value that others have, so that they widen nothing; false if there is none. */
static bool
fill_nulls(Tablet *window, TabletColumn *column)
{
	const uint32 bytes = coltype_bytes(column->type);
	uint8	   *values = tablet_at(window, column->values);
	uint32		value = 0;

	if (column->null_count == window->nrows)
		return false;
	while (tablet_is_null(window, column, value))
		value++;
	for (uint32 row = 0; row < window->nrows; row++)
		if (tablet_is_null(window, column, row))
			memcpy(values + (Size) row * bytes, values + (Size) value * bytes, bytes);
	deform_zone_map(window, column);
	return true;
}

/* Frames */

static bool
same_frame(const Frame *a, const Frame *b)
{
	return a->type == b->type && a->shift == b->shift && a->base == b->base;
}

/* The bits that values of a frame may differ in. */
static uint64
differing_of(const Frame *frame)
{
	return frame->type == COLTYPE_SAME ? 0 : ~UINT64CONST(0) << frame->shift;
}

static FrameRange
range_of(const TabletColumn *column, uint64 differing)
{
	return (FrameRange) {wide_load(column->min), wide_load(column->max), differing};
}

static void
widen(FrameRange *range, const FrameRange *by)
{
	range->differing |= by->differing | (uint64) (range->min ^ by->min);
	range->min = Min(range->min, by->min);
	range->max = Max(range->max, by->max);
}

/* From one frame to another one that holds the values; in place, too, if that is narrower. */
static void
recode(const Frame *from, const uint8 *values, uint32 n, const Frame *to, uint8 *into)
{
	const CpuKernel *kernel = cpu_kernel();
	Wide		chunk[CHUNK];

	for (uint32 done = 0; done < n; done += CHUNK)
	{
		const uint32 here = Min(n - done, CHUNK);
		const bool	wide = from->type == COLTYPE_I128;

		if (wide)
			memcpy(chunk, values + (Size) done * sizeof(Wide), here * sizeof(Wide));
		else
			frame_unpack(from, values + (Size) done * coltype_bytes(from->type), here, (int64 *) chunk);
		kernel->pack(to, wide ? COLTYPE_I128 : COLTYPE_I64, chunk, here, into + (Size) done * coltype_bytes(to->type));
	}
}

/* The bits in which a window's integers differ. */
static uint64
differing_bits(const Tablet *window, const TabletColumn *column)
{
	const Frame plain = {COLTYPE_I64, 0, 0};
	const uint32 bytes = coltype_bytes(column->type);
	int64		chunk[CHUNK];
	int64		first = 0;
	uint64		differing = 0;

	for (uint32 done = 0; done < window->nrows; done += CHUNK)
	{
		const uint32 here = Min(window->nrows - done, CHUNK);

		cpu_kernel()->pack(&plain, column->type, tablet_at(window, column->values) + (Size) done * bytes, here, chunk);
		first = done == 0 ? chunk[0] : first;
		for (uint32 i = 0; i < here; i++)
			differing |= chunk[i] ^ first;
	}
	return differing;
}

/* Have the column in another frame; false without memory. */
static bool
reframe(ColumnBuild *build, const Frame *frame, uint32 rows_expected)
{
	const Size	room = (Size) coltype_bytes(frame->type) * rows_expected;
	uint8	   *values = allocate(build, room);

	if (values == NULL)
		return false;
	recode(&build->frame, build->values, build->nrows, frame, values);
	replace(&build->values, &build->room, values, room);
	build->frame = *frame;
	return true;
}

/* Adding */

/* The place of a window's values, if there is memory. */
static uint8 *
place(ColumnBuild *build, uint32 first_row, uint32 rows_expected)
{
	const Size	bytes = coltype_bytes(build->frame.type);

	return reserve(build, &build->values, &build->room, Max(bytes * rows_expected, 1)) ? build->values + bytes * first_row : NULL;
}

static bool
add_integers(ColumnBuild *build, uint32 first_row, uint32 rows_expected, const Tablet *window, const TabletColumn *from)
{
	const CpuKernel *kernel = cpu_kernel();
	const void *values = tablet_at(window, from->values);
	FrameRange	range;
	uint8	   *to = place(build, first_row, rows_expected);
	bool		packed = to != NULL && kernel->pack(&build->frame, from->type, values, window->nrows, to);

	range = range_of(from, packed ? differing_of(&build->frame) : differing_bits(window, from));
	if (build->begun)
		widen(&range, &build->range);
	if (to != NULL && !packed)
	{
		const Frame frame = frame_choose(&range, build->frame.type);

		to = reframe(build, &frame, rows_expected) ? place(build, first_row, rows_expected) : NULL;
		packed = to != NULL && kernel->pack(&frame, from->type, values, window->nrows, to);
	}
	build->range = range;
	return packed;
}

/* Values that have one form only. */
static bool
add_values(ColumnBuild *build, uint32 first_row, uint32 rows_expected, const Tablet *window, const TabletColumn *from)
{
	uint8	   *to;

	build->frame = frame_of(from);
	build->range = range_of(from, 0);
	to = place(build, first_row, rows_expected);
	if (to != NULL)
		memcpy(to, tablet_at(window, from->values), (Size) coltype_bytes(from->type) * window->nrows);
	return to != NULL;
}

bool
column_build_add(ColumnBuild *build, uint32 first_row, uint32 rows_expected, Tablet *window, uint32 column)
{
	TabletColumn *from = &window->column[column];
	const bool	integers = coltype_integer(from->type);
	bool		added = true;

	/* rows that come later may have outgrown the bitmap of those that have NULLs */
	if ((from->null_count > 0 || build->null_count > 0) && !reserve_nulls(build, rows_expected))
		return false;
	if (from->null_count > 0)
		copy_bits(build->nulls, first_row, tablet_at(window, from->nulls), 0, window->nrows);
	build->null_count += from->null_count;
	build->max_scale = Max(build->max_scale, from->max_scale);
	build->raw_bytes = Max(build->raw_bytes, coltype_bytes(from->type));
	if (from->null_count == 0 || !integers || fill_nulls(window, from))
	{
		added = integers ? add_integers(build, first_row, rows_expected, window, from)
			: add_values(build, first_row, rows_expected, window, from);
		build->begun = true;
	}
	build->nrows = Max(build->nrows, first_row + window->nrows);
	return added;
}

/* Merging */

/* A part of what is merged; all its rows are NULL if there is no frame. */
typedef struct Part
{
	const Frame *frame;
	const uint8 *values;
	const uint8 *nulls;			/* NULL if there are none */
} Part;

/* The frame of both parts. */
static Frame
merge_frames(ColumnBuild *build, const TabletColumn *from, const Part *own, const Part *older)
{
	FrameRange	range = {0, 0, 0};

	if (older->frame != NULL)
		range = range_of(from, differing_of(older->frame));
	if (own->frame != NULL && older->frame != NULL)
		widen(&range, &build->range);
	else if (own->frame != NULL)
		range = build->range;
	build->range = range;
	build->begun = own->frame != NULL || older->frame != NULL;
	return coltype_integer(from->type) ? frame_choose(&range, COLTYPE_SAME) : *older->frame;
}

static void
copy_run(const Part *part, const RowRun *run, const Frame *frame, uint8 *values, uint8 *nulls)
{
	const Size	bytes = coltype_bytes(frame->type);
	uint8	   *to = values + bytes * run->to;

	if (part->nulls != NULL)
		copy_bits(nulls, run->to, part->nulls, run->from, run->n);
	if (part->frame == NULL)
		return;
	if (same_frame(part->frame, frame))
		memcpy(to, part->values + bytes * run->from, bytes * run->n);
	else
		recode(part->frame, part->values + (Size) coltype_bytes(part->frame->type) * run->from, run->n, frame, to);
}

bool
column_build_merge(ColumnBuild *build, const Tablet *tablet, uint32 column, const RowRun *runs, int nruns, uint32 nrows)
{
	const TabletColumn *from = &tablet->column[column];
	const Frame older_frame = frame_of(from);
	/* the last windows may have been all NULL */
	const bool	complete = place(build, 0, build->nrows) != NULL;
	const Part	own = {build->begun ? &build->frame : NULL, build->values, build->null_count > 0 ? build->nulls : NULL};
	const Part	older = {
		coltype_integer(from->type) && from->null_count == tablet->nrows ? NULL : &older_frame,
		tablet_at(tablet, from->values), from->null_count > 0 ? tablet_at(tablet, from->nulls) : NULL
	};
	const Frame frame = merge_frames(build, from, &own, &older);
	const Size	null_bytes = tablet_bitmap_bytes(nrows);
	const Size	bytes = (Size) coltype_bytes(frame.type) * nrows;
	uint8	   *values = allocate(build, bytes);
	uint8	   *nulls = allocate(build, null_bytes);

	if (!complete || values == NULL || nulls == NULL)
	{
		if (values != NULL)
			pfree(values);
		if (nulls != NULL)
			pfree(nulls);
		return false;
	}
	for (int r = 0; r < nruns; r++)
		copy_run(runs[r].older ? &older : &own, &runs[r], &frame, values, nulls);
	replace(&build->values, &build->room, values, bytes);
	replace(&build->nulls, &build->null_room, nulls, null_bytes);
	build->frame = frame;
	build->nrows = nrows;
	build->null_count = (uint32) pg_popcount((const char *) nulls, (int) null_bytes);
	build->max_scale = Max(build->max_scale, from->max_scale);
	build->raw_bytes = Max(build->raw_bytes, from->raw_bytes);
	return true;
}

/* The end */

bool
column_build_end(ColumnBuild *build, uint32 nrows)
{
	Frame		best;

	if (!build->begun)
	{
		build->frame = (Frame) {COLTYPE_SAME, 0, 0};
		build->range = (FrameRange) {0, 0, 0};
	}
	/* the last windows may have been all NULL */
	if (place(build, 0, nrows) == NULL || (build->null_count > 0 && !reserve_nulls(build, nrows)))
		return false;
	if (coltype_integer(build->frame.type))
	{
		best = frame_choose(&build->range, COLTYPE_SAME);
		if (coltype_bytes(best.type) < coltype_bytes(build->frame.type))
		{
			recode(&build->frame, build->values, nrows, &best, build->values);
			build->frame = best;
		}
	}
	build->stored = (TabletColumn) {
		.null_count = build->null_count, .type = build->frame.type, .shift = build->frame.shift, .base = build->frame.base,
		.raw_bytes = build->raw_bytes, .max_scale = build->max_scale
	};
	wide_store(build->stored.min, build->range.min);
	wide_store(build->stored.max, build->range.max);
	return true;
}
