/*
 * tuning.cuh
 *		Tuning constants of the kernels, with the measurements by which they were chosen.
 */
#ifndef GPUDB_CUDA_KERNELS_TUNING_CUH
#define GPUDB_CUDA_KERNELS_TUNING_CUH

/*
 * Threads of a block that runs programs; with 8 lanes a thread, a tile has 1,024 rows. Aggregate
 * states have one replica a thread, so a block of 256 threads would have room for half the groups.
 * With 256, 60 M cached rows of TPC-H's query 6 take as long, those of query 1 1.24 ms instead of
 * 1.02.
 */
#define VM_THREADS 128

/* Minimum blocks per multiprocessor of the interpreter, which bounds hardware registers to 64 a thread. */
#define VM_BLOCKS 8

/*
 * Minimum blocks per multiprocessor of the accumulator machine, which bounds hardware registers to
 * 80 a thread with 8 lanes and to 64 with fewer lanes. With 8 lanes and 64 registers the compiler
 * spills what the loop needs: query 6 of TPC-H 2.49 ms instead of 1.40, query 1 9.54 ms instead of
 * 4.92; with 4 lanes and 48 registers, query 6 5.09 ms instead of 1.81.
 */
#define VM_FAST_BLOCKS(lanes) ((lanes) == 8 ? 6 : 8)

/*
 * Minimum blocks per multiprocessor of the accumulator machine with groups by dense index. Shared
 * memory has room for six blocks of query 1 with 8 lanes. 80 hardware registers a thread cost 44
 * bytes of spilled stores, and yet 60 M cached rows take 0.79 ms instead of 0.84 with five blocks
 * and 96 registers.
 */
#define VM_DENSE_BLOCKS(lanes) ((lanes) == 8 ? 6 : 8)

/*
 * Minimum blocks per multiprocessor of the accumulator machine with joins: 96 hardware registers a
 * thread with 8 lanes, else 80.
 */
#define VM_JOINS_BLOCKS(lanes) ((lanes) == 8 ? 4 : 5)

/*
 * Minimum blocks per multiprocessor of kernel_filter.cu, and rows that a thread processes at once
 * behind the filters. 60 M cached rows of query 6, of which 2 % pass, take 0.186 ms, with 10 blocks
 * and fewer registers 0.194, and with two tiles compared at a time 0.187. With 4 rows at once they
 * take 0.190, but 0.347 instead of 0.301 where half of the rows pass, and 0.468 instead of 0.375
 * where all do; the accumulator machine takes 0.364 for any of these.
 */
#define FILTER_BLOCKS 8
#define PASSED_LANES 8

/* Minimum blocks per multiprocessor of kernel_select.cu, enough for its loads to saturate the memory bandwidth. */
#define SELECT_BLOCKS 8

/* Threads of a block of kernel_seek.cu: a median of 100 M int4 values, from the sample to the value, takes 0.26 ms. */
#define SEEK_THREADS 512

/*
 * Bytes of shared memory for a block's groups at first: the four groups of TPC-H's query 1 with a
 * replica a thread. With 44 KB, for seven groups, a multiprocessor holds three blocks instead of
 * four: query 1 6.06 ms instead of 4.92, with six groups 6.06 instead of 5.72.
 */
#define GROUPS_SHARED_BYTES (99 * 256)

/*
 * Bytes of shared memory for a block's groups where nearly every row may have a group of its own.
 * The groups of a tile must fit: with four replicas of five states they did not, and each group was
 * written out three times, twice of them empty; by a warp a state. 20 M rows in 10,000 groups took
 * 267 ms; with one replica, and by a thread a state, 60.
 */
#define MANY_GROUPS_BYTES (48 * 1024)

/*
 * Minimum replicas of a block's states, unless all states are atomic and groups many: one a warp,
 * for states that are not atomic, exact sums and extremes of 128 bits.
 */
#define MIN_REPLICAS (VM_THREADS / 32)

/* Merging rows of groups into a device-resident group table; not yet measured. */
#define GROUPS_THREADS 256
#define GROUPS_BLOCKS 2048

/* Combining the rows of groups that blocks leave; not yet measured. */
#define NUMBER_THREADS 1024
#define COMBINE_THREADS 256

/* Deforming: four warps a block, each with a page of 8 kB in shared memory. */
#define DEFORM_THREADS 128
#define CLEAR_THREADS 256
#define ZONE_THREADS 1024

/* Compacting rows that passed the filters: a step has 2,048 rows, at most 32 kB of values; not yet measured. */
#define OUTPUT_THREADS 256

/* Copying columns from host memory: a megabyte is in flight; not yet measured. */
#define COLUMNS_THREADS 256
#define COLUMNS_BLOCKS 64

/* Building join tables from materialized rows, and sorting rows; not yet measured. */
#define MATERIALIZED_THREADS 256
#define MATERIALIZED_BLOCKS 2048

/* Measuring the memory bandwidth of the device. */
#define RATES_THREADS 256

#endif							/* GPUDB_CUDA_KERNELS_TUNING_CUH */
