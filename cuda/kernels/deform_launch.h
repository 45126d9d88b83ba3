/*
 * deform_launch.h
 *		Kernel launches that deform a batch of pages: the interface to the
 *		host.
 */
#ifndef GPUDB_CUDA_KERNELS_DEFORM_LAUNCH_H
#define GPUDB_CUDA_KERNELS_DEFORM_LAUNCH_H

#include "core/tablet/deform.h"

/*
 * Pages of a batch: the arrays are in device memory, the pages and offset
 * lists in host memory that the device can read.
 */
typedef struct DeformLaunch
{
	const DeformPlan *plan;		/* deforming plan; all but pages and offset lists is in device memory */
	Tablet	   *tablet;			/* laid out for all rows */
	const uint8_t *const *page;
	const uint16_t *const *offsets;
	const uint32_t *row_start;	/* npages + 1 */
	uint32_t	npages;
	uint32_t   *status;			/* out: the gravest DeviceStatus; DONE before the launch */
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

#endif							/* GPUDB_CUDA_KERNELS_DEFORM_LAUNCH_H */
