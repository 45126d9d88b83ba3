/*
 * row_store.h
 *		Rows that come one by one, as the columns of a tablet that grows.
 */
#ifndef GPUDB_TABLET_ROW_STORE_H
#define GPUDB_TABLET_ROW_STORE_H

#include "postgres.h"

#include "access/tupdesc.h"

#include "tablet/build.h"
#include "tablet/own_codes.h"

typedef struct RowStore RowStore;

/*
 * A store of rows of this kind, which keeps the columns wanted, in memory of
 * `context`, as many bytes at most; so many rows are expected.
 */
extern RowStore *row_store_create(MemoryContext context, TupleDesc desc, const ColumnWanted *wanted, int nwanted, uint64 limit,
								  double expected);

/*
 * Have rows taken away when there is hardly room for more: `take` is called,
 * between rows, with all of them in the store, which has forgotten them when it
 * returns.  What it does may raise errors.
 */
extern void row_store_on_full(RowStore *store, void (*take) (void *arg), void *arg);

/*
 * Add a row.  DONE; MEMORY_LIMIT; SCALE_EXCEEDED, with row_store_scale() then
 * telling which scales would have done; CODES_EXCEEDED; or what else no column
 * can hold.  After a failure the store is of no use.
 */
extern DeviceStatus row_store_add(RowStore *store, const Datum *values, const bool *isnull);

/* Forget all rows. */
extern void row_store_clear(RowStore *store);

/*
 * The same of many rows, attribute by attribute: have room for so many, put
 * their values, row 0 being the first of them, and count them.
 */
extern bool row_store_reserve(RowStore *store, uint32 rows);
extern DeviceStatus row_store_put(RowStore *store, AttrNumber attno, uint32 row, Datum value, bool isnull);
extern void row_store_put_null(RowStore *store, int column, uint32 row);

/* A text, and the reference to it, which other rows may share. */
extern DeviceStatus row_store_put_text(RowStore *store, int column, uint32 row, const uint8 *bytes, uint32 length, uint64 *ref);
extern void row_store_put_ref(RowStore *store, int column, uint32 row, uint64 ref);

/* A text's code, for which its value is put down in the column's dictionary; CODES_EXCEEDED if that is full. */
extern DeviceStatus row_store_code(RowStore *store, int column, const uint8 *bytes, uint32 length, uint32 *code);
extern void row_store_put_code(RowStore *store, int column, uint32 row, uint32 code);

/* All values, as the column's type stores them, and a byte for each: 1 = NULL. */
extern void row_store_copy(RowStore *store, int column, const uint8 *values, const uint8 *nulls, uint32 rows);
extern void row_store_count(RowStore *store, uint32 rows);

/* Where all that is, with room for what was reserved; until more is, or put. */
extern Tablet *row_store_tablet(const RowStore *store);

/* The dictionary of a column of codes, NULL of others. */
extern const CodeBook *row_store_book(const RowStore *store, int column);

/* How a column's values are stored, decimals with how many digits after the point, */
extern ColType row_store_type(const RowStore *store, int column);
extern int	row_store_digits(const RowStore *store, int column);

/* and have decimals take 128 bits; false when that is too much. */
extern bool row_store_widen(RowStore *store);

/* The scale that a column's values have needed, 0 if the one it has will do. */
extern int	row_store_scale(const RowStore *store, int column);

/* Have columns of decimals take as many digits after the point as any value wants, instead of SCALE_EXCEEDED. */
extern void row_store_take_digits(RowStore *store);

/* All rows; no more can be added. */
extern Tablet *row_store_finish(RowStore *store);

/* How many rows have been added, those that were taken away included. */
extern uint64 row_store_added(const RowStore *store);

/* Bytes that the store has taken. */
extern uint64 row_store_bytes(const RowStore *store);

#endif							/* GPUDB_TABLET_ROW_STORE_H */
