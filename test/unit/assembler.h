/*
 * assembler.h
 *		Programs of the tile VM made by hand.
 *
 * An Assembler collects constants and the instructions of one or two bodies;
 * asm_finish() lays the program out as the compiler does: header, constant
 * words, instructions, text bytes.  Registers are chosen by the caller;
 * constants must come first in a body.
 */
#ifndef GPUDB_TEST_ASSEMBLER_H
#define GPUDB_TEST_ASSEMBLER_H

#include "core/vm/op_agg.h"
#include "core/vm/program.h"
#include "core/tablet/tablet_format.h"
#include "guard.h"

#define ASM_MAX_WORDS	1024
#define ASM_MAX_BYTES	1024
#define ASM_MAX_INSTRS	512

typedef struct Assembler
{
	Program		shape;
	uint64_t	words[ASM_MAX_WORDS];
	uint32_t	nwords;
	uint8_t		bytes[ASM_MAX_BYTES];
	uint32_t	nbytes;
	Instr		code[2][ASM_MAX_INSTRS];
	uint16_t	count[2];
	int			body;			/* number of the body that instructions are added to */
} Assembler;

static inline void
asm_init(Assembler *as, int ncolumns, bool aggregates)
{
	memset(as, 0, sizeof(*as));
	as->shape.ncolumns = (uint16_t) ncolumns;
	as->shape.aggregates = aggregates;
	as->shape.row_words = 1;	/* the word of NULL flags of keys */
}

/* Add a constant word, and return its index. */
static inline int
asm_word(Assembler *as, uint64_t word)
{
	as->words[as->nwords] = word;
	return (int) as->nwords++;
}

static inline int
asm_wide(Assembler *as, Wide value)
{
	wide_store(as->words + as->nwords, value);
	as->nwords += 2;
	return (int) as->nwords - 2;
}

/* Add a text to the program, and return a reference to it. */
static inline uint64_t
asm_text(Assembler *as, const void *bytes, uint32_t length)
{
	uint32_t	at = as->nbytes;

	memcpy(as->bytes + at, bytes, length);
	as->nbytes += length;
	return TEXT_IN_PROGRAM | TEXT_REF(at, length);
}

static inline Instr *
asm_emit(Assembler *as, Opcode op, int dst, int a, int b, int m, int imm)
{
	Instr	   *in = &as->code[as->body][as->count[as->body]++];

	memset(in, 0, sizeof(*in));
	in->op = (uint16_t) op;
	in->dst = (uint16_t) dst;
	in->a = (uint16_t) a;
	in->b = (uint16_t) b;
	in->m = (uint16_t) m;
	in->imm = imm;
	return in;
}

/* Add a key to the group's row, and return its number. */
static inline int
asm_key(Assembler *as, KeyKind kind)
{
	int			k = as->shape.nkeys++;

	as->shape.grouped = 1;
	as->shape.key_kind[k] = (uint8_t) kind;
	as->shape.key_word[k] = as->shape.row_words;
	as->shape.row_words += words_of_key(kind);
	return k;
}

/* Add a state to the group's row, and return its first word. */
static inline int
asm_state(Assembler *as, StateKind kind)
{
	int			s = as->shape.nstates++;

	as->shape.state_kind[s] = (uint8_t) kind;
	as->shape.state_word[s] = as->shape.row_words;
	as->shape.row_words += (uint16_t) state_words(kind);
	return as->shape.state_word[s];
}

/* Return the highest slot that a body's instructions name, plus 1. */
static inline uint16_t
asm_registers(const Instr *code, uint32_t n)
{
	uint32_t	high = 1;
	uint32_t	i;

	for (i = 0; i < n; i++)
	{
		const OpInfo *info = &op_info[code[i].op];
		bool		by = code[i].op >= VMOP_MIN_BY && code[i].op <= VMOP_MAX_BY_G;
		uint32_t	end[5] = {
			code[i].dst + (info->dst == KIND_W ? 2u : 1u), code[i].a + (info->a == KIND_W ? 2u : 1u),
			code[i].b + (info->b == KIND_W ? 2u : 1u), code[i].m + 1u, by ? code[i].c + 2u : 0u
		};
		int			k;

		for (k = 0; k < 5; k++)
			high = end[k] > high ? end[k] : high;
	}
	return (uint16_t) high;
}

static inline uint16_t
asm_constants(const Instr *code, uint32_t n)
{
	uint16_t	i = 0;

	while (i < n && op_info[code[i].op].shape == SHAPE_CONSTANT)
		i++;
	return i;
}

/*
 * Close the bodies that have instructions, and direct every JUMP_NONE without a target to the end.
 * Return the program, in guarded memory, which program_free() frees.
 */
static inline Program *
asm_finish(Assembler *as)
{
	uint32_t	words = (uint32_t) ((sizeof(Program) + 7) & ~(size_t) 7);
	uint32_t	instrs = words + as->nwords * 8;
	uint32_t	bytes;
	uint32_t	at = instrs;
	Program    *program;
	int			b;
	uint32_t	i;

	for (b = 0; b < 2; b++)
	{
		ProgramBody *body = &as->shape.body[b];

		if (as->count[b] == 0)
			continue;
		as->body = b;
		asm_emit(as, VMOP_END, 0, 0, 0, 0, 0);
		body->instrs = at;
		body->ninstrs = as->count[b];
		body->tile_start = asm_constants(as->code[b], as->count[b]);
		body->nregisters = asm_registers(as->code[b], as->count[b]);
		body->exists = 1;
		for (i = 0; i < as->count[b]; i++)
			if (as->code[b][i].op == VMOP_JUMP_NONE && as->code[b][i].imm == 0)
				as->code[b][i].imm = as->count[b] - 1;
		at += as->count[b] * (uint32_t) sizeof(Instr);
	}
	bytes = at;
	as->shape.magic = PROGRAM_MAGIC;
	as->shape.size = bytes + as->nbytes;
	as->shape.words = words;
	as->shape.nwords = as->nwords;
	as->shape.bytes = bytes;
	as->shape.nbytes = as->nbytes;
	program = (Program *) guard_alloc(as->shape.size, 8);
	memset(program, 0, as->shape.size);
	*program = as->shape;
	memcpy((uint8_t *) program + words, as->words, as->nwords * 8);
	for (b = 0; b < 2; b++)
		if (as->count[b] > 0)
			memcpy((uint8_t *) program + as->shape.body[b].instrs, as->code[b], as->count[b] * sizeof(Instr));
	memcpy((uint8_t *) program + bytes, as->bytes, as->nbytes);
	return program;
}

static inline void
program_free(Program *program, uint32_t size)
{
	guard_free(program, size, 8);
}

#endif							/* GPUDB_TEST_ASSEMBLER_H */
