/*
 * explain.h
 *		Properties of gpudb nodes in EXPLAIN.
 */
#ifndef GPUDB_EXEC_NODE_EXPLAIN_H
#define GPUDB_EXEC_NODE_EXPLAIN_H

#include "postgres.h"

#include "exec/run/node.h"

/* Return an expression of the node as text. */
extern char *node_expr_text(Node *expr, const CustomScanState *css, List *ancestors, struct ExplainState *es);

/* Show an expression of the node as a property. */
extern void node_explain_expr(const char *label, Node *expr, const CustomScanState *css, List *ancestors, struct ExplainState *es);

/* Show a list of expressions of the node as a property, unless it is empty. */
extern void node_explain_list(const char *label, const List *exprs, const CustomScanState *css, List *ancestors, struct ExplainState *es);

/* Show all properties of a GpuNode: ExplainCustomScan of the nodes that begin with one. */
extern void node_explain(CustomScanState *css, List *ancestors, struct ExplainState *es);

#endif							/* GPUDB_EXEC_NODE_EXPLAIN_H */
