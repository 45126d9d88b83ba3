/*
 * calibrate_figures.h
 *		The figures of device/calibration.def, from what queries over the tables of gpudb.calibrate() take.
 */
#ifndef GPUDB_PLAN_CALIBRATE_FIGURES_H
#define GPUDB_PLAN_CALIBRATE_FIGURES_H

#include "device/calibration.h"
#include "plan/calibrate_tables.h"

typedef struct Calibration
{
	int			turns;			/* already taken */
	double		figure[FIGURE_Count];
	CalibrationTables tables;
} Calibration;

/*
 * Take a turn: run each query once more, or some of them a few times, and say
 * what the figures are by all turns.  Inside SPI_connect().
 */
extern void figures_measure(Calibration *c);

#endif							/* GPUDB_PLAN_CALIBRATE_FIGURES_H */
