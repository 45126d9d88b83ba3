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

extern PGDLLEXPORT Datum gpudb_debug_fault(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum gpudb_debug_calls(PG_FUNCTION_ARGS);

PG_FUNCTION_INFO_V1(gpudb_debug_fault);
PG_FUNCTION_INFO_V1(gpudb_debug_calls);

/*
 * gpudb_debug_fault(what text, n int, code int): the n-th call of CUDA from now
 * on ('cuda') fails with a code of CUDA's; or at the n-th answer ('answer')
 * the helper dies (code 1), hangs (2) or damages it (3).  Once.
 */
Datum
gpudb_debug_fault(PG_FUNCTION_ARGS)
{
	char	   *what = text_to_cstring(PG_GETARG_TEXT_PP(0));
	Channel    *channel = channel_get();
	volatile ProviderFault *fault = strcmp(what, "cuda") == 0 ? &channel->fault : &channel->answer_fault;

	if (!superuser())
		ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE), errmsg("must be superuser")));
	fault->call = 0;
	*(fault == &channel->fault ? &channel->calls : &channel->answers) = 0;
	fault->code = PG_GETARG_INT32(2);
	fault->call = PG_GETARG_INT32(1);
	PG_RETURN_VOID();
}

/* gpudb_debug_calls(what text): how many there were since then. */
Datum
gpudb_debug_calls(PG_FUNCTION_ARGS)
{
	char	   *what = text_to_cstring(PG_GETARG_TEXT_PP(0));
	Channel    *channel = channel_get();

	PG_RETURN_INT32(strcmp(what, "cuda") == 0 ? channel->calls : channel->answers);
}

#endif							/* GPUDB_FAULTS */
