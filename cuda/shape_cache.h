/*
 * shape_cache.h
 *		How programs run on the device at hand, remembered.
 */
#ifndef GPUDB_CUDA_SHAPE_CACHE_H
#define GPUDB_CUDA_SHAPE_CACHE_H

#include "vm_launch.h"

/* How a body runs over tablets like one, and on how many blocks at most. */
typedef struct ShapeChoice
{
	VmShape		shape;
	int			blocks;
} ShapeChoice;

/*
 * Choose as many lanes as fit, and the accumulator machine where it has a form
 * of every instruction.  The header of the tablet, in host memory, tells how
 * columns are stored and which have NULLs.  `options`: VM_MANY_GROUPS, for a
 * form that writes out rows of any number of groups, with VM_FEW_ROWS perhaps;
 * or VM_CODED, if no tablet's key columns have too many codes.  `room`: with
 * VM_MANY_GROUPS, groups that a block shall have room for, if that is known.
 * NULL if the device cannot run the body; else valid until the next call.
 */
extern const ShapeChoice *shape_choose(const Program *program, int body, const Tablet *tablet, uint32_t options, uint32_t room);

/* Whether it can run the body over any tablet. */
extern bool shape_exists(const Program *program, int body);

#endif							/* GPUDB_CUDA_SHAPE_CACHE_H */
