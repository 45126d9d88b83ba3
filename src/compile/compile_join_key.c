/*
 * compile_join_key.c
 *		Compilation of the search for the rows of a join table that may meet the conditions.
 *
 * Conditions by which a column of the table, or an expression that is one of its
 * columns, equals an expression known before the join form the key.  If the table
 * finds keys by a hash, these conditions are tested again like all others.
 * Without a key, one or two conditions that bound a column make the table sorted
 * by that column, and the rows are those between the ranks of the bounds.
 * Without bounds, too, all rows of the table may meet the conditions.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "core/numeric/decimal.h"

#include "compile/compile_join.h"

/* Parts of a condition that compares a column of the table with an expression known before the join. */
typedef struct Sides
{
	const FunctionMap *map;		/* comparison */
	bool		same_types;		/* values of both types are equal exactly where their registers are */
	int			side;			/* argument that is the column: 0 = left, 1 = right */
	bool		trims;			/* a bpchar column is cast to text, which removes its trailing blanks */
	Expr	   *column;			/* column of the table, without casts */
	Expr	   *other;			/* the other side */
} Sides;

/* Conditions */

/* Return true if values of two types are equal exactly where their registers are. */
static bool
comparable(Oid a, Oid b)
{
	static const Oid family[][4] = {
		{INT2OID, INT4OID, INT8OID}, {FLOAT4OID, FLOAT8OID}, {TEXTOID, VARCHAROID, NAMEOID}
	};

	if (a == b)
		return true;
	for (int f = 0; f < lengthof(family); f++)
	{
		bool		has_a = false;
		bool		has_b = false;

		for (int i = 0; i < lengthof(family[f]) && OidIsValid(family[f][i]); i++)
		{
			has_a |= family[f][i] == a;
			has_b |= family[f][i] == b;
		}
		if (has_a && has_b)
			return true;
	}
	return false;
}

static Expr *
without_relabels(const Compiler *c, Expr *expr)
{
	expr = scan_expr(c, expr);
	while (IsA(expr, RelabelType))
		expr = scan_expr(c, ((RelabelType *) expr)->arg);
	return expr;
}

/* Return the argument of a cast from bpchar to text, or NULL if the expression is not such a cast. */
static Expr *
cast_to_text(const Compiler *c, Expr *expr)
{
	const FuncExpr *cast = (const FuncExpr *) expr;

	return IsA(cast, FuncExpr) && cast->funcid == F_TEXT_BPCHAR ? without_relabels(c, linitial(cast->args)) : NULL;
}

/* Return true if an expression refers to columns of the join's table. */
static bool
has_column_walker(Node *node, void *arg)
{
	const Join *join = arg;
	AttrNumber	column;

	if (node == NULL)
		return false;
	if (!IsA(node, List))
		node = (Node *) scan_expr(join->c, (Expr *) node);
	if (IsA(node, Var))
		return table_of_column(join->c, (Expr *) node, &column) == join->number;
	return expression_tree_walker(node, has_column_walker, (void *) join);
}

/*
 * Split a condition that compares a column of the table with an expression known
 * before the join into its sides.  Returns false for any other condition.
 */
static bool
split_condition(const Join *join, Expr *condition, Sides *sides)
{
	const OpExpr *op = (const OpExpr *) condition;
	AttrNumber	number;

	if (!IsA(op, OpExpr) || list_length(op->args) != 2)
		return false;
	sides->map = map_function(get_opcode(op->opno));
	if (sides->map == NULL || sides->map->action != ACTION_COMPARE)
		return false;
	sides->same_types = comparable(getBaseType(exprType(linitial(op->args))), getBaseType(exprType(lsecond(op->args))));
	for (int side = 0; side < 2; side++)
	{
		Expr	   *cast;

		sides->side = side;
		sides->other = list_nth(op->args, 1 - side);
		sides->column = without_relabels(join->c, list_nth(op->args, side));
		cast = cast_to_text(join->c, sides->column);
		sides->trims = cast != NULL;
		if (cast != NULL)
			sides->column = cast;
		if (table_of_column(join->c, sides->column, &number) == join->number &&
			!has_column_walker((Node *) sides->other, (void *) join) && !is_run_constant(scan_expr(join->c, sides->other)))
			return true;
	}
	return false;
}

/* Return true, with the sides, if a condition is an equality of a column of the table that can be part of a key. */
static bool
is_key(const Join *join, Expr *condition, Sides *sides)
{
	return split_condition(join, condition, sides) && sides->map->op == COMPARISON_EQ && sides->map->date_side == DATE_NONE &&
		sides->same_types;
}

/* Return true, with the sides, if a condition bounds a column of the table whose values have words in their order. */
static bool
is_bound(const Join *join, Expr *condition, Sides *sides)
{
	const TypeMap *type;

	if (!split_condition(join, condition, sides) || sides->map->op <= COMPARISON_NE)
		return false;
	/* only the other side may be a date that is converted to a timestamp, not the column */
	if (sides->map->date_side == DATE_NONE ? !sides->same_types : (sides->map->date_side == DATE_LEFT) != (sides->side == 1))
		return false;
	type = map_type(getBaseType(exprType((const Node *) sides->column)));
	return type != NULL && (type->class == CLASS_INT || type->class == CLASS_FLOAT || type->class == CLASS_DECIMAL);
}

/* Return the end at which a condition bounds its column. */
static JoinEnd
end_of(const Sides *sides)
{
	const bool	less = sides->map->op == COMPARISON_LT || sides->map->op == COMPARISON_LE;

	return less == (sides->side == 0) ? JOIN_UPPER : JOIN_LOWER;
}

/*
 * Convert the value that a column is compared with to the form of the column.
 * The column may get a larger scale.  False with c->reason set if their forms
 * cannot be unified.
 */
static bool
hold_like_column(Join *join, const Sides *sides, Operand *value, Operand *column, ColumnUse *use)
{
	Compiler   *c = join->c;

	if (value->class == CLASS_PACKED && column->class == CLASS_PACKED && !sides->trims)
		return value->trimmed == column->trimmed;
	if (value->class == CLASS_PACKED || column->class == CLASS_PACKED)
		return refuse_packed(c);
	if (value->class != column->class)
		return refuse(c, REASON_EXPRESSION);
	if (value->class == CLASS_DECIMAL)
	{
		column->scale = use->scale = Max(column->scale, value->scale);
		*value = decimal_at_scale(c, value, use->scale);
	}
	return c->reason == NULL;
}

/* Keys */

/* Emit the bounds of the table's keys, so that tablets without values between them are skipped. */
static void
tell_bounds(const Join *join, int value, int number)
{
	Compiler   *c = join->c;
	const Tablet *rows = join->table->rows != NULL ? join->table->rows->rows : NULL;
	const TabletColumn *column = rows != NULL ? &rows->column[number] : NULL;
	uint64		bounds[2] = {1, 0};

	/* useless where lanes without a match remain, or lanes are pairs of an earlier join */
	if (rows == NULL || c->lane != 0 || (join->request->type != JOIN_INNER && join->request->type != JOIN_SEMI))
		return;
	if (rows->nrows > 0)
	{
		bounds[0] = (uint64) (int64) wide_load(column->min);
		bounds[1] = (uint64) (int64) wide_load(column->max);
	}
	emit(&c->em, VMOP_BOUND, value, 0, 0, pool_words(c->em.pool, bounds, lengthof(bounds)));
}

/*
 * Return true if texts are equal under a collation exactly where their bytes
 * are, else refuse.  PostgreSQL raises an error if the collation is not known.
 */
static bool
equality_known(Compiler *c, Oid collation)
{
	return OidIsValid(collation) && get_collation_isdeterministic(collation) ? true : refuse(c, REASON_COLLATION);
}

/* Add a condition to the key: compile its value and combine it with *word, the word of the key so far. */
static bool
add_part(Join *join, Expr *condition, const Sides *sides, int *word)
{
	Compiler   *c = join->c;
	JoinUse    *use = join->table->use;
	const int	part = list_length(join->keys);
	/* the key is the text without trailing blanks; rows that are found are compared by the condition itself */
	const bool	trims = sides->map->bpchar || sides->trims;
	const Oid	collation = ((OpExpr *) condition)->inputcollid;
	Operand		value = {0};
	Operand		column = {0};
	ColumnUse	column_use;
	JoinKeyForm form = JOIN_KEY_INTEGER;
	Opcode		op = VMOP_JOIN_I;
	int			number;

	if (!compile_expr(c, sides->other, &value) || !describe_column(c, sides->column, &column, &column_use) ||
		!hold_like_column(join, sides, &value, &column, &column_use))
		return false;
	switch (value.class)
	{
		case CLASS_BOOL:
			value.vreg = emit(&c->em, VMOP_BOOL_TO_INT, value.vreg, 0, 0, 0);
			break;
		case CLASS_INT:
			break;
		case CLASS_PACKED:
			if (!equality_known(c, collation))
				return false;
			break;
		case CLASS_FLOAT:
			value.vreg = emit(&c->em, VMOP_FLOAT_WORD, value.vreg, 0, 0, 0);
			form = JOIN_KEY_FLOAT;
			break;
		case CLASS_DECIMAL:
			op = c->wide ? VMOP_JOIN_W : VMOP_JOIN_I;
			break;
		case CLASS_WIDE:
		case CLASS_INTERVAL:
			op = VMOP_JOIN_W;
			break;
		case CLASS_TEXT:
			if (!equality_known(c, collation))
				return false;
			if (trims)
				value.vreg = emit(&c->em, VMOP_TRIM_T, value.vreg, 0, 0, 0);
			form = trims ? JOIN_KEY_TRIMMED : JOIN_KEY_TEXT;
			op = VMOP_JOIN_T;
			break;
		case CLASS_CODE:
			return refuse(c, REASON_EXPRESSION);
	}
	number = use_table_column(c, use, &column_use);
	use->key[part] = (JoinKey) {.column = number, .form = form};
	use->nkeys = part + 1;
	join->keys = lappend(join->keys, condition);
	if (op == VMOP_JOIN_I && form == JOIN_KEY_INTEGER && !is_closed(c, condition))
		tell_bounds(join, value.vreg, number);
	*word = emit_instr(&c->em, (EmitInstr) {.op = op, .a = value.vreg, .b = *word, .c = part, .imm = join->number});
	return c->reason == NULL;
}

/* Return true if equal words imply equal keys, which is not so if texts are part of the key. */
static bool
is_exact(const Join *join)
{
	if (join->table->rows != NULL)
		return join->table->rows->table->exact;
	for (int k = 0; k < join->table->use->nkeys; k++)
		if (join->table->use->key[k].form >= JOIN_KEY_TEXT)
			return false;
	return true;
}

/*
 * Return true if a join with unique keys is to continue with pairs, which
 * compacts the few lanes that have a match, provided that enough loops remain
 * for the joins that must have one.  Rows are materialized by GPUs alone, which
 * do not gain from compaction.
 */
static bool
puts_side_by_side(const Join *join)
{
	const Compiler *c = join->c;

	return join->request->few && join->request->type == JOIN_INNER && c->request->keep == NULL && !c->request->keep_rows &&
		c->nloops + c->joins_left < COMPILE_MOST_LOOPS;
}

static bool
has_key(const Join *join)
{
	ListCell   *lc;
	Sides		sides;

	foreach(lc, join->request->conditions)
		if (is_key(join, lfirst(lc), &sides))
			return true;
	return false;
}

/* Return true if a column is part of the key already; its values are stored in one form only. */
static bool
is_part(const Join *join, const Expr *column)
{
	ListCell   *lc;
	Sides		sides;

	foreach(lc, join->keys)
		if (is_key(join, lfirst(lc), &sides) && equal(sides.column, column))
			return true;
	return false;
}

/* Emit the search for the rows whose key equals the lanes' key; without a key, for all rows. */
static bool
find_by_key(Join *join)
{
	Compiler   *c = join->c;
	JoinedTable *table = join->table;
	int			word = int_constant(c, 0);
	ListCell   *lc;
	Sides		sides;

	foreach(lc, join->request->conditions)
	{
		if (list_length(join->keys) == JOIN_MAX_PARTS || !is_key(join, lfirst(lc), &sides) || is_part(join, sides.column))
			join->others = lappend(join->others, lfirst(lc));
		else if (!add_part(join, lfirst(lc), &sides, &word))
			return false;
	}
	if (!is_exact(join))
		join->others = list_concat_copy(join->keys, join->others);
	table->use->some = (join->request->type == JOIN_SEMI || join->request->type == JOIN_ANTI) && join->others == NIL;
	join->unique = table->rows != NULL ? table->rows->table->unique : join->request->unique && join->keys != NIL;
	join->loops = !join->unique || puts_side_by_side(join);
	join->found = emit(&c->em, join->loops ? VMOP_SPAN : VMOP_PROBE, word, 0, 0, join->number);
	return true;
}

/* Bounds */

/* Return the index of the first condition that bounds a column at one end, or -1. */
static int
find_bound(const Join *join, const Expr *column, JoinEnd end)
{
	ListCell   *lc;

	foreach(lc, join->request->conditions)
	{
		Sides		sides;

		if (is_bound(join, lfirst(lc), &sides) && end_of(&sides) == end && equal(sides.column, column))
			return foreach_current_index(lc);
	}
	return -1;
}

/*
 * Choose the column to sort the table by: the first with bounds at both ends,
 * else the first with a bound at one end.  Returns false if there is none.
 */
static bool
choose_bounds(const Join *join)
{
	JoinUse    *use = join->table->use;
	ListCell   *lc;

	use->sorted = false;
	foreach(lc, join->request->conditions)
	{
		Sides		sides;
		int			lower;
		int			upper;

		if (!is_bound(join, lfirst(lc), &sides))
			continue;
		lower = find_bound(join, sides.column, JOIN_LOWER);
		upper = find_bound(join, sides.column, JOIN_UPPER);
		if (use->sorted && (lower < 0 || upper < 0))
			continue;
		use->sorted = true;
		use->bound[JOIN_LOWER] = lower;
		use->bound[JOIN_UPPER] = upper;
		if (lower >= 0 && upper >= 0)
			break;
	}
	return use->sorted;
}

/* Emit the rank at which the rows within a bound begin or end, and return its register. */
static int
emit_rank(const Join *join, const Sides *sides, const Operand *value, JoinEnd end)
{
	Compiler   *c = join->c;
	const bool	strict = sides->map->op == COMPARISON_LT || sides->map->op == COMPARISON_GT;
	Opcode		op = VMOP_RANK_I;
	int			vreg = value->vreg;

	if (sides->map->date_side != DATE_NONE)
		vreg = emit(&c->em, VMOP_DATE_TO_TS, vreg, 0, 0, 0);
	if (value->class == CLASS_FLOAT)
		vreg = emit(&c->em, VMOP_FLOAT_WORD, vreg, 0, 0, 0);
	if (value->class == CLASS_DECIMAL && c->wide)
		op = VMOP_RANK_W;
	/* rows equal to the value are below the rank for a strict lower bound and for an inclusive upper bound */
	return emit_instr(&c->em, (EmitInstr) {.op = op, .a = vreg, .c = strict == (end == JOIN_LOWER), .imm = join->number});
}

/* Return the conditions of the join other than the chosen bounds. */
static List *
all_but_bounds(const Join *join)
{
	const JoinUse *use = join->table->use;
	List	   *others = NIL;
	ListCell   *lc;

	foreach(lc, join->request->conditions)
		if (foreach_current_index(lc) != use->bound[JOIN_LOWER] && foreach_current_index(lc) != use->bound[JOIN_UPPER])
			others = lappend(others, lfirst(lc));
	return others;
}

/* Compile the values of the chosen bounds in the form of the column that the table is sorted by. */
static bool
compile_bounds(Join *join, Sides *sides, Operand *value)
{
	Compiler   *c = join->c;
	JoinUse    *use = join->table->use;
	Operand		column = {0};
	ColumnUse	column_use;
	bool		described = false;

	for (JoinEnd end = JOIN_LOWER; end <= JOIN_UPPER; end++)
	{
		if (use->bound[end] < 0)
			continue;
		split_condition(join, list_nth(join->request->conditions, use->bound[end]), &sides[end]);
		described = described || describe_column(c, sides[end].column, &column, &column_use);
		if (!described || !compile_expr(c, sides[end].other, &value[end]) ||
			!hold_like_column(join, &sides[end], &value[end], &column, &column_use))
			return false;
	}
	/* the second bound may have given the column a larger scale */
	for (JoinEnd end = JOIN_LOWER; end <= JOIN_UPPER; end++)
		if (use->bound[end] >= 0 && column.class == CLASS_DECIMAL)
			value[end] = decimal_at_scale(c, &value[end], column.scale);
	use->nkeys = 1;
	use->key[0] = (JoinKey) {
		.column = use_table_column(c, use, &column_use), .form = column.class == CLASS_FLOAT ? JOIN_KEY_FLOAT : JOIN_KEY_INTEGER
	};
	return c->reason == NULL;
}

/* Emit the search for the rows within the chosen bounds. */
static bool
find_by_range(Join *join)
{
	Compiler   *c = join->c;
	const JoinUse *use = join->table->use;
	const JoinRows *rows = join->table->rows;
	/* ranks below and above all rows */
	int			rank[2] = {int_constant(c, 0), int_constant(c, PG_UINT32_MAX)};
	Sides		sides[2];
	Operand		value[2] = {0};

	if (!compile_bounds(join, sides, value))
		return false;
	join->loops = true;
	/* the table is not sorted if a value has no word: test the conditions on all rows */
	if (rows != NULL && !rows->table->sorted)
	{
		join->others = join->request->conditions;
		join->found = emit(&c->em, VMOP_SPAN, int_constant(c, 0), 0, 0, join->number);
		return true;
	}
	join->others = all_but_bounds(join);
	for (JoinEnd end = JOIN_LOWER; end <= JOIN_UPPER; end++)
		if (use->bound[end] >= 0)
			rank[end] = emit_rank(join, &sides[end], &value[end], end);
	join->found = emit(&c->em, VMOP_RANGE, rank[JOIN_LOWER], rank[JOIN_UPPER], 0, join->number);
	return true;
}

bool
find_joined_rows(Join *join)
{
	bool		found;

	/* let conditions refer to the table's columns, which have no values yet */
	join->table->row = -1;
	found = !has_key(join) && choose_bounds(join) ? find_by_range(join) : find_by_key(join);
	join->table->row = 0;
	return found;
}

void
keep_equal_columns(Join *join)
{
	Compiler   *c = join->c;
	ListCell   *lc;
	Sides		sides;

	/* let conditions refer to the table's columns once more */
	join->table->row = -1;
	foreach(lc, join->keys)
		if (is_key(join, lfirst(lc), &sides) && IsA(sides.column, Var) && IsA(scan_expr(c, sides.other), Var) &&
			exprType((Node *) sides.other) == exprType((Node *) sides.column))
			c->equal = lappend(c->equal, list_make2(sides.column, scan_expr(c, sides.other)));
	join->table->row = 0;
}
