/*
 * cost_private.h
 *		What the files of the cost model share.
 */
#ifndef GPUDB_PLAN_COST_PRIVATE_H
#define GPUDB_PLAN_COST_PRIVATE_H

#include "postgres.h"

#include "device/calibration.h"

/* A calibrated figure, in nanoseconds. */
#define NS(name) calibration_figure(FIGURE_##name)

/* Bytes of a text of which nothing is known. */
#define COST_USUAL_TEXT 32

/* cost.c: nanoseconds that it takes to find a row's group among so many. */
extern double cost_ns_of_group(double groups);

/* How many times sooner so many threads besides the backend are through. */
extern double cost_gain_of_threads(double threads);

#endif							/* GPUDB_PLAN_COST_PRIVATE_H */
