/*
 * fingerprint.h
 *		Hash of an attribute's definition, by which a cached column is known to be of this attribute.
 */
#ifndef GPUDB_TABLET_CACHE_FINGERPRINT_H
#define GPUDB_TABLET_CACHE_FINGERPRINT_H

#include "postgres.h"

#include "access/tupdesc.h"

/* Return a hash that tells an attribute from another one of the same number in the same file. */
extern uint64 tablet_fingerprint(TupleDesc desc, AttrNumber attno);

#endif							/* GPUDB_TABLET_CACHE_FINGERPRINT_H */
