/*
 * selects.c
 *		Values that aggregates select by their rank, round by round.
 *
 * Each run of the program counts values in bins; between two of them the bins
 * that have the wanted ranks become the ranges of the next one
 * (core/op_select.h).  All runs see the same rows, those of the query's
 * snapshot, so whatever else they compute comes out the same each time.
 */
#include "postgres.h"

#include <math.h>

#include "compile/opmap.h"
#include "exec/selects.h"

void
selects_forget(GpuNode *node)
{
	if (node->selects != NULL)
		pfree(node->selects);
	node->selects = NULL;
	node->request.ranges = NULL;
}

double
selects_ranks(const AggResult *agg, int fraction, int64 count, int64 *first, int64 *second)
{
	const double at = agg->fraction[fraction];
	double		part = 0;

	/* as percentile_disc_final() and percentile_cont_final_common() do */
	if (agg->action == AGG_PERCENTILE_DISC)
	{
		*first = (int64) ceil(at * count);
		*first = *second = Max(*first, 1) - 1;
	}
	else
	{
		*first = (int64) floor(at * (count - 1));
		*second = (int64) ceil(at * (count - 1));
		part = at * (count - 1) - *first;
	}
	if (agg->descending)
	{
		*first = count - 1 - *first;
		*second = count - 1 - *second;
	}
	return part;
}

static const uint64 *
state_of(const GpuNode *node, const GroupTable *groups, int state)
{
	return group_row(groups, 0) + node->compiled.program->state_word[state];
}

/* After the first round the bounds of all values are known: those of their type, that closer ones are to take the place of. */
static void
clip(SelectRange *range, int64 least, int64 largest)
{
	range->least = Max(range->least, least);
	range->largest = Min(range->largest, largest);
}

static bool
narrow(GpuNode *node, const GroupTable *groups, int i)
{
	const CompileResult *compiled = &node->compiled;
	const SelectResult *select = &compiled->select[i];
	const AggResult *agg = &compiled->agg[select->agg];
	const int64 count = (int64) *state_of(node, groups, agg->count);
	const int	place = i - agg->select;
	const int	each = agg->nselects;
	int64		rank[2];

	if (count == 0 || agg->fraction_null[place / each])
	{
		node->selects[i].largest = node->selects[i].least;
		return true;
	}
	selects_ranks(agg, place / each, count, &rank[0], &rank[1]);
	if (select->bins >= 0 && !select_narrow(&node->selects[i], state_of(node, groups, select->bins), (uint64) rank[place % each]))
		return false;
	if (select->least >= 0)
		clip(&node->selects[i], (int64) *state_of(node, groups, select->least), (int64) *state_of(node, groups, select->largest));
	return true;
}

DeviceStatus
selects_narrow(GpuNode *node, const GroupTable *groups, bool *wanted)
{
	const CompileResult *compiled = &node->compiled;

	*wanted = false;
	if (compiled->nselects == 0)
		return STATUS_DONE;
	if (node->selects == NULL)
	{
		node->selects = MemoryContextAlloc(node->css.ss.ps.state->es_query_cxt, compiled->nselects * sizeof(SelectRange));
		for (int i = 0; i < compiled->nselects; i++)
			node->selects[i] = compiled->select[i].range;
	}
	for (int i = 0; i < compiled->nselects; i++)
	{
		if (!narrow(node, groups, i))
			return STATUS_BAD_PROGRAM;
		*wanted |= !select_is_found(&node->selects[i]);
	}
	node->request.ranges = node->compiled.ranges = node->selects;
	node->report.rounds++;
	return STATUS_DONE;
}
