/*
 * deform_launch.h
 *		What deforming a batch of pages on a GPU reads and writes.
 */
#ifndef GPUDB_CUDA_DEFORM_LAUNCH_H
#define GPUDB_CUDA_DEFORM_LAUNCH_H

#include "core/deform.h"

/* The pages of a batch: arrays in device memory, what they point to in host memory that the device can read. */
typedef struct DeformLaunch
{
	const DeformPlan *plan;		/* in device memory, as is all but pages and offsets */
	Tablet	   *tablet;			/* laid out for all rows */
	const uint8_t *const *page;
	const uint16_t *const *offsets;
	const uint32_t *row_start;	/* npages + 1 */
	uint32_t	npages;
	uint32_t   *status;			/* the gravest DeviceStatus; DONE before */
} DeformLaunch;

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Launch on a stream: clear the NULL bitmaps of the tablet's ncolumns, deform
 * the pages, find each column's minimum and maximum.  Returns a cudaError_t.
 */
extern int	deform_launch(const DeformLaunch *launch, uint32_t ncolumns, void *stream);

#ifdef __cplusplus
}
#endif

#endif							/* GPUDB_CUDA_DEFORM_LAUNCH_H */
