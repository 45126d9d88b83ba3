/*
 * kernel_vm_general.cu
 *		The kernel of the interpreter, for 2 and 4 lanes a thread.
 *
 * kernel_vm_general.cuh is compiled for either in a namespace of its own.
 */
#include <cuda_runtime.h>

#include "core/vm/hashtable.h"
#include "core/vm/op_cast.h"
#include "core/vm/op_compare.h"
#include "core/vm/op_date.h"
#include "core/vm/op_logic.h"
#include "core/vm/vm.h"

#include "block/shared.cuh"
#include "kernels/vm_kernels.h"
#include "lower/labels.h"

namespace lanes2 {
#define VM_LANES 2
#define VM_KERNEL vm_kernel_2
#include "kernels/kernel_vm_general.cuh"
}

namespace lanes4 {
#define VM_LANES 4
#define VM_KERNEL vm_kernel_4
#include "kernels/kernel_vm_general.cuh"
}

VmKernel
vm_general_kernel_of(uint32_t lanes)
{
	return lanes >= 4 ? lanes4::vm_kernel_4 : lanes2::vm_kernel_2;
}
