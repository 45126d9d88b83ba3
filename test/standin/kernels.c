/*
 * kernels.c
 *		Stand-ins for the kernels: the functions that launch them, executed by the CPU over host memory.
 *
 * Rows of groups come out as the tile VM's blocks leave them: a few rows of the
 * same group, from different blocks.
 */
#define _GNU_SOURCE
#include <stdlib.h>

#include "core/tablet/column_pack.h"
#include "core/tablet/deform_fast.h"
#include "core/vm/op_cast.h"
#include "core/vm/op_compare.h"
#include "core/vm/op_date.h"
#include "core/vm/op_logic.h"
#include "core/tablet/output.h"
#include "core/vm/vm.h"

#define TILE 512
#define VM_RUN vm_run
#define VM_TILE TILE
#include "core/vm/run_tiles.h"

#include "kernels/combine_launch.h"
#include "kernels/deform_launch.h"
#include "kernels/groups_launch.h"
#include "kernels/materialized_launch.h"
#include "kernels/output_launch.h"
#include "kernels/top_launch.h"

#define SUCCESS 0
#define INVALID_VALUE 1

#define TILE_ROWS 1024

/* Rows that a block goes over. */
#define BLOCK_ROWS (8 * TILE_ROWS)

/* Return scratch memory of at least `bytes` bytes, which only grows. */
static void *
scratch(void **memory, size_t *have, size_t bytes)
{
	if (bytes > *have)
	{
		free(*memory);
		*memory = aligned_alloc(64, (bytes + 63) / 64 * 64);
		*have = bytes;
	}
	return *memory;
}

/* The tile VM */

int
vm_prepare(uint32_t shared_limit)
{
	return SUCCESS;
}

uint32_t
vm_tile_rows(const VmShape *shape)
{
	return TILE_ROWS;
}

int
vm_blocks_per_sm(const VmShape *shape)
{
	return 2;
}

bool
vm_shape(const Program *program, int body, const Tablet *tablet, const VmWish *wish, VmShape *shape)
{
	const Instr *code = program_instrs(program, body);

	for (uint32_t pc = 0; pc < program->body[body].ninstrs; pc++)
		if (!op_suits_gpu(code[pc].op))
			return false;
	memset(shape, 0, sizeof(*shape));
	shape->body = (uint32_t) body;
	shape->lanes = wish->lanes;
	shape->row_words = rows_without_tallies(program, shape->state_kind, shape->state_word, &shape->ntallies);
	if (tablet != NULL)
		vm_lower(program, body, tablet, wish->options, shape);
	if (tablet != NULL)
		shape->select.tallies = select_shape(program, body, tablet, &shape->select);
	return true;
}

/* Return true if a launch gathers values among which a percentile is sought. */
static bool
gathers(const VmLaunch *launch)
{
	return launch->shape.select.tallies && launch->shape.select.gathers && launch->seek != NULL;
}

/* Return true if a tablet is stored as the code was made for, and the dense index of its keys has few enough bits. */
static bool
is_like(const VmLaunch *launch, const Tablet *tablet)
{
	const VmCode *code = &launch->shape.code;
	uint16_t	key[PROGRAM_MAX_KEYS];
	uint32_t	bits = 0;

	for (uint32_t k = launch->shape.dense ? vm_key_columns(launch->program, (int) launch->shape.body, key) : 0; k > 0; k--)
		bits += vm_code_bits(&tablet->column[key[k - 1]]);
	if (bits > CODE_BITS)
		return false;
	for (uint32_t c = 0; c < code->ncolumns; c++)
	{
		const TabletColumn *column = &tablet->column[code->column[c] & ~COLUMN_NULLS];

		if (column->type != (code->type[c] & ~TYPE_FOR_ENCODED) || (column_for_encoded(column) && !(code->type[c] & TYPE_FOR_ENCODED)) ||
			(column->null_count > 0 && !(code->column[c] & COLUMN_NULLS)))
			return false;
	}
	return true;
}

/* The group table of a block's rows. */
static GroupTable block;

static bool
open_block(const Program *program)
{
	const uint32_t capacity = BLOCK_ROWS;

	/* with tallies there is one group; memory for all is reserved, but not used before it is written to */
	if (block.row_words != program->row_words)
	{
		free(block.rows);
		block.rows = malloc((size_t) capacity * program->row_words * 8);
		block.row_words = program->row_words;
	}
	if (block.slots == NULL)
	{
		block.nslots = 2 * capacity;
		block.capacity = capacity;
		block.slots = malloc(block.nslots * sizeof(uint32_t));
		block.hashes = malloc(capacity * sizeof(uint64_t));
		block.heap_capacity = (uint64_t) 64 * 1024 * 1024;
		block.heap = malloc(block.heap_capacity);
	}
	memset(block.slots, 0, block.nslots * sizeof(uint32_t));
	block.ngroups = 0;
	block.heap_used = block.heap_reserved = 0;
	if (!program->grouped)
	{
		GroupKey	none = {0};

		(void) group_find_or_insert(program, &block, &none);
	}
	return block.rows != NULL && block.slots != NULL && block.hashes != NULL && block.heap != NULL;
}

/* Search a text from *at on, and then from the first byte on; return true if it is found, with its place in *at. */
static bool
find_bytes(const uint8_t *texts, uint64_t used, const uint8_t *bytes, uint64_t length, uint64_t *at)
{
	const uint64_t begin = *at < used ? *at : 0;
	const uint8_t *found = memmem(texts + begin, used - begin, bytes, length);

	if (found == NULL)
		found = memmem(texts, used, bytes, length);
	if (found != NULL)
		*at = (uint64_t) (found - texts);
	return found != NULL;
}

/*
 * Return a text key as a kernel leaves it: a reference to its place in the tablet, or a table of a
 * join, or the program. Groups come in the order of their rows, so a text is most often right
 * behind the one before it.
 */
static uint64_t
find_text(const VmLaunch *launch, const Program *program, const Tablet *tablet, const uint8_t *bytes, uint64_t length)
{
	static uint64_t last[1 + PROGRAM_MAX_TABLES];
	uint64_t	constant = 0;

	for (uint32_t t = 0; t <= program->ntables; t++)
	{
		const Tablet *rows = t > 0 ? launch->tables[t - 1].rows : tablet;

		if (find_bytes(tablet_at(rows, rows->var), rows->var_used, bytes, length, &last[t]))
			return TEXT_IN_TABLE(TEXT_REF(last[t], length), t);
	}
	if (!find_bytes(program_bytes(program), program->nbytes, bytes, length, &constant))
		abort();
	return TEXT_IN_PROGRAM | TEXT_REF(constant, length);
}

/* Return a value as an integer in the order of values. */
static int64_t
value_of(const Tablet *tablet, const TabletColumn *column, uint32_t row)
{
	const uint8_t *values = tablet_at(tablet, column->values);

	switch ((ColType) column->type)
	{
		case COLTYPE_SAME:
			return column->base;
		case COLTYPE_U8:
			return (int64_t) (((uint64_t) values[row] << column->shift) + (uint64_t) column->base);
		case COLTYPE_U16:
			return (int64_t) (((uint64_t) ((const uint16_t *) values)[row] << column->shift) + (uint64_t) column->base);
		case COLTYPE_U32:
			return (int64_t) (((uint64_t) ((const uint32_t *) values)[row] << column->shift) + (uint64_t) column->base);
		case COLTYPE_I16:
			return ((const int16_t *) values)[row];
		case COLTYPE_I32:
			return ((const int32_t *) values)[row];
		case COLTYPE_F32:
			return op_float_key(((const float *) values)[row]);
		case COLTYPE_F64:
			return op_float_key(((const double *) values)[row]);
		default:
			return ((const int64_t *) values)[row];
	}
}

/* Gather the values of the selected rows from `first` on and before `end`. */
static void
gather(const VmLaunch *launch, const Tablet *tablet, const uint64_t *selected, uint32_t first, uint32_t end)
{
	const TabletColumn *column = &tablet->column[launch->shape.select.column];
	SeekRoom   *room = launch->seek;

	for (uint32_t row = first; row < end; row++)
	{
		int64_t		value;

		if ((selected != NULL && !(selected[row / 64] >> row % 64 & 1)) || tablet_is_null(tablet, column, row))
			continue;
		value = value_of(tablet, column, row);
		room->seen++;
		room->less += value < room->range.least;
		if (value < room->range.least || value > room->range.largest)
			continue;
		if (room->gathered < launch->gather_capacity)
			launch->gathered[room->gathered] = value;
		room->gathered++;
	}
}

/* Add the tallies in a group's states to the launch's. */
static void
flush_tallies(const VmLaunch *launch, const Program *program, const uint64_t *group)
{
	for (uint32_t s = 0; s < program->nstates; s++)
	{
		uint64_t   *tally = launch->tallies + tally_of_state(program, s) * TALLY_WORDS;
		const uint64_t *words = group + program->state_word[s] + 1;

		if (program->state_kind[s] == STATE_BINS)
			for (uint32_t w = 0; w < TALLY_WORDS; w++)
				tally[w] += words[w];
		else if (program->state_kind[s] == STATE_VALUES && !gathers(launch))
		{
			for (uint64_t i = 0; i < words[0] && i < SELECT_VALUES && tally[0] + i < SELECT_VALUES; i++)
				tally[1 + tally[0] + i] = words[1 + i];
			tally[0] += words[0];
		}
	}
}

/* Write a group's row as blocks leave it. */
static void
write_row(const VmLaunch *launch, const Program *program, const uint64_t *group, uint64_t *row)
{
	const uint32_t key_words = program->nstates > 0 ? program->state_word[0] : program->row_words;

	memcpy(row, group, key_words * 8);
	for (uint32_t s = 0; s < program->nstates; s++)
		memcpy(row + launch->shape.state_word[s], group + program->state_word[s], state_words((StateKind) launch->shape.state_kind[s]) * 8);
}

/* Append the block's groups to the launch's rows. */
static void
flush_block(const VmLaunch *launch, const Program *program, const Tablet *tablet)
{
	const uint32_t at = launch->result->nrows;

	launch->result->nrows += block.ngroups;
	if (launch->result->nrows > launch->row_capacity)
	{
		launch->result->status = STATUS_TABLE_FULL;
		return;
	}
	for (uint32_t g = 0; g < block.ngroups; g++)
	{
		uint64_t   *row = launch->rows + (size_t) (at + g) * launch->shape.row_words;

		write_row(launch, program, group_row(&block, g), row);
		flush_tallies(launch, program, group_row(&block, g));
		launch->hashes[at + g] = block.hashes[g];
		for (uint32_t k = 0; k < program->nkeys; k++)
			if (program->key_kind[k] == KEY_TEXT)
				row[program->key_word[k]] = find_text(launch, program, tablet, block.heap + row[program->key_word[k]], row[program->key_word[k] + 1]);
	}
}

/* Run the program over the selected rows of a tablet from `first` on and before `end`, as one block. */
static DeviceStatus
run_rows(const VmLaunch *launch, const Program *program, const Tablet *tablet, const uint64_t *selected, uint32_t first, uint32_t end)
{
	/* bounds loops over pairs, as a GPU does */
	static const int32_t instructions_most = 1 << 18;
	static void *values;
	static void *nulls;
	static void *bits;
	static void *out;
	static size_t have[4];
	const uint32_t bytes = tablet_bitmap_bytes(tablet->nrows);
	uint64_t   *these = scratch(&bits, &have[2], bytes);
	VmRun		run = {
		.program = program, .body = (int) launch->shape.body, .tablet = tablet, .selected = these, .groups = &block, .yield_after = instructions_most,
		.values = scratch(&values, &have[0], (size_t) PROGRAM_MAX_REGISTERS * TILE * 8),
		.nulls = scratch(&nulls, &have[1], (size_t) PROGRAM_MAX_REGISTERS * TILE),
		.out = scratch(&out, &have[3], tablet->nrows * sizeof(uint32_t) + 64), .out_capacity = tablet->nrows,
		.tables = launch->tables, .materialized = launch->materialized
	};
	DeviceStatus status;

	memset(these, 0, bytes);
	for (uint32_t row = first; row < end; row++)
		if (selected == NULL || (selected[row / 64] >> row % 64 & 1))
			these[row / 64] |= (uint64_t) 1 << row % 64;
	if (!open_block(program))
		return STATUS_MEMORY_LIMIT;
	status = vm_run(&run);
	if (status == STATUS_TIME_SLICE)
		return STATUS_TOO_MANY_PAIRS;
	if (status == STATUS_DONE && program->aggregates)
		flush_block(launch, program, tablet);
	for (uint32_t i = 0; status == STATUS_DONE && i < run.out_count; i++)
		((uint8_t *) launch->passed)[run.out[i] / 8] |= (uint8_t) (1 << run.out[i] % 8);
	return status;
}

static void
run_tablet(const VmLaunch *launch, const Program *program, const Tablet *tablet, const uint64_t *selected, uint32_t nrows)
{
	for (uint32_t first = 0; first < nrows && launch->result->status == STATUS_DONE; first += BLOCK_ROWS)
	{
		const uint32_t end = nrows - first > BLOCK_ROWS ? first + BLOCK_ROWS : nrows;
		DeviceStatus status = is_like(launch, tablet)
			? run_rows(launch, program, tablet, selected, first, end) : STATUS_BAD_PROGRAM;

		if (gathers(launch))
			gather(launch, tablet, selected, first, end);
		if (launch->result->status == STATUS_DONE)
			launch->result->status = status;
	}
}

/* Gather the values of a sample of all parts. */
static int
sample(const VmLaunch *launch)
{
	for (uint32_t p = 0; p < launch->nparts; p++)
	{
		const VmPart *part = &launch->part[p];

		for (uint32_t piece = 0; piece * launch->sample * SEEK_NEIGHBOURS < part->tablet_rows; piece++)
		{
			const uint32_t first = seek_row(p, piece, launch->sample);

			if (first < part->tablet_rows)
				gather(launch, part->tablet, part->selected, first,
					   part->tablet_rows - first > SEEK_NEIGHBOURS ? first + SEEK_NEIGHBOURS : part->tablet_rows);
		}
	}
	return gathers(launch) ? SUCCESS : INVALID_VALUE;
}

int
vm_launch(const VmLaunch *launch, int blocks, void *stream)
{
	const Program *program = launch->program;
	uint32_t	tiles = 0;

	if (launch->sample > 0)
		return sample(launch);
	if (launch->passed != NULL)
		memset(launch->passed, 0, (launch->end_row + 31) / 32 * 4);
	if (launch->nparts == 0)
		run_tablet(launch, program, launch->tablet, NULL, launch->end_row);
	for (uint32_t p = 0; p < launch->nparts; p++)
	{
		const VmPart *part = &launch->part[p];

		if (part->first_tile != tiles || part->tablet_rows != part->tablet->nrows)
			return INVALID_VALUE;
		tiles += (part->tablet_rows + TILE_ROWS - 1) / TILE_ROWS;
		run_tablet(launch, program, part->tablet, part->selected, part->tablet_rows);
	}
	if (launch->nparts > 0 && tiles != launch->ntiles)
		return INVALID_VALUE;
	/* an aggregate over no rows has a group as well */
	if (program->aggregates && !program->grouped && launch->result->nrows == 0 && launch->result->status == STATUS_DONE && open_block(program))
		flush_block(launch, program, launch->tablet);
	return SUCCESS;
}

static int
compare_values(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *) a;
	const int64_t y = *(const int64_t *) b;

	return (x > y) - (x < y);
}

/* Sort the gathered values, and compute the ranks among `count`; return false if none are there, or not all. */
static bool
sort_gathered(const SeekLaunch *launch, uint64_t count, int64_t rank[2])
{
	const SeekRoom *room = launch->room;

	select_ranks(launch->seek.fraction, launch->seek.continuous, launch->seek.descending, (int64_t) count, &rank[0], &rank[1]);
	if (room->gathered <= launch->capacity)
		qsort((int64_t *) launch->values, room->gathered, sizeof(int64_t), compare_values);
	return count > 0 && room->gathered <= launch->capacity;
}

int
seek_begin(const SeekLaunch *launch, void *stream)
{
	launch->room->range = launch->seek.range;
	launch->room->gathered = launch->room->seen = launch->room->less = 0;
	return SUCCESS;
}

int
seek_range(const SeekLaunch *launch, uint32_t multiprocessors, void *stream)
{
	SeekRoom   *room = launch->room;
	const int64_t count = (int64_t) room->gathered;
	const int64_t margin = seek_margin(count);
	int64_t		rank[2];

	if (sort_gathered(launch, room->gathered, rank))
	{
		const int64_t low = (rank[0] < rank[1] ? rank[0] : rank[1]) - margin;
		const int64_t high = (rank[0] < rank[1] ? rank[1] : rank[0]) + margin;

		room->range.least = low >= 0 ? launch->values[low] : room->range.least;
		room->range.largest = high < count ? launch->values[high] : room->range.largest;
	}
	room->gathered = room->seen = room->less = 0;
	return SUCCESS;
}

int
seek_find(const SeekLaunch *launch, uint32_t multiprocessors, void *stream)
{
	const SeekRoom *room = launch->room;
	uint64_t   *state = launch->tally - 1;
	int64_t		rank[2];
	bool		found = sort_gathered(launch, room->seen, rank) && launch->tally[0] == 0;

	if (room->seen == 0)
		return SUCCESS;
	for (int i = 0; i < 2; i++)
		found &= rank[i] >= (int64_t) room->less && rank[i] < (int64_t) (room->less + room->gathered);
	state[SEEK_WORD_STATUS] = found ? SEEK_FOUND : SEEK_FAILED;
	state[SEEK_WORD_COUNT] = room->seen;
	state[SEEK_WORD_LESS] = room->less;
	state[SEEK_WORD_GATHERED] = room->gathered;
	state[SEEK_WORD_RANGE] = (uint64_t) room->range.least;
	state[SEEK_WORD_RANGE + 1] = (uint64_t) room->range.largest;
	for (int i = 0; i < 2 && found; i++)
	{
		state[SEEK_WORD_VALUE + i] = (uint64_t) launch->values[rank[i] - (int64_t) room->less];
		state[SEEK_WORD_RANK + i] = (uint64_t) rank[i];
	}
	return SUCCESS;
}

/* Deforming and output */

int
deform_launch(const DeformLaunch *launch, uint32_t ncolumns, void *stream)
{
	Tablet	   *tablet = launch->tablet;
	DeviceStatus result = STATUS_DONE;

	for (uint32_t c = 0; c < ncolumns; c++)
		memset(tablet_at(tablet, tablet->column[c].nulls), 0, tablet_bitmap_bytes(tablet->nrows));
	for (uint32_t p = 0; p < launch->npages && (result == STATUS_DONE || result == STATUS_SCALE_EXCEEDED); p++)
	{
		DeviceStatus status = deform_page(launch->plan, launch->page[p], launch->offsets[p],
										  launch->row_start[p + 1] - launch->row_start[p], tablet, launch->row_start[p]);

		if (status != STATUS_DONE)
			result = status;
	}
	for (uint32_t c = 0; c < ncolumns && result == STATUS_DONE; c++)
		deform_zone_map(tablet, &tablet->column[c]);
	*launch->status = result;
	return SUCCESS;
}

int
output_launch(const OutputLaunch *launch, uint32_t noutputs, void *stream)
{
	static void *memory;
	static size_t have;
	uint16_t	types[PROGRAM_MAX_COLUMNS];
	uint32_t   *rows = scratch(&memory, &have, launch->tablet->nrows * sizeof(uint32_t) + 64);

	for (uint32_t c = 0; c < launch->tablet->ncols; c++)
		types[c] = launch->tablet->column[c].type;
	for (uint32_t w = 0; w < launch->npage_batches && *launch->status == STATUS_DONE; w++)
	{
		OutputLayout layout;
		uint32_t	n = 0;

		for (uint32_t row = launch->row_start[w]; row < launch->row_start[w + 1]; row++)
			if (launch->passed[row / 32] >> row % 32 & 1)
				rows[n++] = row;
		if (launch->block[w] == NULL)
			continue;
		output_layout(launch->program, types, launch->row_start[w + 1] - launch->row_start[w], &layout);
		output_gather(launch->program, launch->tablet, rows, n, &layout, launch->block[w]);
	}
	return SUCCESS;
}

/* Fill a column of one page batch's tablet, whose layout is set. */
static void
write_column(const Tablet *from, uint32_t first, Tablet *page_batch, uint32_t c)
{
	const TabletColumn *all = &from->column[c];
	TabletColumn *column = &page_batch->column[c];
	const uint64_t bytes = coltype_bytes((ColType) all->type);
	uint64_t   *nulls = (uint64_t *) tablet_at(page_batch, column->nulls);

	memcpy(tablet_at(page_batch, column->values), tablet_at(from, all->values) + bytes * first, bytes * page_batch->nrows);
	column->null_count = all->null_count;
	column->max_scale = all->max_scale;
	if (all->null_count > 0)
		memset(nulls, 0, tablet_bitmap_bytes(page_batch->nrows));
	for (uint32_t row = 0; row < page_batch->nrows; row++)
		if (tablet_is_null(from, all, first + row))
			bitmap_set(nulls, row, 1);
	deform_zone_map(page_batch, column);
}

int
output_columns_launch(const OutputLaunch *launch, uint32_t ncolumns, void *stream)
{
	static void *memory;
	static size_t have;
	uint16_t	types[PROGRAM_MAX_COLUMNS];

	for (uint32_t c = 0; c < ncolumns; c++)
		types[c] = launch->tablet->column[c].type;
	for (uint32_t w = 0; w < launch->npage_batches && *launch->status == STATUS_DONE; w++)
	{
		const uint32_t nrows = launch->row_start[w + 1] - launch->row_start[w];
		Tablet	   *page_batch = scratch(&memory, &have, tablet_columns_size(types, ncolumns, nrows));

		tablet_layout(page_batch, types, ncolumns, nrows, 0);
		for (uint32_t c = 0; c < ncolumns && launch->block[w] != NULL; c++)
		{
			write_column(launch->tablet, launch->row_start[w], page_batch, c);
			column_store(for_pack, page_batch, c, (Tablet *) launch->block[w]);
		}
	}
	return SUCCESS;
}

/* Rows of groups */

static const uint8_t *
text_of(const GroupsLaunch *launch, const uint64_t *row, uint32_t t)
{
	const uint64_t ref = row[launch->shape.text_word[t]];
	const Tablet *rows = TEXT_TABLE(ref) ? launch->tables[TEXT_TABLE(ref) - 1].rows : NULL;

	return (ref & TEXT_IN_PROGRAM ? launch->constants : rows != NULL ? tablet_at(rows, rows->var) : launch->texts) + TEXT_OFFSET(ref);
}

static bool
same_key(const GroupsLaunch *launch, const uint64_t *stored, const uint64_t *row)
{
	for (uint32_t w = 0, t = 0; w < launch->shape.key_words; w++)
	{
		if (t < launch->shape.ntexts && w == launch->shape.text_word[t])
			t++;
		else if (stored[w] != row[w])
			return false;
	}
	for (uint32_t t = 0; t < launch->shape.ntexts; t++)
		if (memcmp((const uint8_t *) launch->table.heap + stored[launch->shape.text_word[t]], text_of(launch, row, t),
				   row[launch->shape.text_word[t] + 1]) != 0)
			return false;
	return true;
}

/* Add the group of row i; return false if there is no room. */
static bool
add_group(const GroupsLaunch *launch, uint32_t slot, uint32_t i)
{
	const DeviceTable *table = &launch->table;
	const uint64_t *row = launch->rows + (size_t) i * launch->shape.row_words;
	uint64_t	room = table->counts->taken;
	uint64_t   *into = table->rows + (size_t) ROOM_GROUPS(room) * launch->shape.row_words;
	uint32_t	units = 0;

	for (uint32_t t = 0; t < launch->shape.ntexts; t++)
		units += UNITS_OF_TEXT(row[launch->shape.text_word[t] + 1]);
	if (1 + launch->shape.row_words + units > GROUP_WORDS_MOST)
	{
		launch->result->status = STATUS_MEMORY_LIMIT;
		return false;
	}
	if (table->counts->refused != 0)
		return false;
	table->counts->taken += TABLE_ROOM(1, units);
	if (ROOM_GROUPS(room) >= table->capacity || (uint64_t) ROOM_UNITS(room) + units > table->heap_units)
	{
		table->counts->refused = ~room;
		return false;
	}
	table->hashes[ROOM_GROUPS(room)] = launch->hashes[i];
	memcpy(into, row, launch->shape.key_words * 8);
	for (uint32_t t = 0, unit = ROOM_UNITS(room); t < launch->shape.ntexts; t++)
	{
		const uint64_t length = row[launch->shape.text_word[t] + 1];

		into[launch->shape.text_word[t]] = (uint64_t) unit * HEAP_UNIT;
		memset(table->heap + unit, 0, UNITS_OF_TEXT(length) * HEAP_UNIT);
		memcpy(table->heap + unit, text_of(launch, row, t), length);
		unit += UNITS_OF_TEXT(length);
	}
	for (uint32_t s = 0; s < launch->shape.nstates; s++)
		state_init((StateKind) launch->shape.state_kind[s], into + launch->shape.state_word[s]);
	table->slots[slot] = launch->hashes[i] >> 32 << 32 | (ROOM_GROUPS(room) + 1);
	launch->group[i] = ROOM_GROUPS(room);
	return true;
}

int
groups_find(const GroupsLaunch *launch, void *stream)
{
	const DeviceTable *table = &launch->table;

	for (uint32_t i = 0; i < launch->nrows; i++)
	{
		uint32_t	slot = (uint32_t) launch->hashes[i] & (table->nslots - 1);

		if (launch->group[i] != GROUP_UNKNOWN)
			continue;
		for (; table->slots[slot] != 0; slot = (slot + 1) & (table->nslots - 1))
		{
			const uint32_t group = (uint32_t) table->slots[slot] - 1;

			if (table->slots[slot] >> 32 == launch->hashes[i] >> 32 &&
				same_key(launch, table->rows + (size_t) group * launch->shape.row_words, launch->rows + (size_t) i * launch->shape.row_words))
			{
				launch->group[i] = group;
				break;
			}
		}
		if (launch->group[i] == GROUP_UNKNOWN && !add_group(launch, slot, i))
			launch->result->pending++;
	}
	return SUCCESS;
}

int
groups_update(const GroupsLaunch *launch, void *stream)
{
	uint32_t	overflow = 0;

	for (uint32_t i = 0; i < launch->nrows; i++)
		for (uint32_t s = 0; s < launch->shape.nstates; s++)
			state_merge((StateKind) launch->shape.state_kind[s],
						launch->table.rows + (size_t) launch->group[i] * launch->shape.row_words + launch->shape.state_word[s],
						launch->rows + (size_t) i * launch->shape.row_words + launch->shape.state_word[s], &overflow);
	if (overflow)
		launch->result->status = STATUS_DECIMAL_TOO_WIDE;
	launch->result->ngroups = ROOM_GROUPS(launch->table.counts->taken);
	return SUCCESS;
}

int
groups_rehash(const DeviceTable *table, uint32_t n, void *stream)
{
	for (uint32_t g = 0; g < n; g++)
	{
		uint32_t	slot = (uint32_t) table->hashes[g] & (table->nslots - 1);

		while (table->slots[slot] != 0)
			slot = (slot + 1) & (table->nslots - 1);
		table->slots[slot] = table->hashes[g] >> 32 << 32 | (g + 1);
	}
	return SUCCESS;
}

int
top_best(const TopLaunch *launch, GroupOrder *best, void *stream)
{
	const uint32_t parts = top_parts(launch->ngroups);

	for (uint32_t g = 0; g < launch->ngroups; g++)
	{
		const uint64_t *row = launch->rows + (size_t) g * launch->row_words;
		const uint32_t part = g / TOP_THREADS % parts;

		/* each part's first group comes before its others */
		if ((g < parts * TOP_THREADS && g % TOP_THREADS == 0) || group_row_compare(&launch->top, row, &best[part]) < 0)
			best[part] = group_order(&launch->top, row);
	}
	return SUCCESS;
}

int
top_collect(const TopLaunch *launch, void *stream)
{
	for (uint32_t g = 0; g < launch->ngroups; g++)
	{
		const uint64_t *row = launch->rows + (size_t) g * launch->row_words;

		if (group_row_compare(&launch->top, row, &launch->bound) > 0 || (*launch->nfound)++ >= launch->most)
			continue;
		launch->found_hashes[*launch->nfound - 1] = launch->hashes[g];
		memcpy(launch->found_rows + (size_t) (*launch->nfound - 1) * launch->row_words, row, launch->row_words * sizeof(uint64_t));
	}
	return SUCCESS;
}

int
combine_prepare(void)
{
	return SUCCESS;
}

int
combine_rows(const CombineLaunch *launch, uint32_t multiprocessors, void *stream)
{
	const uint32_t nrows = launch->result->nrows;
	uint32_t	ngroups = 0;
	uint32_t	overflow = 0;

	if (launch->result->status != STATUS_DONE)
		return SUCCESS;
	for (uint32_t i = 0; i < nrows && nrows <= launch->row_capacity; i++)
	{
		const uint64_t *row = launch->rows + (size_t) i * launch->shape.row_words;
		uint32_t	g = 0;

		while (g < ngroups && (launch->to_hashes[g] != launch->hashes[i] ||
							   memcmp(launch->to_rows + (size_t) g * launch->shape.row_words, row, launch->shape.key_words * 8u) != 0))
			g++;
		if (g == launch->group_capacity)
		{
			launch->result->status = STATUS_TABLE_FULL;
			return SUCCESS;
		}
		if (g == ngroups)
		{
			uint64_t   *into = launch->to_rows + (size_t) g * launch->shape.row_words;

			memcpy(into, row, launch->shape.key_words * 8u);
			for (uint32_t s = 0; s < launch->shape.nstates; s++)
				state_init((StateKind) launch->shape.state_kind[s], into + launch->shape.state_word[s]);
			launch->to_hashes[g] = launch->hashes[i];
			ngroups++;
		}
		for (uint32_t s = 0; s < launch->shape.nstates; s++)
			state_merge((StateKind) launch->shape.state_kind[s],
						launch->to_rows + (size_t) g * launch->shape.row_words + launch->shape.state_word[s],
						row + launch->shape.state_word[s], &overflow);
	}
	launch->result->nrows = ngroups;
	launch->result->status = nrows > launch->row_capacity ? STATUS_TABLE_FULL : overflow ? STATUS_DECIMAL_TOO_WIDE : STATUS_DONE;
	return SUCCESS;
}

/* Tables of materialized rows */

/* Compute a row's word; return false if some part of its key is NULL, or no word of an exact table. */
static bool
word_of_row(const MaterializedLaunch *launch, uint32_t row, uint64_t *word)
{
	uint32_t	miss = 0;

	*word = 0;
	for (uint32_t c = 0; c < launch->ncolumns; c++)
	{
		const MaterializedKeyColumn *column = &launch->column[c];
		const int64_t value = column->bytes ? column->values[row] : ((const int64_t *) column->values)[row];

		if (column->nulls != NULL && (column->nulls[row / 32] >> row % 32 & 1))
			return false;
		*word = launch->exact ? *word | join_part_word(&column->part, value, &miss) : hash_combine(*word, (uint64_t) value);
	}
	return !miss;
}

int
materialized_launch(const MaterializedLaunch *launch, void *stream)
{
	uint32_t   *place = (uint32_t *) launch->index;
	JoinSlot   *slot = (JoinSlot *) launch->index;

	*launch->result = 0;
	if (launch->present != NULL)
		memset(launch->present, 0, join_present_words(launch->npresent) * sizeof(uint32_t));
	memset(launch->index, launch->direct ? 0xff : 0, launch->nplaces * (launch->direct ? sizeof(uint32_t) : sizeof(JoinSlot)));
	for (uint32_t row = 0; row < launch->nrows; row++)
	{
		uint64_t	word;
		uint64_t	at;

		if (!word_of_row(launch, row, &word))
			continue;
		if (launch->direct)
		{
			*launch->result += place[word] != JOIN_NO_ROW;
			place[word] = place[word] == JOIN_NO_ROW ? row : place[word];
			continue;
		}
		for (at = hash_mix(word) & (launch->nplaces - 1); slot[at].count > 0 && slot[at].word != word;)
			at = (at + 1) & (launch->nplaces - 1);
		*launch->result += slot[at].count;
		if (slot[at].count == 0)
			slot[at] = (JoinSlot) {word, row, 1};
		if (launch->present != NULL && word < launch->npresent)
			launch->present[word / 32] |= 1u << word % 32;
	}
	return SUCCESS;
}

uint64_t
materialized_scratch_bytes(uint32_t nrows, uint64_t nplaces)
{
	return (nplaces + 1) * sizeof(uint32_t);
}

/* Find the place of a row's word; return false if it has none. */
static bool
place_of_row(const MaterializedLaunch *launch, uint32_t row, uint64_t *place)
{
	const JoinSlot *slot = (const JoinSlot *) launch->index;
	uint64_t	word;

	if (!word_of_row(launch, row, &word))
		return false;
	*place = word;
	if (!launch->direct)
		for (*place = hash_mix(word) & (launch->nplaces - 1); slot[*place].word != word || slot[*place].count == 0;)
			*place = (*place + 1) & (launch->nplaces - 1);
	return true;
}

int
materialized_list(const MaterializedLaunch *launch, void *stream)
{
	uint32_t   *next = (uint32_t *) launch->scratch;
	JoinSlot   *slot = (JoinSlot *) launch->index;
	uint32_t	before = 0;
	uint64_t	place;

	memset(next, 0, (launch->nplaces + 1) * sizeof(uint32_t));
	for (uint32_t row = 0; row < launch->nrows; row++)
		if (place_of_row(launch, row, &place))
			next[place]++;
	for (uint64_t at = 0; at <= launch->nplaces; at++)
	{
		const uint32_t count = next[at];

		next[at] = before;
		before += count;
		if (launch->direct)
			((uint32_t *) launch->index)[at] = next[at];
	}
	for (uint32_t row = 0; row < launch->nrows; row++)
		if (place_of_row(launch, row, &place))
			launch->list[next[place]++] = row;
	/* a list begins where the one before it has ended */
	for (uint64_t at = 0; !launch->direct && at < launch->nplaces; at++)
		if (slot[at].count > 0)
		{
			const uint32_t first = at > 0 ? next[at - 1] : 0;

			slot[at] = (JoinSlot) {slot[at].word, first, next[at] - first};
		}
	return SUCCESS;
}
