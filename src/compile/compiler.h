/*
 * compiler.h
 *		State of one compilation, shared by the files of this folder.
 *
 * A Compiler exists for one body of one program.  Operands name virtual
 * registers of its Emitter.  A function that returns false has set c->reason.
 */
#ifndef GPUDB_COMPILE_COMPILER_H
#define GPUDB_COMPILE_COMPILER_H

#include "postgres.h"

#include "compile/compile.h"
#include "compile/emit.h"
#include "compile/opmap.h"

#define REASON_EXPRESSION	"expression"
#define REASON_DATA_TYPE	"data_type"
#define REASON_COLLATION	"collation"
#define REASON_VOLATILE		"volatile_function"

typedef struct Operand
{
	OperandClass class;
	int			vreg;
	bool		nullable;
	bool		trimmed;		/* packed text without its trailing blanks (bpchar) */
	int16		scale;			/* decimals: scale of the integer in the register */
	int16		dscale;			/* decimals: display scale, -1 = in second_vreg */
	int			second_vreg;	/* register of the display scale or of an interval's bytes */
	Const	   *constant;		/* the constant that the operand is, NULL = none */
} Operand;

/* An expression that has been compiled, and the operand with its value. */
typedef struct Known
{
	Expr	   *expr;
	Operand		operand;
} Known;

/* A join table whose join the compiler has begun. */
typedef struct JoinedTable
{
	const JoinRequest *request;
	const JoinRows *rows;		/* NULL while planning */
	JoinUse    *use;
	int			row;			/* register of the lanes' rows; 0 = not available, -1 = not found yet */
	bool		optional;		/* rows may be NULL, as after a left join */
} JoinedTable;

typedef struct Compiler
{
	const CompileInput *input;
	const CompileRequest *request;
	CompileResult *result;
	Emitter		em;
	bool		wide;			/* the body being compiled */
	bool		narrow_fails;	/* a constant does not fit a narrow body */
	bool		decimals;		/* there are decimals: two bodies make sense */
	bool		wants_bytes;	/* load the bytes of intervals into second_vreg */
	bool		unpacked;		/* do not pack any text into a word */
	bool		packed_refused; /* the request failed because of packed text; it may compile with `unpacked` */
	int			mask;			/* register of the lanes for which errors count */
	int			ntables;
	JoinedTable table[PROGRAM_MAX_TABLES];
	int			lane;			/* register of the tablet's rows within loops over pairs; 0 = a lane is its own row */
	int			nloops;			/* open loops over pairs */
	int			joins_left;		/* number of joins after the current one */
	bool		closed;			/* leaky expressions must not act on hidden rows at this point */
	bool		offers_dicts;	/* some texts may be read as dictionary codes */
	Bitmapset  *texts;			/* columns that must be read as texts nevertheless, as compile_dict.c numbers them */
	List	   *equal;			/* pairs (lists of two): a Var of a table without rows any more, a Var equal to it */
	List	   *known;			/* list of Known: computed for all selected lanes */
	List	   *case_values;	/* list of Operand: values of CaseTestExpr, innermost first */
	const char *reason;			/* reason code of the failure, NULL = none */
	bool		too_large;		/* the reason is a limit of programs */
} Compiler;

/* Record why the expression cannot run, unless a reason is recorded already.  Always returns false. */
extern bool refuse(Compiler *c, const char *reason);

/*
 * Return the comparison that a function computes over the given arguments, or
 * NULL with c->reason set if it is none or its order is not known.
 */
extern const FunctionMap *comparison_of(Compiler *c, Oid function, List *args);

/*
 * Resolve a Var: replace a reference to the scan's target list by the expression
 * there, and a column that is not available any more by its equal in c->equal.
 */
extern Expr *scan_expr(const Compiler *c, Expr *expr);

/*
 * Describe a column without loading it into a register: its class, scale and
 * form in *out, and the use of it in *use.  Returns false with c->reason set.
 */
extern bool describe_column(Compiler *c, const Expr *expr, Operand *out, ColumnUse *use);

/* Return the index of the tablet column for a use of an attribute, added on first use. */
extern int	use_column(Compiler *c, const ColumnUse *use);

/* Compile an expression; false with c->reason set when it cannot run. */
extern bool compile_expr(Compiler *c, Expr *expr, Operand *out);

/* Compile a function of PostgreSQL over compiled arguments. */
extern bool compile_function(Compiler *c, const FunctionMap *map, List *args, Operand *out);

/* Compare two operands; collation is the operator's input collation. */
extern bool compile_comparison(Compiler *c, const FunctionMap *map, Oid collation,
							   Operand *a, Operand *b, Operand *out);

/* Return true unless the type is bit(n) with a length that is not declared, or does not fit an integer. */
extern bool bits_fit(Oid type, int32 typmod);

/* Set the class of a type that is not a domain, and whether its text is packed.  False with c->reason set. */
extern bool class_of_type(Compiler *c, Oid type, int32 typmod, Operand *out);

/* Compile an expression that has one value for all rows (is_run_constant()). */
extern bool compile_run_constant(Compiler *c, Expr *expr, Operand *out);

/* Compile a constant.  Replaces a domain in constant->consttype by its base type. */
extern bool compile_const(Compiler *c, Const *constant, Operand *out);

/* Return true if an expression has one value for all rows, which is not known before execution. */
extern bool is_run_constant(Expr *expr);

/*
 * Return the value that a run-time constant has in this execution, or while
 * planning a NULL of its type.  Returns NULL with c->reason set if computing
 * the value raises an error.
 */
extern Const *run_constant(Compiler *c, Expr *expr);

/* Return the bytes of a text or name that is not NULL, and store their number. */
extern const char *text_of_const(const Const *constant, int *length);

/* Copy the bytes of a text constant into the program and return a reference to them. */
extern uint64 pool_text_const(Compiler *c, const Const *constant);

/* Return the value that a 64-bit register has for a constant that is not NULL. */
extern int64 int_of_const(const Const *constant);

/* Return true if the values of an enum sort as their OIDs do. */
extern bool enum_in_oid_order(Oid type);

/* Set c->closed for the request's qual of this index; -1 = for everything after the quals. */
extern void begin_qual(Compiler *c, int number);

/* Return true if an expression is leaky and must not act on hidden rows at this point. */
extern bool is_closed(const Compiler *c, Expr *expr);

/* Emit a filter by a condition.  `closed`: tablets must not be skipped because of it. */
extern void emit_filter(Compiler *c, int condition, bool closed);

/* Conditionals and tests: compile_logic.c. */
extern bool compile_bool_expr(Compiler *c, BoolExpr *expr, Operand *out);
extern bool compile_case(Compiler *c, CaseExpr *expr, Operand *out);
extern bool compile_coalesce(Compiler *c, CoalesceExpr *expr, Operand *out);
extern bool compile_null_test(Compiler *c, NullTest *expr, Operand *out);
extern bool compile_boolean_test(Compiler *c, BooleanTest *expr, Operand *out);
extern bool compile_distinct(Compiler *c, DistinctExpr *expr, Operand *out);
extern bool compile_nullif(Compiler *c, NullIfExpr *expr, Operand *out);
extern bool compile_min_max(Compiler *c, MinMaxExpr *expr, Operand *out);

/* Constant arrays: compile_set.c. */
extern bool compile_array_op(Compiler *c, ScalarArrayOpExpr *expr, Operand *out);

/* Return the register kind of a class in the body being compiled. */
extern OperandKind kind_of(const Compiler *c, OperandClass class);

/* Decimals: compile_decimal.c. */
extern void align_scales(Compiler *c, Operand *a, Operand *b);
extern Operand decimal_at_scale(Compiler *c, const Operand *a, int scale);
extern Operand decimal_of_int(Compiler *c, const Operand *a);
extern bool compile_decimal_function(Compiler *c, const FunctionMap *map, Operand *arg, int nargs, Operand *out);

/* Return the register with the display scale of a decimal. */
extern int	dscale_vreg(Compiler *c, const Operand *a);

/* Text: compile_text.c. */
extern bool refuse_packed(Compiler *c);
extern bool unify_text(Compiler *c, bool bpchar, Operand *a, Operand *b);
extern bool compile_like(Compiler *c, FunctionAction action, const Operand *a, const Operand *pattern, Operand *out);
extern bool compile_length(Compiler *c, const Operand *a, bool bpchar, Operand *out);
extern bool compile_octets(Compiler *c, const Operand *a, Operand *out);
extern bool compile_text_part(Compiler *c, FunctionAction action, const Operand *arg, int nargs, Operand *out);

/* Dictionary codes: compile_dict.c. */

/* Set offers_dicts, and add to c->texts the columns of which the request needs more than dictionary codes. */
extern void find_texts(Compiler *c);

/* Return true if the program reads a column as dictionary codes. */
extern bool is_coded(Compiler *c, const Var *var);

/* Return the column whose dictionary code a compiled expression is; attno is 0 if it is not a code. */
extern DictSource dict_source(Compiler *c, const Operand *operand, Expr *expr);

/*
 * dict_test_subject() returns the coded column that an expression is a condition
 * on, provided that PostgreSQL can evaluate the condition once per dictionary
 * value, else NULL.  compile_dict_test() compiles the condition.
 */
extern const Var *dict_test_subject(Compiler *c, Expr *expr);
extern bool compile_dict_test(Compiler *c, Expr *expr, const Var *var, Operand *out);

/* Dates: compile_date.c. */
extern bool compile_date_add(Compiler *c, bool subtract, const Operand *day, const Operand *days, Operand *out);
extern bool compile_date_field(Compiler *c, Oid type, bool numeric, const Operand *name, const Operand *a, Operand *out);

/* Small helpers over the emitter. */
extern int	int_constant(Compiler *c, int64 value);
extern Operand int_operand(int vreg, bool nullable);
extern Operand bool_operand(int vreg, bool nullable);
extern int	widened(Compiler *c, const Operand *a);
extern int	null_test(Compiler *c, const Operand *a);

/* Joins: compile_join.c. */

/* Compile the joins of the request, in their order. */
extern bool compile_joins(Compiler *c, const CompileRequest *request);

/* Return the number, from 1 on, of an expression among the columns of a join's table; 0 if it is not among them. */
extern AttrNumber column_of_join(const Compiler *c, const JoinRequest *request, const Expr *expr);

/*
 * Return the number, from 1 on, of the available join table that has an
 * expression as a column, and store the column's number, from 1 on, in *column.
 * Returns 0 if there is none.
 */
extern int	table_of_column(const Compiler *c, const Expr *expr, AttrNumber *column);

/* Emit the fetch of a join table's column and return its register. */
extern int	fetch_column(Compiler *c, int table, OperandKind kind, const ColumnUse *use);

/* Return the index of a use of a join table's column, added on first use. */
extern int	use_table_column(Compiler *c, JoinUse *join, const ColumnUse *use);

/* Return the dictionary of a join table's coded column, NULL until the table is built. */
extern const DictView *dict_of_column(const Compiler *c, int table, AttrNumber column);

/* Emit the fetch of a tablet's column within a loop over pairs and return its register. */
extern int	fetch_of_lane(Compiler *c, OperandKind kind, int column);

/* End all open loops over pairs. */
extern void end_loops(Compiler *c);

/* Emit the instructions that output the rows that passed: compile_output.c. */
extern void emit_rows(Compiler *c);

/* Add the request's outputs to shape and c->result; c->result->gives_rows is false if they cannot all be outputs. */
extern void compile_outputs(Compiler *c, const CompileRequest *request, Program *shape);

/* Compile keys and aggregates: compile_agg.c. */
extern bool compile_keys_and_aggregates(Compiler *c, const CompileRequest *request, Program *shape);

/* Describe how an attribute of returned rows is made: from outputs, which are added to shape, or a table's columns. */
extern void describe_output(Compiler *c, const Var *var, Program *shape, OutputResult *attribute);

/* Compile the materialization of rows for a join table, and states that describe the columns: compile_materialized.c. */
extern bool compile_materialized_rows(Compiler *c, const CompileRequest *request, Program *shape);

/* Compile the materialization of rows that are returned later; fills c->result->attribute. */
extern bool compile_materialized_outputs(Compiler *c, const CompileRequest *request, Program *shape);

#endif							/* GPUDB_COMPILE_COMPILER_H */
