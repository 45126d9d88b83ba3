/*
 * shape_cache.h
 *		Cache of the choices how programs run on this device.
 */
#ifndef GPUDB_CUDA_HOST_SHAPE_CACHE_H
#define GPUDB_CUDA_HOST_SHAPE_CACHE_H

#include "kernels/vm_launch.h"

/* Choice how a body runs over tablets of one form, and on how many blocks at most. */
typedef struct ShapeChoice
{
	VmShape		shape;
	int			blocks;
} ShapeChoice;

/*
 * Choose as many lanes as fit, and the accumulator machine if it has a form of
 * every instruction.  The descriptor of the tablet, in host memory, gives the
 * stored forms of the columns and which of them have NULLs.  `options` is
 * VM_MANY_GROUPS, perhaps with VM_FEW_ROWS, for a form that writes rows of any
 * number of groups; or VM_DENSE, if the key columns of no tablet have too many
 * stored values; or 0.  `room` is the number of groups for which a block must
 * have room with VM_MANY_GROUPS, 0 if it is not known.  Returns NULL if the
 * device cannot run the body, else a pointer that is valid until the next
 * call.
 */
extern const ShapeChoice *shape_choose(const Program *program, int body, const Tablet *tablet, uint32_t options, uint32_t room);

/* Return true if the device can run the body over any tablet. */
extern bool shape_exists(const Program *program, int body);

#endif							/* GPUDB_CUDA_HOST_SHAPE_CACHE_H */
