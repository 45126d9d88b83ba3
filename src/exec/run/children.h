/*
 * children.h
 *		Reading the partitions and inheritance children (child relations) of a node's relation.
 */
#ifndef GPUDB_EXEC_RUN_CHILDREN_H
#define GPUDB_EXEC_RUN_CHILDREN_H

#include "postgres.h"

#include "exec/run/node.h"

/* Open the child relations that the plan names, if it names any. */
extern void children_begin(GpuNode *node);
extern void children_end(GpuNode *node);

/* Return the relation that the node's own feed reads: the node's relation, or the first of its child relations. */
extern Relation children_first(const GpuNode *node);

/* Return child relation `m`, or the node's relation if it has no child relations. */
extern Relation children_at(const GpuNode *node, int m);

/* Translate the attribute numbers of columns from the node's relation to its first child relation. */
extern void children_translate(const GpuNode *node, ColumnWanted *wanted);

/*
 * After the node's own feed has ended: feed the remaining child relations, each
 * to a job of its own.  Their groups are merged into the node's job; rows go to
 * the consumer of the node's own feed.
 */
extern void children_feed(GpuNode *node, FeedOutcome *outcome);

#endif							/* GPUDB_EXEC_RUN_CHILDREN_H */
