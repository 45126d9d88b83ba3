/*
 * calibrate.h
 *		Measuring what the cost model must know of this machine.
 */
#ifndef GPUDB_PLAN_CALIBRATE_H
#define GPUDB_PLAN_CALIBRATE_H

/* At library load: have a background worker calibrate, once the server has started, what was never measured. */
extern void calibrate_register(void);

#endif							/* GPUDB_PLAN_CALIBRATE_H */
