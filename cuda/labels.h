/*
 * labels.h
 *		Switches that must have a label for each instruction of a list.
 *
 * gcc refuses a switch that lacks one, nvcc says nothing of code for the GPU.
 * So labels are counted there; none can stand twice.
 *
 *		enum { before = __COUNTER__ };
 *		switch (op)
 *		{
 *			LABEL(VMOP_COUNT): ...
 *		}
 *		static_assert(LABELS_SINCE(before) == ..., "...");
 */
#ifndef GPUDB_CUDA_LABELS_H
#define GPUDB_CUDA_LABELS_H

#define LABEL(op)				case (op) + 0 * __COUNTER__
#define LABELS_SINCE(before)	(__COUNTER__ - (before) - 1)

#endif							/* GPUDB_CUDA_LABELS_H */
