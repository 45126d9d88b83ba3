/*
 * compile_expr.c
 *		The walk over expression trees, down to columns, constants and parameters.
 */
#include "postgres.h"

#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"

#include "core/decimal.h"
#include "core/op_text.h"
#include "core/tablet_format.h"

#include "compile/compiler.h"

bool
refuse(Compiler *c, const char *reason)
{
	if (c->reason == NULL)
		c->reason = reason;
	return false;
}

int
int_constant(Compiler *c, int64 value)
{
	uint64		word = (uint64) value;

	return emit_constant(&c->em, KIND_I, &word, false);
}

Operand
int_operand(int vreg, bool nullable)
{
	return (Operand) {.class = CLASS_INT, .vreg = vreg, .nullable = nullable};
}

Operand
bool_operand(int vreg, bool nullable)
{
	return (Operand) {.class = CLASS_BOOL, .vreg = vreg, .nullable = nullable};
}

/* An integer or decimal as a 128-bit register. */
int
widened(Compiler *c, const Operand *a)
{
	if (a->class == CLASS_DECIMAL && c->wide)
		return a->vreg;
	return emit(&c->em, VMOP_WIDEN, a->vreg, 0, 0, 0);
}

OperandKind
kind_of(const Compiler *c, OperandClass class)
{
	switch (class)
	{
		case CLASS_BOOL:
			return KIND_B;
		case CLASS_FLOAT:
			return KIND_F;
		case CLASS_DECIMAL:
			return c->wide ? KIND_W : KIND_I;
		case CLASS_TEXT:
			return KIND_T;
		case CLASS_INT:
		case CLASS_PACKED:
			return KIND_I;
	}
	return KIND_I;
}

int
null_test(Compiler *c, const Operand *a)
{
	static const Opcode op[] = {
		[KIND_B] = VMOP_NULL_B, [KIND_I] = VMOP_NULL_I, [KIND_F] = VMOP_NULL_F,
		[KIND_W] = VMOP_NULL_W, [KIND_T] = VMOP_NULL_T,
	};

	return emit(&c->em, op[kind_of(c, a->class)], a->vreg, 0, 0, 0);
}

/*
 * The class of a type.  Text of a declared length that always fits 7 bytes is
 * packed into a word.
 */
static bool
class_of_type(Compiler *c, Oid type, int32 typmod, Operand *out)
{
	int			characters = typmod - VARHDRSZ;

	switch (type)
	{
		case BOOLOID:
			out->class = CLASS_BOOL;
			return true;
		case INT2OID:
		case INT4OID:
		case INT8OID:
		case DATEOID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			out->class = CLASS_INT;
			return true;
		case FLOAT4OID:
		case FLOAT8OID:
			out->class = CLASS_FLOAT;
			return true;
		case NUMERICOID:
			out->class = CLASS_DECIMAL;
			return true;
		case BPCHAROID:
		case VARCHAROID:
			if (typmod >= (int32) VARHDRSZ &&
				characters * pg_database_encoding_max_length() <= TEXT_PACKED_MAX)
			{
				out->class = CLASS_PACKED;
				out->trimmed = type == BPCHAROID;
				return true;
			}
			out->class = CLASS_TEXT;
			return true;
		case TEXTOID:
			out->class = CLASS_TEXT;
			return true;
		default:
			return refuse(c, REASON_DATA_TYPE);
	}
}

/* Declared scale of numeric(p, s), or -1. */
static int
declared_scale(int32 typmod)
{
	int			scale;

	if (typmod < (int32) VARHDRSZ)
		return -1;
	/* 11 bits, signed, as numeric_typmod_scale() reads them */
	scale = (((typmod - VARHDRSZ) & 0x7ff) ^ 1024) - 1024;
	return Max(scale, 0);
}

/* The tablet column for a use of an attribute; made on first use. */
static int
use_column(Compiler *c, const Var *var, bool dscale, bool packed, int scale)
{
	CompileResult *r = c->result;

	for (int i = 0; i < r->ncolumns; i++)
		if (r->column[i].attno == var->varattno && r->column[i].dscale == dscale)
			return i;
	if (r->ncolumns == PROGRAM_MAX_COLUMNS)
	{
		refuse(c, REASON_EXPRESSION);
		return 0;
	}
	r->column[r->ncolumns] = (ColumnUse) {
		.attno = var->varattno, .type = var->vartype, .typmod = var->vartypmod,
		.dscale = dscale, .packed = packed, .scale = scale
	};
	return r->ncolumns++;
}

static bool
compile_var(Compiler *c, Var *var, Operand *out)
{
	static const Opcode load[] = {
		[KIND_B] = VMOP_LOAD_B, [KIND_I] = VMOP_LOAD_I, [KIND_F] = VMOP_LOAD_F,
		[KIND_W] = VMOP_LOAD_W, [KIND_T] = VMOP_LOAD_T,
	};
	int			column;

	if (var->varno != c->input->varno || var->varlevelsup != 0)
		return refuse(c, REASON_EXPRESSION);
	if (var->varattno <= 0)
		return refuse(c, "system_column");
	if (!class_of_type(c, var->vartype, var->vartypmod, out))
		return false;
	out->nullable = !bms_is_member(var->varattno, c->input->notnull);
	if (out->class == CLASS_DECIMAL)
	{
		out->dscale = declared_scale(var->vartypmod);
		out->scale = out->dscale;
		if (out->dscale < 0)
			out->scale = c->input->scales ? c->input->scales[var->varattno] : SCALE_FIRST_GUESS;
		if (out->scale > DECIMAL_MAX_DIGITS)
			return refuse(c, REASON_DATA_TYPE);
	}
	column = use_column(c, var, false, out->class == CLASS_PACKED, out->scale);
	out->vreg = emit(&c->em, load[kind_of(c, out->class)], 0, 0, 0, column);
	if (out->class == CLASS_DECIMAL && out->dscale < 0)
		out->dscale_vreg = emit(&c->em, VMOP_LOAD_I, 0, 0, 0, use_column(c, var, true, false, 0));
	return c->reason == NULL;
}

/* A numeric constant at its own display scale. */
static bool
compile_decimal_const(Compiler *c, Const *constant, Operand *out)
{
	DecimalParts parts;
	Wide		value = 0;
	uint64		words[2];

	out->scale = out->dscale = 0;
	if (!constant->constisnull)
	{
		struct varlena *datum = (struct varlena *) PG_DETOAST_DATUM_PACKED(constant->constvalue);
		DeviceStatus status = decimal_split((uint8 *) VARDATA_ANY(datum), VARSIZE_ANY_EXHDR(datum), &parts);

		if (status != STATUS_DONE || parts.dscale > DECIMAL_MAX_DIGITS ||
			decimal_value(&parts, parts.dscale, &value) != STATUS_DONE)
			return refuse(c, REASON_EXPRESSION);
		out->scale = out->dscale = parts.dscale;
	}
	if (!wide_fits_int64(value))
		c->narrow_fails = true;
	wide_store(words, value);
	out->vreg = emit_constant(&c->em, c->wide ? KIND_W : KIND_I, words, constant->constisnull);
	return true;
}

bool
compile_const(Compiler *c, Const *constant, Operand *out)
{
	uint64		word = 0;

	*out = (Operand) {.nullable = constant->constisnull, .constant = constant};
	/* a constant's text is never packed by its type: the other side decides */
	if (!class_of_type(c, constant->consttype, -1, out))
		return false;
	if (out->class == CLASS_DECIMAL)
	{
		c->decimals = true;
		return compile_decimal_const(c, constant, out);
	}
	if (!constant->constisnull)
	{
		switch (constant->consttype)
		{
			case BOOLOID:
				word = DatumGetBool(constant->constvalue);
				break;
			case INT2OID:
				word = (uint64) (int64) DatumGetInt16(constant->constvalue);
				break;
			case INT4OID:
			case DATEOID:
				word = (uint64) (int64) DatumGetInt32(constant->constvalue);
				break;
			case FLOAT4OID:
				word = bits_of_float((double) DatumGetFloat4(constant->constvalue));
				break;
			case FLOAT8OID:
				word = bits_of_float(DatumGetFloat8(constant->constvalue));
				break;
			case BPCHAROID:
			case VARCHAROID:
			case TEXTOID:
				{
					struct varlena *text = PG_DETOAST_DATUM_PACKED(constant->constvalue);
					int			length = VARSIZE_ANY_EXHDR(text);

					word = pool_text(c->em.pool, VARDATA_ANY(text), length);
					break;
				}
			default:
				word = (uint64) DatumGetInt64(constant->constvalue);
				break;
		}
	}
	else if (out->class == CLASS_TEXT)
		word = pool_text(c->em.pool, "", 0);
	out->vreg = emit_constant(&c->em, kind_of(c, out->class), &word, constant->constisnull);
	return true;
}

Const *
param_constant(Compiler *c, Param *param)
{
	if (c->input->param == NULL)
		return makeNullConst(param->paramtype, -1, param->paramcollid);
	return c->input->param(c->input->param_arg, param);
}

static bool
compile_param(Compiler *c, Param *param, Operand *out)
{
	if (param->paramkind != PARAM_EXTERN && param->paramkind != PARAM_EXEC)
		return refuse(c, REASON_EXPRESSION);
	if (!compile_const(c, param_constant(c, param), out))
		return false;
	/* while planning nothing may be concluded from the value */
	out->nullable = true;
	return true;
}

/* A cast that only renames a type. */
static bool
compile_relabel(Compiler *c, RelabelType *expr, Operand *out)
{
	Operand		renamed;

	if (!compile_expr(c, expr->arg, out) ||
		!class_of_type(c, expr->resulttype, expr->resulttypmod, &renamed))
		return false;
	/* packed text stays packed; anything else must stay what it is */
	if (renamed.class != out->class && !(out->class == CLASS_PACKED && renamed.class == CLASS_TEXT))
		return refuse(c, REASON_EXPRESSION);
	/* from bpchar, trailing blanks would begin to count, and the other way round */
	if ((exprType((Node *) expr->arg) == BPCHAROID) != (expr->resulttype == BPCHAROID))
		return refuse(c, REASON_EXPRESSION);
	if (exprType((Node *) expr->arg) == BOOLOID && expr->resulttype != BOOLOID)
		return refuse(c, REASON_EXPRESSION);
	return true;
}

static bool
compile_call(Compiler *c, Oid function, List *args, Oid collation, Operand *out)
{
	const FunctionMap *map = map_function(function);

	if (map == NULL)
		return refuse(c, contain_volatile_functions((Node *) args) || func_volatile(function) == PROVOLATILE_VOLATILE
					  ? REASON_VOLATILE : REASON_EXPRESSION);
	if (map->action == ACTION_COMPARE)
	{
		Operand		a;
		Operand		b;

		return compile_expr(c, linitial(args), &a) && compile_expr(c, lsecond(args), &b) &&
			compile_comparison(c, map, collation, &a, &b, out);
	}
	if ((map->action == ACTION_LIKE || map->action == ACTION_NOT_LIKE) &&
		(!OidIsValid(collation) || !get_collation_isdeterministic(collation)))
		return refuse(c, REASON_COLLATION);
	return compile_function(c, map, args, out);
}

static bool
compile_node(Compiler *c, Expr *expr, Operand *out)
{
	switch (nodeTag(expr))
	{
		case T_Var:
			return compile_var(c, (Var *) expr, out);
		case T_Const:
			return compile_const(c, (Const *) expr, out);
		case T_Param:
			return compile_param(c, (Param *) expr, out);
		case T_BoolExpr:
			return compile_bool_expr(c, (BoolExpr *) expr, out);
		case T_CaseExpr:
			return compile_case(c, (CaseExpr *) expr, out);
		case T_CaseTestExpr:
			if (c->case_values == NIL)
				return refuse(c, REASON_EXPRESSION);
			*out = *(Operand *) linitial(c->case_values);
			return true;
		case T_CoalesceExpr:
			return compile_coalesce(c, (CoalesceExpr *) expr, out);
		case T_NullTest:
			return compile_null_test(c, (NullTest *) expr, out);
		case T_BooleanTest:
			return compile_boolean_test(c, (BooleanTest *) expr, out);
		case T_ScalarArrayOpExpr:
			return compile_array_op(c, (ScalarArrayOpExpr *) expr, out);
		case T_RelabelType:
			return compile_relabel(c, (RelabelType *) expr, out);
		case T_OpExpr:
			{
				OpExpr	   *op = (OpExpr *) expr;

				set_opfuncid(op);
				return compile_call(c, op->opfuncid, op->args, op->inputcollid, out);
			}
		case T_FuncExpr:
			{
				FuncExpr   *func = (FuncExpr *) expr;

				return compile_call(c, func->funcid, func->args, func->inputcollid, out);
			}
		default:
			return refuse(c, REASON_EXPRESSION);
	}
}

bool
compile_expr(Compiler *c, Expr *expr, Operand *out)
{
	ListCell   *lc;
	Known	   *known;
	bool		constant;

	check_stack_depth();
	while (IsA(expr, Var) && ((Var *) expr)->varno == INDEX_VAR)
	{
		TargetEntry *entry = list_nth_node(TargetEntry, c->input->scan_tlist, ((Var *) expr)->varattno - 1);

		expr = entry->expr;
	}
	constant = IsA(expr, Const) || IsA(expr, Param) || IsA(expr, CaseTestExpr);
	if (!constant)
		foreach(lc, c->known)
		{
			known = lfirst(lc);
			if (equal(known->expr, expr))
			{
				*out = known->operand;
				return true;
			}
		}
	*out = (Operand) {0};
	if (!compile_node(c, expr, out))
		return false;
	if (out->class == CLASS_DECIMAL)
		c->decimals = true;
	/* a column is loaded for all lanes; anything else may be masked */
	if ((c->mask == VREG_SELECTION && !constant && c->case_values == NIL) || IsA(expr, Var))
	{
		known = palloc(sizeof(Known));
		known->expr = expr;
		known->operand = *out;
		c->known = lappend(c->known, known);
	}
	return true;
}
