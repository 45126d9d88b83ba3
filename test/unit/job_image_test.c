/*
 * job_image_test.c
 *		Jobs as blocks of bytes: what job_image_open() lets through stays inside its memory.
 *
 * Programs and plans over random tables are written into images.  A copy that
 * is opened must hold what was written.  A copy that is cut short, or has
 * bytes changed, must be refused, or deform real pages and run its program, as
 * the GPU process would, without leaving the image, the tablet, the pages,
 * the registers, the groups and the output; all of these lie between pages
 * that may not be touched.
 *
 * Changed images are opened in a child process.  When one dies the next child
 * goes on behind it.
 */
#include "core/tablet/deform_fast.h"
#include "core/job_image.h"
#include "assembler.h"
#include "deform_tables.h"
#include "fixture.h"
#include "interpreters.h"
#include "tap.h"

/* Larger tablets are refused by the GPU process for want of memory. */
#define TABLET_LIMIT (4u * 1024 * 1024)

typedef struct Job
{
	const char *name;
	DeformPlan *plan[2];
	uint16_t	types[2][MAX_COLUMNS];
	bool		not_null[MAX_COLUMNS];
	DeformSpec	spec;
	Program    *program;
	uint32_t	program_size;
	JobImage   *image;
	uint32_t	size;
} Job;

static const Interpreter *const vm = &interpreters[1];
static Table table;
static Job job;

/* Making a job */

/* Give numerics of a random table both forms: all narrow, then all wide. */
static void
make_narrow(Table *t)
{
	uint32_t	a;

	for (a = 0; a < t->natts; a++)
	{
		DeformAttr *d = &t->attr[a].deform;

		if (d->kind != DEFORM_DECIMAL)
			continue;
		d->wide = 0;
		if (d->column >= 0)
			t->types[d->column] = COLTYPE_I64;
		random_missing(t, a);
	}
}

static DeformPlan *
make_plan(const Table *t, int wide, uint16_t *types)
{
	DeformPlan *plan = (DeformPlan *) calloc(1, sizeof(DeformPlan) + HEAP_MAX_ATTRS * sizeof(DeformAttr));
	uint32_t	a;

	memcpy(types, t->types, sizeof(t->types));
	plan->natts = t->natts;
	plan->ncolumns = t->ncolumns;
	plan->missing_bytes = t->missing_bytes;
	for (a = 0; a < t->natts; a++)
	{
		DeformAttr *d = &plan->attr[a];

		*d = t->attr[a].deform;
		plan->var_columns += d->kind == DEFORM_TEXT || d->kind == DEFORM_NAME;
		if (d->kind == DEFORM_DECIMAL)
			d->wide = wide != 0;
		if (d->kind == DEFORM_DECIMAL && d->column >= 0 && wide)
			types[d->column] = COLTYPE_I128;
	}
	return plan;
}

/* Emit the total of a column, in a state that both bodies have; in groups if the register of group numbers is not 0. */
static void
emit_total(Assembler *as, uint16_t type, int column, int body, int state, int g)
{
	switch ((ColType) type)
	{
		case COLTYPE_BOOL:
			asm_emit(as, VMOP_LOAD_B, 2, 0, 0, 0, column);
			asm_emit(as, VMOP_MASK_TRUE, 3, 2, 0, 0, 0);
			asm_emit(as, g ? VMOP_COUNT_G : VMOP_COUNT, 0, 2, g, 3, state);
			break;
		case COLTYPE_F32:
		case COLTYPE_F64:
			asm_emit(as, VMOP_LOAD_F, 2, 0, 0, 0, column);
			asm_emit(as, g ? VMOP_SUM_F_G : VMOP_SUM_F, 0, 2, g, 0, state);
			break;
		case COLTYPE_TEXT:
			asm_emit(as, VMOP_LOAD_T, 2, 0, 0, 0, column);
			asm_emit(as, g ? VMOP_RESERVE_T_G : VMOP_RESERVE_T, 0, 2, g, 0, state);
			asm_emit(as, g ? VMOP_MAX_T_G : VMOP_MAX_T, 0, 2, g, 0, state);
			break;
		default:
			asm_emit(as, body == BODY_WIDE || type == COLTYPE_I128 ? VMOP_LOAD_W : VMOP_LOAD_I, 2, 0, 0, 0, column);
			if (body == BODY_WIDE || type == COLTYPE_I128)
				asm_emit(as, g ? VMOP_SUM_W_G : VMOP_SUM_W, 0, 2, g, 0, state);
			else
				asm_emit(as, g ? VMOP_SUM_I_G : VMOP_SUM_I, 0, 2, g, 0, state);
			break;
	}
}

static StateKind
state_for(uint16_t type)
{
	return type == COLTYPE_BOOL ? STATE_COUNT : type == COLTYPE_F32 || type == COLTYPE_F64 ? STATE_SUM_F
		: type == COLTYPE_TEXT ? STATE_MAX_T : STATE_SUM;
}

/* Build a program with totals of every column, in groups by the first integer if `grouped`. */
static Program *
build_totals(const Table *t, bool grouped)
{
	static Assembler as;
	int			state[MAX_COLUMNS];
	int			by = -1;
	int			key = 0;
	uint32_t	c;

	asm_init(&as, (int) t->ncolumns, true);
	for (c = 0; c < t->ncolumns && grouped && by < 0; c++)
		if (t->types[c] == COLTYPE_I16 || t->types[c] == COLTYPE_I32 || t->types[c] == COLTYPE_U8)
			by = (int) c;
	if (by >= 0)
		key = asm_key(&as, KEY_WORD);
	for (c = 0; c < t->ncolumns; c++)
		state[c] = asm_state(&as, state_for(t->types[c]));
	for (as.body = BODY_NARROW; as.body <= BODY_WIDE; as.body++)
	{
		if (by >= 0)
		{
			asm_emit(&as, VMOP_CONST_I, 1, 0, 0, 0, asm_word(&as, 7));
			asm_emit(&as, VMOP_LOAD_I, 4, 0, 0, 0, by);
			asm_emit(&as, VMOP_KEY_I, 5, 4, 1, 0, key);
			asm_emit(&as, VMOP_GROUP, 6, 5, 0, 0, 0);
		}
		for (c = 0; c < t->ncolumns; c++)
			emit_total(&as, t->types[c], (int) c, as.body, state[c], by >= 0 ? 6 : 0);
	}
	return asm_finish(&as);
}

/* Build a program that reads every column, compares some, and returns rows. */
static Program *
build_rows(const Table *t)
{
	static Assembler as;
	int			text;
	uint32_t	c;

	asm_init(&as, (int) t->ncolumns, false);
	text = asm_word(&as, asm_text(&as, "tablet", 6));
	asm_emit(&as, VMOP_CONST_T, 1, 0, 0, 0, text)->c = 0;
	for (c = 0; c < t->ncolumns; c++)
		switch ((ColType) t->types[c])
		{
			case COLTYPE_BOOL:
				asm_emit(&as, VMOP_LOAD_B, 4, 0, 0, 0, (int) c);
				break;
			case COLTYPE_F32:
			case COLTYPE_F64:
				asm_emit(&as, VMOP_LOAD_F, 5, 0, 0, 0, (int) c);
				break;
			case COLTYPE_TEXT:
				asm_emit(&as, VMOP_LOAD_T, 6, 0, 0, 0, (int) c);
				asm_emit(&as, VMOP_LT_T, 7, 6, 1, 0, 0);
				asm_emit(&as, VMOP_IN_T, 8, 6, 0, 0, text)->c = 1;
				break;
			default:
				asm_emit(&as, VMOP_LOAD_W, 2, 0, 0, 0, (int) c);
				asm_emit(&as, VMOP_LT_W, 7, 2, 2, 0, 0);
				break;
		}
	asm_emit(&as, VMOP_EMIT, 0, 0, 0, 0, 0);
	return asm_finish(&as);
}

static void
make_job(Job *j, const Table *t, const char *name, Program *program)
{
	uint32_t	c;
	uint32_t	a;

	memset(j, 0, sizeof(*j));
	j->name = name;
	for (int wide = 0; wide < 2; wide++)
	{
		j->plan[wide] = make_plan(t, wide, j->types[wide]);
		j->spec.plan[wide] = j->plan[wide];
		j->spec.types[wide] = j->types[wide];
	}
	for (c = 0; c < t->ncolumns; c++)
		j->not_null[c] = random_below(2);
	j->spec.not_null = j->not_null;
	/* not always a multiple of 8 */
	j->spec.missing_size = t->natts * MISSING_ROOM + (t->natts < HEAP_MAX_ATTRS ? random_below(8) : 0);
	for (a = 0; a < t->natts; a++)
		if (t->attr[a].deform.kind == DEFORM_TEXT || t->attr[a].deform.kind == DEFORM_NAME)
			j->spec.missing_text += t->missing[a].length;
	j->program = program;
	j->program_size = program->size;
	j->size = (uint32_t) job_image_size(program, &j->spec);
	j->image = (JobImage *) guard_alloc(j->size, 8);
	job_image_write(j->image, program, &j->spec);
}

static void
free_job(Job *j)
{
	guard_free(j->image, j->size, 8);
	program_free(j->program, j->program_size);
	free(j->plan[0]);
	free(j->plan[1]);
}

/* Make a random table with a job over it; `kind` chooses the program. */
static void
random_job(int kind)
{
	static const char *const names[] = {"totals", "groups", "rows"};

	do
	{
		random_schema(&table, MOOD_MIXED);
		make_narrow(&table);
	} while (table.ncolumns == 0 || table.ncolumns > 30);
	fill_pages(&table, 2, 12, MOOD_MIXED);
	make_job(&job, &table, names[kind], kind == 2 ? build_rows(&table) : build_totals(&table, kind == 1));
}

static void
free_all(void)
{
	free_job(&job);
	free_table(&table);
}

/* Running an image that was accepted */

static DeviceStatus
run_program(const Program *program, const Tablet *tablet)
{
	GroupTable	groups;
	VmRun		run;
	DeviceStatus status;
	int			pauses = 0;
	int			body = program_choose_body(program, tablet);

	table_open(&groups, program, program->grouped ? 32 : 1, 64);
	run_open(&run, program, body, tablet, vm->tile);
	run.groups = &groups;
	run.out_capacity = tablet->nrows;
	run.out = (uint32_t *) guard_alloc(tablet->nrows * sizeof(uint32_t), 4);
	while ((status = vm->run(&run)) == STATUS_TABLE_FULL && pauses++ < 7)
		table_grow(&groups, program->row_words, groups.capacity * (program->grouped && groups.capacity < 512 ? 2 : 1),
				   groups.heap_capacity * 4);
	guard_free(run.out, tablet->nrows * sizeof(uint32_t), 4);
	run_close(&run, vm->tile);
	table_free(&groups);
	return status;
}

/* Deform the table's pages and run the program, as the GPU process does; `wide` as after NEEDS_WIDE. */
static DeviceStatus
run_form(const JobView *view, int wide)
{
	const DeformSpec *deform = &view->deform;
	const PageList *pages = &table.list;
	uint64_t	var = deform_var_bytes(deform, pages->npages, pages->nrows);
	uint64_t	size = tablet_size(deform->types[wide], view->program->ncolumns, pages->nrows, var);
	DeviceStatus status;
	Tablet	   *tablet;

	if (size > TABLET_LIMIT)
		return STATUS_MEMORY_LIMIT;
	tablet = (Tablet *) guard_alloc(size, 64);
	tablet_layout(tablet, deform->types[wide], view->program->ncolumns, pages->nrows, var);
	status = deform_pages(deform->plan[wide], pages, tablet);
	if (status == STATUS_DONE)
		status = deform_check(deform, tablet);
	if (status == STATUS_DONE)
		status = run_program(view->program, tablet);
	guard_free(tablet, size, 64);
	return status;
}

/* Open a copy of `size` bytes with an error in it; run it if it is accepted, and return whether it was. */
static bool
open_and_run(const JobImage *changed, uint32_t size)
{
	JobImage   *copy = (JobImage *) guard_alloc(size, 8);
	JobView		view;
	bool		accepted;

	memcpy(copy, changed, size);
	accepted = job_image_open(copy, size, &view) == STATUS_DONE;
	if (accepted)
	{
		run_form(&view, 0);
		run_form(&view, 1);
	}
	guard_free(copy, size, 8);
	return accepted;
}

/* Tests */

static void
test_copies(void)
{
	int			round;

	tap_begin("a copy holds what was written, and runs");
	for (round = 0; round < 300; round++)
	{
		JobImage   *copy;
		JobView		view;
		DeviceStatus status;

		random_job(round % 3);
		copy = (JobImage *) guard_alloc(job.size, 8);
		memcpy(copy, job.image, job.size);
		status = job_image_open(copy, job.size, &view);
		if (tap_expect(status == STATUS_DONE, "round %d, %s: '%s'", round, job.name, status_text(status)))
		{
			uint32_t	n = table.ncolumns;

			tap_expect(memcmp(view.program, job.program, job.program_size) == 0, "round %d: program", round);
			for (int wide = 0; wide < 2; wide++)
			{
				const DeformPlan *plan = view.deform.plan[wide];

				tap_expect(plan->natts == table.natts && plan->ncolumns == n &&
						   plan->var_columns == job.plan[wide]->var_columns, "round %d: plan %d", round, wide);
				tap_expect(memcmp(plan->attr, job.plan[wide]->attr, table.natts * sizeof(DeformAttr)) == 0,
						   "round %d: attributes of plan %d", round, wide);
				tap_expect(memcmp(view.deform.types[wide], job.types[wide], n * sizeof(uint16_t)) == 0,
						   "round %d: types of plan %d", round, wide);
				tap_expect(memcmp(plan->missing_bytes, table.missing_bytes, job.spec.missing_size) == 0,
						   "round %d: missing values of plan %d", round, wide);
				status = run_form(&view, wide);
				tap_expect(status == STATUS_DONE || status == STATUS_UNEXPECTED_NULL || status == STATUS_SCALE_EXCEEDED ||
						   status == STATUS_VALUE_OUT_OF_RANGE || status == STATUS_DECIMAL_TOO_WIDE ||
						   status == STATUS_FLOAT_TOTAL || status == STATUS_NEEDS_WIDE,
						   "round %d, form %d: '%s'", round, wide, status_text(status));
			}
			tap_expect(memcmp(view.deform.not_null, job.not_null, n) == 0, "round %d: NOT NULLs", round);
			tap_expect(view.deform.missing_size == job.spec.missing_size &&
					   view.deform.missing_text == job.spec.missing_text, "round %d: sizes", round);
		}
		guard_free(copy, job.size, 8);
		free_all();
	}
	tap_end();
}

/* Open images that end early, with their size field as it was, and corrected. */
static void
open_truncated(void *arg, Progress *progress)
{
	uint32_t	end = job.image->missing + job.image->missing_size;
	uint32_t	size;

	for (size = 0; size < job.size; size++)
	{
		JobImage   *copy = (JobImage *) guard_alloc(size, 8);

		for (int truthful = 0; truthful < 2; truthful++)
		{
			JobView		view;
			bool		accepted;

			memcpy(copy, job.image, size);
			if (truthful && size >= sizeof(JobImage))
				copy->size = size;
			accepted = job_image_open(copy, size, &view) == STATUS_DONE;
			/* behind the last part there is only padding */
			if (accepted && (!truthful || size < end))
				progress->trials++;
		}
		guard_free(copy, size, 8);
	}
}

static void
test_truncated(void)
{
	int			kind;

	tap_begin("truncated images are refused");
	for (kind = 0; kind < 3; kind++)
	{
		Progress   *progress = progress_make();

		random_seed((uint64_t) kind + 900);
		random_job(kind);
		tap_expect(survives(open_truncated, NULL, progress), "%s: the check reads behind the end", job.name);
		tap_expect(progress->trials == 0, "%s: %ld were accepted", job.name, progress->trials);
		free_all();
	}
	tap_end();
}

static const char *
part_of(const JobImage *image, uint32_t at)
{
	const struct
	{
		uint32_t	start;
		const char *name;
	}			parts[] = {
		{image->missing, "missing bytes"}, {image->not_null, "NOT NULLs"}, {image->types[1], "wide types"},
		{image->plan[1], "wide plan"}, {image->types[0], "narrow types"}, {image->plan[0], "narrow plan"},
		{image->program, "program"}, {0, "header"}
	};
	size_t		i = 0;

	while (at < parts[i].start)
		i++;
	return parts[i].name;
}

/* Number of ways to change a byte. */
#define FLIPS 6

static uint8_t
flipped(uint8_t byte, int flip)
{
	const uint8_t changed[FLIPS] = {
		(uint8_t) ~byte, (uint8_t) (byte + 1), (uint8_t) (byte - 1), (uint8_t) (byte ^ 0x80), (uint8_t) (byte ^ 8), 0
	};

	return changed[flip];
}

/* Change each byte in turn. */
static void
flip_bytes(void *arg, Progress *progress)
{
	JobImage   *changed = (JobImage *) malloc(job.size);
	uint8_t    *bytes = (uint8_t *) changed;
	long		trial;

	memcpy(changed, job.image, job.size);
	for (trial = progress->at; trial < (long) job.size * FLIPS; trial++)
	{
		uint32_t	at = (uint32_t) trial / FLIPS;
		uint8_t		old = bytes[at];

		progress->at = trial + 1;
		bytes[at] = flipped(old, (int) (trial % FLIPS));
		snprintf(progress->note, sizeof(progress->note), "%s, seed %d: byte %u (%s): %02x instead of %02x", job.name,
				 *(int *) arg, at, part_of(job.image, at), bytes[at], old);
		progress->trials += open_and_run(changed, job.size);
		bytes[at] = old;
	}
	free(changed);
}

/* Change several bytes at once, often in one part: fields of plans and of the header, to numbers near their edges. */
static void
garble_bytes(void *arg, Progress *progress)
{
	JobImage   *changed = (JobImage *) malloc(job.size);
	uint8_t    *bytes = (uint8_t *) changed;
	long		trial;

	for (trial = progress->at; trial < 6000; trial++)
	{
		uint32_t	at = 0;
		int			n;

		random_seed((uint64_t) trial + (uint64_t) *(int *) arg * 100000);
		progress->at = trial + 1;
		memcpy(changed, job.image, job.size);
		for (n = 1 + (int) random_below(4); n > 0; n--)
		{
			static const int16_t edges[] = {-1, 0, 1, 2, 8, 16, 38, 39, INT16_MAX, INT16_MIN, 255, 256};

			/* more often behind the program than in it */
			if (at == 0 || random_below(2))
				at = random_below(3) ? job.image->plan[0] + random_below(job.size - job.image->plan[0]) : random_below(job.size);
			else
				at += random_below(40);
			if (at + 2 > job.size)
				at = job.size - 2;
			if (random_below(3))
				bytes[at] = (uint8_t) (random_below(2) ? random_u64() : random_below(32));
			else
				memcpy(bytes + at / 2 * 2, &edges[random_below(lengthof(edges))], 2);
		}
		snprintf(progress->note, sizeof(progress->note), "%s, seed %d, trial %ld: last in %s", job.name, *(int *) arg, trial,
				 part_of(job.image, at));
		progress->trials += open_and_run(changed, job.size);
	}
	free(changed);
}

static void
test_changes(const char *name, void (*function) (void *arg, Progress *progress), int seeds)
{
	long		tried = 0;
	long		accepted = 0;
	int			seed;

	tap_begin(name);
	for (seed = 0; seed < seeds; seed++)
	{
		Progress   *progress = progress_make();
		long		started = -1;
		int			deaths = 0;

		random_seed((uint64_t) seed + 1000);
		random_job(seed % 3);
		while (started != progress->at && deaths < 100)
		{
			bool		alive;

			started = progress->at;
			alive = survives(function, &seed, progress);
			tap_expect(alive, "accepted and died: %s", progress->note);
			if (alive)
				break;
			deaths++;
		}
		tried += progress->at;
		accepted += progress->trials;
		free_all();
	}
	tap_expect(accepted > 0, "none was accepted, so none was run");
	tap_end();
	printf("# %ld changed images, of which %ld were accepted\n", tried, accepted);
}

/* Changes that must be refused, one by one */

enum
{
	ATTR_INT, ATTR_NUMERIC, ATTR_TEXT, ATTR_UUID, ATTR_SKIPPED, ATTR_VARLENA, ATTR_INTERVAL, ATTR_NUMERIC2, ATTR_Count
};

/* Make a table with everything that a plan can describe. */
static void
make_every_kind(Table *t)
{
	uint32_t	a;

	memset(t, 0, sizeof(*t));
	set_attr(&t->attr[ATTR_INT], DEFORM_I32, 4, 4);
	t->attr[ATTR_INT].deform.column = new_column(t, COLTYPE_I32);
	set_attr(&t->attr[ATTR_NUMERIC], DEFORM_DECIMAL, 4, 0);
	t->attr[ATTR_NUMERIC].numeric = true;
	t->attr[ATTR_NUMERIC].deform.scale = 2;
	t->attr[ATTR_NUMERIC].deform.column = new_column(t, COLTYPE_I64);
	t->attr[ATTR_NUMERIC].deform.second_column = new_column(t, COLTYPE_I16);
	set_attr(&t->attr[ATTR_TEXT], DEFORM_TEXT, 4, 0);
	t->attr[ATTR_TEXT].deform.column = new_column(t, COLTYPE_TEXT);
	set_attr(&t->attr[ATTR_UUID], DEFORM_UUID, 1, UUID_BYTES);
	t->attr[ATTR_UUID].deform.column = new_column(t, COLTYPE_I128);
	set_attr(&t->attr[ATTR_SKIPPED], DEFORM_SKIP_FIXED, 8, 8);
	set_attr(&t->attr[ATTR_VARLENA], DEFORM_SKIP_VARLENA, 4, 0);
	set_attr(&t->attr[ATTR_INTERVAL], DEFORM_INTERVAL, 8, INTERVAL_BYTES);
	t->attr[ATTR_INTERVAL].deform.column = new_column(t, COLTYPE_I128);
	t->attr[ATTR_INTERVAL].deform.second_column = new_column(t, COLTYPE_I128);
	set_attr(&t->attr[ATTR_NUMERIC2], DEFORM_DECIMAL, 4, 0);
	t->attr[ATTR_NUMERIC2].numeric = true;
	t->attr[ATTR_NUMERIC2].deform.column = new_column(t, COLTYPE_I64);
	t->natts = ATTR_Count;
	for (a = 0; a < t->natts; a++)
		do
			random_missing(t, a);
		while (!t->attr[a].deform.missing);
}

/* Columns of the table with every kind of attribute, in order. */
enum
{
	EVERY_INT, EVERY_NUMERIC, EVERY_SCALE, EVERY_TEXT, EVERY_UUID, EVERY_INTERVAL, EVERY_BYTES, EVERY_NUMERIC2
};

typedef struct Parts
{
	JobImage   *image;
	DeformPlan *plan;			/* plan of one form */
	DeformAttr *attr;
	uint16_t   *types;
	uint8_t    *not_null;
	int			wide;
	uint32_t	bytes;			/* bytes of missing values */
} Parts;

#define BREAKAGES \
	/* columns */ \
	BREAK("a column that nobody writes", p->attr[ATTR_NUMERIC].second_column = -1) \
	BREAK("an attribute without column", p->attr[ATTR_TEXT].column = -1) \
	BREAK("a skipped attribute with a column", p->attr[ATTR_VARLENA].column = EVERY_TEXT; p->attr[ATTR_TEXT].kind = DEFORM_SKIP_VARLENA; p->attr[ATTR_TEXT].column = -1) \
	BREAK("a column written twice", p->attr[ATTR_NUMERIC2].column = EVERY_NUMERIC) \
	BREAK("a column written twice, and none left out", p->attr[ATTR_SKIPPED].kind = DEFORM_I32; p->attr[ATTR_SKIPPED].column = EVERY_INT) \
	BREAK("a second column written twice", p->attr[ATTR_INTERVAL].second_column = EVERY_UUID) \
	BREAK("both columns the same", p->attr[ATTR_INTERVAL].second_column = EVERY_INTERVAL) \
	BREAK("a column behind the last", p->attr[ATTR_INT].column = EVERY_NUMERIC2 + 1) \
	BREAK("a column far behind", p->attr[ATTR_INT].column = INT16_MAX) \
	BREAK("column -2", p->attr[ATTR_INT].column = -2) \
	BREAK("column -32768", p->attr[ATTR_INT].column = INT16_MIN) \
	BREAK("second column -2", p->attr[ATTR_INT].second_column = -2) \
	BREAK("a second column of an integer", p->attr[ATTR_INT].second_column = EVERY_SCALE; p->attr[ATTR_NUMERIC].second_column = -1) \
	BREAK("a column less in the plan", p->plan->ncolumns--) \
	BREAK("a column more in the plan", p->plan->ncolumns++) \
	/* types */ \
	BREAK("an integer's type for text", p->types[EVERY_TEXT] = COLTYPE_I64) \
	BREAK("text's type for an integer", p->types[EVERY_INT] = COLTYPE_TEXT) \
	BREAK("a narrower type", p->types[EVERY_UUID] = COLTYPE_I64) \
	BREAK("a wider type", p->types[EVERY_INT] = COLTYPE_I64) \
	BREAK("the other form's type", p->types[EVERY_NUMERIC] = p->wide ? COLTYPE_I64 : COLTYPE_I128) \
	BREAK("the other form's attribute", p->attr[ATTR_NUMERIC].wide = !p->wide) \
	BREAK("a type of a display scale that is none", p->types[EVERY_SCALE] = COLTYPE_I32) \
	BREAK("a type beyond the last", p->types[EVERY_INT] = COLTYPE_Count) \
	BREAK("a type far beyond", p->types[EVERY_INT] = 0xFFFF) \
	BREAK("another kind of the same width", p->attr[ATTR_INT].kind = DEFORM_F32) \
	BREAK("a kind beyond the last", p->attr[ATTR_INT].kind = DEFORM_CODE + 1) \
	BREAK("a kind far beyond", p->attr[ATTR_SKIPPED].kind = 255) \
	/* missing values */ \
	BREAK("a missing value one byte too far", p->attr[ATTR_UUID].missing_value[0] = p->bytes - UUID_BYTES + 1) \
	BREAK("a missing value at the end", p->attr[ATTR_UUID].missing_value[0] = p->bytes) \
	BREAK("a missing value beyond", p->attr[ATTR_INTERVAL].missing_value[0] = (uint64_t) p->bytes + 1) \
	BREAK("a missing value far away", p->attr[ATTR_UUID].missing_value[0] = UINT64_C(1) << 32) \
	BREAK("a missing value before the image", p->attr[ATTR_UUID].missing_value[0] = UINT64_MAX - 7) \
	BREAK("missing text one byte too long", p->attr[ATTR_TEXT].missing_value[1] = p->bytes - p->attr[ATTR_TEXT].missing_value[0] + 1) \
	BREAK("missing text that is much too long", p->attr[ATTR_TEXT].missing_value[1] = UINT64_C(1) << 32) \
	BREAK("missing text that wraps around", p->attr[ATTR_TEXT].missing_value[0] = 8; p->attr[ATTR_TEXT].missing_value[1] = UINT64_MAX - 3) \
	BREAK("missing text from before the image", p->attr[ATTR_TEXT].missing_value[0] = UINT64_MAX; p->attr[ATTR_TEXT].missing_value[1] = 1) \
	BREAK("fewer missing bytes", p->image->missing_size = MISSING_ROOM) \
	BREAK("more missing bytes than there are", p->image->missing_size = p->image->size) \
	BREAK("missing bytes without end", p->image->missing_size = UINT32_MAX) \
	/* scales, alignments, lengths */ \
	BREAK("scale -1", p->attr[ATTR_NUMERIC].scale = -1) \
	BREAK("scale 39", p->attr[ATTR_NUMERIC].scale = 39) \
	BREAK("scale 32767", p->attr[ATTR_NUMERIC].scale = INT16_MAX) \
	BREAK("scale -32768", p->attr[ATTR_NUMERIC].scale = INT16_MIN) \
	BREAK("alignment 0", p->attr[ATTR_INT].align = 0) \
	BREAK("alignment 3", p->attr[ATTR_TEXT].align = 3) \
	BREAK("alignment 16", p->attr[ATTR_SKIPPED].align = 16) \
	BREAK("length 0", p->attr[ATTR_SKIPPED].length = 0) \
	BREAK("length -1", p->attr[ATTR_SKIPPED].length = -1) \
	/* counts and offsets */ \
	BREAK("no attributes", p->plan->natts = 0) \
	BREAK("an attribute more than may be", p->plan->natts = JOB_MAX_ATTRIBUTES + 1) \
	BREAK("attributes without end", p->plan->natts = UINT32_MAX) \
	BREAK("more attributes than the image has room for", p->plan->natts = JOB_MAX_ATTRIBUTES) \
	BREAK("fewer columns of variable width", p->plan->var_columns = 0) \
	BREAK("more columns of variable width", p->plan->var_columns = 2) \
	BREAK("another magic", p->image->magic++) \
	BREAK("a size that is too small", p->image->size -= 8) \
	BREAK("a size that is too large", p->image->size += 8) \
	BREAK("a program in the header", p->image->program = 8) \
	BREAK("a program behind the end", p->image->program = p->image->size) \
	BREAK("a program far behind", p->image->program = UINT32_MAX - 7) \
	BREAK("a plan in the header", p->image->plan[p->wide] = 0) \
	BREAK("a plan across the end", p->image->plan[p->wide] = p->image->size - 8) \
	BREAK("a plan far behind", p->image->plan[p->wide] = UINT32_MAX - 7) \
	BREAK("a plan that is not aligned", p->image->plan[p->wide] += 4) \
	BREAK("types across the end", p->image->types[p->wide] = p->image->size - 8) \
	BREAK("types that are not aligned", p->image->types[p->wide] += 2) \
	BREAK("NOT NULLs across the end", p->image->not_null = p->image->size) \
	BREAK("NOT NULLs far behind", p->image->not_null = UINT32_MAX - 7) \
	BREAK("missing bytes behind the end", p->image->missing = p->image->size + 8) \
	/* parts that opening writes to, and that others were checked in */ \
	BREAK("a plan that lies over the other", p->image->plan[p->wide] = p->image->plan[1 - p->wide] + 8) \
	BREAK("NOT NULLs in the place of a pointer", p->image->not_null = p->image->plan[p->wide] + offsetof(DeformPlan, missing_bytes)) \
	BREAK("a NOT NULL that is no truth value", p->not_null[0] = 2)

static void
break_image(int breakage, Parts *p)
{
	int			n = 0;

#define BREAK(name, change) if (n++ == breakage) { change; }
	BREAKAGES
#undef BREAK
}

static const char *const breakage_names[] = {
#define BREAK(name, change) name,
	BREAKAGES
#undef BREAK
};

static void
find_parts(Parts *p, JobImage *image, int wide)
{
	*p = (Parts) {
		.image = image, .plan = (DeformPlan *) ((uint8_t *) image + image->plan[wide]),
		.types = (uint16_t *) ((uint8_t *) image + image->types[wide]),
		.not_null = (uint8_t *) image + image->not_null, .wide = wide, .bytes = image->missing_size
	};
	p->attr = p->plan->attr;
}

static void
try_breakages(void *arg, Progress *progress)
{
	long		trial;

	for (trial = progress->at; trial < (long) lengthof(breakage_names) * 2; trial++)
	{
		JobImage   *copy = (JobImage *) guard_alloc(job.size, 8);
		JobView		view;
		Parts		parts;

		memcpy(copy, job.image, job.size);
		find_parts(&parts, copy, (int) trial % 2);
		progress->at = trial + 1;
		break_image((int) trial / 2, &parts);
		snprintf(progress->note, sizeof(progress->note), "%s plan: %s", trial % 2 ? "wide" : "narrow",
				 breakage_names[trial / 2]);
		/* the parent examines it, and starts another child */
		if (job_image_open(copy, job.size, &view) == STATUS_DONE)
			_exit(3);
		guard_free(copy, job.size, 8);
	}
}

static void
test_breakages(void)
{
	Progress   *progress = progress_make();
	JobView		view;
	JobImage   *copy;

	tap_begin("what contradicts itself is refused");
	random_seed(5);
	make_every_kind(&table);
	table.list.npages = 0;
	make_job(&job, &table, "every kind", build_totals(&table, false));
	copy = (JobImage *) guard_alloc(job.size, 8);
	memcpy(copy, job.image, job.size);
	tap_expect(job_image_open(copy, job.size, &view) == STATUS_DONE, "the image itself is refused");
	guard_free(copy, job.size, 8);
	while (!survives(try_breakages, NULL, progress))
		tap_expect(false, "accepted, or died: %s", progress->note);
	tap_expect(progress->at == (long) lengthof(breakage_names) * 2, "only %ld were tried", progress->at);
	tap_end();
	free_all();
}

/*
 * Test plans that overlap other parts. Opening sets a pointer in each plan; where a plan is in a
 * part that has been checked already, the pointer would replace what was checked.
 */
static void
test_overlaps(void)
{
	static Assembler as;
	Table	   *t = &table;
	JobImage   *copy;
	JobView		view;
	DeformPlan *plan;
	uint32_t	pointer = offsetof(DeformPlan, missing_bytes);
	uint32_t	bytes = sizeof(DeformPlan) + sizeof(DeformAttr);
	uint64_t	words[(sizeof(DeformPlan) + sizeof(DeformAttr)) / 8];
	uint32_t	w;

	/* one integer, so that all types fit into the pointer's place */
	random_seed(6);
	memset(t, 0, sizeof(*t));
	set_attr(&t->attr[0], DEFORM_I32, 4, 4);
	t->attr[0].deform.column = new_column(t, COLTYPE_I32);
	t->natts = 1;

	tap_begin("types that lie where opening sets a pointer are refused");
	make_job(&job, t, "one integer", build_totals(t, false));
	copy = (JobImage *) guard_alloc(job.size, 8);
	memcpy(copy, job.image, job.size);
	copy->types[0] = copy->plan[0] + pointer;
	memset((uint8_t *) copy + copy->types[0], 0, 8);
	*(uint16_t *) ((uint8_t *) copy + copy->types[0]) = COLTYPE_I32;
	if (job_image_open(copy, job.size, &view) == STATUS_DONE)
		tap_expect(false, "accepted, and the column's type is now %u instead of %u", view.deform.types[0][0], COLTYPE_I32);
	else
		tap_expect(true, "refused");
	guard_free(copy, job.size, 8);
	free_job(&job);
	tap_end();

	/* a program whose constants are a plan; one of its words is the reference to a text, where the pointer will be */
	tap_begin("a plan that lies in the program is refused");
	make_job(&job, t, "one integer", build_totals(t, false));
	memcpy(words, (uint8_t *) job.image + job.image->plan[0], bytes);
	free_job(&job);
	asm_init(&as, 1, false);
	for (w = 0; w < bytes / 8; w++)
		asm_word(&as, w == pointer / 8 ? asm_text(&as, "text", 4) : words[w]);
	asm_emit(&as, VMOP_CONST_T, 1, 0, 0, 0, (int) (pointer / 8));
	asm_emit(&as, VMOP_LOAD_I, 2, 0, 0, 0, 0);
	asm_emit(&as, VMOP_EMIT, 0, 0, 0, 0, 0);
	make_job(&job, t, "a plan in the program", asm_finish(&as));
	copy = (JobImage *) guard_alloc(job.size, 8);
	memcpy(copy, job.image, job.size);
	tap_expect(job_image_open(copy, job.size, &view) == STATUS_DONE, "as it is, it is refused");
	memcpy(copy, job.image, job.size);
	copy->plan[0] = copy->program + ((const Program *) ((uint8_t *) copy + copy->program))->words;
	plan = (DeformPlan *) ((uint8_t *) copy + copy->plan[0]);
	tap_expect(plan->natts == 1 && plan->ncolumns == 1, "the words are no plan");
	if (job_image_open(copy, job.size, &view) == STATUS_DONE)
		tap_expect(false, "accepted, and the program is now %s", program_verify(view.program, view.program->size) == STATUS_DONE ?
				   "another one" : "one that is refused");
	guard_free(copy, job.size, 8);
	free_job(&job);
	tap_end();
}

int
main(void)
{
	test_copies();
	test_truncated();
	test_breakages();
	test_overlaps();
	test_changes("refused or harmless: each byte changed in turn", flip_bytes, 9);
	test_changes("refused or harmless: several bytes at once", garble_bytes, 12);
	return tap_done();
}
