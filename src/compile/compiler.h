/*
 * compiler.h
 *		The state of one compilation, shared by the files of this folder.
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
	int16		scale;			/* decimals */
	int16		dscale;			/* display scale, -1 = in second_vreg */
	int			second_vreg;
	Const	   *constant;		/* set when the operand is one */
} Operand;

/* An expression whose value is at hand. */
typedef struct Known
{
	Expr	   *expr;
	Operand		operand;
} Known;

/* A table of a join, as far as the program is. */
typedef struct JoinedTable
{
	const JoinRequest *request;
	const JoinRows *rows;		/* NULL while planning */
	JoinUse    *use;
	int			row;			/* register of its rows; 0 = they are not at hand */
	bool		optional;		/* which may be NULL */
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
	bool		wants_bytes;	/* intervals shall bring their bytes along */
	bool		unpacked;		/* keep all text whole */
	bool		packed_refused; /* packed text stood in the way */
	int			mask;			/* lanes for which errors count */
	int			ntables;
	JoinedTable table[PROGRAM_MAX_TABLES];
	int			lane;			/* register of the tablet's rows, 0 = those of the lanes; */
	int			nloops;			/* over pairs, which have not ended */
	int			joins_left;		/* that come after the one at hand */
	bool		closed;			/* hidden rows are none of its business, should the expression at hand be leaky */
	bool		offers_codes;	/* some texts may be read as codes; */
	Bitmapset  *texts;			/* columns that are not, though they may be, as compile_code.c numbers them */
	List	   *equal;			/* lists of a column of a table whose rows are not at hand any more, and one that is equal to it */
	List	   *known;			/* of Known: computed for all selected lanes */
	List	   *case_values;	/* of Operand: what CaseTestExpr stands for, innermost first */
	const char *reason;
	bool		too_large;		/* it is that a program has no room for so much */
} Compiler;

/* Note why the expression cannot run; always false. */
extern bool refuse(Compiler *c, const char *reason);

/* The comparison that a function computes, or NULL with c->reason set: over these arguments it may not be known. */
extern const FunctionMap *comparison_of(Compiler *c, Oid function, List *args);

/* What an expression stands for that refers to the scan's target list, or to a column of which only an equal one is at hand. */
extern Expr *scan_expr(const Compiler *c, Expr *expr);

/* What a column is, without its register: class, scale, how it is held; false with c->reason set. */
extern bool describe_column(Compiler *c, const Expr *expr, Operand *out, ColumnUse *use);

/* The tablet column for a use of an attribute; made on first use. */
extern int	use_column(Compiler *c, const ColumnUse *use);

/* Compile an expression; false with c->reason set when it cannot run. */
extern bool compile_expr(Compiler *c, Expr *expr, Operand *out);

/* Compile a function of PostgreSQL over compiled arguments. */
extern bool compile_function(Compiler *c, const FunctionMap *map, List *args, Operand *out);

/* Compare two operands; collation is the operator's input collation. */
extern bool compile_comparison(Compiler *c, const FunctionMap *map, Oid collation,
							   Operand *a, Operand *b, Operand *out);

/* The class of a type that is no domain, and how its text is held. */
extern bool class_of_type(Compiler *c, Oid type, int32 typmod, Operand *out);

/* What has one value for all rows, as an operand. */
extern bool compile_run_constant(Compiler *c, Expr *expr, Operand *out);

/* A constant as an operand of a class. */
extern bool compile_const(Compiler *c, Const *constant, Operand *out);

/* Whether an expression has one value for all rows, which is not known before execution. */
extern bool is_run_constant(Expr *expr);

/*
 * The value that a parameter, or another expression that is the same for all
 * rows, has in this execution; while planning a NULL of its type.  NULL with
 * c->reason set when it cannot be known.
 */
extern Const *run_constant(Compiler *c, Expr *expr);

/* The bytes of a text or name that is not NULL. */
extern const char *text_of_const(const Const *constant, int *length);

/* A reference to the bytes of a text constant, copied into the program. */
extern uint64 pool_text_const(Compiler *c, const Const *constant);

/* The 64-bit register's value of a constant that is not NULL. */
extern int64 int_of_const(const Const *constant);

/* Whether an enum's values are ordered as their OIDs are. */
extern bool enum_in_oid_order(Oid type);

/* Begin with one of the request's quals, by number; -1 = with what comes after them. */
extern void begin_qual(Compiler *c, int number);

/* Whether an expression must not go by hidden rows. */
extern bool is_closed(const Compiler *c, Expr *expr);

/* Have rows stay for which a condition is true; `closed`: nothing is to follow from it for tablets as a whole. */
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

/* The register kind of a class in the body being compiled. */
extern OperandKind kind_of(const Compiler *c, OperandClass class);

/* Decimals: compile_decimal.c. */
extern void align_scales(Compiler *c, Operand *a, Operand *b);
extern Operand decimal_at_scale(Compiler *c, const Operand *a, int scale);
extern Operand decimal_of_int(Compiler *c, const Operand *a);
extern bool compile_decimal_function(Compiler *c, const FunctionMap *map, Operand *arg, int nargs, Operand *out);

/* Register with the display scale of a decimal. */
extern int	dscale_vreg(Compiler *c, const Operand *a);

/* Text: compile_text.c. */
extern bool refuse_packed(Compiler *c);
extern bool unify_text(Compiler *c, bool bpchar, Operand *a, Operand *b);
extern bool compile_like(Compiler *c, FunctionAction action, const Operand *a, const Operand *pattern, Operand *out);
extern bool compile_length(Compiler *c, const Operand *a, bool bpchar, Operand *out);
extern bool compile_text_part(Compiler *c, FunctionAction action, const Operand *arg, int nargs, Operand *out);

/* Codes: compile_code.c. */

/* Note in c->texts the columns that the request looks at in a way that takes more than their codes. */
extern void find_texts(Compiler *c);

/* Whether the program reads a column as codes, */
extern bool is_coded(Compiler *c, const Var *var);

/* and whose they are, if an expression is such a column that was compiled. */
extern CodeSource code_source(Compiler *c, const Operand *operand, Expr *expr);

/*
 * The one such attribute that an expression is a condition on which PostgreSQL
 * can be asked about for each value; NULL if it is none.  Then compile it.
 */
extern const Var *code_test_subject(Compiler *c, Expr *expr);
extern bool compile_code_test(Compiler *c, Expr *expr, const Var *var, Operand *out);

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

/* Find the rows of the request's joins. */
extern bool compile_joins(Compiler *c, const CompileRequest *request);

/* The number that a Var, or another expression, has among the columns of a join's table, from 1 on; 0 if it is none. */
extern AttrNumber column_of_join(const Compiler *c, const JoinRequest *request, const Expr *expr);

/* Which table has it as a column, from 1 on; 0 if none that is at hand.  *column: its number there, from 1 on. */
extern int	table_of_column(const Compiler *c, const Expr *expr, AttrNumber *column);

/* A register with what a use of a table's column has. */
extern int	fetch_column(Compiler *c, int table, OperandKind kind, const ColumnUse *use);

/* The number of a use of a table's column; made on first use. */
extern int	use_table_column(Compiler *c, JoinUse *join, const ColumnUse *use);

/* The dictionary of such a column, NULL while there is no table. */
extern const CodeBook *book_of_column(const Compiler *c, int table, AttrNumber column);

/* The same of a column of the tablet, for pairs. */
extern int	fetch_of_lane(Compiler *c, OperandKind kind, int column);

/* End the loops that are under way. */
extern void end_loops(Compiler *c);

/* Have the rows that passed go out: compile_output.c. */
extern void emit_rows(Compiler *c);

/* What is wanted of them, into shape and c->result, or neither. */
extern void compile_outputs(Compiler *c, const CompileRequest *request, Program *shape);

/* Keys and aggregates: compile_agg.c. */
extern bool compile_keys_and_aggregates(Compiler *c, const CompileRequest *request, Program *shape);

/* What a column of rows that go out is made of: an output, which is added to shape, or a column of a table. */
extern void describe_output(Compiler *c, const Var *var, Program *shape, OutputResult *attribute);

/* Rows that are kept for a table, and what is to be told of their columns: compile_kept.c. */
extern bool compile_kept_rows(Compiler *c, const CompileRequest *request, Program *shape);

/* Rows that are kept to go out: outputs as c->result->attribute has them. */
extern bool compile_kept_outputs(Compiler *c, const CompileRequest *request, Program *shape);

#endif							/* GPUDB_COMPILE_COMPILER_H */
