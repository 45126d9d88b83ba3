/*
 * program.h
 *		A program of the tile VM: one flat, relocatable block, immutable but for tables of codes (code_table.h).
 *
 *		Program | constant words | text bytes | Instr of each body
 *
 * A program has one body or two.  The narrow body computes decimals in 64
 * bits without checks; it may run on a tablet only when program_fits() has
 * proven from the tablet's zone maps that nothing can overflow.  The wide body
 * computes them in 128 bits and reports overflow.  Both write the same group
 * rows.
 *
 * Within a body the instructions before `tile_start` fill registers with
 * constants, once per run; the rest runs for each tile up to END.  Jumps go
 * forward, but for those of loops over pairs, which go back to their EXPAND.
 *
 * A group's row is an array of 64-bit words: which keys are NULL, the keys,
 * then the aggregates' states.
 */
#ifndef GPUDB_CORE_PROGRAM_H
#define GPUDB_CORE_PROGRAM_H

#include "core/op_select.h"
#include "core/status.h"
#include "core/target.h"

#define PROGRAM_MAGIC			0x67707531u
#define PROGRAM_MAX_REGISTERS	96	/* slots of 8 bytes per lane */
#define PROGRAM_MAX_KEYS		32
#define PROGRAM_MAX_COLUMNS		256
#define PROGRAM_MAX_OUTPUTS		32
#define PROGRAM_MAX_INSTRS		4096
#define PROGRAM_MAX_TABLES		15	/* of joins; numbered from 1 on */
#define PROGRAM_MAX_KEPT		24	/* columns of rows that are kept */
#define PROGRAM_MAX_LOOPS		8	/* one inside the other */

/* Column and table of a FETCH, in c; table 0 is the tablet. */
#define FETCH_OF(table, column) ((uint16_t) ((table) << 8 | (column)))
#define FETCH_TABLE(c)			((c) >> 8)
#define FETCH_COLUMN(c)			((c) & 0xff)

/* Of EXPAND, in c; the table that the rows are of stands above the flags. */
#define EXPAND_TABLE(c)	((c) >> 4)
#define EXPAND_ONCE		1		/* a lane that b has been marked for meanwhile has no more pairs */
#define EXPAND_OUTER	2		/* a lane for which b is not true has one pair, without a row */
#define EXPAND_CLOSED	4		/* what comes after AGAIN is part of the tile; else nothing but AGAINs may come */

typedef enum Opcode
{
#define OPCODE(name, shape, dst, a, b, cost, status, effect) VMOP_##name,
#include "core/opcodes.def"
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

/* Whether an instruction updates a state: they stand together. */
CORE_FN bool
op_is_total(uint16_t op)
{
	return op >= VMOP_COUNT && op <= VMOP_VALUES;
}

/* What an operand is; '_' in opcodes.def is KIND__. */
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

/* Indexed by Opcode. */
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
	uint16_t	nregisters;		/* slots; a W register takes two */
	uint16_t	exists;
} ProgramBody;

/* How an aggregate's state starts and how two states are merged. */
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
	STATE_BINS,					/* SELECT_WORDS words: how many values are less, and how many each bin has */
	STATE_VALUES,				/* SELECT_WORDS words: how many values are less, how many are collected, and which */
	STATE_EXACT					/* EXACT_WORDS words: a sum of floats without rounding */
} StateKind;

#define STATE_LAST STATE_EXACT

typedef enum KeyKind
{
	KEY_WORD,					/* 1 word, compared as such */
	KEY_WIDE,					/* 2 words, compared as such */
	KEY_TEXT					/* 2 words: offset and length in the key heap, hash */
} KeyKind;

/* Words of a group's row that a key of some kind takes. */
CORE_FN uint32_t
words_of_key(uint32_t kind)
{
	return kind == KEY_WORD ? 1 : 2;
}

#define PROGRAM_MAX_STATES 128

typedef struct Program
{
	uint32_t	magic;
	uint32_t	size;			/* of the whole block */
	uint32_t	words;			/* offset of the constants */
	uint32_t	nwords;
	uint32_t	bytes;			/* offset of text constants */
	uint32_t	nbytes;
	uint16_t	ncolumns;
	uint16_t	nkeys;
	uint16_t	nstates;
	uint16_t	row_words;		/* of a group's row */
	uint16_t	grouped;		/* there are keys: the table grows */
	uint16_t	aggregates;		/* 1: fills a group table; 0: emits rows */
	uint16_t	ntables;		/* of joins */
	uint16_t	noutputs;		/* of emitted rows: columns whose values go out */
	uint8_t		output[PROGRAM_MAX_OUTPUTS];	/* which ones */
	uint16_t	nkept;			/* of rows that are kept: columns; 0 = none are */
	uint8_t		kept[PROGRAM_MAX_KEPT]; /* their ColTypes: BOOL, I64 or F64 */
	SelectSeek	seek;			/* of a program whose only state of many words is one of VALUES */
	ProgramBody body[2];		/* narrow, wide */
	uint8_t		key_kind[PROGRAM_MAX_KEYS];
	uint16_t	key_word[PROGRAM_MAX_KEYS]; /* first word in the row */
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
 * Whether a block of `size` bytes is a program that can run without touching
 * memory outside of its own: every operand's register, constant, column, key
 * and state is checked.  DONE or BAD_PROGRAM.
 */
CORE_API DeviceStatus program_verify(const Program *program, uint32_t size);

/* Bytes of a program at most that a GPU runs: each block has a copy in its shared memory. */
#define PROGRAM_GPU_BYTES 8192

/* Whether a GPU has a form of an instruction. */
CORE_API bool op_suits_gpu(uint16_t op);

/* Whether it has one of every instruction, and room for the program. */
CORE_API bool program_suits_gpu(const Program *program);

/* Whether groups are told apart by texts that stand apart from their rows. */
CORE_API bool program_text_keys(const Program *program);

/* Whether some of these may be texts of the rows that are read, and not of tables of joins. */
CORE_API bool program_keys_own_texts(const Program *program);

/*
 * Write a body as text, one instruction a line, into buffer (always
 * terminated).  Returns the length that the whole text has.
 */
CORE_API uint32_t program_disassemble(const Program *program, int body, char *buffer, uint32_t capacity);

/*
 * Whether the narrow body is proven free of overflow on this tablet, by
 * interval arithmetic over its zone maps.
 */
struct Tablet;
CORE_API bool program_fits(const Program *program, const struct Tablet *tablet);

/* Tablets whose zone maps are looked at together. */
#define ZONES_MOST 32

typedef struct ZoneMaps
{
	uint32_t	n;				/* at most ZONES_MOST */
	const struct Tablet *tablet[ZONES_MOST];
	const uint8_t *place;		/* which of their columns each of the program's is; NULL = the one of that number */
} ZoneMaps;

/*
 * Return of which tablets rows may pass a body's filters, a bit each.  Of the
 * others the body would change nothing, and report nothing.
 */
CORE_API uint32_t program_choose(const Program *program, int body, const ZoneMaps *zones);

/* Whether any row of this tablet may. */
CORE_API bool program_may_pass(const Program *program, int body, const struct Tablet *tablet);

#endif							/* GPUDB_CORE_PROGRAM_H */
