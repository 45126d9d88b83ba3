/*
 * run_codes.c
 *		The dictionary codes of one run.
 *
 * A condition on a column of dictionary codes is evaluated ("judged") by
 * PostgreSQL's own executor, once for each value of the dictionary, and the
 * program looks up the result.  The dictionary may have values that no row of
 * the snapshot has, or that another filter leaves out, so an error is not
 * raised: it is recorded, and ends the run only if a row has the value.
 *
 * Threads see no code that has not been judged: a code becomes known
 * (CodeBook.nknown) after its result has been stored in the program's tables.
 */
#include "postgres.h"

#include "access/sysattr.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "exec/subtransaction.h"
#include "exec/run_codes.h"
#include "guc.h"
#include "pg_compat.h"
#include "tablet/codes.h"
#include "tablet/validity.h"

/* Number of errors of one condition after which PostgreSQL is not asked any more. */
#define MOST_ERRORS		100

/* A condition, and the number of dictionary values for which it has been evaluated. */
typedef struct Test
{
	Codes	   *codes;			/* NULL if the codes are a join table's */
	const CodeBook *book;		/* dictionary of the codes; does not grow if it is a join table's */
	uint64	   *table;			/* results by code, in the program */
	ExprState  *condition;
	uint32		njudged;
	int			nerrors;
} Test;

struct RunCodes
{
	MemoryContext context;
	ExprContext *econtext;
	int			ncolumns;
	Codes	   *column[PROGRAM_MAX_COLUMNS];	/* codes by column; NULL if it has none */
	int			ntests;
	Test	   *test;
};

uint32 *
run_codes_offer(Relation relation, Snapshot snapshot, Bitmapset *attributes, CodeRoom room)
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

		if (att == NULL || !codes_suit_type(att->atttypid))
			continue;
		/* tested as late as this, since most queries have no texts */
		if (offer == NULL && (snapshot == NULL || !validity_provable(relation)))
			return NULL;
		if (!codes_likely(relation, (AttrNumber) attno))
			continue;
		if (offer == NULL)
			offer = palloc0(sizeof(uint32) * (RelationGetNumberOfAttributes(relation) + 1));
		offer[attno] = room == ROOM_FOR_ONE ? 1 : DICTIONARY_MOST_VALUES;
		if (room == ROOM_FOR_PRESENT)
		{
			const uint32 n = codes_count_of(relation, (AttrNumber) attno, &number);

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
pin_columns(RunCodes *codes, Relation relation, const CompileResult *compiled, ColumnWanted *wanted, CodeSource *without)
{
	for (int c = 0; c < compiled->ncolumns; c++)
	{
		if (!compiled->column[c].coded)
			continue;
		codes->column[c] = wanted[c].codes = codes_pin(relation, compiled->column[c].attno);
		if (wanted[c].codes == NULL)
		{
			without->attno = compiled->column[c].attno;
			return false;
		}
	}
	return true;
}

/* Return the codes of an attribute that the program reads as codes; raises an error if it has none. */
static Codes *
codes_of(const RunCodes *codes, const CompileResult *compiled, AttrNumber attno)
{
	for (int c = 0; c < compiled->ncolumns; c++)
		if (compiled->column[c].attno == attno && codes->column[c] != NULL)
			return codes->column[c];
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
open_tests(RunCodes *codes, const CompileResult *compiled, CodeSource *without)
{
	ListCell   *lc;

	if (compiled->code_tests == NIL)
		return true;
	codes->econtext = CreateStandaloneExprContext();
	codes->test = palloc0(sizeof(Test) * list_length(compiled->code_tests));
	foreach(lc, compiled->code_tests)
	{
		const CodeTest *from = lfirst(lc);
		Test	   *test = &codes->test[codes->ntests++];

		test->codes = from->codes.join == 0 ? codes_of(codes, compiled, from->codes.attno) : NULL;
		test->book = test->codes != NULL ? codes_book(test->codes) : from->codes.book;
		test->table = (uint64 *) program_words(compiled->program) + from->table;
		test->condition = ExecInitExpr(from->condition, NULL);
		if (!can_run_in_subtransaction() || !is_null_of_null(test->condition, codes->econtext))
		{
			*without = from->codes;
			return false;
		}
	}
	return true;
}

/* Store the dictionary of a source of codes if it is an attribute of the relation. */
static void
set_book(const RunCodes *codes, const CompileResult *compiled, CodeSource *source)
{
	if (source->attno != 0 && source->join == 0)
		source->book = codes_book(codes_of(codes, compiled, source->attno));
}

RunCodes *
run_codes_open(Relation relation, CompileResult *compiled, ColumnWanted *wanted, CodeSource *without)
{
	RunCodes   *codes;

	*without = (CodeSource) {0};
	if (!columns_are_coded(wanted, compiled->ncolumns) && compiled->code_tests == NIL)
		return NULL;
	codes = palloc0(sizeof(RunCodes));
	codes->context = CurrentMemoryContext;
	codes->ncolumns = compiled->ncolumns;
	if (!pin_columns(codes, relation, compiled, wanted, without))
		return NULL;
	for (int k = 0; k < compiled->nkeys; k++)
		set_book(codes, compiled, &compiled->key[k].codes);
	for (int k = 0; k < compiled->nmaterialized; k++)
		set_book(codes, compiled, &compiled->materialized[k].codes);
	for (int a = 0; a < compiled->nattributes; a++)
		if (compiled->attribute[a].coded && compiled->attribute[a].attno != 0)
			compiled->attribute[a].book = codes_book(codes_of(codes, compiled, compiled->attribute[a].attno));
	return open_tests(codes, compiled, without) ? codes : NULL;
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
judge_new(RunCodes *codes, Test *test)
{
	const Dictionary *dictionary = test->book->dictionary;
	Judging		judging = {codes->econtext, test, dictionary, Min(dictionary_count(dictionary), (uint32) test->table[0])};

	while (test->njudged < judging.end && test->nerrors < MOST_ERRORS && can_run_in_subtransaction())
		if (!run_in_subtransaction(judge_work, &judging))
		{
			/* a value that raises an error is skipped */
			code_table_note(test->table, test->njudged++, CODE_NEITHER);
			test->nerrors++;
		}
}

void
run_codes_catch_up(RunCodes *codes)
{
	MemoryContext old;
	uint32		count[PROGRAM_MAX_COLUMNS];

	if (codes == NULL || codes->ntests == 0)
		return;
	old = MemoryContextSwitchTo(codes->context);
	for (int c = 0; c < codes->ncolumns; c++)
	{
		if (codes->column[c] == NULL)
			continue;
		codes_refresh(codes->column[c]);
		count[c] = codes_count(codes->column[c]);
	}
	for (int t = 0; t < codes->ntests; t++)
		judge_new(codes, &codes->test[t]);
	for (int c = 0; c < codes->ncolumns; c++)
		if (codes->column[c] != NULL)
			__atomic_store_n(&codes_book(codes->column[c])->nknown, count[c], __ATOMIC_RELEASE);
	MemoryContextSwitchTo(old);
}

bool
run_codes_outgrown(const RunCodes *codes)
{
	if (codes != NULL)
		for (int t = 0; t < codes->ntests; t++)
			if (codes->test[t].codes != NULL && codes_count(codes->test[t].codes) > codes->test[t].table[0])
				return true;
	return false;
}
