/*
 * debug_fault.c
 *		Tests: failures on demand in the GPU process.  Only in builds with GPUDB_FAULTS.
 *
 * No SQL object of the extension leads here; a test declares what it needs.
 */
#include "postgres.h"

#ifdef GPUDB_FAULTS

#include "fmgr.h"
#include "miscadmin.h"
#include "utils/builtins.h"

#include "device/channel.h"
#include "device/rates.h"

extern PGDLLEXPORT Datum gpudb_debug_fault(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum gpudb_debug_sites(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum gpudb_debug_pending(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum gpudb_debug_measure(PG_FUNCTION_ARGS);

PG_FUNCTION_INFO_V1(gpudb_debug_fault);
PG_FUNCTION_INFO_V1(gpudb_debug_sites);
PG_FUNCTION_INFO_V1(gpudb_debug_pending);
PG_FUNCTION_INFO_V1(gpudb_debug_measure);

static volatile ProviderFault *
fault_named(const char *what)
{
	return strcmp(what, "cuda") == 0 ? &channel_get()->fault : &channel_get()->answer_fault;
}

/*
 * gpudb_debug_fault(what text, site int, code int, next int): the next pass of this
 * place where CUDA is called ('cuda') fails with a code of CUDA's, and then that of
 * another one, unless that is 0; or at the n-th answer from now on ('answer') the
 * helper dies (code 1), hangs (2) or damages it (3).
 */
Datum
gpudb_debug_fault(PG_FUNCTION_ARGS)
{
	volatile ProviderFault *fault = fault_named(text_to_cstring(PG_GETARG_TEXT_PP(0)));

	if (!superuser())
		ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE), errmsg("must be superuser")));
	fault->site = fault->then = 0;
	channel_get()->answers = 0;
	fault->code = PG_GETARG_INT32(2);
	fault->then = PG_GETARG_INT32(3);
	fault->site = PG_GETARG_INT32(1);
	PG_RETURN_VOID();
}

/* gpudb_debug_sites(): places where the helper has called CUDA so far. */
Datum
gpudb_debug_sites(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT32(channel_get()->sites);
}

/* gpudb_debug_pending(what text): where a fault is still to come; 0 = nowhere. */
Datum
gpudb_debug_pending(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT32(fault_named(text_to_cstring(PG_GETARG_TEXT_PP(0)))->site);
}

/* gpudb_debug_measure(): have the helper measure its device, as calibration does; whether it could. */
Datum
gpudb_debug_measure(PG_FUNCTION_ARGS)
{
	ProviderRates rates;

	PG_RETURN_BOOL(rates_ask(&rates));
}

#endif							/* GPUDB_FAULTS */
