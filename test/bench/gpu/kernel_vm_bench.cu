/*
 * kernel_vm_bench.cu
 *		The tile VM's kernel alone: a compiled program over columns in GPU memory.
 *
 *		kernel_vm_bench ROWS PROGRAM...
 *
 * PROGRAM is a file that gpudb.debug_program wrote for a query over TPC-H's
 * lineitem.  Columns are made on the GPU, 8 bytes a value.  A tablet without
 * NULLs says so, and its bitmaps are not read; in the other one a row in 16
 * has a NULL in each column of quantity, discount, tax and shipdate, and the
 * kernel reads these columns' bitmaps.  Flags and states of lines make the four
 * groups that TPC-H's query 1 has, or six, which fit a block's first table no
 * more.  Times are CUDA events, the median of
 * 21 launches; rates count all values of all columns once, and bitmaps where
 * there are NULLs, whether or not the kernel could leave some out.  The answer
 * over the first rows is compared with the CPU's interpreter.
 */
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <cuda_runtime.h>

#include "core/hash.h"
#include "core/vm/vm.h"
#include "kernels/vm_launch.h"

extern "C" {
#include "reference.h"
}

#define COMPARED_ROWS 1000000
#define ROW_CAPACITY (1 << 18)
#define LAUNCHES 21
#define SMALL_ROWS 10000
#define CACHED_ROWS 55000		/* of a cached tablet */

static void
check(int error, const char *what)
{
	if (error == cudaSuccess)
		return;
	fprintf(stderr, "%s: %s\n", what, cudaGetErrorString((cudaError_t) error));
	exit(1);
}

/* How a tablet is filled. */
struct Data
{
	bool		nulls;
	bool		six_groups;
	bool		cached;
};

/* Something like lineitem's attribute in some row, as a decimal of scale 2, a date, or packed text. */
static __host__ __device__ int64_t
value_of(int attno, uint64_t row, Data data)
{
	uint64_t	h = hash_mix(row * 32 + (uint64_t) attno);
	uint64_t	flag = hash_mix(row * 32 + 9) % 4;

	switch (attno)
	{
		case 5:
			return (int64_t) (h % 50 + 1) * 100;
		case 6:
			return 90000 + (int64_t) (h % 10000000);
		case 7:
			return (int64_t) (h % 11);
		case 8:
			return (int64_t) (h % 9);
		case 9:
			return (int64_t) ((flag == 0 ? 'A' : flag == 1 ? 'R' : 'N') * (1ull << 48) + 1);
		case 10:
			return (int64_t) (((data.six_groups ? h % 2 == 0 : flag < 2 || h % 64 == 0) ? 'F' : 'O') * (1ull << 48) + 1);
		default:
			return -2922 + (int64_t) (h % 2526);	/* 1992-01-02 on, days before 2000 */
	}
}

static __host__ __device__ bool
is_nullable(int attno)
{
	return attno == 5 || attno == 7 || attno == 8 || attno == 11;
}

static __host__ __device__ bool
null_of(int attno, uint64_t row)
{
	return is_nullable(attno) && hash_mix(row * 64 + (uint64_t) attno) % 16 == 0;
}

static __global__ void
fill(int64_t *values, uint32_t *nulls, int attno, uint32_t nrows, Data data)
{
	for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < nrows; i += gridDim.x * blockDim.x)
	{
		values[i] = value_of(attno, i, data);
		if (data.nulls && null_of(attno, i))
			atomicOr(&nulls[i / 32], 1u << (i % 32));
	}
}

/* The same as it is cached: differences from a base. */
template <typename T> static __global__ void
fill_for_encoded(T *values, int attno, uint64_t first, uint32_t nrows, TabletColumn encoding, Data data)
{
	for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < nrows; i += gridDim.x * blockDim.x)
		values[i] = (T) ((uint64_t) (value_of(attno, first + i, data) - encoding.base) >> encoding.shift);
}

static __global__ void
read_all(const uint4 *data, size_t n, uint32_t *sink)
{
	uint32_t	sum = 0;

	for (size_t i = blockIdx.x * (size_t) blockDim.x + threadIdx.x; i < n; i += (size_t) gridDim.x * blockDim.x)
	{
		uint4		v = __ldcs(data + i);

		sum += v.x ^ v.y ^ v.z ^ v.w;
	}
	if (sum == 0x12345678)
		*sink = sum;
}

template <typename F> static float
median_ms(F run)
{
	cudaEvent_t begin;
	cudaEvent_t end;
	std::vector<float> ms;

	check(cudaEventCreate(&begin), "event");
	check(cudaEventCreate(&end), "event");
	for (int i = 0; i <= LAUNCHES; i++)
	{
		float		t;

		check(cudaEventRecord(begin), "record");
		run();
		check(cudaEventRecord(end), "record");
		check(cudaEventSynchronize(end), "run");
		check(cudaEventElapsedTime(&t, begin, end), "elapsed");
		if (i > 0)
			ms.push_back(t);
	}
	std::sort(ms.begin(), ms.end());
	return ms[ms.size() / 2];
}

struct Job
{
	std::vector<uint8_t> file;
	int			ncolumns;
	const int16_t *column;		/* attribute number, scale */
	const Program *program;
};

static Job
load(const char *path)
{
	Job			job;
	FILE	   *f = fopen(path, "rb");
	int			c;

	if (f == NULL)
		perror(path), exit(1);
	while ((c = getc(f)) != EOF)
		job.file.push_back((uint8_t) c);
	fclose(f);
	memcpy(&job.ncolumns, job.file.data(), 4);
	job.column = (const int16_t *) (job.file.data() + 4);
	/* the program wants its words aligned */
	job.file.insert(job.file.begin() + 4 + 4 * job.ncolumns, (8 - (4 + 4 * job.ncolumns) % 8) % 8, 0);
	job.column = (const int16_t *) (job.file.data() + 4);
	job.program = (const Program *) (job.file.data() + (4 + 4 * job.ncolumns + 7) / 8 * 8);
	if (program_verify(job.program, job.program->size) != STATUS_DONE)
		fprintf(stderr, "%s: no program\n", path), exit(1);
	return job;
}

/* A tablet of 8-byte columns, in device memory or in the host's, with NULLs or without. */
static Tablet *
make_tablet(const Job &job, uint32_t nrows, bool device, Data data, Tablet **header_out)
{
	std::vector<uint16_t> types(job.ncolumns + 1, COLTYPE_I64);
	uint64_t	size = tablet_size(types.data(), (uint32_t) job.ncolumns, nrows, 0);
	uint64_t	head = tablet_align(sizeof(Tablet) + job.ncolumns * sizeof(TabletColumn));
	Tablet	   *header = (Tablet *) calloc(1, device ? head : size);
	Tablet	   *tablet = header;

	tablet_layout(header, types.data(), (uint32_t) job.ncolumns, nrows, 0);
	for (int c = 0; c < job.ncolumns; c++)
		for (uint32_t i = 0; data.nulls && i < 1000; i++)
			header->column[c].null_count += null_of(job.column[2 * c], i);
	if (device)
	{
		check(cudaMalloc(&tablet, size), "cudaMalloc");
		check(cudaMemset(tablet, 0, size), "cudaMemset");
		check(cudaMemcpy(tablet, header, head, cudaMemcpyHostToDevice), "copy");
	}
	for (int c = 0; c < job.ncolumns; c++)
	{
		int64_t    *values = (int64_t *) ((uint8_t *) tablet + header->column[c].values);
		uint8_t    *bits = (uint8_t *) tablet + header->column[c].nulls;

		if (device)
			fill<<<1024, 256>>>(values, (uint32_t *) bits, job.column[2 * c], nrows, data);
		else
			for (uint32_t i = 0; i < nrows; i++)
			{
				values[i] = value_of(job.column[2 * c], i, data);
				bits[i / 8] |= (uint8_t) ((data.nulls && null_of(job.column[2 * c], i)) << (i % 8));
			}
	}
	check(cudaDeviceSynchronize(), "fill");
	*header_out = header;
	return tablet;
}

/* The form in which an attribute is cached. */
static TabletColumn
cached_form(int attno)
{
	TabletColumn column = {};

	column.type = attno == 6 ? COLTYPE_U32 : attno == 5 || attno > 10 ? COLTYPE_U16 : COLTYPE_U8;
	column.base = attno == 5 ? 100 : attno == 6 ? 90000 : attno == 9 ? 'A' * (1ll << 48) + 1 : attno == 10 ? 'F' * (1ll << 48) + 1
		: attno > 10 ? -2922 : 0;
	column.shift = attno == 5 ? 2 : attno == 9 || attno == 10 ? 48 : 0;
	wide_store(column.min, (Wide) column.base);
	wide_store(column.max, attno == 5 ? 5000 : attno == 6 ? 10089999 : attno == 7 ? 10 : attno == 8 ? 8
			   : attno == 9 ? (Wide) ('R' * (1ll << 48) + 1) : attno == 10 ? (Wide) ('O' * (1ll << 48) + 1) : -397);
	return column;
}

/* Cached tablets in device memory, as parts of a launch but for their tiles; and a head that is stored like all of them. */
static std::vector<VmPart>
make_cached(const Job &job, uint32_t nrows, Data data, Tablet **header_out, std::vector<void *> *memory)
{
	const size_t head = tablet_align(sizeof(Tablet) + job.ncolumns * sizeof(TabletColumn));
	const uint32_t ntablets = (nrows + CACHED_ROWS - 1) / CACHED_ROWS;
	std::vector<uint8_t> all(head * ntablets);
	std::vector<VmPart> parts;
	uint8_t    *descriptors;

	check(cudaMalloc(&descriptors, all.size()), "cudaMalloc");
	memory->push_back(descriptors);
	for (uint32_t t = 0; t < ntablets; t++)
	{
		const uint32_t n = std::min(nrows - t * CACHED_ROWS, (uint32_t) CACHED_ROWS);
		Tablet	   *tablet = (Tablet *) &all[head * t];

		tablet->nrows = n;
		tablet->ncols = (uint32_t) job.ncolumns;
		for (int c = 0; c < job.ncolumns; c++)
		{
			const int	attno = job.column[2 * c];
			TabletColumn column = cached_form(attno);
			const uint64_t first = (uint64_t) t * CACHED_ROWS;
			uint8_t    *values;

			check(cudaMalloc(&values, tablet_align(n * coltype_bytes((ColType) column.type))), "cudaMalloc");
			memory->push_back(values);
			if (column.type == COLTYPE_U8)
				fill_for_encoded<<<256, 256>>>(values, attno, first, n, column, data);
			else if (column.type == COLTYPE_U16)
				fill_for_encoded<<<256, 256>>>((uint16_t *) values, attno, first, n, column, data);
			else
				fill_for_encoded<<<256, 256>>>((uint32_t *) values, attno, first, n, column, data);
			column.values = (uint64_t) (values - (descriptors + head * t));
			tablet->column[c] = column;
		}
		parts.push_back({(const Tablet *) (descriptors + head * t), NULL, n, 0});
	}
	check(cudaMemcpy(descriptors, all.data(), all.size(), cudaMemcpyHostToDevice), "copy");
	check(cudaDeviceSynchronize(), "fill");
	*header_out = (Tablet *) malloc(head);
	memcpy(*header_out, all.data(), head);
	for (int c = 0; c < job.ncolumns; c++)
		(*header_out)->column[c].base += (*header_out)->column[c].base == 0;	/* in a frame, whatever its base */
	return parts;
}

struct Gpu
{
	uint64_t   *rows;
	uint64_t   *hashes;
	VmResult   *result;
	int			sms;
	int			shared_limit;
	double		bandwidth;		/* GB/s, reading */
};

/* Merge the group rows of a launch and compare with the CPU's. */
static bool
same_answer(const Gpu &gpu, const Job &job, const VmResult &result, uint32_t nrows, Data data)
{
	const Program *program = job.program;
	std::vector<uint64_t> rows((size_t) result.nrows * program->row_words);
	std::vector<uint64_t> hashes(result.nrows);
	Tablet	   *header;
	Tablet	   *tablet = make_tablet(job, nrows, false, data, &header);
	bool		same;

	check(cudaMemcpy(rows.data(), gpu.rows, rows.size() * 8, cudaMemcpyDeviceToHost), "copy");
	check(cudaMemcpy(hashes.data(), gpu.hashes, hashes.size() * 8, cudaMemcpyDeviceToHost), "copy");
	same = reference_equals(program, tablet, rows.data(), hashes.data(), result.nrows);
	free(tablet);
	return same;
}

/* Time launches on so many blocks. */
static float
launch_ms(const Gpu &gpu, const VmLaunch &launch, int blocks)
{
	return median_ms([&] {
		cudaMemsetAsync(gpu.result, 0, sizeof(VmResult));
		check(vm_launch(&launch, blocks, NULL), "launch");
	});
}

/* Have a launch go over the first rows; of cached tablets over some whole ones. */
static void
set_rows(VmLaunch *launch, const std::vector<VmPart> &parts, uint32_t nrows)
{
	const uint32_t tile = vm_tile_rows(&launch->shape);
	std::vector<VmPart> with = parts;

	launch->end_row = parts.empty() ? nrows : 0;
	launch->nparts = launch->ntiles = 0;
	for (VmPart &part : with)
	{
		if (launch->end_row >= nrows)
			break;
		part.first_tile = launch->ntiles;
		launch->ntiles += (part.tablet_rows + tile - 1) / tile;
		launch->end_row += part.tablet_rows;
		launch->nparts++;
	}
	if (launch->nparts > 0)
		check(cudaMemcpy((void *) launch->part, with.data(), with.size() * sizeof(VmPart), cudaMemcpyHostToDevice), "copy");
}

/* One way to run a program: check the answer, then time it. */
static void
bench_shape(const Gpu &gpu, const Job &job, VmLaunch launch, const std::vector<VmPart> &parts, uint32_t nrows, Data data)
{
	VmResult	result;
	int			most = vm_blocks_per_sm(&launch.shape);
	double		bytes = 0;

	for (int c = 0; c < job.ncolumns; c++)
		bytes += (double) nrows * (data.cached ? coltype_bytes((ColType) cached_form(job.column[2 * c]).type)
								   : 8 + (data.nulls && is_nullable(job.column[2 * c]) ? 1.0 / 8 : 0));
	set_rows(&launch, parts, std::min(nrows, (uint32_t) COMPARED_ROWS / CACHED_ROWS * CACHED_ROWS));
	check(cudaMemset(gpu.result, 0, sizeof(VmResult)), "memset");
	check(vm_launch(&launch, gpu.sms * most, NULL), "launch");
	check(cudaMemcpy(&result, gpu.result, sizeof(result), cudaMemcpyDeviceToHost), "run");
	printf("  %s, %u lanes, %u B shared, %u registers: %s", launch.shape.dense ? "dense" : launch.shape.code.length > 0 ? "fast" : "general",
		   launch.shape.lanes, launch.shape.shared_bytes, launch.shape.registers,
		   result.status != STATUS_DONE ? status_text((DeviceStatus) result.status)
		   : same_answer(gpu, job, result, launch.end_row, data) ? "right" : "WRONG");
	set_rows(&launch, parts, nrows);
	for (int blocks = most; blocks > 0; blocks = blocks > 1 && blocks == most ? (most + 1) / 2 : 0)
	{
		float		ms = launch_ms(gpu, launch, gpu.sms * blocks);

		printf("; %d blocks/SM %.3f ms, %.0f GB/s, %.0f %%", blocks, ms, bytes / ms / 1e6, 100 * bytes / ms / 1e6 / gpu.bandwidth);
	}
	set_rows(&launch, parts, std::min(nrows, (uint32_t) SMALL_ROWS));
	printf("; %u rows %.1f us\n", launch.end_row, 1000 * launch_ms(gpu, launch, gpu.sms * most));
	fflush(stdout);
}

static void
bench(const Gpu &gpu, const char *path, uint32_t nrows, Data data)
{
	Job			job = load(path);
	Tablet	   *header;
	Tablet	   *tablet;
	Program    *program;

	std::vector<void *> memory;
	std::vector<VmPart> parts;
	VmPart	   *device_parts = NULL;

	if (data.six_groups && !job.program->grouped)
		return;
	printf("%s, %s%s\n", path, data.cached ? "cached" : data.nulls ? "NULLs in quantity, discount, tax, shipdate" : "no NULLs",
		   !job.program->grouped ? "" : data.six_groups ? ", six groups" : ", four groups");
	if (data.cached)
	{
		parts = make_cached(job, nrows, data, &header, &memory);
		check(cudaMalloc(&device_parts, parts.size() * sizeof(VmPart)), "cudaMalloc");
		memory.push_back(device_parts);
		tablet = NULL;
	}
	else
		tablet = make_tablet(job, nrows, true, data, &header);
	check(cudaMalloc(&program, job.program->size), "cudaMalloc");
	check(cudaMemcpy(program, job.program, job.program->size, cudaMemcpyHostToDevice), "copy");
	for (uint32_t lanes = 2; lanes <= 8; lanes *= 2)
		for (uint32_t options : {0, VM_DENSE, VM_GENERAL})
		{
			VmLaunch	launch = {};
			VmWish		wish = {lanes, (uint32_t) gpu.shared_limit, options};

			if ((options == VM_GENERAL && lanes != 4) || (options == VM_DENSE && (!data.cached || !job.program->grouped)) || !vm_shape(job.program, BODY_NARROW, header, &wish, &launch.shape))
				continue;
			launch.program = program;
			launch.tablet = tablet;
			launch.part = device_parts;
			launch.rows = gpu.rows;
			launch.hashes = gpu.hashes;
			launch.row_capacity = ROW_CAPACITY;
			launch.result = gpu.result;
			bench_shape(gpu, job, launch, parts, nrows, data);
		}
	free(header);
	for (void *piece : memory)
		cudaFree(piece);
	cudaFree(tablet);
	cudaFree(program);
}

/* GB/s that a kernel reads which does nothing else; left out of runs for a sanitizer, over few rows. */
static double
reading_speed(const Gpu &gpu)
{
	const size_t n = (size_t) 8 << 30;
	uint4	   *data;
	float		ms;

	check(cudaMalloc(&data, n), "cudaMalloc");
	check(cudaMemset(data, 7, n), "memset");
	ms = median_ms([&] { read_all<<<gpu.sms * 16, 512>>>(data, n / 16, &gpu.result->nrows); });
	cudaFree(data);
	printf("reading: %.0f GB/s\n", n / ms / 1e6);
	return n / ms / 1e6;
}

int
main(int argc, char **argv)
{
	uint32_t	nrows = argc > 1 ? (uint32_t) atoll(argv[1]) : 0;
	Gpu			gpu;

	if (argc < 3)
		return fprintf(stderr, "usage: kernel_vm_bench ROWS PROGRAM...\n"), 2;
	check(cudaDeviceGetAttribute(&gpu.sms, cudaDevAttrMultiProcessorCount, 0), "attribute");
	check(cudaDeviceGetAttribute(&gpu.shared_limit, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0), "attribute");
	check(vm_prepare((uint32_t) gpu.shared_limit), "prepare");
	check(cudaMalloc(&gpu.result, sizeof(VmResult)), "cudaMalloc");
	gpu.bandwidth = nrows > COMPARED_ROWS ? reading_speed(gpu) : 0;
	check(cudaMalloc(&gpu.rows, (size_t) ROW_CAPACITY * 64 * 8), "cudaMalloc");
	check(cudaMalloc(&gpu.hashes, (size_t) ROW_CAPACITY * 8), "cudaMalloc");
	for (int i = 2; i < argc; i++)
		for (Data data : {Data{}, Data{true, false, false}, Data{false, true, false}, Data{false, false, true}})
			bench(gpu, argv[i], nrows, data);
	return 0;
}
