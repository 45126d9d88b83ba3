/*
 * compile.c
 *		Compilation of filters, joins, outputs, keys and aggregates into one program.
 *
 * Where decimals occur the walk over the expressions runs twice: for the narrow
 * body and for the wide one.  Columns and states are numbered in the order of
 * the walk, so both bodies agree on them.  If the request fails because texts
 * are packed into words, it is compiled again with all texts unpacked.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "core/tablet/tablet_format.h"

#include "compile/compiler.h"

void
begin_qual(Compiler *c, int number)
{
	c->closed = c->request->secret && (number < 0 || number >= c->request->nopen);
}

bool
is_closed(const Compiler *c, Expr *expr)
{
	return c->closed && contain_leaked_vars((Node *) expr);
}

void
emit_filter(Compiler *c, int condition, bool closed)
{
	emit_instr(&c->em, (EmitInstr) {.op = VMOP_FILTER, .a = condition, .c = closed});
	emit(&c->em, VMOP_JUMP_NONE, 0, 0, 0, 0);
}

static bool
compile_quals(Compiler *c, List *quals)
{
	ListCell   *lc;

	foreach(lc, quals)
	{
		Operand		condition;

		begin_qual(c, foreach_current_index(lc));
		if (!compile_expr(c, lfirst(lc), &condition))
			return false;
		if (condition.class != CLASS_BOOL)
			return refuse(c, REASON_EXPRESSION);
		emit_filter(c, condition.vreg, is_closed(c, lfirst(lc)));
	}
	begin_qual(c, -1);
	return true;
}

/* Compile one body; columns and states go to the result and to shape. */
static bool
compile_body(Compiler *c, const CompileRequest *request, Program *shape)
{
	if (!compile_quals(c, request->quals) || !compile_joins(c, request))
		return false;
	shape->ntables = c->ntables;
	if (request->keep != NULL || request->keep_rows)
	{
		if (request->keep_rows ? !compile_materialized_outputs(c, request, shape) : !compile_materialized_rows(c, request, shape))
			return false;
		end_loops(c);
		return true;
	}
	if (request->aggregate)
	{
		if (!compile_keys_and_aggregates(c, request, shape))
			return false;
		end_loops(c);
		return true;
	}
	emit_rows(c);
	if (request->give_rows)
		compile_outputs(c, request, shape);
	/* joined rows have no heap tuples */
	if ((c->ntables > 0 || request->no_tuples) && !c->result->gives_rows)
		return refuse(c, REASON_DATA_TYPE);
	end_loops(c);
	return true;
}

static double
body_cost(const StringInfo code, const ProgramBody *body)
{
	const Instr *in = (const Instr *) (code->data + body->instrs);
	double		cost = 0;

	for (int i = body->tile_start; i < body->ninstrs; i++)
		cost += op_info[in[i].op].cost / 10.0;
	return cost;
}

/* Relocate references to the words of truth tables, which are placed after the constants. */
static void
place_tables(CompileResult *result, const ConstantPool *pool, StringInfo code)
{
	const int	behind = pool->words.len / sizeof(uint64);
	Instr	   *in = (Instr *) code->data;
	ListCell   *lc;

	for (int i = 0; i < code->len / (int) sizeof(Instr); i++)
		if (in[i].op == VMOP_TEST_CODE)
			in[i].imm += behind;
	foreach(lc, result->dict_tests)
		((DictTest *) lfirst(lc))->table += behind;
}

/*
 * Assemble the parts of a program into one palloc'd block.  Returns NULL if it
 * does not pass the verifier, which would be a bug.  A draft is not verified,
 * since it never runs.
 */
static Program *
assemble(const Program *shape, const ConstantPool *pool, const StringInfo code, bool draft)
{
	uint32		words = MAXALIGN(sizeof(Program));
	uint32		tables = words + pool->words.len;
	uint32		instrs = tables + pool->tables.len;
	uint32		bytes = instrs + code->len;
	uint32		size = bytes + pool->bytes.len;
	Program    *program = palloc0(size);

	*program = *shape;
	program->magic = PROGRAM_MAGIC;
	program->size = size;
	program->words = words;
	program->nwords = (pool->words.len + pool->tables.len) / sizeof(uint64);
	program->bytes = bytes;
	program->nbytes = pool->bytes.len;
	for (int b = 0; b < 2; b++)
		program->body[b].instrs += instrs;
	memcpy((char *) program + words, pool->words.data, pool->words.len);
	memcpy((char *) program + tables, pool->tables.data, pool->tables.len);
	memcpy((char *) program + instrs, code->data, code->len);
	memcpy((char *) program + bytes, pool->bytes.data, pool->bytes.len);
	return draft || program_verify(program, size) == STATUS_DONE ? program : NULL;
}

/* Return true if an aggregate has an interval argument, whose bytes a result needs. */
static bool
wants_bytes(const CompileRequest *request)
{
	ListCell   *lc;

	foreach(lc, request->aggs)
	{
		List	   *args = lfirst_node(Aggref, lc)->args;

		if (args != NIL && getBaseType(exprType((Node *) linitial_node(TargetEntry, args)->expr)) == INTERVALOID)
			return true;
	}
	return false;
}

/* Return true if a body would stay within the limits of programs with twice its registers and instructions. */
static bool
leaves_room(const ProgramBody *body)
{
	return body->exists && 2 * body->nregisters <= PROGRAM_MAX_REGISTERS && 2 * body->ninstrs <= PROGRAM_MAX_INSTRS;
}

/* Decimal digits that always fit 64 bits. */
#define WORD_DIGITS		18

/* Return the declared scale of a numeric: 11 bits of its typmod, signed, as numeric_typmod_scale() reads them. */
static int
declared_scale(int32 typmod)
{
	return (((typmod - VARHDRSZ) & 0x7ff) ^ 1024) - 1024;
}

/* Set a column's zone map to the bounds that follow from its type alone, if the values fit 64 bits. */
static void
bound_by_type(TabletColumn *column, const ColumnUse *use)
{
	Wide		most = (Wide) PG_INT64_MAX;
	Wide		least = (Wide) PG_INT64_MIN;
	int			digits = 0;

	if (!use->second && !use->coded && use->type == INT2OID)
		most = PG_INT16_MAX;
	else if (!use->second && !use->coded && (use->type == INT4OID || use->type == DATEOID))
		most = PG_INT32_MAX;
	else if (!use->second && use->type == NUMERICOID && use->typmod >= (int32) VARHDRSZ)
		digits = ((use->typmod - VARHDRSZ) >> 16 & 0xffff) - declared_scale(use->typmod) + use->scale;
	if (digits > 0 && digits <= WORD_DIGITS)
		for (most = 9; digits > 1; digits--)
			most = most * 10 + 9;
	if (most != (Wide) PG_INT64_MAX)
		least = -most - 1;
	wide_store(column->min, least);
	wide_store(column->max, most);
}

/*
 * Drop the narrow body unless the types of the columns alone prove it correct.
 * Otherwise the choice of a body by zone maps would reveal how wide the values
 * are that a user's expression has for hidden rows.  A wide body next to a
 * narrow one proven so serves columns with values that do not fit 64 bits.
 */
static void
choose_body_by_types(CompileResult *result)
{
	Program    *program = result->program;
	Tablet	   *tablet;

	if (!program->body[BODY_NARROW].exists || !program->body[BODY_WIDE].exists)
		return;
	tablet = palloc0(sizeof(Tablet) + sizeof(TabletColumn) * result->ncolumns);
	for (int i = 0; i < result->ncolumns; i++)
		bound_by_type(&tablet->column[i], &result->column[i]);
	program->body[BODY_NARROW].exists = program_fits(program, tablet);
	pfree(tablet);
}

/*
 * Compile both bodies, with temporary memory in `scratch`.  Returns false if the
 * request failed because of packed text and is to be compiled with `unpacked`.
 */
static bool
compile_bodies(const CompileInput *input, const CompileRequest *request, bool unpacked, MemoryContext scratch, CompileResult *result)
{
	Program		shape = {0};
	MemoryContext around = CurrentMemoryContext;
	ConstantPool pool;
	StringInfoData code;
	bool		decimals = false;

	memset(result, 0, sizeof(*result));
	result->njoins = list_length(request->joins);
	result->join = palloc0(sizeof(JoinUse) * Max(1, result->njoins));
	pool_init(&pool, scratch);
	MemoryContextSwitchTo(scratch);
	initStringInfo(&code);
	MemoryContextSwitchTo(around);
	shape.aggregates = request->aggregate;
	for (int body = BODY_NARROW; body <= BODY_WIDE; body++)
	{
		Compiler	c = {
			.input = input, .request = request, .result = result, .wide = body == BODY_WIDE, .unpacked = unpacked,
			.wants_bytes = wants_bytes(request)
		};
		Program		again = {.aggregates = request->aggregate, .row_words = 1};

		if (body == BODY_WIDE && (!decimals || (input->draft && leaves_room(&shape.body[BODY_NARROW]))))
			break;
		emit_init(&c.em, &pool);
		find_texts(&c);
		if (!compile_body(&c, request, &again))
		{
			result->reason = c.reason;
			result->too_large = c.too_large;
			return !c.packed_refused;
		}
		decimals = c.decimals;
		/* a value that never fits 64 bits leaves only the wide body */
		if (c.narrow_fails && body == BODY_NARROW)
		{
			decimals = true;
			result->ncolumns = 0;
			memset(result->join, 0, sizeof(JoinUse) * result->njoins);
			continue;
		}
		memcpy(again.body, shape.body, sizeof(shape.body));
		if (!emit_finish(&c.em, &code, &again.body[body]))
		{
			result->reason = REASON_EXPRESSION;
			result->too_large = true;
			return true;
		}
		/* the bodies disagree on states, which only one could share: the wide body serves all tablets */
		if (body == BODY_WIDE && again.body[BODY_NARROW].exists &&
			(again.nstates != shape.nstates || again.row_words != shape.row_words))
			again.body[BODY_NARROW].exists = false;
		shape = again;
	}
	result->op_cost = body_cost(&code, &shape.body[shape.body[BODY_NARROW].exists ? BODY_NARROW : BODY_WIDE]);
	shape.ncolumns = result->ncolumns;
	place_tables(result, &pool, &code);
	result->program = assemble(&shape, &pool, &code, input->draft);
	Assert(result->program != NULL);
	if (result->program == NULL)
		result->reason = REASON_EXPRESSION;
	else if (request->secret)
		choose_body_by_types(result);
	return true;
}

void
compile_program(const CompileInput *input, const CompileRequest *request, CompileResult *result)
{
	MemoryContext scratch = AllocSetContextCreate(CurrentMemoryContext, "gpudb compilation", ALLOCSET_DEFAULT_SIZES);

	if (!compile_bodies(input, request, false, scratch, result))
		compile_bodies(input, request, true, scratch, result);
	MemoryContextDelete(scratch);
}

bool
compile_check(const CompileInput *input, const CompileRequest *request, CompileResult *result)
{
	compile_program(input, request, result);
	return result->reason == NULL;
}

bool
compile_cannot_fail(Node *expr)
{
	return !contain_leaked_vars(expr) && !contain_subplans(expr);
}

Bitmapset *
compile_not_null(TupleDesc desc)
{
	Bitmapset  *attributes = NULL;

	for (int a = 0; a < desc->natts; a++)
		if (TupleDescAttr(desc, a)->attnotnull)
			attributes = bms_add_member(attributes, a + 1);
	return attributes;
}
