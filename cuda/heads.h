/*
 * heads.h
 *		Heads of cached tablets: what the kernels read of where their columns are.
 *
 * Heads of a shelf's tablets stay in device memory with the columns, and while
 * these are there nothing of them is to be looked up.  Those of other tablets
 * go with each batch.
 */
#ifndef GPUDB_CUDA_HEADS_H
#define GPUDB_CUDA_HEADS_H

#include "batch_private.h"

/* A tablet of a batch, its columns in device memory, or to be copied there. */
typedef struct PlacedTablet
{
	const Tablet *head;			/* in device memory */
	const uint64_t *selected;	/* a bitmap of its rows that count; NULL = all */
	uint32_t	nrows;
	int			body;			/* of the program, that it needs */
	bool		coded;			/* its key columns have few enough codes: VM_CODED */
	uint64_t	form;			/* a hash of how its columns are stored, as far as code depends on it */
	const ProviderColumn *column;
} PlacedTablet;

/*
 * Find all tablets of a batch, and what is to be copied first; false when there
 * is no room, and then the batch uses nothing.
 */
extern bool heads_place(CudaBatch *own, ResidentCopies *copies, PlacedTablet *placed);

/* Nothing of a batch that was placed will be copied: forget that it was. */
extern void heads_undo(CudaBatch *own);

/* Write down how the columns of a tablet of so many rows are stored, not where. */
extern void heads_describe(uint32_t nrows, const ProviderColumn *column, uint32_t ncolumns, Tablet *head);

#endif							/* GPUDB_CUDA_HEADS_H */
