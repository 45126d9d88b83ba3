/*
 * cpu_kernel.c
 *		The CPU device's inner loops: pages to columns, the tile VM, and
 *		columns to narrower ones.
 *
 * Built once for each instruction set with GPUDB_ISA naming it; cpu_isa.c
 * picks one at run time.  No function of PostgreSQL may be called here: the
 * code runs in threads.
 */
#include "core/tablet/deform_fast.h"
#include "core/vm/op_cast.h"
#include "core/vm/op_compare.h"
#include "core/vm/op_date.h"
#include "core/vm/op_logic.h"
#include "core/vm/vm.h"
#include "device/cpu_kernel.h"

#ifndef GPUDB_ISA
#define GPUDB_ISA base
#endif

#define VM_RUN vm_run
#define VM_TILE CPU_TILE
#include "core/vm/run_tiles.h"

#define CONCAT_(a, b) a##b
#define CONCAT(a, b) CONCAT_(a, b)

/* cpu_isa.c refers to the kernels by name */
extern const CpuKernel CONCAT(cpu_kernel_, GPUDB_ISA);
const CpuKernel CONCAT(cpu_kernel_, GPUDB_ISA) = {deform_pages, vm_run, for_pack};
