/*
 * windows.h
 *		Window functions over rows in their window's order.
 */
#ifndef GPUDB_EXEC_WINDOWS_H
#define GPUDB_EXEC_WINDOWS_H

#include "postgres.h"

#include "nodes/parsenodes.h"

#include "core/sort_rows.h"
#include "exec/stored_rows.h"
#include "exec/totals.h"

/* What is computed of a row and those around it. */
typedef enum WindowKind
{
	WINDOW_ROW_NUMBER,
	WINDOW_RANK,
	WINDOW_DENSE_RANK,
	WINDOW_NEIGHBOUR,			/* lag() and lead(): of the row so many behind it, NULL if the partition has none */
	WINDOW_FIRST,				/* of the frame's first row */
	WINDOW_LAST,				/* of its last row */
	WINDOW_NTILE,				/* which of so many parts of the partition */
	WINDOW_TOTAL,				/* an aggregate over all rows of the frame */
	WindowKind_Count
} WindowKind;

/* With what a frame begins or ends. */
typedef enum FrameBound
{
	FRAME_ROW,					/* a row so many behind the row itself, less than 0 before it, */
	FRAME_PEERS,				/* the first or last one of its peers, */
	FRAME_PARTITION				/* or of its partition */
} FrameBound;

typedef struct WindowFrame
{
	FrameBound	start;
	int			from;			/* how many rows behind, if it is a ROW */
	FrameBound	end;
	int			to;
} WindowFrame;

/* A window function. */
typedef struct WindowCall
{
	WindowKind	kind;
	int			attribute;		/* of the rows, from 0 on; -1 = it has no argument */
	int			behind;			/* NEIGHBOUR: how many rows, less than 0 before it; NTILE: how many parts */
	WindowFrame frame;			/* FIRST, LAST and TOTAL */
	TotalKind	total;			/* TOTAL */
} WindowCall;

/* For plans: an integer list whose first two are the kind and the attribute. */
extern List *window_call_list(const WindowCall *call);
extern WindowCall window_call_of(const List *list);

/* What is known of the rows of a frame. */
typedef struct FrameTotal
{
	uint32		start;			/* those that are in it, by their numbers in order */
	uint32		end;			/* behind the last one */
	Total		rows;
	uint32	   *candidates;		/* of which one is the least or largest: each is better than those after it, from best on */
	uint32		best;
	uint32		ncandidates;	/* with those before best, which have left the frame */
	uint32		room;
	bool		known;			/* what that is as a Datum, in this batch, */
	Datum		value;			/* which is this */
} FrameTotal;

/* The columns that tell partitions apart, and those that tell rows of one apart which are no peers. */
typedef struct WindowKeys
{
	int			npartition;
	SortKey	   *partition;
	int			norder;
	SortKey    *order;
} WindowKeys;

typedef struct Windows
{
	const StoredRows *stored;	/* the rows, of which so many are listed in order */
	const uint32 *order;
	uint32		nrows;
	WindowKeys	keys;
	int			ncalls;
	WindowCall *call;
	FrameTotal *total;			/* of each */
	bool		ranks;			/* some of them ask who are peers, */
	bool		ahead;			/* where these end, */
	bool		whole;			/* or where partitions do */
	bool		overflow;		/* a float is too large of the row that was gone on to last */

	/* the row that comes next, and what is known of the one before it */
	uint32		next;
	uint32		partition;		/* where its partition began, */
	uint32		partition_end;	/* and ends, */
	uint32		peers;			/* and its peers did, */
	uint32		peers_end;		/* and do */
	uint32		dense;			/* dense rank */
} Windows;

/* Which function it is, and its argument if it has one; false if it is none of these. */
extern bool window_function(const WindowFunc *function, const WindowClause *clause, WindowCall *call, Expr **argument);

/* Begin with the first row. */
extern void windows_restart(Windows *windows);

/* What the functions are of the next n rows: values[] and isnull[] of each.  Fewer rows, if floats of the one behind them overflow. */
extern uint32 windows_compute(Windows *windows, uint32 n, Datum **values, bool **isnull);

#endif							/* GPUDB_EXEC_WINDOWS_H */
