/*
 * compile.h
 *		From PostgreSQL's expressions to a program.
 *
 * The planner asks whether something can run (compile_check) and the executor
 * compiles it (compile_program) by one and the same walk, so the two cannot
 * disagree.  Compiling at executor start means that parameters have values
 * and Vars their final numbers.
 */
#ifndef GPUDB_COMPILE_COMPILE_H
#define GPUDB_COMPILE_COMPILE_H

#include "postgres.h"

#include "access/tupdesc.h"
#include "nodes/bitmapset.h"
#include "nodes/nodes.h"
#include "nodes/pg_list.h"
#include "nodes/primnodes.h"
#include "utils/array.h"

#include "core/dictionary.h"
#include "core/join_table.h"
#include "core/op_select.h"
#include "core/program.h"

/* Scale assumed for numerics without a declared one, until data says more. */
#define SCALE_FIRST_GUESS 0

/*
 * Value of an expression without Vars at this execution; NULL when computing
 * it raises an error, which only PostgreSQL may do, and where it would.
 */
typedef Const *(*ValueLookup) (void *arg, Expr *expr);

/* Where expressions are to be computed. */
typedef struct CompileInput
{
	Index		varno;			/* the base relation */
	Bitmapset  *notnull;		/* its attribute numbers that are NOT NULL */
	List	   *scan_tlist;		/* what INDEX_VARs stand for, NIL if none */
	ValueLookup value;			/* NULL while planning */
	void	   *value_arg;
	Oid			relation;		/* whose statistics tell how long texts are; none = short */
	bool		whole_texts;	/* some key or extreme does not fit TEXT_WIDE_MAX bytes */
	const int16 *scales;		/* by attribute number: numerics without declared scale; NULL = first guess */
	const uint32 *codes;		/* by attribute number: texts that may be read as codes of so many values; NULL = none */
	const JoinRows *tables;		/* of the request's joins; NULL while there are none */
	const struct JoinBooks *books;	/* of these */
	bool		draft;			/* planning: the body for wide values is left out where it could not fail for want of room */
} CompileInput;

/* A join with rows that stand in a table. */
typedef struct JoinRequest
{
	JoinType	type;			/* INNER, LEFT, SEMI or ANTI: of what comes before with the table's rows; FULL runs as LEFT */
	bool		not_in;			/* ANTI by x NOT IN (SELECT ...), where NULLs matter: x stands on the left of each condition */
	List	   *columns;		/* that rows of the table have: Vars, and expressions over them, which are strict */
	List	   *conditions;		/* for two rows to be joined */
	List	   *filters;		/* for what has been joined to stay */
	bool		unique;			/* rows are told apart by their keys: what the planner has found, until there is a table */
	bool		few;			/* rows will be found for so few that it pays to put these side by side */
	const int16 *scales;		/* of these columns, by number: numerics without declared scale; NULL = first guess */
	const Bitmapset *codes;		/* those that may be had as codes, by number */
} JoinRequest;

/* How the next run comes closer to a value that is selected by its rank. */
typedef struct SelectStep
{
	bool		found;			/* not at all: the value is range.least */
	bool		collects;		/* by the values themselves, since they are few, */
	bool		seeks;			/* or a device may seek it among these, */
	int			most;			/* without a sample if there are no more rows */
	SelectRange range;			/* where it counts, or collects */
} SelectStep;

/* What to compute: filters, then joins, then either rows or keys and aggregates. */
typedef struct CompileRequest
{
	List	   *quals;
	List	   *joins;			/* of JoinRequest */
	bool		give_rows;		/* with values, if all of `outputs` can be had; else their numbers do */
	List	   *outputs;		/* Vars */
	bool		give_texts;		/* texts of any length are among the values of a scan's rows: who takes these copies the bytes */
	const struct JoinUse *keep; /* columns of `outputs`, by their number, that are kept for a table; with aggregate, and neither keys nor aggs */
	bool		keep_rows;		/* all of `outputs` are kept, to be fetched; likewise */
	bool		aggregate;
	List	   *keys;			/* expressions */
	List	   *aggs;			/* Aggrefs */
	const SelectStep *steps;	/* to the values that these select, by number; NULL = the first ones */
	bool		secret;			/* rows are hidden from the user: what is leaky shall not go by them, */
	int			nopen;			/* but for so many of the first quals, among which those are that hide them */
} CompileRequest;

/* A column that the program reads. */
typedef struct ColumnUse
{
	AttrNumber	attno;			/* of a join's table, the number of its column, from 1 on */
	Oid			type;			/* of a domain, what it is over */
	int32		typmod;
	bool		second;			/* display scale of a numeric, bytes of an interval, instead of its value */
	bool		packed;			/* text in one word */
	bool		coded;			/* text by its code */
	int16		scale;			/* numerics */
} ColumnUse;

/* Columns of a join's table at most. */
#define JOIN_MAX_COLUMNS 64

/* Where a condition bounds a column. */
typedef enum JoinEnd
{
	JOIN_LOWER,
	JOIN_UPPER
} JoinEnd;

/* What a program wants of a join's table; and what another keeps for it. */
typedef struct JoinUse
{
	bool		some;			/* of the rows of a key any one is enough */
	bool		sorted;			/* by the key, which is one column that conditions bound: */
	int			bound[2];		/* their numbers, by JoinEnd; -1 = none does there */
	int			nkeys;
	JoinKey		key[JOIN_MAX_PARTS];
	int			ncolumns;
	ColumnUse	column[JOIN_MAX_COLUMNS];
} JoinUse;

/* The dictionaries of a table's columns that are codes, by their place in JoinUse. */
typedef struct JoinBooks
{
	const CodeBook *column[JOIN_MAX_COLUMNS];
} JoinBooks;

/* Whose codes are read in the place of texts. */
typedef struct CodeSource
{
	AttrNumber	attno;			/* of the relation that is read, or a number among the columns of a join's table; 0 = there are none */
	int16		join;			/* whose table it is, from 1 on; 0 = the relation */
	const CodeBook *book;		/* of a relation, the executor's to say */
} CodeSource;

/* How a key becomes a Datum again. */
typedef struct KeyResult
{
	Oid			type;
	int32		typmod;
	uint8		packed;			/* bytes of a text that an integer holds, 0 = it is a text */
	CodeSource	codes;			/* whose code it is */
	int16		scale;			/* numerics */
	int16		dscale;			/* -1: states say */
	int16		dscale_min;		/* state numbers of least and largest display scale */
	int16		dscale_max;
} KeyResult;

/* How an attribute of a row that passed is made of outputs, or of columns of a join's table, or of columns that are kept. */
typedef struct OutputResult
{
	AttrNumber	attno;			/* of the relation that is read, 0 = it is a table's */
	int16		table;			/* whose columns `value` and `second` then are; 0 = they are outputs, or kept */
	Oid			type;
	int32		typmod;
	uint8		packed;			/* bytes of a text that an integer holds, 0 = it is none */
	bool		coded;			/* it is the text's code */
	const CodeBook *book;		/* of that, the executor's to say */
	int16		scale;			/* numerics */
	int16		dscale;			/* -1: `second` says */
	int16		value;			/* numbers of outputs, -1 = none */
	int16		second;
} OutputResult;

/* How an aggregate's states become its value. */
typedef struct AggResult
{
	uint8		action;			/* AggAction */
	Oid			argtype;
	uint8		packed;			/* as of a key */
	int32		typmod;			/* of the argument */
	int16		value;			/* state numbers, -1 = none */
	int16		count;
	int16		other;			/* min and max of floats: count of -0; variances: sum of squares */
	int16		scale;			/* numerics */
	int16		dscale;			/* -1: state dscale_max says */
	int16		dscale_max;
	int16		select;			/* percentiles: number of the first value that is selected */
	int8		nselects;		/* of each fraction */
	bool		descending;		/* and of what order */
	int			nfractions;
	const double *fraction;		/* 0 where there is a NULL */
	const bool *fraction_null;
	const ArrayType *fractions;	/* that they stood in, which the result is shaped like; NULL: there is one, and no array */
	Oid			element;		/* type of the result's elements */
} AggResult;

/* A value that an aggregate selects by its rank: state numbers. */
typedef struct SelectResult
{
	int16		agg;			/* whose it is */
	SelectStep	step;
	int16		column;			/* whose values are selected from, as they are; -1 = it is none */
	bool		plain;			/* from those that a column has in all rows */
	int16		state;			/* of the bins, or of values; -1 = it is found, or its turn comes later */
	int16		least;			/* of the first round, -1 of others */
	int16		largest;
} SelectResult;

/* What the states tell of a column of rows that are kept. */
typedef struct KeptColumn
{
	int16		count;			/* state numbers: of those that are not NULL, */
	int16		least;			/* and of integers, -1 = it is none */
	int16		largest;
	CodeSource	codes;			/* whose codes they are */
} KeptColumn;

/* A condition on a column's texts: which of them meet it is for PostgreSQL to say, and to be written into a table of the program. */
typedef struct CodeTest
{
	CodeSource	codes;
	Expr	   *condition;		/* on the text, which stands there as a CaseTestExpr */
	int			table;			/* first of its words among the program's: core/code_table.h */
} CodeTest;

typedef struct CompileResult
{
	const char *reason;			/* NULL, or the reason code why it cannot run */
	bool		too_large;		/* it is that no program has room for so much: fewer aggregates could be */
	Program    *program;		/* palloc'd; NULL after a check */
	int			ncolumns;
	ColumnUse	column[PROGRAM_MAX_COLUMNS];
	bool		gives_rows;		/* with all that is wanted of them: nobody needs their heap tuples */
	bool		gives_texts;	/* these have texts of any length, of which the bytes stay in the tablet */
	int			nattributes;
	OutputResult attribute[PROGRAM_MAX_OUTPUTS];
	Oid			not_kept;		/* the type of an output that cannot be kept; none = there is none */
	int16		row_kept[PROGRAM_MAX_TABLES];	/* of each table, the column that is kept with the numbers of its rows, from 1 on; 0 = none */
	int			nkeys;
	KeyResult	key[PROGRAM_MAX_KEYS];
	int			naggs;
	AggResult  *agg;
	int			nselects;
	SelectResult *select;
	const SelectStep *steps;	/* of the request */
	int			rounds;			/* of passes that find them, as a guess; 0 = there are none */
	int			nkept;
	int			kept_count;		/* of rows that are kept: the state that counts them */
	KeptColumn	kept[PROGRAM_MAX_KEPT];
	int			njoins;
	JoinUse    *join;			/* of each */
	List	   *code_tests;		/* of CodeTest */
	double		op_cost;		/* of the instructions on a row, in nanoseconds as opcodes.def counts them */
	double		fetch_cost;		/* of values stored out of line, in nanoseconds a row; the caller's */
} CompileResult;

/*
 * Compile, leaving result->reason NULL and result->program set; or say why
 * not.  Everything is allocated in the current memory context.
 */
extern void compile_program(const CompileInput *input, const CompileRequest *request, CompileResult *result);

/* The same without keeping a program; parameters need no values. */
extern bool compile_check(const CompileInput *input, const CompileRequest *request, CompileResult *result);

/* The Vars that a target list and filters left to PostgreSQL want of a row, each once: outputs, for CompileRequest. */
extern List *compile_wanted(Node *tlist, Node *quals);

/* Loops of a program's joins, one inside the other; one more is kept for finding out whether rows meet conditions. */
#define COMPILE_MOST_LOOPS	(PROGRAM_MAX_LOOPS - 1)

/* Whether what follows a join runs in a loop of it, in each program, as it does where rows are not told apart by their keys. */
extern bool compile_join_loops(const JoinRequest *request);

/* Whether a condition can raise no error, so that it may be tested where PostgreSQL might not have tested it. */
extern bool compile_cannot_fail(Node *expr);

/* The fractions of a percentile, whose direct argument they are; false if they are not known, too many, or PostgreSQL's error. */
extern bool compile_fractions(const Aggref *agg, AggResult *result);

/* Whether an ordered-set aggregate's values are in the order of their type, and which way round. */
extern bool compile_set_order(const Aggref *agg, bool *descending);

/* The attributes declared NOT NULL, for CompileInput. */
extern Bitmapset *compile_not_null(TupleDesc desc);

#endif							/* GPUDB_COMPILE_COMPILE_H */
