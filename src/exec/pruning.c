/*
 * pruning.c
 *		Cached tablets of which rows may pass a program's filters.
 *
 * Asking takes a quarter of a microsecond a tablet.  Of shelves the session
 * remembers the answer, together with the program, which has all constants.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "exec/pruning.h"

/* Programs that a session remembers. */
#define PROGRAMS 16

typedef struct KnownProgram
{
	uint64		number;			/* never another one's; 0 = none */
	uint64		used;
	Program    *program;
} KnownProgram;

static KnownProgram programs[PROGRAMS];
static uint64 last_number;
static uint64 clock_ticks;

/* The number of a program, which gets one if it is a new one. */
static uint64
number_of(const Program *program)
{
	KnownProgram *known = programs;

	for (int i = 0; i < PROGRAMS; i++)
	{
		KnownProgram *other = &programs[i];

		if (other->number != 0 && other->program->size == program->size && memcmp(other->program, program, program->size) == 0)
		{
			other->used = ++clock_ticks;
			return other->number;
		}
		if (other->used < known->used)
			known = other;
	}
	/* without memory the place is free */
	if (known->number != 0)
		pfree(known->program);
	known->number = 0;
	known->program = MemoryContextAlloc(TopMemoryContext, program->size);
	memcpy(known->program, program, program->size);
	known->used = ++clock_ticks;
	return known->number = ++last_number;
}

static bool
may_pass(const Program *program, bool wide, const CachedRows *rows)
{
	return program_may_pass(program, wide ? program_choose_body(program, rows->tablet) : BODY_NARROW, rows->tablet);
}

/* Which tablets of a shelf, a bit each. */
static uint32
choose_of_shelf(const Program *program, uint64 number, CachedShelf *shelf)
{
	bool		wide;

	if (shelf->asked == number)
		return shelf->may_pass;
	wide = program_choose_body(program, shelf->cover) == BODY_WIDE;
	shelf->asked = 0;
	shelf->may_pass = 0;
	for (uint32 t = 0; t < shelf->ntablets; t++)
		shelf->may_pass |= (uint32) may_pass(program, wide, &shelf->rows[t]) << t;
	shelf->asked = number;
	return shelf->may_pass;
}

uint32
pruning_choose(const Program *program, const CachedRows *found, uint32 n, CachedRows *chosen)
{
	const uint64 number = number_of(program);
	CachedShelf *shelf = NULL;
	uint32		of_shelf = 0;
	uint32		nchosen = 0;

	for (uint32 t = 0; t < n; t++)
	{
		const CachedRows *rows = &found[t];

		if (rows->shelf != NULL && rows->shelf != shelf)
		{
			shelf = rows->shelf;
			of_shelf = choose_of_shelf(program, number, shelf);
		}
		if (rows->shelf != NULL ? (of_shelf >> rows->place & 1) != 0 : may_pass(program, true, rows))
			chosen[nchosen++] = *rows;
	}
	return nchosen;
}
