/*
 * output_cached.h
 *		Output columns of a cached tablet, whose integers may be frame-of-reference encoded.
 */
#ifndef GPUDB_CORE_TABLET_OUTPUT_CACHED_H
#define GPUDB_CORE_TABLET_OUTPUT_CACHED_H

#include "core/tablet/for_encoding.h"
#include "core/tablet/output.h"

/* Number of values decoded at a time. */
#define OUTPUT_CHUNK 256

/* Store integers of at most 64 bits in a wider or narrower type that can represent them. */
CORE_FN void
output_put_integers(ColType type, const int64_t *values, uint32_t n, uint8_t *out)
{
	uint32_t	i;

	switch (coltype_bytes(type))
	{
		case 1:
			for (i = 0; i < n; i++)
				out[i] = (uint8_t) values[i];
			break;
		case 2:
			for (i = 0; i < n; i++)
				((int16_t *) out)[i] = (int16_t) values[i];
			break;
		case 4:
			for (i = 0; i < n; i++)
				((int32_t *) out)[i] = (int32_t) values[i];
			break;
		case 8:
			memcpy(out, values, (size_t) n * sizeof(int64_t));
			break;
		default:
			for (i = 0; i < n; i++)
				((WordAlignedWide *) out)[i] = (Wide) values[i];
			break;
	}
}

/* Return true if outputs of a tablet need the wide form of decimals, where types[] are those of the narrow form. */
CORE_FN bool
output_needs_wide(const Program *program, const Tablet *tablet, const uint16_t *types)
{
	for (uint32_t k = 0; k < program->noutputs; k++)
		if (tablet->column[program->output[k]].type == COLTYPE_I128 && types[program->output[k]] != COLTYPE_I128)
			return true;
	return false;
}

/* Copy the values of rows[] as output_gather() does, converting them to the layout's types. */
CORE_FN void
output_gather_cached(const Program *program, const Tablet *tablet, const uint32_t *rows, uint32_t n,
					 const OutputLayout *layout, uint8_t *block)
{
	int64_t		packed[OUTPUT_CHUNK];
	int64_t		integers[OUTPUT_CHUNK];

	for (uint32_t k = 0; k < program->noutputs; k++)
	{
		const TabletColumn *column = &tablet->column[program->output[k]];
		const uint16_t type = layout->types[program->output[k]];
		const ForEncoding encoding = for_encoding_of(column);
		const uint8_t *values = tablet_at(tablet, column->values);
		uint8_t    *out = block + layout->values[k];

		output_gather_nulls(tablet, column, rows, n, block + layout->nulls[k]);
		if (type == COLTYPE_TEXT)
		{
			for (uint32_t i = 0; i < n; i++)
				((uint64_t *) out)[i] = TEXT_BEHIND(((const uint64_t *) values)[rows[i]], column->base);
			continue;
		}
		if (column->type == type && !column_for_encoded(column))
		{
			output_gather_values(values, layout->bytes[k], rows, n, out);
			continue;
		}
		for (uint32_t i = 0; i < n; i += OUTPUT_CHUNK)
		{
			const uint32_t here = n - i < OUTPUT_CHUNK ? n - i : OUTPUT_CHUNK;

			output_gather_values(values, coltype_bytes((ColType) column->type), rows + i, here, (uint8_t *) packed);
			for_unpack(&encoding, packed, here, integers);
			output_put_integers((ColType) type, integers, here, out + (uint64_t) i * layout->bytes[k]);
		}
	}
}

#endif							/* GPUDB_CORE_TABLET_OUTPUT_CACHED_H */
