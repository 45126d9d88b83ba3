/*
 * op_units.h
 *		Lists of the opcodes that the interpreter's loop passes on, by the function that computes them.
 *
 * vm_run_tile() has a label for each opcode, or gcc refuses it.  It passes the opcodes of
 * op_cold.def to vm_run_cold(), totals to vm_update() and operations on rows to vm_join().  Each
 * device has a vm_update() and a vm_join() of its own, so their opcodes are listed here.
 *
 * Each list is an enumeration, too.  A switch over it has no `default`, so that gcc refuses one
 * without a meaning for each opcode of its list, or with one for any other.  nvcc does not check
 * code for the GPU; there labels are counted (cuda/lower/labels.h).
 */
#ifndef GPUDB_CORE_VM_OP_UNITS_H
#define GPUDB_CORE_VM_OP_UNITS_H

#include "core/vm/program.h"

/* totals of the only group of a program without keys, and of the group of each lane */
#define TOTAL_OPS(OP) \
	OP(COUNT) OP(SUM_I) OP(SUM_W) OP(SUM_F) OP(EXACT) OP(MIN_I) OP(MAX_I) OP(MIN_W) OP(MAX_W) \
	OP(SUM_SQ) OP(ALL_BITS) OP(ANY_BITS) OP(ODD_BITS) OP(MIN_BY) OP(MAX_BY) OP(MIN_T) OP(MAX_T) \
	OP(BINS) OP(VALUES)
#define TOTAL_G_OPS(OP) \
	OP(COUNT_G) OP(SUM_I_G) OP(SUM_W_G) OP(SUM_F_G) OP(EXACT_G) OP(MIN_I_G) OP(MAX_I_G) OP(MIN_W_G) \
	OP(MAX_W_G) OP(SUM_SQ_G) OP(ALL_BITS_G) OP(ANY_BITS_G) OP(ODD_BITS_G) OP(MIN_BY_G) OP(MAX_BY_G) \
	OP(MIN_T_G) OP(MAX_T_G)

/* rows of join tables, and materialized rows */
#define JOIN_OPS(OP) \
	OP(JOIN_I) OP(JOIN_W) OP(JOIN_T) OP(PROBE) OP(SPAN) OP(RANK_I) OP(RANK_W) OP(RANGE) OP(KEEP_R) \
	OP(FETCH_B) OP(FETCH_I) OP(FETCH_W) OP(FETCH_F) OP(FETCH_T) OP(LANE) OP(MATCH) OP(PICK_R) \
	OP(CLEAR) OP(MARK) OP(EMIT_ROW) OP(PLACE) OP(STORE_B) OP(STORE_I) OP(STORE_F) OP(STORE_R)

#define OP_CASE(name) case VMOP_##name:
#define OP_ONE(name) + 1
#define OP_MEMBER(name) ONLY_##name = VMOP_##name,
#define COLD(name, ...) OP_MEMBER(name)

typedef enum ColdOp
{
#include "core/vm/op_cold.def"
} ColdOp;

typedef enum TotalOp
{
	TOTAL_OPS(OP_MEMBER)
} TotalOp;

typedef enum GroupTotalOp
{
	TOTAL_G_OPS(OP_MEMBER)
} GroupTotalOp;

typedef enum JoinOp
{
	JOIN_OPS(OP_MEMBER)
} JoinOp;

#undef COLD
#undef OP_MEMBER

#endif							/* GPUDB_CORE_VM_OP_UNITS_H */
