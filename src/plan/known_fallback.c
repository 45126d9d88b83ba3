/*
 * known_fallback.c
 *		Looks up in the fallback cache which programs ended in a fallback before.
 *
 * Entries of the fallback cache are by relation: the relation that a pass
 * reads stands for all those whose rows are in its join tables.
 */
#include "postgres.h"

#include "access/table.h"
#include "miscadmin.h"
#include "parser/parsetree.h"

#include "core/hash.h"
#include "exec/run/fallback_cache.h"
#include "guc.h"
#include "plan/known_fallback.h"

uint32
known_fallback_hash(const PlannerInfo *root, const Candidate *candidate, const CompileResult *result)
{
	const Program *program = result->program;
	const ProgramBody *body = &program->body[program->body[BODY_WIDE].exists ? BODY_WIDE : BODY_NARROW];
	const Instr *code = (const Instr *) ((const char *) program + body->instrs);
	uint64		hash = 0;
	int			relid = -1;

	/* a computation for which memory was too small may succeed with more */
	hash = hash_combine(hash, guc_join_bytes() << 20 ^ guc_group_bytes());
	while ((relid = bms_next_member(candidate->relids, relid)) >= 0)
		hash = hash_combine(hash, planner_rt_fetch(relid, root)->relid);
	for (int i = body->tile_start; i < body->ninstrs; i++)
	{
		hash = hash_combine(hash, (uint64) code[i].op << 48 | (uint64) code[i].dst << 32 | (uint64) code[i].a << 16 | code[i].b);
		hash = hash_combine(hash, (uint64) code[i].m << 32 | code[i].c);
	}
	for (int i = 0; i < result->ncolumns; i++)
		hash = hash_combine(hash, (uint64) result->column[i].attno);
	return (uint32) hash;
}

bool
is_known_fallback(const PlannerInfo *root, const Candidate *candidate, const CompileResult *result)
{
	Relation	relation;
	bool		found;

	if (gpudb_force || fallback_cache_is_empty() || candidate->secret || candidate->children != NIL)
		return false;
	relation = table_open(candidate->relation, NoLock);
	found = fallback_cache_has(relation, (FallbackCause) {.computation = known_fallback_hash(root, candidate, result)});
	for (int i = 0; i < result->ncolumns && !found; i++)
		found = fallback_cache_has(relation, (FallbackCause) {.attno = result->column[i].attno});
	table_close(relation, NoLock);
	return found;
}
