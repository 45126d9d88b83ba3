/*
 * fast_memory.cuh
 *		The shared memory of a block that runs the accumulator machine.
 *
 *		FastShared | slots of words | their NULL flags | slots of bools | places of groups |
 *		table of dense indexes | group table | FastJoins, or kernel_filter.cu's PassedRows | bins of tallies
 */
#ifndef GPUDB_CUDA_FAST_MEMORY_CUH
#define GPUDB_CUDA_FAST_MEMORY_CUH

#include "core/tablet/for_range.h"
#include "core/vm/vm.h"

#include "block/groups.cuh"
#include "block/slices.cuh"

#define CACHE_LINE 128

/* The values and NULL flags of a column in device memory, and its encoding. */
typedef struct FastColumn
{
	const void *values;
	const uint32_t *nulls;
	uint64_t	base;			/* base of the frame-of-reference encoding */
	uint16_t	shift;
	uint16_t	ahead;			/* bytes of a stored value if the column is prefetched, else 0 */
	uint32_t	code_factor;	/* factor of a key column's stored value in the dense index */
} FastColumn;

typedef struct FastShared
{
	BlockGroups groups;
	BlockSlice	slice;
	uint32_t	code_bias;		/* added to a dense index, so that the least stored values of all keys give 0 */
	bool		short_codes;	/* true if a dense index has 8 bits */
	uint32_t	lines_ahead;	/* cache lines of a tile that are prefetched */
	uint32_t	joins_at;		/* offset of FastJoins, if there are joins */
	StoredRange range[VM_RANGES_MAX];
	FastColumn	column[VM_COLUMNS_MAX];
} FastShared;

#define FAST_VALUES_AT align16(sizeof(FastShared))

/* A join's table as lanes look up rows in it. */
typedef struct FastTable
{
	const void *index;
	const uint32_t *present;	/* bitmap of the words that have rows; NULL = none */
	uint64_t	nplaces;
	uint64_t	npresent;
	uint32_t	nrows;			/* a row number that is not less is no row */
	bool		direct;
	bool		exact;
} FastTable;

/* A column of the rows of a join's table. */
typedef struct FastFetched
{
	const void *values;
	const uint8_t *nulls;		/* bitmap of NULL flags; NULL = no NULLs */
	uint64_t	base;			/* base of the frame-of-reference encoding */
	uint16_t	shift;
	uint16_t	type;			/* ColType */
} FastFetched;

/* Data for joins that is behind several pointers, copied into shared memory once for all tiles. */
typedef struct FastJoins
{
	const uint64_t *words;		/* the program's words */
	const MaterializedRows *materialized;
	FastTable	table[PROGRAM_MAX_TABLES];
	JoinPart	part[VM_PARTS_MAX];
	FastFetched fetched[VM_FETCHES_MAX];
} FastJoins;

static __device__ __forceinline__ FastShared *
fast_shared(void)
{
	return (FastShared *) shared_memory;
}

static __device__ __forceinline__ const FastColumn *
fast_column(uint32_t number)
{
	return &fast_shared()->column[number];
}

static __host__ __device__ __forceinline__ uint32_t
fast_nulls_at(const VmShape *shape, uint32_t lanes)
{
	return FAST_VALUES_AT + shape->code.slots * lanes * VM_THREADS * 8;
}

static __host__ __device__ __forceinline__ uint32_t
fast_bools_at(const VmShape *shape, uint32_t lanes)
{
	return fast_nulls_at(shape, lanes) + shape->code.slots * VM_THREADS;
}

/* Return where the places of groups begin: 16 bits a lane, a thread's side by side. */
static __host__ __device__ __forceinline__ uint32_t
fast_places_at(const VmShape *shape, uint32_t lanes)
{
	return fast_bools_at(shape, lanes) + shape->code.bool_slots * 2 * VM_THREADS;
}

static __host__ __device__ __forceinline__ uint32_t
fast_dense_at(const VmShape *shape, uint32_t lanes)
{
	return fast_places_at(shape, lanes) + (shape->grouped ? lanes * VM_THREADS * 2 : 0);
}

static __host__ __device__ __forceinline__ uint32_t
fast_groups_at(const VmShape *shape, uint32_t lanes)
{
	return fast_dense_at(shape, lanes) + (shape->dense ? DENSE_SLOTS * 4 : 0);
}

static __host__ __device__ __forceinline__ uint32_t
fast_joins_at(const VmShape *shape)
{
	return align16(shape->groups_at + shape->group_bytes + shape->nslots * 4);
}

static __device__ __forceinline__ FastJoins *
fast_joins(void)
{
	return (FastJoins *) (shared_memory + fast_shared()->joins_at);
}

/* Return the position of the instruction that finds groups. */
static __device__ inline uint32_t
pc_of_group(const VmLaunch *launch)
{
	uint32_t	pc = 0;

	while (launch->shape.code.op[pc].op != VMX_GROUP && launch->shape.code.op[pc].op != VMX_GROUP_DENSE)
		pc++;
	return pc;
}

/*
 * Compute the factors of all keys' stored values in a dense index; called by one thread. Return
 * false if the index would exceed DENSE_SLOTS, or a key column is not encoded in 8 bits.
 */
static __device__ inline bool
place_codes(const VmLaunch *launch)
{
	FastShared *shared = fast_shared();
	const VmCode *code = &launch->shape.code;
	const uint32_t pc = pc_of_group(launch);
	uint32_t	all = 1;
	uint32_t	bias = 0;

	for (uint32_t j = 0; j < launch->shape.key_words - 1; j++)
	{
		const uint32_t c = code->op[pc + 1 + j].slot;
		uint32_t	least;
		uint32_t	most;

		if (!codes_of_column(&shared->slice.tablet->column[code->column[c] & ~COLUMN_NULLS], &least, &most))
			return false;
		shared->column[c].code_factor = all;
		bias -= least * all;
		all *= most - least + 1;
		if (all > DENSE_SLOTS)
			return false;
	}
	shared->code_bias = bias;
	shared->short_codes = all <= 256;
	return true;
}

/* Initialize the block's shared memory with an empty group table; called by all threads. */
static __device__ inline void
fast_prepare(const VmLaunch *launch, uint32_t lanes)
{
	FastShared *shared = fast_shared();

	if (threadIdx.x == 0)
	{
		shared->slice.part = NO_PART;
		block_groups_layout(&shared->groups, &launch->shape, launch->shape.groups_at);
	}
	__syncthreads();
	block_groups_clear(&launch->shape, &shared->groups);
}

/*
 * Look up where a join's table is. Return false for a table with several rows a key; it gets no
 * places, so that nothing is read there.
 */
static __device__ inline bool
find_table(const JoinRows *rows, FastTable *found)
{
	const JoinTable *table = rows->table;

	*found = {join_at(table, table->index), table->present != 0 ? (const uint32_t *) join_at(table, table->present) : NULL,
		table->unique ? table->nplaces : 0, table->npresent, rows->rows->nrows, table->direct || !table->unique, table->exact != 0};
	return table->unique;
}

/* Look up where a column of a table's rows is; return false if there is no column that `op` can load. */
static __device__ inline bool
find_fetched(const JoinRows *tables, uint32_t fetch, uint32_t op, FastFetched *found)
{
	const Tablet *tablet = tables[FETCH_TABLE(fetch) - 1].rows;
	const TabletColumn *column = &tablet->column[FETCH_COLUMN(fetch)];

	if (FETCH_COLUMN(fetch) >= tablet->ncols || !vm_can_load(op, column->type))
	{
		*found = {NULL, NULL, 0, 0, COLTYPE_SAME};
		return false;
	}
	*found = {tablet_at(tablet, column->values), column->null_count > 0 ? tablet_at(tablet, column->nulls) : NULL,
		(uint64_t) column->base, column->shift, column->type};
	return true;
}

/* Fill FastJoins; called by all threads. Return false if a table is not what the code was made for. */
static __device__ inline bool
fast_prepare_joins(const VmLaunch *launch)
{
	const VmCode *code = &launch->shape.code;
	FastJoins  *joins = (FastJoins *) (shared_memory + fast_joins_at(&launch->shape));
	bool		differs = false;

	if (threadIdx.x == 0)
	{
		fast_shared()->joins_at = fast_joins_at(&launch->shape);
		joins->words = program_words(launch->program);
		joins->materialized = launch->materialized;
	}
	for (uint32_t t = threadIdx.x; t < launch->program->ntables; t += VM_THREADS)
		differs |= !find_table(&launch->tables[t], &joins->table[t]);
	for (uint32_t pc = threadIdx.x; pc < code->length; pc += VM_THREADS)
	{
		const VmOp &op = code->op[pc];

		if (op.op == VMX_JOIN_FIRST || op.op == VMX_JOIN_NEXT)
			joins->part[op.imm] = launch->tables[JOIN_OP_TABLE(op.x)].table->part[JOIN_OP_PART(op.x)];
		if (op.op == VMX_FETCH)
			differs |= !find_fetched(launch->tables, code->fetch[op.slot], op.x, &joins->fetched[op.slot]);
	}
	return !__syncthreads_or(differs);
}

/*
 * Return the bytes of a stored value of column c if the column is prefetched, else 0. Only
 * frame-of-reference encoded columns that are read for all rows of a tile are prefetched.
 */
static __device__ inline uint32_t
bytes_ahead(const VmCode *code, uint32_t c)
{
	return (code->type[c] & TYPE_FOR_ENCODED) && !(code->deferred >> c & 1u) ? coltype_bytes((ColType) (code->type[c] & ~TYPE_FOR_ENCODED)) : 0;
}

/*
 * Return the number of cache lines of a tile that are prefetched; 0 where the rows of a thread's
 * lanes are not all neighbours.
 */
static __device__ inline uint32_t
count_lines_ahead(const VmLaunch *launch, uint32_t lanes)
{
	const VmCode *code = &launch->shape.code;
	uint32_t	bytes = 0;

	for (uint32_t c = 0; c < code->ncolumns && lanes == 8; c++)
		bytes += bytes_ahead(code, c);
	return bytes * lanes * VM_THREADS / CACHE_LINE;
}

/*
 * Look up the columns of the block's slice, and ranges in their stored form; called by all threads.
 * Return false if its tablet is not what the code was made for.
 */
static __device__ inline bool
fast_columns(const VmLaunch *launch, uint32_t lanes)
{
	FastShared *shared = fast_shared();
	const VmCode *code = &launch->shape.code;
	const Tablet *tablet = shared->slice.tablet;
	bool		differs = false;

	for (uint32_t c = threadIdx.x; c < code->ncolumns; c += VM_THREADS)
	{
		const TabletColumn *column = &tablet->column[code->column[c] & ~COLUMN_NULLS];

		shared->column[c].values = tablet_at(tablet, column->values);
		shared->column[c].nulls = (const uint32_t *) tablet_at(tablet, column->nulls);
		shared->column[c].base = (uint64_t) column->base;
		shared->column[c].shift = column->shift;
		shared->column[c].ahead = (uint16_t) (column_for_encoded(column) ? bytes_ahead(code, c) : 0);
		differs |= column->type != (code->type[c] & ~TYPE_FOR_ENCODED) || (column_for_encoded(column) && !(code->type[c] & TYPE_FOR_ENCODED)) ||
			(column->null_count > 0 && !(code->column[c] & COLUMN_NULLS));
	}
	for (uint32_t r = threadIdx.x; r < code->nranges; r += VM_THREADS)
	{
		const VmOp &op = code->op[code->range[r]];
		const TabletColumn *column = &tablet->column[code->column[op.slot] & ~COLUMN_NULLS];

		shared->range[r] = for_stored_range(column->base, column->shift, op.low, op.high);
	}
	if (threadIdx.x == 0)
		shared->lines_ahead = count_lines_ahead(launch, lanes);
	/* no other thread writes code_factor */
	if (launch->shape.dense && threadIdx.x == 0)
		differs |= !place_codes(launch);
	return !__syncthreads_or(differs);
}

#endif							/* GPUDB_CUDA_FAST_MEMORY_CUH */
