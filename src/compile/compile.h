/*
 * compile.h
 *		Compilation of PostgreSQL's expressions into a program of the tile VM.
 *
 * The planner checks whether a request can run (compile_check) and the executor
 * compiles it (compile_program) by the same walk over expressions, so the two
 * cannot disagree.  Compiling when the executor needs the first tuple means that
 * parameters have values and Vars their final numbers.
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

#include "core/join/join_table.h"
#include "core/tablet/dictionary.h"
#include "core/vm/op_select.h"
#include "core/vm/program.h"

/* Scale assumed for numerics without a declared scale, until a run meets values with more digits. */
#define SCALE_FIRST_GUESS 0

/*
 * Callback that returns the value of an expression without Vars in this
 * execution.  NULL if computing it raises an error: only PostgreSQL's executor
 * may raise that error, at the place where it would.
 */
typedef Const *(*ValueLookup) (void *arg, Expr *expr);

/* Relation, tables and column properties over which expressions are compiled. */
typedef struct CompileInput
{
	Index		varno;			/* range table index of the base relation */
	Bitmapset  *notnull;		/* NOT NULL attribute numbers of the base relation */
	List	   *scan_tlist;		/* target list that INDEX_VARs refer to, NIL if none */
	ValueLookup value;			/* callback for run-time constants, NULL while planning */
	void	   *value_arg;
	Oid			relation;		/* relation with statistics on text lengths; InvalidOid = assume short texts */
	bool		whole_texts;	/* some key or extreme does not fit TEXT_WIDE_MAX bytes */
	const int16 *scales;		/* by attribute number: scale of numerics without declared one; NULL = first guess */
	/* By attribute number: dictionary codes to provide for if a text may be read as codes, else 0.  NULL = none may. */
	const uint32 *dict_sizes;
	const JoinRows *tables;		/* join tables of the request, by index of the join; NULL until they are built */
	const struct JoinDicts *dicts;	/* dictionaries of the join tables, by index of the join */
	bool		draft;			/* planning: omit the wide body where it cannot exceed a program's limits */
} CompileInput;

/* A join with the rows of a join table. */
typedef struct JoinRequest
{
	JoinType	type;			/* INNER, LEFT, SEMI or ANTI, outer rows on the left; FULL runs as LEFT */
	bool		not_in;			/* ANTI by x NOT IN (SELECT ...), where NULLs matter; x is each condition's left side */
	List	   *columns;		/* columns of the table's rows: Vars, and strict expressions over them */
	List	   *conditions;		/* join conditions */
	List	   *filters;		/* filters on the joined rows */
	bool		unique;			/* keys are unique, by the planner's knowledge; used until the table is built */
	bool		few;			/* so few rows find a match that compacting the matching lanes pays */
	const int16 *scales;		/* by column index: scale of numerics without declared one; NULL = first guess */
	const Bitmapset *dict_columns; /* column numbers, from 1 on, that may be read as dictionary codes */
} JoinRequest;

/* State of one quantile selection by histogram refinement: what the next run of the program is to do. */
typedef struct SelectStep
{
	bool		found;			/* the selection is done: the value is range.least */
	bool		collects;		/* the run collects the values in the range, since they are few; else it counts bins */
	bool		seeks;			/* a device may seek the percentile itself (SelectSeek) */
	int			most;			/* number of rows up to which a seeking device takes no sample */
	SelectRange range;			/* range of values that the run counts or collects */
} SelectStep;

/* Work of a program: filters, then joins, then either rows to return or keys and aggregates. */
typedef struct CompileRequest
{
	List	   *quals;
	List	   *joins;			/* list of JoinRequest */
	bool		give_rows;		/* return values of rows if all of `outputs` can be computed, else row numbers */
	bool		no_tuples;		/* the caller has no heap tuples to return: refuse if outputs cannot all be computed */
	List	   *outputs;		/* Vars of the rows that are returned or materialized */
	bool		give_texts;		/* a scan may return texts of any length, whose bytes the caller copies */
	/* Columns of `outputs`, by number, to materialize for a join table; set with aggregate, without keys and aggs. */
	const struct JoinUse *keep;
	bool		keep_rows;		/* materialize all of `outputs` for a later fetch; set like `keep` */
	bool		aggregate;
	List	   *keys;			/* expressions */
	List	   *aggs;			/* Aggrefs */
	const SelectStep *steps;	/* state of each quantile selection, by number; NULL before the first run */
	bool		secret;			/* rows are hidden from the user: leaky expressions must not act on hidden rows */
	int			nopen;			/* secret: number of leading quals, security quals included, that may see all rows */
} CompileRequest;

/* A column that the program reads. */
typedef struct ColumnUse
{
	AttrNumber	attno;			/* attribute number, or number of a join table's column, from 1 on */
	Oid			type;			/* base type, if the column's type is a domain */
	int32		typmod;
	bool		second;			/* display scale of a numeric, or bytes of an interval, instead of its value */
	bool		packed;			/* text packed into one word */
	bool		coded;			/* text as its dictionary code */
	int16		scale;			/* numerics: scale of the stored integers */
} ColumnUse;

/* Largest number of columns of a join table. */
#define JOIN_MAX_COLUMNS 64

/* End at which a condition bounds a column. */
typedef enum JoinEnd
{
	JOIN_LOWER,
	JOIN_UPPER
} JoinEnd;

/* Keys and columns that a program requires of a join table, and that another program materializes to build it. */
typedef struct JoinUse
{
	bool		some;			/* any one of the rows of a key suffices */
	bool		sorted;			/* rows are sorted by the key, a single column that conditions bound */
	int			bound[2];		/* sorted: index of the bounding condition, by JoinEnd; -1 = none */
	int			nkeys;
	JoinKey		key[JOIN_MAX_PARTS];
	int			ncolumns;
	ColumnUse	column[JOIN_MAX_COLUMNS];
} JoinUse;

/* Dictionaries of a join table's columns that hold dictionary codes, by index in JoinUse.column. */
typedef struct JoinDicts
{
	const DictView *column[JOIN_MAX_COLUMNS];
} JoinDicts;

/* Column whose dictionary codes are read in place of its texts. */
typedef struct DictSource
{
	AttrNumber	attno;			/* attribute number, or number of a join table's column, from 1 on; 0 = no codes */
	int16		join;			/* number of the join with the table, from 1 on; 0 = the relation that is read */
	const DictView *view;		/* dictionary; set by the executor for a column of the relation */
} DictSource;

/* Recipe for converting a group key back into a Datum. */
typedef struct KeyResult
{
	Oid			type;
	int32		typmod;
	uint8		packed;			/* bytes of a text that an integer holds, 0 = not packed */
	DictSource	dict;			/* column whose dictionary code the key is */
	int16		scale;			/* numerics: scale of the stored integer */
	int16		dscale;			/* display scale; -1 = in the states below */
	int16		dscale_min;		/* number of the state with the least display scale, -1 = none */
	int16		dscale_max;		/* number of the state with the largest display scale, -1 = none */
} KeyResult;

/* Recipe for an attribute of a returned row: from outputs, columns of a join table, or materialized columns. */
typedef struct OutputResult
{
	AttrNumber	attno;			/* attribute number in the relation that is read, 0 = column of a join table */
	int16		table;			/* join with columns `value` and `second`, from 1 on; 0 = outputs or materialized */
	Oid			type;
	int32		typmod;
	uint8		packed;			/* bytes of a text that an integer holds, 0 = not packed */
	bool		coded;			/* the value is the text's dictionary code */
	const DictView *view;		/* coded: dictionary; set by the executor for a column of the relation */
	int16		scale;			/* numerics: scale of the stored integer */
	int16		dscale;			/* display scale; -1 = in column `second` */
	int16		value;			/* index of the output or column with the value, -1 = none */
	int16		second;			/* index of the output or column with display scale or interval bytes, -1 = none */
} OutputResult;

/* Recipe for computing an aggregate's value from its states. */
typedef struct AggResult
{
	uint8		action;			/* AggAction */
	Oid			argtype;		/* base type of the argument */
	uint8		packed;			/* bytes of a text that an integer holds, 0 = not packed */
	int32		typmod;			/* typmod of the argument */
	int16		value;			/* number of the state with the value, -1 = none */
	int16		count;			/* number of the state that counts values, or rows for count(*); -1 = none */
	int16		other;			/* state number: min and max of floats: count of -0; variances: sum of squares */
	int16		scale;			/* numerics: scale of the stored integers */
	int16		dscale;			/* display scale; -1 = in state dscale_max */
	int16		dscale_max;		/* number of the state with the largest display scale, -1 = none */
	int16		select;			/* percentiles: number of the first quantile selection */
	int8		nquantiles;		/* percentiles: quantile selections for each fraction */
	bool		descending;		/* percentiles: the order is descending */
	int			nfractions;
	const double *fraction;		/* by fraction; 0 where fraction_null is set */
	const bool *fraction_null;
	const ArrayType *fractions;	/* array of fractions, which gives the result its shape; NULL = a single fraction */
	Oid			element;		/* element type of the result array */
} AggResult;

/* A quantile selection of an aggregate, and the numbers of its states. */
typedef struct SelectResult
{
	int16		agg;			/* index of the aggregate */
	SelectStep	step;
	int16		column;			/* index of the integer column that is the argument, -1 = another expression */
	bool		plain;			/* the argument is a column of numbers, and all rows of the relation count */
	int16		state;			/* state with the bins or collected values; -1 = found, or postponed to a later run */
	int16		least;			/* state with the least value in the first run, -1 in later ones */
	int16		largest;		/* state with the largest value in the first run, -1 in later ones */
} SelectResult;

/* Numbers of the states that describe a column of materialized rows. */
typedef struct MaterializedColumn
{
	int16		count;			/* state that counts the values that are not NULL */
	int16		least;			/* integers: state with the least value, -1 = not an integer column */
	int16		largest;		/* integers: state with the largest value, -1 = not an integer column */
	DictSource	dict;			/* column whose dictionary codes the values are */
} MaterializedColumn;

/* Condition on a text column, which PostgreSQL evaluates once per dictionary value into a truth table. */
typedef struct DictTest
{
	DictSource	dict;
	Expr	   *condition;		/* condition with a CaseTestExpr in place of the text column */
	int			table;			/* index of the truth table's first word among the program's words: core/vm/code_table.h */
} DictTest;

typedef struct CompileResult
{
	const char *reason;			/* NULL, or the reason code why the request cannot run */
	bool		too_large;		/* the reason is a limit of programs: a request with fewer aggregates may compile */
	Program    *program;		/* palloc'd; NULL if reason is set */
	int			ncolumns;
	ColumnUse	column[PROGRAM_MAX_COLUMNS];
	bool		gives_rows;		/* outputs hold everything required of a row: heap tuples are not needed */
	bool		gives_texts;	/* outputs include texts of any length, whose bytes remain in the tablet */
	int			nattributes;
	OutputResult attribute[PROGRAM_MAX_OUTPUTS];
	Oid			not_materialized; /* type of an output that cannot be materialized, InvalidOid = none */
	/* By index of the join: number, from 1 on, of the materialized column with row numbers of its table, 0 = none. */
	int16		row_materialized[PROGRAM_MAX_TABLES];
	int			nkeys;
	KeyResult	key[PROGRAM_MAX_KEYS];
	int			naggs;
	AggResult  *agg;
	int			nquantiles;
	SelectResult *select;
	const SelectStep *steps;	/* steps of the request */
	int			rounds;			/* estimated runs until all quantile selections are done; 0 = there are none */
	int			nmaterialized;
	int			materialized_count; /* number of the state that counts the materialized rows */
	MaterializedColumn materialized[PROGRAM_MAX_MATERIALIZED];
	int			njoins;
	JoinUse    *join;			/* by index of the join */
	List	   *dict_tests;		/* list of DictTest */
	double		op_cost;		/* cost of the instructions per row, in nanoseconds as opcodes.def counts them */
	double		fetch_cost;		/* cost of fetching values stored out of line, in nanoseconds per row; set by callers */
} CompileResult;

/*
 * Compile a request.  On success result->reason is NULL and result->program is
 * set, else result->reason is the reason code.  Everything in the result is
 * allocated in the current memory context.
 */
extern void compile_program(const CompileInput *input, const CompileRequest *request, CompileResult *result);

/* Compile a request as compile_program() does, and return true on success.  Parameters need no values. */
extern bool compile_check(const CompileInput *input, const CompileRequest *request, CompileResult *result);

/*
 * Return the distinct Vars that a target list and the filters left to
 * PostgreSQL require of a row, for CompileRequest.outputs.
 */
extern List *compile_wanted(Node *tlist, Node *quals);

/* Largest depth of a program's join loops; one more level is reserved for a loop that only tests conditions. */
#define COMPILE_MOST_LOOPS	(PROGRAM_MAX_LOOPS - 1)

/* Return true if all that follows a join runs in a loop over its pairs in every program: its keys are not unique. */
extern bool compile_join_loops(const JoinRequest *request);

/* Return true if a condition cannot raise an error, so that it may be tested where PostgreSQL might not test it. */
extern bool compile_cannot_fail(Node *expr);

/*
 * Store the fractions of a percentile, its direct argument, in `result`.
 * Returns false if they are not constant, too many, or out of range, which is
 * PostgreSQL's error to raise.
 */
extern bool compile_fractions(const Aggref *agg, AggResult *result);

/* Return true if an ordered-set aggregate sorts by its type's default order, and store whether it is descending. */
extern bool compile_set_order(const Aggref *agg, bool *descending);

/* Return the numbers of the attributes declared NOT NULL, for CompileInput.notnull. */
extern Bitmapset *compile_not_null(TupleDesc desc);

#endif							/* GPUDB_COMPILE_COMPILE_H */
