/*
 * measure.c
 *		Calibration requests to the GPU process: pings, and measuring the rates of its device.
 */
#include "postgres.h"

#include <math.h>

#include "worker/measure.h"

void
measure_open(Channel *channel)
{
	pg_atomic_write_u32(&channel->rates_measured, pg_atomic_read_u32(&channel->rates_wanted));
}

bool
measure_answer(Channel *channel, const Provider *provider, bool idle)
{
	uint32		wanted = pg_atomic_read_u32(&channel->rates_wanted);
	uint32		pings = pg_atomic_read_u32(&channel->pings);
	ProviderRates rates = {NAN, NAN, NAN, NAN, NAN, NAN, NAN};

	/* backends poll words next to it: do not write it without need */
	if (pings != pg_atomic_read_u32(&channel->pongs))
		pg_atomic_write_u32(&channel->pongs, pings);
	if (!idle || wanted == pg_atomic_read_u32(&channel->rates_measured))
		return true;
	if (!provider->measure(&rates))
		return false;
	channel->rates = rates;
	pg_write_barrier();
	pg_atomic_write_u32(&channel->rates_measured, wanted);
	return true;
}
