/*
 * output_launch.h
 *		What compacting the outputs of rows that passed reads and writes.
 */
#ifndef GPUDB_CUDA_OUTPUT_LAUNCH_H
#define GPUDB_CUDA_OUTPUT_LAUNCH_H

#include "core/output.h"
#include "core/provider_api.h"

/* The windows of a batch; pointers are into device memory, but for the blocks, which lie in host memory. */
typedef struct OutputLaunch
{
	const Program *program;
	const Tablet *tablet;
	const uint32_t *passed;		/* a bit for each row of the tablet, if those that passed are asked for */
	const uint32_t *status;		/* of the run: nothing is written unless it is DONE */
	uint32_t	nwindows;
	uint32_t	row_start[BATCH_WINDOWS + 1];
	uint8_t    *block[BATCH_WINDOWS];	/* laid out for the window's rows; NULL = none wanted */
} OutputLaunch;

#ifdef __cplusplus
extern "C" {
#endif

/* Launch on a stream, for so many outputs.  Returns a cudaError_t. */
extern int	output_launch(const OutputLaunch *launch, uint32_t noutputs, void *stream);

/*
 * The same of all so many columns of all rows: a block is laid out as a tablet
 * of the window's rows, of which the columns are written, and what they are.
 * Their numbers of NULLs are the batch's, so that 0 means none.
 */
extern int	output_columns_launch(const OutputLaunch *launch, uint32_t ncolumns, void *stream);

#ifdef __cplusplus
}
#endif

#endif							/* GPUDB_CUDA_OUTPUT_LAUNCH_H */
