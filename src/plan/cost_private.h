/*
 * cost_private.h
 *		Declarations shared by the files of the cost model.
 */
#ifndef GPUDB_PLAN_COST_PRIVATE_H
#define GPUDB_PLAN_COST_PRIVATE_H

#include "postgres.h"

#include "device/calibration.h"

/* Return a calibrated figure, in nanoseconds. */
#define NS(name) calibration_figure(FIGURE_##name)

/* Bytes of a text whose average width is not known. */
#define COST_USUAL_TEXT 32

/* Pages of a table from which on it matters whether they are in shared_buffers. */
#define COST_LEAST_PAGES_OUTSIDE	1024

/* Return the nanoseconds that it takes to find a row's group among `groups` groups (cost.c). */
extern double cost_ns_of_group(double groups);

/* Return the factor by which `threads` threads besides the backend speed work up (cost.c). */
extern double cost_gain_of_threads(double threads);

#endif							/* GPUDB_PLAN_COST_PRIVATE_H */
