/*
 * hash.h
 *		Hashes of group keys.
 *
 * Only gpudb reads these values, so they need not equal PostgreSQL's.  The
 * mixing step is the finaliser of Stafford's "Mix13" variant of MurmurHash3.
 */
#ifndef GPUDB_CORE_HASH_H
#define GPUDB_CORE_HASH_H

#include "core/target.h"

CORE_FN uint64_t
hash_mix(uint64_t x)
{
	x ^= x >> 30;
	x *= UINT64_C(0xbf58476d1ce4e5b9);
	x ^= x >> 27;
	x *= UINT64_C(0x94d049bb133111eb);
	return x ^ (x >> 31);
}

/* Fold one 64-bit word into a running hash. */
CORE_FN uint64_t
hash_combine(uint64_t hash, uint64_t word)
{
	return hash_mix(hash ^ (word + UINT64_C(0x9e3779b97f4a7c15) + (hash << 6) + (hash >> 2)));
}

CORE_FN uint64_t
hash_bytes(const uint8_t *bytes, uint32_t length)
{
	uint64_t	hash = length;
	uint64_t	word;

	for (; length >= 8; bytes += 8, length -= 8)
		hash = hash_combine(hash, load_u64(bytes));
	if (length > 0)
	{
		word = 0;
		memcpy(&word, bytes, length);
		hash = hash_combine(hash, word);
	}
	return hash;
}

#endif							/* GPUDB_CORE_HASH_H */
