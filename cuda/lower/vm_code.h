/*
 * vm_code.h
 *		Code of the accumulator machine.
 *
 * vm_lower() makes this code from a program's body.  It is a launch parameter,
 * so that a GPU reads an instruction as a constant and branches uniformly.
 */
#ifndef GPUDB_CUDA_LOWER_VM_CODE_H
#define GPUDB_CUDA_LOWER_VM_CODE_H

#include "core/target.h"

typedef enum VmxOp
{
#define VMX(name, effect) VMX_##name,
#define VMX_COMMUTES(name, effect) VMX_##name##_R, VMX_##name##_C,
#define VMX_ORDERED(name, effect) VMX_##name##_R, VMX_##name##_C, VMX_##name##_RS, VMX_##name##_CS,
#include "lower/vm_ops.def"
#undef VMX
#undef VMX_COMMUTES
#undef VMX_ORDERED
	VMX_Count
} VmxOp;

#define FLAG_NULLS		1		/* r, s or the column may be NULL */
#define FLAG_FILTER		2		/* a comparison filters m0 */
#define FLAG_SIGN		2		/* a KEY is the upper word of the previous KEY, all values of which fit in 64 bits */
#define FLAG_ACC_NULLS	4		/* a COUNT counts where acc is not NULL */
#define FLAG_BOOL_NULLS	8		/* a COUNT counts where t is not NULL */

/*
 * Additional actions of an instruction, performed in this order; thanks to
 * them most actions need no fetch of another instruction.
 */
#define FLAG_PUT		16		/* slot `put` = acc */
#define FLAG_PUT_NULLS	32		/* acc may be NULL when it is put */
#define FLAG_RANGE		64		/* m0 = m0 & (low <= acc <= high) */
#define FLAG_JUMP_NONE	128		/* end the tile if no lane of m0 is left in this warp */
#define FLAG_EMIT		256		/* emit a bit for each lane of m0 before the jump of FLAG_JUMP_NONE */
#define FLAG_SUM		512		/* add acc to state `sum`, lanes of m */
#define FLAG_COUNT		1024	/* count the lanes along with the sum: VmShape.counted */
#define FLAG_MORE		(FLAG_PUT | FLAG_RANGE | FLAG_JUMP_NONE | FLAG_SUM)

typedef struct VmOp
{
	uint8_t		op;				/* VmxOp */
	uint8_t		x;				/* a state's number; for a checked operation its DeviceStatus */
	uint16_t	flags;
	uint8_t		slot;			/* r or s; for a LOAD the column's number in VmCode */
	uint8_t		mask;			/* m: 0 = the selection, else s + 1 */
	uint8_t		put;
	uint8_t		sum;
	int64_t		imm;
	int64_t		low;
	int64_t		high;
} VmOp;

/* Limits by which a launch's parameters stay within 4 KB, the limit of older CUDA. */
#define VM_CODE_MAX		72		/* most instructions; the kernel fetches one more than it runs */
#define VM_COLUMNS_MAX	32
#define VM_RANGES_MAX	8
#define VM_FETCHES_MAX	24
#define VM_PARTS_MAX	24

/* Value of x in join instructions: the table, from 0 on, and a part of its key. */
#define JOIN_OP(table, part)	((uint8_t) ((table) << 4 | (part)))
#define JOIN_OP_TABLE(x)		((x) >> 4)
#define JOIN_OP_PART(x)			((x) & 15u)

typedef struct VmCode
{
	uint16_t	length;			/* 0: no code */
	uint16_t	slots;			/* number of slots for words */
	uint16_t	bool_slots;
	uint16_t	ncolumns;
	uint16_t	column[VM_COLUMNS_MAX]; /* column of the tablet; bit 15: it has NULLs */
	uint8_t		type[VM_COLUMNS_MAX];	/* ColType for which the code was made; bit 7: frame-of-reference encoded */
	uint8_t		nranges;
	uint8_t		range[VM_RANGES_MAX];	/* instructions that filter by a range */
	uint8_t		nparts;			/* number of parts of join keys; a JOIN's imm is a part's number */
	uint8_t		nfetches;
	uint16_t	fetch[VM_FETCHES_MAX];	/* FETCH_OF() of each column of a join table */
	uint32_t	deferred;		/* bitmap of the columns that are read only from `tail` on */
	uint8_t		tail;			/* first instruction behind the filters, if kernel_filter.cu runs the code; else 0 */
	VmOp		op[VM_CODE_MAX];
} VmCode;

#define COLUMN_NULLS	0x8000
#define TYPE_FOR_ENCODED 0x80

#endif							/* GPUDB_CUDA_LOWER_VM_CODE_H */
