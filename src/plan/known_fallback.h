/*
 * known_fallback.h
 *		Looks up in the fallback cache which programs ended in a fallback before.
 */
#ifndef GPUDB_PLAN_KNOWN_FALLBACK_H
#define GPUDB_PLAN_KNOWN_FALLBACK_H

#include "postgres.h"

#include "compile/compile.h"
#include "plan/candidate.h"

/* Return a hash of what a candidate's program computes, whatever its constants are. */
extern uint32 known_fallback_hash(const PlannerInfo *root, const Candidate *candidate, const CompileResult *result);

/* Return true if a candidate's program is to be left to PostgreSQL; never under gpudb.force. */
extern bool is_known_fallback(const PlannerInfo *root, const Candidate *candidate, const CompileResult *result);

#endif							/* GPUDB_PLAN_KNOWN_FALLBACK_H */
