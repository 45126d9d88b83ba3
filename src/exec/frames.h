/*
 * frames.h
 *		Window frames of window functions, and aggregates over them.
 */
#ifndef GPUDB_EXEC_FRAMES_H
#define GPUDB_EXEC_FRAMES_H

#include "postgres.h"

#include "exec/windows.h"

/* Set *frame to the window frame of an OVER clause.  Return false if it is not supported. */
extern bool frame_of_clause(const WindowClause *clause, WindowFrame *frame);

/* Request what the ends of a window frame depend on: peers, where peers end, where the partition ends. */
extern void frame_ask(const WindowFrame *frame, Windows *windows);

/*
 * Set *start and *end to the window frame of the row visited last, by row
 * numbers in order: from *start on, before *end.
 */
extern void frame_bounds(const Windows *windows, const WindowFrame *frame, uint32 *start, uint32 *end);

/* Reset a FrameTotal for a partition whose first row has the number `row`. */
extern void frame_total_restart(FrameTotal *total, uint32 row);

/*
 * Set *value and *isnull to an aggregate's value over the window frame of the
 * row visited last or, for minimum and maximum, return the row that has the
 * value.  Neither end of a frame moves backward within a partition.
 */
extern uint32 frame_result(const Windows *windows, const WindowCall *call, FrameTotal *total, Datum *value, bool *isnull);

#endif							/* GPUDB_EXEC_FRAMES_H */
