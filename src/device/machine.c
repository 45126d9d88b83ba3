/*
 * machine.c
 *		Processors and memory, as limited by CPU affinity and control groups.
 *
 * Control groups have limits at each level, of which the tightest one counts.
 * Within a container the path in /proc may be the host's, and its directories
 * may be missing; then the group that is mounted at the top is the container's
 * own.
 */
#include "postgres.h"

#include <math.h>
#include <sched.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "access/xact.h"
#include "storage/dsm_impl.h"
#include "storage/fd.h"
#include "storage/proc.h"
#include "storage/procarray.h"

#include "device/machine.h"

/* Upper bound of the bytes of a segment, for each worker and once more: session state and queues. */
#define SEGMENT_WORKER	((uint64) 256 * 1024)

#define GROUPS	"/sys/fs/cgroup"

/* Limits that the postmaster found. */
static double quota = 0;		/* CPU quota in processors; 0 = no limit */
static uint64 memory = 0;

/* Read the first line of a file; return false if there is none. */
static bool
read_line(const char *path, char *line, int size)
{
	FILE	   *file = AllocateFile(path, "r");
	bool		there = file != NULL && fgets(line, size, file) != NULL;

	if (file != NULL)
		FreeFile(file);
	return there;
}

/* Return a number from a group's file; 0 if there is none, or no limit. */
static double
group_figure(const char *group, const char *name)
{
	char		path[MAXPGPATH];
	char		line[128];
	double		figure;

	snprintf(path, sizeof(path), "%s/%s", group, name);
	if (!read_line(path, line, sizeof(line)) || sscanf(line, "%lf", &figure) != 1 || figure <= 0)
		return 0;
	return figure;
}

/* Return the CPU quota of a group in processors; 0 = no limit. */
static double
group_quota(const char *group)
{
	char		path[MAXPGPATH];
	char		line[128];
	double		time;
	double		period;

	snprintf(path, sizeof(path), "%s/cpu.max", group);
	if (read_line(path, line, sizeof(line)))
		return sscanf(line, "%lf %lf", &time, &period) == 2 && period > 0 ? time / period : 0;
	time = group_figure(group, "cpu.cfs_quota_us");
	period = group_figure(group, "cpu.cfs_period_us");
	return period > 0 ? time / period : 0;
}

static double
group_memory(const char *group)
{
	const double most = group_figure(group, "memory.max");

	return most > 0 ? most : group_figure(group, "memory.limit_in_bytes");
}

/* Return the lesser of two limits, where 0 means no limit. */
static double
tighter(double a, double b)
{
	if (a == 0 || b == 0)
		return a + b;
	return Min(a, b);
}

/* Apply the limits of a group, and of all groups that contain it, to *time and *bytes. */
static void
look_at_groups(const char *root, const char *path, double *time, double *bytes)
{
	char		group[MAXPGPATH];
	char	   *slash;

	snprintf(group, sizeof(group), "%s%s", root, path);
	for (;;)
	{
		*time = tighter(*time, group_quota(group));
		*bytes = tighter(*bytes, group_memory(group));
		slash = strrchr(group, '/');
		if (strlen(group) <= strlen(root) || slash == NULL)
			return;
		*slash = '\0';
	}
}

/* Apply the limits of this process's groups; a line of /proc/self/cgroup has a number, controllers and a path. */
static void
look_at_own_groups(double *time, double *bytes)
{
	FILE	   *file = AllocateFile("/proc/self/cgroup", "r");
	char		line[MAXPGPATH];

	while (file != NULL && fgets(line, sizeof(line), file) != NULL)
	{
		char	   *controllers = strchr(line, ':');
		char	   *path = controllers != NULL ? strchr(controllers + 1, ':') : NULL;
		char		root[MAXPGPATH];

		if (path == NULL)
			continue;
		*path++ = '\0';
		path[strcspn(path, "\n")] = '\0';
		controllers++;
		snprintf(root, sizeof(root), "%s%s%s", GROUPS, controllers[0] != '\0' ? "/" : "", controllers);
		look_at_groups(root, path, time, bytes);
	}
	if (file != NULL)
		FreeFile(file);
}

/* Return the machine's memory in bytes; 0 = not known. */
static double
whole_memory(void)
{
	const long	pages = sysconf(_SC_PHYS_PAGES);

	return pages > 0 ? (double) pages * sysconf(_SC_PAGESIZE) : 0;
}

void
machine_init(void)
{
	double		time = 0;
	double		bytes = 0;

	look_at_own_groups(&time, &bytes);
	quota = time;
	memory = (uint64) tighter(bytes, whole_memory());
}

static int
count_processors(void)
{
	cpu_set_t	set;
	/* sched_getaffinity() fails if there are more processors than a cpu_set_t has bits */
	const int	bound = sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : (int) sysconf(_SC_NPROCESSORS_ONLN);

	if (quota > 0 && quota < bound)
		return Max((int) ceil(quota), 1);
	return Max(bound, 1);
}

int
machine_processors(void)
{
	static TimestampTz counted = 0;
	static int	processors;
	const TimestampTz statement = GetCurrentStatementStartTimestamp();

	/* planning a join of many relations asks thousands of times; outside of statements the timestamp is 0 */
	if (statement == 0 || statement != counted)
	{
		processors = count_processors();
		counted = statement;
	}
	return processors;
}

uint64
machine_memory(void)
{
	return memory;
}

uint64
machine_memory_available(void)
{
	FILE	   *file = (double) memory < whole_memory() ? NULL : AllocateFile("/proc/meminfo", "r");
	char		line[128];
	unsigned long long kilobytes = 0;

	while (file != NULL && kilobytes == 0 && fgets(line, sizeof(line), file) != NULL)
		(void) sscanf(line, "MemAvailable: %llu", &kilobytes);
	if (file != NULL)
		FreeFile(file);
	return (uint64) kilobytes * 1024;
}

bool
machine_has_segment(int nworkers)
{
	struct statvfs found;

	/* the room in other kinds of shared memory is not known */
	if (dynamic_shared_memory_type != DSM_IMPL_POSIX || statvfs("/dev/shm", &found) != 0)
		return true;
	return (uint64) found.f_bavail * found.f_frsize >= (nworkers + 1) * SEGMENT_WORKER;
}

int
machine_running(void)
{
	int			running = 0;

	/* values read without a lock may be slightly out of date */
	for (uint32 i = 0; i < ProcGlobal->allProcCount; i++)
	{
		PGPROC	   *process = &ProcGlobal->allProcs[i];

		/*
		 * processes of no database, such as the checkpointer, run no queries;
		 * entries of ended processes retain their contents
		 */
		if (process->pid != 0 && process != MyProc && OidIsValid(process->databaseId) && process->wait_event_info == 0)
			running += BackendPidGetProc(process->pid) == process;
	}
	return running;
}
