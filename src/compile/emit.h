/*
 * emit.h
 *		Building a program body: instructions over unlimited virtual registers.
 *
 * Every emit makes a new virtual register, unless the same has been computed
 * already.  emit_finish() drops instructions
 * whose result nobody reads, assigns the tile VM's register slots by last
 * use, and writes the body behind the program's constants.
 */
#ifndef GPUDB_COMPILE_EMIT_H
#define GPUDB_COMPILE_EMIT_H

#include "postgres.h"

#include "lib/stringinfo.h"

#include "core/program.h"
#include "core/tablet_format.h"

/* Virtual register 0 is the selection, on slot 0. */
#define VREG_SELECTION	0

/* What the bodies of one program share. */
typedef struct ConstantPool
{
	StringInfoData words;		/* uint64 */
	StringInfoData tables;		/* the same, which will stand behind them, and are the executor's to change */
	StringInfoData bytes;
	MemoryContext context;		/* of these, and of what a body takes until it is finished */
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
	EmitInstr  *once;			/* constants */
	int			nonce;
	int			maxonce;
	EmitInstr  *code;
	int			ncode;
	int			maxcode;
	int			nvregs;
	uint8	   *kind;			/* of each virtual register */
	int			maxvregs;
} Emitter;

/* An empty pool; it lives in a memory context of the caller's. */
extern void pool_init(ConstantPool *pool, MemoryContext context);

/* Index of the first of n constant words, shared with equal ones. */
extern int	pool_words(ConstantPool *pool, const uint64 *words, int n);

/* The same for a list whose words lie side by side, as sets need. */
extern int	pool_append_words(ConstantPool *pool, const uint64 *words, int n);

/* Place of a table's n words among the tables. */
extern int	pool_append_table(ConstantPool *pool, const uint64 *words, int n);

/* A text reference to bytes that are copied into the program. */
extern uint64 pool_text(ConstantPool *pool, const char *bytes, int length);

/* Begin a body.  What it takes lives in the pool's memory context. */
extern void emit_init(Emitter *em, ConstantPool *pool);

/* Emit one instruction and return its result's virtual register (0 if none). */
extern int	emit(Emitter *em, Opcode op, int a, int b, int m, int imm);

/* The same with every field; dst is filled in. */
extern int	emit_instr(Emitter *em, EmitInstr in);

/* A register with a constant; kind decides the opcode. */
extern int	emit_constant(Emitter *em, OperandKind kind, const uint64 *words, bool isnull);

/*
 * Finish a body into out, which is appended to.  Returns false when it needs
 * more registers or instructions than a program may have.
 */
extern bool emit_finish(Emitter *em, StringInfo out, ProgramBody *body);

#endif							/* GPUDB_COMPILE_EMIT_H */
