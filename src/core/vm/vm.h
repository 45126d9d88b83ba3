/*
 * vm.h
 *		State of one run of a program over a tablet: what the interpreter reads and writes.
 *
 * A run is resumable.  `tile` is the cursor.  A run that ends with OUTPUT_FULL, TABLE_FULL or
 * TIME_SLICE has not touched any total of that tile, so the caller makes room and calls again, and
 * no row is counted twice.
 */
#ifndef GPUDB_CORE_VM_VM_H
#define GPUDB_CORE_VM_VM_H

#include "core/vm/code_table.h"
#include "core/tablet/for_encoding.h"
#include "core/vm/hashtable.h"
#include "core/join/join_table.h"
#include "core/vm/op_units.h"
#include "core/tablet/tablet_format.h"

/* Position of a loop over pairs: the lane, and the next of its matches. */
typedef struct VmCursor
{
	uint32_t	lane;
	uint32_t	match;
} VmCursor;

/* State of the loops around the instruction at hand. */
typedef struct VmLoops
{
	uint32_t	depth;
	bool		going_on;		/* the next EXPAND continues its loop instead of beginning one */
	VmCursor	next[PROGRAM_MAX_LOOPS];
	uint32_t	lanes[PROGRAM_MAX_LOOPS];	/* active width of the tile around each loop */
} VmLoops;

typedef struct VmRun
{
	const Program *program;
	int			body;			/* BODY_NARROW or BODY_WIDE */
	const Tablet *tablet;
	const JoinRows *tables;		/* tables of the joins, program->ntables of them */
	const MaterializedRows *materialized; /* where STORE instructions materialize rows; NULL if the program materializes none */
	const uint64_t *selected;	/* bitmap of the rows to process; NULL = all */
	uint64_t   *values;			/* scratch: registers * tile * 8 bytes, aligned to 64 */
	uint8_t    *nulls;			/* scratch: registers * tile bytes, aligned to 64 */
	uint32_t	lanes;			/* lanes that instructions process; lanes beyond are inactive */
	GroupTable *groups;			/* group table with the totals; without keys it has one row */
	uint32_t   *out;			/* row numbers emitted, in heap order */
	/* Rows of join tables that belong to the emitted rows, out_capacity for each table; JOIN_NO_ROW = none. */
	uint32_t   *matches;
	uint32_t	out_count;
	uint32_t	out_before;		/* value of out_count before the last EMIT */
	uint32_t	out_capacity;
	uint32_t	tile;			/* cursor: tiles before it are complete */
	VmCursor	cursor[PROGRAM_MAX_LOOPS];	/* cursor within the tile, per nested loop: pairs before it are complete */
	int32_t		yield_after;	/* tests: answer TIME_SLICE after this many instructions; -1 = never */

	/*
	 * Returns true if the run is to end with CANCELLED; called before each tile and while pairs are
	 * formed.  May be NULL.
	 */
	bool		(*cancelled) (const void *arg);
	const void *cancelled_arg;
	uint32_t	expanded;		/* number of tiles of pairs formed so far */
} VmRun;

/* Return the address of the bytes of a text reference. */
CORE_FN const uint8_t *
vm_text(const VmRun *run, uint64_t ref)
{
	const Tablet *tablet = TEXT_TABLE(ref) ? run->tables[TEXT_TABLE(ref) - 1].rows : run->tablet;

	return ((ref & TEXT_IN_PROGRAM) ? program_bytes(run->program) : tablet_at(tablet, tablet->var)) + TEXT_OFFSET(ref);
}

/* Return 1 if `value` is among `n` sorted integers. */
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

/* Return the result of a LIKE b; with `fold` both are compared in lower case. */
CORE_FN uint8_t
vm_like(const VmRun *run, uint64_t a, uint64_t b, uint16_t utf8, bool fold)
{
	LikeMode	mode = {utf8 != 0, fold};

	return text_like(vm_text(run, a), TEXT_LENGTH(a), vm_text(run, b), TEXT_LENGTH(b), mode);
}

/* Return a reference to the part of a text given by two words: first character and number of characters. */
CORE_FN uint64_t
vm_text_part(const VmRun *run, uint64_t ref, const uint64_t *words, bool utf8)
{
	uint32_t	length;
	uint32_t	begin = text_part(vm_text(run, ref), TEXT_LENGTH(ref), (int64_t) words[0], (int64_t) words[1], utf8, &length);

	return TEXT_SLICE(ref, begin, length);
}

/* Return true if the text state at a word of the program's group rows is a minimum, not a maximum. */
CORE_FN bool
vm_text_least(const Program *program, int32_t word)
{
	uint32_t	s = 0;

	while (program->state_word[s] != word)
		s++;
	return program->state_kind[s] == STATE_MIN_T;
}

/* Decode a stored integer of a frame-of-reference encoded column; see for_encoding.h. */
#define FOR_ENCODED(stored, column) ((int64_t) (((uint64_t) (stored) << (column)->shift) + (uint64_t) (column)->base))

/* Return true if a LOAD or FETCH instruction can read a column of a stored type. */
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

/* Return the status that a failing lane of an instruction reports. */
CORE_FN DeviceStatus
op_status(uint16_t op)
{
	switch (op)
	{
#define OPCODE(name, shape, dst, a, b, cost, status, effect) case VMOP_##name: return STATUS_##status;
#include "core/vm/opcodes.def"
#undef OPCODE
	}
	return STATUS_BAD_PROGRAM;
}

#endif							/* GPUDB_CORE_VM_VM_H */
