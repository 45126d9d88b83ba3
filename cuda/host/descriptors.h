/*
 * descriptors.h
 *		Tablet descriptors for the kernels: the locations of cached tablets'
 *		columns in device memory.
 *
 * Descriptors of a shelf's tablets stay in device memory with the columns, and
 * as long as these are resident no column has to be looked up.  The
 * descriptors of other tablets are sent with each batch.
 */
#ifndef GPUDB_CUDA_HOST_DESCRIPTORS_H
#define GPUDB_CUDA_HOST_DESCRIPTORS_H

#include "host/batch_private.h"

/* A tablet of a batch, whose columns are in device memory or listed to be copied there. */
typedef struct PlacedTablet
{
	const Tablet *head;			/* descriptor in device memory */
	const uint64_t *selected;	/* bitmap of the rows to process; NULL = all */
	uint32_t	nrows;
	int			body;			/* body of the program that the tablet needs */
	bool		dense;			/* the key columns have few enough distinct stored values: VM_DENSE */
	uint64_t	form;			/* hash of the columns' stored forms, as far as the code depends on them */
	const ProviderColumn *column;
} PlacedTablet;

/*
 * Find all tablets of a batch in device memory, or list them in *copies;
 * return false if there is no room, and then the batch uses no column.
 */
extern bool descriptors_place(CudaBatch *own, ResidentCopies *copies, PlacedTablet *placed);

/* Forget the columns and descriptors that a batch was given, since they will not be copied. */
extern void descriptors_undo(CudaBatch *own);

/* Write the descriptor of a tablet of `nrows` rows: the stored forms of the columns, not their locations. */
extern void descriptors_describe(uint32_t nrows, const ProviderColumn *column, uint32_t ncolumns, Tablet *head);

#endif							/* GPUDB_CUDA_HOST_DESCRIPTORS_H */
