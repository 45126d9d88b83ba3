/*
 * vm_launch.h
 *		What one launch of the tile VM on a GPU reads and writes.
 *
 * A launch runs a program over tiles of some tablets in device memory and
 * leaves rows of groups, which the host merges, or a bitmap of the rows that
 * passed.
 */
#ifndef GPUDB_CUDA_VM_LAUNCH_H
#define GPUDB_CUDA_VM_LAUNCH_H

#include "core/program.h"
#include "core/tablet_format.h"

/* A register number that stands for a constant: one value for all lanes. */
#define CONSTANT 0x8000

/* How a body runs on a device. */
typedef struct VmShape
{
	uint32_t	body;
	uint32_t	registers;		/* slots of those that differ from lane to lane */
	uint32_t	nconstants;
	uint16_t	map[PROGRAM_MAX_REGISTERS]; /* the program's slots to these, or to CONSTANT | number */
	uint32_t	key_words;		/* of a group: NULL flags, keys */
	uint32_t	state_words;	/* of a group in shared memory, counted once */
	uint32_t	replicas;		/* of each word of states */
	uint32_t	capacity;		/* groups of a block */
	uint32_t	nslots;			/* of their hash table */
	uint32_t	program_bytes;	/* copied into shared memory */
	uint32_t	shared_bytes;	/* of a block, all in all */
	uint32_t	lanes;			/* of a thread: 1, 2 or 4 */
	uint32_t	wide_sums[(PROGRAM_MAX_STATES + 31) / 32];	/* a bit a state: sums of 128-bit values */
} VmShape;

/* In device memory; zeroed before a launch. */
typedef struct VmResult
{
	uint32_t	status;			/* DeviceStatus: the first failure */
	uint32_t	nrows;			/* group rows written, or wanted when that is more than fit */
} VmResult;

typedef struct VmLaunch
{
	const Program *program;		/* this and all below in device memory */
	const Tablet *tablet;
	uint32_t	first_row;		/* a multiple of 1,024 */
	uint32_t	end_row;
	uint64_t   *rows;			/* group rows of program->row_words */
	uint64_t   *hashes;
	uint32_t	row_capacity;
	uint32_t   *passed;			/* of a program without aggregates: a bit a row of the tablet */
	VmResult   *result;
	uint64_t   *values;			/* tests: registers of the last tile; else NULL */
	uint8_t    *flags;			/* of each lane 1 = NULL, 2 = true */
	VmShape		shape;
} VmLaunch;

#ifdef __cplusplus
extern "C" {
#endif

/*
 * How a body runs, with so many lanes a thread, on a device that lets a block
 * have `shared_limit` bytes of shared memory.  False if it cannot.
 */
extern bool vm_shape(const Program *program, int body, uint32_t lanes, uint32_t shared_limit, VmShape *shape);

/* Once for each context: let blocks have so much shared memory.  Returns a cudaError_t, as all below. */
extern int	vm_prepare(uint32_t shared_limit);

/* How many blocks of this shape a multiprocessor holds; 0 if none. */
extern int	vm_blocks_per_sm(const VmShape *shape);

/* Launch on a CUDA stream (0 = the default one), on so many blocks.  */
extern int	vm_launch(const VmLaunch *launch, int blocks, void *stream);

#ifdef __cplusplus
}
#endif

#endif							/* GPUDB_CUDA_VM_LAUNCH_H */
