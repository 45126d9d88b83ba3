/*
 * kernel_filter.cu
 *		The accumulator machine for programs whose filters are ranges of columns
 *		and come before everything else: filter, compact, compute.
 *
 * A warp compares the columns of a tile as they are stored, and appends the
 * numbers of the rows that pass to a queue of its own in shared memory.  When the
 * queue has a row for each of the warp's lanes, the instructions behind the
 * filters run for these rows, which may be of several tiles.  So where few rows
 * pass, only the filters take time; TPC-H's query 6 lets 2 % pass.  Without the
 * queue the warp would run these instructions in each tile in which a single row
 * has passed.  Selective filters before compaction are what Govindaraju 2004 does
 * by depth tests and He 2009 by prefix sums.
 */
#include <cuda_runtime.h>

#include "kernels/kernel_vm_fast.cuh"
#include "kernels/vm_kernels.h"

#define FILTER_LANES	8
#define WARPS			(VM_THREADS / 32)
#define TAKEN			(PASSED_LANES * 32)	/* rows that a warp takes at once */

/* Queues of the warps' passed rows, with room for fewer rows than are taken at once and those of a tile. */
typedef struct PassedRows
{
	uint32_t	row[WARPS][TAKEN + FILTER_LANES * 32];
} PassedRows;

/* Rows of a thread's lanes; a lane that is not selected has a valid row as well. */
typedef struct LaneRows
{
	uint32_t	row[PASSED_LANES];
} LaneRows;

static __device__ __forceinline__ uint32_t *
passed_rows(const VmLaunch &launch)
{
	return ((PassedRows *) (shared_memory + fast_joins_at(&launch.shape)))->row[threadIdx.x / 32];
}

/* Return the lanes of a tile that pass all filters. */
static __device__ __forceinline__ uint32_t
filter_tile(const VmLaunch &launch, uint32_t first, uint32_t n)
{
	const uint32_t *selected = fast_shared()->slice.selected;
	Machine<FILTER_LANES> m;

	m.selection = rows_of_tile<FILTER_LANES>(n);
	if (selected != NULL)
		m.selection &= load_bits<FILTER_LANES>(selected, first, m.selection);
	for (uint32_t pc = 0; pc < launch.shape.code.tail && __any_sync(~0u, m.selection != 0); pc++)
	{
		const FastOp in = fetch(launch, pc);

		switch (op_of(in))
		{
			case VMX_RANGE_U8: filter_stored<FILTER_LANES, uint8_t>(m, in, first); break;
			case VMX_RANGE_U16: filter_stored<FILTER_LANES, uint16_t>(m, in, first); break;
			default: filter_stored<FILTER_LANES, uint32_t>(m, in, first); break;
		}
	}
	return m.selection;
}

/*
 * Append the selected rows of a tile to the warp's queue; return the number of queued rows. Called
 * by all threads of the warp.
 */
static __device__ __forceinline__ uint32_t
append_rows(uint32_t *rows, uint32_t waiting, uint32_t selection, uint32_t first)
{
	const uint32_t up_to = warp_sum_up_to((uint32_t) __popc(selection));

	for (uint32_t *to = rows + waiting + up_to - __popc(selection); selection != 0; selection &= selection - 1)
		*to++ = first + row_of_lane<FILTER_LANES>((uint32_t) __ffs((int) selection) - 1);
	__syncwarp();
	return waiting + __shfl_sync(~0u, up_to, 31);
}

#define EACH_ROW _Pragma("unroll") for (int k = 0; k < PASSED_LANES; k++)

/* Return the NULL flags of a column at the lanes' rows. */
static __device__ __forceinline__ uint32_t
nulls_of_rows(const FastOp &in, const LaneRows &at)
{
	const uint8_t *bitmap = (const uint8_t *) fast_column(slot_of(in))->nulls;
	uint32_t	nulls = 0;

	if (flags_of(in) & FLAG_NULLS)
		EACH_ROW nulls |= (bitmap[at.row[k] / 8] >> at.row[k] % 8 & 1u) << k;
	return nulls;
}

/* Load a column of stored type S at the lanes' rows into acc, converted to D. */
template <typename S, typename D> static __device__ __forceinline__ void
load_rows(Machine<PASSED_LANES> &m, const FastOp &in, const LaneRows &at)
{
	const S    *values = (const S *) fast_column(slot_of(in))->values;

	EACH_ROW m.acc[k] = word_of((D) values[at.row[k]]);
	m.nulls = nulls_of_rows(in, at);
}

/* Load a frame-of-reference encoded column at the lanes' rows into acc, and add a constant. */
template <typename S> static __device__ __forceinline__ void
load_for_encoded_rows(const VmLaunch &launch, Machine<PASSED_LANES> &m, const FastOp &in, const LaneRows &at)
{
	const FastColumn *column = fast_column(slot_of(in));
	const uint64_t base = column->base + (uint64_t) imm_of(launch, in);
	const S    *values = (const S *) column->values;

	EACH_ROW m.acc[k] = base + ((uint64_t) values[at.row[k]] << column->shift);
	m.nulls = nulls_of_rows(in, at);
}

static __device__ __forceinline__ void
load_bool_rows(Machine<PASSED_LANES> &m, const FastOp &in, const LaneRows &at)
{
	const uint8_t *values = (const uint8_t *) fast_column(slot_of(in))->values;

	m.t = 0;
	EACH_ROW m.t |= (values[at.row[k]] & 1u) << k;
	m.t_nulls = nulls_of_rows(in, at);
}

/* Load the low words of a 128-bit column at the lanes' rows into acc. */
static __device__ __forceinline__ void
load_low_word_rows(Machine<PASSED_LANES> &m, const FastOp &in, const LaneRows &at)
{
	const uint64_t *values = (const uint64_t *) fast_column(slot_of(in))->values;

	EACH_ROW m.acc[k] = values[2 * (uint64_t) at.row[k]];
	m.nulls = nulls_of_rows(in, at);
}

/* Load a column whose values all equal its base into acc. */
static __device__ __forceinline__ void
load_same_rows(Machine<PASSED_LANES> &m, const FastOp &in, const LaneRows &at)
{
	EACH_ROW m.acc[k] = fast_column(slot_of(in))->base;
	m.nulls = nulls_of_rows(in, at);
}

/* Run an instruction behind the filters, except what its flags ask for. */
static __device__ __forceinline__ void
run_passed(const VmLaunch &launch, Machine<PASSED_LANES> &m, const FastOp &in, const LaneRows &at)
{
	enum { L = PASSED_LANES };

	switch (op_of(in))
	{
		case VMX_NOTHING: break;
		case VMX_GET: get_words<L>(launch, m, in); break;
		case VMX_LOAD_64: load_rows<uint64_t, uint64_t>(m, in, at); break;
		case VMX_LOAD_U8_FOR: load_for_encoded_rows<uint8_t>(launch, m, in, at); break;
		case VMX_LOAD_U16_FOR: load_for_encoded_rows<uint16_t>(launch, m, in, at); break;
		case VMX_LOAD_U32_FOR: load_for_encoded_rows<uint32_t>(launch, m, in, at); break;
		case VMX_LOAD_BOOL: load_bool_rows(m, in, at); break;
		case VMX_LOAD_U8: load_rows<uint8_t, int64_t>(m, in, at); break;
		case VMX_LOAD_I16: load_rows<int16_t, int64_t>(m, in, at); break;
		case VMX_LOAD_I32: load_rows<int32_t, int64_t>(m, in, at); break;
		case VMX_LOAD_U32: load_rows<uint32_t, int64_t>(m, in, at); break;
		case VMX_LOAD_I128: load_low_word_rows(m, in, at); break;
		case VMX_LOAD_F32: load_rows<float, double>(m, in, at); break;
		case VMX_LOAD_SAME: load_same_rows(m, in, at); break;
		case VMX_DATE_TO_TS: EACH_ROW m.acc[k] = word_of(op_date_to_ts((int64_t) m.acc[k])); break;
		case VMX_COUNT: count_lanes<L, false>(launch, m, in, false); break;
		COMPUTE(ADD_D, int64_t, op_add_d(a, b))
		COMPUTE_ORDERED(SUB_D, int64_t, op_sub_d(a, b))
		COMPUTE(MUL_D, int64_t, op_mul_d(a, b))
		default: run_rest<L, false>(launch, m, in, 0, 0); break;
	}
}

/*
 * Run the instructions behind the filters for the last rows of the queue, one a lane; return the
 * number of rows left.
 */
static __device__ __forceinline__ uint32_t
take_rows(const VmLaunch &launch, const uint32_t *rows, uint32_t waiting)
{
	const uint32_t n = min(waiting, (uint32_t) TAKEN);
	Machine<PASSED_LANES> m = {};
	LaneRows	at;

	EACH_ROW
	{
		const uint32_t number = k * 32 + (threadIdx.x & 31);

		at.row[k] = rows[waiting - n + (number < n ? number : 0)];
		m.selection |= (number < n ? 1u : 0u) << k;
	}
	/* the next tile's rows may overwrite the rows taken */
	__syncwarp();
	for (uint32_t pc = launch.shape.code.tail;; pc++)
	{
		const FastOp in = fetch(launch, pc);

		if (op_of(in) == VMX_END)
			break;
		run_passed(launch, m, in, at);
		if (flags_of(in) & FLAG_PUT)
			put_words<PASSED_LANES>(launch, m, in);
		if (flags_of(in) & FLAG_SUM)
			sum_words<PASSED_LANES, false>(launch, m, in, false);
	}
	return waiting - n;
}

static __global__ void __launch_bounds__(VM_THREADS, FILTER_BLOCKS)
filter_kernel(const __grid_constant__ VmLaunch launch)
{
	const uint32_t tile = FILTER_LANES * VM_THREADS;
	BlockGroups *groups = &fast_shared()->groups;
	BlockSlice *slice = &fast_shared()->slice;
	uint32_t   *rows = passed_rows(launch);

	fast_prepare(&launch, FILTER_LANES);
	while (block_next_slice(&launch, tile, slice))
	{
		uint32_t	waiting = 0;
		LineAhead	ahead;

		if (!fast_columns(&launch, FILTER_LANES))
		{
			if (threadIdx.x == 0)
				groups->status = STATUS_BAD_PROGRAM;
			break;
		}
		ahead = line_ahead(launch, tile, threadIdx.x);
		for (uint32_t first = slice->first; first < slice->end; first += slice->step)
		{
			uint32_t	selection;

			if (first + slice->step + tile <= slice->end)
				fetch_ahead<FILTER_LANES>(launch, ahead, first + slice->step);
			selection = filter_tile(launch, first, min(slice->end - first, tile));
			if (__any_sync(~0u, selection != 0))
				waiting = append_rows(rows, waiting, selection, first);
			while (waiting >= TAKEN)
				waiting = take_rows(launch, rows, waiting);
		}
		/* the next slice has other columns */
		if (waiting > 0)
			take_rows(launch, rows, waiting);
	}
	__syncthreads();
	block_groups_flush(&launch, groups);
	__syncthreads();
	if (threadIdx.x == 0 && groups->status != STATUS_DONE)
		atomicCAS(&launch.result->status, (uint32_t) STATUS_DONE, groups->status);
}

VmKernel
vm_filter_kernel(void)
{
	return filter_kernel;
}

uint32_t
vm_filter_bytes(void)
{
	return align16(sizeof(PassedRows));
}
