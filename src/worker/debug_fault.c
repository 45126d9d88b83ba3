/*
 * debug_fault.c
 *		Fault injection in the GPU process, for tests.  Only in builds with GPUDB_FAULTS.
 *
 * No SQL object of the extension calls these functions; a test declares those it needs.
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
 * gpudb_debug_fault(what text, site int, code int, next int): inject a fault.
 * With 'cuda' the next call of CUDA at this site fails with an error code of
 * CUDA, and then the call at site `next`, unless that is 0.  With 'answer' the
 * GPU process dies (code 1), hangs (2) or damages its answer (3) at the site-th
 * answer from now on.
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

/* gpudb_debug_sites(): return the number of sites in the code at which the GPU process has called CUDA so far. */
Datum
gpudb_debug_sites(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT32(channel_get()->sites);
}

/* gpudb_debug_pending(what text): return the site of the fault that is still to come; 0 = none. */
Datum
gpudb_debug_pending(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT32(fault_named(text_to_cstring(PG_GETARG_TEXT_PP(0)))->site);
}

/* gpudb_debug_measure(): make the GPU process measure its device, as calibration does; false if it could not. */
Datum
gpudb_debug_measure(PG_FUNCTION_ARGS)
{
	ProviderRates rates;

	PG_RETURN_BOOL(rates_ask(&rates));
}

#endif							/* GPUDB_FAULTS */
