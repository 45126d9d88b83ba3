/*
 * compile_output.c
 *		What is wanted of the rows that pass, as columns.
 *
 * An attribute is one output or, where its value alone does not tell how it
 * is displayed, two.  Texts whose length is not bounded are none: their bytes
 * lie apart.  One attribute that is none leaves all to the heap tuples, which
 * have to be visited then anyway.
 */
#include "postgres.h"

#include "optimizer/optimizer.h"

#include "core/op_text.h"

#include "compile/compiler.h"

List *
compile_wanted(Node *tlist, Node *quals)
{
	const int	flags = PVC_RECURSE_AGGREGATES | PVC_RECURSE_WINDOWFUNCS | PVC_RECURSE_PLACEHOLDERS;
	List	   *all = list_concat(pull_var_clause(tlist, flags), pull_var_clause(quals, flags));
	List	   *vars = NIL;
	ListCell   *lc;

	foreach(lc, all)
		vars = list_append_unique(vars, lfirst(lc));
	return vars;
}

/* Whether all are outputs, and not too many. */
static bool
are_outputs(Compiler *c, List *vars)
{
	int			n = 0;
	ListCell   *lc;

	foreach(lc, vars)
	{
		Operand		operand = {0};
		ColumnUse	use;

		if (!describe_var(c, lfirst_node(Var, lc), &operand, &use))
		{
			c->reason = NULL;
			return false;
		}
		if (operand.class == CLASS_TEXT)
			return false;
		n += operand.class == CLASS_DECIMAL && operand.dscale < 0 ? 2 : 1;
	}
	return n <= PROGRAM_MAX_OUTPUTS && n <= PROGRAM_MAX_COLUMNS - c->result->ncolumns;
}

static int
add_output(Compiler *c, const ColumnUse *use, Program *shape)
{
	shape->output[shape->noutputs] = (uint8) use_column(c, use);
	return shape->noutputs++;
}

static void
compile_output(Compiler *c, const Var *var, Program *shape)
{
	OutputResult *attribute = &c->result->attribute[c->result->nattributes++];
	Operand		operand = {0};
	ColumnUse	use;

	(void) describe_var(c, var, &operand, &use);
	*attribute = (OutputResult) {
		.attno = use.attno, .type = use.type, .typmod = use.typmod, .packed = use.packed ? TEXT_PACKED_MAX : 0,
		.coded = use.coded,
		.scale = operand.scale, .dscale = operand.dscale, .value = -1, .second = -1
	};
	/* of an interval the bytes do, which are its second column */
	if (operand.class != CLASS_INTERVAL)
		attribute->value = add_output(c, &use, shape);
	use.second = true;
	if (operand.class == CLASS_INTERVAL || (operand.class == CLASS_DECIMAL && operand.dscale < 0))
		attribute->second = add_output(c, &use, shape);
}

void
compile_outputs(Compiler *c, List *vars, Program *shape)
{
	ListCell   *lc;

	c->result->nattributes = 0;
	c->result->gives_rows = are_outputs(c, vars);
	if (!c->result->gives_rows)
		return;
	foreach(lc, vars)
		compile_output(c, lfirst_node(Var, lc), shape);
}
