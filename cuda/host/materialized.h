/*
 * materialized.h
 *		Rows materialized in device memory for a job, and the join table made
 *		of them.
 */
#ifndef GPUDB_CUDA_HOST_MATERIALIZED_H
#define GPUDB_CUDA_HOST_MATERIALIZED_H

#include "core/provider_api.h"
#include "host/cuda_call.h"

/* Allocate streams and buffers, once, at the start. */
extern cudaError_t materialized_start(void);

/* Let a stream wait until rows can be materialized. */
extern cudaError_t materialized_await(const ProviderMaterialized *materialized, cudaStream_t user);

/* Functions of the Provider interface. */
extern ProviderMaterialized *materialized_open(const ProviderJob *job, uint32_t most_rows);
extern DeviceStatus materialized_index(ProviderMaterialized *materialized, MaterializedPlan *plan);
extern DeviceStatus materialized_sort(ProviderMaterialized *materialized, const MaterializedSort *sort);
extern bool materialized_column(const ProviderMaterialized *materialized, uint32_t column, uint32_t first, uint32_t nrows, ProviderColumn *to);
extern DeviceStatus materialized_read(ProviderMaterialized *materialized, uint32_t first, uint32_t nrows, uint8_t *into);
extern void materialized_close(ProviderMaterialized *materialized);

/* Return the destination of materialized rows, in device memory; NULL without any. */
extern const MaterializedRows *materialized_rows(const ProviderMaterialized *materialized);

/* Descriptors of a join table and of its rows, and the addresses of their contents in device memory. */
typedef struct MaterializedDescriptors
{
	const JoinTable *table;
	const Tablet *rows;
	const uint8_t *index;
	const uint8_t *list;		/* row numbers; NULL if no key has several rows */
	const uint8_t *present;		/* bitmap; NULL if there is none */
	const uint8_t *values[PROGRAM_MAX_MATERIALIZED];
	const uint8_t *nulls[PROGRAM_MAX_MATERIALIZED];
} MaterializedDescriptors;

extern MaterializedDescriptors materialized_descriptors(const ProviderMaterialized *materialized);

#endif							/* GPUDB_CUDA_HOST_MATERIALIZED_H */
