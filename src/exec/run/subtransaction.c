/*
 * subtransaction.c
 *		Runs a function in a subtransaction and reports whether it raised an error.
 */
#include "postgres.h"

#include "access/parallel.h"
#include "access/xact.h"
#include "utils/memutils.h"
#include "utils/resowner.h"

#include "exec/run/subtransaction.h"
#include "pg_compat.h"

/*
 * A query whose plan has a Gather anywhere, even in a fallback, runs in
 * parallel mode from its start.  Until a worker is started there is no other
 * process with which a subtransaction's state would have to be shared.
 */
bool
can_run_in_subtransaction(void)
{
	return !IsInParallelMode() || (!IsParallelWorker() && !ParallelContextActive());
}

bool
run_in_subtransaction(void (*work) (void *arg), void *arg)
{
	MemoryContext context = CurrentMemoryContext;
	ResourceOwner owner = CurrentResourceOwner;
	volatile const int levels = compat_leave_parallel_mode();
	volatile bool done = false;

	BeginInternalSubTransaction(NULL);
	MemoryContextSwitchTo(context);
	PG_TRY();
	{
		work(arg);
		ReleaseCurrentSubTransaction();
		done = true;
	}
	PG_CATCH();
	{
		ErrorData  *error;

		MemoryContextSwitchTo(context);
		error = CopyErrorData();
		FlushErrorState();
		RollbackAndReleaseCurrentSubTransaction();
		CurrentResourceOwner = owner;
		if (ERRCODE_TO_CATEGORY(error->sqlerrcode) == ERRCODE_OPERATOR_INTERVENTION)
			ReThrowError(error);
		FreeErrorData(error);
	}
	PG_END_TRY();
	MemoryContextSwitchTo(context);
	CurrentResourceOwner = owner;
	compat_enter_parallel_mode(levels);
	return done;
}
