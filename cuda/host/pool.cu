/*
 * pool.cu
 *		Device memory that is allocated once and handed out in blocks.
 *
 * Blocks are listed in the order of their addresses, including free ones; the
 * first free block that is large enough is taken.  There are only a few
 * blocks; a group table is one.
 */
#include <string.h>

#include "host/pool.h"

#define ALIGNMENT	((uint64_t) 256)
#define MOST		2048

typedef struct Block
{
	uint64_t	offset;
	uint64_t	bytes;
	bool		taken;
} Block;

static uint8_t *memory;
static Block block[MOST];
static int	nblocks;

cudaError_t
pool_create(uint64_t bytes)
{
	cudaError_t error = CUDA_CALL(cudaMalloc((void **) &memory, bytes));

	if (error == cudaSuccess)
		error = CUDA_CALL(cudaMemset(memory, 0, bytes));
	block[0] = {0, bytes / ALIGNMENT * ALIGNMENT, false};
	nblocks = error == cudaSuccess ? 1 : 0;
	return error;
}

uint8_t *
pool_take(uint64_t bytes)
{
	const uint64_t wanted = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;

	for (int i = 0; i < nblocks; i++)
	{
		if (block[i].taken || block[i].bytes < wanted || (block[i].bytes > wanted && nblocks == MOST))
			continue;
		if (block[i].bytes > wanted)
		{
			memmove(&block[i + 2], &block[i + 1], (size_t) (nblocks - i - 1) * sizeof(Block));
			block[i + 1] = {block[i].offset + wanted, block[i].bytes - wanted, false};
			block[i].bytes = wanted;
			nblocks++;
		}
		block[i].taken = true;
		return memory + block[i].offset;
	}
	return NULL;
}

/* Merge a block with the next one if both are free. */
static void
join(int i)
{
	if (i < 0 || i + 1 >= nblocks || block[i].taken || block[i + 1].taken)
		return;
	block[i].bytes += block[i + 1].bytes;
	memmove(&block[i + 1], &block[i + 2], (size_t) (nblocks - i - 2) * sizeof(Block));
	nblocks--;
}

void
pool_give(uint8_t *given)
{
	for (int i = 0; i < nblocks; i++)
		if (given != NULL && memory + block[i].offset == given)
		{
			block[i].taken = false;
			join(i);
			join(i - 1);
			return;
		}
}
