/*
 * run_tiles.h
 *		Running a program over a tablet, tile by tile, on a CPU: a template header.
 *
 * The includer defines, and this header undefines again:
 *		VM_RUN		name of the function made:  DeviceStatus VM_RUN(VmRun *run)
 *		VM_TILE		lanes of a tile, a compile-time constant, multiple of 64
 *
 * VM_RUN runs run->program's body over run->tablet from tile run->tile on, until the last tile
 * (DONE), a request (OUTPUT_FULL, TABLE_FULL, TIME_SLICE), a failure that some active lane reports,
 * or CANCELLED.
 */

#include "core/vm/lanes_loop.h"
#include "core/vm/interp_parts.h"
#include "core/vm/interp_joins.h"
#include "core/vm/interp_totals.h"
#include "core/vm/interp.h"

static DeviceStatus
VM_RUN(VmRun *run)
{
	uint32_t	nrows = run->tablet->nrows;
	uint32_t	ntiles = (nrows + VM_TILE - 1) / VM_TILE;
	DeviceStatus status = STATUS_DONE;
	uint32_t	pc = 0;

	while (run->tile < ntiles && status == STATUS_DONE)
	{
		uint32_t	first = run->tile * VM_TILE;

		if (run->cancelled != NULL && run->cancelled(run->cancelled_arg))
			return STATUS_CANCELLED;
		status = vm_run_tile(run, pc, first, nrows - first < VM_TILE ? nrows - first : VM_TILE);
		if (status == STATUS_DONE)
			run->tile++;
		/* constants stay in their registers */
		pc = run->program->body[run->body].tile_start;
	}
	return status;
}

#include "core/vm/lanes_end.h"

#undef ACTIVE
#undef EACH_GROUP
#undef RESERVE_PLACES
#undef VM_RUN
