/*
 * join_tables.c
 *		Join tables as requesters describe them: their headers are copied into private memory and verified.
 *
 * A join table is either in the memory of cached tablets, or was made by the
 * provider from materialized rows and is known by its number alone.
 */
#include "postgres.h"

#include <stdlib.h>

#include "core/join/join_build.h"

#include "worker/chunks.h"
#include "worker/join_tables.h"
#include "worker/materialized.h"

/* Private copies of a join table's header and of its tablet's descriptor. */
typedef struct Descriptors
{
	JoinTable	table;
	Tablet		rows;
	TabletColumn column[PROGRAM_MAX_COLUMNS];
} Descriptors;

/* Read and verify the description of a join table, which its owner may be changing; false if it is invalid. */
static bool
read_table(const SharedTable *from, uint32 database, ProviderJoin *to, Descriptors *descriptors)
{
	const uint64 rows_at = from->rows;

	if (from->bytes == 0)
	{
		*to = (ProviderJoin) {.number = from->number, .materialized = materialized_use(from->number, database)};
		return to->materialized != NULL;
	}
	*to = (ProviderJoin) {.number = from->number, .bytes = from->bytes, .rows_at = rows_at, .table = &descriptors->table, .rows = &descriptors->rows};
	/* other numbers are reserved for the provider */
	if (to->number == 0 || to->number >> 63 != 0 || to->bytes > PG_UINT32_MAX || to->bytes % 64 != 0 ||
		rows_at < sizeof(JoinTable) || rows_at % 64 != 0 || rows_at > to->bytes || to->bytes - rows_at < sizeof(Tablet))
		return false;
	to->block = chunks_tablet_bytes(from->place, to->bytes);
	if (to->block == NULL)
		return false;
	memcpy(&descriptors->table, to->block, sizeof(JoinTable));
	memcpy(&descriptors->rows, to->block + rows_at, sizeof(Tablet));
	if (descriptors->rows.ncols > PROGRAM_MAX_COLUMNS ||
		to->bytes - rows_at < sizeof(Tablet) + descriptors->rows.ncols * sizeof(TabletColumn))
		return false;
	memcpy(descriptors->rows.column, to->block + rows_at + sizeof(Tablet), descriptors->rows.ncols * sizeof(TabletColumn));
	return join_verify(&descriptors->table, &descriptors->rows, to->bytes, rows_at);
}

ProviderJoin *
join_tables_read(const ChannelJob *job, const Program *program)
{
	const uint32 n = program->ntables;
	ProviderJoin *joins;
	Descriptors *descriptors;

	if (job->ntables != n)
		return NULL;
	joins = malloc(n * (sizeof(ProviderJoin) + sizeof(Descriptors)));
	if (joins == NULL)
		return NULL;
	descriptors = (Descriptors *) (joins + n);
	for (uint32 t = 0; t < n; t++)
	{
		const SharedTable from = job->table[t];

		if (!read_table(&from, job->database, &joins[t], &descriptors[t]))
		{
			join_tables_free(joins, t);
			return NULL;
		}
	}
	return joins;
}

void
join_tables_free(ProviderJoin *joins, uint32 n)
{
	for (uint32 t = 0; t < n; t++)
		if (joins[t].materialized != NULL)
			materialized_leave(joins[t].number);
	free(joins);
}
