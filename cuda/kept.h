/*
 * kept.h
 *		Rows materialized in device memory for a job, and the join table made
 *		of them.
 */
#ifndef GPUDB_CUDA_KEPT_H
#define GPUDB_CUDA_KEPT_H

#include "cuda_call.h"
#include "core/provider_api.h"

/* Allocate streams and buffers, once, at the start. */
extern cudaError_t kept_start(void);

/* Let a stream wait until rows can be materialized. */
extern cudaError_t kept_await(const ProviderKept *kept, cudaStream_t user);

/* Functions of the Provider interface. */
extern ProviderKept *kept_open(const ProviderJob *job, uint32_t most_rows);
extern DeviceStatus kept_index(ProviderKept *kept, KeptPlan *plan);
extern DeviceStatus kept_sort(ProviderKept *kept, const KeptSort *sort);
extern bool kept_column(const ProviderKept *kept, uint32_t column, uint32_t first, uint32_t nrows, ProviderColumn *to);
extern DeviceStatus kept_read(ProviderKept *kept, uint32_t first, uint32_t nrows, uint8_t *into);
extern void kept_close(ProviderKept *kept);

/* Return the destination of materialized rows, in device memory; NULL without any. */
extern const KeptRows *kept_rows(const ProviderKept *kept);

/* Descriptors of a join table and of its rows, and the addresses of their contents in device memory. */
typedef struct KeptHeads
{
	const JoinTable *table;
	const Tablet *rows;
	const uint8_t *index;
	const uint8_t *list;		/* row numbers; NULL if no key has several rows */
	const uint8_t *present;		/* bitmap; NULL if there is none */
	const uint8_t *values[PROGRAM_MAX_KEPT];
	const uint8_t *nulls[PROGRAM_MAX_KEPT];
} KeptHeads;

extern KeptHeads kept_heads(const ProviderKept *kept);

#endif							/* GPUDB_CUDA_KEPT_H */
