/*
 * calibration.h
 *		Figures of this machine that the cost model uses.
 *
 * Figures are stored in shared memory and in a file of the data directory,
 * which is read when the server starts.  A file that is damaged or from
 * another machine is ignored; the figures are guesses then, as before the
 * first calibration.
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

/* Create the shared memory, in the postmaster, and read the file. */
extern void calibration_create(void);

/* Return a figure, in nanoseconds: its measured value, or else its guess. */
extern double calibration_figure(Figure figure);

/* Return true if the figure was measured, on this machine. */
extern bool calibration_measured(Figure figure);

/* Return the time of the last calibration; 0 = none. */
extern TimestampTz calibration_time(void);

/*
 * Publish the figures that are not NaN and write all figures to the file.  A
 * figure that was measured before becomes the mean of all calibrations, of
 * which the last ones count more; it is replaced if the new value differs from
 * the mean by so much that the machine must have changed, or if `anew` is set.
 * Implausible values are ignored with a warning.  Raises an error if the file
 * cannot be written.
 */
extern void calibration_store(const double *figures, bool anew);

#endif							/* GPUDB_DEVICE_CALIBRATION_H */
