/*
 * op_cast.h
 *		Conversions among the register kinds.
 */
#ifndef GPUDB_CORE_VM_OP_CAST_H
#define GPUDB_CORE_VM_OP_CAST_H

#include "core/numeric/decimal.h"
#include "core/vm/op_arith.h"
#include "core/target.h"

CORE_FN int64_t
op_narrow(Wide v, uint32_t *error)
{
	*error |= !wide_fits_int64(v);
	return (int64_t) v;
}

/* Round to float4 like dtof(): overflow to infinity and underflow to zero are errors. */
CORE_FN double
op_f8_to_f4(double v, uint32_t *error)
{
	double		r = (double) (float) v;

	*error |= (is_inf(r) & !is_inf(v)) | ((r == 0) & (v != 0));
	return r;
}

/* Round half to even like dtoi8(); values outside int64 and NaN are errors. */
CORE_FN int64_t
op_f_to_int(double v, uint32_t *error)
{
	double		r = rint(v);
	bool		fits = (r >= -9223372036854775808.0) & (r < 9223372036854775808.0);

	*error |= !fits;
	return fits ? (int64_t) r : 0;
}

/*
 * Convert numeric to float8.  Dividing two exact doubles rounds once, as reading the decimal string
 * does; beyond 2^53 or 10^22 that does not hold, and *error is set.
 */
CORE_FN double
op_dec_to_f8(Wide v, int32_t scale, uint32_t *error)
{
	const int64_t exact = (int64_t) 1 << 53;
	double		unit = 1;
	int32_t		i;

	*error |= (v > exact) | (v < -exact) | (scale > 22);
	for (i = 0; i < scale && i < 22; i++)
		unit *= 10;
	return (double) (int64_t) v / unit;
}

/*
 * Map a double to an integer in the same order: NaN above all, -0 below 0.  The map is its own
 * inverse on the bits (float_of_key()).
 */
CORE_FN int64_t
op_float_key(double v)
{
	int64_t		bits = (int64_t) bits_of_float(v);

	bits = v != v ? INT64_C(0x7ff8000000000000) : bits;
	return bits ^ ((bits >> 63) & INT64_MAX);
}

CORE_FN double
float_of_key(int64_t key)
{
	return float_of_bits((uint64_t) (key ^ ((key >> 63) & INT64_MAX)));
}

CORE_FN uint8_t op_neg_zero(double v) { return (v == 0) & ((bits_of_float(v) >> 63) != 0); }

#endif							/* GPUDB_CORE_VM_OP_CAST_H */
