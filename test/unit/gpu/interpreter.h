/*
 * interpreter.h
 *		The tile VM on a GPU, for unit tests.
 */
#ifndef GPUDB_TEST_GPU_INTERPRETER_H
#define GPUDB_TEST_GPU_INTERPRETER_H

#include "core/vm/vm.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Run a program on one block: by the accumulator machine where it can, or by the interpreter; they
 * show 256 and 512 rows of registers. CUDA errors end the test.
 */
extern DeviceStatus gpu_run_1(VmRun *run);
extern DeviceStatus gpu_run_2(VmRun *run);

/*
 * Run a grouping program on `blocks` blocks, whose tables are for any number of groups if `many`,
 * and have `room` for that many; by the accumulator machine where it can, with at most `lanes`
 * lanes, unless `general`. Shows no registers.
 */
extern DeviceStatus gpu_run_groups(VmRun *run, int blocks, uint32_t lanes, uint32_t room, bool many, bool general);

/* Return true if the GPU has a form for all of a program. */
extern bool gpu_can_run(const Program *program, int body);

#ifdef __cplusplus
}
#endif

#endif							/* GPUDB_TEST_GPU_INTERPRETER_H */
