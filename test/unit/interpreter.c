/*
 * interpreter.c
 *		The interpreter at one tile size, for the unit tests: built once for each size, with TILE and RUN defined.
 */
#include "core/vm/op_cast.h"
#include "core/vm/op_compare.h"
#include "core/vm/op_date.h"
#include "core/vm/op_logic.h"
#include "interpreters.h"

#define VM_RUN run_tiles
#define VM_TILE TILE
#include "core/vm/run_tiles.h"

DeviceStatus
RUN(VmRun *run)
{
	return run_tiles(run);
}
