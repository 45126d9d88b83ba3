/*
 * shared.cuh
 *		The shared memory of a block that runs the interpreter of the tile VM.
 *
 *		BlockShared | registers | group table | program | bins of tallies
 */
#ifndef GPUDB_CUDA_SHARED_CUH
#define GPUDB_CUDA_SHARED_CUH

#include "block/groups.cuh"
#include "block/slices.cuh"

/* A constant operand: one value that all lanes share. */
typedef struct Constant
{
	uint64_t	words[2];
	uint32_t	nulls;			/* NULL flags, a bit a lane, all equal */
	uint32_t	bools;
} Constant;

#define MAX_CONSTANTS 64

typedef struct BlockShared
{
	BlockGroups groups;
	BlockSlice	slice;
	Constant	constant[MAX_CONSTANTS];
	const VmShape *shape;
	uint64_t   *tallies;		/* VmLaunch.tallies */
	uint32_t	sum_bits;		/* VmLaunch.sum_bits */
	unsigned long long pairs;	/* pairs that the block's loops have formed */
} BlockShared;

/* Bytes of the largest program that the interpreter runs; larger ones are left to other devices. */
#define PROGRAM_COPY_BYTES 8192

#define VALUES_AT align16(sizeof(BlockShared))

static __device__ __forceinline__ BlockGroups *
block_groups(void)
{
	return &((BlockShared *) shared_memory)->groups;
}

static __device__ __forceinline__ const VmShape *
block_shape(void)
{
	return ((const BlockShared *) shared_memory)->shape;
}

static __device__ __forceinline__ uint64_t *
block_tally(uint32_t number)
{
	return ((const BlockShared *) shared_memory)->tallies + number * TALLY_WORDS;
}

static __device__ __forceinline__ uint32_t
block_sum_bits(void)
{
	return ((const BlockShared *) shared_memory)->sum_bits;
}

static __device__ __forceinline__ unsigned long long *
block_pairs(void)
{
	return &((BlockShared *) shared_memory)->pairs;
}

static __device__ __forceinline__ uint64_t *
block_values(void)
{
	return (uint64_t *) (shared_memory + VALUES_AT);
}

/* Return the bytes that a body's registers take, values, NULL flags and bools, with `tile` rows a tile. */
static __host__ __device__ inline uint32_t
register_bytes(uint32_t registers, uint32_t tile)
{
	return align16(registers * (tile * 8 + 2 * VM_THREADS));
}

static __device__ __forceinline__ const Constant *
block_constant(uint32_t number)
{
	return &((const BlockShared *) shared_memory)->constant[number & ~CONSTANT];
}

/* Return the number of the state that begins at word `word` of a group's row. */
static __device__ inline uint32_t
state_at_word(const Program *program, int32_t word)
{
	uint32_t	s = 0;

	while (program->state_word[s] != word)
		s++;
	return s;
}

/*
 * Rewrite an instruction for this launch: with the launch's register numbers, and in a total with
 * its state's number in imm and its tally's in dst. An instruction that makes a constant only
 * stores the value in `shared`.
 */
static __device__ inline void
lower_instr(const VmShape *shape, const Program *program, Instr *in, BlockShared *shared)
{
	const uint64_t *words = program_words(program);
	bool		companion = in->op == VMOP_MIN_BY || in->op == VMOP_MAX_BY || in->op == VMOP_MIN_BY_G || in->op == VMOP_MAX_BY_G;

	if (in->op == VMOP_CONST_B || in->op == VMOP_CONST_I || in->op == VMOP_CONST_W || in->op == VMOP_CONST_F ||
		in->op == VMOP_CONST_T)
	{
		Constant   *constant = &shared->constant[shape->map[in->dst] & ~CONSTANT];

		constant->words[0] = words[in->imm];
		constant->words[1] = in->op == VMOP_CONST_W ? words[in->imm + 1] : 0;
		constant->nulls = in->c ? ~0u : 0;
		constant->bools = words[in->imm] & 1 ? ~0u : 0;
		return;
	}
	in->dst = shape->map[in->dst];
	in->a = shape->map[in->a];
	in->b = shape->map[in->b];
	in->m = shape->map[in->m];
	if (companion)
		in->c = shape->map[in->c];
	if (op_is_total(in->op))
	{
		in->imm = (int32_t) state_at_word(program, in->imm);
		in->dst = (uint16_t) tally_of_state(program, (uint32_t) in->imm);
	}
}

/*
 * Initialize the block's shared memory with a lowered copy of the program and an empty group table;
 * called by all threads. Return the copy, which is to be run from its tile_start on.
 */
static __device__ inline const Program *
block_prepare(const VmLaunch *launch, uint32_t tile)
{
	BlockShared *shared = (BlockShared *) shared_memory;
	const VmShape *shape = &launch->shape;
	const Program *program = launch->program;
	const uint32_t table = VALUES_AT + register_bytes(shape->registers, tile);
	uint8_t    *copy = shared_memory + table + shape->group_bytes + shape->nslots * 4;

	for (uint32_t i = threadIdx.x; i < shape->program_bytes / 8; i += VM_THREADS)
		((uint64_t *) copy)[i] = ((const uint64_t *) program)[i];
	for (uint32_t i = shape->program_bytes / 8 * 8 + threadIdx.x; i < shape->program_bytes; i += VM_THREADS)
		copy[i] = ((const uint8_t *) program)[i];
	if (threadIdx.x == 0)
	{
		shared->shape = shape;
		shared->tallies = launch->tallies;
		shared->sum_bits = launch->sum_bits;
		shared->pairs = 0;
		shared->slice.part = NO_PART;
		block_groups_layout(&shared->groups, shape, table);
	}
	__syncthreads();
	for (uint32_t pc = threadIdx.x; pc < program->body[shape->body].ninstrs; pc += VM_THREADS)
		lower_instr(shape, program, (Instr *) program_instrs((const Program *) copy, (int) shape->body) + pc, shared);
	block_groups_clear(shape, &shared->groups);
	__syncthreads();
	return (const Program *) copy;
}

#endif							/* GPUDB_CUDA_SHARED_CUH */
