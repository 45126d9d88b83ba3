/*
 * emit.h
 *		Building a program body: instructions over unlimited virtual registers.
 *
 * Every emit makes a new virtual register, unless an equal instruction has been
 * emitted since the selection changed.  emit_finish() drops instructions whose
 * result is never read, assigns the tile VM's register slots by last use, and
 * appends the body to the program's code.
 */
#ifndef GPUDB_COMPILE_EMIT_H
#define GPUDB_COMPILE_EMIT_H

#include "postgres.h"

#include "lib/stringinfo.h"

#include "core/tablet/tablet_format.h"
#include "core/vm/program.h"

/* Virtual register 0 is the selection, on slot 0. */
#define VREG_SELECTION	0

/* Constants that the bodies of one program share. */
typedef struct ConstantPool
{
	StringInfoData words;		/* uint64 constants */
	StringInfoData tables;		/* uint64 words of truth tables, which the executor fills in; placed after `words` */
	StringInfoData bytes;		/* text constants */
	MemoryContext context;		/* memory of the pool, and of bodies until they are finished */
} ConstantPool;

typedef struct EmitInstr
{
	Opcode		op;
	int			dst;
	int			a;
	int			b;
	int			c;
	int			m;
	int			imm;
} EmitInstr;

typedef struct Emitter
{
	ConstantPool *pool;
	EmitInstr  *once;			/* instructions that run once: constants */
	int			nonce;
	int			maxonce;
	EmitInstr  *code;
	int			ncode;
	int			maxcode;
	int			nvregs;
	uint8	   *kind;			/* OperandKind, by virtual register */
	int			maxvregs;
} Emitter;

/* Initialize an empty pool, which allocates in the given memory context. */
extern void pool_init(ConstantPool *pool, MemoryContext context);

/* Return the index of the first of `n` constant words, shared with equal words of the pool. */
extern int	pool_words(ConstantPool *pool, const uint64 *words, int n);

/* Append `n` constant words without sharing, as sets do, and return the index of the first. */
extern int	pool_append_words(ConstantPool *pool, const uint64 *words, int n);

/* Append the `n` words of a truth table and return the index of the first among the words of all truth tables. */
extern int	pool_append_table(ConstantPool *pool, const uint64 *words, int n);

/* Copy the bytes of a text into the program and return a reference to them. */
extern uint64 pool_text(ConstantPool *pool, const char *bytes, int length);

/* Begin a body.  Its memory is allocated in the pool's memory context. */
extern void emit_init(Emitter *em, ConstantPool *pool);

/* Emit an instruction and return the virtual register of its result, 0 if it has none. */
extern int	emit(Emitter *em, Opcode op, int a, int b, int m, int imm);

/* Emit an instruction given with all fields except dst, and return the virtual register of its result. */
extern int	emit_instr(Emitter *em, EmitInstr in);

/* Return a register with a constant, emitted on first use; `kind` decides the opcode. */
extern int	emit_constant(Emitter *em, OperandKind kind, const uint64 *words, bool isnull);

/*
 * Finish a body: append its instructions to `out` and describe it in *body.
 * Returns false if it needs more registers or instructions than a program may
 * have.
 */
extern bool emit_finish(Emitter *em, StringInfo out, ProgramBody *body);

#endif							/* GPUDB_COMPILE_EMIT_H */
