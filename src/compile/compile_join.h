/*
 * compile_join.h
 *		Compilation of a join: state shared by compile_join.c and compile_join_key.c.
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
	int			number;			/* number of the join and of its table, from 1 on */
	List	   *keys;			/* conditions that form the key */
	List	   *others;			/* conditions to test on the rows that were found */
	bool		unique;			/* a lane finds one row at most */
	bool		loops;			/* lanes with rows continue as pairs in a loop */
	int			found;			/* register of the rows found, or with `loops` of their spans */
} Join;

/* Emit the search for the rows that may meet the conditions; sets keys, others, unique, loops and found. */
extern bool find_joined_rows(Join *join);

/* Record in c->equal what the table's columns equal: PostgreSQL's later conditions may refer to these columns. */
extern void keep_equal_columns(Join *join);

#endif							/* GPUDB_COMPILE_COMPILE_JOIN_H */
