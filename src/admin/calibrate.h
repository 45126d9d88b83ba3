/*
 * calibrate.h
 *		Calibration of the cost model on this machine.
 */
#ifndef GPUDB_ADMIN_CALIBRATE_H
#define GPUDB_ADMIN_CALIBRATE_H

/*
 * Register, at library load, a background worker that calibrates what was
 * never measured once the server has started.
 */
extern void calibrate_register(void);

#endif							/* GPUDB_ADMIN_CALIBRATE_H */
