/*
 * opmap.h
 *		Mapping of PostgreSQL's types, functions and aggregates to operations of a program.
 */
#ifndef GPUDB_COMPILE_OPMAP_H
#define GPUDB_COMPILE_OPMAP_H

#include "postgres.h"

#include "core/vm/program.h"

/* Class of a compiled expression, which decides which opcodes apply. */
typedef enum OperandClass
{
	CLASS_BOOL,
	CLASS_INT,					/* integers, dates, timestamps, enums */
	CLASS_FLOAT,				/* float4 too, always exactly representable */
	CLASS_DECIMAL,				/* 64 bits in a narrow body, 128 in a wide one */
	CLASS_WIDE,					/* uuid, timetz: 128 bits always */
	CLASS_INTERVAL,				/* span of the interval, 128 bits; the bytes are in second_vreg */
	CLASS_TEXT,
	CLASS_PACKED,				/* text in one word */
	CLASS_CODE					/* dictionary code of a text */
} OperandClass;

typedef struct TypeMap
{
	Oid			type;
	uint8		class;			/* OperandClass */
} TypeMap;

typedef enum FunctionAction
{
	ACTION_COMPARE,				/* op = Comparison */
	ACTION_INT_ARITH,			/* op = checked opcode */
	ACTION_INT_DIVIDE,			/* op = DIV_ or MOD_, divisor checked for zero */
	ACTION_INT_NEGATE,			/* op = SUB_ opcode, from zero */
	ACTION_INT_ABS,				/* op = SUB_ opcode, from zero */
	ACTION_FLOAT_ARITH,
	ACTION_FLOAT_DIVIDE,
	ACTION_FLOAT_UNARY,			/* op = opcode */
	ACTION_DECIMAL_ADD,
	ACTION_DECIMAL_SUB,
	ACTION_DECIMAL_MUL,
	ACTION_DECIMAL_DIVIDE,
	ACTION_DECIMAL_MOD,
	ACTION_DECIMAL_NEGATE,
	ACTION_DECIMAL_ABS,
	ACTION_DECIMAL_ROUND,
	ACTION_DECIMAL_TRUNC,
	ACTION_DECIMAL_FLOOR,
	ACTION_DECIMAL_CEIL,
	ACTION_SAME,				/* a cast that changes nothing in a register */
	ACTION_INT_CHECK,			/* op = CHECK_ opcode, a narrowing cast, or one between dates and timestamps */
	ACTION_INT_TO_FLOAT,		/* op = opcode */
	ACTION_FLOAT_TO_FLOAT4,
	ACTION_FLOAT_TO_INT,		/* op = CHECK_ opcode, or END for int8 */
	ACTION_INT_TO_DECIMAL,
	ACTION_DECIMAL_TO_INT,		/* op = CHECK_ opcode, or END for int8 */
	ACTION_DECIMAL_TO_FLOAT,
	ACTION_DECIMAL_TYPMOD,		/* numeric(x, typmod) */
	ACTION_BPCHAR_TO_TEXT,
	ACTION_LIKE,
	ACTION_NOT_LIKE,
	ACTION_ILIKE,
	ACTION_NOT_ILIKE,
	ACTION_LENGTH,
	ACTION_OCTETS,				/* length in bytes */
	ACTION_LEFT,
	ACTION_SUBSTRING,
	ACTION_DATE_ADD,
	ACTION_DATE_SUBTRACT,
	ACTION_DATE_DIFFERENCE,
	ACTION_EXTRACT,
	ACTION_DATE_PART
} FunctionAction;

typedef enum Comparison
{
	COMPARISON_EQ,
	COMPARISON_NE,
	COMPARISON_LT,
	COMPARISON_LE,
	COMPARISON_GT,
	COMPARISON_GE
} Comparison;

/* Side of a comparison that is a date to be converted to a timestamp. */
typedef enum DateSide
{
	DATE_NONE,
	DATE_LEFT,
	DATE_RIGHT
} DateSide;

typedef struct FunctionMap
{
	Oid			function;
	uint8		action;			/* FunctionAction */
	uint8		op;				/* Opcode or Comparison */
	uint8		date_side;
	bool		bpchar;			/* trailing blanks are insignificant */
} FunctionMap;

typedef enum AggAction
{
	AGG_COUNT_ALL,
	AGG_COUNT,
	AGG_SUM,
	AGG_AVG,
	AGG_MIN,
	AGG_MAX,
	AGG_BOOL_AND,
	AGG_BOOL_OR,
	AGG_BIT_AND,
	AGG_BIT_OR,
	AGG_BIT_XOR,
	AGG_VAR_POP,
	AGG_VAR_SAMP,
	AGG_STDDEV_POP,
	AGG_STDDEV_SAMP,
	AGG_PERCENTILE_DISC,
	AGG_PERCENTILE_CONT,
	AGG_EXACT_SUM,
	AGG_EXACT_AVG
} AggAction;

typedef struct AggregateMap
{
	Oid			function;
	uint8		action;			/* AggAction */
} AggregateMap;

/*
 * Return the entry of a type, function or aggregate, or NULL if a program cannot
 * compute it.  Enums are not listed; callers pass the base type of a domain.
 */
extern const TypeMap *map_type(Oid type);
extern const FunctionMap *map_function(Oid function);
extern const AggregateMap *map_aggregate(Oid function);

/* Return entry i of the list of types, functions or aggregates, NULL after the last one. */
extern const TypeMap *type_at(int i);
extern const FunctionMap *function_at(int i);
extern const AggregateMap *aggregate_at(int i);

#endif							/* GPUDB_COMPILE_OPMAP_H */
