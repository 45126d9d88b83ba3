/*
 * pruning.c
 *		Pruning of cached tablets by the zone maps of their columns.
 *
 * All tablets of a shelf are tested together.  The result is remembered in the
 * session's description of the shelf, together with the number of the program,
 * which contains all constants.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "exec/run/pruning.h"

/* Number of programs that a session remembers. */
#define PROGRAMS 16

typedef struct KnownProgram
{
	uint64		number;			/* never reused; 0 = free entry */
	uint64		used;
	Program    *program;
} KnownProgram;

static KnownProgram programs[PROGRAMS];
static uint64 last_number;
static uint64 clock_ticks;

/* Return the number of a program, assigning one to a new program. */
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
	/* the entry stays free if the allocation fails */
	if (known->number != 0)
		pfree(known->program);
	known->number = 0;
	known->program = MemoryContextAlloc(TopMemoryContext, program->size);
	memcpy(known->program, program, program->size);
	known->used = ++clock_ticks;
	return known->number = ++last_number;
}

/* Return true if rows of a tablet may pass, tested with the body that would run over it. */
static bool
may_pass(const Program *program, const CachedRows *rows)
{
	cached_rows_complete(rows);
	return program_may_pass(program, program_choose_body(program, rows->tablet), rows->tablet);
}

/*
 * Return a bit for each tablet of a shelf of which rows may pass; the narrow
 * body must run over all of them.  If the intersection of all zone maps may
 * pass, as is usual for columns in no order, each tablet may.
 */
static uint32
choose_together(const Program *program, const CachedShelf *shelf)
{
	const CachedRows *rows = shelf->complete != NULL ? shelf->wider : shelf->rows;
	ZoneMaps	zones = {.n = shelf->ntablets, .place = shelf->complete != NULL ? shelf->place : NULL};

	StaticAssertStmt(CACHED_SHELF_MOST <= ZONES_MOST, "a shelf's zone maps are not looked at together");
	if (tablet_has_ranges(shelf->core) && program_may_pass(program, BODY_NARROW, shelf->core))
		return UINT32_MAX >> (32 - shelf->ntablets);
	for (uint32 t = 0; t < shelf->ntablets; t++)
		zones.tablet[t] = rows[t].tablet;
	return program_choose(program, BODY_NARROW, &zones);
}

static uint32
choose_one_by_one(const Program *program, const CachedShelf *shelf)
{
	uint32		chosen = 0;

	for (uint32 t = 0; t < shelf->ntablets; t++)
		chosen |= (uint32) may_pass(program, &shelf->rows[t]) << t;
	return chosen;
}

static uint32
choose_of_shelf(const Program *program, uint64 number, CachedShelf *shelf)
{
	if (shelf->asked == number)
		return shelf->may_pass;
	shelf->asked = 0;
	shelf->may_pass = program_choose_body(program, shelf->cover) == BODY_NARROW ? choose_together(program, shelf)
		: choose_one_by_one(program, shelf);
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
		if (rows->shelf != NULL ? (of_shelf >> rows->place & 1) != 0 : may_pass(program, rows))
			chosen[nchosen++] = *rows;
	}
	return nchosen;
}
