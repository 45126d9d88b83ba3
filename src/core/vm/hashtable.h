/*
 * hashtable.h
 *		The group table: rows of keys and aggregate states, found by hash.
 *
 * A group table is flat memory that the caller owns and grows; this file never allocates.
 *
 *		slots	 open addressing with linear probing; group number + 1, 0 = free
 *		hashes	 of each group, so that growing needs no keys and probing few
 *		rows	 row_words 64-bit words a group, in order of insertion
 *		heap	 the bytes of text keys and of text states
 *
 * The caller keeps nslots at a power of two and at least twice the capacity, so probing ends.
 */
#ifndef GPUDB_CORE_VM_HASHTABLE_H
#define GPUDB_CORE_VM_HASHTABLE_H

#include "core/hash.h"
#include "core/vm/op_agg.h"
#include "core/vm/op_text.h"
#include "core/vm/program.h"
#include "core/target.h"

#define GROUP_NONE UINT32_MAX

typedef struct GroupTable
{
	uint32_t   *slots;
	uint64_t   *hashes;
	uint64_t   *rows;
	uint8_t    *heap;
	uint32_t	nslots;
	uint32_t	capacity;		/* limit of groups */
	uint32_t	ngroups;
	uint32_t	row_words;
	uint64_t	heap_used;
	uint64_t	heap_capacity;
	uint64_t	heap_reserved;	/* reserved for the text states of the tile at hand */
} GroupTable;

/*
 * Keys of one lane.  words[] are as in the row, except that a text key's two words are the address
 * of its bytes and the length.
 */
typedef struct GroupKey
{
	uint64_t	hash;
	uint64_t	nulls;
	uint64_t	words[2 * PROGRAM_MAX_KEYS];
} GroupKey;

CORE_FN uint64_t *
group_row(const GroupTable *table, uint32_t group)
{
	return table->rows + (uint64_t) group * table->row_words;
}

/* Return true if a group's row has a lane's keys.  A text key in a row is its offset in the heap, then its length. */
CORE_FN bool
group_key_equal(const Program *program, const GroupTable *table, const uint64_t *row, const GroupKey *key)
{
	uint32_t	k;
	uint32_t	w = 0;

	if (row[0] != key->nulls)
		return false;
	for (k = 0; k < program->nkeys; k++)
	{
		const uint64_t *stored = row + program->key_word[k];

		switch ((KeyKind) program->key_kind[k])
		{
			case KEY_WORD:
				if (stored[0] != key->words[w++])
					return false;
				break;
			case KEY_WIDE:
				if (stored[0] != key->words[w] || stored[1] != key->words[w + 1])
					return false;
				w += 2;
				break;
			case KEY_TEXT:
				if (stored[1] != key->words[w + 1] ||
					core_memcmp(table->heap + stored[0], (const uint8_t *) (uintptr_t) key->words[w], stored[1]) != 0)
					return false;
				w += 2;
				break;
		}
	}
	return true;
}

/* Append a group with initial states; GROUP_NONE when rows or heap are full. */
CORE_FN uint32_t
group_append(const Program *program, GroupTable *table, const GroupKey *key)
{
	uint32_t	group = table->ngroups;
	uint64_t   *row = group_row(table, group);
	uint64_t	text = 0;
	uint32_t	k;
	uint32_t	w = 0;

	for (k = 0; k < program->nkeys; k++)
	{
		if (program->key_kind[k] == KEY_TEXT)
			text += key->words[w + 1];
		w += words_of_key(program->key_kind[k]);
	}
	if (group >= table->capacity || table->heap_used + text > table->heap_capacity)
		return GROUP_NONE;

	row[0] = key->nulls;
	for (k = 0, w = 0; k < program->nkeys; k++)
	{
		uint64_t   *stored = row + program->key_word[k];

		switch ((KeyKind) program->key_kind[k])
		{
			case KEY_WORD:
				stored[0] = key->words[w++];
				break;
			case KEY_WIDE:
				stored[0] = key->words[w];
				stored[1] = key->words[w + 1];
				w += 2;
				break;
			case KEY_TEXT:
				stored[0] = table->heap_used;
				stored[1] = key->words[w + 1];
				memcpy(table->heap + table->heap_used, (const uint8_t *) (uintptr_t) key->words[w], stored[1]);
				table->heap_used += stored[1];
				w += 2;
				break;
		}
	}
	for (k = 0; k < program->nstates; k++)
		state_init((StateKind) program->state_kind[k], row + program->state_word[k]);
	table->hashes[group] = key->hash;
	table->ngroups++;
	return group;
}

/* Number of groups up to which a table is assumed to stay in the cache; larger tables are prefetched. */
#define GROUP_PREFETCH_MIN 8192

/* Number of groups by which merging tables prefetches memory ahead. */
#define GROUP_LOOKAHEAD 8

/* Prefetch the slot at which a hash's search begins; group_prefetch_row() is the second round. */
CORE_FN void
group_prefetch_slot(const GroupTable *table, uint64_t hash)
{
	core_prefetch(&table->slots[(uint32_t) hash & (table->nslots - 1)]);
}

CORE_FN void
group_prefetch_row(const GroupTable *table, uint64_t hash)
{
	uint32_t	slot = table->slots[(uint32_t) hash & (table->nslots - 1)];

	if (slot == 0)
		return;
	core_prefetch(&table->hashes[slot - 1]);
	core_prefetch(group_row(table, slot - 1));
}

/* Return the group of a key, inserted if it is new; GROUP_NONE when there is no room for it. */
CORE_FN uint32_t
group_find_or_insert(const Program *program, GroupTable *table, const GroupKey *key)
{
	uint32_t	mask = table->nslots - 1;
	uint32_t	at = (uint32_t) key->hash & mask;
	uint32_t	group;

	for (;;)
	{
		uint32_t	slot = table->slots[at];

		if (slot == 0)
			break;
		if (table->hashes[slot - 1] == key->hash &&
			group_key_equal(program, table, group_row(table, slot - 1), key))
			return slot - 1;
		at = (at + 1) & mask;
	}
	group = group_append(program, table, key);
	if (group != GROUP_NONE)
		table->slots[at] = group + 1;
	return group;
}

/* Fill zeroed slots from the groups' hashes, after the table has grown. */
CORE_FN void
group_rehash(GroupTable *table)
{
	uint32_t	mask = table->nslots - 1;
	uint32_t	g;

	for (g = 0; g < table->ngroups; g++)
	{
		uint32_t	at = (uint32_t) table->hashes[g] & mask;

		if (g + 2 * GROUP_LOOKAHEAD < table->ngroups)
			group_prefetch_slot(table, table->hashes[g + 2 * GROUP_LOOKAHEAD]);

		while (table->slots[at] != 0)
			at = (at + 1) & mask;
		table->slots[at] = g + 1;
	}
}

/* Append the text keys of groups whose rows have just been copied from `from`, and adjust the offsets in those rows. */
CORE_FN void
group_append_texts(const Program *program, GroupTable *into, const GroupTable *from)
{
	uint32_t	g;
	uint32_t	k;

	memcpy(into->heap + into->heap_used, from->heap, from->heap_used);
	for (g = into->ngroups; g < into->ngroups + from->ngroups; g++)
		for (k = 0; k < program->nkeys; k++)
			if (program->key_kind[k] == KEY_TEXT)
				group_row(into, g)[program->key_word[k]] += into->heap_used;
	into->heap_used += from->heap_used;
}

/*
 * Append the groups of `from` without searching for equal ones.  There must be room for them and
 * for their keys' texts, and no state may be a text.  Until the next group_rehash() the table can
 * be read in order but not searched.
 */
CORE_FN void
group_append_all(const Program *program, GroupTable *into, const GroupTable *from)
{
	memcpy(into->hashes + into->ngroups, from->hashes, (size_t) from->ngroups * 8);
	memcpy(group_row(into, into->ngroups), from->rows, (size_t) from->ngroups * from->row_words * 8);
	if (from->heap_used > 0)
		group_append_texts(program, into, from);
	into->ngroups += from->ngroups;
}

/* Make the key of a stored group, for a search in another table. */
CORE_FN void
group_key_of_row(const Program *program, const GroupTable *table, uint32_t group, GroupKey *key)
{
	const uint64_t *row = group_row(table, group);
	uint32_t	k;
	uint32_t	w = 0;

	key->hash = table->hashes[group];
	key->nulls = row[0];
	for (k = 0; k < program->nkeys; k++)
	{
		const uint64_t *stored = row + program->key_word[k];

		key->words[w++] = program->key_kind[k] == KEY_TEXT
			? (uint64_t) (uintptr_t) (table->heap + stored[0]) : stored[0];
		if (program->key_kind[k] != KEY_WORD)
			key->words[w++] = stored[1];
	}
}

/* Store a text in its state if it beats the stored one; false when the heap has no room for it. */
CORE_FN bool
group_take_text(GroupTable *table, uint64_t *state, bool least, const uint8_t *bytes, uint32_t length)
{
	uint64_t	room = state[1] >> 32;

	if (!text_state_beaten(state, table->heap, least, bytes, length))
		return true;
	if (!text_state_fits(state, length))
	{
		room = text_state_room(length);
		if (room > table->heap_capacity - table->heap_used)
			return false;
		state[0] = table->heap_used;
		table->heap_used += room;
	}
	state[1] = room << 32 | length;
	memcpy(table->heap + state[0], bytes, length);
	return true;
}

/* Return the bytes of heap that merging the text states of a group may take. */
CORE_FN uint64_t
group_text_room(const Program *program, const GroupTable *table, uint32_t group)
{
	const uint64_t *row = group_row(table, group);
	uint64_t	room = 0;
	uint32_t	s;

	for (s = 0; s < program->nstates; s++)
		if (state_is_text((StateKind) program->state_kind[s]) &&
			row[program->state_word[s] + 1] != TEXT_STATE_NONE)
			room += row[program->state_word[s] + 1] >> 32;
	return room;
}

CORE_FN void
group_merge_states(const Program *program, GroupTable *into, uint64_t *row, const GroupTable *from,
				   const uint64_t *from_row, uint32_t *overflow)
{
	uint32_t	s;

	for (s = 0; s < program->nstates; s++)
	{
		StateKind	kind = (StateKind) program->state_kind[s];
		const uint64_t *state = from_row + program->state_word[s];

		if (!state_is_text(kind))
			state_merge(kind, row + program->state_word[s], state, overflow);
		else if (state[1] != TEXT_STATE_NONE)
			group_take_text(into, row + program->state_word[s], kind == STATE_MIN_T, from->heap + state[0],
							(uint32_t) state[1]);
	}
}

/*
 * Merge up to `limit` groups of `from`, beginning with *next, into `into`.  Returns DONE when all
 * are merged, TIME_SLICE when some are left, TABLE_FULL with *next at the group to continue with
 * after growing, or DECIMAL_TOO_WIDE.
 */
CORE_FN DeviceStatus
group_merge(const Program *program, GroupTable *into, const GroupTable *from, uint32_t *next, uint32_t limit)
{
	uint32_t	overflow = 0;

	for (; *next < from->ngroups && limit > 0; (*next)++, limit--)
	{
		GroupKey	key;
		uint32_t	group;

		if (*next + 2 * GROUP_LOOKAHEAD < from->ngroups)
		{
			group_prefetch_slot(into, from->hashes[*next + 2 * GROUP_LOOKAHEAD]);
			group_prefetch_row(into, from->hashes[*next + GROUP_LOOKAHEAD]);
		}

		group_key_of_row(program, from, *next, &key);
		group = group_find_or_insert(program, into, &key);
		if (group == GROUP_NONE ||
			group_text_room(program, from, *next) > into->heap_capacity - into->heap_used)
			return STATUS_TABLE_FULL;
		group_merge_states(program, into, group_row(into, group), from, group_row(from, *next), &overflow);
		if (overflow)
			return STATUS_DECIMAL_TOO_WIDE;
	}
	return *next < from->ngroups ? STATUS_TIME_SLICE : STATUS_DONE;
}

#endif							/* GPUDB_CORE_VM_HASHTABLE_H */
