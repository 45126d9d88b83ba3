/*
 * multipass_join.c
 *		Partitioned (multi-pass) hash joins: joins with a table that a GPU has no room for.
 *
 * One join's table is cut into partitions, and one program runs over the same
 * pages once per partition, with the other tables unchanged; the groups of all
 * passes are merged as those of batches are.  A row of an inner join is made of
 * one row of the table, so it is produced by the pass whose partition has that
 * row.  A row of a semi join is produced once if all table rows of a key are in
 * one partition.  Left and anti joins return rows that find no match in any
 * partition, which no single pass can determine, so their tables stay whole.
 *
 * A partition takes the next rows in the order of the table's index
 * (core/join/join_slice.h), as many as fit, and is indexed and shared like a whole
 * table.  It is freed before the next one is made.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "device/device.h"
#include "device/mapping.h"
#include "exec/join/joins.h"
#include "exec/join/joins_share.h"
#include "exec/join/multipass_join.h"
#include "exec/run/node.h"
#include "tablet/cache/pool.h"

/* Maximum number of passes, each of which reads everything: with more the CPU device is faster. */
#define MAX_JOIN_PASSES	16

/* Memory for the tables of joins, in bytes; an equal amount is left for other things. */
typedef struct Room
{
	uint64		all;			/* for all tables together that a GPU fetches */
	uint64		each;			/* for each table */
} Room;

static uint64
bytes_of(const GpuNode *node, int j)
{
	return node->tables[j].table->size + node->tables[j].rows->size;
}

/* Return the size of all device-resident tables (`device_resident`), or else of all other tables, in bytes. */
static uint64
bytes_of_all(const GpuNode *node, bool device_resident)
{
	uint64		bytes = 0;

	for (int j = 0; j < node->njoins; j++)
		if (join_is_device_resident(node, j) == device_resident)
			bytes += device_resident ? node->tables[j].rows->nrows * (uint64) node->tables[j].rows->ncols * sizeof(uint64) +
				node->tables[j].table->size : bytes_of(node, j);
	return bytes;
}

/* Return the room for tables that a GPU fetches: what device-resident tables leave of it, at least a quarter. */
static Room
find_room(const GpuNode *node)
{
	const uint64 all = device_join_bytes();
	const uint64 device_resident = bytes_of_all(node, true);

	/* a table's size is passed as 32 bits */
	return (Room) {Max(all - Min(device_resident, all), all / 4), Min(pool_bytes() / 2, PG_UINT32_MAX / 2)};
}

/*
 * Return true if the tables on the host, except that of join `but` (-1 = no exception), take at
 * most `percent` % of the room.
 */
static bool
others_fit(const GpuNode *node, int but, const Room *room, double percent)
{
	double		bytes = 0;

	for (int j = 0; j < node->njoins; j++)
	{
		if (j == but || join_is_device_resident(node, j))
			continue;
		if (bytes_of(node, j) > room->each / 100.0 * percent)
			return false;
		bytes += bytes_of(node, j);
	}
	return bytes <= room->all / 100.0 * percent;
}

static JoinType
type_of(const GpuNode *node, int j)
{
	return ((const JoinRequest *) list_nth(node->request.joins, j))->type;
}

static bool
can_be_cut(const GpuNode *node, int j)
{
	const JoinTable *table = node->tables[j].table;

	return (type_of(node, j) == JOIN_INNER || type_of(node, j) == JOIN_SEMI) && table->nparts > 0 && !table->sorted &&
		!join_is_device_resident(node, j);
}

/* Return the join whose table is to be partitioned, the largest that can be; -1 if that does not help. */
static int
choose_table(const GpuNode *node, const Room *room)
{
	int			largest = -1;

	/* rows that are materialized or returned must be produced once only */
	if (!node->request.aggregate || node->nchildren > 0 || node->request.keep != NULL || node->request.keep_rows)
		return -1;
	for (int j = 0; j < node->njoins; j++)
		if (can_be_cut(node, j) && (largest < 0 || bytes_of(node, j) > bytes_of(node, largest)))
			largest = j;
	return largest >= 0 && others_fit(node, largest, room, 50) ? largest : -1;
}

/* Partitions */

static void
forget_part(GpuNode *node)
{
	MultipassJoin *multipass = &node->multipass;

	multipass->changing = true;
	MemoryContextReset(multipass->context);
	multipass->changing = false;
	node->shared[multipass->join] = (SharedTable) {0};
}

/*
 * Return the next rows of the whole table, at most multipass->rows; NULL if there are none that fit
 * in multipass->room bytes.
 */
static Tablet *
take_rows(GpuNode *node, JoinCursor *next)
{
	const MultipassJoin *multipass = &node->multipass;
	const bool	whole_keys = type_of(node, multipass->join) == JOIN_SEMI;
	uint32	   *numbers = MemoryContextAllocHuge(multipass->context, multipass->rows * sizeof(uint32));
	const uint32 n = join_take(multipass->whole.table, next, whole_keys, multipass->rows, numbers);
	const uint64 bytes = join_slice_bytes(multipass->whole.rows, numbers, n);
	Tablet	   *rows = NULL;

	if (n > 0 && bytes <= multipass->room)
	{
		rows = (Tablet *) TYPEALIGN(64, (uintptr_t) mapping_palloc(multipass->context, bytes + 64));
		join_slice(multipass->whole.rows, numbers, n, rows);
	}
	pfree(numbers);
	return rows;
}

/* Replace the installed partition by the next one; return false when there is no room for any. */
static bool
find_part(GpuNode *node)
{
	MultipassJoin *multipass = &node->multipass;
	const JoinUse *use = &node->compiled.join[multipass->join];

	/* the index of a partition may take more than its share of the whole index */
	for (; multipass->rows > 0; multipass->rows -= multipass->rows / 4 + 1)
	{
		JoinCursor	next = multipass->next;
		JoinTable  *table;
		Tablet	   *rows;

		CHECK_FOR_INTERRUPTS();
		forget_part(node);
		rows = take_rows(node, &next);
		if (rows == NULL || join_index(use, rows, multipass->context, multipass->room, &table) != STATUS_DONE)
			continue;
		/* the program relies on properties of the whole table */
		Assert(table->exact >= multipass->whole.table->exact && table->unique >= multipass->whole.table->unique);
		multipass->next = next;
		multipass->left -= rows->nrows;
		node->tables[multipass->join] = (JoinRows) {table, rows};
		return true;
	}
	return false;
}

/* Install the next partition and share it with the GPU process; return NULL, or the reason for the failure. */
static const char *
make_part(GpuNode *node)
{
	MultipassJoin *multipass = &node->multipass;
	const char *why = NULL;
	instr_time	start;
	instr_time	end;

	INSTR_TIME_SET_CURRENT(start);
	if (!find_part(node))
		why = "a join's table cannot be cut into parts that the GPU has room for";
	else if (!join_share(node, &node->tables[multipass->join], multipass->context, &node->shared[multipass->join]))
		why = "no room in the pool for a part of a join's table";
	INSTR_TIME_SET_CURRENT(end);
	INSTR_TIME_SUBTRACT(end, start);
	multipass->build_ms += INSTR_TIME_GET_MILLISEC(end);
	multipass->count++;
	return why;
}

/* Partition the table of join j and install its first partition; return NULL, or the reason for the failure. */
static const char *
begin_with(GpuNode *node, int j, const Room *room)
{
	MultipassJoin *multipass = &node->multipass;
	const JoinRows *whole = &node->tables[j];
	const uint64 others = bytes_of_all(node, false) - bytes_of(node, j);

	multipass->room = Min(room->all - others, room->each);
	multipass->rows = (uint32) Max(multipass->room / (double) bytes_of(node, j) * whole->rows->nrows, 1);
	if ((uint64) multipass->rows * MAX_JOIN_PASSES < whole->table->nrows)
		return "a join's table is so large that it would take too many passes";
	if (type_of(node, j) == JOIN_SEMI && join_most_rows(whole->table) > multipass->rows)
		return "a key of a semi join's table has more rows than the GPU has room for";
	if (multipass->context == NULL)
		multipass->context = AllocSetContextCreate(node->join_context, "gpudb pass", ALLOCSET_DEFAULT_SIZES);
	multipass->join = j;
	multipass->whole = *whole;
	multipass->next = (JoinCursor) {0};
	multipass->left = whole->table->nrows;
	multipass->build_ms = 0;
	return make_part(node);
}

const char *
multipass_join_begin(GpuNode *node)
{
	const char *why = "tables of joins are larger than the GPU has room for";
	Room		room;
	int			j;

	if (node->njoins == 0 || !pool_exists())
		return NULL;
	room = find_room(node);
	if (others_fit(node, -1, &room, 100))
		return NULL;
	j = choose_table(node, &room);
	if (j >= 0)
		why = begin_with(node, j, &room);
	/* tables that cannot be partitioned may also use the room left for other things */
	if (why != NULL && others_fit(node, -1, &room, 200))
	{
		multipass_join_end(node);
		node->multipass.count = 0;
		return NULL;
	}
	return why;
}

bool
multipass_join_next(GpuNode *node, DeviceStatus *status)
{
	MultipassJoin *multipass = &node->multipass;

	if (*status != STATUS_DONE || multipass->whole.table == NULL || multipass->left == 0)
		return false;
	node->without_gpu = make_part(node);
	if (node->without_gpu != NULL)
		*status = STATUS_GROUPS_LOST;
	while (*status == STATUS_DONE)
	{
		CHECK_FOR_INTERRUPTS();
		*status = node->device->again(node->feed.job);
		if (*status == STATUS_DONE)
			break;
		if (*status == STATUS_TIME_SLICE)
			*status = STATUS_DONE;
	}
	if (*status == STATUS_DONE)
		feed_again(&node->feed);
	return *status == STATUS_DONE;
}

void
multipass_join_end(GpuNode *node)
{
	MultipassJoin *multipass = &node->multipass;

	if (multipass->whole.table == NULL)
		return;
	forget_part(node);
	node->tables[multipass->join] = multipass->whole;
	multipass->whole = (JoinRows) {NULL, NULL};
}
