/*
 * labels.h
 *		Switches that must have a label for each instruction of a list.
 *
 * gcc rejects a switch that lacks a label; nvcc does not report it in code for
 * the GPU.  Therefore labels are counted there; no label can occur twice.
 *
 *		enum { before = __COUNTER__ };
 *		switch (op)
 *		{
 *			LABEL(VMOP_COUNT): ...
 *		}
 *		static_assert(LABELS_SINCE(before) == ..., "...");
 */
#ifndef GPUDB_CUDA_LOWER_LABELS_H
#define GPUDB_CUDA_LOWER_LABELS_H

#define LABEL(op)				case (op) + 0 * __COUNTER__
#define LABELS_SINCE(before)	(__COUNTER__ - (before) - 1)

#endif							/* GPUDB_CUDA_LOWER_LABELS_H */
