/*
 * measure.h
 *		What calibration asks of the GPU process itself.
 */
#ifndef GPUDB_WORKER_MEASURE_H
#define GPUDB_WORKER_MEASURE_H

#include "device/channel.h"

/* Forget what a helper before this one was asked: it may be what has ended it. */
extern void measure_open(Channel *channel);

/* Answer who asks; rates only when nothing is in flight.  False when the device has failed. */
extern bool measure_answer(Channel *channel, const Provider *provider, bool idle);

#endif							/* GPUDB_WORKER_MEASURE_H */
