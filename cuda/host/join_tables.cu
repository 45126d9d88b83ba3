/*
 * join_tables.cu
 *		The join tables of a batch in device memory.
 *
 *		request, arena:  JoinRows | for each table: JoinTable, Tablet | ColumnCopy
 *
 * A table's block is copied once, and stays in device memory as columns do
 * (resident.h).  Its descriptors are sent with each batch, since they contain
 * the distances to their block.
 */
#include <string.h>

#include "host/batch_private.h"

/* Most pieces in which a block is copied, so that many threads copy it, and least bytes of a piece. */
#define PIECES_MOST		256
#define PIECE_BYTES		((uint64_t) 256 * 1024)

static uint32_t
tables_of(const CudaBatch *own)
{
	return own->batch.job->view.program->ntables;
}

/* Return the tablet descriptor of a join table's rows. */
static const Tablet *
rows_of(const ProviderJoin *join)
{
	return join->materialized != NULL ? materialized_descriptors(join->materialized).rows : join->rows;
}

static uint64_t
descriptors_bytes(const Tablet *rows)
{
	return tablet_align(sizeof(JoinTable)) + head_bytes(rows->ncols);
}

uint64_t
joins_request_bytes(const ProviderJob *job)
{
	const uint32_t n = job->view.program->ntables;
	uint64_t	bytes = 0;

	for (uint32_t t = 0; t < n; t++)
		bytes += descriptors_bytes(rows_of(&job->join[t]));
	return n == 0 ? 0 : tablet_align(n * sizeof(JoinRows)) + bytes + tablet_align(n * PIECES_MOST * sizeof(ColumnCopy));
}

/* Return the distance from a descriptor to a part of the block. */
static uint64_t
distance(const uint8_t *head, const uint8_t *to)
{
	return (uint64_t) (uintptr_t) to - (uint64_t) (uintptr_t) head;
}

/* Write the descriptors, which will be stored at `place`, of a table whose block is in device memory. */
static void
write_descriptors(const ProviderJoin *join, const uint8_t *block, const uint8_t *place, uint8_t *into)
{
	JoinTable  *table = (JoinTable *) into;
	Tablet	   *rows = (Tablet *) (into + tablet_align(sizeof(JoinTable)));
	const uint8_t *rows_place = place + tablet_align(sizeof(JoinTable));
	const uint8_t *rows_block = block + join->rows_at;

	*table = *join->table;
	table->index = distance(place, block + table->index);
	table->rows = distance(place, block + table->rows);
	if (table->present != 0)
		table->present = distance(place, block + table->present);
	memcpy(rows, join->rows, sizeof(Tablet) + join->rows->ncols * sizeof(TabletColumn));
	rows->var = distance(rows_place, rows_block + rows->var);
	for (uint32_t c = 0; c < rows->ncols; c++)
	{
		rows->column[c].values = distance(rows_place, rows_block + rows->column[c].values);
		rows->column[c].nulls = distance(rows_place, rows_block + rows->column[c].nulls);
	}
}

/* Write the descriptors, which will be stored at `place`, of a table that was made on the device. */
static void
write_materialized_descriptors(const MaterializedDescriptors &descriptors, const uint8_t *place, uint8_t *into)
{
	JoinTable  *table = (JoinTable *) into;
	Tablet	   *rows = (Tablet *) (into + tablet_align(sizeof(JoinTable)));
	const uint8_t *rows_place = place + tablet_align(sizeof(JoinTable));

	*table = *descriptors.table;
	table->index = distance(place, descriptors.index);
	if (descriptors.list != NULL)
		table->rows = distance(place, descriptors.list);
	table->present = descriptors.present != NULL ? distance(place, descriptors.present) : 0;
	memcpy(rows, descriptors.rows, sizeof(Tablet) + descriptors.rows->ncols * sizeof(TabletColumn));
	for (uint32_t c = 0; c < rows->ncols; c++)
	{
		rows->column[c].values = distance(rows_place, descriptors.values[c]);
		rows->column[c].nulls = distance(rows_place, descriptors.nulls[c]);
	}
}

/*
 * Find a table's block in device memory, or allocate memory for it and list
 * the copies; return NULL if there is no room.
 */
static const uint8_t *
place_block(CudaBatch *own, const ProviderJoin *join, ResidentCopies *copies)
{
	/* a block is treated as a column of bytes */
	ProviderColumn column = {};
	ResidentColumn at;
	const uint32_t first = copies->ncopies;
	ColumnCopy	whole;
	uint64_t	piece;

	column.number = join->number;
	column.stored.type = COLTYPE_U8;
	column.values = join->block;
	if (!resident_find(&column, (uint32_t) join->bytes, &own->use, NULL, copies, &at))
		return NULL;
	if (copies->ncopies == first)
		return at.values;
	whole = copies->copy[--copies->ncopies];
	piece = tablet_align(whole.bytes / PIECES_MOST + 1);
	if (piece < PIECE_BYTES)
		piece = PIECE_BYTES;
	for (uint64_t begin = 0; begin < whole.bytes; begin += piece)
		copies->copy[copies->ncopies++] = {whole.from + begin, whole.to + begin,
			whole.bytes - begin < piece ? whole.bytes - begin : piece};
	return at.values;
}

bool
joins_place(CudaBatch *own, ResidentCopies *copies)
{
	const uint32_t n = tables_of(own);
	uint64_t	at = own->joins_at + tablet_align(n * sizeof(JoinRows));

	for (uint32_t t = 0; t < n; t++)
	{
		const ProviderJoin *join = &own->batch.job->join[t];
		const uint8_t *place = own->arena + at;
		/* the list of copies is behind all descriptors */
		const uint8_t *block = join->materialized != NULL ? NULL : place_block(own, join, copies);

		if (join->materialized != NULL)
			write_materialized_descriptors(materialized_descriptors(join->materialized), place, own->request + at);
		else if (block != NULL)
			write_descriptors(join, block, place, own->request + at);
		else
			return false;
		((JoinRows *) (own->request + own->joins_at))[t] = {(const JoinTable *) place,
			(const Tablet *) (place + tablet_align(sizeof(JoinTable)))};
		at += descriptors_bytes(rows_of(join));
	}
	return true;
}

uint64_t
joins_copies_at(const CudaBatch *own)
{
	return own->joins_at + joins_request_bytes(own->batch.job) - tablet_align(tables_of(own) * PIECES_MOST * sizeof(ColumnCopy));
}

const JoinRows *
joins_in_arena(const CudaBatch *own)
{
	return tables_of(own) == 0 ? NULL : (const JoinRows *) (own->arena + own->joins_at);
}
