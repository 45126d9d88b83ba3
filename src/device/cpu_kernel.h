/*
 * cpu_kernel.h
 *		The CPU device's inner loops, in one build per instruction set.
 */
#ifndef GPUDB_DEVICE_CPU_KERNEL_H
#define GPUDB_DEVICE_CPU_KERNEL_H

#include "core/tablet/deform.h"
#include "core/tablet/for_encoding.h"
#include "core/vm/vm.h"

/* Lanes of a tile: a register takes 4 KB, and a dozen registers stay in the L2 cache. */
#define CPU_TILE 512

typedef struct CpuKernel
{
	DeviceStatus (*deform) (const DeformPlan *plan, const PageList *pages, Tablet *tablet);
	DeviceStatus (*run) (VmRun *run);
	bool		(*pack) (const ForEncoding *encoding, ColType type, const void *values, uint32_t n, void *to);
} CpuKernel;

/* Return the best build for this processor. */
extern const CpuKernel *cpu_kernel(void);

#endif							/* GPUDB_DEVICE_CPU_KERNEL_H */
