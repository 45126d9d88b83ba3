/*
 * job_image.h
 *		A job as one block of bytes, for transfer to another process.
 *
 *		JobImage | Program | for the narrow and the wide form: DeformPlan, ColTypes | NOT NULLs | missing bytes
 *
 * Everything is addressed by offsets from the first byte.  The receiver copies the block, verifies
 * the copy, and may then use it like the sender's own structures; nothing in a verified image leads
 * outside of the image, of a tablet laid out for it, or of a page.
 */
#ifndef GPUDB_CORE_JOB_IMAGE_H
#define GPUDB_CORE_JOB_IMAGE_H

#include "core/device_api.h"

#define JOB_IMAGE_MAGIC 0x67706a31u

/* Maximum size of an image; larger jobs stay with the backend. */
#define JOB_IMAGE_MOST 131072

/* PostgreSQL's limit on the attributes of a tuple. */
#define JOB_MAX_ATTRIBUTES 1664

typedef struct JobImage
{
	uint32_t	magic;
	uint32_t	size;			/* bytes of the whole block */
	uint32_t	program;		/* offsets of the parts, here and below */
	uint32_t	plan[2];
	uint32_t	types[2];
	uint32_t	not_null;
	uint32_t	missing;
	uint32_t	missing_size;
	uint32_t	missing_text;	/* as in DeformSpec */
	uint32_t	unused;
} JobImage;

/* Parts of an image, as pointers into it. */
typedef struct JobView
{
	const Program *program;
	DeformSpec	deform;
} JobView;

/* Return the bytes of a job's image. */
CORE_API uint64_t job_image_size(const Program *program, const DeformSpec *deform);

/* Write an image of job_image_size() bytes, aligned to 8. */
CORE_API void job_image_write(JobImage *image, const Program *program, const DeformSpec *deform);

/*
 * Verify a private copy of `size` bytes, aligned to 8, and set the pointers within its plans and in
 * *view.  Returns DONE or BAD_PROGRAM.
 */
CORE_API DeviceStatus job_image_open(JobImage *image, uint32_t size, JobView *view);

#endif							/* GPUDB_CORE_JOB_IMAGE_H */
