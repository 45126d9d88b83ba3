/*
 * calibrate_figures.h
 *		The figures of device/calibration.def, from what queries over the tables of gpudb.calibrate() take.
 */
#ifndef GPUDB_PLAN_CALIBRATE_FIGURES_H
#define GPUDB_PLAN_CALIBRATE_FIGURES_H

#include "device/calibration.h"
#include "plan/calibrate_tables.h"

#define SAMPLE_MOST	1500

/* Times of many runs, of all rounds. */
typedef struct Sample
{
	int			n;
	double		ns[SAMPLE_MOST];
} Sample;

typedef struct Calibration
{
	double		figure[FIGURE_Count];
	Sample		cpu_starts;
	Sample		gpu_starts;
	CalibrationTables tables;
} Calibration;

/* Measure all figures once more; what was measured before counts, too. */
extern void figures_measure(Calibration *c);

/* Has the last round found what the ones before had? */
extern bool figures_steady(const double *before, const double *after);

#endif							/* GPUDB_PLAN_CALIBRATE_FIGURES_H */
