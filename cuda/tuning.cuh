/*
 * tuning.cuh
 *		Numbers chosen by measurement, each with the measurement.
 */
#ifndef GPUDB_CUDA_TUNING_CUH
#define GPUDB_CUDA_TUNING_CUH

/*
 * Threads of a block; with 8 lanes each a tile has 1,024 rows.  Replicas of
 * states are one a thread, so a block of 256 would have half the groups.  With
 * 256, 60 M cached rows of query 6 take as long, those of query 1 1.24 ms
 * instead of 1.02.
 */
#define VM_THREADS 128

/* Blocks that a multiprocessor shall hold at least, which bounds hardware registers to 64 a thread. */
#define VM_BLOCKS 8

/*
 * The same for the accumulator machine: 80 a thread with 8 lanes, 64 with
 * fewer.  With 8 lanes and 64 the compiler spills what the loop needs: query 6
 * of TPC-H 2.49 ms instead of 1.40, query 1 9.54 ms instead of 4.92; with 4
 * lanes and 48, query 6 5.09 ms instead of 1.81.
 */
#define VM_FAST_BLOCKS(lanes) ((lanes) == 8 ? 6 : 8)

/*
 * The same with groups found by codes.  Shared memory has room for six blocks
 * of query 1 with 8 lanes.  80 hardware registers cost 44 bytes of spilled
 * stores, and yet 60 M cached rows take 0.79 ms instead of 0.84 with five
 * blocks and 96.
 */
#define VM_CODED_BLOCKS(lanes) ((lanes) == 8 ? 6 : 8)

/* The same with joins: 96 and 80 a thread. */
#define VM_JOINS_BLOCKS(lanes) ((lanes) == 8 ? 4 : 5)

/*
 * Filters that stand first: blocks that a multiprocessor shall hold, and rows
 * that a thread takes at once of those that pass.  60 M cached rows of query 6,
 * of which 2 % pass, take 0.186 ms, with 10 blocks and fewer registers 0.194,
 * and with two tiles compared at a time 0.187.  With 4 rows at once 0.190, but
 * 0.347 instead of 0.301 where half of the rows pass, and 0.468 instead of 0.375
 * where all do; the accumulator machine takes 0.364 for any of these.
 */
#define FILTER_BLOCKS 8
#define PASSED_LANES 8

/* Counting a column's values: blocks that a multiprocessor shall hold, for as much as memory takes to be kept busy. */
#define SELECT_BLOCKS 8

/* Seeking among values that were gathered: with this a median of 100 M int4, from the sample to the value, takes 0.26 ms. */
#define SEEK_THREADS 512

/*
 * Shared memory that a block's groups may take at first: the four of TPC-H's
 * query 1 with a replica a thread.  With 44 KB, for seven, a multiprocessor
 * holds three blocks instead of four: query 1 6.06 ms instead of 4.92, with
 * six groups 6.06 instead of 5.72.
 */
#define GROUPS_SHARED_BYTES (99 * 256)

/*
 * The same where nearly every row may have a group of its own.  Those of a
 * tile must fit: with four replicas of five states they did not, and each group
 * was written out three times, twice of them empty; by a warp a state.  20 M
 * rows in 10,000 groups took 267 ms; with one replica, and by a thread a state, 60.
 */
#define MANY_GROUPS_BYTES (48 * 1024)

/* Replicas of a block's states at least, unless all are atomic and groups many: one a warp, for those that are not, exact sums and extremes of 128 bits. */
#define MIN_REPLICAS (VM_THREADS / 32)

/* Merging rows into a table in device memory; not yet measured. */
#define GROUPS_THREADS 256
#define GROUPS_BLOCKS 2048

/* Combining blocks' rows; not yet measured. */
#define NUMBER_THREADS 1024
#define COMBINE_THREADS 256

/* Deforming: four warps, each with a page of 8 kB in shared memory. */
#define DEFORM_THREADS 128
#define CLEAR_THREADS 256
#define ZONE_THREADS 1024

/* Compacting rows that passed: 2,048 of them, at most 32 kB of values, a step; not yet measured. */
#define OUTPUT_THREADS 256

/* Copying columns from host memory: a megabyte under way; not yet measured. */
#define COLUMNS_THREADS 256
#define COLUMNS_BLOCKS 64

/* Making tables of rows; not yet measured. */
#define KEPT_THREADS 256
#define KEPT_BLOCKS 2048

/* Measuring the device's memory. */
#define RATES_THREADS 256

#endif							/* GPUDB_CUDA_TUNING_CUH */
