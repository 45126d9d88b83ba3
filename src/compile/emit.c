/*
 * emit.c
 *		Emission of a program body: from virtual registers to register slots.
 *
 * Control flow is straight, apart from loops over pairs and jumps to the end
 * of the innermost loop.  Liveness is therefore an interval from definition to
 * last use, and one pass assigns slots.  Three rules go beyond the textbook: a
 * result never takes the slot of an operand of the same instruction (their
 * lanes may differ in width), group keys live until GROUP, which reads them
 * all, and registers that a loop reads but does not define live until its end.
 */
#include "postgres.h"

#include "compile/emit.h"

void
pool_init(ConstantPool *pool, MemoryContext context)
{
	MemoryContext old = MemoryContextSwitchTo(context);

	initStringInfo(&pool->words);
	initStringInfo(&pool->tables);
	initStringInfo(&pool->bytes);
	pool->context = context;
	MemoryContextSwitchTo(old);
}

static int
append(StringInfo to, const uint64 *words, int n)
{
	int			at = to->len / sizeof(uint64);

	appendBinaryStringInfo(to, (const char *) words, n * sizeof(uint64));
	return at;
}

int
pool_append_words(ConstantPool *pool, const uint64 *words, int n)
{
	return append(&pool->words, words, n);
}

int
pool_append_table(ConstantPool *pool, const uint64 *words, int n)
{
	return append(&pool->tables, words, n);
}

int
pool_words(ConstantPool *pool, const uint64 *words, int n)
{
	const uint64 *have = (const uint64 *) pool->words.data;
	int			count = pool->words.len / sizeof(uint64);

	for (int i = 0; i + n <= count; i++)
		if (memcmp(have + i, words, n * sizeof(uint64)) == 0)
			return i;
	return pool_append_words(pool, words, n);
}

uint64
pool_text(ConstantPool *pool, const char *bytes, int length)
{
	int			at = pool->bytes.len;

	appendBinaryStringInfo(&pool->bytes, bytes, length);
	return TEXT_IN_PROGRAM | TEXT_REF(at, length);
}

void
emit_init(Emitter *em, ConstantPool *pool)
{
	memset(em, 0, sizeof(*em));
	em->pool = pool;
	em->maxonce = em->maxcode = em->maxvregs = 64;
	em->once = MemoryContextAlloc(pool->context, em->maxonce * sizeof(EmitInstr));
	em->code = MemoryContextAlloc(pool->context, em->maxcode * sizeof(EmitInstr));
	em->kind = MemoryContextAlloc(pool->context, em->maxvregs);
	em->kind[VREG_SELECTION] = KIND_M;
	em->nvregs = 1;
}

static int
new_vreg(Emitter *em, uint8 kind)
{
	if (em->nvregs == em->maxvregs)
	{
		em->maxvregs *= 2;
		em->kind = repalloc(em->kind, em->maxvregs);
	}
	em->kind[em->nvregs] = kind;
	return em->nvregs++;
}

static bool
changes_selection(Opcode op)
{
	return op == VMOP_FILTER || op == VMOP_EXPAND || op == VMOP_AGAIN;
}

/*
 * Return the result register of an equal instruction emitted since the selection
 * changed, or 0.
 */
static int
emitted_before(const Emitter *em, const EmitInstr *in)
{
	if (op_info[in->op].dst == KIND__ || op_info[in->op].shape == SHAPE_KEY || op_info[in->op].shape == SHAPE_COLLECTIVE ||
		op_info[in->op].shape == SHAPE_LOOP)
		return 0;
	for (int i = em->ncode - 1; i >= 0 && !changes_selection(em->code[i].op); i--)
	{
		const EmitInstr *have = &em->code[i];

		if (have->op == in->op && have->a == in->a && have->b == in->b && have->c == in->c && have->m == in->m &&
			have->imm == in->imm)
			return have->dst;
	}
	return 0;
}

int
emit_instr(Emitter *em, EmitInstr in)
{
	int			before = emitted_before(em, &in);

	if (before != 0)
		return before;
	if (em->ncode == em->maxcode)
	{
		em->maxcode *= 2;
		em->code = repalloc(em->code, em->maxcode * sizeof(EmitInstr));
	}
	in.dst = op_info[in.op].dst != KIND__ ? new_vreg(em, op_info[in.op].dst) : 0;
	em->code[em->ncode++] = in;
	return in.dst;
}

int
emit(Emitter *em, Opcode op, int a, int b, int m, int imm)
{
	return emit_instr(em, (EmitInstr) {.op = op, .a = a, .b = b, .m = m, .imm = imm});
}

int
emit_constant(Emitter *em, OperandKind kind, const uint64 *words, bool isnull)
{
	static const Opcode op_of_kind[] = {
		[KIND_B] = VMOP_CONST_B, [KIND_I] = VMOP_CONST_I, [KIND_F] = VMOP_CONST_F,
		[KIND_W] = VMOP_CONST_W, [KIND_T] = VMOP_CONST_T,
	};
	Opcode		op = op_of_kind[kind];
	int			n = kind == KIND_W ? 2 : 1;
	int			imm;

	for (int i = 0; i < em->nonce; i++)
		if (em->once[i].op == op && em->once[i].c == (int) isnull &&
			memcmp((uint64 *) em->pool->words.data + em->once[i].imm, words, n * sizeof(uint64)) == 0)
			return em->once[i].dst;
	imm = pool_words(em->pool, words, n);
	if (em->nonce == em->maxonce)
	{
		em->maxonce *= 2;
		em->once = repalloc(em->once, em->maxonce * sizeof(EmitInstr));
	}
	em->once[em->nonce] = (EmitInstr) {op, new_vreg(em, kind), 0, 0, isnull, 0, imm};
	return em->once[em->nonce++].dst;
}

/* Return true if an instruction does something besides filling its destination. */
static bool
has_effect(const EmitInstr *in)
{
	switch ((OpShape) op_info[in->op].shape)
	{
		case SHAPE_CONTROL:
		case SHAPE_CHECKED1:
		case SHAPE_CHECKEDIMM:
		case SHAPE_CHECKED2:
		case SHAPE_LIBM1:
		case SHAPE_LIBM2:
		case SHAPE_KEY:
		case SHAPE_COLLECTIVE:
		case SHAPE_RESERVE:
		case SHAPE_LOOP:
		case SHAPE_STORE:
		case SHAPE_TOTAL:
		case SHAPE_TOTAL_G:
			return true;
		default:
			return false;
	}
}

/* Return true if field a is read.  COUNT reads NULL flags of a register of any kind; its register 0 means none. */
static bool
reads_a(const EmitInstr *in)
{
	return op_info[in->op].a != KIND__ || in->op == VMOP_COUNT || in->op == VMOP_COUNT_G;
}

/* Return true if field c is read as a register: MIN_BY and MAX_BY have a companion there, others a plain number. */
static bool
reads_c(const EmitInstr *in)
{
	return in->op == VMOP_MIN_BY || in->op == VMOP_MIN_BY_G || in->op == VMOP_MAX_BY || in->op == VMOP_MAX_BY_G;
}

static void
mark_read(const EmitInstr *in, int at, int *last_use)
{
	if (reads_a(in))
		last_use[in->a] = Max(last_use[in->a], at);
	if (op_info[in->op].b != KIND__)
		last_use[in->b] = Max(last_use[in->b], at);
	if (reads_c(in))
		last_use[in->c] = Max(last_use[in->c], at);
	last_use[in->m] = Max(last_use[in->m], at);
}

/*
 * Find the last use of each virtual register.  Walks backwards: an instruction
 * remains if it has an effect or its result is read later.  last_use[] of a dead
 * result remains -1.
 */
static void
find_last_uses(const Emitter *em, int *last_use)
{
	int			group_at = -1;

	for (int v = 0; v < em->nvregs; v++)
		last_use[v] = -1;
	for (int i = em->ncode - 1; i >= 0; i--)
	{
		const EmitInstr *in = &em->code[i];

		if (!has_effect(in) && last_use[in->dst] < 0)
			continue;
		if (in->op == VMOP_GROUP)
			group_at = i;
		mark_read(in, i, last_use);
		if (op_info[in->op].shape == SHAPE_KEY)
			last_use[in->a] = Max(last_use[in->a], group_at);
	}
}

/* Return the index of the AGAIN that ends the loop of an EXPAND. */
static int
end_of_loop(const Emitter *em, int expand)
{
	int			depth = 1;

	while (depth > 0)
	{
		expand++;
		depth += (em->code[expand].op == VMOP_EXPAND) - (em->code[expand].op == VMOP_AGAIN);
	}
	return expand;
}

/* Extend the lives of registers defined before a loop and read in it to the loop's end, since each round reads them. */
static void
extend_over_loops(const Emitter *em, int *last_use)
{
	int		   *defined = MemoryContextAllocZero(em->pool->context, em->nvregs * sizeof(int));

	for (int i = 0; i < em->ncode; i++)
		if (op_info[em->code[i].op].dst != KIND__)
			defined[em->code[i].dst] = i;
	for (int i = em->ncode - 1; i >= 0; i--)
	{
		int			end;

		if (em->code[i].op != VMOP_EXPAND)
			continue;
		end = end_of_loop(em, i);
		for (int v = 1; v < em->nvregs; v++)
			if (defined[v] < i && last_use[v] >= i && last_use[v] < end)
				last_use[v] = end;
	}
	pfree(defined);
}

typedef struct SlotMap
{
	bool		used[PROGRAM_MAX_REGISTERS];
	int			high;			/* number of slots ever used */
	int		   *slot;			/* slot of each virtual register, -1 = none */
} SlotMap;

static bool
take_slot(SlotMap *map, int vreg, uint8 kind)
{
	int			width = kind == KIND_W ? 2 : 1;

	for (int s = 1; s + width <= PROGRAM_MAX_REGISTERS; s++)
	{
		if (map->used[s] || map->used[s + width - 1])
			continue;
		for (int i = 0; i < width; i++)
			map->used[s + i] = true;
		map->slot[vreg] = s;
		map->high = Max(map->high, s + width);
		return true;
	}
	return false;
}

static void
release_slot(SlotMap *map, int vreg, uint8 kind)
{
	map->used[map->slot[vreg]] = false;
	if (kind == KIND_W)
		map->used[map->slot[vreg] + 1] = false;
}

/* Release the slots of operands that this instruction reads for the last time. */
static void
release_operands(const Emitter *em, SlotMap *map, const EmitInstr *in, int at, const int *last_use)
{
	int			regs[5] = {reads_a(in) ? in->a : 0, op_info[in->op].b != KIND__ ? in->b : 0, in->m,
	op_info[in->op].dst != KIND__ ? in->dst : 0, reads_c(in) ? in->c : 0};

	if (in->op == VMOP_AGAIN)
		for (int v = 1; v < em->nvregs; v++)
			if (map->slot[v] >= 0 && last_use[v] == at)
			{
				release_slot(map, v, em->kind[v]);
				map->slot[v] = -1;
			}
	for (int i = 0; i < lengthof(regs); i++)
	{
		int			v = regs[i];
		bool		twice = false;

		for (int j = 0; j < i; j++)
			twice |= regs[j] == v;
		if (v == 0 || twice || map->slot[v] < 0 || last_use[v] > at || !map->used[map->slot[v]])
			continue;
		release_slot(map, v, em->kind[v]);
	}
}

static void
append_instr(const EmitInstr *in, const SlotMap *map, StringInfo out)
{
	Instr		final = {0};

	final.op = in->op;
	final.dst = op_info[in->op].dst != KIND__ ? map->slot[in->dst] : 0;
	final.a = reads_a(in) ? map->slot[in->a] : 0;
	final.b = op_info[in->op].b != KIND__ ? map->slot[in->b] : 0;
	final.c = reads_c(in) ? map->slot[in->c] : in->c;
	final.m = map->slot[in->m];
	final.imm = in->imm;
	appendBinaryStringInfo(out, (char *) &final, sizeof(final));
}

/* Set jump targets: of a loop's ends to each other, of a jump to the end of the innermost loop or of the tile. */
static void
set_targets(Instr *code, int n)
{
	int			loop[PROGRAM_MAX_LOOPS];
	int			depth = 0;

	for (int i = 0; i < n; i++)
	{
		if (code[i].op == VMOP_EXPAND)
			loop[depth++] = i;
		if (code[i].op == VMOP_AGAIN)
		{
			code[i].imm = loop[--depth];
			code[loop[depth]].imm = i;
			for (int j = loop[depth]; j < i; j++)
				if (code[j].op == VMOP_JUMP_NONE && code[j].imm == 0)
					code[j].imm = i;
		}
	}
	for (int i = 0; i < n; i++)
		if (code[i].op == VMOP_JUMP_NONE && code[i].imm == 0)
			code[i].imm = n - 1;
}

bool
emit_finish(Emitter *em, StringInfo out, ProgramBody *body)
{
	int		   *last_use = MemoryContextAlloc(em->pool->context, em->nvregs * sizeof(int));
	SlotMap		map = {0};
	int			start = out->len;

	find_last_uses(em, last_use);
	extend_over_loops(em, last_use);
	map.slot = MemoryContextAlloc(em->pool->context, em->nvregs * sizeof(int));
	for (int v = 0; v < em->nvregs; v++)
		map.slot[v] = -1;
	map.slot[VREG_SELECTION] = 0;
	map.used[0] = true;
	map.high = 1;
	for (int i = 0; i < em->nonce; i++)
	{
		int			v = em->once[i].dst;

		if (last_use[v] < 0)
			continue;
		last_use[v] = em->ncode;	/* constants stay for all tiles */
		if (!take_slot(&map, v, em->kind[v]))
			return false;
		append_instr(&em->once[i], &map, out);
	}
	body->tile_start = (out->len - start) / sizeof(Instr);
	for (int i = 0; i < em->ncode; i++)
	{
		const EmitInstr *in = &em->code[i];

		if (!has_effect(in) && last_use[in->dst] < 0)
			continue;
		if (op_info[in->op].dst != KIND__ && !take_slot(&map, in->dst, em->kind[in->dst]))
			return false;
		append_instr(in, &map, out);
		release_operands(em, &map, in, i, last_use);
	}
	append_instr(&(EmitInstr) {.op = VMOP_END}, &map, out);

	body->instrs = start;
	body->ninstrs = (out->len - start) / sizeof(Instr);
	body->nregisters = map.high;
	body->exists = true;
	set_targets((Instr *) (out->data + start), body->ninstrs);
	return body->ninstrs <= PROGRAM_MAX_INSTRS;
}
