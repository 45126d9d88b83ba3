/*
 * opmap.h
 *		Which PostgreSQL functions and aggregates a program can compute.
 */
#ifndef GPUDB_COMPILE_OPMAP_H
#define GPUDB_COMPILE_OPMAP_H

#include "postgres.h"

#include "core/program.h"

typedef enum FunctionAction
{
	ACTION_COMPARE,				/* op = Comparison */
	ACTION_INT_ARITH,			/* op = checked opcode */
	ACTION_INT_DIVIDE,			/* op = DIV_ or MOD_, divisor checked for zero */
	ACTION_INT_NEGATE,			/* op = SUB_ opcode, from zero */
	ACTION_FLOAT_ARITH,
	ACTION_FLOAT_DIVIDE,
	ACTION_FLOAT_NEGATE,
	ACTION_DECIMAL_ADD,
	ACTION_DECIMAL_SUB,
	ACTION_DECIMAL_MUL,
	ACTION_DECIMAL_DIVIDE,
	ACTION_DECIMAL_NEGATE,
	ACTION_SAME,				/* a cast that changes nothing in a register */
	ACTION_INT_CHECK,			/* op = CHECK_ opcode: a narrowing cast */
	ACTION_INT_TO_FLOAT,		/* op */
	ACTION_FLOAT_TO_FLOAT4,
	ACTION_FLOAT_TO_INT,		/* op = CHECK_ opcode, or END for int8 */
	ACTION_INT_TO_DECIMAL,
	ACTION_DECIMAL_TO_INT,		/* op = CHECK_ opcode, or END for int8 */
	ACTION_DECIMAL_TO_FLOAT,
	ACTION_DECIMAL_TYPMOD,		/* numeric(x, typmod) */
	ACTION_BPCHAR_TO_TEXT,
	ACTION_LIKE,
	ACTION_NOT_LIKE
} FunctionAction;

typedef enum Comparison
{
	COMPARE_EQ,
	COMPARE_NE,
	COMPARE_LT,
	COMPARE_LE,
	COMPARE_GT,
	COMPARE_GE
} Comparison;

/* Which side of a comparison is a date to be taken as a timestamp. */
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
} FunctionMap;

typedef enum AggAction
{
	AGG_COUNT_ALL,
	AGG_COUNT,
	AGG_SUM,
	AGG_AVG,
	AGG_MIN,
	AGG_MAX
} AggAction;

typedef struct AggregateMap
{
	Oid			function;
	uint8		action;			/* AggAction */
} AggregateMap;

/* NULL when a program cannot compute it. */
extern const FunctionMap *map_function(Oid function);
extern const AggregateMap *map_aggregate(Oid function);

#endif							/* GPUDB_COMPILE_OPMAP_H */
