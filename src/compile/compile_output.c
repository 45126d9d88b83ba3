/*
 * compile_output.c
 *		Compilation of the columns that are output for rows that pass.
 *
 * An attribute is one output or, where its value alone does not determine its
 * display, two.  A scan outputs texts of unbounded length only if the request
 * allows it (give_texts), since their bytes remain in the tablet; rows of joins
 * are copied from the tablet at once.  If one attribute cannot be an output,
 * none is: heap tuples, which have to be visited for it, supply all attributes.
 */
#include "postgres.h"

#include "optimizer/optimizer.h"

#include "core/vm/op_text.h"

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

/* Return the number of the join table that has a Var, 0 if it is a column of the tablet. */
static int
table_of(const Compiler *c, const Var *var)
{
	AttrNumber	column;

	return table_of_column(c, (const Expr *) var, &column);
}

/* Return true if all Vars can be outputs and do not exceed the limits.  Clears c->reason if not. */
static bool
are_outputs(Compiler *c, List *vars, bool give_texts)
{
	int			n = 0;
	ListCell   *lc;

	if (list_length(vars) > PROGRAM_MAX_OUTPUTS)
		return false;
	foreach(lc, vars)
	{
		const Var  *var = (const Var *) scan_expr(c, lfirst(lc));
		Operand		operand = {0};
		ColumnUse	use;

		if (!IsA(var, Var) || !describe_column(c, (const Expr *) var, &operand, &use))
		{
			c->reason = NULL;
			return false;
		}
		/* join tables have all values on the host */
		if (table_of(c, var) > 0)
			continue;
		if (operand.class == CLASS_TEXT && c->ntables == 0)
		{
			if (!give_texts)
				return false;
			c->result->gives_texts = true;
		}
		n += operand.class == CLASS_DECIMAL && operand.dscale < 0 ? 2 : 1;
	}
	return n <= PROGRAM_MAX_OUTPUTS && n <= PROGRAM_MAX_COLUMNS - c->result->ncolumns;
}

/* Add a column of the tablet as an output, or a use of a join table's column, and return its index. */
static int
add_output(Compiler *c, int table, const ColumnUse *use, Program *shape)
{
	if (table > 0)
		return use_table_column(c, c->table[table - 1].use, use);
	shape->output[shape->noutputs] = (uint8) use_column(c, use);
	return shape->noutputs++;
}

void
describe_output(Compiler *c, const Var *var, Program *shape, OutputResult *attribute)
{
	const int	table = table_of(c, var);
	Operand		operand = {0};
	ColumnUse	use;

	(void) describe_column(c, (const Expr *) var, &operand, &use);
	*attribute = (OutputResult) {
		.attno = table > 0 ? 0 : use.attno, .table = table, .type = use.type, .typmod = use.typmod,
		.packed = use.packed ? TEXT_PACKED_MAX : 0, .coded = use.coded,
		.scale = operand.scale, .dscale = operand.dscale, .value = -1, .second = -1
	};
	/* an interval is output as its bytes alone, which are its second column */
	if (operand.class != CLASS_INTERVAL)
		attribute->value = add_output(c, table, &use, shape);
	use.second = true;
	if (operand.class == CLASS_INTERVAL || (operand.class == CLASS_DECIMAL && operand.dscale < 0))
		attribute->second = add_output(c, table, &use, shape);
}

void
compile_outputs(Compiler *c, const CompileRequest *request, Program *shape)
{
	ListCell   *lc;

	c->result->nattributes = 0;
	c->result->gives_texts = false;
	c->result->gives_rows = are_outputs(c, request->outputs, request->give_texts);
	c->result->gives_texts &= c->result->gives_rows;
	if (!c->result->gives_rows)
		return;
	foreach(lc, request->outputs)
		describe_output(c, (const Var *) scan_expr(c, lfirst(lc)), shape, &c->result->attribute[c->result->nattributes++]);
}

void
emit_rows(Compiler *c)
{
	emit(&c->em, VMOP_EMIT, 0, 0, 0, 0);
	if (c->lane != 0)
		emit(&c->em, VMOP_EMIT_ROW, c->lane, 0, 0, 0);
	for (int t = 0; t < c->ntables; t++)
		if (c->table[t].row > 0)
			emit(&c->em, VMOP_EMIT_ROW, c->table[t].row, 0, 0, t + 1);
}
