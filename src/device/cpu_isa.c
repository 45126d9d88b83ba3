/*
 * cpu_isa.c
 *		Choice of the build of the CPU device's inner loops that this processor can run.
 */
#include "device/cpu_kernel.h"

#ifdef __x86_64__
extern const CpuKernel cpu_kernel_v2,
			cpu_kernel_v3,
			cpu_kernel_v4;
#else
extern const CpuKernel cpu_kernel_base;
#endif

const CpuKernel *
cpu_kernel(void)
{
#ifdef __x86_64__
	if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
		__builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd"))
		return &cpu_kernel_v4;
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma"))
		return &cpu_kernel_v3;
	return &cpu_kernel_v2;
#else
	return &cpu_kernel_base;
#endif
}
