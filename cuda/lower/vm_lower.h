/*
 * vm_lower.h
 *		Lowering of a program to the accumulator machine: shared by
 *		vm_lower.cu, which determines the dependencies, vm_translate.cu,
 *		vm_totals.cu, vm_slots.cu and vm_fuse.cu.
 */
#ifndef GPUDB_CUDA_LOWER_VM_LOWER_H
#define GPUDB_CUDA_LOWER_VM_LOWER_H

#include "kernels/vm_launch.h"

#define MOST_INSTRS 256
#define MOST_SLOTS	250

/* Values in place of an instruction's number. */
#define NOTHING		(-1)
#define SELECTION	(-2)

/* An instruction and the value that it makes. */
typedef struct Value
{
	int			a;				/* instructions that made the operands */
	int			b;
	int			m;
	uint64_t	word;
	bool		constant;
	bool		may_be_null;	/* the value may be NULL; a constant is NULL */
	bool		is_bool;
	bool		wanted;			/* the value is read from a slot */
	int			slot;			/* NOTHING: in no slot now */
	int			last_use;		/* position of the last use */
	int			uses;
} Value;

typedef struct Lowering
{
	const Program *program;
	const Tablet *tablet;
	const Instr *code;
	int			ninstrs;
	bool		keep;
	bool		dense;			/* groups are found by a dense index of their key columns */
	bool		fails;			/* some instruction has no form */
	bool		again;			/* a value turned out to be wanted: translate again */
	Value		value[MOST_INSTRS];
	int			order[MOST_INSTRS];
	int			length;			/* length of order[] */
	int			acc;			/* instructions whose values are in the accumulators acc and t */
	int			t;
	bool		word_slot[MOST_SLOTS];	/* slots in use */
	bool		bool_slot[MOST_SLOTS];
	VmOp	   *more;			/* last instruction, if it can take more actions */
	VmShape    *shape;
	VmCode	   *out;
} Lowering;

static inline bool
is_total(const Instr *in)
{
	return op_is_total(in->op);
}

/* Return true if a value is a constant that an instruction can contain. */
static inline bool
is_inline(const Lowering *l, int v)
{
	return v >= 0 && l->value[v].constant && !l->value[v].may_be_null && !l->value[v].is_bool;
}

static inline bool
loads_for_encoded(const VmOp *op)
{
	return op->op >= VMX_LOAD_U8_FOR && op->op <= VMX_LOAD_U32_FOR;
}

/* Append an instruction; set `fails` if there are too many. */
extern VmOp *put_op(Lowering *l, int op);

/*
 * Return the last instruction, to add an action to it, or a new VMX_NOTHING if
 * the last one has one of the flags `without`.
 */
extern VmOp *put_more(Lowering *l, uint16_t without);

/* Load a value into its accumulator. */
extern void need(Lowering *l, int i);

/* Return the slot of an operand's value; if the value was not known to be wanted from a slot, translate again. */
extern uint8_t from_slot(Lowering *l, int v);
extern uint8_t null_flag(const Lowering *l, int v);

/* Return the mask of an instruction in its encoded form. */
extern uint8_t mask_of(Lowering *l, int v);

/* Release the slots of values that are not used after a position. */
extern void release(Lowering *l, int position);

/* Note that an accumulator has a new value, and store the value in a slot if it is wanted there. */
extern void made(Lowering *l, int i);

/* Translate an instruction that updates a state; set `fails` if it is none, or has no form. */
extern void put_totals(Lowering *l, int position);

/* Make out->op from the instructions in order; set `fails` if an instruction has no form. */
extern void vm_translate(Lowering *l);

/* Merge instructions of the translated code where one can do the work of another. */
extern void vm_fuse(Lowering *l);

#endif							/* GPUDB_CUDA_LOWER_VM_LOWER_H */
