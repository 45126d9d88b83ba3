/*
 * groups_launch.h
 *		A group table in device memory, and the kernel launches on it: the interface to the host.
 *
 *		counts	 numbers of groups and units of their texts, and a bound of large sums
 *		slots	 open addressing with linear probing: hash tag << 32 | group number + 1; 0 = free
 *		hashes	 hash of each group
 *		rows	 as in core/vm/hashtable.h, in no particular order
 *		locks	 one word per group, for extremes that have no atomic form
 *		heap	 the bytes of text keys, in the order of the groups
 *
 * A group's number and its space in the heap are allocated by one atomic
 * addition, so that later allocations have larger values of both; once an
 * allocation has failed for lack of either, all later ones fail, too.
 */
#ifndef GPUDB_CUDA_KERNELS_GROUPS_LAUNCH_H
#define GPUDB_CUDA_KERNELS_GROUPS_LAUNCH_H

#include "core/join/join_table.h"
#include "host/tallies.h"

/* Allocation in a table: groups << 32 | units of its heap. */
#define TABLE_ROOM(groups, units)	((uint64_t) (groups) << 32 | (units))
#define ROOM_GROUPS(room)			((uint32_t) ((room) >> 32))
#define ROOM_UNITS(room)			((uint32_t) (room))

#define HEAP_UNIT		8
#define HEAP_UNITS_MOST ((uint32_t) 1 << 31)	/* twice as many may be requested, half of them in vain */

/* Number of heap units for a text of this length; bytes behind the text's last byte are 0. */
#define UNITS_OF_TEXT(length)		(((uint32_t) (length) + HEAP_UNIT - 1) / HEAP_UNIT)

typedef struct TableCounts
{
	uint64_t	taken;			/* TABLE_ROOM(), including failed allocations */
	uint64_t	refused;		/* ~TABLE_ROOM() of the first failed allocation; 0 = none */
	uint64_t	large_sums;		/* sum of the sizes of all large partial sums merged so far, in units of 2^64 */
} TableCounts;

typedef struct DeviceTable
{
	TableCounts *counts;
	uint64_t   *slots;
	uint64_t   *hashes;
	uint64_t   *rows;
	uint32_t   *locks;
	uint64_t   *heap;
	uint32_t	nslots;			/* a power of two, at least twice the capacity */
	uint32_t	capacity;		/* groups */
	uint32_t	heap_units;
} DeviceTable;

/* Layout of a program's rows, as far as the kernels need it. */
typedef struct RowShape
{
	uint16_t	row_words;		/* words of a row as blocks write it */
	uint16_t	key_words;		/* words of the keys, which come first */
	uint16_t	nstates;
	uint16_t	locked;			/* some states have no atomic form and need the lock */
	uint16_t	ntexts;			/* number of keys that are texts */
	uint16_t	text_word[PROGRAM_MAX_KEYS];	/* reference to each text, or in the table its offset; then length */
	uint32_t	ntallies;
	uint8_t		state_kind[PROGRAM_MAX_STATES];
	uint16_t	state_word[PROGRAM_MAX_STATES];
} RowShape;

/* Result of a launch, in device memory; zeroed before a launch. */
typedef struct GroupsResult
{
	uint32_t	status;			/* DeviceStatus: the first failure */
	uint32_t	pending;		/* rows that found no room for their group */
	uint32_t	ngroups;		/* number of groups, set by groups_update(); includes allocations that failed */
} GroupsResult;

typedef struct GroupsLaunch
{
	DeviceTable table;
	RowShape	shape;
	const uint64_t *hashes;		/* rows to merge into the table */
	const uint64_t *rows;
	const uint8_t *texts;		/* base of the references in text keys */
	const uint8_t *constants;	/* base of references with TEXT_IN_PROGRAM */
	const JoinRows *tables;		/* join tables, which contain the other texts */
	uint32_t	nrows;
	uint32_t   *group;			/* out: number of each row's group; GROUP_UNKNOWN before it is found */
	GroupsResult *result;
} GroupsLaunch;

#define GROUP_UNKNOWN UINT32_MAX

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Compute the shape of a program's rows; return false if they cannot be merged
 * on the device: states that hold texts cannot.
 */
extern bool groups_shape(const Program *program, RowShape *shape);

/*
 * Find or add the group of every row that has none yet.  No state is modified,
 * so after `pending` rows have found no room the launch can be repeated with a
 * larger table.  Returns a cudaError_t.
 */
extern int	groups_find(const GroupsLaunch *launch, void *stream);

/* Merge the states of every row into those of its group, after all groups have been found.  Returns a cudaError_t. */
extern int	groups_update(const GroupsLaunch *launch, void *stream);

/* Fill the zeroed slots of a table from the hashes of its first n groups.  Returns a cudaError_t. */
extern int	groups_rehash(const DeviceTable *table, uint32_t n, void *stream);

#ifdef __cplusplus
}
#endif

#endif							/* GPUDB_CUDA_KERNELS_GROUPS_LAUNCH_H */
