/*
 * frames.h
 *		Frames of window functions, and aggregates over them.
 */
#ifndef GPUDB_EXEC_FRAMES_H
#define GPUDB_EXEC_FRAMES_H

#include "postgres.h"

#include "exec/windows.h"

/* The frame of a window; false if it is none of those that are known here. */
extern bool frame_of_clause(const WindowClause *clause, WindowFrame *frame);

/* Have it be known who are peers, where these end, and where the partition does, as far as a frame's ends depend on it. */
extern void frame_ask(const WindowFrame *frame, Windows *windows);

/* The rows of the frame of the row that was gone on to last, by their numbers in order: from *start on, before *end. */
extern void frame_bounds(const Windows *windows, const WindowFrame *frame, uint32 *start, uint32 *end);

/* Begin with a partition whose first row has this number. */
extern void frame_total_restart(FrameTotal *total, uint32 row);

/* What an aggregate is of that frame; or of which row it is the value.  Neither end of a frame moves backward. */
extern uint32 frame_result(const Windows *windows, const WindowCall *call, FrameTotal *total, Datum *value, bool *isnull);

#endif							/* GPUDB_EXEC_FRAMES_H */
