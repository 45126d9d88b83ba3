/*
 * exact_sums.h
 *		Sums and averages of floats that are rounded once.
 */
#ifndef GPUDB_EXEC_AGG_EXACT_SUMS_H
#define GPUDB_EXEC_AGG_EXACT_SUMS_H

#include "postgres.h"

#include "core/vm/op_exact.h"

/*
 * Set *value to a sum divided by `n`, as a float8 or, if `single`, a float4.
 * Return DONE, or FLOAT_TOTAL if it is beyond the largest number of that type.
 */
extern DeviceStatus exact_sum_datum(const uint64 *state, uint64 n, bool single, Datum *value);

#endif							/* GPUDB_EXEC_AGG_EXACT_SUMS_H */
