/*
 * shape_cache.cu
 *		Cache of the choices how programs run on this device.
 *
 * Lowering a program and asking CUDA how many blocks fit may take longer than
 * starting a batch.  The same few programs come again and again: in the next
 * batch, in the next query.  They are identified by all of their bytes.
 */
#include <string.h>

#include "host/context.h"
#include "host/shape_cache.h"

#define ENTRIES 32

/* A body of a program. */
typedef struct Body
{
	uint32_t	program_bytes;	/* 0 = none */
	int			number;
	uint8_t		program[PROGRAM_GPU_BYTES];
} Body;

typedef struct ShapeEntry
{
	Body		body;
	uint32_t	options;
	uint32_t	room;
	uint16_t	type[PROGRAM_MAX_COLUMNS];
	bool		has_nulls[PROGRAM_MAX_COLUMNS];
	bool		for_encoded[PROGRAM_MAX_COLUMNS];
	ShapeChoice choice;
} ShapeEntry;

static ShapeEntry entries[ENTRIES];
static int	next_entry;
static Body possible[ENTRIES];	/* bodies that can run */
static int	next_possible;

static bool
body_matches(const Body *body, const Program *program, int number)
{
	return body->program_bytes == program->size && body->number == number && memcmp(body->program, program, program->size) == 0;
}

static void
keep_body(Body *body, const Program *program, int number)
{
	body->program_bytes = program->size;
	body->number = number;
	memcpy(body->program, program, program->size);
}

static bool
choose(const Program *program, int body, const Tablet *tablet, uint32_t wished, uint32_t room, ShapeChoice *choice)
{
	/*
	 * room is needed for the groups of a tile if there are many; if few, or
	 * with room for all, more blocks are better
	 */
	const uint32_t most = room > 0 || (wished & VM_FEW_ROWS) ? 4 : wished & VM_MANY_GROUPS ? 2 : 8;
	/* no program should run in the interpreter for lack of room for groups */
	const uint32_t last = room > 0 ? 0 : VM_GENERAL;

	for (uint32_t options = tablet != NULL ? 0 : VM_GENERAL; options <= last; options++)
		for (uint32_t lanes = most; lanes > 1; lanes /= 2)
		{
			VmWish		wish = {lanes, cuda_context.shared_limit, options | wished, room};

			if (!vm_shape(program, body, tablet, &wish, &choice->shape))
				continue;
			choice->blocks = vm_blocks_per_sm(&choice->shape) * (int) cuda_context.multiprocessors;
			if (choice->blocks > 0)
				return true;
		}
	return false;
}

static bool
entry_matches(const ShapeEntry *entry, const Program *program, int body, const Tablet *tablet, uint32_t options, uint32_t room)
{
	if (entry->options != options || entry->room != room)
		return false;
	for (uint32_t c = 0; c < tablet->ncols; c++)
		if (entry->type[c] != tablet->column[c].type || entry->has_nulls[c] != (tablet->column[c].null_count > 0) ||
			entry->for_encoded[c] != column_for_encoded(&tablet->column[c]))
			return false;
	return body_matches(&entry->body, program, body);
}

const ShapeChoice *
shape_choose(const Program *program, int body, const Tablet *tablet, uint32_t options, uint32_t room)
{
	static ShapeChoice choice;
	ShapeEntry *entry;

	for (int i = 0; i < ENTRIES; i++)
		if (entry_matches(&entries[i], program, body, tablet, options, room))
			return &entries[i].choice;
	if (!choose(program, body, tablet, options, room, &choice))
		return NULL;
	entry = &entries[next_entry++ % ENTRIES];
	entry->choice = choice;
	entry->options = options;
	entry->room = room;
	for (uint32_t c = 0; c < tablet->ncols; c++)
	{
		entry->type[c] = tablet->column[c].type;
		entry->has_nulls[c] = tablet->column[c].null_count > 0;
		entry->for_encoded[c] = column_for_encoded(&tablet->column[c]);
	}
	keep_body(&entry->body, program, body);
	return &entry->choice;
}

bool
shape_exists(const Program *program, int body)
{
	ShapeChoice choice;

	for (int i = 0; i < ENTRIES; i++)
		if (body_matches(&possible[i], program, body))
			return true;
	if (!choose(program, body, NULL, 0, 0, &choice))
		return false;
	keep_body(&possible[next_possible++ % ENTRIES], program, body);
	return true;
}
