/*
 * compile_kept.c
 *		Rows that a device keeps: for a table of a join, or to go out later.
 *
 * The program is an aggregate without keys that counts them.  What is kept
 * takes 64 bits.  Of other values of a table's, which is then also here, the
 * number of the row is kept.
 */
#include "postgres.h"

#include "core/op_text.h"

#include "compile/compile_agg.h"

typedef struct KeptCompiler
{
	AggCompiler ac;
	int			value[PROGRAM_MAX_KEPT];	/* registers, */
	Opcode		store[PROGRAM_MAX_KEPT];	/* and what puts them into their places */
} KeptCompiler;

/* Have a register's values kept as one more column; its number, or -1 if they are too many. */
static int
keep_register(KeptCompiler *k, ColType type, Opcode store, int vreg)
{
	Program    *shape = k->ac.shape;

	if (shape->nkept == PROGRAM_MAX_KEPT)
	{
		refuse(k->ac.c, REASON_EXPRESSION);
		return -1;
	}
	k->value[shape->nkept] = vreg;
	k->store[shape->nkept] = store;
	shape->kept[shape->nkept] = type;
	return shape->nkept++;
}

/* The same of an operand's, decimals having their scale; false if they have a form that is not kept. */
static bool
keep_operand(KeptCompiler *k, Operand *operand, int *column)
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

static KeptCompiler *
begin_keeping(Compiler *c, Program *shape)
{
	KeptCompiler *k = palloc0(sizeof(KeptCompiler));

	k->ac.c = c;
	k->ac.shape = shape;
	c->result->kept_count = need_state(&k->ac, STATE_COUNT, false, 0, VREG_SELECTION);
	return k;
}

/* Count, and put all values into their places; of no columns there is one that stays empty. */
static bool
end_keeping(KeptCompiler *k)
{
	Compiler   *c = k->ac.c;
	Program    *shape = k->ac.shape;
	const int	ncolumns = shape->nkept;
	int			place;

	if (ncolumns == 0)
		shape->kept[shape->nkept++] = COLTYPE_BOOL;
	emit_updates(&k->ac);
	place = emit(&c->em, VMOP_PLACE, 0, 0, 0, 0);
	for (int i = 0; i < ncolumns; i++)
		emit(&c->em, k->store[i], k->value[i], place, 0, i);
	return c->reason == NULL;
}

/* Keep a column of a table's, and have it told what a table's head is to say of it. */
static bool
keep_column(KeptCompiler *k, const CompileRequest *request, const ColumnUse *use)
{
	Compiler   *c = k->ac.c;
	Expr	   *expr = list_nth(request->outputs, use->attno - 1);
	Operand		operand = {0};
	KeptColumn *kept;
	int			column;

	/* texts that are not wanted by their codes are wanted as texts */
	if (use->second || use->packed)
		return refuse(c, REASON_DATA_TYPE);
	if (!compile_expr(c, expr, &operand))
		return false;
	if (operand.class == CLASS_PACKED || (operand.class == CLASS_CODE && !use->coded))
		return refuse(c, REASON_DATA_TYPE);
	if (operand.class == CLASS_DECIMAL)
	{
		/* whoever wants the table knows of fewer digits than other runs here have met, until it has met them itself */
		if (operand.scale > use->scale)
			return refuse(c, REASON_DATA_TYPE);
		operand = decimal_at_scale(c, &operand, use->scale);
	}
	if (!keep_operand(k, &operand, &column))
		return false;
	kept = &c->result->kept[column];
	*kept = (KeptColumn) {
		.count = need_state(&k->ac, STATE_COUNT, false, operand.vreg, VREG_SELECTION), .least = -1, .largest = -1,
		.codes = code_source(c, &operand, expr)
	};
	if (k->ac.shape->kept[column] != COLTYPE_I64)
		return true;
	kept->least = need_state(&k->ac, STATE_MIN_I, false, operand.vreg, VREG_SELECTION);
	kept->largest = need_state(&k->ac, STATE_MAX_I, false, operand.vreg, VREG_SELECTION);
	return true;
}

bool
compile_kept_rows(Compiler *c, const CompileRequest *request, Program *shape)
{
	const JoinUse *use = request->keep;
	KeptCompiler *k = begin_keeping(c, shape);

	c->result->nkept = use->ncolumns;
	if (use->ncolumns > PROGRAM_MAX_KEPT)
		return refuse(c, REASON_EXPRESSION);
	for (int i = 0; i < use->ncolumns; i++)
		if (!keep_column(k, request, &use->column[i]))
			return false;
	return end_keeping(k);
}

/* Of a table's column that has no form that is kept, which therefore is not on a device alone, the numbers of its rows do. */
static bool
keep_numbers(KeptCompiler *k, Expr *expr, OutputResult *attribute)
{
	Compiler   *c = k->ac.c;
	int16	   *kept;

	describe_output(c, (const Var *) scan_expr(c, expr), k->ac.shape, attribute);
	kept = &c->result->row_kept[attribute->table - 1];
	if (*kept == 0)
		*kept = keep_register(k, COLTYPE_I64, VMOP_STORE_R, c->table[attribute->table - 1].row) + 1;
	return c->reason == NULL;
}

/* Keep what is wanted of rows: a column or, where its value alone does not tell how it is displayed, two. */
static bool
keep_output(KeptCompiler *k, Expr *expr)
{
	Compiler   *c = k->ac.c;
	OutputResult *attribute = &c->result->attribute[c->result->nattributes++];
	Operand		operand = {0};
	ColumnUse	use;
	AttrNumber	number;
	CodeSource	codes;
	int			value;
	int			second = -1;

	if (!describe_column(c, scan_expr(c, expr), &operand, &use))
		return false;
	if (operand.class == CLASS_TEXT || operand.class == CLASS_WIDE || operand.class == CLASS_INTERVAL)
	{
		if (table_of_column(c, scan_expr(c, expr), &number) > 0)
			return keep_numbers(k, expr, attribute);
		c->result->not_kept = use.type;
		return refuse(c, REASON_DATA_TYPE);
	}
	if (!compile_expr(c, expr, &operand) || !keep_operand(k, &operand, &value))
		return false;
	if (operand.class == CLASS_DECIMAL && operand.dscale < 0)
		second = keep_register(k, COLTYPE_I64, VMOP_STORE_I, operand.second_vreg);
	codes = code_source(c, &operand, expr);
	*attribute = (OutputResult) {
		.attno = codes.join > 0 ? 0 : codes.attno, .type = use.type, .typmod = use.typmod, .packed = use.packed ? TEXT_PACKED_MAX : 0,
		.coded = use.coded, .book = codes.book, .scale = operand.scale, .dscale = operand.dscale,
		.value = value, .second = second
	};
	return c->reason == NULL;
}

bool
compile_kept_outputs(Compiler *c, const CompileRequest *request, Program *shape)
{
	KeptCompiler *k = begin_keeping(c, shape);
	ListCell   *lc;

	c->result->nattributes = 0;
	c->result->gives_rows = true;
	memset(c->result->row_kept, 0, sizeof(c->result->row_kept));
	if (list_length(request->outputs) > PROGRAM_MAX_KEPT)
		return refuse(c, REASON_EXPRESSION);
	foreach(lc, request->outputs)
		if (!keep_output(k, lfirst(lc)))
			return false;
	return end_keeping(k);
}
