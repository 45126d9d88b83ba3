/*
 * opcodes_test.c
 *		The list of opcodes: names, costs, statuses, and programs as text.
 */
#include "assembler.h"
#include "core/vm/vm.h"
#include "tap.h"

/* The names of the list of opcodes, read once more. */
static const char *const listed_names[] = {
#define OPCODE(name, shape, dst, a, b, cost, status, effect) #name,
#include "core/vm/opcodes.def"
#undef OPCODE
};

static bool
is_identifier(const char *s)
{
	const char *p = s;

	for (; *p; p++)
		if (!((*p >= 'A' && *p <= 'Z') || (*p >= '0' && *p <= '9' && p > s) || *p == '_'))
			return false;
	return p > s;
}

static void
test_table(void)
{
	int			op;
	int			other;

	tap_begin("every opcode has a name of its own and an effect");
	tap_expect(lengthof(listed_names) == VMOP_Count, "%d names, %d opcodes", (int) lengthof(listed_names), VMOP_Count);
	for (op = 0; op < VMOP_Count; op++)
	{
		const OpInfo *info = &op_info[op];

		if (!tap_expect(info->name && info->effect, "opcode %d has no entry", op))
			continue;
		tap_expect(is_identifier(info->name) && strcmp(info->name, listed_names[op]) == 0, "opcode %d is '%s'", op, info->name);
		tap_expect(info->effect[0] != '\0', "%s has no effect", info->name);
		for (other = 0; other < op; other++)
			tap_expect(strcmp(op_info[other].name, info->name) != 0, "%s stands twice", info->name);
	}
	tap_end();

	tap_begin("every opcode that runs for each tile has a cost");
	for (op = 0; op < VMOP_Count; op++)
		tap_expect((op_info[op].cost == 0) == (op == VMOP_END || op_info[op].shape == SHAPE_CONSTANT), "%s costs %u",
				   op_info[op].name, op_info[op].cost);
	tap_end();
}

/* Test what a shape implies for operands and statuses. */
static void
test_shapes(void)
{
	int			op;

	tap_begin("operands and statuses agree with the shape");
	for (op = 0; op < VMOP_Count; op++)
	{
		const OpInfo *info = &op_info[op];
		bool		reports = info->status != STATUS_DONE;
		bool		two = info->shape == SHAPE_MASK || info->shape == SHAPE_BLEND || info->shape == SHAPE_LOGIC2 ||
			info->shape == SHAPE_STRICT2 || info->shape == SHAPE_CHECKED2 || info->shape == SHAPE_TEXT2 ||
			info->shape == SHAPE_LIBM2 || info->shape == SHAPE_KEY || info->shape == SHAPE_JOIN_KEY;
		bool		total = info->shape == SHAPE_TOTAL || info->shape == SHAPE_TOTAL_G;
		bool		reserves = info->shape == SHAPE_RESERVE;
		bool		none = info->shape == SHAPE_LOAD || info->shape == SHAPE_CONSTANT;

		tap_expect(info->dst < KIND_Count && info->a < KIND_Count && info->b < KIND_Count, "%s: operand kinds", info->name);
		tap_expect(!two || (info->dst && info->a && info->b), "%s: two operands and a result", info->name);
		tap_expect(!none || (info->dst && !info->a && !info->b), "%s: a result only", info->name);
		tap_expect(!total || !info->dst, "%s: a total has no result register", info->name);
		tap_expect(!reserves || (!info->dst && info->a == KIND_T), "%s: takes text and gives nothing", info->name);
		tap_expect(info->shape != SHAPE_TOTAL_G || info->b == KIND_G, "%s: takes a group", info->name);
		tap_expect(info->shape != SHAPE_BLEND || (info->dst == info->a && info->a == info->b), "%s: one kind", info->name);
		tap_expect(info->shape != SHAPE_TEST || info->dst == KIND_B, "%s: gives a bool", info->name);
		tap_expect(reports == (info->shape == SHAPE_CHECKED1 || info->shape == SHAPE_CHECKED2 || info->shape == SHAPE_CHECKEDIMM
							   || info->shape == SHAPE_LIBM1 || info->shape == SHAPE_LIBM2) || total, "%s: status '%s'", info->name, status_text((DeviceStatus) info->status));
		tap_expect(info->status == op_status((uint16_t) op), "%s: status", info->name);
	}
	tap_expect(op_status(VMOP_Count) == STATUS_BAD_PROGRAM, "an opcode that does not exist");
	tap_end();
}

static void
test_grouped_totals(void)
{
	int			op;

	tap_begin("every total has a form with groups, but those that select");
	for (op = 0; op < VMOP_Count; op++)
		if (op_info[op].shape == SHAPE_TOTAL && op != VMOP_BINS && op != VMOP_VALUES)
		{
			const OpInfo *g = &op_info[op + 1];
			char		name[64];

			snprintf(name, sizeof(name), "%s_G", op_info[op].name);
			tap_expect(strcmp(g->name, name) == 0 && g->shape == SHAPE_TOTAL_G && g->a == op_info[op].a &&
					   g->status == op_info[op].status, "%s is followed by %s", op_info[op].name, g->name);
		}
	for (op = 0; op < VMOP_Count; op++)
		tap_expect(op_is_total((uint16_t) op) == (op_info[op].shape == SHAPE_TOTAL || op_info[op].shape == SHAPE_TOTAL_G), "%s", op_info[op].name);
	tap_end();
}

/* Make a program that has every opcode once; it need not be valid. */
static Program *
program_of_all(void)
{
	static Assembler as;
	int			op;

	asm_init(&as, 1, false);
	for (op = 1; op < VMOP_Count; op++)
		asm_emit(&as, (Opcode) op, 61, 62, 63, op % 2 ? 64 : 0, 7654)->c = 4321;
	return asm_finish(&as);
}

/* Copy line number `n` of the text. */
static bool
line_of(const char *text, int n, char *line, size_t size)
{
	const char *end;

	for (; n > 0 && text; n--)
		text = (text = strchr(text, '\n')) ? text + 1 : NULL;
	if (text == NULL || (end = strchr(text, '\n')) == NULL || (size_t) (end - text) >= size)
		return false;
	memcpy(line, text, (size_t) (end - text));
	line[end - text] = '\0';
	return true;
}

/* Return true if the text has a word, with no letter or digit at either side of it. */
static bool
has_word(const char *text, const char *word)
{
	const char *at;
	size_t		n = strlen(word);

	for (at = strstr(text, word); at; at = strstr(at + 1, word))
	{
		char		before = at == text ? ' ' : at[-1];
		char		after = at[n];

		if (strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_", before) == NULL &&
			(after == '\0' || strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_", after) == NULL))
			return true;
	}
	return false;
}

static void
expect_operand(const char *line, const OpInfo *info, char letter, uint8_t kind, int number)
{
	char		name[2] = {letter, '\0'};
	char		reg[8];

	snprintf(reg, sizeof(reg), "%c%d", "_bifwtmgrsp"[kind], number);
	if (has_word(info->effect, name))
		tap_expect(has_word(line, reg), "%s: register %s is not in '%s'", info->name, reg, line);
}

static void
test_text(void)
{
	static char text[65536];
	Program    *program = program_of_all();
	uint32_t	size = program->size;
	uint32_t	length = program_disassemble(program, BODY_NARROW, text, sizeof(text));
	uint32_t	capacity;
	int			op;

	tap_begin("every instruction is a line with its name, registers and numbers");
	tap_expect(length == strlen(text) && length < sizeof(text), "%u characters", length);
	for (op = 1; op < VMOP_Count; op++)
	{
		const OpInfo *info = &op_info[op];
		char		line[256];
		char		start[80];

		if (!tap_expect(line_of(text, op - 1, line, sizeof(line)), "%s: no line", info->name))
			continue;
		snprintf(start, sizeof(start), "%d %s: ", op - 1, info->name);
		tap_expect(strncmp(line, start, strlen(start)) == 0, "'%s' does not begin with '%s'", line, start);
		if (info->dst != KIND__)
			expect_operand(line, info, 'd', info->dst, 61);
		if (info->a != KIND__)
			expect_operand(line, info, 'a', info->a, 62);
		if (info->b != KIND__)
			expect_operand(line, info, 'b', info->b, 63);
		if (strstr(info->effect, "imm"))
			tap_expect(has_word(line, "7654") && !strstr(line, "imm"), "'%s' does not show imm", line);
		if (op % 2)
			tap_expect(has_word(line, "m64"), "'%s' does not show its mask", line);
	}
	tap_end();

	tap_begin("a buffer too small gets the beginning, terminated");
	for (capacity = 0; capacity <= length + 2; capacity += capacity < 64 || capacity + 64 > length ? 1 : 61)
	{
		char	   *buffer = (char *) guard_alloc(capacity, 1);
		uint32_t	fits = capacity == 0 ? 0 : length < capacity ? length : capacity - 1;

		tap_expect(program_disassemble(program, BODY_NARROW, buffer, capacity) == length, "capacity %u: length", capacity);
		tap_expect(capacity == 0 || (memcmp(buffer, text, fits) == 0 && buffer[fits] == '\0'), "capacity %u: text", capacity);
		guard_free(buffer, capacity, 1);
	}
	tap_end();
	program_free(program, size);
}

/* Test numbers at the ends of their types. */
static void
test_numbers(void)
{
	static Assembler as;
	char		text[512];
	Program    *program;
	uint32_t	size;

	tap_begin("negative and large numbers in the text");
	asm_init(&as, 1, false);
	asm_emit(&as, VMOP_LOAD_I, 65535 - 2, 0, 0, 0, INT32_MIN);
	asm_emit(&as, VMOP_LOAD_I, 1, 0, 0, 0, INT32_MAX);
	program = asm_finish(&as);
	size = program->size;
	program_disassemble(program, BODY_NARROW, text, sizeof(text));
	tap_expect(strstr(text, "-2147483648") && strstr(text, "2147483647") && strstr(text, "i65533"), "%s", text);
	program_free(program, size);
	tap_end();
}

static void
test_statuses(void)
{
	int			s;
	int			other;

	tap_begin("every status has words of its own");
	for (s = 0; s < STATUS_Count; s++)
	{
		tap_expect(status_text((DeviceStatus) s)[0] != '\0' && status_reason((DeviceStatus) s) != NULL, "status %d", s);
		for (other = 0; other < s; other++)
			tap_expect(strcmp(status_text((DeviceStatus) s), status_text((DeviceStatus) other)) != 0, "'%s' stands twice",
					   status_text((DeviceStatus) s));
	}
	tap_expect(status_text(STATUS_Count) != NULL && status_reason((DeviceStatus) 99) != NULL, "a status that does not exist");
	tap_end();
}

int
main(void)
{
	test_table();
	test_shapes();
	test_grouped_totals();
	test_text();
	test_numbers();
	test_statuses();
	return tap_done();
}
