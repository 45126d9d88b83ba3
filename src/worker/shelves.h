/*
 * shelves.h
 *		Descriptions of shelves that the GPU process remembers, so that each is sent once.
 *
 * Descriptions are shared by all jobs: a shelf's number denotes the same memory
 * for every requester.  The least recently used ones are forgotten when they take
 * too much memory.  Like all code of the GPU process this calls none of
 * PostgreSQL's functions.
 */
#ifndef GPUDB_WORKER_SHELVES_H
#define GPUDB_WORKER_SHELVES_H

#include "postgres.h"

#include "core/provider_api.h"

/*
 * Return the remembered shelf with this number, `ntablets` tablets of `ncolumns`
 * columns, and these column numbers in its first tablet; NULL if there is none.
 */
extern const ProviderShelf *shelves_find(uint64 number, uint32 ntablets, uint32 ncolumns, const uint64 *first);

/*
 * Allocate the description of a shelf, to be filled in; NULL without memory.  It
 * is the caller's until shelves_keep() adds it to the remembered ones, or
 * shelves_drop() frees it.
 */
extern ProviderShelf *shelves_new(uint32 ntablets, uint32 ncolumns);
extern void shelves_keep(ProviderShelf *shelf, uint64 number);
extern void shelves_drop(ProviderShelf *shelf);

/* Pin or unpin a shelf for a GPU batch.  A pinned shelf is not forgotten. */
extern void shelves_pin(const ProviderShelf *shelf);
extern void shelves_unpin(const ProviderShelf *shelf);

#endif							/* GPUDB_WORKER_SHELVES_H */
