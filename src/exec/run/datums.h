/*
 * datums.h
 *		Converts integers, floats and bytes to PostgreSQL's Datums, palloc'd in the current context.
 */
#ifndef GPUDB_EXEC_RUN_DATUMS_H
#define GPUDB_EXEC_RUN_DATUMS_H

#include "postgres.h"

#include "core/numeric/decimal.h"
#include "core/tablet/dictionary.h"

/* Return the numeric with display scale `dscale` of a decimal computed at `scale`. */
extern Datum numeric_datum(Wide value, int scale, int dscale);

/* Return an integer as a Datum of `type`; only that of a bit(n) depends on `typmod`. */
extern Datum int_datum(Oid type, int32 typmod, int64 value);

/* Return a float4 or float8. */
extern Datum float_datum(Oid type, double value);

/* Return a uuid or timetz from the integer by which it is compared. */
extern Datum wide_datum(Oid type, Wide value);

/* Return an interval from its bytes. */
extern Datum interval_datum(const uint64 *words);

/* Return a text; bpchar(n) is padded with blanks, name is built by namein(). */
extern Datum text_datum(Oid type, int32 typmod, const uint8 *bytes, int length);

/* Return the text of a dictionary code. */
extern Datum dict_datum(const DictView *view, uint32 code);

/* Return a text from the one or two words that hold it packed; `most` is the number of bytes that they can hold. */
extern Datum packed_datum(Oid type, int32 typmod, int most, const uint64 *words);

#endif							/* GPUDB_EXEC_RUN_DATUMS_H */
