/*
 * compile_join.c
 *		Compilation of joins with the rows of join tables, one join after the other.
 *
 * compile_join_key.c emits the search for a lane's rows.  If keys are unique,
 * lanes continue with one row each.  Otherwise the rest of the program runs in a
 * loop over the pairs of lanes and rows (EXPAND ... AGAIN).  If a semi, anti or
 * left join without unique keys has further conditions, a loop of its own, ahead
 * of the rest, marks the lanes that have a row which meets the conditions.
 */
#include "postgres.h"

#include "compile/compile_join.h"

/* Parts of the compiler's state that are replaced within a loop. */
typedef struct LoopState
{
	int			lane;
	int			row[PROGRAM_MAX_TABLES];
	List	   *known;
} LoopState;

static const Opcode fetch[] = {
	[KIND_B] = VMOP_FETCH_B, [KIND_I] = VMOP_FETCH_I, [KIND_F] = VMOP_FETCH_F,
	[KIND_W] = VMOP_FETCH_W, [KIND_T] = VMOP_FETCH_T,
};

/* Return true if two expressions are equal; Vars are compared by their numbers alone. */
static bool
is_same_column(const Expr *a, const Expr *b)
{
	const Var  *var = (const Var *) a;
	const Var  *other = (const Var *) b;

	if (!IsA(a, Var) || !IsA(b, Var))
		return nodeTag(a) == nodeTag(b) && equal(a, b);
	return var->varno == other->varno && var->varattno == other->varattno && other->varlevelsup == 0;
}

AttrNumber
column_of_join(const Compiler *c, const JoinRequest *request, const Expr *expr)
{
	ListCell   *lc;

	foreach(lc, request->columns)
		if (is_same_column(scan_expr(c, lfirst(lc)), expr))
			return foreach_current_index(lc) + 1;
	return 0;
}

int
table_of_column(const Compiler *c, const Expr *expr, AttrNumber *column)
{
	for (int t = 0; t < c->ntables; t++)
		if (c->table[t].row != 0 && (*column = column_of_join(c, c->table[t].request, expr)) > 0)
			return t + 1;
	return 0;
}

int
use_table_column(Compiler *c, JoinUse *join, const ColumnUse *use)
{
	for (int i = 0; i < join->ncolumns; i++)
		if (join->column[i].attno == use->attno && join->column[i].second == use->second)
			return i;
	if (join->ncolumns == JOIN_MAX_COLUMNS)
	{
		refuse(c, REASON_EXPRESSION);
		return 0;
	}
	join->column[join->ncolumns] = *use;
	return join->ncolumns++;
}

const DictView *
dict_of_column(const Compiler *c, int table, AttrNumber column)
{
	const JoinUse *use = &c->result->join[table - 1];

	for (int i = 0; i < use->ncolumns && c->input->dicts != NULL; i++)
		if (use->column[i].attno == column && use->column[i].coded)
			return c->input->dicts[table - 1].column[i];
	return NULL;
}

/* Add a column's bounds, by which the guard of narrow bodies decides, to the constants; return their index. */
static int
pool_bounds(Compiler *c, const JoinedTable *table, int column)
{
	const TabletColumn *have = table->rows != NULL && table->rows->rows != NULL ? &table->rows->rows->column[column] : NULL;
	uint64		bounds[4];

	wide_store(bounds, have != NULL ? wide_load(have->min) : INT64_MIN);
	wide_store(bounds + 2, have != NULL ? wide_load(have->max) : INT64_MAX);
	return pool_words(c->em.pool, bounds, lengthof(bounds));
}

int
fetch_column(Compiler *c, int table, OperandKind kind, const ColumnUse *use)
{
	const JoinedTable *from = &c->table[table - 1];
	const int	column = use_table_column(c, from->use, use);
	const int	bounds = kind == KIND_I || kind == KIND_W ? pool_bounds(c, from, column) : 0;

	return emit_instr(&c->em, (EmitInstr) {.op = fetch[kind], .a = from->row, .c = FETCH_OF(table, column), .imm = bounds});
}

int
fetch_of_lane(Compiler *c, OperandKind kind, int column)
{
	return emit_instr(&c->em, (EmitInstr) {.op = fetch[kind], .a = c->lane, .c = FETCH_OF(0, column)});
}

/* Conditions */

static void
filter_by(Compiler *c, int condition)
{
	emit_filter(c, condition, c->closed);
}

static bool
compile_condition(Compiler *c, Expr *expr, Operand *out)
{
	return compile_expr(c, expr, out) && (out->class == CLASS_BOOL || refuse(c, REASON_EXPRESSION));
}

static bool
filter_all(Compiler *c, List *conditions)
{
	ListCell   *lc;

	foreach(lc, conditions)
	{
		Operand		condition;

		if (!compile_condition(c, lfirst(lc), &condition))
			return false;
		filter_by(c, condition.vreg);
	}
	return true;
}

/* Combine all conditions by AND into *out, which is 0 without conditions. */
static bool
all_of(Compiler *c, List *conditions, int *out)
{
	ListCell   *lc;

	*out = 0;
	foreach(lc, conditions)
	{
		Operand		condition;

		if (!compile_condition(c, lfirst(lc), &condition))
			return false;
		*out = *out == 0 ? condition.vreg : emit(&c->em, VMOP_AND, *out, condition.vreg, 0, 0);
	}
	return true;
}

static int
bool_constant(Compiler *c, bool value)
{
	uint64		word = value;

	return emit_constant(&c->em, KIND_B, &word, false);
}

/* Loops */

/*
 * Begin a loop over the pairs of lanes and the rows found.  Row registers of the
 * lanes are replaced by picks for the pairs, and c->known is emptied.  The
 * previous state is saved in *before.  Returns the register of the pairs.
 */
static int
begin_loop(Join *join, int flags, int marks, LoopState *before)
{
	Compiler   *c = join->c;
	const int	mask = emit(&c->em, VMOP_MASK_TRUE, bool_constant(c, true), VREG_SELECTION, 0, 0);
	const int	pairs = emit_instr(&c->em, (EmitInstr) {.op = VMOP_EXPAND, .a = join->found,
		.b = marks, .c = join->number << 4 | flags, .m = mask});
	const int	lane = emit(&c->em, VMOP_LANE, pairs, 0, 0, 0);

	before->lane = c->lane;
	before->known = c->known;
	for (int t = 0; t < c->ntables; t++)
		before->row[t] = c->table[t].row;
	c->known = NIL;
	c->lane = c->lane != 0 ? emit(&c->em, VMOP_PICK_R, c->lane, lane, 0, 0) : lane;
	for (int t = 0; t < c->ntables; t++)
		if (c->table[t].row > 0)
			c->table[t].row = emit(&c->em, VMOP_PICK_R, c->table[t].row, lane, 0, 0);
	join->table->row = emit(&c->em, VMOP_MATCH, pairs, 0, 0, 0);
	return pairs;
}

/* Emit a loop that sets *marks for the lanes that have a row which meets the conditions. */
static bool
mark_lanes(Join *join, int *marks)
{
	Compiler   *c = join->c;
	LoopState	before;
	int			pairs;

	*marks = emit(&c->em, VMOP_CLEAR, 0, 0, 0, 0);
	pairs = begin_loop(join, EXPAND_CLOSED | EXPAND_ONCE, *marks, &before);
	if (!filter_all(c, join->others))
		return false;
	emit(&c->em, VMOP_MARK, pairs, *marks, 0, 0);
	emit(&c->em, VMOP_AGAIN, 0, 0, 0, 0);
	c->lane = before.lane;
	c->known = before.known;
	for (int t = 0; t < c->ntables; t++)
		c->table[t].row = before.row[t];
	return true;
}

/* Begin the loop over pairs in which the rest of the program runs. */
static bool
go_on_with_pairs(Join *join, int flags, int marks)
{
	Compiler   *c = join->c;
	LoopState	before;

	if (c->nloops == COMPILE_MOST_LOOPS)
		return refuse(c, REASON_EXPRESSION);
	begin_loop(join, flags, marks, &before);
	c->nloops++;
	return true;
}

void
end_loops(Compiler *c)
{
	for (; c->nloops > 0; c->nloops--)
		emit(&c->em, VMOP_AGAIN, 0, 0, 0, 0);
}

/* Kinds of joins */

/* Compile an inner join: only lanes with a row that meets the conditions remain. */
static bool
join_inner(Join *join)
{
	Compiler   *c = join->c;

	filter_by(c, emit(&c->em, join->loops ? VMOP_FOUND_S : VMOP_FOUND_R, join->found, 0, 0, 0));
	if (!join->loops)
		join->table->row = join->found;
	else if (!go_on_with_pairs(join, 0, bool_constant(c, false)))
		return false;
	return filter_all(c, join->others);
}

/* Compile a left join: all lanes remain, with a NULL row if no row meets the conditions. */
static bool
join_left(Join *join)
{
	Compiler   *c = join->c;
	const int	nknown = list_length(c->known);
	int			condition = 0;
	int			marks;

	join->table->optional = true;
	if (join->unique)
	{
		join->table->row = join->found;
		if (!all_of(c, join->others, &condition))
			return false;
		if (condition != 0)
		{
			join->table->row = emit(&c->em, VMOP_KEEP_R, join->found, condition, 0, 0);
			c->known = list_truncate(c->known, nknown);
		}
		return true;
	}
	if (join->others == NIL)
		return go_on_with_pairs(join, EXPAND_OUTER, emit(&c->em, VMOP_FOUND_S, join->found, 0, 0, 0));
	if (!mark_lanes(join, &marks) || !go_on_with_pairs(join, EXPAND_OUTER, marks) || !all_of(c, join->others, &condition))
		return false;
	/* the pair of a lane without a match has no row */
	condition = emit(&c->em, VMOP_IS_TRUE, condition, 0, 0, 0);
	filter_by(c, emit(&c->em, VMOP_OR, condition,
					  emit(&c->em, VMOP_NOT, emit(&c->em, VMOP_FOUND_R, join->table->row, 0, 0, 0), 0, 0, 0), 0, 0));
	return true;
}

/* Compile a semi or anti join: lanes remain that have, or do not have, a row which meets the conditions. */
static bool
join_semi(Join *join, bool anti)
{
	Compiler   *c = join->c;
	const int	nknown = list_length(c->known);
	int			has;
	int			condition;

	if (join->unique)
	{
		join->table->row = join->found;
		if (!all_of(c, join->others, &condition))
			return false;
		has = emit(&c->em, VMOP_FOUND_R, join->found, 0, 0, 0);
		if (condition != 0)
			has = emit(&c->em, VMOP_AND, has, emit(&c->em, VMOP_IS_TRUE, condition, 0, 0, 0), 0, 0);
		c->known = list_truncate(c->known, nknown);
		join->table->row = 0;
	}
	else if (join->others == NIL)
		has = emit(&c->em, VMOP_FOUND_S, join->found, 0, 0, 0);
	else if (!mark_lanes(join, &has))
		return false;
	filter_by(c, anti ? emit(&c->em, VMOP_NOT, has, 0, 0, 0) : has);
	if (!anti)
		keep_equal_columns(join);
	return true;
}

/* Return true if some row of a table has a NULL. */
static bool
has_nulls(const Tablet *rows)
{
	for (uint32 i = 0; i < rows->ncols; i++)
		if (rows->column[i].null_count > 0)
			return true;
	return false;
}

/* Drop lanes where x is NULL; refuse several columns unless none of them can be NULL. */
static bool
filter_nulls(const Join *join)
{
	Compiler   *c = join->c;
	ListCell   *lc;

	foreach(lc, join->request->conditions)
	{
		NullTest   *test = makeNode(NullTest);
		Operand		value;

		test->arg = linitial(lfirst_node(OpExpr, lc)->args);
		test->nulltesttype = IS_NOT_NULL;
		if (!compile_expr(c, test->arg, &value))
			return false;
		if (value.nullable && list_length(join->request->conditions) > 1)
			return refuse(c, REASON_EXPRESSION);
		if (value.nullable && !filter_all(c, list_make1(test)))
			return false;
	}
	return true;
}

/*
 * Compile an anti join with the NULL semantics of NOT IN: with an empty table
 * all lanes remain; if the table has a NULL, none does; else those where x is
 * not NULL and has no match.
 */
static bool
join_not_in(Join *join)
{
	Compiler   *c = join->c;
	const Tablet *rows = join->table->rows != NULL ? join->table->rows->rows : NULL;

	if (!join_semi(join, true))
		return false;
	if (rows != NULL && rows->nrows == 0)
		return true;
	if (rows == NULL || !has_nulls(rows))
		return filter_nulls(join);
	if (list_length(join->request->conditions) > 1)
		return refuse(c, "runtime_error");
	filter_by(c, bool_constant(c, false));
	return true;
}

static bool
compile_join(Compiler *c, const JoinRequest *request)
{
	Join		join = {.c = c, .request = request, .table = &c->table[c->ntables]};

	*join.table = (JoinedTable) {
		.request = request, .rows = c->input->tables != NULL ? &c->input->tables[c->ntables] : NULL,
		.use = &c->result->join[c->ntables]
	};
	join.number = ++c->ntables;
	if (!find_joined_rows(&join))
		return false;
	switch (request->type)
	{
		case JOIN_INNER:
			if (!join_inner(&join))
				return false;
			break;
		case JOIN_LEFT:
			if (!join_left(&join))
				return false;
			break;
		case JOIN_FULL:
			/* which rows of the table have no match is known only when all lanes have passed */
			if (c->joins_left > 0 || request->filters != NIL)
				return refuse(c, REASON_EXPRESSION);
			if (!join_left(&join))
				return false;
			break;
		case JOIN_SEMI:
		case JOIN_ANTI:
			if (request->not_in ? !join_not_in(&join) : !join_semi(&join, request->type == JOIN_ANTI))
				return false;
			break;
		default:
			return refuse(c, REASON_EXPRESSION);
	}
	return filter_all(c, request->filters);
}

bool
compile_join_loops(const JoinRequest *request)
{
	return !request->unique && request->type != JOIN_SEMI && request->type != JOIN_ANTI;
}

bool
compile_joins(Compiler *c, const CompileRequest *request)
{
	ListCell   *lc;

	if (list_length(request->joins) > PROGRAM_MAX_TABLES)
		return refuse(c, REASON_EXPRESSION);
	foreach(lc, request->joins)
	{
		c->joins_left = list_length(request->joins) - foreach_current_index(lc) - 1;
		if (!compile_join(c, lfirst(lc)))
			return false;
	}
	return true;
}
