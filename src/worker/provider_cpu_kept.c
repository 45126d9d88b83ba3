/*
 * provider_cpu_kept.c
 *		The CPU in a GPU's place: rows that it keeps, and tables of them.
 */
#include "postgres.h"

#include <stdlib.h>

#include "core/join_build.h"

#include "worker/provider_cpu.h"

struct ProviderKept
{
	KeptRows	rows;
	uint32		count;
	uint16		ncolumns;
	uint8		type[PROGRAM_MAX_KEPT];
	JoinTable  *table;
	Tablet	   *tablet;			/* its columns are those of `rows` */
};

void
cpu_close_kept(ProviderKept *kept)
{
	for (int c = 0; c < kept->ncolumns; c++)
	{
		free(kept->rows.values[c]);
		free(kept->rows.nulls[c]);
	}
	free(kept->table);
	free(kept->tablet);
	free(kept);
}

ProviderKept *
cpu_open_kept(const ProviderJob *job, uint32_t most_rows)
{
	const Program *program = job->view.program;
	ProviderKept *kept = calloc(1, sizeof(ProviderKept));
	bool		enough = kept != NULL && cpu_has_room((uint64) most_rows * program->nkept * sizeof(uint64));

	for (int c = 0; c < program->nkept && enough; c++)
	{
		kept->type[c] = program->kept[c];
		kept->rows.values[c] = malloc((Size) Max(most_rows, 1) * sizeof(uint64));
		kept->rows.nulls[c] = calloc(most_rows / 32 + 1, sizeof(uint32));
		kept->ncolumns++;
		enough = kept->rows.values[c] != NULL && kept->rows.nulls[c] != NULL;
	}
	if (!enough)
	{
		if (kept != NULL)
			cpu_close_kept(kept);
		return NULL;
	}
	kept->rows.count = &kept->count;
	kept->rows.capacity = most_rows;
	return kept;
}

/* How far memory is from a tablet's head. */
static uint64
distance(const Tablet *tablet, const void *to)
{
	return (uint64) (uintptr_t) to - (uint64) (uintptr_t) tablet;
}

static Tablet *
tablet_of(const ProviderKept *kept, const KeptPlan *plan)
{
	Tablet	   *tablet = calloc(1, sizeof(Tablet) + kept->ncolumns * sizeof(TabletColumn));

	if (tablet == NULL)
		return NULL;
	tablet->nrows = plan->nrows;
	tablet->ncols = kept->ncolumns;
	for (int c = 0; c < kept->ncolumns; c++)
	{
		tablet->column[c].type = kept->type[c];
		tablet->column[c].null_count = plan->null_count[c];
		tablet->column[c].values = distance(tablet, kept->rows.values[c]);
		tablet->column[c].nulls = distance(tablet, kept->rows.nulls[c]);
	}
	return tablet;
}

DeviceStatus
cpu_index_kept(ProviderKept *kept, KeptPlan *plan)
{
	const uint32 n = plan->nrows;
	const uint64 rows_bytes = (uint64) n * kept->ncolumns * sizeof(uint64);
	const uint64 bytes = join_table_bytes(&plan->head, n);
	uint64	   *words = malloc(sizeof(uint64) * Max(n, 1));
	uint8	   *nulls = malloc(Max(n, 1));

	kept->tablet = tablet_of(kept, plan);
	if (!cpu_has_room(bytes + rows_bytes) || posix_memalign((void **) &kept->table, 64, bytes) != 0)
		kept->table = NULL;
	if (words == NULL || nulls == NULL || kept->tablet == NULL || kept->table == NULL || n != kept->count || n > kept->rows.capacity)
	{
		free(words);
		free(nulls);
		return STATUS_MEMORY_LIMIT;
	}
	*kept->table = plan->head;
	join_words(&plan->head, kept->tablet, plan->key, words, nulls);
	join_build(kept->table, words, nulls, n);
	plan->head = *kept->table;
	free(words);
	free(nulls);
	return STATUS_DONE;
}

DeviceStatus
cpu_read_kept(ProviderKept *kept, uint32_t first, uint32_t nrows, uint8_t *into)
{
	KeptLayout	layout;

	if ((uint64) first + nrows > kept->rows.capacity)
		return STATUS_BAD_PROGRAM;
	kept_layout(kept->type, kept->ncolumns, nrows, &layout);
	memcpy(into, kept->rows.count, sizeof(uint32));
	for (int c = 0; c < kept->ncolumns; c++)
	{
		const uint64 bytes = coltype_bytes(kept->type[c]);

		memcpy(into + layout.values[c], kept->rows.values[c] + first * bytes, nrows * bytes);
		memcpy(into + layout.nulls[c], kept->rows.nulls[c] + first / 32, (nrows + 31) / 32 * sizeof(uint32));
	}
	return STATUS_DONE;
}

const KeptRows *
cpu_kept_rows(const ProviderKept *kept)
{
	return kept != NULL ? &kept->rows : NULL;
}

JoinRows
cpu_kept_table(const ProviderKept *kept)
{
	return (JoinRows) {kept->table, kept->tablet};
}
