/*
 * collated.h
 *		The order of texts under a collation.
 */
#ifndef GPUDB_EXEC_COLLATED_H
#define GPUDB_EXEC_COLLATED_H

#include "postgres.h"

#include "core/sort_rows.h"

/* Whether texts of this collation are ordered otherwise than their bytes are. */
extern bool is_collated(Oid collation);

/*
 * Which place each row's text has among those of a key under a collation that
 * is deterministic; allocated in the current context.
 */
extern SortRanks collated_ranks(const Tablet *rows, const SortKey *key, Oid collation);

#endif							/* GPUDB_EXEC_COLLATED_H */
