/*
 * reference.c
 *		What the CPU's interpreter makes of a tablet.
 */
#include "fixture.h"
#include "interpreters.h"

#include "reference.h"

#define MOST_GROUPS 100000

/* A table whose groups are all found by their keys, the one without keys, too. */
static void
open_table(GroupTable *table, const Program *program)
{
	GroupKey	none = {0};

	memset(table, 0, sizeof(*table));
	table_grow(table, program->row_words, MOST_GROUPS, 1);
	if (!program->grouped)
		(void) group_find_or_insert(program, table, &none);
}

bool
reference_equals(const Program *program, const Tablet *tablet, const uint64_t *rows, const uint64_t *hashes, uint32_t n)
{
	GroupTable	want;
	GroupTable	got;
	GroupTable	from = {.rows = (uint64_t *) rows, .hashes = (uint64_t *) hashes, .ngroups = n, .row_words = program->row_words};
	VmRun		run;
	uint32_t	next = 0;
	bool		same;

	open_table(&want, program);
	open_table(&got, program);
	run_open(&run, program, BODY_NARROW, tablet, LARGE_TILE);
	run.groups = &want;
	same = vm_run_large(&run) == STATUS_DONE && group_merge(program, &got, &from, &next, n + 1) == STATUS_DONE &&
		got.ngroups == want.ngroups;
	for (uint32_t g = 0; g < want.ngroups && same; g++)
	{
		GroupKey	key;
		uint32_t	found;

		group_key_of_row(program, &want, g, &key);
		found = group_find_or_insert(program, &got, &key);
		same = found != GROUP_NONE && memcmp(group_row(&want, g), group_row(&got, found), program->row_words * 8) == 0;
	}
	run_close(&run, LARGE_TILE);
	table_free(&want);
	table_free(&got);
	return same;
}
