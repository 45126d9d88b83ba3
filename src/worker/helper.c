/*
 * helper.c
 *		The GPU process: a child of the supervisor that never runs PostgreSQL's code.
 *
 * The process is forked, not executed, because only so the buffer pool is
 * mapped.  It ends by _exit() alone, since the exit callbacks that the
 * supervisor has registered must not run in it.  PostgreSQL's shared memory is
 * made read-only, the small System V segment is detached, so that nothing of a
 * stopped server is held, and all files but standard error are closed.
 */
#include "postgres.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/shm.h>
#include <unistd.h>

#include "miscadmin.h"
#include "storage/bufmgr.h"
#include "storage/ipc.h"
#include "utils/ps_status.h"

#include "guc.h"
#include "tablet/cache/pool.h"
#include "worker/helper.h"
#include "worker/service.h"

#define MAPPINGS_MAX (1024 * 1024)

static void
close_files(void)
{
	int			limit = (int) sysconf(_SC_OPEN_MAX);

	for (int fd = 3; fd < Min(limit, 65536); fd++)
		close(fd);
}

static void
reset_signals(void)
{
	sigset_t	none;

	for (int sig = 1; sig < 32; sig++)
		signal(sig, SIG_DFL);
	/* the postmaster signals the supervisor's whole process group; only the supervisor ends this process */
	signal(SIGTERM, SIG_IGN);
	signal(SIGINT, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGUSR1, SIG_IGN);
	signal(SIGUSR2, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Protect or detach the mapping that a line of /proc/self/maps describes, if it is PostgreSQL's. */
static void
protect_mapping(const char *line)
{
	unsigned long begin;
	unsigned long end;
	uintptr_t	pool = (uintptr_t) BufferBlocks;

	if (sscanf(line, "%lx-%lx", &begin, &end) != 2)
		return;
	if (begin <= pool && pool < end)
		mprotect((void *) begin, end - begin, PROT_READ);
	else if (strstr(line, "/SYSV") != NULL)
		shmdt((void *) begin);
}

/* Make PostgreSQL's shared memory read-only and detach the System V segment; false if the mappings cannot be read. */
static bool
protect_shared_memory(void)
{
	char	   *maps = malloc(MAPPINGS_MAX);
	int			fd = open("/proc/self/maps", O_RDONLY);
	size_t		length = 0;
	ssize_t		n;

	if (maps == NULL || fd < 0)
		return false;
	while (length + 1 < MAPPINGS_MAX && (n = read(fd, maps + length, MAPPINGS_MAX - 1 - length)) > 0)
		length += n;
	maps[length] = '\0';
	close(fd);
	for (char *line = maps; line != NULL && *line != '\0';)
	{
		char	   *end = strchr(line, '\n');

		if (end != NULL)
			*end++ = '\0';
		protect_mapping(line);
		line = end;
	}
	free(maps);
	return true;
}

/* Load a provider's library and return the provider, or NULL with the reason in state->why. */
static const Provider *
load_provider(const char *name, ProviderState *state)
{
	char		path[MAXPGPATH];
	void	   *library;
	const Provider *(*get) (void);
	const Provider *provider;

	snprintf(path, sizeof(path), "%s/%s.so", pkglib_path, name);
	library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (library == NULL)
	{
		snprintf(state->why, sizeof(state->why), "library: %s", dlerror());
		state->final = true;
		return NULL;
	}
	get = (const Provider *(*) (void)) dlsym(library, PROVIDER_SYMBOL);
	provider = get != NULL ? get() : NULL;
	if (provider == NULL || provider->abi != PROVIDER_ABI)
	{
		snprintf(state->why, sizeof(state->why), "library: %s is of another version of gpudb", path);
		state->final = true;
		return NULL;
	}
	return provider;
}

static bool
start_provider(Channel *channel, const Provider **provider)
{
	ProviderState *state = &channel->provider_state;
	ProviderMemory memory = {
		.start = (uint8_t *) channel->every_tuple,
		.size = sizeof(Channel) - offsetof(Channel, every_tuple)
	};
	ProviderConfig config = {
		.device = gpudb_gpu, .memory = gpudb_gpu_memory < 0 ? 0 : (uint64) gpudb_gpu_memory * 1024 * 1024,
		.fault = &channel->fault, .sites = &channel->sites
	};

	*provider = load_provider(gpudb_provider == PROVIDER_CPU ? PROVIDER_LIBRARY_CPU : PROVIDER_LIBRARY, state);
	if (*provider == NULL || !(*provider)->start(&config, state))
		return false;
	snprintf(channel->provider, sizeof(channel->provider), "%s", (*provider)->name);
	if (!(*provider)->attach(&memory))
	{
		if (state->why[0] == '\0')
			snprintf(state->why, sizeof(state->why), "the device cannot read this machine's memory");
		return false;
	}
	return true;
}

static void
helper_main(pid_t parent)
{
	Channel    *channel = channel_get();
	const Provider *provider;
	SharedMemory buffers = {.start = (uint8 *) BufferBlocks, .bytes = (uint64) NBuffers * BLCKSZ};
	SharedMemory tablets = {.start = pool_start(), .bytes = pool_bytes()};

	on_exit_reset();
	init_ps_display("gpudb GPU process");
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(0);
	prctl(PR_SET_NAME, "gpudb gpu");
	reset_signals();
	close_files();
	memset(&channel->provider_state, 0, sizeof(channel->provider_state));
	if (!protect_shared_memory() || !start_provider(channel, &provider))
		_exit(channel->provider_state.final ? HELPER_EXIT_NO_DEVICE : HELPER_EXIT_LOST);
	pg_atomic_write_u32(&channel->state, HELPER_SERVING);
	service_run(channel, provider, buffers, tablets);
	_exit(HELPER_EXIT_LOST);
}

pid_t
helper_start(void)
{
	pid_t		parent = getpid();
	sigset_t	all;
	sigset_t	before;
	pid_t		child;

	/* no signal handler of the supervisor may run in the child */
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	child = fork();
	if (child == 0)
		helper_main(parent);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return child;
}
