/*
 * output.h
 *		Rows of a scan from the device's outputs.
 */
#ifndef GPUDB_EXEC_OUTPUT_H
#define GPUDB_EXEC_OUTPUT_H

#include "postgres.h"

#include "executor/tuptable.h"

#include "compile/compile.h"
#include "core/decimal.h"
#include "core/device_api.h"
#include "core/output.h"

/* A numeric of few digits. */
typedef struct NumericSpace
{
	int32		header;
	uint16		payload[DECIMAL_STORE_BYTES / 2];
} NumericSpace;

/* An attribute of these rows. */
typedef struct OutputColumn
{
	OutputResult attribute;		/* a copy: other windows may assume other scales */
	ColType		type;			/* of the values */
	bool		made;			/* its Datums are more than the values */
	const uint8 *values;		/* of an interval, its bytes */
	const uint8 *nulls;
	const uint8 *bytes_apart;	/* of texts: where their references lead, in the tablet of the item that was kept, or in `texts` */
	const int16 *dscales;		/* numerics: NULL = all have the attribute's */
	uint32		bytes;			/* of a value */
	NumericSpace *numeric;		/* for the row at hand */
} OutputColumn;

/* The outputs of a window's rows. */
typedef struct OutputRows
{
	uint8	   *block;
	uint64		capacity;
	int			ncolumns;
	OutputColumn *column;
	uint8	   *texts;			/* bytes that were copied out of tablets */
	uint64		texts_capacity;
	uint32	   *matches;		/* of rows that a device has kept: rows of each table, as many as there are of these */
} OutputRows;

/* Take over what a work item has found, into memory of `context`; but bytes of texts stay in the item, until that is given back. */
extern void output_keep(OutputRows *rows, MemoryContext context, const CompileResult *compiled, const DeviceWork *work,
						const DeformSpec *deform);

/*
 * Copy the bytes of these rows' texts, too, so that the item can be given back.
 * False if references do not reach all of them.
 */
extern bool output_keep_texts(OutputRows *rows, MemoryContext context, uint32 nrows);

/* Take over rows that a device has kept; `compiled` was to keep them so. */
extern void output_keep_part(OutputRows *rows, MemoryContext context, const CompileResult *compiled, const KeptPart *part);

/* Have so many rows instead, which are NULL in every column that is no table's. */
extern void output_be_null(OutputRows *rows, MemoryContext context, const CompileResult *compiled, uint32 nrows,
						   const DeformSpec *deform);

/* The value of a column in a row where it is not NULL; it lasts until the next one, or as long as the current context. */
extern Datum output_value(const OutputColumn *column, uint32 row);

/*
 * The values of one row into a virtual slot; attributes not wanted are NULL.
 * They last until the next row is stored, or as long as the current context.
 */
extern void output_store(const OutputRows *rows, uint32 row, TupleTableSlot *slot);

#endif							/* GPUDB_EXEC_OUTPUT_H */
