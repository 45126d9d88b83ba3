/*
 * vm_lower.h
 *		A program on its way to the accumulator machine: between vm_lower.cu,
 *		which finds out what depends on what, vm_translate.cu, vm_totals.cu and vm_slots.cu.
 */
#ifndef GPUDB_CUDA_VM_LOWER_H
#define GPUDB_CUDA_VM_LOWER_H

#include "vm_launch.h"

#define MOST_INSTRS 256
#define MOST_SLOTS	250

/* In place of an instruction's number. */
#define NOTHING		(-1)
#define SELECTION	(-2)

/* An instruction and the value it makes. */
typedef struct Value
{
	int			a;				/* the instructions that made its operands */
	int			b;
	int			m;
	uint64_t	word;
	bool		constant;
	bool		may_be_null;	/* a constant is */
	bool		is_bool;
	bool		wanted;			/* from a slot */
	int			slot;			/* NOTHING: none now */
	int			last_use;		/* position */
	int			uses;
} Value;

typedef struct Lowering
{
	const Program *program;
	const Tablet *tablet;
	const Instr *code;
	int			ninstrs;
	bool		keep;
	bool		coded;			/* groups are found by the codes of their key columns */
	bool		fails;			/* some instruction has no form */
	bool		again;			/* a value turned out to be wanted */
	Value		value[MOST_INSTRS];
	int			order[MOST_INSTRS];
	int			length;			/* of order */
	int			acc;			/* whose values the accumulators have */
	int			t;
	bool		word_slot[MOST_SLOTS];	/* taken */
	bool		bool_slot[MOST_SLOTS];
	VmOp	   *more;			/* the last instruction, if it can do more besides */
	VmShape    *shape;
	VmCode	   *out;
} Lowering;

static inline bool
is_total(const Instr *in)
{
	return op_is_total(in->op);
}

/* A constant that an instruction can have as its own. */
static inline bool
is_inline(const Lowering *l, int v)
{
	return v >= 0 && l->value[v].constant && !l->value[v].may_be_null && !l->value[v].is_bool;
}

static inline bool
loads_framed(const VmOp *op)
{
	return op->op >= VMX_LOAD_U8_FRAMED && op->op <= VMX_LOAD_U32_FRAMED;
}

/* Another instruction; `fails` if there are too many. */
extern VmOp *put_op(Lowering *l, int op);

/* The last instruction, to do something besides, or one that does nothing else if that does one of these. */
extern VmOp *put_more(Lowering *l, uint16_t without);

/* Have a value in its accumulator. */
extern void need(Lowering *l, int i);

/* Have an operand's value in a slot; what was not known to be wanted will be next time. */
extern uint8_t from_slot(Lowering *l, int v);
extern uint8_t null_flag(const Lowering *l, int v);

/* What an instruction has as its mask. */
extern uint8_t mask_of(Lowering *l, int v);

/* Nobody needs values after a position. */
extern void release(Lowering *l, int position);

/* An accumulator has a new value. */
extern void made(Lowering *l, int i);

/* Translate an instruction that updates a state; `fails` if it is none, or has no form. */
extern void put_totals(Lowering *l, int position);

/* Fill out->op from what the order says; `fails` if an instruction has no form. */
extern void vm_translate(Lowering *l);

/* And afterwards have instructions do what others did. */
extern void vm_fuse(Lowering *l);

#endif							/* GPUDB_CUDA_VM_LOWER_H */
