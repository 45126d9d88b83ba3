/*
 * hash.h
 *		Hash functions of group keys.
 *
 * Only gpudb reads these values, so they need not equal PostgreSQL's.  The mixing step is the
 * finaliser of Stafford's "Mix13" variant of MurmurHash3.
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

/*
 * Return one to seven bytes as a word, the first one lowest, by loads that may overlap: loading a
 * whole word right after its bytes were written one by one would have to wait for those writes.
 */
CORE_FN uint64_t
hash_short_word(const uint8_t *bytes, uint32_t length)
{
	if (length >= 4)
		return load_u32(bytes) | (uint64_t) load_u32(bytes + length - 4) << (8 * (length - 4));
	return bytes[0] | (uint64_t) bytes[length / 2] << (8 * (length / 2)) | (uint64_t) bytes[length - 1] << (8 * (length - 1));
}

CORE_FN uint64_t
hash_bytes(const uint8_t *bytes, uint32_t length)
{
	uint64_t	hash = length;

	for (; length >= 8; bytes += 8, length -= 8)
		hash = hash_combine(hash, load_u64(bytes));
	return length > 0 ? hash_combine(hash, hash_short_word(bytes, length)) : hash;
}

#endif							/* GPUDB_CORE_HASH_H */
