/*
 * interpreter.h
 *		The tile VM on a GPU, for unit tests.
 */
#ifndef GPUDB_TEST_GPU_INTERPRETER_H
#define GPUDB_TEST_GPU_INTERPRETER_H

#include "core/vm.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The accumulator machine where it can, and the interpreter; they show 256 and 512 rows.  CUDA errors end the test. */
extern DeviceStatus gpu_run_1(VmRun *run);
extern DeviceStatus gpu_run_2(VmRun *run);

/* Whether the GPU has a form for all of a program. */
extern bool gpu_can_run(const Program *program, int body);

#ifdef __cplusplus
}
#endif

#endif							/* GPUDB_TEST_GPU_INTERPRETER_H */
