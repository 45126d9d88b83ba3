/*
 * datums.h
 *		From integers, floats and bytes to PostgreSQL's values, palloc'd in the current context.
 */
#ifndef GPUDB_EXEC_DATUMS_H
#define GPUDB_EXEC_DATUMS_H

#include "postgres.h"

#include "core/decimal.h"
#include "core/dictionary.h"

/* A decimal computed at `scale`, as PostgreSQL prints it at `dscale`. */
extern Datum numeric_datum(Wide value, int scale, int dscale);

/* An integer register as a Datum of its type. */
extern Datum int_datum(Oid type, int64 value);

extern Datum float_datum(Oid type, double value);

/* uuid and timetz from the integer that they are compared by. */
extern Datum wide_datum(Oid type, Wide value);

/* An interval from its bytes. */
extern Datum interval_datum(const uint64 *words);

/* Text; bpchar(n) gets its blanks back. */
extern Datum text_datum(Oid type, int32 typmod, const uint8 *bytes, int length);

/* The same from an integer that holds so many bytes at most. */
/* The text of a code. */
extern Datum coded_datum(const CodeBook *book, uint32 code);

extern Datum packed_datum(Oid type, int32 typmod, int most, const uint64 *words);

#endif							/* GPUDB_EXEC_DATUMS_H */
