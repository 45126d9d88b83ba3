/*
 * output.h
 *		Output columns of a scan: values of the rows that passed, one dense array per column.
 *
 *		per output: values | a byte for each, 1 = NULL
 *
 * A block for outputs has room for every row of its pages, so its layout is known before any row
 * has passed; the rows that passed are stored first, in heap order.  Values are stored as in the
 * tablet.
 */
#ifndef GPUDB_CORE_TABLET_OUTPUT_H
#define GPUDB_CORE_TABLET_OUTPUT_H

#include "core/vm/program.h"
#include "core/tablet/tablet_format.h"

typedef struct OutputLayout
{
	const uint16_t *types;		/* types of the tablet's columns as they are output */
	uint32_t	bytes[PROGRAM_MAX_OUTPUTS]; /* bytes of a value */
	uint64_t	values[PROGRAM_MAX_OUTPUTS];	/* offsets of values */
	uint64_t	nulls[PROGRAM_MAX_OUTPUTS];
	uint64_t	size;			/* bytes of the whole block */
} OutputLayout;

/* Return the bytes of the values and flags of one output; the flags are stored behind the values. */
CORE_FN uint64_t
output_bytes(uint32_t value_bytes, uint32_t nrows)
{
	return tablet_align((uint64_t) value_bytes * nrows) + tablet_align(nrows);
}

/* Compute the layout of a block for `nrows` rows; types[] are those of the tablet's columns. */
CORE_FN void
output_layout(const Program *program, const uint16_t *types, uint32_t nrows, OutputLayout *layout)
{
	uint64_t	at = 0;

	layout->types = types;
	for (uint32_t k = 0; k < program->noutputs; k++)
	{
		layout->bytes[k] = coltype_bytes((ColType) types[program->output[k]]);
		layout->values[k] = at;
		at += output_bytes(layout->bytes[k], nrows);
		layout->nulls[k] = at - tablet_align(nrows);
	}
	layout->size = at;
}

/* Copy the values of one column at rows[], `bytes` each. */
CORE_FN void
output_gather_values(const uint8_t *values, uint32_t bytes, const uint32_t *rows, uint32_t n, uint8_t *out)
{
	uint32_t	i;

	switch (bytes)
	{
		case 4:
			for (i = 0; i < n; i++)
				((uint32_t *) out)[i] = ((const uint32_t *) values)[rows[i]];
			break;
		case 8:
			for (i = 0; i < n; i++)
				((uint64_t *) out)[i] = ((const uint64_t *) values)[rows[i]];
			break;
		default:
			for (i = 0; i < n; i++)
				memcpy(out + (uint64_t) i * bytes, values + (uint64_t) rows[i] * bytes, bytes);
			break;
	}
}

/* Store a NULL flag for each of the rows[] of one column, one byte each: 1 = NULL. */
CORE_FN void
output_gather_nulls(const Tablet *tablet, const TabletColumn *column, const uint32_t *rows, uint32_t n, uint8_t *nulls)
{
	const uint8_t *bits = tablet_at(tablet, column->nulls);

	if (column->null_count == 0)
		memset(nulls, 0, n);
	else
		for (uint32_t i = 0; i < n; i++)
			nulls[i] = bits[rows[i] / 8] >> rows[i] % 8 & 1;
}

/* Copy the values of the tablet's rows[], which ascend, to a block laid out for at least `n` rows. */
CORE_FN void
output_gather(const Program *program, const Tablet *tablet, const uint32_t *rows, uint32_t n,
			  const OutputLayout *layout, uint8_t *block)
{
	for (uint32_t k = 0; k < program->noutputs; k++)
	{
		const TabletColumn *column = &tablet->column[program->output[k]];

		output_gather_values(tablet_at(tablet, column->values), layout->bytes[k], rows, n, block + layout->values[k]);
		output_gather_nulls(tablet, column, rows, n, block + layout->nulls[k]);
	}
}

/* Copy the first n values of each output to another block. */
CORE_FN void
output_copy(uint32_t noutputs, const OutputLayout *to, uint8_t *into, const OutputLayout *layout, const uint8_t *block, uint32_t n)
{
	for (uint32_t k = 0; k < noutputs; k++)
	{
		memcpy(into + to->values[k], block + layout->values[k], (size_t) n * layout->bytes[k]);
		memcpy(into + to->nulls[k], block + layout->nulls[k], n);
	}
}

#endif							/* GPUDB_CORE_TABLET_OUTPUT_H */
