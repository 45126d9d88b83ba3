/*
 * row_store.h
 *		Store of rows that come one by one, as the columns of a growing tablet.
 */
#ifndef GPUDB_TABLET_READ_ROW_STORE_H
#define GPUDB_TABLET_READ_ROW_STORE_H

#include "postgres.h"

#include "access/tupdesc.h"

#include "tablet/read/build.h"
#include "tablet/read/local_dict.h"

typedef struct RowStore RowStore;

/*
 * Create a store of rows of type `desc`, which stores the columns wanted, in
 * memory of `context`, in at most `limit` bytes; `expected` rows are expected.
 */
extern RowStore *row_store_create(MemoryContext context, TupleDesc desc, const ColumnWanted *wanted, int nwanted, uint64 limit,
								  double expected);

/*
 * Set a function that takes rows away when there is hardly room for more:
 * `take` is called, between rows, with all rows in the store, which has
 * forgotten them when `take` returns.  `take` may raise errors.
 */
extern void row_store_on_full(RowStore *store, void (*take) (void *arg), void *arg);

/*
 * Add a row.  Return DONE; MEMORY_LIMIT; SCALE_EXCEEDED, after which
 * row_store_scale() tells which scales would have sufficed; CODES_EXCEEDED; or
 * the status of another value that no column can hold.  After a failure the
 * store's rows are of no use.
 */
extern DeviceStatus row_store_add(RowStore *store, const Datum *values, const bool *isnull);

/* Forget all rows. */
extern void row_store_clear(RowStore *store);

/*
 * Add many rows, attribute by attribute: reserve room for `rows` rows, put
 * their values, where row 0 is the first of the new rows, and count the rows
 * (row_store_count()).  row_store_reserve() returns false without room.
 */
extern bool row_store_reserve(RowStore *store, uint32 rows);
extern DeviceStatus row_store_put(RowStore *store, AttrNumber attno, uint32 row, Datum value, bool isnull);
extern void row_store_put_null(RowStore *store, int column, uint32 row);

/* Put a text, and set *ref to its reference, which row_store_put_ref() puts into other rows that share the text. */
extern DeviceStatus row_store_put_text(RowStore *store, int column, uint32 row, const uint8 *bytes, uint32 length, uint64 *ref);
extern void row_store_put_ref(RowStore *store, int column, uint32 row, uint64 ref);

/*
 * Find a text's code in the column's dictionary, to which the text is added if
 * necessary; return CODES_EXCEEDED if the dictionary is full.
 */
extern DeviceStatus row_store_code(RowStore *store, int column, const uint8 *bytes, uint32 length, uint32 *code);
extern void row_store_put_code(RowStore *store, int column, uint32 row, uint32 code);

/* Put a column's values of `rows` rows, stored as the column's type; nulls has a byte for each: 1 = NULL. */
extern void row_store_copy(RowStore *store, int column, const uint8 *values, const uint8 *nulls, uint32 rows);
extern void row_store_count(RowStore *store, uint32 rows);

/* Return the tablet of all rows, including the room reserved; valid until more is reserved or put. */
extern Tablet *row_store_tablet(const RowStore *store);

/* Return the dictionary of a column that holds dictionary codes; NULL for other columns. */
extern const DictView *row_store_dict(const RowStore *store, int column);

/* Return how a column's values are stored, and how many digits after the point its decimals have. */
extern ColType row_store_type(const RowStore *store, int column);
extern int	row_store_digits(const RowStore *store, int column);

/* Make all decimals 128 bits wide; return false if they would take too much memory. */
extern bool row_store_widen(RowStore *store);

/* Return the scale that a column's values have needed; 0 if the column's scale suffices. */
extern int	row_store_scale(const RowStore *store, int column);

/* Make columns of decimals take as many digits after the point as any value needs, instead of SCALE_EXCEEDED. */
extern void row_store_take_digits(RowStore *store);

/* Return the tablet of all rows; no more rows can be added. */
extern Tablet *row_store_finish(RowStore *store);

/* Return how many rows have been added, including those that were taken away. */
extern uint64 row_store_added(const RowStore *store);

/* Return how many bytes the store takes. */
extern uint64 row_store_bytes(const RowStore *store);

#endif							/* GPUDB_TABLET_READ_ROW_STORE_H */
