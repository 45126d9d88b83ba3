/*
 * interpreter.cu
 *		The tile VM on a GPU behind the interface that unit tests know: a VmRun.
 *
 * One block runs the tablet, with the code of the real kernels, and leaves its
 * registers of the last tile for the test to examine; or many blocks do, which
 * leave groups alone.  Nothing is resumable here; groups come back sorted by hash.
 *
 * gpu_run_1() runs the accumulator machine on all programs that it can run, twice:
 * as a server would, which gives the answer, and with VM_KEEP, which gives the
 * registers.  gpu_run_2() runs the interpreter on everything.
 */
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

#include "core/vm/hashtable.h"
#include "core/vm/vm.h"
#include "kernels/tuning.cuh"
#include "kernels/vm_launch.h"

#include "check.cuh"
#include "interpreter.h"

#define ROW_CAPACITY (1 << 18)

/* The first buffer of tables and their rows. */
#define TABLES_AT 12

/*
 * Return a buffer in device memory, which is reused between runs; zeroed at first, since more of it
 * is copied back than a run may write.
 */
template <typename T> static T *
device_buffer(int which, size_t n)
{
	static void *buffer[TABLES_AT + 2 * PROGRAM_MAX_TABLES];
	static size_t size[TABLES_AT + 2 * PROGRAM_MAX_TABLES];

	if (n * sizeof(T) > size[which])
	{
		cudaFree(buffer[which]);
		size[which] = 2 * n * sizeof(T);
		check(cudaMalloc(&buffer[which], size[which]), "cudaMalloc");
		check(cudaMemset(buffer[which], 0, size[which]), "memset");
	}
	return (T *) buffer[which];
}

template <typename T> static T *
to_device(int which, const void *host, size_t bytes)
{
	T		   *device = (T *) device_buffer<uint8_t>(which, bytes);

	check(cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice), "copy to the device");
	return device;
}

/* Set a key's texts, to which the device's row refers. */
static void
find_texts(const VmRun *run, GroupKey *key, const uint64_t *row)
{
	const Program *program = run->program;
	uint32_t	w = 0;

	for (uint32_t k = 0; k < program->nkeys; k++)
	{
		if (program->key_kind[k] == KEY_TEXT)
			key->words[w] = (uint64_t) (uintptr_t) vm_text(run, row[program->key_word[k]]);
		w += words_of_key(program->key_kind[k]);
	}
}

/* Merge the rows that the device wrote into the run's table. */
static DeviceStatus
merge_rows(VmRun *run, const uint64_t *rows, const uint64_t *hashes, uint32_t n)
{
	const Program *program = run->program;
	std::vector<uint32_t> order(n);
	uint32_t	overflow = 0;

	for (uint32_t g = 0; g < n; g++)
		order[g] = g;
	std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return hashes[a] < hashes[b]; });
	for (uint32_t g : order)
	{
		GroupTable	from = {};
		GroupKey	key;
		uint32_t	group;

		from.rows = (uint64_t *) rows + (size_t) g * program->row_words;
		from.hashes = (uint64_t *) hashes + g;
		from.row_words = program->row_words;
		group_key_of_row(program, &from, 0, &key);
		find_texts(run, &key, from.rows);
		/* without keys there is one group, which need not be found */
		group = program->grouped || run->groups->ngroups == 0 ? group_find_or_insert(program, run->groups, &key) : 0;
		if (group == GROUP_NONE)
			return STATUS_TABLE_FULL;
		group_merge_states(program, run->groups, group_row(run->groups, group), &from, from.rows, &overflow);
	}
	return overflow ? STATUS_DECIMAL_TOO_WIDE : STATUS_DONE;
}

/* Registers that a launch has left. */
struct Registers
{
	std::vector<uint64_t> values;
	std::vector<uint8_t> flags;
	uint32_t	tile;			/* rows of the launch's tile */
};

/*
 * Copy an instruction's result into the form of the CPU's interpreter, from slot `from` on the
 * device or from the program.
 */
static void
copy_register(VmRun *run, const Instr *in, uint32_t from, const Registers &registers, uint32_t tile)
{
	uint8_t		kind = op_info[in->op].dst;
	uint64_t   *to = run->values + (size_t) in->dst * tile;

	for (uint32_t i = 0; i < tile && kind != KIND__; i++)
	{
		const uint64_t *words = program_words(run->program) + in->imm;
		bool		constant = from & CONSTANT;
		size_t		at = (size_t) from * registers.tile + i;
		uint64_t	low = constant ? words[0] : registers.values[at];
		uint64_t	high = kind != KIND_W ? 0 : constant ? words[1] : registers.values[at + registers.tile];
		uint8_t		flag = constant ? (uint8_t) (in->c | (low & 1) << 1) : registers.flags[at];

		run->nulls[(size_t) in->dst * tile + i] = flag & 1;
		if (kind == KIND_B || kind == KIND_M)
			((uint8_t *) to)[i] = flag >> 1;
		else if (kind == KIND_W)
		{
			to[2 * i] = low;
			to[2 * i + 1] = high;
		}
		else
			to[i] = low;
	}
}

/* Copy the registers into the form of the CPU's interpreter, by the kind that was last written. */
static void
copy_registers(VmRun *run, const VmLaunch &launch, uint32_t tile)
{
	const ProgramBody *body = &run->program->body[run->body];
	const Instr *code = program_instrs(run->program, run->body);
	Registers	registers;

	registers.tile = launch.shape.lanes * VM_THREADS;
	registers.values.resize((size_t) launch.shape.registers * registers.tile);
	registers.flags.resize(registers.values.size());
	check(cudaMemcpy(registers.values.data(), launch.values, registers.values.size() * 8, cudaMemcpyDeviceToHost), "copy registers");
	check(cudaMemcpy(registers.flags.data(), launch.flags, registers.flags.size(), cudaMemcpyDeviceToHost), "copy flags");
	for (uint32_t pc = 0; pc < body->ninstrs; pc++)
	{
		uint32_t	from = launch.shape.map[code[pc].dst];

		/* bools are behind the words of the accumulator machine */
		if (!(from & CONSTANT) && (from & BOOL_SLOT))
			from = (from & ~BOOL_SLOT) + launch.shape.code.slots;
		if (launch.shape.code.length == 0 || op_info[code[pc].op].shape != SHAPE_KEY)
			copy_register(run, &code[pc], from, registers, std::min(tile, registers.tile));
	}
}

/* Set the tablet of a launch: the usual way, or, as cached ones, as one of many. */
static void
place_tablet(const VmRun *run, VmLaunch *launch)
{
	const Tablet *tablet = run->tablet;
	const uint32_t tile = vm_tile_rows(&launch->shape);
	static bool as_part;
	VmPart		part = {};

	launch->tablet = to_device<Tablet>(1, tablet, tablet->size);
	launch->end_row = tablet->nrows;
	as_part = !as_part;
	if (tablet->nrows == 0 || (run->selected == NULL && !as_part))
		return;
	part.tablet = launch->tablet;
	part.tablet_rows = tablet->nrows;
	if (run->selected != NULL)
		part.selected = to_device<uint64_t>(8, run->selected, tablet_bitmap_bytes(tablet->nrows));
	launch->part = to_device<VmPart>(9, &part, sizeof(part));
	launch->nparts = 1;
	launch->ntiles = (tablet->nrows + tile - 1) / tile;
}

/* Copy the tables of joins to device memory. */
static const JoinRows *
place_tables(const VmRun *run)
{
	JoinRows	tables[PROGRAM_MAX_TABLES];
	const int	n = run->program->ntables;

	if (n == 0)
		return NULL;
	for (int t = 0; t < n; t++)
	{
		tables[t].table = to_device<JoinTable>(TABLES_AT + 2 * t, run->tables[t].table, run->tables[t].table->size);
		tables[t].rows = to_device<Tablet>(TABLES_AT + 2 * t + 1, run->tables[t].rows, run->tables[t].rows->size);
	}
	return to_device<JoinRows>(10, tables, n * sizeof(JoinRows));
}

static DeviceStatus
launch_program(VmRun *run, VmWish wish, int blocks, VmLaunch *launch, VmResult *result)
{
	const Program *program = run->program;
	const Tablet *tablet = run->tablet;
	static bool prepared = false;
	size_t		slots;

	if (!prepared)
		check((cudaError_t) vm_prepare(200 * 1024), "vm_prepare");
	prepared = true;
	/* fewer lanes need less shared memory */
	while (!vm_shape(program, run->body, tablet, &wish, &launch->shape))
	{
		if (wish.lanes == 2)
			return STATUS_BAD_PROGRAM;
		wish.lanes /= 2;
	}
	slots = (size_t) launch->shape.registers * launch->shape.lanes * VM_THREADS;
	launch->program = to_device<Program>(0, program, program->size);
	place_tablet(run, launch);
	launch->tables = place_tables(run);
	launch->rows = device_buffer<uint64_t>(2, (size_t) ROW_CAPACITY * (program->row_words + 1));
	launch->hashes = device_buffer<uint64_t>(3, ROW_CAPACITY);
	launch->row_capacity = ROW_CAPACITY;
	launch->tallies = device_buffer<uint64_t>(11, (launch->shape.ntallies + 1) * TALLY_WORDS);
	check(cudaMemset(launch->tallies, 0, launch->shape.ntallies * TALLY_WORDS * 8), "clear tallies");
	launch->passed = device_buffer<uint32_t>(4, tablet->nrows / 32 + 2);
	launch->result = to_device<VmResult>(5, result, sizeof(*result));
	launch->values = blocks == 1 ? device_buffer<uint64_t>(6, slots) : NULL;
	launch->flags = device_buffer<uint8_t>(7, slots);
	check((cudaError_t) vm_launch(launch, blocks, NULL), "launch");
	check(cudaDeviceSynchronize(), "run");
	check(cudaMemcpy(result, launch->result, sizeof(*result), cudaMemcpyDeviceToHost), "copy from the device");
	return (DeviceStatus) result->status;
}

/* Return whole rows of the program from those that a launch has left: tallies go to the first one. */
static std::vector<uint64_t>
whole_rows(const Program *program, const VmLaunch &launch, const std::vector<uint64_t> &left, uint32_t n)
{
	const VmShape &shape = launch.shape;
	const uint32_t key_words = program->nstates > 0 ? program->state_word[0] : program->row_words;
	std::vector<uint64_t> tallies(shape.ntallies * TALLY_WORDS);
	std::vector<uint64_t> rows((size_t) n * program->row_words);

	check(cudaMemcpy(tallies.data(), launch.tallies, tallies.size() * 8, cudaMemcpyDeviceToHost), "copy tallies");
	for (uint32_t g = 0; g < n; g++)
	{
		const uint64_t *from = &left[(size_t) g * shape.row_words];
		uint64_t   *to = &rows[(size_t) g * program->row_words];

		std::copy(from, from + key_words, to);
		for (uint32_t s = 0; s < program->nstates; s++)
		{
			const uint64_t *tally = &tallies[tally_of_state(program, s) * TALLY_WORDS];

			std::copy(from + shape.state_word[s], from + shape.state_word[s] + state_words((StateKind) shape.state_kind[s]), to + program->state_word[s]);
			if (state_has_tally(program->state_kind[s]) && g == 0)
				std::copy(tally, tally + TALLY_WORDS, to + program->state_word[s] + 1);
		}
	}
	return rows;
}

/* Copy the rows that passed, or the groups, into the run. */
static DeviceStatus
copy_answer(VmRun *run, const VmLaunch &launch, const VmResult &result)
{
	const Program *program = run->program;
	const Tablet *tablet = run->tablet;

	if (program->aggregates)
	{
		std::vector<uint64_t> rows((size_t) result.nrows * launch.shape.row_words);
		std::vector<uint64_t> hashes(result.nrows);

		/* a GPU process makes room for as many groups as a launch has rows */
		if (program->grouped && program->ntables == 0 && result.nrows > tablet->nrows)
		{
			printf("# %u rows left %u groups\n", tablet->nrows, result.nrows);
			return STATUS_BAD_PROGRAM;
		}
		check(cudaMemcpy(rows.data(), launch.rows, rows.size() * 8, cudaMemcpyDeviceToHost), "copy rows");
		check(cudaMemcpy(hashes.data(), launch.hashes, hashes.size() * 8, cudaMemcpyDeviceToHost), "copy hashes");
		return merge_rows(run, whole_rows(program, launch, rows, result.nrows).data(), hashes.data(), result.nrows);
	}
	if (run->out != NULL && run->out_count == 0)
	{
		std::vector<uint32_t> bits(tablet->nrows / 32 + 1);

		check(cudaMemcpy(bits.data(), launch.passed, bits.size() * 4, cudaMemcpyDeviceToHost), "copy bits");
		for (uint32_t row = 0; row < tablet->nrows; row++)
			if (bits[row / 32] >> (row % 32) & 1)
			{
				if (run->out_count == run->out_capacity)
					return STATUS_OUTPUT_FULL;
				run->out[run->out_count++] = row;
			}
	}
	return STATUS_DONE;
}

/* Runs by the accumulator machine and in all, which are printed at the end. */
static uint32_t fast_runs;
static uint32_t all_runs;

static void
count_run(bool fast)
{
	if (all_runs++ == 0)
		atexit([] { printf("# %u of %u runs by the accumulator machine\n", fast_runs, all_runs); });
	fast_runs += fast;
}

/* Run a program on one block; `tile` is the tile's size that the test assumes, and only its registers are shown. */
static DeviceStatus
gpu_run(VmRun *run, uint32_t tile, VmWish wish)
{
	VmLaunch	launch = {};
	VmResult	result = {};
	DeviceStatus status;

	/* like a server: groups with texts go to a table, and may be as many as rows, for which few lanes have room */
	if (program_text_keys(run->program))
	{
		wish.options |= VM_MANY_GROUPS;
		wish.lanes = std::min(wish.lanes, 4u);
	}
	status = launch_program(run, wish, 1, &launch, &result);
	/* blocks without room for all groups are not required to hold all */
	if (status == STATUS_BAD_PROGRAM && wish.room > 0)
	{
		wish.room = 0;
		launch = {};
		result = {};
		status = launch_program(run, wish, 1, &launch, &result);
	}
	if (status == STATUS_TABLE_FULL && !(wish.options & VM_MANY_GROUPS))
	{
		wish.options |= VM_MANY_GROUPS;
		launch = {};
		result = {};
		status = launch_program(run, wish, 1, &launch, &result);
	}
	if (status == STATUS_DONE)
		status = copy_answer(run, launch, result);
	count_run(launch.shape.code.length > 0);
	if (launch.shape.code.length > 0)
	{
		VmWish		keep = wish;
		DeviceStatus again;

		keep.options = VM_KEEP;
		keep.shared_limit = 200 * 1024;
		launch = {};
		result = {};
		again = launch_program(run, keep, 1, &launch, &result);
		/* a program that needs too much memory with VM_KEEP has no registers to compare */
		if (launch.result != NULL && again != status && status != STATUS_TABLE_FULL)
			return STATUS_BAD_PROGRAM;
	}
	if (launch.result != NULL)
		copy_registers(run, launch, tile);
	return status;
}

extern "C" DeviceStatus
gpu_run_1(VmRun *run)
{
	static const uint32_t lanes[] = {2, 4, 8};
	/* number of groups: few, any number, any number from few rows, and a number that is known, or assumed */
	static const VmWish groups[] = {{0, 0, 0, 0}, {0, 0, VM_MANY_GROUPS, 0}, {0, 0, VM_MANY_GROUPS | VM_FEW_ROWS, 0},
									{0, 0, VM_MANY_GROUPS, 1}, {0, 0, VM_MANY_GROUPS, 1000}};
	static uint32_t runs;
	const VmWish *with = &groups[run->program->grouped ? runs / 3 % 5 : 0];
	VmWish		wish = {lanes[runs++ % 3], 200 * 1024, with->options, with->room};

	return gpu_run(run, 256, wish);
}

extern "C" DeviceStatus
gpu_run_2(VmRun *run)
{
	VmWish		wish = {4, 200 * 1024, VM_GENERAL};

	return gpu_run(run, 512, wish);
}

extern "C" DeviceStatus
gpu_run_groups(VmRun *run, int blocks, uint32_t lanes, uint32_t room, bool many, bool general)
{
	const VmWish wish = {lanes, 200 * 1024, (many ? VM_MANY_GROUPS : 0u) | (general ? VM_GENERAL : 0u), room};
	VmLaunch	launch = {};
	VmResult	result = {};
	const DeviceStatus status = launch_program(run, wish, blocks, &launch, &result);

	count_run(launch.shape.code.length > 0);
	return status == STATUS_DONE ? copy_answer(run, launch, result) : status;
}

extern "C" bool
gpu_can_run(const Program *program, int body)
{
	VmShape		shape;
	VmWish		wish = {2, 200 * 1024, VM_GENERAL};

	return vm_shape(program, body, NULL, &wish, &shape);
}
