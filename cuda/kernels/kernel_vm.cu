/*
 * kernel_vm.cu
 *		Launching the tile VM: choosing a program body's shape, and the kernel that runs it.
 */
#include <cuda_runtime.h>

#include "block/fast_memory.cuh"
#include "block/shared.cuh"
#include "kernels/vm_kernels.h"

/* Size the hash table for the most groups that there may be, and a further slot for every thread. */
static void
choose_slots(VmShape *shape)
{
	const uint32_t most = group_capacity(shape, shape->replicas < MIN_REPLICAS ? shape->replicas : MIN_REPLICAS);

	for (shape->nslots = 256; shape->nslots < 2 * most || shape->nslots <= most + VM_THREADS; shape->nslots *= 2)
		;
}

/*
 * Size the memory for groups where every row may have its own: for the groups of a tile if that is
 * not too much, else for a warp's, so that every tile gets through. Where few rows have a group, a
 * warp's are enough, and leave more memory to other blocks. Where the number of groups is known, a
 * block that has room for all of them writes each only once, however few blocks that makes.
 */
static void
choose_many_groups(const VmWish *wish, VmShape *shape)
{
	const uint32_t of_warp = shape->lanes * 32;
	uint32_t	bytes;

	/* more replicas would leave room for fewer groups, and threads hardly ever share a group */
	shape->replicas = 1;
	for (uint32_t s = 0; s < shape->nstates; s++)
		if (!state_is_atomic((StateKind) shape->state_kind[s]))
			shape->replicas = MIN_REPLICAS;
	bytes = (group_stride(shape, shape->replicas) + shape->key_words + 1) * 8;
	shape->group_bytes = align16(bytes * (wish->room > of_warp ? wish->room : wish->room > 0 || (wish->options & VM_FEW_ROWS) ? of_warp
								 : shape->lanes * VM_THREADS));
	if (shape->group_bytes > MANY_GROUPS_BYTES && wish->room == 0)
	{
		shape->group_bytes = align16(bytes * of_warp);
		if (shape->group_bytes < MANY_GROUPS_BYTES)
			shape->group_bytes = MANY_GROUPS_BYTES;
	}
	choose_slots(shape);
}

/*
 * Size the memory for groups. A block begins with as many replicas of states as leave room for four
 * groups, and continues with fewer when the table is full.
 */
static void
choose_groups(const Program *program, const VmWish *wish, VmShape *shape)
{
	shape->replicas = VM_THREADS;
	if (program->grouped && (wish->options & VM_MANY_GROUPS))
	{
		choose_many_groups(wish, shape);
		return;
	}
	if (!program->grouped)
	{
		shape->group_bytes = align16((group_stride(shape, shape->replicas) + 1) * 8 + shape->key_words * 8);
		return;
	}
	shape->group_bytes = GROUPS_SHARED_BYTES;
	while (shape->replicas > MIN_REPLICAS && group_capacity(shape, shape->replicas) < 4)
		shape->replicas /= 4;
	if (shape->replicas < MIN_REPLICAS)
		shape->replicas = MIN_REPLICAS;
	if (group_capacity(shape, shape->replicas) < 4)
		shape->group_bytes = align16(4 * (group_stride(shape, shape->replicas) + shape->key_words + 1) * 8);
	/* memory in which no further group has room is left to other blocks */
	if (shape->replicas == VM_THREADS)
		shape->group_bytes = align16(group_capacity(shape, VM_THREADS) * (group_stride(shape, VM_THREADS) + shape->key_words + 1) * 8);
	choose_slots(shape);
}

/*
 * Number constants apart, and the other slots without gaps, so that the two slots of a wide
 * register stay neighbours.
 */
static void
map_registers(const Program *program, VmShape *shape)
{
	const ProgramBody *body = &program->body[shape->body];
	const Instr *code = program_instrs(program, (int) shape->body);

	for (uint32_t pc = 0; pc < body->tile_start; pc++)
	{
		shape->map[code[pc].dst] = (uint16_t) (CONSTANT | shape->nconstants++);
		if (op_info[code[pc].op].dst == KIND_W)
			shape->map[code[pc].dst + 1] = CONSTANT;
	}
	for (uint32_t slot = 0; slot < body->nregisters; slot++)
		if (!(shape->map[slot] & CONSTANT))
			shape->map[slot] = (uint16_t) shape->registers++;
}

/* Compute the layout of a body's states and keys, and size the memory for groups. */
static void
measure_groups(const Program *program, const VmWish *wish, VmShape *shape)
{
	shape->grouped = program->grouped;
	shape->aggregates = program->aggregates;
	shape->nstates = program->nstates;
	shape->row_words = rows_without_tallies(program, shape->state_kind, shape->state_word, &shape->ntallies);
	shape->state_words = shape->single_words = 0;
	for (uint32_t s = 0; s < program->nstates; s++)
	{
		const StateKind kind = (StateKind) shape->state_kind[s];

		shape->state_at[s] = (uint16_t) shape->state_words;
		shape->single_at[s] = (uint16_t) shape->single_words;
		if (shape->counted == 0 || s != shape->counter)
			shape->state_words += state_replicated(kind);
		shape->single_words += state_single(kind);
	}
	if (shape->counted != 0)
		shape->state_at[shape->counter] = shape->state_at[shape->counted - 1];
	shape->key_words = 1;
	for (uint32_t k = 0; k < program->nkeys; k++)
		shape->key_words += words_of_key(program->key_kind[k]);
	choose_groups(program, wish, shape);
}

static bool
shape_general(const Program *program, VmShape *shape)
{
	const Instr *code = program_instrs(program, (int) shape->body);

	for (uint32_t pc = 0; pc < program->body[shape->body].ninstrs; pc++)
	{
		if (!op_suits_gpu(code[pc].op))
			return false;
		shape->loops |= code[pc].op == VMOP_EXPAND;
	}
	if (shape->lanes > 4)
		shape->lanes = 4;
	map_registers(program, shape);
	shape->program_bytes = program->size;
	shape->tallies_at = VALUES_AT + register_bytes(shape->registers, shape->lanes * VM_THREADS) +
		shape->group_bytes + shape->nslots * 4 + align16(shape->program_bytes);
	return program->size <= PROGRAM_COPY_BYTES && shape->nconstants <= MAX_CONSTANTS;
}

/* Return true if a body has instructions that run_join() executes. */
static bool
has_apart(const Program *program, int body)
{
	const Instr *code = program_instrs(program, body);
	bool		has = program->ntables > 0 || program->nmaterialized > 0;

	for (uint32_t pc = 0; pc < program->body[body].ninstrs; pc++)
		has |= code[pc].op == VMOP_TEST_CODE || code[pc].op == VMOP_PART_DATE;
	return has;
}

bool
vm_shape(const Program *program, int body, const Tablet *tablet, const VmWish *wish, VmShape *shape)
{
	memset(shape, 0, sizeof(*shape));
	shape->body = (uint32_t) body;
	shape->lanes = wish->lanes;
	shape->joins = has_apart(program, body);
	measure_groups(program, wish, shape);
	if (wish->lanes == 8 && wish->options == 0 && tablet != NULL && select_shape(program, body, tablet, &shape->select))
		return true;
	shape->select.tallies = false;
	vm_lower(program, body, tablet, wish->options, shape);
	if (shape->counted != 0)
		measure_groups(program, wish, shape);
	if (shape->code.length > 0)
	{
		shape->registers = shape->code.slots + shape->code.bool_slots;
		shape->places_at = fast_places_at(shape, shape->lanes);
		shape->groups_at = fast_groups_at(shape, shape->lanes);
		shape->tallies_at = fast_joins_at(shape) + (shape->joins ? align16(sizeof(FastJoins)) : shape->code.tail > 0 ? vm_filter_bytes() : 0);
	}
	else if (!shape_general(program, shape))
		return false;
	shape->shared_bytes = shape->tallies_at + shape->ntallies * TALLY_WORDS * sizeof(uint32_t);
	return shape->shared_bytes <= wish->shared_limit;
}

/* Kernel parameters are limited to 4 KB on older CUDA. */
static_assert(sizeof(VmLaunch) <= 4096, "a launch does not fit");

static VmKernel
kernel_of(const VmShape *shape, bool sample)
{
	if (shape->select.tallies)
		return vm_select_kernel(sample);
	if (shape->code.tail > 0)
		return vm_filter_kernel();

	const FastKind kind = shape->joins ? FAST_JOINS : shape->dense ? FAST_DENSE : FAST_KEYS;

	return shape->code.length > 0 ? vm_fast_kernel_of(shape->lanes, kind) : vm_general_kernel_of(shape->lanes);
}

int
vm_prepare(uint32_t shared_limit)
{
	cudaError_t error = cudaFuncSetAttribute(vm_filter_kernel(), cudaFuncAttributeMaxDynamicSharedMemorySize, (int) shared_limit);

	for (uint32_t lanes = 2; lanes <= 8 && error == cudaSuccess; lanes *= 2)
	{
		for (int kind = 0; kind < FAST_KINDS && error == cudaSuccess; kind++)
			error = cudaFuncSetAttribute(vm_fast_kernel_of(lanes, (FastKind) kind), cudaFuncAttributeMaxDynamicSharedMemorySize,
										 (int) shared_limit);
		if (error == cudaSuccess)
			error = cudaFuncSetAttribute(vm_general_kernel_of(lanes), cudaFuncAttributeMaxDynamicSharedMemorySize,
										 (int) shared_limit);
	}
	return error;
}

int
vm_blocks_per_sm(const VmShape *shape)
{
	int			blocks = 0;

	if (cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel_of(shape, false), VM_THREADS, shape->shared_bytes)
		!= cudaSuccess)
	{
		/* clear the error, which the next launch would report */
		cudaGetLastError();
		return 0;
	}
	return blocks;
}

uint32_t
vm_tile_rows(const VmShape *shape)
{
	return shape->lanes * VM_THREADS;
}

/* Return `blocks`, or more if a block would have more tiles than `most`. */
static int
at_least(int blocks, uint32_t ntiles, uint32_t most)
{
	const uint32_t least = (ntiles + most - 1) / most;

	return (uint32_t) blocks < least ? (int) least : blocks;
}

int
vm_launch(const VmLaunch *launch, int blocks, void *stream)
{
	VmLaunch	with = *launch;
	const uint32_t tile = vm_tile_rows(&launch->shape);
	const uint32_t ntiles = launch->nparts > 0 ? launch->ntiles : launch->end_row > 0 ? (launch->end_row + tile - 1) / tile : 1;
	uint64_t	rows;

	if ((uint32_t) blocks > ntiles)
		blocks = (int) ntiles;
	if (launch->shape.counted != 0)
		blocks = at_least(blocks, ntiles, COUNTED_ROWS * MIN_REPLICAS / tile);
	/* a replica takes at most all rows of its block, so values of sum_bits bits cannot overflow it */
	rows = (uint64_t) (ntiles + blocks - 1) / blocks * tile;
	for (with.sum_bits = 62; rows > 1 && with.sum_bits > 32; rows = (rows + 1) / 2)
		with.sum_bits--;
	/* with loops, a replica takes as many pairs as a block may form */
	if (launch->shape.loops)
		with.sum_bits = 33;
	if (with.sum_bits <= 32)
		return cudaErrorInvalidValue;
	with.shape.select.gathers &= launch->seek != NULL;
	kernel_of(&launch->shape, launch->sample > 0)<<<blocks, VM_THREADS, launch->shape.shared_bytes, (cudaStream_t) stream>>>(with);
	return cudaGetLastError();
}
