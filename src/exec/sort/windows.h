/*
 * windows.h
 *		Window functions over rows in the order of their OVER clause.
 */
#ifndef GPUDB_EXEC_SORT_WINDOWS_H
#define GPUDB_EXEC_SORT_WINDOWS_H

#include "postgres.h"

#include "nodes/parsenodes.h"

#include "exec/sort/window_calls.h"

/* Convert a call to and from the integer list in a plan, whose first two elements are the kind and the attribute. */
extern List *window_call_list(const WindowCall *call);
extern WindowCall window_call_of(const List *list);

/* Describe a window function and set *argument to its argument, if it has one; return false if it is not supported. */
extern bool window_function(const WindowFunc *function, const WindowClause *clause, WindowCall *call, Expr **argument);

/* Restart before the first row. */
extern void windows_restart(Windows *windows);

/*
 * Compute the functions for the next n rows into values[] and isnull[] of each
 * function.  Return the number of rows computed, which is less than n if a float
 * overflows at the row behind them.
 */
extern uint32 windows_compute(Windows *windows, uint32 n, Datum **values, bool **isnull);

#endif							/* GPUDB_EXEC_SORT_WINDOWS_H */
