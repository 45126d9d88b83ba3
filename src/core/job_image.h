/*
 * job_image.h
 *		A job as one block of bytes: what crosses to another process.
 *
 *		JobImage | Program | for the narrow and the wide form: DeformPlan, ColTypes | NOT NULLs | missing bytes
 *
 * Everything is addressed by offsets from the first byte.  The receiver
 * copies the block, verifies the copy, and may then use it as it would the
 * sender's own structures; nothing in a verified image leads outside of the
 * image, of a tablet laid out for it, or of a page.
 */
#ifndef GPUDB_CORE_JOB_IMAGE_H
#define GPUDB_CORE_JOB_IMAGE_H

#include "core/device_api.h"

#define JOB_IMAGE_MAGIC 0x67706a31u

/* Larger jobs stay with the backend. */
#define JOB_IMAGE_MOST 131072

/* PostgreSQL's limit on the attributes of a tuple. */
#define JOB_MAX_ATTRIBUTES 1664

typedef struct JobImage
{
	uint32_t	magic;
	uint32_t	size;			/* of the whole block */
	uint32_t	program;		/* offsets */
	uint32_t	plan[2];
	uint32_t	types[2];
	uint32_t	not_null;
	uint32_t	missing;
	uint32_t	missing_size;
	uint32_t	missing_text;	/* as in DeformSpec */
	uint32_t	unused;
} JobImage;

/* An image's parts, as pointers into it. */
typedef struct JobView
{
	const Program *program;
	DeformSpec	deform;
} JobView;

/* Bytes of an image. */
CORE_API uint64_t job_image_size(const Program *program, const DeformSpec *deform);

/* Write an image of job_image_size() bytes, aligned to 8. */
CORE_API void job_image_write(JobImage *image, const Program *program, const DeformSpec *deform);

/*
 * Check a private copy of `size` bytes, aligned to 8; DONE or BAD_PROGRAM.
 * The pointers within its plans are set, and those of *view.
 */
CORE_API DeviceStatus job_image_open(JobImage *image, uint32_t size, JobView *view);

#endif							/* GPUDB_CORE_JOB_IMAGE_H */
