/*
 * window_frames.h
 *		Window frames of window functions, and aggregates over them.
 */
#ifndef GPUDB_EXEC_SORT_WINDOW_FRAMES_H
#define GPUDB_EXEC_SORT_WINDOW_FRAMES_H

#include "postgres.h"

#include "nodes/parsenodes.h"

#include "exec/sort/window_calls.h"

/* Set *window_frame to the window frame of an OVER clause.  Return false if it is not supported. */
extern bool window_frame_of_clause(const WindowClause *clause, WindowFrame *window_frame);

/* Request what the ends of a window frame depend on: peers, where peers end, where the partition ends. */
extern void window_frame_ask(const WindowFrame *window_frame, Windows *windows);

/*
 * Set *start and *end to the window frame of the row visited last, by row
 * numbers in order: from *start on, before *end.
 */
extern void window_frame_bounds(const Windows *windows, const WindowFrame *window_frame, uint32 *start, uint32 *end);

/* Reset a WindowFrameTotal for a partition whose first row has the number `row`. */
extern void window_frame_total_restart(WindowFrameTotal *total, uint32 row);

/*
 * Set *value and *isnull to an aggregate's value over the window frame of the
 * row visited last or, for minimum and maximum, return the row that has the
 * value.  Neither end of a frame moves backward within a partition.
 */
extern uint32 window_frame_result(const Windows *windows, const WindowCall *call, WindowFrameTotal *total, Datum *value, bool *isnull);

#endif							/* GPUDB_EXEC_SORT_WINDOW_FRAMES_H */
