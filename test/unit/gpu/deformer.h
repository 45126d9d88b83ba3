/*
 * deformer.h
 *		Deforming on a GPU behind the interface that unit tests know.
 */
#ifndef GPUDB_TEST_GPU_DEFORMER_H
#define GPUDB_TEST_GPU_DEFORMER_H

#include "core/tablet/deform.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Deform pages as deform_pages() does, with the GPU's kernels. */
extern DeviceStatus gpu_deform_pages(const DeformPlan *plan, const PageList *pages, Tablet *tablet);

#ifdef __cplusplus
}
#endif

#endif							/* GPUDB_TEST_GPU_DEFORMER_H */
