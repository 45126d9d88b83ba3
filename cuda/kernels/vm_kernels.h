/*
 * vm_kernels.h
 *		The kernels among which vm_launch() chooses.
 */
#ifndef GPUDB_CUDA_KERNELS_VM_KERNELS_H
#define GPUDB_CUDA_KERNELS_VM_KERNELS_H

#include "kernels/vm_launch.h"

typedef void (*VmKernel) (const VmLaunch launch);

/*
 * Variants of the accumulator machine with 2, 4 or 8 lanes per thread: with
 * groups found by their keys, by dense index, or with joins.
 */
typedef enum FastKind
{
	FAST_KEYS,
	FAST_DENSE,
	FAST_JOINS,
	FAST_KINDS
} FastKind;

extern VmKernel vm_fast_kernel_of(uint32_t lanes, FastKind kind);

/*
 * Return the accumulator machine for filters first, with 8 lanes per thread;
 * or the bytes of shared memory that it needs behind the groups.
 */
extern VmKernel vm_filter_kernel(void);
extern uint32_t vm_filter_bytes(void);

/* Return the kernel that counts the values of a column, of all rows or of a sample. */
extern VmKernel vm_select_kernel(bool sample);

/* Return the interpreter of core/vm/interp.h with 2 or 4 lanes per thread. */
extern VmKernel vm_general_kernel_of(uint32_t lanes);

#endif							/* GPUDB_CUDA_KERNELS_VM_KERNELS_H */
