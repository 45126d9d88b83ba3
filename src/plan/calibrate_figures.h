/*
 * calibrate_figures.h
 *		Measures the figures of device/calibration.def by the times of queries over the tables of gpudb.calibrate().
 */
#ifndef GPUDB_PLAN_CALIBRATE_FIGURES_H
#define GPUDB_PLAN_CALIBRATE_FIGURES_H

#include "device/calibration.h"
#include "plan/calibrate_tables.h"

typedef struct Calibration
{
	int			turns;			/* turns taken so far */
	double		figure[FIGURE_Count];
	CalibrationTables tables;
} Calibration;

/*
 * Take a turn: run each query once more, or some of them a few times, and
 * compute the figures from all turns so far.  Must be called inside
 * SPI_connect().
 */
extern void figures_measure(Calibration *c);

#endif							/* GPUDB_PLAN_CALIBRATE_FIGURES_H */
