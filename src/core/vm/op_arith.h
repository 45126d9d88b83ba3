/*
 * op_arith.h
 *		Arithmetic with PostgreSQL's rules for overflow.
 *
 * A function that can fail ORs 1 into *error and continues; nothing branches, so a loop over lanes
 * can be vectorised.  Integers of all sizes are computed in 64 bits and checked against the size of
 * the SQL type.
 */
#ifndef GPUDB_CORE_VM_OP_ARITH_H
#define GPUDB_CORE_VM_OP_ARITH_H

#include "core/numeric/decimal.h"
#include "core/target.h"

CORE_FN int64_t
check_i2(int64_t v, uint32_t *error)
{
	*error |= v != (int16_t) v;
	return v;
}

CORE_FN int64_t
check_i4(int64_t v, uint32_t *error)
{
	*error |= v != (int32_t) v;
	return v;
}

CORE_FN int64_t op_add_d(int64_t a, int64_t b) { return (int64_t) ((uint64_t) a + (uint64_t) b); }
CORE_FN int64_t op_sub_d(int64_t a, int64_t b) { return (int64_t) ((uint64_t) a - (uint64_t) b); }
CORE_FN int64_t op_mul_d(int64_t a, int64_t b) { return (int64_t) ((uint64_t) a * (uint64_t) b); }

CORE_FN int64_t op_add_i2(int64_t a, int64_t b, uint32_t *error) { return check_i2(op_add_d(a, b), error); }
CORE_FN int64_t op_add_i4(int64_t a, int64_t b, uint32_t *error) { return check_i4(op_add_d(a, b), error); }
CORE_FN int64_t op_sub_i2(int64_t a, int64_t b, uint32_t *error) { return check_i2(op_sub_d(a, b), error); }
CORE_FN int64_t op_sub_i4(int64_t a, int64_t b, uint32_t *error) { return check_i4(op_sub_d(a, b), error); }
CORE_FN int64_t op_mul_i2(int64_t a, int64_t b, uint32_t *error) { return check_i2(op_mul_d(a, b), error); }
CORE_FN int64_t op_mul_i4(int64_t a, int64_t b, uint32_t *error) { return check_i4(op_mul_d(a, b), error); }

CORE_FN int64_t
op_add_i8(int64_t a, int64_t b, uint32_t *error)
{
	int64_t		r = op_add_d(a, b);

	*error |= ((a ^ r) & (b ^ r)) < 0;
	return r;
}

CORE_FN int64_t
op_sub_i8(int64_t a, int64_t b, uint32_t *error)
{
	int64_t		r = op_sub_d(a, b);

	*error |= ((a ^ b) & (a ^ r)) < 0;
	return r;
}

CORE_FN int64_t
op_mul_i8(int64_t a, int64_t b, uint32_t *error)
{
	Wide		r = (Wide) a * b;

	*error |= !wide_fits_int64(r);
	return (int64_t) r;
}

/* Divide without trapping: division by 0 yields 0, by -1 the wrapped negation. */
CORE_FN int64_t
safe_quotient(int64_t a, int64_t b)
{
	int64_t		divisor = b == 0 || b == -1 ? 1 : b;
	int64_t		q = a / divisor;

	return b == 0 ? 0 : b == -1 ? op_sub_d(0, a) : q;
}

CORE_FN int64_t op_div_i2(int64_t a, int64_t b, uint32_t *error) { return check_i2(safe_quotient(a, b), error); }
CORE_FN int64_t op_div_i4(int64_t a, int64_t b, uint32_t *error) { return check_i4(safe_quotient(a, b), error); }

CORE_FN int64_t
op_div_i8(int64_t a, int64_t b, uint32_t *error)
{
	*error |= (a == INT64_MIN) & (b == -1);
	return safe_quotient(a, b);
}

CORE_FN int64_t
op_mod_i(int64_t a, int64_t b)
{
	int64_t		divisor = b == 0 || b == -1 ? 1 : b;

	return a % divisor;
}

/*
 * Return the greatest common divisor of a and b by Euclid's algorithm.  It is not negative, so that of
 * -2^63 and itself, or 0, does not fit.
 */
CORE_FN int64_t
op_gcd_i8(int64_t a, int64_t b, uint32_t *error)
{
	uint64_t	x = a < 0 ? 0 - (uint64_t) a : (uint64_t) a;
	uint64_t	y = b < 0 ? 0 - (uint64_t) b : (uint64_t) b;

	while (y != 0)
	{
		const uint64_t rest = x % y;

		x = y;
		y = rest;
	}
	*error |= x > INT64_MAX;
	return (int64_t) x;
}

CORE_FN int64_t op_gcd_i4(int64_t a, int64_t b, uint32_t *error) { return check_i4(op_gcd_i8(a, b, error), error); }

/* bitwise operations on sign-extended values, so they serve integers of every size */
CORE_FN int64_t op_bitand_i(int64_t a, int64_t b) { return a & b; }
CORE_FN int64_t op_bitor_i(int64_t a, int64_t b) { return a | b; }
CORE_FN int64_t op_bitxor_i(int64_t a, int64_t b) { return a ^ b; }

/* Return the remainder of decimals at one scale; sets *error if b is 0. */
CORE_FN int64_t
op_mod_d(int64_t a, int64_t b, uint32_t *error)
{
	*error |= b == 0;
	return op_mod_i(a, b);
}

CORE_FN Wide
op_mod_w(Wide a, Wide b, uint32_t *error)
{
	*error |= b == 0;
	return a % (b == 0 || b == -1 ? 1 : b);
}

/* overflow rules of src/include/utils/float.h: infinite from finite is overflow, zero from non-zero underflow */
CORE_FN uint8_t is_inf(double v) { return (v == (double) INFINITY) | (v == -(double) INFINITY); }

CORE_FN double
op_add_f8(double a, double b, uint32_t *error)
{
	double		r = a + b;

	*error |= is_inf(r) & !is_inf(a) & !is_inf(b);
	return r;
}

CORE_FN double
op_sub_f8(double a, double b, uint32_t *error)
{
	return op_add_f8(a, -b, error);
}

CORE_FN double
op_mul_f8(double a, double b, uint32_t *error)
{
	double		r = a * b;

	*error |= (is_inf(r) & !is_inf(a) & !is_inf(b)) | ((r == 0) & (a != 0) & (b != 0));
	return r;
}

CORE_FN double
op_div_f8(double a, double b, uint32_t *error)
{
	double		r = a / b;

	*error |= (is_inf(r) & !is_inf(a)) | ((r == 0) & (a != 0) & !is_inf(b));
	return r;
}

/*
 * Add in double and round once more to float4, which is exact: a double has more than twice the
 * digits of a float plus two (Figueroa 1995).
 */
CORE_FN double
op_add_f4(double a, double b, uint32_t *error)
{
	double		r = (double) (float) (a + b);

	*error |= is_inf(r) & !is_inf(a) & !is_inf(b);
	return r;
}

CORE_FN double
op_sub_f4(double a, double b, uint32_t *error)
{
	return op_add_f4(a, -b, error);
}

CORE_FN double
op_mul_f4(double a, double b, uint32_t *error)
{
	double		r = (double) (float) (a * b);

	*error |= (is_inf(r) & !is_inf(a) & !is_inf(b)) | ((r == 0) & (a != 0) & (b != 0));
	return r;
}

CORE_FN double
op_div_f4(double a, double b, uint32_t *error)
{
	double		r = (double) (float) (a / b);

	*error |= (is_inf(r) & !is_inf(a)) | ((r == 0) & (a != 0) & !is_inf(b));
	return r;
}

/* Compute dsqrt(): a negative number is an error, -0 yields -0. */
CORE_FN double
op_sqrt_f(double a, uint32_t *error)
{
	*error |= a < 0;
	return sqrt(a < 0 ? 0 : a);
}

/* Return 1 for values below all normal numbers, where the C library may or may not report an underflow. */
CORE_FN uint8_t is_tiny(double v) { return fabs(v) < 0x1p-1022; }

/*
 * Compute e^a.  exp, ln and power come from the C library, as PostgreSQL's do; arguments that are
 * an error in PostgreSQL, or need its special cases, set *error.
 */
CORE_FN double
op_exp_f(double a, uint32_t *error)
{
	double		r = core_exp(a);

	*error |= (is_inf(r) | is_tiny(r)) & !is_inf(a);
	return r;
}

CORE_FN double
op_ln_f(double a, uint32_t *error)
{
	*error |= a <= 0;
	return core_log(a <= 0 ? 1 : a);
}

CORE_FN double
op_log10_f(double a, uint32_t *error)
{
	*error |= a <= 0;
	return core_log10(a <= 0 ? 1 : a);
}

CORE_FN double
op_pow_f(double a, double b, uint32_t *error)
{
	double		r = core_pow(a, b);

	*error |= (a != a) | (b != b) | is_inf(a) | is_inf(b) | (r != r) | is_inf(r) | (is_tiny(r) & (a != 0));
	return r;
}

/* Return a / 10^digits, rounded half away from zero. */
CORE_FN int64_t
op_round_d(int64_t a, int32_t digits)
{
	return (int64_t) wide_round(a, digits);
}

/* Return a / 10^digits, rounded toward zero. */
CORE_FN int64_t op_trunc_d(int64_t a, int32_t digits) { return a / pow10_int64(digits); }
CORE_FN Wide op_trunc_w(Wide a, int32_t digits) { return a / pow10_wide(digits); }

/* Return a / 10^digits, rounded downwards. */
CORE_FN int64_t
op_floor_d(int64_t a, int32_t digits)
{
	int64_t		unit = pow10_int64(digits);

	return a / unit - (a % unit < 0);
}

CORE_FN Wide
op_floor_w(Wide a, int32_t digits)
{
	Wide		unit = pow10_wide(digits);

	return a / unit - (a % unit < 0);
}

#endif							/* GPUDB_CORE_VM_OP_ARITH_H */
