/*
 * rates.c
 *		The speed of the GPU, as the GPU process measures it, and the latency
 *		of that process.
 */
#include "postgres.h"

#include <math.h>

#include "miscadmin.h"
#include "portability/instr_time.h"

#include "device/channel.h"
#include "device/rates.h"

#define PATIENCE_MS	5000
#define HOP_MS		50			/* timeout of one answer; the process may have to wake up first */
#define HOPS		50

/*
 * Increment *asked and wait until *answered has reached it; return false after
 * `ms` milliseconds, or if no GPU process serves any more.
 */
static bool
await(pg_atomic_uint32 *asked, pg_atomic_uint32 *answered, int ms, long sleep_us)
{
	const uint32 number = pg_atomic_add_fetch_u32(asked, 1);
	instr_time	begin;
	instr_time	now;

	channel_ring_doorbell(channel_get());
	INSTR_TIME_SET_CURRENT(begin);
	do
	{
		if ((int32) (pg_atomic_read_u32(answered) - number) >= 0)
		{
			pg_read_barrier();
			return true;
		}
		if (sleep_us > 0)
		{
			CHECK_FOR_INTERRUPTS();
			pg_usleep(sleep_us);
		}
		INSTR_TIME_SET_CURRENT(now);
		INSTR_TIME_SUBTRACT(now, begin);
	} while (INSTR_TIME_GET_MILLISEC(now) < ms && channel_serving());
	return false;
}

bool
rates_ask(ProviderRates *rates)
{
	Channel    *channel = channel_get();
	const uint32 incarnation = pg_atomic_read_u32(&channel->incarnation);
	bool		answered = channel_serving() && await(&channel->rates_wanted, &channel->rates_measured, PATIENCE_MS, 500) &&
		pg_atomic_read_u32(&channel->incarnation) == incarnation;

	*rates = answered ? channel->rates : (ProviderRates) {NAN, NAN, NAN, NAN, NAN, NAN, NAN};
	return answered;
}

double
rates_hop(void)
{
	Channel    *channel = channel_get();
	double		least = NAN;

	for (int i = 0; i < HOPS && channel_serving(); i++)
	{
		instr_time	begin;
		instr_time	end;

		INSTR_TIME_SET_CURRENT(begin);
		if (!await(&channel->pings, &channel->pongs, HOP_MS, 0))
			break;
		INSTR_TIME_SET_CURRENT(end);
		INSTR_TIME_SUBTRACT(end, begin);
		least = fmin(least, INSTR_TIME_GET_DOUBLE(end) * 1e9);
	}
	return least;
}
