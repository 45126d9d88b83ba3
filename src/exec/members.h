/*
 * members.h
 *		A relation that is the parent of a tree: its members are read one after the other.
 */
#ifndef GPUDB_EXEC_MEMBERS_H
#define GPUDB_EXEC_MEMBERS_H

#include "postgres.h"

#include "exec/node.h"

/* Open the members that the plan names, if it names any. */
extern void members_begin(GpuNode *node);
extern void members_end(GpuNode *node);

/* What the node's own feed reads: the relation, or the first of its members. */
extern Relation members_first(const GpuNode *node);

/* One of them, by number. */
extern Relation members_at(const GpuNode *node, int m);

/* Columns of the relation as the same ones of that. */
extern void members_translate(const GpuNode *node, ColumnWanted *wanted);

/*
 * After the node's own feed: feed the other members, each to a job of its own.
 * Their groups come to the node's job, or rows go where those of its feed have
 * gone.
 */
extern void members_feed(GpuNode *node, FeedOutcome *outcome);

#endif							/* GPUDB_EXEC_MEMBERS_H */
