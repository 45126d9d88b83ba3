/*
 * collated.h
 *		Order of texts under a collation.
 */
#ifndef GPUDB_EXEC_SORT_COLLATED_H
#define GPUDB_EXEC_SORT_COLLATED_H

#include "postgres.h"

#include "core/sort/sort_rows.h"

/* Return true if texts of this collation are not ordered by their bytes. */
extern bool is_collated(Oid collation);

/* Return the rank of each row's text under a deterministic collation, palloc'd in the current context. */
extern SortRanks collated_ranks(const Tablet *rows, const SortKey *key, Oid collation);

/* Return true if values of a type can be sorted in the type's own order under a collation. */
extern bool sort_is_supported(Oid type, Oid collation);

#endif							/* GPUDB_EXEC_SORT_COLLATED_H */
