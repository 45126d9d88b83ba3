/*
 * check.cuh
 *		Ending a test program when CUDA fails.
 */
#ifndef GPUDB_TEST_GPU_CHECK_CUH
#define GPUDB_TEST_GPU_CHECK_CUH

#include <cstdio>
#include <cstdlib>

#include <cuda_runtime.h>

static void
check(int error, const char *what)
{
	if (error == cudaSuccess)
		return;
	printf("Bail out! %s: %s\n", what, cudaGetErrorString((cudaError_t) error));
	exit(1);
}

#endif							/* GPUDB_TEST_GPU_CHECK_CUH */
