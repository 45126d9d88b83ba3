/*
 * run_dicts.c
 *		The dictionary codes of one run.
 *
 * A condition on a column of dictionary codes is evaluated ("judged") by
 * PostgreSQL's own executor, once for each value of the dictionary, and the
 * program looks up the result.  The dictionary may have values that no row of
 * the snapshot has, or that another filter leaves out, so an error is not
 * raised: it is recorded, and ends the run only if a row has the value.
 *
 * Threads see no code that has not been judged: a code becomes known
 * (DictView.nknown) after its result has been stored in the program's tables.
 */
#include "postgres.h"

#include "access/sysattr.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "exec/run/run_dicts.h"
#include "exec/run/subtransaction.h"
#include "guc.h"
#include "pg_compat.h"
#include "tablet/cache/dict.h"
#include "tablet/cache/validity.h"

/* Number of errors of one condition after which PostgreSQL is not asked any more. */
#define MOST_ERRORS		100

/* A condition, and the number of dictionary values for which it has been evaluated. */
typedef struct Test
{
	Dict	   *dict;			/* NULL if the codes are a join table's */
	const DictView *view;		/* dictionary of the codes; does not grow if it is a join table's */
	uint64	   *table;			/* results by code, in the program */
	ExprState  *condition;
	uint32		njudged;
	int			nerrors;
} Test;

struct RunDicts
{
	MemoryContext context;
	ExprContext *econtext;
	int			ncolumns;
	Dict	   *column[PROGRAM_MAX_COLUMNS];	/* codes by column; NULL if it has none */
	int			ntests;
	Test	   *test;
};

uint32 *
run_dicts_offer(Relation relation, Snapshot snapshot, Bitmapset *attributes, CodeRoom room)
{
	uint32	   *offer = NULL;
	int			bit = -1;

	if (!gpudb_cache)
		return NULL;
	while ((bit = bms_next_member(attributes, bit)) >= 0)
	{
		const int	attno = bit + FirstLowInvalidHeapAttributeNumber;
		const Form_pg_attribute att = attno > 0 ? TupleDescAttr(RelationGetDescr(relation), attno - 1) : NULL;
		uint64		number;

		if (att == NULL || !dict_suit_type(att->atttypid))
			continue;
		/* tested as late as this, since most queries have no texts */
		if (offer == NULL && (snapshot == NULL || !validity_provable(relation)))
			return NULL;
		if (!dict_likely(relation, (AttrNumber) attno))
			continue;
		if (offer == NULL)
			offer = palloc0(sizeof(uint32) * (RelationGetNumberOfAttributes(relation) + 1));
		offer[attno] = room == ROOM_FOR_ONE ? 1 : DICTIONARY_MOST_VALUES;
		if (room == ROOM_FOR_PRESENT)
		{
			const uint32 n = dict_count_of(relation, (AttrNumber) attno, &number);

			offer[attno] = Min(n + n / 4 + CODES_PER_WORD, DICTIONARY_MOST_VALUES);
		}
	}
	return offer;
}

/*
 * Pin the dictionaries of a program's columns; return false, with *without set to the column, if
 * one is not available.
 */
static bool
pin_columns(RunDicts *dicts, Relation relation, const CompileResult *compiled, ColumnWanted *wanted, DictSource *without)
{
	for (int c = 0; c < compiled->ncolumns; c++)
	{
		if (!compiled->column[c].coded)
			continue;
		dicts->column[c] = wanted[c].dict = dict_pin(relation, compiled->column[c].attno);
		if (wanted[c].dict == NULL)
		{
			without->attno = compiled->column[c].attno;
			return false;
		}
	}
	return true;
}

/* Return the codes of an attribute that the program reads as codes; raises an error if it has none. */
static Dict *
dict_of(const RunDicts *dicts, const CompileResult *compiled, AttrNumber attno)
{
	for (int c = 0; c < compiled->ncolumns; c++)
		if (compiled->column[c].attno == attno && dicts->column[c] != NULL)
			return dicts->column[c];
	elog(ERROR, "gpudb: attribute %d has no codes", attno);
}

/* Return true if the condition is NULL for a NULL, as the program assumes. */
static bool
is_null_of_null(ExprState *condition, ExprContext *econtext)
{
	bool		isnull;

	econtext->caseValue_datum = (Datum) 0;
	econtext->caseValue_isNull = true;
	(void) ExecEvalExprSwitchContext(condition, econtext, &isnull);
	ResetExprContext(econtext);
	return isnull;
}

/* Initialize the conditions; return false, with *without set to the column, if one cannot be evaluated on codes. */
static bool
open_tests(RunDicts *dicts, const CompileResult *compiled, DictSource *without)
{
	ListCell   *lc;

	if (compiled->dict_tests == NIL)
		return true;
	dicts->econtext = CreateStandaloneExprContext();
	dicts->test = palloc0(sizeof(Test) * list_length(compiled->dict_tests));
	foreach(lc, compiled->dict_tests)
	{
		const DictTest *from = lfirst(lc);
		Test	   *test = &dicts->test[dicts->ntests++];

		test->dict = from->dict.join == 0 ? dict_of(dicts, compiled, from->dict.attno) : NULL;
		test->view = test->dict != NULL ? dict_view_of(test->dict) : from->dict.view;
		test->table = (uint64 *) program_words(compiled->program) + from->table;
		test->condition = ExecInitExpr(from->condition, NULL);
		if (!can_run_in_subtransaction() || !is_null_of_null(test->condition, dicts->econtext))
		{
			*without = from->dict;
			return false;
		}
	}
	return true;
}

/* Store the dictionary of a source of codes if it is an attribute of the relation. */
static void
set_dict_view(const RunDicts *dicts, const CompileResult *compiled, DictSource *source)
{
	if (source->attno != 0 && source->join == 0)
		source->view = dict_view_of(dict_of(dicts, compiled, source->attno));
}

RunDicts *
run_dicts_open(Relation relation, CompileResult *compiled, ColumnWanted *wanted, DictSource *without)
{
	RunDicts   *dicts;

	*without = (DictSource) {0};
	if (!columns_are_coded(wanted, compiled->ncolumns) && compiled->dict_tests == NIL)
		return NULL;
	dicts = palloc0(sizeof(RunDicts));
	dicts->context = CurrentMemoryContext;
	dicts->ncolumns = compiled->ncolumns;
	if (!pin_columns(dicts, relation, compiled, wanted, without))
		return NULL;
	for (int k = 0; k < compiled->nkeys; k++)
		set_dict_view(dicts, compiled, &compiled->key[k].dict);
	for (int k = 0; k < compiled->nmaterialized; k++)
		set_dict_view(dicts, compiled, &compiled->materialized[k].dict);
	for (int a = 0; a < compiled->nattributes; a++)
		if (compiled->attribute[a].coded && compiled->attribute[a].attno != 0)
			compiled->attribute[a].view = dict_view_of(dict_of(dicts, compiled, compiled->attribute[a].attno));
	return open_tests(dicts, compiled, without) ? dicts : NULL;
}

/* Evaluate the condition on one value. */
static CodeTruth
judge(ExprState *condition, ExprContext *econtext, const uint8 *bytes, uint32 length)
{
	MemoryContext old = MemoryContextSwitchTo(econtext->ecxt_per_tuple_memory);
	struct varlena *value = palloc(VARHDRSZ + length);
	Datum		truth;
	bool		isnull;

	SET_VARSIZE(value, VARHDRSZ + length);
	memcpy(VARDATA(value), bytes, length);
	econtext->caseValue_datum = PointerGetDatum(value);
	econtext->caseValue_isNull = false;
	truth = ExecEvalExpr(condition, econtext, &isnull);
	MemoryContextSwitchTo(old);
	ResetExprContext(econtext);
	return isnull ? CODE_NEITHER : DatumGetBool(truth) ? CODE_TRUE : CODE_FALSE;
}

/* Values on which a condition is to be evaluated: those from njudged up to `end`. */
typedef struct Judging
{
	ExprContext *econtext;
	Test	   *test;
	const Dictionary *dictionary;
	uint32		end;
} Judging;

static void
judge_work(void *arg)
{
	const Judging *judging = arg;
	Test	   *test = judging->test;

	for (; test->njudged < judging->end; test->njudged++)
	{
		uint32		length;
		const uint8 *bytes = dictionary_value(judging->dictionary, test->njudged, &length);

		CHECK_FOR_INTERRUPTS();
		code_table_note(test->table, test->njudged, judge(test->condition, judging->econtext, bytes, length));
	}
}

/* Evaluate the condition on values not judged yet, as far as there is room; other values stay unknown. */
static void
judge_new(RunDicts *dicts, Test *test)
{
	const Dictionary *dictionary = test->view->dictionary;
	Judging		judging = {dicts->econtext, test, dictionary, Min(dictionary_count(dictionary), (uint32) test->table[0])};

	while (test->njudged < judging.end && test->nerrors < MOST_ERRORS && can_run_in_subtransaction())
		if (!run_in_subtransaction(judge_work, &judging))
		{
			/* a value that raises an error is skipped */
			code_table_note(test->table, test->njudged++, CODE_NEITHER);
			test->nerrors++;
		}
}

void
run_dicts_catch_up(RunDicts *dicts)
{
	MemoryContext old;
	uint32		count[PROGRAM_MAX_COLUMNS];

	if (dicts == NULL || dicts->ntests == 0)
		return;
	old = MemoryContextSwitchTo(dicts->context);
	for (int c = 0; c < dicts->ncolumns; c++)
	{
		if (dicts->column[c] == NULL)
			continue;
		dict_refresh(dicts->column[c]);
		count[c] = dict_count(dicts->column[c]);
	}
	for (int t = 0; t < dicts->ntests; t++)
		judge_new(dicts, &dicts->test[t]);
	for (int c = 0; c < dicts->ncolumns; c++)
		if (dicts->column[c] != NULL)
			__atomic_store_n(&dict_view_of(dicts->column[c])->nknown, count[c], __ATOMIC_RELEASE);
	MemoryContextSwitchTo(old);
}

bool
run_dicts_outgrown(const RunDicts *dicts)
{
	if (dicts != NULL)
		for (int t = 0; t < dicts->ntests; t++)
			if (dicts->test[t].dict != NULL && dict_count(dicts->test[t].dict) > dicts->test[t].table[0])
				return true;
	return false;
}
