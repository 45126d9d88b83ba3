/*
 * calibrate_figures.h
 *		Measures the figures of device/calibration.def by the times of queries over the tables of gpudb.calibrate().
 */
#ifndef GPUDB_ADMIN_CALIBRATE_FIGURES_H
#define GPUDB_ADMIN_CALIBRATE_FIGURES_H

#include "admin/calibrate_tables.h"
#include "device/calibration.h"

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

#endif							/* GPUDB_ADMIN_CALIBRATE_FIGURES_H */
