/*
 * shelves.h
 *		Shelves of cached tablets that the helper remembers, so that each is described once.
 *
 * They are everybody's: who names one has it in the same memory.  The least
 * recently used go when there are too many.  Like all of the helper this calls
 * none of PostgreSQL's functions.
 */
#ifndef GPUDB_WORKER_SHELVES_H
#define GPUDB_WORKER_SHELVES_H

#include "postgres.h"

#include "core/provider_api.h"

/*
 * The shelf of this number whose first tablet's columns have these numbers;
 * NULL if it is not known.
 */
extern const ProviderShelf *shelves_find(uint64 number, uint32 ntablets, uint32 ncolumns, const uint64 *first);

/*
 * Memory for one more shelf, to be filled; NULL if there is none.  It is known
 * when it is kept; until then it is the caller's, to keep or to drop.
 */
extern ProviderShelf *shelves_new(uint32 ntablets, uint32 ncolumns);
extern void shelves_keep(ProviderShelf *shelf, uint64 number);
extern void shelves_drop(ProviderShelf *shelf);

/* A batch begins or ends to use a shelf, which stays meanwhile. */
extern void shelves_pin(const ProviderShelf *shelf);
extern void shelves_unpin(const ProviderShelf *shelf);

#endif							/* GPUDB_WORKER_SHELVES_H */
