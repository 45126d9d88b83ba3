/*
 * op_logic.h
 *		Three-valued logic on (value, null) pairs of 0 or 1.
 *
 * A NULL's value may be anything; it never affects a result.
 */
#ifndef GPUDB_CORE_VM_OP_LOGIC_H
#define GPUDB_CORE_VM_OP_LOGIC_H

#include "core/target.h"

CORE_FN uint8_t is_true(uint8_t value, uint8_t null) { return value & (null ^ 1); }
CORE_FN uint8_t is_false(uint8_t value, uint8_t null) { return (value ^ 1) & (null ^ 1); }

/* AND: NULL unless one side is false or both are true */
CORE_FN uint8_t and_value(uint8_t a, uint8_t an, uint8_t b, uint8_t bn) { return is_true(a, an) & is_true(b, bn); }
CORE_FN uint8_t and_null(uint8_t a, uint8_t an, uint8_t b, uint8_t bn) { return (an | bn) & (is_false(a, an) ^ 1) & (is_false(b, bn) ^ 1); }

/* OR: NULL unless one side is true or both are false */
CORE_FN uint8_t or_value(uint8_t a, uint8_t an, uint8_t b, uint8_t bn) { return is_true(a, an) | is_true(b, bn); }
CORE_FN uint8_t or_null(uint8_t a, uint8_t an, uint8_t b, uint8_t bn) { return (an | bn) & (is_true(a, an) ^ 1) & (is_true(b, bn) ^ 1); }

#endif							/* GPUDB_CORE_VM_OP_LOGIC_H */
