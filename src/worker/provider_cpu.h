/*
 * provider_cpu.h
 *		The CPU provider: functions shared by provider_cpu.c and provider_cpu_kept.c.
 */
#ifndef GPUDB_WORKER_PROVIDER_CPU_H
#define GPUDB_WORKER_PROVIDER_CPU_H

#include "postgres.h"

#include "core/provider_api.h"

/* Return true if a GPU with gpudb.gpu_memory would have room for `bytes` bytes of tables: provider_cpu.c. */
extern bool cpu_has_room(uint64 bytes);

/* Functions of Provider for materialized rows: provider_cpu_kept.c. */
extern ProviderKept *cpu_open_kept(const ProviderJob *job, uint32_t most_rows);
extern DeviceStatus cpu_index_kept(ProviderKept *kept, KeptPlan *plan);
extern DeviceStatus cpu_sort_kept(ProviderKept *kept, const KeptSort *sort);
extern bool cpu_kept_column(const ProviderKept *kept, uint32_t column, uint32_t first, uint32_t nrows, ProviderColumn *to);
extern DeviceStatus cpu_read_kept(ProviderKept *kept, uint32_t first, uint32_t nrows, uint8_t *into);
extern void cpu_close_kept(ProviderKept *kept);

/* Return where a run materializes rows, and the join table made of them: provider_cpu_kept.c. */
extern const KeptRows *cpu_kept_rows(const ProviderKept *kept);
extern JoinRows cpu_kept_table(const ProviderKept *kept);

#endif							/* GPUDB_WORKER_PROVIDER_CPU_H */
