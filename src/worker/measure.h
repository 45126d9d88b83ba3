/*
 * measure.h
 *		Calibration requests to the GPU process.
 */
#ifndef GPUDB_WORKER_MEASURE_H
#define GPUDB_WORKER_MEASURE_H

#include "device/channel.h"

/* Discard requests to a previous GPU process, which they may have ended. */
extern void measure_open(Channel *channel);

/* Answer pings, and requests for rates if `idle`, when no GPU batch is in flight.  False if the device has failed. */
extern bool measure_answer(Channel *channel, const Provider *provider, bool idle);

#endif							/* GPUDB_WORKER_MEASURE_H */
