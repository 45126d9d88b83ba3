/*
 * vm.h
 *		One run of a program over a tablet: what the interpreter reads and writes.
 *
 * A run is resumable.  `tile` is the cursor; a run that answers OUTPUT_FULL,
 * TABLE_FULL or TIME_SLICE has not touched any total of that tile, so the
 * caller makes room and calls again, and no row counts twice.
 */
#ifndef GPUDB_CORE_VM_H
#define GPUDB_CORE_VM_H

#include "core/code_table.h"
#include "core/frame.h"
#include "core/hashtable.h"
#include "core/join_table.h"
#include "core/op_units.h"
#include "core/tablet_format.h"

/* Where a loop over pairs stands: the lane, and which of its pairs comes next. */
typedef struct VmCursor
{
	uint32_t	lane;
	uint32_t	match;
} VmCursor;

/* The loops that a tile is in. */
typedef struct VmLoops
{
	uint32_t	depth;
	bool		going_on;		/* the EXPAND that comes next does not begin */
	VmCursor	next[PROGRAM_MAX_LOOPS];
	uint32_t	lanes[PROGRAM_MAX_LOOPS];	/* that there were around each of them */
} VmLoops;

typedef struct VmRun
{
	const Program *program;
	int			body;			/* BODY_NARROW or BODY_WIDE */
	const Tablet *tablet;
	const JoinRows *tables;		/* of joins: as many as the program has */
	const KeptRows *kept;		/* where rows are kept; NULL if the program keeps none */
	const uint64_t *selected;	/* a bitmap of the rows that count; NULL = all */
	uint64_t   *values;			/* scratch: registers * tile * 8 bytes, aligned to 64 */
	uint8_t    *nulls;			/* scratch: registers * tile bytes, aligned to 64 */
	uint32_t	lanes;			/* that instructions go over; those behind them are not active */
	GroupTable *groups;			/* totals; without keys its one row */
	uint32_t   *out;			/* row numbers emitted, in heap order */
	uint32_t   *matches;		/* rows of tables that belong to these, JOIN_NO_ROW = none: out_capacity for each table */
	uint32_t	out_count;
	uint32_t	out_before;		/* what it was before the last EMIT */
	uint32_t	out_capacity;
	uint32_t	tile;			/* cursor: tiles before it are complete */
	VmCursor	cursor[PROGRAM_MAX_LOOPS];	/* and of the tile pairs before these, of loops one inside the other */
	int32_t		yield_after;	/* tests: answer TIME_SLICE after so many instructions; -1 = never */
	bool		(*cancelled) (const void *arg);	/* asked before each tile, and of pairs: end with CANCELLED?  May be NULL */
	const void *cancelled_arg;
	uint32_t	expanded;		/* how often pairs were made */
} VmRun;

/* The address of a text reference's bytes. */
CORE_FN const uint8_t *
vm_text(const VmRun *run, uint64_t ref)
{
	const Tablet *tablet = TEXT_TABLE(ref) ? run->tables[TEXT_TABLE(ref) - 1].rows : run->tablet;

	return ((ref & TEXT_IN_PROGRAM) ? program_bytes(run->program) : tablet_at(tablet, tablet->var)) + TEXT_OFFSET(ref);
}

/* Whether value is among n sorted integers. */
CORE_FN uint8_t
vm_in_sorted(const uint64_t *words, uint32_t n, int64_t value)
{
	uint32_t	low = 0;
	const uint32_t count = n;

	while (n > 0)
	{
		uint32_t	half = n / 2;

		if ((int64_t) words[low + half] < value)
		{
			low += half + 1;
			n -= half + 1;
		}
		else
			n = half;
	}
	return low < count && (int64_t) words[low] == value;
}

CORE_FN uint8_t
vm_in_text(const VmRun *run, const uint64_t *words, uint32_t n, uint64_t ref)
{
	const uint8_t *bytes = vm_text(run, ref);
	uint32_t	i;

	for (i = 0; i < n; i++)
		if (text_equal(bytes, TEXT_LENGTH(ref), vm_text(run, words[i]), TEXT_LENGTH(words[i])))
			return 1;
	return 0;
}

/* a LIKE b; folded, in lower case. */
CORE_FN uint8_t
vm_like(const VmRun *run, uint64_t a, uint64_t b, uint16_t utf8, bool fold)
{
	LikeMode	mode = {utf8 != 0, fold};

	return text_like(vm_text(run, a), TEXT_LENGTH(a), vm_text(run, b), TEXT_LENGTH(b), mode);
}

/* The part of a text that two words tell: first character and count. */
CORE_FN uint64_t
vm_text_part(const VmRun *run, uint64_t ref, const uint64_t *words, bool utf8)
{
	uint32_t	length;
	uint32_t	begin = text_part(vm_text(run, ref), TEXT_LENGTH(ref), (int64_t) words[0], (int64_t) words[1], utf8, &length);

	return TEXT_SLICE(ref, begin, length);
}

/* Whether the text state at this word of the program's rows keeps the least text. */
CORE_FN bool
vm_text_least(const Program *program, int32_t word)
{
	uint32_t	s = 0;

	while (program->state_word[s] != word)
		s++;
	return program->state_kind[s] == STATE_MIN_T;
}

/* A column's value, of that which is stored; see frame.h. */
#define FRAMED(stored, column)	((int64_t) (((uint64_t) (stored) << (column)->shift) + (uint64_t) (column)->base))

/* Whether a LOAD or FETCH can read a column stored so. */
CORE_FN bool
vm_can_load(uint16_t op, uint16_t type)
{
	if (coltype_integer((ColType) type))
		return op == VMOP_LOAD_I || op == VMOP_LOAD_W || op == VMOP_FETCH_I || op == VMOP_FETCH_W;
	switch ((ColType) type)
	{
		case COLTYPE_BOOL:
			return op == VMOP_LOAD_B || op == VMOP_FETCH_B;
		case COLTYPE_F32:
		case COLTYPE_F64:
			return op == VMOP_LOAD_F || op == VMOP_FETCH_F;
		case COLTYPE_TEXT:
			return op == VMOP_LOAD_T || op == VMOP_FETCH_T;
		default:
			return false;
	}
}

/* The status that a lane of this instruction may report. */
CORE_FN DeviceStatus
op_status(uint16_t op)
{
	switch (op)
	{
#define OPCODE(name, shape, dst, a, b, cost, status, effect) case VMOP_##name: return STATUS_##status;
#include "core/opcodes.def"
#undef OPCODE
	}
	return STATUS_BAD_PROGRAM;
}

#endif							/* GPUDB_CORE_VM_H */
