/*
 * tuning.cuh
 *		Numbers chosen by measurement, each with the measurement.
 */
#ifndef GPUDB_CUDA_TUNING_CUH
#define GPUDB_CUDA_TUNING_CUH

/* Threads of a block; with 4 lanes each a tile has 1,024 rows. */
#define VM_THREADS 256

/* Blocks that a multiprocessor shall hold at least, which bounds hardware registers to 64 a thread. */
#define VM_BLOCKS 4

/* Shared memory that a block's group table may take. */
#define GROUPS_SHARED_BYTES (40 * 1024)

/* Deforming: four warps, each with a page of 8 kB in shared memory. */
#define DEFORM_THREADS 128
#define CLEAR_THREADS 256
#define ZONE_THREADS 1024

#endif							/* GPUDB_CUDA_TUNING_CUH */
