/*
 * materialized_private.h
 *		Materialized rows: declarations shared by materialized.cu and materialized_sort.cu.
 */
#ifndef GPUDB_CUDA_HOST_MATERIALIZED_PRIVATE_H
#define GPUDB_CUDA_HOST_MATERIALIZED_PRIVATE_H

#include "host/materialized.h"

struct ProviderMaterialized
{
	uint8_t    *block;			/* device memory: MaterializedRows, the count, columns */
	uint8_t    *index;			/* device memory: index, followed by the bitmap, if any; NULL before materialized_index() */
	uint8_t    *list;			/* device memory: lists of rows, if keys have several rows */
	uint8_t    *scratch;		/* device memory: scratch, while the table or the order is made */
	uint32_t   *result;			/* number of rows that the index does not find: one of `results` */
	cudaEvent_t made;			/* event behind the launches that make the table or the order */
	bool		indexing;
	bool		listing;
	bool		sorting;
	uint8_t    *sorted;			/* device memory: columns that were moved by sorting, and row numbers */
	uint64_t   *numbers[MATERIALIZED_NUMBERS]; /* numbers of the sorted rows, in `sorted`; NULL = none */
	MaterializedSort sort;		/* sort order, once the rows are sorted */
	struct ProviderMaterialized *next; /* next in the list of rows closed while the device still uses them */
	uint16_t	ncolumns;
	uint8_t		type[PROGRAM_MAX_MATERIALIZED];
	MaterializedRows rows;		/* destination of rows, with addresses in device memory */
	JoinTable	table;
	Tablet	   *tablet;
};

/* Stream for all launches that make tables or sort. */
extern cudaStream_t materialized_stream;

/* Take `bytes` bytes of device memory, evicting cached columns as needed; return NULL if there is no room. */
extern uint8_t *materialized_take(uint64_t bytes);

#endif							/* GPUDB_CUDA_HOST_MATERIALIZED_PRIVATE_H */
