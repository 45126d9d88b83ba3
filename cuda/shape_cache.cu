/*
 * shape_cache.cu
 *		How programs run on the device at hand, remembered.
 *
 * Lowering a program and asking CUDA how many blocks fit takes longer than
 * starting a batch may.  The same few programs come again and again: in the
 * next batch, in the next query.  They are recognised by all of their bytes.
 */
#include <string.h>

#include "context.h"
#include "shape_cache.h"

#define ENTRIES 32

typedef struct ShapeEntry
{
	uint32_t	program_bytes;	/* 0 = unused */
	int			body;
	bool		many_groups;
	uint16_t	type[PROGRAM_MAX_COLUMNS];
	bool		has_nulls[PROGRAM_MAX_COLUMNS];
	uint8_t		program[PROGRAM_GPU_BYTES];
	ShapeChoice choice;
} ShapeEntry;

/* A body that can run. */
typedef struct KnownBody
{
	uint32_t	program_bytes;	/* 0 = unused */
	int			body;
	uint8_t		program[PROGRAM_GPU_BYTES];
} KnownBody;

static ShapeEntry entries[ENTRIES];
static int	next_entry;
static KnownBody known[ENTRIES];
static int	next_known;

static bool
choose(const Program *program, int body, const Tablet *tablet, bool many_groups, ShapeChoice *choice)
{
	for (uint32_t options = tablet != NULL ? 0 : VM_GENERAL; options <= VM_GENERAL; options++)
		for (uint32_t lanes = many_groups ? 2 : 8; lanes > 1; lanes /= 2)
		{
			VmWish		wish = {lanes, cuda_context.shared_limit, options | (many_groups ? VM_MANY_GROUPS : 0)};

			if (!vm_shape(program, body, tablet, &wish, &choice->shape))
				continue;
			choice->blocks = vm_blocks_per_sm(&choice->shape) * (int) cuda_context.multiprocessors;
			if (choice->blocks > 0)
				return true;
		}
	return false;
}

static bool
entry_matches(const ShapeEntry *entry, const Program *program, int body, const Tablet *tablet, bool many_groups)
{
	if (entry->program_bytes != program->size || entry->body != body || entry->many_groups != many_groups)
		return false;
	for (uint32_t c = 0; c < tablet->ncols; c++)
		if (entry->type[c] != tablet->column[c].type || entry->has_nulls[c] != (tablet->column[c].null_count > 0))
			return false;
	return memcmp(entry->program, program, program->size) == 0;
}

const ShapeChoice *
shape_choose(const Program *program, int body, const Tablet *tablet, bool many_groups)
{
	static ShapeChoice choice;
	ShapeEntry *entry;

	for (int i = 0; i < ENTRIES; i++)
		if (entry_matches(&entries[i], program, body, tablet, many_groups))
			return &entries[i].choice;
	if (!choose(program, body, tablet, many_groups, &choice))
		return NULL;
	entry = &entries[next_entry++ % ENTRIES];
	entry->choice = choice;
	entry->body = body;
	entry->many_groups = many_groups;
	for (uint32_t c = 0; c < tablet->ncols; c++)
	{
		entry->type[c] = tablet->column[c].type;
		entry->has_nulls[c] = tablet->column[c].null_count > 0;
	}
	memcpy(entry->program, program, program->size);
	entry->program_bytes = program->size;
	return &entry->choice;
}

bool
shape_exists(const Program *program, int body)
{
	ShapeChoice choice;
	KnownBody  *entry;

	for (int i = 0; i < ENTRIES; i++)
		if (known[i].program_bytes == program->size && known[i].body == body &&
			memcmp(known[i].program, program, program->size) == 0)
			return true;
	if (!choose(program, body, NULL, false, &choice))
		return false;
	entry = &known[next_known++ % ENTRIES];
	entry->body = body;
	memcpy(entry->program, program, program->size);
	entry->program_bytes = program->size;
	return true;
}
