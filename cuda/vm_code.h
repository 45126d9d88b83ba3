/*
 * vm_code.h
 *		Programs as the accumulator machine runs them.
 *
 * vm_lower() makes this code of a program's body.  It travels with a launch,
 * so that a GPU reads an instruction as a constant and branches uniformly.
 */
#ifndef GPUDB_CUDA_VM_CODE_H
#define GPUDB_CUDA_VM_CODE_H

#include "core/target.h"

typedef enum VmxOp
{
#define VMX(name, effect) VMX_##name,
#define VMX_COMMUTES(name, effect) VMX_##name##_R, VMX_##name##_C,
#define VMX_ORDERED(name, effect) VMX_##name##_R, VMX_##name##_C, VMX_##name##_RS, VMX_##name##_CS,
#include "vm_ops.def"
#undef VMX
#undef VMX_COMMUTES
#undef VMX_ORDERED
	VMX_Count
} VmxOp;

#define FLAG_NULLS		1		/* r, s or the column may be NULL */
#define FLAG_FILTER		2		/* a comparison is a filter */
#define FLAG_SIGN		2		/* a KEY is the upper word of the one before, all of whose values fit 64 bits */
#define FLAG_ACC_NULLS	4		/* a COUNT counts where acc is not NULL */
#define FLAG_BOOL_NULLS	8		/* a COUNT counts where t is not NULL */

/* What an instruction may do besides, in this order; so most of those that do nothing else need no fetch. */
#define FLAG_PUT		16		/* slot `put` = acc */
#define FLAG_PUT_NULLS	32		/* which may be NULL */
#define FLAG_RANGE		64		/* m0 = m0 & (low <= acc <= high) */
#define FLAG_JUMP_NONE	128		/* if no lane of m0 is left in this warp: end of the tile */
#define FLAG_EMIT		256		/* and a bit for each of its lanes */
#define FLAG_SUM		512		/* add acc to state `sum`, lanes of m */
#define FLAG_COUNT		1024	/* and count them along with it: VmShape.counted */
#define FLAG_MORE		(FLAG_PUT | FLAG_RANGE | FLAG_JUMP_NONE | FLAG_SUM)

typedef struct VmOp
{
	uint8_t		op;				/* VmxOp */
	uint8_t		x;				/* a state's number; of a checked operation its DeviceStatus */
	uint16_t	flags;
	uint8_t		slot;			/* r or s; of a LOAD the column's number in VmCode */
	uint8_t		mask;			/* m: 0 = the selection, else s + 1 */
	uint8_t		put;
	uint8_t		sum;
	int64_t		imm;
	int64_t		low;
	int64_t		high;
} VmOp;

/* What fits a launch's parameters, 4 KB on older CUDA, with the rest of it. */
#define VM_CODE_MAX		72		/* one more is fetched than is run */
#define VM_COLUMNS_MAX	32
#define VM_RANGES_MAX	8
#define VM_FETCHES_MAX	24
#define VM_PARTS_MAX	24

/* The x of what is done for a join: its table, from 0 on, and a part of its key. */
#define JOIN_OP(table, part)	((uint8_t) ((table) << 4 | (part)))
#define JOIN_OP_TABLE(x)		((x) >> 4)
#define JOIN_OP_PART(x)			((x) & 15u)

typedef struct VmCode
{
	uint16_t	length;			/* 0: there is none */
	uint16_t	slots;			/* of words */
	uint16_t	bool_slots;
	uint16_t	ncolumns;
	uint16_t	column[VM_COLUMNS_MAX]; /* of the tablet; bit 15: it has NULLs */
	uint8_t		type[VM_COLUMNS_MAX];	/* ColType that the code was made for; bit 7: in a frame */
	uint8_t		nranges;
	uint8_t		range[VM_RANGES_MAX];	/* instructions that filter by one */
	uint8_t		nparts;			/* of keys of tables; a JOIN's imm is its number */
	uint8_t		nfetches;
	uint16_t	fetch[VM_FETCHES_MAX];	/* FETCH_OF() of each column of a table */
	uint32_t	late;			/* columns that are read from `tail` on alone, a bit each */
	uint8_t		tail;			/* the first instruction behind filters, where kernel_filter.cu runs the code; else 0 */
	VmOp		op[VM_CODE_MAX];
} VmCode;

#define COLUMN_NULLS	0x8000
#define TYPE_FRAMED		0x80

#endif							/* GPUDB_CUDA_VM_CODE_H */
