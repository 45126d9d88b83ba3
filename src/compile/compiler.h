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

/* What a compiled expression is, and so which opcodes apply. */
typedef enum OperandClass
{
	CLASS_BOOL,
	CLASS_INT,					/* integers, dates, timestamps */
	CLASS_FLOAT,				/* float4 too, always exactly representable */
	CLASS_DECIMAL,				/* 64 bits in a narrow body, 128 in a wide one */
	CLASS_TEXT,
	CLASS_PACKED
} OperandClass;

typedef struct Operand
{
	OperandClass class;
	int			vreg;
	bool		nullable;
	bool		trimmed;		/* packed text without its trailing blanks (bpchar) */
	int16		scale;			/* decimals */
	int16		dscale;			/* display scale, -1 = in dscale_vreg */
	int			dscale_vreg;
	Const	   *constant;		/* set when the operand is one */
} Operand;

/* An expression whose value is at hand. */
typedef struct Known
{
	Expr	   *expr;
	Operand		operand;
} Known;

typedef struct Compiler
{
	const CompileInput *input;
	CompileResult *result;
	Emitter		em;
	bool		wide;			/* the body being compiled */
	bool		narrow_fails;	/* a constant does not fit a narrow body */
	bool		decimals;		/* there are decimals: two bodies make sense */
	int			mask;			/* lanes for which errors count */
	List	   *known;			/* of Known: computed for all selected lanes */
	List	   *case_values;	/* of Operand: what CaseTestExpr stands for, innermost first */
	const char *reason;
} Compiler;

/* Note why the expression cannot run; always false. */
extern bool refuse(Compiler *c, const char *reason);

/* Compile an expression; false with c->reason set when it cannot run. */
extern bool compile_expr(Compiler *c, Expr *expr, Operand *out);

/* Compile a function of PostgreSQL over compiled arguments. */
extern bool compile_function(Compiler *c, const FunctionMap *map, List *args, Operand *out);

/* Compare two operands; collation is the operator's input collation. */
extern bool compile_comparison(Compiler *c, const FunctionMap *map, Oid collation,
							   Operand *a, Operand *b, Operand *out);

/* A constant as an operand of a class. */
extern bool compile_const(Compiler *c, Const *constant, Operand *out);

/* A parameter's value, or while planning a NULL of its type. */
extern Const *param_constant(Compiler *c, Param *param);

/* Conditionals and tests: compile_logic.c. */
extern bool compile_bool_expr(Compiler *c, BoolExpr *expr, Operand *out);
extern bool compile_case(Compiler *c, CaseExpr *expr, Operand *out);
extern bool compile_coalesce(Compiler *c, CoalesceExpr *expr, Operand *out);
extern bool compile_null_test(Compiler *c, NullTest *expr, Operand *out);
extern bool compile_boolean_test(Compiler *c, BooleanTest *expr, Operand *out);

/* Constant arrays: compile_set.c. */
extern bool compile_array_op(Compiler *c, ScalarArrayOpExpr *expr, Operand *out);

/* The register kind of a class in the body being compiled. */
extern OperandKind kind_of(const Compiler *c, OperandClass class);

/* Bring decimals to one scale. */
extern void align_scales(Compiler *c, Operand *a, Operand *b);
extern Operand decimal_at_scale(Compiler *c, const Operand *a, int scale);

/* Register with the display scale of a decimal. */
extern int	dscale_vreg(Compiler *c, const Operand *a);

/* Small helpers over the emitter. */
extern int	int_constant(Compiler *c, int64 value);
extern Operand int_operand(int vreg, bool nullable);
extern Operand bool_operand(int vreg, bool nullable);
extern int	widened(Compiler *c, const Operand *a);
extern int	null_test(Compiler *c, const Operand *a);

/* Keys and aggregates: compile_agg.c. */
extern bool compile_keys_and_aggregates(Compiler *c, const CompileRequest *request, Program *shape);

#endif							/* GPUDB_COMPILE_COMPILER_H */
