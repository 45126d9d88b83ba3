/*
 * exact_sums.h
 *		Sums and averages of floats that are rounded once.
 */
#ifndef GPUDB_EXEC_EXACT_SUMS_H
#define GPUDB_EXEC_EXACT_SUMS_H

#include "postgres.h"

#include "core/op_exact.h"

/* A sum divided by n, as a float8 or, `single`, as a float4; FLOAT_TOTAL if that has no such number. */
extern DeviceStatus exact_sum_datum(const uint64 *state, uint64 n, bool single, Datum *value);

#endif							/* GPUDB_EXEC_EXACT_SUMS_H */
