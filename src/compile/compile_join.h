/*
 * compile_join.h
 *		A join while it is being compiled: shared by the files about joins.
 */
#ifndef GPUDB_COMPILE_COMPILE_JOIN_H
#define GPUDB_COMPILE_COMPILE_JOIN_H

#include "postgres.h"

#include "compile/compiler.h"

typedef struct Join
{
	Compiler   *c;
	const JoinRequest *request;
	JoinedTable *table;
	int			number;			/* from 1 on */
	List	   *keys;			/* of the conditions, those that are its key, */
	List	   *others;			/* and those that are to be tested */
	bool		unique;
	bool		loops;			/* what has found its rows goes on as pairs */
	int			found;			/* register of rows or of their spans */
} Join;

/* Find the rows that may meet the conditions: found, and what is to be known of them. */
extern bool find_joined_rows(Join *join);

/* Note that what is equal to the table's columns stands for them in what follows: PostgreSQL may compare these instead. */
extern void keep_equal_columns(Join *join);

#endif							/* GPUDB_COMPILE_COMPILE_JOIN_H */
