/*
 * kernel_vm.cu
 *		Launching the tile VM.
 */
#include <cuda_runtime.h>

#include "core/hashtable.h"
#include "core/op_cast.h"
#include "core/op_compare.h"
#include "core/op_date.h"
#include "core/op_logic.h"
#include "core/vm.h"

#include "block/shared.cuh"

namespace lanes1 {
#define VM_LANES 1
#define VM_KERNEL vm_kernel_1
#include "kernel_vm.cuh"
}

namespace lanes2 {
#define VM_LANES 2
#define VM_KERNEL vm_kernel_2
#include "kernel_vm.cuh"
}

namespace lanes4 {
#define VM_LANES 4
#define VM_KERNEL vm_kernel_4
#include "kernel_vm.cuh"
}

/* Instructions without a form here: text states, text keys, and what libm computes. */
static bool
op_exists(uint16_t op)
{
	switch ((Opcode) op)
	{
		case VMOP_KEY_T:
		case VMOP_RESERVE_T:
		case VMOP_RESERVE_T_G:
		case VMOP_EXP_F:
		case VMOP_LN_F:
		case VMOP_LOG10_F:
		case VMOP_POW_F:
			return false;
		default:
			return true;
	}
}

/* The state that begins at a word of a group's row. */
static uint32_t
state_at_word(const Program *program, int32_t word)
{
	uint32_t	s = 0;

	while (program->state_word[s] != word)
		s++;
	return s;
}

/* How many groups the table has room for, and the slots they need. */
static void
choose_capacity(const Program *program, VmShape *shape)
{
	uint32_t	bytes = (shape->state_words * shape->replicas + shape->key_words + 1) * 8 + 16;

	shape->capacity = program->grouped ? GROUPS_SHARED_BYTES / bytes : program->aggregates;
	if (program->grouped && shape->capacity < 4)
		shape->capacity = 4;
	shape->nslots = 0;
	if (program->grouped)
		for (shape->nslots = 8; shape->nslots < 2 * shape->capacity; shape->nslots *= 2)
			;
}

/* Constants apart; the other slots close ranks, so pairs of a wide register stay neighbours. */
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

bool
vm_shape(const Program *program, int body, uint32_t lanes, uint32_t shared_limit, VmShape *shape)
{
	const Instr *code = program_instrs(program, body);

	memset(shape, 0, sizeof(*shape));
	shape->body = (uint32_t) body;
	shape->lanes = lanes;
	map_registers(program, shape);
	for (uint32_t pc = 0; pc < program->body[body].ninstrs; pc++)
	{
		uint32_t	s;

		if (!op_exists(code[pc].op))
			return false;
		if (code[pc].op != VMOP_SUM_W && code[pc].op != VMOP_SUM_W_G)
			continue;
		s = state_at_word(program, code[pc].imm);
		shape->wide_sums[s / 32] |= 1u << (s % 32);
	}
	for (uint32_t s = 0; s < program->nstates; s++)
		shape->state_words += shape_state_words(shape, program, s);
	shape->replicas = program->grouped ? 32 : VM_THREADS;
	shape->key_words = 1;
	for (uint32_t k = 0; k < program->nkeys; k++)
		shape->key_words += program->key_kind[k] == KEY_WORD ? 1 : 2;
	choose_capacity(program, shape);
	shape->program_bytes = program->size;
	shape->shared_bytes = VALUES_AT + register_bytes(shape->registers, lanes * VM_THREADS) + group_table_bytes(shape) +
		align16(shape->program_bytes);
	return program->size <= PROGRAM_COPY_BYTES && shape->nconstants <= MAX_CONSTANTS && shape->shared_bytes <= shared_limit;
}

typedef void (*VmKernel) (const VmLaunch launch);

static VmKernel
kernel_of(uint32_t lanes)
{
	return lanes == 4 ? lanes4::vm_kernel_4 : lanes == 2 ? lanes2::vm_kernel_2 : lanes1::vm_kernel_1;
}

int
vm_prepare(uint32_t shared_limit)
{
	cudaError_t error = cudaSuccess;

	for (uint32_t lanes = 1; lanes <= 4 && error == cudaSuccess; lanes *= 2)
		error = cudaFuncSetAttribute(kernel_of(lanes), cudaFuncAttributeMaxDynamicSharedMemorySize, (int) shared_limit);
	return error;
}

int
vm_blocks_per_sm(const VmShape *shape)
{
	int			blocks = 0;

	if (cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel_of(shape->lanes), VM_THREADS, shape->shared_bytes)
		!= cudaSuccess)
		return 0;
	return blocks;
}

int
vm_launch(const VmLaunch *launch, int blocks, void *stream)
{
	kernel_of(launch->shape.lanes)<<<blocks, VM_THREADS, launch->shape.shared_bytes, (cudaStream_t) stream>>>(*launch);
	return cudaGetLastError();
}
