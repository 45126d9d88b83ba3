/*
 * program.h
 *		A program of the tile VM: one flat, relocatable block, immutable except for its truth tables (code_table.h).
 *
 *		Program | constant words | text bytes | Instr of each body
 *
 * A program has one body or two.  The narrow body computes decimals in 64 bits without checks; it
 * may run on a tablet only when program_fits() has proven from the tablet's zone maps that nothing
 * can overflow.  The wide body computes them in 128 bits and reports overflow.  Both write the same
 * group rows.
 *
 * Within a body the instructions before `tile_start` fill registers with constants, once per run;
 * the rest runs for each tile up to END.  Jumps go forward, except those of loops over pairs, which
 * go back to their EXPAND.
 *
 * A group's row is an array of 64-bit words: a bitmap of the keys that are NULL, the keys, then the
 * aggregates' states.
 */
#ifndef GPUDB_CORE_VM_PROGRAM_H
#define GPUDB_CORE_VM_PROGRAM_H

#include "core/vm/op_select.h"
#include "core/status.h"
#include "core/target.h"

#define PROGRAM_MAGIC			0x67707531u
#define PROGRAM_MAX_REGISTERS	96	/* slots of 8 bytes per lane */
#define PROGRAM_MAX_KEYS		32
#define PROGRAM_MAX_COLUMNS		256
#define PROGRAM_MAX_OUTPUTS		32
#define PROGRAM_MAX_INSTRS		4096
#define PROGRAM_MAX_TABLES		15	/* join tables; numbered from 1 on */
#define PROGRAM_MAX_MATERIALIZED 24	/* columns of materialized rows */
#define PROGRAM_MAX_LOOPS		8	/* nesting depth of loops over pairs */

/* Operand c of FETCH: column and table; table 0 is the tablet. */
#define FETCH_OF(table, column) ((uint16_t) ((table) << 8 | (column)))
#define FETCH_TABLE(c)			((c) >> 8)
#define FETCH_COLUMN(c)			((c) & 0xff)

/* Operand c of EXPAND: flags, and above them the number of the table that the matching rows belong to. */
#define EXPAND_TABLE(c)	((c) >> 4)
#define EXPAND_ONCE		1		/* a lane has no more pairs once register b marks it */
#define EXPAND_OUTER	2		/* a lane that register b does not mark gets one pair without a row */
#define EXPAND_CLOSED	4		/* instructions after AGAIN belong to the tile; else only AGAINs may follow */

typedef enum Opcode
{
#define OPCODE(name, shape, dst, a, b, cost, status, effect) VMOP_##name,
#include "core/vm/opcodes.def"
#undef OPCODE
	VMOP_Count
} Opcode;

typedef enum OpShape
{
	SHAPE_CONTROL,
	SHAPE_LOAD,
	SHAPE_CONSTANT,
	SHAPE_MASK,
	SHAPE_BLEND,
	SHAPE_LOGIC2,
	SHAPE_TEST,
	SHAPE_STRICT1,
	SHAPE_STRICT1IMM,
	SHAPE_STRICT2,
	SHAPE_CHECKED1,
	SHAPE_CHECKEDIMM,
	SHAPE_CHECKED2,
	SHAPE_LIBM1,
	SHAPE_LIBM2,
	SHAPE_TEXT1,
	SHAPE_TEXT2,
	SHAPE_SET,
	SHAPE_KEY,
	SHAPE_JOIN_KEY,
	SHAPE_ROW,
	SHAPE_FETCH,
	SHAPE_LOOP,
	SHAPE_COLLECTIVE,
	SHAPE_STORE,
	SHAPE_RESERVE,
	SHAPE_TOTAL,
	SHAPE_TOTAL_G
} OpShape;

/* Return true if an instruction updates an aggregate's state; these opcodes are contiguous. */
CORE_FN bool
op_is_total(uint16_t op)
{
	return op >= VMOP_COUNT && op <= VMOP_VALUES;
}

/* Kind of an operand; '_' in opcodes.def is KIND__. */
typedef enum OperandKind
{
	KIND__,
	KIND_B,
	KIND_I,
	KIND_F,
	KIND_W,
	KIND_T,
	KIND_M,
	KIND_G,
	KIND_R,
	KIND_S,
	KIND_P,
	KIND_Count
} OperandKind;

typedef struct OpInfo
{
	const char *name;
	const char *effect;
	uint8_t		shape;
	uint8_t		dst;
	uint8_t		a;
	uint8_t		b;
	uint8_t		status;			/* DeviceStatus that a lane may report */
	uint16_t	cost;
} OpInfo;

/* Properties of opcodes, indexed by Opcode. */
CORE_API const OpInfo op_info[VMOP_Count];

typedef struct Instr
{
	uint16_t	op;
	uint16_t	dst;
	uint16_t	a;
	uint16_t	b;
	uint16_t	c;
	uint16_t	m;				/* mask register */
	int32_t		imm;
} Instr;

typedef struct ProgramBody
{
	uint32_t	instrs;			/* offset of the first Instr */
	uint16_t	ninstrs;
	uint16_t	tile_start;
	uint16_t	nregisters;		/* register slots; a W register takes two */
	uint16_t	exists;
} ProgramBody;

/* Kind of an aggregate's state; it determines how a state is initialized and how two states are merged. */
typedef enum StateKind
{
	STATE_COUNT,				/* 1 word */
	STATE_SUM,					/* 2 words: Wide */
	STATE_SUM_F,				/* 3 words: total, compensation, FLOAT_ flags */
	STATE_MIN_I,				/* 1 word */
	STATE_MAX_I,
	STATE_MIN_W,				/* 2 words */
	STATE_MAX_W,
	STATE_SUM_SQ,				/* 2 words: total, compensation */
	STATE_ALL_BITS,				/* 1 word */
	STATE_ANY_BITS,
	STATE_ODD_BITS,
	STATE_MIN_BY,				/* 5 words: Wide, its companion, 1 if companions differ */
	STATE_MAX_BY,
	STATE_MIN_T,				/* 2 words: offset in the table's heap; room << 32 | length */
	STATE_MAX_T,
	STATE_BINS,					/* SELECT_WORDS words: number of smaller values, then number of values per bin */
	STATE_VALUES,				/* SELECT_WORDS words: number of smaller values, number of collected ones, the values */
	STATE_EXACT					/* EXACT_WORDS words: a sum of floats without rounding */
} StateKind;

#define STATE_LAST STATE_EXACT

typedef enum KeyKind
{
	KEY_WORD,					/* 1 word, compared as such */
	KEY_WIDE,					/* 2 words, compared as such */
	KEY_TEXT					/* 2 words: offset in the table's heap, length */
} KeyKind;

/* Return the words of a group's row that a key of a KeyKind takes. */
CORE_FN uint32_t
words_of_key(uint32_t kind)
{
	return kind == KEY_WORD ? 1 : 2;
}

#define PROGRAM_MAX_STATES 128

typedef struct Program
{
	uint32_t	magic;
	uint32_t	size;			/* bytes of the whole block */
	uint32_t	words;			/* offset of the constants */
	uint32_t	nwords;
	uint32_t	bytes;			/* offset of text constants */
	uint32_t	nbytes;
	uint16_t	ncolumns;
	uint16_t	nkeys;
	uint16_t	nstates;
	uint16_t	row_words;		/* words of a group's row */
	uint16_t	grouped;		/* 1 if there are keys, so the table grows */
	uint16_t	aggregates;		/* 1: fills a group table; 0: emits rows */
	uint16_t	ntables;		/* number of join tables */
	uint16_t	noutputs;		/* number of columns whose values are emitted with the rows */
	uint8_t		output[PROGRAM_MAX_OUTPUTS];	/* emitted columns */
	uint16_t	nmaterialized;	/* number of columns of materialized rows; 0 = none are materialized */
	uint8_t		materialized[PROGRAM_MAX_MATERIALIZED]; /* ColTypes of materialized rows: BOOL, I64 or F64 */
	SelectSeek	seek;			/* percentile sought by a program whose only large state is a STATE_VALUES */
	ProgramBody body[2];		/* narrow, wide */
	uint8_t		key_kind[PROGRAM_MAX_KEYS];
	uint16_t	key_word[PROGRAM_MAX_KEYS]; /* first word of a key in the group's row */
	uint8_t		state_kind[PROGRAM_MAX_STATES];
	uint16_t	state_word[PROGRAM_MAX_STATES];
} Program;

#define BODY_NARROW 0
#define BODY_WIDE	1

CORE_FN const Instr *
program_instrs(const Program *program, int body)
{
	return (const Instr *) ((const uint8_t *) program + program->body[body].instrs);
}

CORE_FN const uint64_t *
program_words(const Program *program)
{
	return (const uint64_t *) ((const uint8_t *) program + program->words);
}

CORE_FN const uint8_t *
program_bytes(const Program *program)
{
	return (const uint8_t *) program + program->bytes;
}

/*
 * Verify that a block of `size` bytes is a program that can run without touching memory outside its
 * own: every operand's register, constant, column, key and state is checked.  Returns DONE or
 * BAD_PROGRAM.
 */
CORE_API DeviceStatus program_verify(const Program *program, uint32_t size);

/* Maximum size in bytes of a program that a GPU runs: each thread block copies it to its shared memory. */
#define PROGRAM_GPU_BYTES 8192

/* Return true if the GPU implements an instruction. */
CORE_API bool op_suits_gpu(uint16_t op);

/* Return true if the GPU implements every instruction of a program and has room for the program. */
CORE_API bool program_suits_gpu(const Program *program);

/* Return true if some group key is a text stored outside the group's row. */
CORE_API bool program_text_keys(const Program *program);

/* Return true if some text key may be a text of the scanned relation, not of a join table. */
CORE_API bool program_keys_own_texts(const Program *program);

/*
 * Write a body as text into buffer, one instruction a line, always terminated.  Returns the length
 * of the whole text, which may exceed `capacity`.
 */
CORE_API uint32_t program_disassemble(const Program *program, int body, char *buffer, uint32_t capacity);

/*
 * Return true if the narrow body is proven free of overflow on a tablet, by interval arithmetic
 * over its zone maps.
 */
struct Tablet;
CORE_API bool program_fits(const Program *program, const struct Tablet *tablet);

/* Maximum number of tablets whose zone maps are examined together. */
#define ZONES_MOST 32

typedef struct ZoneMaps
{
	uint32_t	n;				/* at most ZONES_MOST */
	const struct Tablet *tablet[ZONES_MOST];
	/* For each column of the program, its index among the tablets' columns; NULL = the same index. */
	const uint8_t *place;
} ZoneMaps;

/*
 * Return a bitmask of the tablets some rows of which may pass a body's filters.  On the other
 * tablets the body would change nothing and report nothing.
 */
CORE_API uint32_t program_choose(const Program *program, int body, const ZoneMaps *zones);

/* Return true if some row of a tablet may pass a body's filters. */
CORE_API bool program_may_pass(const Program *program, int body, const struct Tablet *tablet);

#endif							/* GPUDB_CORE_VM_PROGRAM_H */
