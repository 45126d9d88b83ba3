/*
 * interpreter.c
 *		The interpreter at one tile size, for the unit tests: built once for each size, with TILE and RUN defined.
 */
#include "core/op_cast.h"
#include "core/op_compare.h"
#include "core/op_date.h"
#include "core/op_logic.h"
#include "interpreters.h"

#define VM_RUN run_tiles
#define VM_TILE TILE
#include "core/run_tiles.h"

DeviceStatus
RUN(VmRun *run)
{
	return run_tiles(run);
}
