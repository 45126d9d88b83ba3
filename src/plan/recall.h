/*
 * recall.h
 *		What has ended in a fallback before, as far as is remembered.
 */
#ifndef GPUDB_PLAN_RECALL_H
#define GPUDB_PLAN_RECALL_H

#include "postgres.h"

#include "compile/compile.h"
#include "plan/candidate.h"

/* A hash of what a candidate's program computes, whatever its constants are. */
extern uint32 recall_hash(const PlannerInfo *root, const Candidate *candidate, const CompileResult *result);

/* Whether to leave a candidate's program to PostgreSQL; never under gpudb.force. */
extern bool recall_fallback(const PlannerInfo *root, const Candidate *candidate, const CompileResult *result);

#endif							/* GPUDB_PLAN_RECALL_H */
