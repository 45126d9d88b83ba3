/*
 * output.h
 *		Rows of a scan or join from the device's outputs.
 */
#ifndef GPUDB_EXEC_ROWS_OUTPUT_H
#define GPUDB_EXEC_ROWS_OUTPUT_H

#include "postgres.h"

#include "executor/tuptable.h"

#include "compile/compile.h"
#include "core/device_api.h"
#include "core/numeric/decimal.h"
#include "core/tablet/output.h"

/* A numeric of few digits, built in place. */
typedef struct NumericSpace
{
	int32		header;
	uint16		payload[DECIMAL_STORE_BYTES / 2];
} NumericSpace;

/* An attribute of the output rows. */
typedef struct OutputColumn
{
	OutputResult attribute;		/* copy, since other page batches may assume other scales */
	ColType		type;			/* type of the values */
	bool		made;			/* a Datum has to be constructed from a value */
	const uint8 *values;		/* values; of an interval, its bytes */
	const uint8 *nulls;
	const uint8 *bytes_apart;	/* texts: base of their references, in the work item's tablet or in OutputRows.texts */
	const int16 *dscales;		/* display scales of numerics; NULL = all have the attribute's */
	uint32		bytes;			/* bytes of a value */
	NumericSpace *numeric;		/* space for the current row's value */
} OutputColumn;

/* The outputs of a page batch's rows, or of a part of the rows materialized on the device. */
typedef struct OutputRows
{
	uint8	   *block;
	uint64		capacity;
	int			ncolumns;
	OutputColumn *column;
	uint8	   *texts;			/* bytes of texts that were copied out of tablets */
	uint64		texts_capacity;
	uint32	   *matches;		/* materialized rows: row numbers of each table, one per output row */
} OutputRows;

/*
 * Copy the outputs of a work item into memory of `context`.  Bytes of texts stay
 * in the item and are valid until it is released.
 */
extern void output_keep(OutputRows *rows, MemoryContext context, const CompileResult *compiled, const DeviceWork *work,
						const DeformSpec *deform);

/*
 * Copy the bytes of the texts of `nrows` output rows, too, so that the item can
 * be released.  Return false if they take more than references can address.
 */
extern bool output_keep_texts(OutputRows *rows, MemoryContext context, uint32 nrows);

/* Copy a part of the rows materialized on the device; `compiled` is the program that materialized them. */
extern void output_keep_part(OutputRows *rows, MemoryContext context, const CompileResult *compiled, const MaterializedPart *part);

/* Replace the output rows by `nrows` rows in which every attribute of the relation that is read is NULL. */
extern void output_be_null(OutputRows *rows, MemoryContext context, const CompileResult *compiled, uint32 nrows,
						   const DeformSpec *deform);

/*
 * Return the value of a column in a row where it is not NULL.  It is valid until
 * the next call for this column, or palloc'd in the current context.
 */
extern Datum output_value(const OutputColumn *column, uint32 row);

/*
 * Store the values of one row in a virtual slot; attributes that are not among
 * the outputs are NULL.  The values are valid until the next row is stored, or
 * as long as the current context.
 */
extern void output_store(const OutputRows *rows, uint32 row, TupleTableSlot *slot);

#endif							/* GPUDB_EXEC_ROWS_OUTPUT_H */
