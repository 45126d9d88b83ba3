/*
 * groups_launch.h
 *		A group table in device memory, and what launches do to it: the interface to the host.
 *
 *		counts	 of the groups and their texts, and a bound of large sums
 *		slots	 open addressing with linear probing: hash tag << 32 | group number + 1; 0 = free
 *		hashes	 of each group
 *		rows	 as in core/hashtable.h, in no particular order
 *		locks	 a word a group, for extremes that have no atomic form
 *		heap	 the bytes of text keys, in the order of the groups
 *
 * A group's number and its room in the heap are taken by one atomic addition,
 * so that who comes later has more of both; once one had too little of either,
 * so has everybody.
 */
#ifndef GPUDB_CUDA_GROUPS_LAUNCH_H
#define GPUDB_CUDA_GROUPS_LAUNCH_H

#include "core/join_table.h"
#include "tallies.h"

/* Room in a table: groups << 32 | units of its heap. */
#define TABLE_ROOM(groups, units)	((uint64_t) (groups) << 32 | (units))
#define ROOM_GROUPS(room)			((uint32_t) ((room) >> 32))
#define ROOM_UNITS(room)			((uint32_t) (room))

#define HEAP_UNIT		8
#define HEAP_UNITS_MOST ((uint32_t) 1 << 31)	/* as many again may be asked for in vain */

/* Units of the heap that a text takes; what is behind its last byte is 0. */
#define UNITS_OF_TEXT(length)		(((uint32_t) (length) + HEAP_UNIT - 1) / HEAP_UNIT)

typedef struct TableCounts
{
	uint64_t	taken;			/* TABLE_ROOM(), also what was not there */
	uint64_t	refused;		/* ~TABLE_ROOM() at which there was too little for the first time; 0 = never */
	uint64_t	large_sums;		/* of all large partial sums merged so far, their sizes in units of 2^64 */
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

/* What of a program's rows the kernels must know. */
typedef struct RowShape
{
	uint16_t	row_words;		/* as blocks leave them */
	uint16_t	key_words;		/* those that tell a group, which stand first */
	uint16_t	nstates;
	uint16_t	locked;			/* some states have no atomic form */
	uint16_t	ntexts;			/* keys that are texts */
	uint16_t	text_word[PROGRAM_MAX_KEYS];	/* where one begins: in rows to merge a reference, in the table an offset in bytes; then the length */
	uint32_t	ntallies;
	uint8_t		state_kind[PROGRAM_MAX_STATES];
	uint16_t	state_word[PROGRAM_MAX_STATES];
} RowShape;

/* In device memory; zeroed before a launch. */
typedef struct GroupsResult
{
	uint32_t	status;			/* DeviceStatus: the first failure */
	uint32_t	pending;		/* rows that found no room for their group */
	uint32_t	ngroups;		/* of updating: what others have asked for in vain counts, too */
} GroupsResult;

typedef struct GroupsLaunch
{
	DeviceTable table;
	RowShape	shape;
	const uint64_t *hashes;		/* rows to merge into it */
	const uint64_t *rows;
	const uint8_t *texts;		/* what their texts' references count from */
	const uint8_t *constants;	/* the same with TEXT_IN_PROGRAM */
	const JoinRows *tables;		/* and of joins' tables */
	uint32_t	nrows;
	uint32_t   *group;			/* of each row; GROUP_UNKNOWN before it is found */
	GroupsResult *result;
} GroupsLaunch;

#define GROUP_UNKNOWN UINT32_MAX

#ifdef __cplusplus
extern "C" {
#endif

/* Whether rows of a program can be merged: states that keep texts cannot. */
extern bool groups_shape(const Program *program, RowShape *shape);

/*
 * Find or add the group of every row that has none yet.  Touches no state, so
 * after `pending` rows found no room it goes on in a larger table.  All return
 * a cudaError_t.
 */
extern int	groups_find(const GroupsLaunch *launch, void *stream);

/* Merge the states of every row into those of its group, once all are found. */
extern int	groups_update(const GroupsLaunch *launch, void *stream);

/* Fill the zeroed slots of a table from the hashes of its first n groups. */
extern int	groups_rehash(const DeviceTable *table, uint32_t n, void *stream);

#ifdef __cplusplus
}
#endif

#endif							/* GPUDB_CUDA_GROUPS_LAUNCH_H */
