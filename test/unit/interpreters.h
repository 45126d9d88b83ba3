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
#ifdef GPUDB_TEST_GPU
#include "gpu/interpreter.h"
#endif

#define SMALL_TILE 64
#define LARGE_TILE 512

/* the template's functions depend on the tile, too, but their names do not */
#define vm_yields vm_yields_small
#define vm_stops vm_stops_small
#define vm_select vm_select_small
#define vm_load_nulls vm_load_nulls_small
#define vm_any vm_any_small
#define vm_find_groups vm_find_groups_small
#define vm_sum_lanes vm_sum_lanes_small
#define vm_update_lanes vm_update_lanes_small
#define Reservation Reservation_small
#define vm_reserve vm_reserve_small
#define vm_reserve_texts vm_reserve_texts_small
#define vm_take_best_text vm_take_best_text_small
#define vm_update vm_update_small
#define vm_update_one vm_update_one_small
#define vm_update_groups vm_update_groups_small
#define vm_emit vm_emit_small
#define vm_join_text vm_join_text_small
#define vm_probe vm_probe_small
#define vm_rank vm_rank_small
#define vm_fetch_wide vm_fetch_wide_small
#define vm_fetch vm_fetch_small
#define vm_emit_rows vm_emit_rows_small
#define vm_place vm_place_small
#define vm_store vm_store_small
#define vm_join vm_join_small
#define vm_ends vm_ends_small
#define vm_expand vm_expand_small
#define vm_expand_unique vm_expand_unique_small
#define vm_leave_loop vm_leave_loop_small
#define vm_run_rest vm_run_rest_small
#define vm_load_wide vm_load_wide_small
#define vm_run_tile vm_run_tile_small
#define VM_RUN vm_run_small
#define VM_TILE SMALL_TILE
#include "core/run_tiles.h"
#undef vm_yields
#undef vm_stops
#undef vm_select
#undef vm_load_nulls
#undef vm_any
#undef vm_find_groups
#undef vm_sum_lanes
#undef vm_update_lanes
#undef Reservation
#undef vm_reserve
#undef vm_reserve_texts
#undef vm_take_best_text
#undef vm_update
#undef vm_update_one
#undef vm_update_groups
#undef vm_emit
#undef vm_join_text
#undef vm_probe
#undef vm_rank
#undef vm_fetch_wide
#undef vm_fetch
#undef vm_emit_rows
#undef vm_place
#undef vm_store
#undef vm_join
#undef vm_ends
#undef vm_expand
#undef vm_expand_unique
#undef vm_leave_loop
#undef vm_run_rest
#undef vm_load_wide
#undef vm_run_tile

#define VM_RUN vm_run_large
#define VM_TILE LARGE_TILE
#include "core/run_tiles.h"

typedef struct Interpreter
{
	const char *name;
	uint32_t	tile;
	DeviceStatus (*run) (VmRun *run);
	bool		(*can_run) (const Program *program, int body);	/* NULL: everything, and all runs can be resumed */
} Interpreter;

static const Interpreter interpreters[] = {
	{"tile of 64", SMALL_TILE, vm_run_small, NULL},
	{"tile of 512", LARGE_TILE, vm_run_large, NULL},
#ifdef GPUDB_TEST_GPU
	{"GPU, tile of 256", 256, gpu_run_1, gpu_can_run},
	{"GPU, tile of 512", 512, gpu_run_2, gpu_can_run},
#endif
};

#endif							/* GPUDB_TEST_INTERPRETERS_H */
