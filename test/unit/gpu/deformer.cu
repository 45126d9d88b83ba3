/*
 * deformer.cu
 *		Deforming on a GPU behind the interface that unit tests know.
 *
 * Pages, lists and the tablet are copied to the device and the tablet back.
 * The rows' places, which the device does not write, are added on the host.
 */
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

#include "kernels/deform_launch.h"

#include "check.cuh"
#include "deformer.h"

/* Return a buffer in device memory, which is reused between calls. */
static uint8_t *
device_buffer(int which, size_t bytes)
{
	static uint8_t *buffer[8];
	static size_t size[8];

	if (bytes > size[which])
	{
		check(cudaFree(buffer[which]), "cudaFree");
		size[which] = 2 * bytes;
		check(cudaMalloc((void **) &buffer[which], size[which]), "cudaMalloc");
	}
	return buffer[which];
}

static uint8_t *
to_device(int which, const void *host, size_t bytes)
{
	uint8_t    *device = device_buffer(which, bytes);

	check(cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice), "copy to the device");
	return device;
}

/* Return the bytes of missing values that a plan refers to: the end of the last one. */
static size_t
missing_bytes(const DeformPlan *plan)
{
	size_t		bytes = 0;

	for (uint32_t a = 0; a < plan->natts; a++)
	{
		const DeformAttr *attr = &plan->attr[a];
		size_t		end = !attr->missing ? 0 : attr->kind == DEFORM_TEXT ? attr->missing_value[0] + attr->missing_value[1]
			: deform_converts(attr->kind) ? attr->missing_value[0] + deform_fixed_bytes(attr) : 0;

		bytes = end > bytes ? end : bytes;
	}
	return bytes;
}

static const DeformPlan *
copy_plan(const DeformPlan *plan)
{
	size_t		bytes = offsetof(DeformPlan, attr) + plan->natts * sizeof(DeformAttr);
	std::vector<uint8_t> copy((const uint8_t *) plan, (const uint8_t *) plan + bytes);
	size_t		missing = missing_bytes(plan);

	((DeformPlan *) copy.data())->missing_bytes = missing > 0 ? to_device(0, plan->missing_bytes, missing) : NULL;
	return (const DeformPlan *) to_device(1, copy.data(), bytes);
}

/* Copy pages and lists to the device, and fill in their addresses in the launch. */
static void
copy_pages(const PageList *pages, DeformLaunch *launch)
{
	std::vector<uint8_t> bytes((size_t) pages->npages * HEAP_PAGE_SIZE + 16);
	std::vector<uint16_t> offsets((size_t) pages->npages * HEAP_MAX_TUPLES + 1);
	std::vector<uint8_t *> page;
	std::vector<uint16_t *> list;
	std::vector<uint32_t> row_start(1, 0);
	uint8_t    *device_bytes = device_buffer(2, bytes.size());
	uint16_t   *device_offsets = (uint16_t *) device_buffer(3, offsets.size() * 2);

	for (uint32_t p = 0; p < pages->npages; p++)
	{
		memcpy(&bytes[(size_t) p * HEAP_PAGE_SIZE], pages->page[p], HEAP_PAGE_SIZE);
		memcpy(&offsets[(size_t) p * HEAP_MAX_TUPLES], pages->offsets[p], pages->ntuples[p] * 2);
		page.push_back(device_bytes + (size_t) p * HEAP_PAGE_SIZE);
		list.push_back(device_offsets + (size_t) p * HEAP_MAX_TUPLES);
		row_start.push_back(row_start.back() + pages->ntuples[p]);
	}
	to_device(2, bytes.data(), bytes.size());
	to_device(3, offsets.data(), offsets.size() * 2);
	launch->page = (const uint8_t *const *) to_device(4, page.data(), page.size() * sizeof(page[0]));
	launch->offsets = (const uint16_t *const *) to_device(5, list.data(), list.size() * sizeof(list[0]));
	launch->row_start = (const uint32_t *) to_device(6, row_start.data(), row_start.size() * 4);
	launch->npages = pages->npages;
}

DeviceStatus
gpu_deform_pages(const DeformPlan *plan, const PageList *pages, Tablet *tablet)
{
	DeformLaunch launch = {};
	uint32_t	status = STATUS_DONE;
	uint32_t   *places = (uint32_t *) tablet_at(tablet, tablet->rows);
	uint8_t    *device;

	launch.plan = copy_plan(plan);
	copy_pages(pages, &launch);
	/* the status is before the tablet, both are aligned */
	device = device_buffer(7, tablet->size + 64);
	launch.status = (uint32_t *) device;
	launch.tablet = (Tablet *) (device + 64);
	check(cudaMemcpy(device, &status, sizeof(status), cudaMemcpyHostToDevice), "copy the status");
	check(cudaMemcpy(launch.tablet, tablet, tablet->size, cudaMemcpyHostToDevice), "copy the tablet");
	check(deform_launch(&launch, tablet->ncols, NULL), "launch");
	check(cudaMemcpy(&status, device, sizeof(status), cudaMemcpyDeviceToHost), "deform");
	check(cudaMemcpy(tablet, launch.tablet, tablet->size, cudaMemcpyDeviceToHost), "copy the tablet back");
	for (uint32_t p = 0; p < pages->npages; p++)
		for (uint32_t t = 0; t < pages->ntuples[p]; t++)
			*places++ = ROW_PLACE(p, pages->offsets[p][t]);
	return (DeviceStatus) status;
}
