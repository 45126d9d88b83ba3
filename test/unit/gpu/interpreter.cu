/*
 * interpreter.cu
 *		The tile VM on a GPU behind the interface that unit tests know: a VmRun.
 *
 * One block runs the tablet, with the code of the real kernel, and leaves its
 * registers of the last tile for the test to look at.  Nothing is resumable
 * here; groups come back sorted by hash.
 */
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

#include "core/hashtable.h"
#include "core/vm.h"
#include "tuning.cuh"
#include "vm_launch.h"

#include "interpreter.h"

#define ROW_CAPACITY 8192

static void
check(cudaError_t error, const char *what)
{
	if (error == cudaSuccess)
		return;
	printf("Bail out! %s: %s\n", what, cudaGetErrorString(error));
	exit(1);
}

/* Device memory that is kept between runs. */
template <typename T> static T *
device_buffer(int which, size_t n)
{
	static void *buffer[16];
	static size_t size[16];

	if (n * sizeof(T) > size[which])
	{
		cudaFree(buffer[which]);
		size[which] = 2 * n * sizeof(T);
		check(cudaMalloc(&buffer[which], size[which]), "cudaMalloc");
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
		group = group_find_or_insert(program, run->groups, &key);
		if (group == GROUP_NONE)
			return STATUS_TABLE_FULL;
		group_merge_states(program, run->groups, group_row(run->groups, group), &from, from.rows, &overflow);
	}
	return overflow ? STATUS_DECIMAL_TOO_WIDE : STATUS_DONE;
}

/* An instruction's result as the CPU's interpreter has it, from slot `from` on the device or from the program. */
static void
copy_register(VmRun *run, const Instr *in, uint32_t from, const uint64_t *values, const uint8_t *flags, uint32_t tile)
{
	uint8_t		kind = op_info[in->op].dst;
	uint64_t   *to = run->values + (size_t) in->dst * tile;

	for (uint32_t i = 0; i < tile && kind != KIND__; i++)
	{
		const uint64_t *words = program_words(run->program) + in->imm;
		bool		constant = from & CONSTANT;
		uint64_t	low = constant ? words[0] : values[(size_t) from * tile + i];
		uint64_t	high = kind != KIND_W ? 0 : constant ? words[1] : values[(size_t) (from + 1) * tile + i];
		uint8_t		flag = constant ? (uint8_t) (in->c | (low & 1) << 1) : flags[(size_t) from * tile + i];

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

/* The registers as the CPU's interpreter has them, by the kind that was last written. */
static void
copy_registers(VmRun *run, const VmLaunch &launch, uint32_t tile)
{
	const ProgramBody *body = &run->program->body[run->body];
	const Instr *code = program_instrs(run->program, run->body);
	std::vector<uint64_t> values((size_t) launch.shape.registers * tile);
	std::vector<uint8_t> flags(values.size());

	check(cudaMemcpy(values.data(), launch.values, values.size() * 8, cudaMemcpyDeviceToHost), "copy registers");
	check(cudaMemcpy(flags.data(), launch.flags, flags.size(), cudaMemcpyDeviceToHost), "copy flags");
	for (uint32_t pc = 0; pc < body->ninstrs; pc++)
		copy_register(run, &code[pc], launch.shape.map[code[pc].dst], values.data(), flags.data(), tile);
}

DeviceStatus
gpu_run(VmRun *run, uint32_t lanes)
{
	const Program *program = run->program;
	const Tablet *tablet = run->tablet;
	uint32_t	tile = lanes * VM_THREADS;
	VmLaunch	launch = {};
	VmResult	result = {};
	static bool prepared = false;

	if (!prepared)
		check((cudaError_t) vm_prepare(200 * 1024), "vm_prepare");
	prepared = true;
	if (!vm_shape(program, run->body, lanes, 200 * 1024, &launch.shape))
		return STATUS_BAD_PROGRAM;
	launch.program = to_device<Program>(0, program, program->size);
	launch.tablet = to_device<Tablet>(1, tablet, tablet->size);
	launch.end_row = tablet->nrows;
	launch.rows = device_buffer<uint64_t>(2, (size_t) ROW_CAPACITY * (program->row_words + 1));
	launch.hashes = device_buffer<uint64_t>(3, ROW_CAPACITY);
	launch.row_capacity = ROW_CAPACITY;
	launch.passed = device_buffer<uint32_t>(4, tablet->nrows / 32 + 2);
	launch.result = to_device<VmResult>(5, &result, sizeof(result));
	launch.values = device_buffer<uint64_t>(6, (size_t) launch.shape.registers * tile);
	launch.flags = device_buffer<uint8_t>(7, (size_t) launch.shape.registers * tile);
	check((cudaError_t) vm_launch(&launch, 1, NULL), "launch");
	check(cudaDeviceSynchronize(), "run");
	check(cudaMemcpy(&result, launch.result, sizeof(result), cudaMemcpyDeviceToHost), "copy from the device");
	copy_registers(run, launch, tile);
	if (result.status != STATUS_DONE)
		return (DeviceStatus) result.status;
	if (program->aggregates)
	{
		std::vector<uint64_t> rows((size_t) result.nrows * program->row_words);
		std::vector<uint64_t> hashes(result.nrows);

		check(cudaMemcpy(rows.data(), launch.rows, rows.size() * 8, cudaMemcpyDeviceToHost), "copy rows");
		check(cudaMemcpy(hashes.data(), launch.hashes, hashes.size() * 8, cudaMemcpyDeviceToHost), "copy hashes");
		return merge_rows(run, rows.data(), hashes.data(), result.nrows);
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

extern "C" DeviceStatus gpu_run_1(VmRun *run) { return gpu_run(run, 1); }
extern "C" DeviceStatus gpu_run_2(VmRun *run) { return gpu_run(run, 2); }
extern "C" bool
gpu_can_run(const Program *program, int body)
{
	VmShape		shape;

	return vm_shape(program, body, 1, 200 * 1024, &shape);
}
