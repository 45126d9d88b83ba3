/*
 * kept_private.h
 *		Rows that stay in device memory, for those who make something of them: kept.cu and kept_sort.cu.
 */
#ifndef GPUDB_CUDA_KEPT_PRIVATE_H
#define GPUDB_CUDA_KEPT_PRIVATE_H

#include "kept.h"

struct ProviderKept
{
	uint8_t    *block;			/* in device memory: KeptRows, the count, columns */
	uint8_t    *index;			/* in device memory, and behind it the bitmap, if there is one; NULL before */
	uint8_t    *list;			/* likewise, if keys have several rows */
	uint8_t    *scratch;		/* likewise, while it is made */
	uint32_t   *result;			/* of that: one of `results` */
	cudaEvent_t made;			/* behind it */
	bool		indexing;
	bool		listing;
	bool		sorting;
	uint8_t    *sorted;			/* in device memory: columns that were moved when rows were sorted, and the rows' numbers */
	uint64_t   *numbers[KEPT_NUMBERS];	/* in it; NULL = they have none */
	KeptSort	sort;			/* by what they are, once they are */
	struct ProviderKept *next;	/* of those that are closed while they are made */
	uint16_t	ncolumns;
	uint8_t		type[PROGRAM_MAX_KEPT];
	KeptRows	rows;			/* with addresses in device memory */
	JoinTable	table;
	Tablet	   *tablet;
};

/* What makes something of them runs on this stream. */
extern cudaStream_t kept_stream;

/* So many bytes, for which columns that can be had again make room; NULL when there are none. */
extern uint8_t *kept_take(uint64_t bytes);

#endif							/* GPUDB_CUDA_KEPT_PRIVATE_H */
