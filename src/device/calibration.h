/*
 * calibration.h
 *		What the cost model knows of this machine.
 *
 * Figures lie in shared memory and in a file of the data directory, which is
 * read when the server starts.  A file that is damaged or from another machine
 * is not believed; the figures are guesses then, as before the first
 * calibration.
 */
#ifndef GPUDB_DEVICE_CALIBRATION_H
#define GPUDB_DEVICE_CALIBRATION_H

#include "postgres.h"

#include "datatype/timestamp.h"

typedef enum Figure
{
#define FIGURE(name, device, value, factor, meaning) FIGURE_##name,
#include "device/calibration.def"
#undef FIGURE
	FIGURE_Count
} Figure;

/* In the postmaster: make shared memory and read the file. */
extern void calibration_create(void);

/* A figure, in nanoseconds. */
extern double calibration_figure(Figure figure);

/* Whether it was measured, on this machine. */
extern bool calibration_measured(Figure figure);

/* When one was measured last. */
extern TimestampTz calibration_time(void);

/*
 * Publish figures and write them to the file; those that are NaN stay as they
 * are.  A figure that was measured before becomes the mean of all
 * calibrations, of which the last ones count more; unless it differs from that
 * by so much that the machine must have changed, or `anew`.  Raises an error if
 * the file cannot be written.
 */
extern void calibration_store(const double *figures, bool anew);

#endif							/* GPUDB_DEVICE_CALIBRATION_H */
