/*
 * output_launch.h
 *		Kernel launches that compact the outputs of the rows that passed: the
 *		interface to the host.
 */
#ifndef GPUDB_CUDA_KERNELS_OUTPUT_LAUNCH_H
#define GPUDB_CUDA_KERNELS_OUTPUT_LAUNCH_H

#include "core/provider_api.h"
#include "core/tablet/output.h"

/* Outputs of a batch's page batches; pointers are to device memory, but for the blocks, which are in host memory. */
typedef struct OutputLaunch
{
	const Program *program;
	const Tablet *tablet;
	const uint32_t *passed;		/* bitmap of the tablet's rows that passed, unless columns of all rows are copied */
	const uint32_t *status;		/* status of the run: nothing is written unless it is DONE */
	uint32_t	npage_batches;
	uint32_t	row_start[BATCH_PAGE_BATCHES + 1];
	uint8_t    *block[BATCH_PAGE_BATCHES];	/* destination, laid out for the page batch's rows; NULL = not wanted */
} OutputLaunch;

#ifdef __cplusplus
extern "C" {
#endif

/* Copy the `noutputs` outputs of the rows that passed, on a stream.  Returns a cudaError_t. */
extern int	output_launch(const OutputLaunch *launch, uint32_t noutputs, void *stream);

/*
 * Copy `ncolumns` columns of all rows, on a stream: a block is laid out as a
 * tablet of the page batch's rows, of which the columns and their descriptors
 * are written.  The numbers of NULLs are those of the whole batch, so that
 * only 0 is exact.  Returns a cudaError_t.
 */
extern int	output_columns_launch(const OutputLaunch *launch, uint32_t ncolumns, void *stream);

#ifdef __cplusplus
}
#endif

#endif							/* GPUDB_CUDA_KERNELS_OUTPUT_LAUNCH_H */
