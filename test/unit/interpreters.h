/*
 * interpreters.h
 *		The interpreter at two tile sizes: a small one, so that few rows make
 *		many tiles, and that of the CPU device.
 */
#ifndef GPUDB_TEST_INTERPRETERS_H
#define GPUDB_TEST_INTERPRETERS_H

#include "core/op_cast.h"
#include "core/op_compare.h"
#include "core/op_date.h"
#include "core/op_logic.h"
#include "core/vm.h"

#define SMALL_TILE 64
#define LARGE_TILE 512

/* the template's helpers depend on the tile, too, but their names do not */
#define vm_load_nulls vm_load_nulls_small
#define vm_any vm_any_small
#define vm_find_groups vm_find_groups_small
#define vm_sum_lanes vm_sum_lanes_small
#define vm_update_lanes vm_update_lanes_small
#define Reservation Reservation_small
#define vm_reserve vm_reserve_small
#define vm_reserve_texts vm_reserve_texts_small
#define vm_take_best_text vm_take_best_text_small
#define VM_RUN vm_run_small
#define VM_TILE SMALL_TILE
#include "core/interp.h"
#undef vm_load_nulls
#undef vm_any
#undef vm_find_groups
#undef vm_sum_lanes
#undef vm_update_lanes
#undef Reservation
#undef vm_reserve
#undef RESERVE_PLACES
#undef vm_reserve_texts
#undef vm_take_best_text

#define VM_RUN vm_run_large
#define VM_TILE LARGE_TILE
#include "core/interp.h"

typedef struct Interpreter
{
	const char *name;
	uint32_t	tile;
	DeviceStatus (*run) (VmRun *run);
} Interpreter;

static const Interpreter interpreters[] = {
	{"tile of 64", SMALL_TILE, vm_run_small},
	{"tile of 512", LARGE_TILE, vm_run_large},
};

#endif							/* GPUDB_TEST_INTERPRETERS_H */
