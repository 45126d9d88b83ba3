/*
 * window_calls.h
 *		Calls of window functions, their window frames, and the state of their computation.
 */
#ifndef GPUDB_EXEC_SORT_WINDOW_CALLS_H
#define GPUDB_EXEC_SORT_WINDOW_CALLS_H

#include "postgres.h"

#include "core/sort/sort_rows.h"
#include "exec/sort/stored_rows.h"
#include "exec/sort/totals.h"

/* Kinds of window functions. */
typedef enum WindowKind
{
	WINDOW_ROW_NUMBER,
	WINDOW_RANK,
	WINDOW_DENSE_RANK,
	WINDOW_NEIGHBOUR,			/* lag(), lead(): value of the row `behind` rows later, NULL if there is none */
	WINDOW_FIRST,				/* value of the window frame's first row */
	WINDOW_LAST,				/* value of the window frame's last row */
	WINDOW_NTILE,				/* ntile(): number of the row's bucket in the partition */
	WINDOW_TOTAL,				/* aggregate over all rows of the window frame */
	WindowKind_Count
} WindowKind;

/* Start or end of a window frame. */
typedef enum WindowFrameBound
{
	WINDOW_FRAME_ROW,			/* row at a distance from the current row, less than 0 before it */
	WINDOW_FRAME_PEERS,			/* first or last peer of the current row */
	WINDOW_FRAME_PARTITION		/* first or last row of the partition */
} WindowFrameBound;

typedef struct WindowFrame
{
	WindowFrameBound start;
	int			from;			/* distance in rows if `start` is WINDOW_FRAME_ROW; `to` is that of `end` */
	WindowFrameBound end;
	int			to;
} WindowFrame;

/* A window function call. */
typedef struct WindowCall
{
	WindowKind	kind;
	int			attribute;		/* argument, an attribute of the rows, from 0 on; -1 = none */
	int			behind;			/* NEIGHBOUR: distance in rows, less than 0 before the row; NTILE: number of buckets */
	WindowFrame window_frame;	/* FIRST, LAST and TOTAL */
	TotalKind	total;			/* TOTAL */
} WindowCall;

/* State of an aggregate over the rows of a window frame. */
typedef struct WindowFrameTotal
{
	uint32		start;			/* first row of the window frame, by its number in the order */
	uint32		end;			/* row behind the last row of the window frame */
	Total		rows;
	uint32	   *candidates;		/* candidates for least or largest: from `best` on, each beats those after it */
	uint32		best;
	uint32		ncandidates;	/* includes those before `best`, which have left the window frame */
	uint32		room;
	bool		known;			/* `value` is valid, which it is within a batch only */
	Datum		value;			/* count, sum or average as a Datum */
} WindowFrameTotal;

/* PARTITION BY columns, and ORDER BY columns, in which peers are equal. */
typedef struct WindowKeys
{
	int			npartition;
	SortKey	   *partition;
	int			norder;
	SortKey    *order;
} WindowKeys;

typedef struct Windows
{
	const StoredRows *stored;	/* stored rows, of which order[] lists `nrows` */
	const uint32 *order;
	uint32		nrows;
	WindowKeys	keys;
	int			ncalls;
	WindowCall *call;
	WindowFrameTotal *total;	/* state of each call */
	bool		ranks;			/* some call depends on the start of the row's peers */
	bool		ahead;			/* some call depends on the end of the row's peers */
	bool		whole;			/* some call depends on the end of the partition */
	bool		overflow;		/* a float has overflowed at the current row */

	/* number of the next row, and state of the current row, the one before it */
	uint32		next;
	uint32		partition;		/* start of the current row's partition */
	uint32		partition_end;	/* end of the partition, if `whole` */
	uint32		peers;			/* start of the current row's peers */
	uint32		peers_end;		/* end of the peers, if `ahead` */
	uint32		dense;			/* dense rank of the current row */
} Windows;

#endif							/* GPUDB_EXEC_SORT_WINDOW_CALLS_H */
