/*
 * groups_launch.h
 *		A group table in device memory, and what launches do to it: the interface to the host.
 *
 *		counts	 of the groups, and a bound of large sums
 *		slots	 open addressing with linear probing: hash tag << 32 | group number + 1; 0 = free
 *		hashes	 of each group
 *		rows	 as in core/hashtable.h, in no particular order
 *		locks	 a word a group, for states without an atomic form
 */
#ifndef GPUDB_CUDA_GROUPS_LAUNCH_H
#define GPUDB_CUDA_GROUPS_LAUNCH_H

#include "core/program.h"

typedef struct TableCounts
{
	uint32_t	ngroups;		/* more than the capacity when some had no room */
	uint32_t	unused;
	uint64_t	large_sums;		/* of all large partial sums merged so far, their sizes in units of 2^64 */
} TableCounts;

typedef struct DeviceTable
{
	TableCounts *counts;
	uint64_t   *slots;
	uint64_t   *hashes;
	uint64_t   *rows;
	uint32_t   *locks;
	uint32_t	nslots;			/* a power of two, at least twice the capacity */
	uint32_t	capacity;		/* groups */
} DeviceTable;

/* What of a program's rows the kernels must know. */
typedef struct RowShape
{
	uint16_t	row_words;
	uint16_t	key_words;		/* those that tell a group, which stand first */
	uint16_t	nstates;
	uint16_t	locked;			/* some states have no atomic form */
	uint8_t		state_kind[PROGRAM_MAX_STATES];
	uint16_t	state_word[PROGRAM_MAX_STATES];
} RowShape;

/* In device memory; zeroed before a launch. */
typedef struct GroupsResult
{
	uint32_t	status;			/* DeviceStatus: the first failure */
	uint32_t	pending;		/* rows that found no room for their group */
} GroupsResult;

typedef struct GroupsLaunch
{
	DeviceTable table;
	RowShape	shape;
	const uint64_t *hashes;		/* rows to merge into it */
	const uint64_t *rows;
	uint32_t	nrows;
	uint32_t   *group;			/* of each row; GROUP_UNKNOWN before it is found */
	GroupsResult *result;
} GroupsLaunch;

#define GROUP_UNKNOWN UINT32_MAX

#ifdef __cplusplus
extern "C" {
#endif

/* Whether rows of a program can be merged: texts as keys and states cannot. */
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
