/*
 * program.c
 *		The table of opcodes, properties of programs, and the disassembler.
 */
#include "core/vm/program.h"

#define SHAPE_OF(shape) SHAPE_##shape
#define KIND_OF(kind) KIND_##kind

const OpInfo op_info[VMOP_Count] = {
#define OPCODE(name, shape, dst, a, b, cost, status, effect) \
	{#name, effect, SHAPE_OF(shape), KIND_OF(dst), KIND_OF(a), KIND_OF(b), STATUS_##status, cost},
#include "core/vm/opcodes.def"
#undef OPCODE
};

bool
op_suits_gpu(uint16_t op)
{
	switch ((Opcode) op)
	{
			/* a state that replaces its text would need a heap that frees memory */
		case VMOP_RESERVE_T:
		case VMOP_RESERVE_T_G:
			/* the last bits of libm's results differ */
		case VMOP_EXP_F:
		case VMOP_LN_F:
		case VMOP_LOG10_F:
		case VMOP_POW_F:
			/* a thread block has room for the digits of one group only */
		case VMOP_EXACT_G:
			return false;
		default:
			return true;
	}
}

bool
program_suits_gpu(const Program *program)
{
	for (int body = BODY_NARROW; body <= BODY_WIDE; body++)
		for (uint32_t pc = 0; program->body[body].exists && pc < program->body[body].ninstrs; pc++)
			if (!op_suits_gpu(program_instrs(program, body)[pc].op))
				return false;
	/* a GPU reports the rows that pass as a bitmap, which cannot represent the rows of joins */
	return program->size <= PROGRAM_GPU_BYTES && (program->ntables == 0 || program->aggregates);
}

bool
program_text_keys(const Program *program)
{
	for (uint32_t k = 0; k < program->nkeys; k++)
		if (program->key_kind[k] == KEY_TEXT)
			return true;
	return false;
}

/* Return true if an instruction reads a text of the tablet, rather than of a join's table. */
static bool
reads_own_text(const Instr *in)
{
	return in->op == VMOP_LOAD_T || (in->op == VMOP_FETCH_T && FETCH_TABLE(in->c) == 0);
}

/*
 * Return true if a body may make a key of a text of the tablet; a register that has ever held one
 * counts as holding one.
 */
static bool
keys_own_texts(const Program *program, int body)
{
	bool		own[PROGRAM_MAX_REGISTERS] = {false};

	for (uint32_t pc = 0; pc < program->body[body].ninstrs; pc++)
	{
		const Instr *in = &program_instrs(program, body)[pc];
		const OpInfo *info = &op_info[in->op];
		const bool	of_own = (info->a == KIND_T && own[in->a]) || (info->b == KIND_T && own[in->b]);

		if (in->op == VMOP_KEY_T && of_own)
			return true;
		if (info->dst == KIND_T && (reads_own_text(in) || of_own))
			own[in->dst] = true;
	}
	return false;
}

bool
program_keys_own_texts(const Program *program)
{
	return program_text_keys(program) &&
		(keys_own_texts(program, BODY_NARROW) || (program->body[BODY_WIDE].exists && keys_own_texts(program, BODY_WIDE)));
}

/* Text under construction; `length` is counted on when the buffer is full. */
typedef struct TextBuffer
{
	char	   *out;
	uint32_t	capacity;
	uint32_t	length;
} TextBuffer;

static void
put_char(TextBuffer *text, char c)
{
	if (text->length + 1 < text->capacity)
		text->out[text->length] = c;
	text->length++;
}

static void
put_string(TextBuffer *text, const char *s)
{
	while (*s)
		put_char(text, *s++);
}

static void
put_number(TextBuffer *text, int64_t number)
{
	char		digits[24];
	int			n = 0;
	uint64_t	rest = number < 0 ? 0 - (uint64_t) number : (uint64_t) number;

	if (number < 0)
		put_char(text, '-');
	do
		digits[n++] = (char) ('0' + rest % 10);
	while ((rest /= 10) > 0);
	while (n > 0)
		put_char(text, digits[--n]);
}

/* Print a register with its kind: b3, i4, f5, w6, t7, m8, g9, r10, s11, p12. */
static void
put_register(TextBuffer *text, uint8_t kind, uint16_t number)
{
	put_char(text, "_bifwtmgrsp"[kind]);
	put_number(text, number);
}

/* Print an opcode's effect with its operands' letters replaced by the instruction's registers. */
static void
put_effect(TextBuffer *text, const OpInfo *info, const Instr *in)
{
	const char *s = info->effect;
	bool		start = true;	/* start of a word */

	for (; *s; s++)
	{
		bool		word = (s[1] >= 'a' && s[1] <= 'z') || (s[1] >= '0' && s[1] <= '9') || s[1] == '_';

		if (start && !word && *s == 'd' && info->dst != KIND__)
			put_register(text, info->dst, in->dst);
		else if (start && !word && *s == 'a' && info->a != KIND__)
			put_register(text, info->a, in->a);
		else if (start && !word && *s == 'b' && info->b != KIND__)
			put_register(text, info->b, in->b);
		else if (start && !word && *s == 'c')
			put_number(text, in->c);
		else if (start && !word && *s == 'm')
			put_register(text, KIND_M, in->m);
		else if (start && strncmp(s, "imm", 3) == 0)
		{
			put_number(text, in->imm);
			s += 2;
		}
		else
			put_char(text, *s);
		start = !((*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') || (*s >= '0' && *s <= '9') || *s == '_');
	}
}

uint32_t
program_disassemble(const Program *program, int body, char *buffer, uint32_t capacity)
{
	TextBuffer	text = {buffer, capacity, 0};
	const Instr *code = program_instrs(program, body);
	uint32_t	pc;

	for (pc = 0; pc < program->body[body].ninstrs; pc++)
	{
		const Instr *in = &code[pc];
		const OpInfo *info = &op_info[in->op];

		put_number(&text, pc);
		put_string(&text, pc < program->body[body].tile_start ? " once " : " ");
		put_string(&text, info->name);
		put_string(&text, ": ");
		put_effect(&text, info, in);
		if (in->m != 0)
		{
			put_string(&text, " [");
			put_register(&text, KIND_M, in->m);
			put_char(&text, ']');
		}
		put_char(&text, '\n');
	}
	if (capacity > 0)
		buffer[text.length < capacity ? text.length : capacity - 1] = '\0';
	return text.length;
}
