/*
 * op_compare.h
 *		Comparisons.  Floats follow PostgreSQL: NaN equals NaN and is above all.
 */
#ifndef GPUDB_CORE_VM_OP_COMPARE_H
#define GPUDB_CORE_VM_OP_COMPARE_H

#include "core/target.h"

CORE_FN uint8_t op_eq_i(int64_t a, int64_t b) { return a == b; }
CORE_FN uint8_t op_ne_i(int64_t a, int64_t b) { return a != b; }
CORE_FN uint8_t op_lt_i(int64_t a, int64_t b) { return a < b; }
CORE_FN uint8_t op_le_i(int64_t a, int64_t b) { return a <= b; }

CORE_FN uint8_t op_eq_w(Wide a, Wide b) { return a == b; }
CORE_FN uint8_t op_ne_w(Wide a, Wide b) { return a != b; }
CORE_FN uint8_t op_lt_w(Wide a, Wide b) { return a < b; }
CORE_FN uint8_t op_le_w(Wide a, Wide b) { return a <= b; }

CORE_FN uint8_t op_eq_f(double a, double b) { return (a == b) | ((a != a) & (b != b)); }
CORE_FN uint8_t op_ne_f(double a, double b) { return !op_eq_f(a, b); }
CORE_FN uint8_t op_lt_f(double a, double b) { return (a < b) | ((a == a) & (b != b)); }
CORE_FN uint8_t op_le_f(double a, double b) { return (a <= b) | (b != b); }

#endif							/* GPUDB_CORE_VM_OP_COMPARE_H */
