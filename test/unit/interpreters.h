/*
 * interpreters.h
 *		The interpreter at two tile sizes: a small one, so that few rows make many
 *		tiles, and the CPU device's.
 */
#ifndef GPUDB_TEST_INTERPRETERS_H
#define GPUDB_TEST_INTERPRETERS_H

#include "core/vm/vm.h"
#include "tap.h"
#ifdef GPUDB_TEST_GPU
#include "gpu/interpreter.h"
#endif

#define SMALL_TILE 64
#define LARGE_TILE 512

extern DeviceStatus vm_run_small(VmRun *run);
extern DeviceStatus vm_run_large(VmRun *run);

typedef struct Interpreter
{
	const char *name;
	uint32_t	tile;
	DeviceStatus (*run) (VmRun *run);
	bool		(*can_run) (const Program *program, int body);	/* NULL: can run and resume all programs */
} Interpreter;

static const Interpreter interpreters[] = {
	{"tile of 64", SMALL_TILE, vm_run_small, NULL},
	{"tile of 512", LARGE_TILE, vm_run_large, NULL},
#ifdef GPUDB_TEST_GPU
	{"GPU, tile of 256", 256, gpu_run_1, gpu_can_run},
	{"GPU, tile of 512", 512, gpu_run_2, gpu_can_run},
#endif
};

/* Begin a test of one interpreter: at most 16 in a program.  TAP holds on to the name. */
static inline void
begin_test(const Interpreter *vm, const char *name)
{
	static char names[16][80];
	static int	used;

	snprintf(names[used], sizeof(names[0]), "%s, %s", name, vm->name);
	tap_begin(names[used++]);
}

#endif							/* GPUDB_TEST_INTERPRETERS_H */
