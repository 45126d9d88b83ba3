/*
 * provider_cpu.h
 *		The CPU provider: functions shared by provider_cpu.c and provider_cpu_materialized.c.
 */
#ifndef GPUDB_TEST_PROVIDER_CPU_H
#define GPUDB_TEST_PROVIDER_CPU_H

#include "postgres.h"

#include "core/provider_api.h"

/* Return true if a GPU with gpudb.gpu_memory would have room for `bytes` bytes of tables: provider_cpu.c. */
extern bool cpu_has_room(uint64 bytes);

/* Functions of Provider for materialized rows: provider_cpu_materialized.c. */
extern ProviderMaterialized *cpu_open_materialized(const ProviderJob *job, uint32_t most_rows);
extern DeviceStatus cpu_index_materialized(ProviderMaterialized *materialized, MaterializedPlan *plan);
extern DeviceStatus cpu_sort_materialized(ProviderMaterialized *materialized, const MaterializedSort *sort);
extern bool cpu_materialized_column(const ProviderMaterialized *materialized, uint32_t column, uint32_t first, uint32_t nrows, ProviderColumn *to);
extern DeviceStatus cpu_read_materialized(ProviderMaterialized *materialized, uint32_t first, uint32_t nrows, uint8_t *into);
extern void cpu_close_materialized(ProviderMaterialized *materialized);

/* Return where a run materializes rows, and the join table made of them: provider_cpu_materialized.c. */
extern const MaterializedRows *cpu_materialized_rows(const ProviderMaterialized *materialized);
extern JoinRows cpu_materialized_table(const ProviderMaterialized *materialized);

#endif							/* GPUDB_TEST_PROVIDER_CPU_H */
