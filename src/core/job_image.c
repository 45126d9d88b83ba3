/*
 * job_image.c
 *		Writing and verifying job images.
 */
#include "core/job_image.h"

static uint64_t
align8(uint64_t offset)
{
	return (offset + 7) & ~(uint64_t) 7;
}

static uint64_t
plan_bytes(uint32_t natts)
{
	return offsetof(DeformPlan, attr) + (uint64_t) natts * sizeof(DeformAttr);
}

/* Lay out an image; returns its size in bytes. */
static uint64_t
lay_out(const Program *program, const DeformSpec *deform, JobImage *image)
{
	uint64_t	at = align8(sizeof(JobImage));
	uint32_t	ncolumns = program->ncolumns;

	image->magic = JOB_IMAGE_MAGIC;
	image->program = (uint32_t) at;
	at = align8(at + program->size);
	for (int wide = 0; wide < 2; wide++)
	{
		image->plan[wide] = (uint32_t) at;
		at = align8(at + plan_bytes(deform->plan[wide]->natts));
		image->types[wide] = (uint32_t) at;
		at = align8(at + ncolumns * sizeof(uint16_t));
	}
	image->not_null = (uint32_t) at;
	at = align8(at + ncolumns * sizeof(bool));
	image->missing = (uint32_t) at;
	image->missing_size = deform->missing_size;
	image->missing_text = deform->missing_text;
	image->unused = 0;
	at = align8(at + deform->missing_size);
	image->size = (uint32_t) at;
	return at;
}

uint64_t
job_image_size(const Program *program, const DeformSpec *deform)
{
	JobImage	image;

	return lay_out(program, deform, &image);
}

static void *
image_at(const JobImage *image, uint32_t offset)
{
	return (uint8_t *) image + offset;
}

void
job_image_write(JobImage *image, const Program *program, const DeformSpec *deform)
{
	lay_out(program, deform, image);
	memcpy(image_at(image, image->program), program, program->size);
	for (int wide = 0; wide < 2; wide++)
	{
		memcpy(image_at(image, image->plan[wide]), deform->plan[wide], plan_bytes(deform->plan[wide]->natts));
		memcpy(image_at(image, image->types[wide]), deform->types[wide], program->ncolumns * sizeof(uint16_t));
	}
	memcpy(image_at(image, image->not_null), deform->not_null, program->ncolumns * sizeof(bool));
	if (deform->missing_size > 0)
		memcpy(image_at(image, image->missing), deform->plan[0]->missing_bytes, deform->missing_size);
}

/* Return true if `bytes` bytes at an offset lie within the image, aligned to 8. */
static bool
lies_within(const JobImage *image, uint32_t offset, uint64_t bytes)
{
	return offset % 8 == 0 && offset >= sizeof(JobImage) && offset + bytes <= image->size;
}

/* Mark a column as written by an attribute; false if it has another type or is marked already. */
static bool
claim_column(int16_t column, ColType type, const uint16_t *types, uint32_t ncolumns, uint8_t *claimed)
{
	if (column < 0)
		return column == -1;
	if ((uint32_t) column >= ncolumns || types[column] != type || claimed[column])
		return false;
	claimed[column] = 1;
	return true;
}

/* Return true if the missing value of an attribute lies within the image. */
static bool
missing_value_is_sound(const DeformAttr *attr, uint32_t missing_size)
{
	uint64_t	bytes;

	if (!attr->missing)
		return true;
	if (deform_converts(attr->kind))
		bytes = deform_fixed_bytes(attr);
	else if (attr->kind == DEFORM_TEXT)
		bytes = attr->missing_value[1];
	else
		return true;
	return bytes <= missing_size && attr->missing_value[0] <= missing_size - bytes;
}

static bool
attr_is_sound(const DeformAttr *attr, uint32_t missing_size, bool wide, const uint16_t *types, uint32_t ncolumns, uint8_t *claimed)
{
	bool		skipped = attr->kind <= DEFORM_SKIP_CSTRING;
	bool		has_second = attr->kind == DEFORM_DECIMAL || attr->kind == DEFORM_INTERVAL;

	if (attr->kind > DEFORM_CODE ||
		(attr->align != 1 && attr->align != 2 && attr->align != 4 && attr->align != 8))
		return false;
	if (skipped)
		return attr->column == -1 && attr->second_column == -1 && (attr->kind != DEFORM_SKIP_FIXED || attr->length > 0);
	if (attr->kind == DEFORM_DECIMAL && (attr->scale < 0 || attr->scale > DECIMAL_MAX_DIGITS || (attr->wide != 0) != wide))
		return false;
	if (attr->second_column >= 0 ? !has_second : attr->column < 0)
		return false;
	return missing_value_is_sound(attr, missing_size) &&
		claim_column(attr->column, deform_column_type(attr->kind, wide, false), types, ncolumns, claimed) &&
		claim_column(attr->second_column, deform_column_type(attr->kind, wide, true), types, ncolumns, claimed);
}

/* Return true if the plan of one form writes every column by exactly one attribute of the column's type. */
static bool
plan_is_sound(const JobImage *image, int wide, uint32_t ncolumns)
{
	const DeformPlan *plan = image_at(image, image->plan[wide]);
	const uint16_t *types = image_at(image, image->types[wide]);
	uint8_t		claimed[PROGRAM_MAX_COLUMNS] = {0};
	uint32_t	var_columns = 0;

	if (plan->ncolumns != ncolumns || plan->natts > JOB_MAX_ATTRIBUTES)
		return false;
	for (uint32_t a = 0; a < plan->natts; a++)
	{
		if (!attr_is_sound(&plan->attr[a], image->missing_size, wide != 0, types, ncolumns, claimed))
			return false;
		var_columns += plan->attr[a].kind == DEFORM_TEXT || plan->attr[a].kind == DEFORM_NAME;
	}
	for (uint32_t c = 0; c < ncolumns; c++)
		if (!claimed[c])
			return false;
	return plan->var_columns == var_columns;
}

/* Return true if no output is a text, since texts are stored outside their columns. */
static bool
outputs_are_sound(const JobImage *image, const Program *program)
{
	for (int wide = 0; wide < 2; wide++)
		for (uint32_t k = 0; k < program->noutputs; k++)
			if (((const uint16_t *) image_at(image, image->types[wide]))[program->output[k]] == COLTYPE_TEXT)
				return false;
	return true;
}

/*
 * Return true if every part is where job_image_write() would have put it, so that none leads
 * outside or overlaps another.
 */
static bool
lies_as_written(const JobImage *image, const JobView *view)
{
	DeformSpec	deform = view->deform;
	JobImage	expected;

	for (int wide = 0; wide < 2; wide++)
	{
		if (!lies_within(image, image->plan[wide], sizeof(DeformPlan)))
			return false;
		deform.plan[wide] = image_at(image, image->plan[wide]);
	}
	return lay_out(view->program, &deform, &expected) == image->size && memcmp(&expected, image, sizeof(JobImage)) == 0;
}

DeviceStatus
job_image_open(JobImage *image, uint32_t size, JobView *view)
{
	const uint8_t *not_null;

	if (size < sizeof(JobImage) || image->magic != JOB_IMAGE_MAGIC || image->size != size ||
		!lies_within(image, image->program, sizeof(Program)))
		return STATUS_BAD_PROGRAM;
	view->program = image_at(image, image->program);
	view->deform = (DeformSpec) {.missing_size = image->missing_size, .missing_text = image->missing_text};
	if (!lies_within(image, image->program, view->program->size) ||
		program_verify(view->program, view->program->size) != STATUS_DONE || !lies_as_written(image, view))
		return STATUS_BAD_PROGRAM;
	not_null = image_at(image, image->not_null);
	for (uint32_t c = 0; c < view->program->ncolumns; c++)
		if (not_null[c] > 1)
			return STATUS_BAD_PROGRAM;
	view->deform.not_null = (const bool *) not_null;
	for (int wide = 0; wide < 2; wide++)
	{
		DeformPlan *plan = image_at(image, image->plan[wide]);

		if (!plan_is_sound(image, wide, view->program->ncolumns))
			return STATUS_BAD_PROGRAM;
		plan->missing_bytes = image_at(image, image->missing);
		/* pointers of the sending process */
		for (uint32_t a = 0; a < plan->natts; a++)
			plan->attr[a].view = NULL;
		view->deform.plan[wide] = plan;
		view->deform.types[wide] = image_at(image, image->types[wide]);
	}
	return outputs_are_sound(image, view->program) ? STATUS_DONE : STATUS_BAD_PROGRAM;
}
