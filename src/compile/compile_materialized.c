/*
 * compile_materialized.c
 *		Compilation of rows materialized on the device, for a join table or to be returned later.
 *
 * The program is an aggregate without keys that counts the rows.  Materialized
 * values take 64 bits at most.  For columns of a join table with other values the
 * number of the table's row is materialized; the table is then on the host, too,
 * which looks the values up.
 */
#include "postgres.h"

#include "core/vm/op_text.h"

#include "compile/compile_agg.h"

typedef struct MaterializedCompiler
{
	AggCompiler ac;
	int			value[PROGRAM_MAX_MATERIALIZED]; /* register of each column's values */
	Opcode		store[PROGRAM_MAX_MATERIALIZED]; /* opcode that stores them */
} MaterializedCompiler;

/* Add a register's values as a materialized column; return its index, or -1 if there are too many. */
static int
keep_register(MaterializedCompiler *k, ColType type, Opcode store, int vreg)
{
	Program    *shape = k->ac.shape;

	if (shape->nmaterialized == PROGRAM_MAX_MATERIALIZED)
	{
		refuse(k->ac.c, REASON_EXPRESSION);
		return -1;
	}
	k->value[shape->nmaterialized] = vreg;
	k->store[shape->nmaterialized] = store;
	shape->materialized[shape->nmaterialized] = type;
	return shape->nmaterialized++;
}

/*
 * Add an operand's values as a materialized column, decimals at their scale, and
 * store its index.  False if the operand's form cannot be materialized.
 */
static bool
keep_operand(MaterializedCompiler *k, Operand *operand, int *column)
{
	Compiler   *c = k->ac.c;

	switch (operand->class)
	{
		case CLASS_BOOL:
			*column = keep_register(k, COLTYPE_BOOL, VMOP_STORE_B, operand->vreg);
			break;
		case CLASS_FLOAT:
			*column = keep_register(k, COLTYPE_F64, VMOP_STORE_F, operand->vreg);
			break;
		case CLASS_DECIMAL:
			if (c->wide)
				operand->vreg = emit(&c->em, VMOP_NARROW, widened(c, operand), 0, c->mask, 0);
			/* FALLTHROUGH */
		case CLASS_INT:
		case CLASS_PACKED:
		case CLASS_CODE:
			*column = keep_register(k, COLTYPE_I64, VMOP_STORE_I, operand->vreg);
			break;
		default:
			return refuse(c, REASON_DATA_TYPE);
	}
	return *column >= 0;
}

/* Begin a program that materializes rows: add the state that counts them. */
static MaterializedCompiler *
begin_keeping(Compiler *c, Program *shape)
{
	MaterializedCompiler *k = palloc0(sizeof(MaterializedCompiler));

	k->ac.c = c;
	k->ac.shape = shape;
	c->result->materialized_count = need_state(&k->ac, STATE_COUNT, false, 0, VREG_SELECTION);
	return k;
}

/* Emit the count and the stores of all columns.  Without columns, one that is never stored is added. */
static bool
end_keeping(MaterializedCompiler *k)
{
	Compiler   *c = k->ac.c;
	Program    *shape = k->ac.shape;
	const int	ncolumns = shape->nmaterialized;
	int			place;

	if (ncolumns == 0)
		shape->materialized[shape->nmaterialized++] = COLTYPE_BOOL;
	emit_updates(&k->ac);
	place = emit(&c->em, VMOP_PLACE, 0, 0, 0, 0);
	for (int i = 0; i < ncolumns; i++)
		emit(&c->em, k->store[i], k->value[i], place, 0, i);
	return c->reason == NULL;
}

/* Materialize a column for a join table, with states for what the descriptor of the table's tablet needs. */
static bool
keep_column(MaterializedCompiler *k, const CompileRequest *request, const ColumnUse *use)
{
	Compiler   *c = k->ac.c;
	Expr	   *expr = list_nth(request->outputs, use->attno - 1);
	Operand		operand = {0};
	MaterializedColumn *materialized;
	int			column;

	/* a text that is not required as a dictionary code is required as a text */
	if (use->second || use->packed)
		return refuse(c, REASON_DATA_TYPE);
	if (!compile_expr(c, expr, &operand))
		return false;
	if (operand.class == CLASS_PACKED || (operand.class == CLASS_CODE && !use->coded))
		return refuse(c, REASON_DATA_TYPE);
	if (operand.class == CLASS_DECIMAL)
	{
		/* the join that uses the table assumes fewer digits than runs here have met, until its own run meets them */
		if (operand.scale > use->scale)
			return refuse(c, REASON_DATA_TYPE);
		operand = decimal_at_scale(c, &operand, use->scale);
	}
	if (!keep_operand(k, &operand, &column))
		return false;
	materialized = &c->result->materialized[column];
	*materialized = (MaterializedColumn) {
		.count = need_state(&k->ac, STATE_COUNT, false, operand.vreg, VREG_SELECTION), .least = -1, .largest = -1,
		.dict = dict_source(c, &operand, expr)
	};
	if (k->ac.shape->materialized[column] != COLTYPE_I64)
		return true;
	materialized->least = need_state(&k->ac, STATE_MIN_I, false, operand.vreg, VREG_SELECTION);
	materialized->largest = need_state(&k->ac, STATE_MAX_I, false, operand.vreg, VREG_SELECTION);
	return true;
}

bool
compile_materialized_rows(Compiler *c, const CompileRequest *request, Program *shape)
{
	const JoinUse *use = request->keep;
	MaterializedCompiler *k = begin_keeping(c, shape);

	c->result->nmaterialized = use->ncolumns;
	if (use->ncolumns > PROGRAM_MAX_MATERIALIZED)
		return refuse(c, REASON_EXPRESSION);
	for (int i = 0; i < use->ncolumns; i++)
		if (!keep_column(k, request, &use->column[i]))
			return false;
	return end_keeping(k);
}

/*
 * Materialize the row numbers of a join table in place of a column whose form
 * cannot be materialized.  A table with such a column is always on the host.
 */
static bool
keep_numbers(MaterializedCompiler *k, Expr *expr, OutputResult *attribute)
{
	Compiler   *c = k->ac.c;
	int16	   *materialized;

	describe_output(c, (const Var *) scan_expr(c, expr), k->ac.shape, attribute);
	materialized = &c->result->row_materialized[attribute->table - 1];
	if (*materialized == 0)
		*materialized = keep_register(k, COLTYPE_I64, VMOP_STORE_R, c->table[attribute->table - 1].row) + 1;
	return c->reason == NULL;
}

/* Materialize an output: one column or, where the value alone does not determine its display, two. */
static bool
keep_output(MaterializedCompiler *k, Expr *expr)
{
	Compiler   *c = k->ac.c;
	OutputResult *attribute = &c->result->attribute[c->result->nattributes++];
	Operand		operand = {0};
	ColumnUse	use;
	AttrNumber	number;
	DictSource	dict;
	int			value;
	int			second = -1;

	if (!describe_column(c, scan_expr(c, expr), &operand, &use))
		return false;
	if (operand.class == CLASS_TEXT || operand.class == CLASS_WIDE || operand.class == CLASS_INTERVAL)
	{
		if (table_of_column(c, scan_expr(c, expr), &number) > 0)
			return keep_numbers(k, expr, attribute);
		c->result->not_materialized = use.type;
		return refuse(c, REASON_DATA_TYPE);
	}
	if (!compile_expr(c, expr, &operand) || !keep_operand(k, &operand, &value))
		return false;
	if (operand.class == CLASS_DECIMAL && operand.dscale < 0)
		second = keep_register(k, COLTYPE_I64, VMOP_STORE_I, operand.second_vreg);
	dict = dict_source(c, &operand, expr);
	*attribute = (OutputResult) {
		.attno = dict.join > 0 ? 0 : dict.attno, .type = use.type, .typmod = use.typmod, .packed = use.packed ? TEXT_PACKED_MAX : 0,
		.coded = use.coded, .view = dict.view, .scale = operand.scale, .dscale = operand.dscale,
		.value = value, .second = second
	};
	return c->reason == NULL;
}

bool
compile_materialized_outputs(Compiler *c, const CompileRequest *request, Program *shape)
{
	MaterializedCompiler *k = begin_keeping(c, shape);
	ListCell   *lc;

	c->result->nattributes = 0;
	c->result->gives_rows = true;
	memset(c->result->row_materialized, 0, sizeof(c->result->row_materialized));
	if (list_length(request->outputs) > PROGRAM_MAX_MATERIALIZED)
		return refuse(c, REASON_EXPRESSION);
	foreach(lc, request->outputs)
		if (!keep_output(k, lfirst(lc)))
			return false;
	return end_keeping(k);
}
