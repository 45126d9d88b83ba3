/*
 * sorted_runs.c
 *		External merge sort: sorted rows that do not fit in memory, as runs in temporary files.
 *
 * A run has the rows of a full store, one after the other as PostgreSQL's
 * minimal tuples.  Merging compares by PostgreSQL's own functions, and holds
 * one row of each run (Knuth, "The Art of Computer Programming", volume 3: 5.4.1).
 */
#include "postgres.h"

#include "commands/tablespace.h"
#include "executor/executor.h"
#include "lib/binaryheap.h"
#include "miscadmin.h"
#include "storage/buffile.h"
#include "utils/memutils.h"
#include "utils/sortsupport.h"

#include "exec/sort/sorted_runs.h"

/* Number of rows whose values are looked up at a time. */
#define WRITE_ROWS 1024

typedef struct Run
{
	BufFile    *file;
	TupleTableSlot *slot;		/* the run's next row */
} Run;

struct SortedRuns
{
	MemoryContext context;
	MemoryContext scratch;		/* reset after each batch of rows written */
	TupleDesc	desc;
	int			nkeys;
	SortSupport key;
	int			nruns;
	int			capacity;
	Run		   *run;
	uint64		bytes;
	binaryheap *heap;			/* numbers of the runs that have a next row */
};

SortedRuns *
sorted_runs_create(TupleDesc desc, const Sort *sort)
{
	SortedRuns *runs = palloc0(sizeof(SortedRuns));

	runs->context = CurrentMemoryContext;
	runs->scratch = AllocSetContextCreate(CurrentMemoryContext, "gpudb sorted run", ALLOCSET_DEFAULT_SIZES);
	runs->desc = desc;
	runs->nkeys = sort->numCols;
	runs->key = palloc0(sizeof(SortSupportData) * sort->numCols);
	for (int k = 0; k < sort->numCols; k++)
	{
		SortSupport key = &runs->key[k];

		key->ssup_cxt = CurrentMemoryContext;
		key->ssup_collation = sort->collations[k];
		key->ssup_nulls_first = sort->nullsFirst[k];
		key->ssup_attno = sort->sortColIdx[k];
		PrepareSortSupportFromOrderingOp(sort->sortOperators[k], key);
	}
	return runs;
}

/* Writing */

static Run *
new_run(SortedRuns *runs)
{
	Run		   *run;

	if (runs->nruns == runs->capacity)
	{
		runs->capacity = Max(2 * runs->capacity, 8);
		runs->run = runs->run == NULL ? palloc(sizeof(Run) * runs->capacity) : repalloc(runs->run, sizeof(Run) * runs->capacity);
	}
	run = &runs->run[runs->nruns++];
	PrepareTempTablespaces();
	run->file = BufFileCreateTemp(false);
	run->slot = MakeSingleTupleTableSlot(runs->desc, &TTSOpsMinimalTuple);
	return run;
}

/* Write `n` rows, given by the values of each attribute, to a run. */
static void
write_rows(SortedRuns *runs, const Run *run, Datum **values, bool **isnull, uint32 n)
{
	const int	natts = runs->desc->natts;
	Datum	   *row = palloc(sizeof(Datum) * Max(natts, 1));
	bool	   *null = palloc(sizeof(bool) * Max(natts, 1));

	for (uint32 i = 0; i < n; i++)
	{
		MinimalTuple tuple;

		for (int a = 0; a < natts; a++)
		{
			row[a] = values[a][i];
			null[a] = isnull[a][i];
		}
		tuple = heap_form_minimal_tuple(runs->desc, row, null);
		BufFileWrite(run->file, tuple, tuple->t_len);
		runs->bytes += tuple->t_len;
		pfree(tuple);
	}
}

void
sorted_runs_add(SortedRuns *runs, const StoredRows *stored, const uint32 *order, uint32 nrows)
{
	MemoryContext old = MemoryContextSwitchTo(runs->context);
	const Run  *run = new_run(runs);
	const int	natts = runs->desc->natts;

	MemoryContextSwitchTo(runs->scratch);
	for (uint32 first = 0; first < nrows; first += WRITE_ROWS)
	{
		const uint32 n = Min(WRITE_ROWS, nrows - first);
		Datum	  **values = palloc(sizeof(Datum *) * Max(natts, 1));
		bool	  **isnull = palloc(sizeof(bool *) * Max(natts, 1));

		CHECK_FOR_INTERRUPTS();
		for (int a = 0; a < natts; a++)
		{
			values[a] = palloc(sizeof(Datum) * n);
			isnull[a] = palloc(sizeof(bool) * n);
			stored_rows_read(stored, a, order + first, n, values[a], isnull[a]);
		}
		write_rows(runs, run, values, isnull, n);
		MemoryContextReset(runs->scratch);
	}
	MemoryContextSwitchTo(old);
}

/* Merging */

/* Read a run's next row into its slot; return false at its end. */
static bool
read_row(SortedRuns *runs, Run *run)
{
	uint32		length;
	MinimalTuple tuple;
	size_t		got = BufFileRead(run->file, &length, sizeof(length));

	ExecClearTuple(run->slot);
	if (got == 0)
		return false;
	if (got != sizeof(length) || length < SizeofMinimalTupleHeader)
		elog(ERROR, "gpudb: a sorted run is damaged");
	tuple = MemoryContextAlloc(runs->context, length);
	tuple->t_len = length;
	if (BufFileRead(run->file, (char *) tuple + sizeof(length), length - sizeof(length)) != length - sizeof(length))
		elog(ERROR, "gpudb: a sorted run ends early");
	ExecStoreMinimalTuple(tuple, run->slot, true);
	return true;
}

/* Compare the next rows of two runs in reverse, since binaryheap has its largest element first. */
static int
compare_runs(Datum a, Datum b, void *arg)
{
	const SortedRuns *runs = arg;
	TupleTableSlot *slot_a = runs->run[DatumGetInt32(a)].slot;
	TupleTableSlot *slot_b = runs->run[DatumGetInt32(b)].slot;

	for (int k = 0; k < runs->nkeys; k++)
	{
		const SortSupport key = &runs->key[k];
		bool		null_a;
		bool		null_b;
		const Datum value_a = slot_getattr(slot_a, key->ssup_attno, &null_a);
		const Datum value_b = slot_getattr(slot_b, key->ssup_attno, &null_b);
		const int	differ = ApplySortComparator(value_a, null_a, value_b, null_b, key);

		if (differ != 0)
			return -differ;
	}
	return 0;
}

void
sorted_runs_begin(SortedRuns *runs)
{
	MemoryContext old = MemoryContextSwitchTo(runs->context);

	if (runs->heap != NULL)
		binaryheap_free(runs->heap);
	runs->heap = binaryheap_allocate(Max(runs->nruns, 1), compare_runs, runs);
	MemoryContextSwitchTo(old);
	for (int r = 0; r < runs->nruns; r++)
	{
		if (BufFileSeek(runs->run[r].file, 0, 0, SEEK_SET) != 0)
			elog(ERROR, "gpudb: a sorted run cannot be read again");
		if (read_row(runs, &runs->run[r]))
			binaryheap_add_unordered(runs->heap, Int32GetDatum(r));
	}
	binaryheap_build(runs->heap);
}

bool
sorted_runs_next(SortedRuns *runs, TupleTableSlot *slot)
{
	Run		   *run;

	ExecClearTuple(slot);
	if (binaryheap_empty(runs->heap))
		return false;
	run = &runs->run[DatumGetInt32(binaryheap_first(runs->heap))];
	ExecCopySlot(slot, run->slot);
	if (read_row(runs, run))
		binaryheap_replace_first(runs->heap, binaryheap_first(runs->heap));
	else
		(void) binaryheap_remove_first(runs->heap);
	return true;
}

int
sorted_runs_count(const SortedRuns *runs)
{
	return runs->nruns;
}

uint64
sorted_runs_bytes(const SortedRuns *runs)
{
	return runs->bytes;
}

void
sorted_runs_close(SortedRuns *runs)
{
	for (int r = 0; r < runs->nruns; r++)
	{
		ExecDropSingleTupleTableSlot(runs->run[r].slot);
		BufFileClose(runs->run[r].file);
	}
	runs->nruns = 0;
}
