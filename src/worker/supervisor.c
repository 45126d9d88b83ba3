/*
 * supervisor.c
 *		The background worker that keeps the GPU process alive.
 *
 * The supervisor never calls CUDA, so it does not crash with it: a worker that
 * dies by a signal would make the postmaster restart all sessions.  Its child,
 * the GPU process, may die at any time: the supervisor reaps it, frees what
 * abandoned jobs hold, wakes the owners of the others, and starts another one:
 * at once if it has run batches, else after a pause that doubles with each such
 * failure, and after many in a row only after a long pause, the circuit breaker.
 *
 * While no query runs, the supervisor takes memory for the pool, so that the
 * first columns that are cached need not wait for it.
 */
#include "postgres.h"

#include <signal.h>
#include <sys/wait.h>

#include "access/xlog.h"
#include "access/xlogrecovery.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "postmaster/interrupt.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "utils/guc.h"
#include "utils/timestamp.h"

#include "device/channel.h"
#include "device/machine.h"
#include "device/pulse.h"
#include "guc.h"
#include "tablet/cache/pool.h"
#include "worker/helper.h"
#include "worker/supervisor.h"
#include "worker/workers.h"

/* Milliseconds that a GPU process may take to start. */
#define STARTUP_MS		60000

/*
 * Pauses in milliseconds after GPU processes that died without having run a
 * batch: doubled from one to the next, until the circuit breaker opens.
 */
#define FIRST_PAUSE_MS	100
#define SHORT_LIVES_MAX	6
#define BREAKER_PAUSE_MS (5 * 60 * 1000)

#define LOOK_MS			250

/* Milliseconds between two looks where there is no device, and where memory is wanted but a query runs. */
#define GIVEN_UP_MS		60000
#define BUSY_MS			1000

/* Milliseconds for which memory is taken between two looks at the GPU process. */
#define TAKE_MS			50

typedef struct Supervisor
{
	pid_t		helper;			/* the GPU process, 0 = none */
	int			short_lives;	/* number of GPU processes in a row that died without having run a batch */
	TimestampTz next_start;
	Pulse		pulse;
	bool		give_up;		/* there is no device: start no GPU process until the configuration is reloaded */
} Supervisor;

PGDLLEXPORT void gpudb_supervisor_main(Datum arg);

static void
child_ended(SIGNAL_ARGS)
{
	int			save_errno = errno;

	SetLatch(MyLatch);
	errno = save_errno;
}

static void
start_helper(Supervisor *self, Channel *channel)
{
	pg_atomic_write_u32(&channel->state, HELPER_STARTING);
	pg_atomic_fetch_add_u32(&channel->incarnation, 1);
	channel->batches = 0;
	channel->starts++;
	self->helper = helper_start();
	if (self->helper < 0)
	{
		ereport(LOG, (errmsg("gpudb: could not fork the GPU process: %m")));
		self->helper = channel->helper = 0;
		strlcpy(channel->said, "could not be forked", sizeof(channel->said));
		pg_atomic_write_u32(&channel->state, HELPER_DOWN);
		self->next_start = TimestampTzPlusMilliseconds(GetCurrentTimestamp(), 1000);
		return;
	}
	channel->helper = self->helper;
	pulse_begin(&self->pulse, self->helper, pg_atomic_read_u64(&channel->heartbeat));
}

/* Return how a GPU process ended, in words, in a static buffer. */
static const char *
cause_of_death(int status)
{
	static char text[64];

	if (WIFSIGNALED(status))
		snprintf(text, sizeof(text), "was terminated by signal %d", WTERMSIG(status));
	else if (WEXITSTATUS(status) == HELPER_EXIT_LOST)
		snprintf(text, sizeof(text), "lost the device");
	else
		snprintf(text, sizeof(text), "exited with code %d", WEXITSTATUS(status));
	return text;
}

/* Set when to start the next GPU process after one has died. */
static void
plan_restart(Supervisor *self, Channel *channel)
{
	int			pause = 0;

	self->short_lives = channel->batches > 0 ? 0 : self->short_lives + 1;
	if (self->short_lives > SHORT_LIVES_MAX)
	{
		pause = BREAKER_PAUSE_MS;
		self->short_lives = 0;
		pg_atomic_write_u32(&channel->state, HELPER_BROKEN);
		ereport(WARNING,
				(errmsg("gpudb: the GPU process ended %d times without having run a query; the next one starts in %d minutes",
						SHORT_LIVES_MAX + 1, BREAKER_PAUSE_MS / 60000)));
	}
	else if (self->short_lives > 0)
		pause = FIRST_PAUSE_MS << (self->short_lives - 1);
	self->next_start = TimestampTzPlusMilliseconds(GetCurrentTimestamp(), pause);
}

/* Report the end of the GPU process, release what its requesters hold, and plan the next start. */
static void
bury_helper(Supervisor *self, Channel *channel, int status)
{
	const char *why = channel->provider_state.why;

	self->helper = 0;
	channel->helper = 0;
	if (WIFEXITED(status) && WEXITSTATUS(status) == HELPER_EXIT_NO_DEVICE)
	{
		self->give_up = true;
		pg_atomic_write_u32(&channel->state, HELPER_NO_DEVICE);
		ereport(LOG, (errmsg("gpudb: no GPU, queries run on the CPU device (%s)", why)));
	}
	else
	{
		pg_atomic_write_u32(&channel->state, HELPER_DOWN);
		snprintf(channel->said, sizeof(channel->said), "%s%s%.180s", cause_of_death(status), why[0] ? ": " : "", why);
		ereport(LOG, (errmsg("gpudb: the GPU process %s", channel->said)));
		plan_restart(self, channel);
	}
	channel_helper_gone();
}

/* Reap the GPU process if it has ended, and kill it if its heartbeat has stopped. */
static void
look_after_helper(Supervisor *self, Channel *channel)
{
	const uint64 beats = pg_atomic_read_u64(&channel->heartbeat);
	bool		starting = pg_atomic_read_u32(&channel->state) == HELPER_STARTING;
	int			status;

	if (waitpid(self->helper, &status, WNOHANG) == self->helper)
	{
		bury_helper(self, channel, status);
		return;
	}
	if (pulse_is_lost(&self->pulse, self->helper, beats, starting ? STARTUP_MS : gpudb_debug_silence))
	{
		ereport(LOG, (errmsg("gpudb: the GPU process does not answer and is ended")));
		kill(self->helper, SIGKILL);
		pulse_begin(&self->pulse, self->helper, beats);
	}
}

static void
end_helper(Supervisor *self)
{
	int			status;

	if (self->helper == 0)
		return;
	kill(self->helper, SIGKILL);
	while (waitpid(self->helper, &status, 0) < 0 && errno == EINTR)
		;
	self->helper = 0;
	pg_atomic_write_u32(&channel_get()->state, HELPER_DOWN);
	channel_helper_gone();
}

static void
end_helper_at_exit(int code, Datum arg)
{
	end_helper((Supervisor *) DatumGetPointer(arg));
}

/* Return true if memory is to be taken for columns that nobody has built yet. */
static bool
wants_memory(void)
{
	return gpudb_auto_prewarm && gpudb_enabled && gpudb_cache && pool_exists() && pool_wants_memory();
}

/*
 * Take memory for columns to be cached while no query runs and the server does
 * not recover, for TAKE_MS at most.  Return the milliseconds until the next
 * attempt: `pause_ms`, or less if more memory is wanted.
 */
static long
take_memory_ahead(long pause_ms)
{
	const TimestampTz begun = GetCurrentTimestamp();

	while (wants_memory())
	{
		if ((RecoveryInProgress() && !HotStandbyActive()) || machine_running() > 0 || !pool_take_ahead())
			return Min(pause_ms, BUSY_MS);
		if (TimestampDifferenceExceeds(begun, GetCurrentTimestamp(), TAKE_MS))
			return 1;
	}
	return pause_ms;
}

void
gpudb_supervisor_main(Datum arg)
{
	static Supervisor self;
	Channel    *channel = channel_get();

	pqsignal(SIGTERM, SignalHandlerForShutdownRequest);
	pqsignal(SIGHUP, SignalHandlerForConfigReload);
	pqsignal(SIGCHLD, child_ended);
	BackgroundWorkerUnblockSignals();
	before_shmem_exit(end_helper_at_exit, PointerGetDatum(&self));
	/* requests name their GPU process by its incarnation: start from a number that an earlier one has not used */
	pg_atomic_write_u32(&channel->incarnation, (uint32) GetCurrentTimestamp());
	while (!ShutdownRequestPending)
	{
		if (self.helper > 0)
			look_after_helper(&self, channel);
		if (self.helper == 0 && !self.give_up && GetCurrentTimestamp() >= self.next_start)
			start_helper(&self, channel);
		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
						 take_memory_ahead(self.give_up ? GIVEN_UP_MS : LOOK_MS), PG_WAIT_EXTENSION);
		ResetLatch(MyLatch);
		CHECK_FOR_INTERRUPTS();
		/* after a change of hardware or driver, a reload of the configuration makes it try again */
		if (ConfigReloadPending)
		{
			ConfigReloadPending = false;
			ProcessConfigFile(PGC_SIGHUP);
			self.give_up = false;
		}
	}
	end_helper(&self);
	/* the postmaster starts another supervisor, unless the server stops */
	proc_exit(1);
}

/* True if the worker is registered; set in the postmaster and inherited by all processes. */
static bool registered;

void
supervisor_register(void)
{
	BackgroundWorker worker = {
		.bgw_name = "gpudb supervisor", .bgw_type = "gpudb supervisor",
		.bgw_flags = BGWORKER_SHMEM_ACCESS, .bgw_start_time = BgWorkerStart_PostmasterStart,
		.bgw_restart_time = 5, .bgw_library_name = "gpudb", .bgw_function_name = "gpudb_supervisor_main"
	};

	if (gpudb_provider != PROVIDER_NONE)
		registered = worker_register(&worker);
}

bool
supervisor_is_registered(void)
{
	return registered;
}
