/*
 * calibration.c
 *		Figures of this machine that the cost model uses: in shared memory, and in a file.
 *
 *		gpudb calibration VERSION
 *		machine NUMBER
 *		time NUMBER				PostgreSQL's, in microseconds
 *		NAME VALUE TIMES		for each measured figure, the mean of TIMES calibrations
 *		checksum NUMBER			of all lines before
 */
#include "postgres.h"

#include <math.h>
#include <unistd.h>

#include "funcapi.h"
#include "miscadmin.h"
#include "port/atomics.h"
#include "storage/fd.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"

#include "core/hash.h"
#include "core/target.h"
#include "device/calibration.h"
#include "device/machine.h"
#include "device/mapping.h"
#include "guc.h"

#define CALIBRATION_FILE "gpudb.calibration"
#define CALIBRATION_VERSION 8
#define FILE_MOST 8192
#define TIMES_COUNT 4			/* a further calibration counts for at least 1/4 of the mean */
#define OTHER_MACHINE 3.0		/* a figure that differs by this factor is from another or a changed machine */

typedef struct Shared
{
	pg_atomic_uint64 figure[FIGURE_Count];	/* bits of a double; NaN = not measured */
	pg_atomic_uint32 times[FIGURE_Count];	/* number of calibrations that the figure is the mean of */
	pg_atomic_uint64 time;		/* time of the last calibration, 0 = none */
} Shared;

static const struct
{
	const char *name;
	const char *device;
	double		guess;
	double		factor;			/* factor by which a plausible value may differ from the guess */
	const char *meaning;
}			figures[] = {
#define FIGURE(name, device, value, factor, meaning) {#name, device, value, factor, meaning},
#include "device/calibration.def"
#undef FIGURE
};

static Shared *shared = NULL;

static double
measured(int figure)
{
	return float_of_bits(pg_atomic_read_u64(&shared->figure[figure]));
}

static void
publish(int figure, double value, int times)
{
	pg_atomic_write_u64(&shared->figure[figure], bits_of_float(value));
	pg_atomic_write_u32(&shared->times[figure], (uint32) times);
}

/*
 * Return true if a machine could have shown the value; a NaN is not plausible.
 * With the CPU provider, for tests, any positive value of the GPU is accepted.
 */
static bool
is_plausible(int figure, double value)
{
	if (gpudb_provider == PROVIDER_CPU && strcmp(figures[figure].device, "gpu") == 0)
		return value > 0;
	return value * figures[figure].factor >= figures[figure].guess && value <= figures[figure].guess * figures[figure].factor;
}

/* Return a number that identifies this machine by its processors. */
static uint64
machine_number(void)
{
	uint64		number = (uint64) machine_processors();
	FILE	   *file = AllocateFile("/proc/cpuinfo", "r");
	char		line[512];

	while (file != NULL && fgets(line, sizeof(line), file) != NULL)
		if (strncmp(line, "model name", 10) == 0)
		{
			number = hash_combine(number, hash_bytes((const uint8 *) line, (uint32) strlen(line)));
			break;
		}
	if (file != NULL)
		FreeFile(file);
	return number;
}

static uint64
checksum(const char *text, size_t length)
{
	return hash_bytes((const uint8 *) text, (uint32) length);
}

/* Publish the figures of a file's text, which is modified.  Returns NULL, or a message about the fault of the file. */
static const char *
parse(char *text)
{
	char	   *last = strstr(text, "checksum ");
	char	   *line;
	char	   *rest;
	double		value[FIGURE_Count];
	int			times[FIGURE_Count];
	uint64		machine = 0;
	uint64		time = 0;

	if (last == NULL || strtou64(last + strlen("checksum "), NULL, 10) != checksum(text, (size_t) (last - text)))
		return "it is damaged";
	*last = '\0';
	for (int f = 0; f < FIGURE_Count; f++)
		value[f] = NAN;
	line = strtok_r(text, "\n", &rest);
	if (line == NULL || strcmp(line, psprintf("gpudb calibration %d", CALIBRATION_VERSION)) != 0)
		return "it is of another version of gpudb";
	while ((line = strtok_r(NULL, "\n", &rest)) != NULL)
	{
		char	   *number = strchr(line, ' ');

		if (number == NULL)
			return "it is damaged";
		*number++ = '\0';
		if (strcmp(line, "machine") == 0)
			machine = strtou64(number, NULL, 10);
		else if (strcmp(line, "time") == 0)
			time = strtou64(number, NULL, 10);
		for (int f = 0; f < FIGURE_Count; f++)
			if (strcmp(line, figures[f].name) == 0)
			{
				value[f] = strtod(number, &number);
				times[f] = (int) strtol(number, NULL, 10);
			}
	}
	if (machine != machine_number())
		return "it is of another machine";
	for (int f = 0; f < FIGURE_Count; f++)
		if (is_plausible(f, value[f]))
			publish(f, value[f], times[f]);
	pg_atomic_write_u64(&shared->time, time);
	return NULL;
}

void
calibration_create(void)
{
	char		text[FILE_MOST + 1];
	FILE	   *file;
	size_t		length;
	const char *wrong;

	if (shared != NULL)
		mapping_drop(shared, sizeof(Shared));
	shared = mapping_create(sizeof(Shared));
	for (int f = 0; f < FIGURE_Count; f++)
	{
		pg_atomic_init_u64(&shared->figure[f], bits_of_float(NAN));
		pg_atomic_init_u32(&shared->times[f], 0);
	}
	pg_atomic_init_u64(&shared->time, 0);
	file = AllocateFile(CALIBRATION_FILE, "r");
	if (file == NULL)
		return;
	length = fread(text, 1, FILE_MOST, file);
	FreeFile(file);
	text[length] = '\0';
	wrong = parse(text);
	if (wrong != NULL)
		ereport(WARNING,
				(errmsg("gpudb does not use the calibration in file \"%s\": %s", CALIBRATION_FILE, wrong),
				 errhint("SELECT gpudb.calibrate() makes a new one.")));
}

double
calibration_figure(Figure figure)
{
	double		value = shared != NULL ? measured(figure) : NAN;

	return isnan(value) ? figures[figure].guess : value;
}

bool
calibration_measured(Figure figure)
{
	return shared != NULL && !isnan(measured(figure));
}

TimestampTz
calibration_time(void)
{
	return shared != NULL ? (TimestampTz) pg_atomic_read_u64(&shared->time) : 0;
}

/* Write the file anew; the old file stays if that raises an error. */
static void
write_file(uint64 time)
{
	StringInfoData text;
	FILE	   *file;

	initStringInfo(&text);
	appendStringInfo(&text, "gpudb calibration %d\nmachine " UINT64_FORMAT "\ntime " UINT64_FORMAT "\n",
					 CALIBRATION_VERSION, machine_number(), time);
	for (int f = 0; f < FIGURE_Count; f++)
		if (!isnan(measured(f)))
			appendStringInfo(&text, "%s %.17g %u\n", figures[f].name, measured(f), pg_atomic_read_u32(&shared->times[f]));
	appendStringInfo(&text, "checksum " UINT64_FORMAT "\n", checksum(text.data, text.len));
	file = AllocateFile(CALIBRATION_FILE ".new", "w");
	if (file == NULL || fwrite(text.data, 1, text.len, file) != (size_t) text.len || FreeFile(file) != 0)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not write file \"%s\": %m", CALIBRATION_FILE ".new")));
	durable_rename(CALIBRATION_FILE ".new", CALIBRATION_FILE, ERROR);
}

/* Publish a figure that a further calibration has found: the updated mean, or the new value if it differs too much. */
static void
refine(int figure, double found)
{
	const double known = measured(figure);
	const int	times = (int) pg_atomic_read_u32(&shared->times[figure]) + 1;

	if (Max(found, known) < OTHER_MACHINE * Min(found, known))
		publish(figure, known * pow(found / known, 1.0 / Min(times, TIMES_COUNT)), times);
	else
		publish(figure, found, 1);
}

void
calibration_store(const double *values, bool anew)
{
	uint64		time = (uint64) GetCurrentTimestamp();
	StringInfoData doubted;

	initStringInfo(&doubted);
	for (int f = 0; f < FIGURE_Count; f++)
	{
		if (isnan(values[f]))
			continue;
		if (!is_plausible(f, values[f]))
		{
			appendStringInfo(&doubted, "%s%s = %g", doubted.len > 0 ? ", " : "", figures[f].name, values[f]);
			continue;
		}
		if (anew || !calibration_measured((Figure) f))
			publish(f, values[f], 1);
		else
			refine(f, values[f]);
	}
	pg_atomic_write_u64(&shared->time, time);
	write_file(time);
	if (doubted.len > 0)
		ereport(WARNING,
				(errmsg("gpudb does not believe some figures of this calibration: %s", doubted.data),
				 errdetail("No machine is known to be so fast or so slow. Figures known before, or guesses, stay in their place."),
				 errhint("Calibrate when the machine is otherwise idle: SELECT gpudb.calibrate().")));
}

extern PGDLLEXPORT Datum gpudb_calibration(PG_FUNCTION_ARGS);

PG_FUNCTION_INFO_V1(gpudb_calibration);

/* gpudb.calibration(): return a row (figure, device, nanoseconds, measured, calibrations, meaning) per figure */
Datum
gpudb_calibration(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;

	InitMaterializedSRF(fcinfo, 0);
	for (int f = 0; f < FIGURE_Count; f++)
	{
		bool		known = calibration_measured((Figure) f);
		Datum		values[6] = {
			CStringGetTextDatum(figures[f].name), CStringGetTextDatum(figures[f].device),
			Float8GetDatum(calibration_figure((Figure) f)),
			known ? TimestampTzGetDatum(calibration_time()) : (Datum) 0,
			Int32GetDatum(shared != NULL ? (int32) pg_atomic_read_u32(&shared->times[f]) : 0),
			CStringGetTextDatum(figures[f].meaning)
		};
		bool		nulls[6] = {false, false, false, !known, false, false};

		tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	}
	return (Datum) 0;
}
