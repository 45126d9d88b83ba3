/*
 * join_verify_test.c
 *		The structural check of programs with joins: loops, rows, tables.
 *
 * A program is laid out by hand and changed in one place, where it is known
 * what the check has to say.  Programs that are changed at random must be
 * refused, or run inside their memory; they run in a child process.  When one
 * dies the next child goes on behind it.
 */
#include "assembler.h"
#include "fixture.h"
#include "interpreters.h"
#include "join_programs.h"
#include "tap.h"

#define TABLES 3

static const Interpreter *const vm = &interpreters[0];

/* Table 1 has several rows a key, table 2 has one, table 3 is sorted; the last tile has few rows, and each of them many pairs. */
static const JoinPlan tables_plan = {
	{{STEP_INNER, BY_INT, 0, false}, {STEP_INNER, BY_INT, 0, false}, {STEP_INNER, BY_ABOVE, 0, false}}, TABLES, 0, 0, false, true, false, false
};

static void
fill_sides(void)
{
	fill_key_pool(true);
	for (int t = 0; t <= TABLES; t++)
	{
		fill_side(&sides[t], t == 0 ? SMALL_TILE + 5 : t == 2 ? 10 : 30, t == 2 ? KEYS_UNIQUE : KEYS_ANY, 3);
		/* texts that are read as integers are far outside */
		for (uint32_t r = 0; r < sides[t].nrows; r++)
		{
			memset(sides[t].row[r].null, 0, sizeof(sides[t].row[r].null));
			sides[t].row[r].v = (int64_t) ((uint64_t) (0x10000000 + r * 0x00f3a5c7) << 32 | (r % 50 + 1));
		}
	}
}

/* Run an accepted program as its host would, for a while. */
static void
run_accepted(const Program *program)
{
	const uint32_t room = SMALL_TILE + 7;	/* room for rows: those that a tile may return, and a few more */
	uint32_t   *out;
	uint32_t   *matches;
	GroupTable	groups;
	VmRun		run;
	DeviceStatus status;
	int			pauses = 0;

	if (!program->body[0].exists || program->ncolumns > COL_Count || program->ntables > TABLES)
		return;
	out = (uint32_t *) guard_alloc(room * sizeof(uint32_t), 4);
	matches = (uint32_t *) guard_alloc(TABLES * room * sizeof(uint32_t), 4);
	table_open(&groups, program, program->grouped ? 32 : 1, 4096);
	run_open(&run, program, BODY_NARROW, sides[0].tablet, vm->tile);
	run.tables = join_rows;
	run.groups = &groups;
	run.out = out;
	run.matches = matches;
	run.out_capacity = room;
	while (((status = vm->run(&run)) == STATUS_TABLE_FULL || status == STATUS_OUTPUT_FULL) && pauses++ < 4)
		if (status == STATUS_OUTPUT_FULL)
			run.out_count = 0;
		else
			table_grow(&groups, program->row_words, groups.capacity * (program->grouped ? 4 : 1), groups.heap_capacity * 4);
	guard_free(out, room * sizeof(uint32_t), 4);
	guard_free(matches, TABLES * room * sizeof(uint32_t), 4);
	run_close(&run, vm->tile);
	table_free(&groups);
}

/* Registers and instructions of the program that is laid out by hand. */
enum
{
	R_ZERO = 1, R_NO, R_YES, R_KEY, R_WORD, R_SPAN, R_WORD2, R_ROW2, R_MASK, R_MARKS, R_PAIRS1, R_MATCH1, R_V1, R_LEAST, R_MASK2, R_PAIRS2,
	R_LANE, R_PICK, R_MATCH2, R_V0, R_V2, R_W, R_W_HIGH, R_TEXT, R_MASK3, R_RANK3, R_SPAN3, R_PAIRS3, R_LANE3, R_LANE0, R_V3, R_MATERIALIZED, R_EXTRA1, R_EXTRA2, R_EXTRA3,
	R_Count
};

enum
{
	AT_ZERO, AT_NO, AT_YES, AT_KEY, AT_JOIN, AT_SPAN, AT_JOIN2, AT_PROBE, AT_MASK, AT_CLEAR,
	AT_EXPAND1, AT_MATCH1, AT_V1, AT_OK, AT_FILTER1, AT_JUMP1, AT_MARK, AT_EXTRA1, AT_AGAIN1,
	AT_FILTER, AT_JUMP, AT_MASK2,
	AT_EXPAND2, AT_LANE, AT_PICK, AT_MATCH2, AT_MATERIALIZED, AT_V0, AT_V2, AT_W, AT_TEXT, AT_EXTRA2, AT_MASK3, AT_RANK3, AT_RANGE3,
	AT_EXPAND3, AT_LANE3, AT_LANE0, AT_V3, AT_EXTRA3, AT_SUM, AT_COUNT, AT_AGAIN3,
	AT_AGAIN2, AT_END
};

static void
emit_by_hand(Assembler *as)
{
	enum {zero, one, bounds};

	asm_init(as, COL_Count, true);
	as->shape.ntables = TABLES;
	asm_word(as, 0);
	asm_word(as, 1);
	asm_wide(as, INT64_MIN);
	asm_wide(as, INT64_MAX);
	asm_emit(as, VMOP_CONST_I, R_ZERO, 0, 0, 0, zero);
	asm_emit(as, VMOP_CONST_B, R_NO, 0, 0, 0, zero);
	asm_emit(as, VMOP_CONST_B, R_YES, 0, 0, 0, one);
	asm_emit(as, VMOP_LOAD_I, R_KEY, 0, 0, 0, COL_I);
	asm_emit(as, VMOP_JOIN_I, R_WORD, R_KEY, R_ZERO, 0, 1);
	asm_emit(as, VMOP_SPAN, R_SPAN, R_WORD, 0, 0, 1);
	asm_emit(as, VMOP_JOIN_I, R_WORD2, R_KEY, R_ZERO, 0, 2);
	asm_emit(as, VMOP_PROBE, R_ROW2, R_WORD2, 0, 0, 2);
	asm_emit(as, VMOP_MASK_NOT_TRUE, R_MASK, R_NO, 0, 0, 0);
	asm_emit(as, VMOP_CLEAR, R_MARKS, 0, 0, 0, 0);
	asm_emit(as, VMOP_EXPAND, R_PAIRS1, R_SPAN, R_MARKS, R_MASK, 0)->c = 1 << 4 | EXPAND_CLOSED | EXPAND_ONCE;
	asm_emit(as, VMOP_MATCH, R_MATCH1, R_PAIRS1, 0, 0, 0);
	asm_emit(as, VMOP_FETCH_I, R_V1, R_MATCH1, 0, 0, bounds)->c = FETCH_OF(1, COL_V);
	asm_emit(as, VMOP_LE_I, R_LEAST, R_ZERO, R_V1, 0, 0);
	asm_emit(as, VMOP_FILTER, 0, R_LEAST, 0, 0, 0);
	asm_emit(as, VMOP_JUMP_NONE, 0, 0, 0, 0, 0);
	asm_emit(as, VMOP_MARK, 0, R_PAIRS1, R_MARKS, 0, 0);
	asm_emit(as, VMOP_FETCH_I, R_EXTRA1, R_MATCH1, 0, 0, bounds)->c = FETCH_OF(1, COL_I);
	asm_emit(as, VMOP_AGAIN, 0, 0, 0, 0, 0);
	asm_emit(as, VMOP_FILTER, 0, R_MARKS, 0, 0, 0);
	asm_emit(as, VMOP_JUMP_NONE, 0, 0, 0, 0, 0);
	asm_emit(as, VMOP_MASK_NOT_TRUE, R_MASK2, R_NO, 0, 0, 0);
	asm_emit(as, VMOP_EXPAND, R_PAIRS2, R_SPAN, R_NO, R_MASK2, 0)->c = 1 << 4;
	asm_emit(as, VMOP_LANE, R_LANE, R_PAIRS2, 0, 0, 0);
	asm_emit(as, VMOP_PICK_R, R_PICK, R_ROW2, R_LANE, 0, 0);
	asm_emit(as, VMOP_MATCH, R_MATCH2, R_PAIRS2, 0, 0, 0);
	asm_emit(as, VMOP_KEEP_R, R_MATERIALIZED, R_MATCH2, R_YES, 0, 0);
	asm_emit(as, VMOP_FETCH_I, R_V0, R_LANE, 0, 0, 0)->c = FETCH_OF(0, COL_V);
	asm_emit(as, VMOP_FETCH_I, R_V2, R_MATERIALIZED, 0, 0, bounds)->c = FETCH_OF(1, COL_I);
	asm_emit(as, VMOP_FETCH_W, R_W, R_PICK, 0, 0, bounds)->c = FETCH_OF(2, COL_VW);
	asm_emit(as, VMOP_FETCH_T, R_TEXT, R_MATCH2, 0, 0, 0)->c = FETCH_OF(1, COL_S);
	asm_emit(as, VMOP_ADD_D, R_EXTRA2, R_KEY, R_V0, 0, 0);
	asm_emit(as, VMOP_MASK_NOT_TRUE, R_MASK3, R_NO, 0, 0, 0);
	asm_emit(as, VMOP_RANK_I, R_RANK3, R_V2, 0, 0, 3);
	asm_emit(as, VMOP_RANGE, R_SPAN3, R_RANK3, R_V0, 0, 3);
	asm_emit(as, VMOP_EXPAND, R_PAIRS3, R_SPAN3, R_NO, R_MASK3, 0)->c = 3 << 4 | EXPAND_OUTER;
	asm_emit(as, VMOP_LANE, R_LANE3, R_PAIRS3, 0, 0, 0);
	asm_emit(as, VMOP_PICK_R, R_LANE0, R_LANE, R_LANE3, 0, 0);
	asm_emit(as, VMOP_FETCH_I, R_V3, R_LANE0, 0, 0, 0)->c = FETCH_OF(0, COL_V);
	asm_emit(as, VMOP_FETCH_I, R_EXTRA3, R_LANE0, 0, 0, 0)->c = FETCH_OF(0, COL_I);
	asm_emit(as, VMOP_SUM_I, 0, R_V3, 0, 0, asm_state(as, STATE_SUM));
	asm_emit(as, VMOP_COUNT, 0, 0, 0, 0, asm_state(as, STATE_COUNT));
	asm_emit(as, VMOP_AGAIN, 0, 0, 0, 0, 0);
	asm_emit(as, VMOP_AGAIN, 0, 0, 0, 0, 0);
	asm_close_loops(as);
}

/* A field of an instruction. */
typedef enum Setting
{
	SET_OP, SET_DST, SET_A, SET_B, SET_C, SET_M, SET_IMM, SET_Count
} Setting;

static void
set_part(Instr *in, Setting setting, int64_t value)
{
	switch (setting)
	{
		case SET_OP: in->op = (uint16_t) value; break;
		case SET_DST: in->dst = (uint16_t) value; break;
		case SET_A: in->a = (uint16_t) value; break;
		case SET_B: in->b = (uint16_t) value; break;
		case SET_C: in->c = (uint16_t) value; break;
		case SET_M: in->m = (uint16_t) value; break;
		default: in->imm = (int32_t) value; break;
	}
}

typedef struct Variant
{
	const char *name;
	int			at;
	Setting		setting;
	int64_t		value;
	bool		valid;
} Variant;

static const Variant variants[] = {
	{"nothing changed", AT_ZERO, SET_OP, VMOP_CONST_I, true},
	{"EXPAND that ends before its AGAIN", AT_EXPAND1, SET_IMM, AT_AGAIN1 - 1, false},
	{"EXPAND that ends behind its AGAIN", AT_EXPAND1, SET_IMM, AT_AGAIN1 + 1, false},
	{"EXPAND that ends where an outer loop does", AT_EXPAND3, SET_IMM, AT_AGAIN2, false},
	{"EXPAND that ends where an inner loop does", AT_EXPAND2, SET_IMM, AT_AGAIN3, false},
	{"EXPAND that ends at itself", AT_EXPAND2, SET_IMM, AT_EXPAND2, false},
	{"EXPAND that ends far outside", AT_EXPAND2, SET_IMM, INT32_MAX, false},
	{"EXPAND that ends before the program", AT_EXPAND2, SET_IMM, -1, false},
	{"EXPAND that ends at the loop before", AT_EXPAND2, SET_IMM, AT_AGAIN1, false},
	{"AGAIN to before its EXPAND", AT_AGAIN2, SET_IMM, AT_EXPAND2 - 1, false},
	{"AGAIN to behind its EXPAND", AT_AGAIN2, SET_IMM, AT_EXPAND2 + 1, false},
	{"AGAIN to an inner EXPAND", AT_AGAIN2, SET_IMM, AT_EXPAND3, false},
	{"AGAIN to an outer EXPAND", AT_AGAIN3, SET_IMM, AT_EXPAND2, false},
	{"AGAIN to the loop before", AT_AGAIN2, SET_IMM, AT_EXPAND1, false},
	{"AGAIN out of a program", AT_AGAIN2, SET_IMM, -1, false},
	{"AGAIN missing", AT_AGAIN3, SET_OP, VMOP_FILTER, false},
	{"AGAIN too many", AT_FILTER, SET_OP, VMOP_AGAIN, false},
	{"EXPAND missing", AT_EXPAND2, SET_OP, VMOP_SPAN, false},
	{"JUMP_NONE out of a loop", AT_JUMP1, SET_IMM, AT_END, false},
	{"JUMP_NONE to before the end of its loop", AT_JUMP1, SET_IMM, AT_AGAIN1 - 1, false},
	{"JUMP_NONE to behind the end of its loop", AT_JUMP1, SET_IMM, AT_AGAIN1 + 1, false},
	{"JUMP_NONE into a loop", AT_JUMP, SET_IMM, AT_AGAIN2, false},
	{"JUMP_NONE to before the end", AT_JUMP, SET_IMM, AT_END - 1, false},
	{"JUMP_NONE back", AT_JUMP, SET_IMM, AT_EXPAND1, false},
	{"JOIN_I with table 0", AT_JOIN, SET_IMM, 0, false},
	{"JOIN_I with a table too many", AT_JOIN, SET_IMM, TABLES + 1, false},
	{"JOIN_I with a table below 0", AT_JOIN, SET_IMM, -1, false},
	{"JOIN_I with table 1, of 256", AT_JOIN, SET_IMM, 257, false},
	{"JOIN_I with another table", AT_JOIN, SET_IMM, 3, true},
	{"JOIN_I with the last part", AT_JOIN, SET_C, JOIN_MAX_PARTS - 1, true},
	{"JOIN_I with a part too many", AT_JOIN, SET_C, JOIN_MAX_PARTS, false},
	{"JOIN_I of a bool", AT_JOIN, SET_A, R_NO, false},
	{"JOIN_I added to a span", AT_JOIN2, SET_B, R_SPAN, false},
	{"RANK_I with table 0", AT_RANK3, SET_IMM, 0, false},
	{"RANK_I with a table too many", AT_RANK3, SET_IMM, TABLES + 1, false},
	{"RANK_I with table 3, of 256", AT_RANK3, SET_IMM, 259, false},
	{"RANK_I of rows", AT_RANK3, SET_A, R_MATCH2, false},
	{"RANK_I of a wide integer", AT_RANK3, SET_A, R_W, false},
	{"RANK_W of an integer", AT_RANK3, SET_OP, VMOP_RANK_W, false},
	{"RANK_I of integers of the tile", AT_RANK3, SET_A, R_KEY, true},
	{"RANGE with table 0", AT_RANGE3, SET_IMM, 0, false},
	{"RANGE with a table too many", AT_RANGE3, SET_IMM, TABLES + 1, false},
	{"RANGE with a table below 0", AT_RANGE3, SET_IMM, -1, false},
	{"RANGE of a table, expanded of another", AT_RANGE3, SET_IMM, 1, false},
	{"RANGE from a span on", AT_RANGE3, SET_A, R_SPAN, false},
	{"RANGE before a row", AT_RANGE3, SET_B, R_MATCH2, false},
	{"RANGE from what is no rank on", AT_RANGE3, SET_A, R_KEY, true},
	{"PROBE with table 0", AT_PROBE, SET_IMM, 0, false},
	{"PROBE with a table too many", AT_PROBE, SET_IMM, TABLES + 1, false},
	{"PROBE with a table below 0", AT_PROBE, SET_IMM, INT32_MIN, false},
	{"PROBE of a table, fetched of another", AT_PROBE, SET_IMM, 1, false},
	{"PROBE instead of SPAN", AT_SPAN, SET_OP, VMOP_PROBE, false},
	{"SPAN instead of PROBE", AT_PROBE, SET_OP, VMOP_SPAN, false},
	{"SPAN with table 0", AT_SPAN, SET_IMM, 0, false},
	{"SPAN with a table too many", AT_SPAN, SET_IMM, TABLES + 1, false},
	{"SPAN of a table, expanded of another", AT_SPAN, SET_IMM, 3, false},
	{"EXPAND with table 0", AT_EXPAND2, SET_C, 0, false},
	{"EXPAND with another table", AT_EXPAND2, SET_C, 3 << 4, false},
	{"EXPAND with a table too many", AT_EXPAND2, SET_C, (TABLES + 1) << 4, false},
	{"EXPAND with table 1, of 256", AT_EXPAND2, SET_C, 257 << 4, false},
	{"EXPAND with other flags", AT_EXPAND2, SET_C, 1 << 4 | EXPAND_OUTER | EXPAND_ONCE, true},
	{"EXPAND of the selection's lanes", AT_EXPAND2, SET_M, 0, false},
	{"EXPAND of a bool's lanes", AT_EXPAND2, SET_M, R_NO, false},
	{"EXPAND of a word", AT_EXPAND2, SET_A, R_WORD, false},
	{"EXPAND of a row", AT_EXPAND2, SET_A, R_ROW2, false},
	{"EXPAND with integers for marks", AT_EXPAND1, SET_B, R_KEY, false},
	{"EXPAND with a mask for marks", AT_EXPAND1, SET_B, R_MASK, false},
	{"EXPAND of its own result", AT_EXPAND1, SET_DST, R_SPAN, false},
	{"a closed loop around an open one", AT_EXPAND2, SET_C, 1 << 4 | EXPAND_CLOSED, false},
	{"an open loop before other instructions", AT_EXPAND1, SET_C, 1 << 4 | EXPAND_ONCE, false},
	{"a closed loop before AGAIN", AT_EXPAND3, SET_C, 3 << 4 | EXPAND_CLOSED, true},
	{"FETCH of another table than the row's", AT_V1, SET_C, FETCH_OF(2, COL_V), false},
	{"FETCH of the tablet by a table's row", AT_V1, SET_C, FETCH_OF(0, COL_V), false},
	{"FETCH of a table too many", AT_V1, SET_C, FETCH_OF(TABLES + 1, COL_V), false},
	{"FETCH of a table by the tablet's row", AT_V0, SET_C, FETCH_OF(1, COL_V), false},
	{"FETCH of another table than the picked row's", AT_W, SET_C, FETCH_OF(1, COL_VW), false},
	{"FETCH of another table than the materialized row's", AT_V2, SET_C, FETCH_OF(2, COL_I), false},
	{"FETCH of text of another table", AT_TEXT, SET_C, FETCH_OF(2, COL_S), false},
	{"FETCH of the tablet's last column", AT_V0, SET_C, FETCH_OF(0, COL_Count - 1), true},
	{"FETCH of a column that the tablet has not", AT_V0, SET_C, FETCH_OF(0, COL_Count), false},
	{"FETCH with bounds before the words", AT_V1, SET_IMM, -1, false},
	{"FETCH with bounds behind the words", AT_V1, SET_IMM, 3, false},
	{"FETCH_W with bounds behind the words", AT_W, SET_IMM, 3, false},
	{"FETCH by an integer", AT_V1, SET_A, R_KEY, false},
	{"FETCH by pairs", AT_V1, SET_A, R_PAIRS1, false},
	{"FETCH by a span", AT_V1, SET_A, R_SPAN, false},
	{"rows compared as integers", AT_OK, SET_B, R_MATCH1, false},
	{"rows added up", AT_SUM, SET_A, R_LANE0, false},
	{"MATCH of a span", AT_MATCH2, SET_A, R_SPAN, false},
	{"LANE of rows", AT_LANE, SET_A, R_ROW2, false},
	{"LANE of pairs of a loop that has ended", AT_LANE, SET_A, R_PAIRS1, false},
	{"PICK_R by a table's rows", AT_PICK, SET_B, R_ROW2, false},
	{"PICK_R of a span", AT_PICK, SET_A, R_SPAN, false},
	{"PICK_R of another table's rows", AT_PICK, SET_A, R_LANE, false},
	{"KEEP_R of pairs", AT_MATERIALIZED, SET_A, R_PAIRS2, false},
	{"KEEP_R by an integer", AT_MATERIALIZED, SET_B, R_KEY, false},
	{"MARK by rows", AT_MARK, SET_A, R_MATCH1, false},
	{"MARK of integers", AT_MARK, SET_B, R_KEY, false},
	{"MARK of a mask", AT_MARK, SET_B, R_MASK, false},
	{"a bool read after the loop that wrote it", AT_FILTER, SET_A, R_LEAST, false},
	{"rows read after the loop that wrote them", AT_MATERIALIZED, SET_A, R_MATCH1, false},
	{"an integer read after the loop that wrote it", AT_RANK3, SET_A, R_V1, false},
	{"what a loop may have overwritten, read after it", AT_EXTRA1, SET_DST, R_KEY, false},
	{"a loop's span overwritten in it", AT_TEXT, SET_DST, R_SPAN, false},
	{"a loop's mask overwritten in it", AT_TEXT, SET_DST, R_MASK2, false},
	{"a loop's marks overwritten in it", AT_EXTRA1, SET_DST, R_MARKS, false},
	{"a closed loop's mask overwritten in it", AT_EXTRA1, SET_DST, R_MASK, false},
	{"a constant that a loop has read, overwritten in it", AT_EXTRA1, SET_DST, R_ZERO, false},
	{"a bool that only KEEP_R has read, overwritten in the loop", AT_EXTRA2, SET_DST, R_YES, false},
	{"rows of before that a loop has read, overwritten in it", AT_EXTRA2, SET_DST, R_ROW2, false},
	{"half of a wide register on what a loop has read", AT_W, SET_DST, R_SPAN - 1, false},
	{"what an inner loop has read of the outer one, overwritten in it", AT_EXTRA3, SET_DST, R_LANE, false},
	{"an inner loop's span overwritten in it", AT_EXTRA3, SET_DST, R_SPAN3, false},
	{"what the outer loop has read, overwritten in the inner one", AT_EXTRA3, SET_DST, R_ROW2, false},
	{"what the outer loop wrote, overwritten in the inner one", AT_EXTRA3, SET_DST, R_TEXT, true},
	{"what no loop reads, overwritten in one", AT_TEXT, SET_DST, R_WORD, true},
	{"what the loop before has read, overwritten in one", AT_TEXT, SET_DST, R_MASK, true},
	{"integers of the tile added up in a loop", AT_SUM, SET_A, R_KEY, true},
	{"integers of the pairs around added up in a loop", AT_SUM, SET_A, R_V0, false},
	{"a mask of the tile in a loop", AT_SUM, SET_M, R_MASK2, true},
	{"a mask of the pairs around in a loop", AT_SUM, SET_M, R_MASK3, false},
	{"FETCH by rows of the pairs around", AT_V3, SET_A, R_LANE, false},
	{"LANE of the pairs around", AT_LANE3, SET_A, R_PAIRS2, false},
	{"PICK_R by lanes of the pairs around", AT_LANE0, SET_B, R_LANE, false},
	{"a result on the selection", AT_CLEAR, SET_DST, 0, false},
	{"a result outside", AT_LANE, SET_DST, R_Count, false},
};

static void
test_variants(void)
{
	static Assembler as;

	tap_begin("one change in a program by hand");
	for (size_t i = 0; i < lengthof(variants); i++)
	{
		const Variant *v = &variants[i];
		Program    *program;
		uint32_t	size;
		bool		accepted;

		emit_by_hand(&as);
		program = asm_finish(&as);
		program->body[0].nregisters = R_Count;
		size = program->size;
		set_part((Instr *) program_instrs(program, 0) + v->at, v->setting, v->value);
		accepted = program_verify(program, size) == STATUS_DONE;
		tap_expect(accepted == v->valid, "%s is %s", v->name, accepted ? "accepted" : "refused");
		if (i == 0)
			for (uint16_t ntables = 0; ntables <= PROGRAM_MAX_TABLES + 1; ntables++)
			{
				program->ntables = ntables;
				accepted = program_verify(program, size) == STATUS_DONE;
				tap_expect(accepted == (ntables >= TABLES && ntables <= PROGRAM_MAX_TABLES), "%u tables are %s", ntables,
						   accepted ? "accepted" : "refused");
			}
		program_free(program, size);
	}
	tap_end();
}

/*
 * Loops by their shape: ( and [ begin a closed and an open one, ) and ] end
 * it, f filters, j jumps, l takes lanes, c counts; x makes the two outer loops
 * cross, y lets the first end where the second does.
 */
static const struct
{
	const char *shape;
	bool		valid;
}			shapes[] = {
	{"c", true}, {"[c]", true}, {"[[c]]", true}, {"(f)c", true}, {"(fj)jc", true}, {"(f)[c]", true}, {"(f)(f)[[c]]", true},
	{"[(f)c]", true}, {"[f(fjl)jl[(f)c]]", true}, {"((f))c", true}, {"((f)f)fc", true}, {"([])", false}, {"[[[[[[[[c]]]]]]]]", true},
	{"[[[[[[[(f)c]]]]]]]", true}, {"[[[[[[[[[c]]]]]]]]]", false}, {"((((((((f))))))))c", true}, {"(((((((((f)))))))))c", false},
	{"[[[[[[[[(f)c]]]]]]]]", false}, {"]c", false}, {"c]", false}, {"(f))c", false}, {"[c]]", false}, {"[c", false}, {"[[c]", false},
	{"(f", false}, {"[", false}, {"[c]c", false}, {"[c]f", false}, {"[c]j", false}, {"[c][c]", false}, {"[c](f)", false},
	{"[[c]f]", false}, {"[[c](f)]", false}, {"[[c][c]]", false}, {"([c])c", false}, {"([c])", false}, {"[([c])]", false},
	{"[[c]]x", false}, {"((f))cx", false}, {"[(f)c]x", false}, {"[[c]y", false},
};

static Program *
program_of_shape(const char *shape)
{
	static Assembler as;
	Instr	   *code = as.code[0];
	int			loop[2] = {-1, -1};
	int			state;
	int			depth = 0;

	emit_by_hand(&as);
	as.count[0] = AT_EXPAND1;
	state = as.shape.state_word[1];
	for (; *shape != '\0'; shape++)
		switch (*shape)
		{
			case '(':
			case '[':
				if (loop[1] < 0)
					loop[loop[0] >= 0] = as.count[0];
				asm_emit(&as, VMOP_EXPAND, 30 + depth++, R_SPAN, R_NO, R_MASK, 0)->c = (uint16_t) (1 << 4 | (*shape == '(' ? EXPAND_CLOSED : 0));
				break;
			case ')':
			case ']':
				asm_emit(&as, VMOP_AGAIN, 0, 0, 0, 0, 0);
				depth--;
				break;
			case 'f': asm_emit(&as, VMOP_FILTER, 0, R_NO, 0, 0, 0); break;
			case 'j': asm_emit(&as, VMOP_JUMP_NONE, 0, 0, 0, 0, 0); break;
			case 'l': asm_emit(&as, VMOP_LANE, 50 + depth, 29 + depth, 0, 0, 0); break;
			case 'c': asm_emit(&as, VMOP_COUNT, 0, 0, 0, 0, state); break;
			default: break;
		}
	asm_close_loops(&as);
	if (shape[-1] == 'y')
		code[loop[0]].imm = code[loop[1]].imm;
	if (shape[-1] == 'x')
	{
		const int	end = code[loop[0]].imm;

		code[loop[0]].imm = code[loop[1]].imm;
		code[loop[1]].imm = end;
		code[end].imm = loop[1];
		code[code[loop[0]].imm].imm = loop[0];
	}
	return asm_finish(&as);
}

static void
test_shapes(void)
{
	tap_begin("loops by their shape");
	for (size_t i = 0; i < lengthof(shapes); i++)
	{
		Program    *program = program_of_shape(shapes[i].shape);
		const uint32_t size = program->size;
		const bool	accepted = program_verify(program, size) == STATUS_DONE;

		tap_expect(accepted == shapes[i].valid, "%s is %s", shapes[i].shape, accepted ? "accepted" : "refused");
		program_free(program, size);
	}
	tap_end();
}

/* Programs that would read outside of memory in ways of their own, if accepted. */

/* Emit a fetch by lanes of an inner loop, which are pairs of the outer one, not rows of the tile. */
static void
emit_lane_of_lane(Assembler *as)
{
	Instr	   *code = as->code[0];

	emit_by_hand(as);
	code[AT_V3].op = VMOP_FETCH_T;
	code[AT_V3].dst = R_TEXT;
	code[AT_V3].a = R_LANE3;
	code[AT_V3].c = FETCH_OF(0, COL_S);
	code[AT_SUM] = code[AT_V3];
	code[AT_SUM].op = VMOP_TRIM_T;
	code[AT_SUM].dst = R_V3;
	code[AT_SUM].a = R_TEXT;
}

/* Emit a key that a loop names again, but may jump over, while the register of its first KEY becomes an integer. */
static void
emit_skipped_key(Assembler *as)
{
	emit_by_hand(as);
	as->shape.nstates = 0;
	as->shape.row_words = 1;
	as->count[0] = AT_EXPAND1;
	asm_emit(as, VMOP_LOAD_T, R_TEXT, 0, 0, 0, COL_T);
	asm_emit(as, VMOP_LOAD_T, R_W, 0, 0, 0, COL_T);
	asm_emit(as, VMOP_KEY_T, R_RANK3, R_TEXT, R_ZERO, 0, asm_key(as, KEY_TEXT));
	asm_emit(as, VMOP_EXPAND, R_PAIRS1, R_SPAN, R_MARKS, R_MASK, 0)->c = 1 << 4 | EXPAND_CLOSED;
	asm_emit(as, VMOP_FILTER, 0, R_NO, 0, 0, 0);
	asm_emit(as, VMOP_JUMP_NONE, 0, 0, 0, 0, 0);
	asm_emit(as, VMOP_KEY_T, R_WORD2, R_W, R_ZERO, 0, 0);
	asm_emit(as, VMOP_AGAIN, 0, 0, 0, 0, 0);
	asm_emit(as, VMOP_LOAD_I, R_TEXT, 0, 0, 0, COL_V);
	asm_emit(as, VMOP_GROUP, R_V0, R_RANK3, 0, 0, 0);
	asm_emit(as, VMOP_COUNT_G, 0, 0, R_V0, 0, asm_state(as, STATE_COUNT));
	asm_close_loops(as);
}

/* Emit a total whose c, which it does not use, is the last register; then a GROUP whose key is no longer a text. */
static void
emit_companion_outside(Assembler *as)
{
	asm_init(as, COL_Count, true);
	asm_emit(as, VMOP_CONST_I, R_ZERO, 0, 0, 0, asm_word(as, UINT64_C(0x7000000000000000)));
	asm_emit(as, VMOP_LOAD_T, R_TEXT, 0, 0, 0, COL_T);
	asm_emit(as, VMOP_LOAD_T, 6, 0, 0, 0, COL_T);
	asm_emit(as, VMOP_KEY_T, R_WORD, R_TEXT, R_ZERO, 0, asm_key(as, KEY_TEXT));
	asm_emit(as, VMOP_GROUP, R_V0, R_WORD, 0, 0, 0);
	asm_emit(as, VMOP_LOAD_I, R_TEXT, 0, 0, 0, COL_V);
	asm_emit(as, VMOP_COUNT_G, 0, 0, R_V0, 0, asm_state(as, STATE_COUNT))->c = PROGRAM_MAX_REGISTERS - 1;
	asm_emit(as, VMOP_GROUP, R_V2, R_WORD, 0, 0, 0);
	asm_emit(as, VMOP_LOAD_I, PROGRAM_MAX_REGISTERS - 1, 0, 0, 0, COL_V);
}

/* Emit a load into a constant's register, which the next tile reads as the constant. */
static void
emit_lost_constant(Assembler *as)
{
	asm_init(as, COL_Count, true);
	asm_emit(as, VMOP_CONST_T, R_TEXT, 0, 0, 0, asm_word(as, asm_text(as, "x", 1)));
	asm_emit(as, VMOP_TRIM_T, R_KEY, R_TEXT, 0, 0, 0);
	asm_emit(as, VMOP_COUNT, 0, R_KEY, 0, 0, asm_state(as, STATE_COUNT));
	asm_emit(as, VMOP_LOAD_I, R_TEXT, 0, 0, 0, COL_V);
}

/* Emit a fetch by lanes of an inner loop, which are rows of no table, from table 255. */
static void
emit_fetch_of_lanes(Assembler *as)
{
	Instr	   *code = as->code[0];

	emit_by_hand(as);
	code[AT_V3].a = R_LANE3;
	code[AT_V3].c = (uint16_t) FETCH_OF(255, COL_V);
}

static void
emit_rows_of_lanes(Assembler *as)
{
	Instr	   *code = as->code[0];

	emit_by_hand(as);
	as->shape.aggregates = 0;
	as->shape.nstates = 0;
	as->shape.row_words = 1;
	code[AT_SUM].op = VMOP_EMIT;
	code[AT_SUM].a = 0;
	code[AT_SUM].imm = 0;
	code[AT_COUNT].op = VMOP_EMIT_ROW;
	code[AT_COUNT].a = R_LANE3;
	code[AT_COUNT].imm = 255;
}

static const struct
{
	const char *name;
	void		(*emit) (Assembler *as);
}			hostile[] = {
	{"the tablet's rows by lanes of an inner loop", emit_lane_of_lane},
	{"a key that a loop may jump over", emit_skipped_key},
	{"an unused companion outside", emit_companion_outside},
	{"a constant that is overwritten", emit_lost_constant},
	{"a table's values by lanes of an inner loop", emit_fetch_of_lanes},
	{"lanes of an inner loop as a table's rows", emit_rows_of_lanes},
};

static void
verify_and_run(void *arg, Progress *progress)
{
	const Program *program = (const Program *) arg;

	if (program_verify(program, program->size) == STATUS_DONE)
		run_accepted(program);
	progress->at++;
}

static void
test_hostile(void)
{
	static Assembler as;
	Progress   *progress = progress_make();

	tap_begin("refused or harmless: programs by hand");
	for (size_t i = 0; i < lengthof(hostile); i++)
	{
		Program    *program;
		uint32_t	size;

		hostile[i].emit(&as);
		program = asm_finish(&as);
		size = program->size;
		tap_expect(survives(verify_and_run, program, progress), "accepted and died: %s", hostile[i].name);
		program_free(program, size);
	}
	tap_end();
}

/* Test the bounds of FETCH: values must be within its words, or within the tablet's zone map. */
static void
test_ranges(void)
{
	static const struct
	{
		int64_t		least;
		int64_t		largest;
		bool		fits;
	}			cases[] = {
		{-2, 3, true}, {0, INT64_MAX / 5, true}, {0, INT64_MAX / 4, false}, {INT64_MIN / 5, 0, true}, {INT64_MIN, 0, false},
		{-1, 0, true}, {INT64_MAX, INT64_MAX, false}
	};
	static Assembler as;

	tap_begin("ranges of what is fetched");
	for (size_t i = 0; i < lengthof(cases); i++)
		for (uint16_t table = 0; table <= 1; table++)
		{
			TabletColumn *column = &sides[0].tablet->column[COL_V];
			Program    *program;
			uint32_t	size;
			int			bounds;
			int			five;

			/* bounds of the other side have no meaning */
			wide_store(column->min, table == 0 ? cases[i].least : INT64_MIN);
			wide_store(column->max, table == 0 ? cases[i].largest : INT64_MAX);
			emit_by_hand(&as);
			as.count[0] = AT_EXPAND1;
			bounds = asm_wide(&as, table == 1 ? cases[i].least : INT64_MIN);
			asm_wide(&as, table == 1 ? cases[i].largest : INT64_MAX);
			five = asm_word(&as, 5);
			as.code[0][AT_ZERO].imm = five;
			asm_emit(&as, VMOP_EXPAND, R_PAIRS1, R_SPAN, R_NO, R_MASK, 0)->c = 1 << 4;
			asm_emit(&as, table == 0 ? VMOP_LANE : VMOP_MATCH, R_MATCH1, R_PAIRS1, 0, 0, 0);
			asm_emit(&as, VMOP_FETCH_I, R_V1, R_MATCH1, 0, 0, bounds)->c = FETCH_OF(table, COL_V);
			asm_emit(&as, VMOP_MUL_D, R_V2, R_V1, R_ZERO, 0, 0);
			asm_emit(&as, VMOP_SUM_I, 0, R_V2, 0, 0, as.shape.state_word[0]);
			asm_emit(&as, VMOP_AGAIN, 0, 0, 0, 0, 0);
			asm_close_loops(&as);
			program = asm_finish(&as);
			size = program->size;
			tap_expect(program_verify(program, size) == STATUS_DONE, "the program is refused");
			tap_expect(program_fits(program, sides[0].tablet) == cases[i].fits, "%lld to %lld of table %u", (long long) cases[i].least,
					   (long long) cases[i].largest, table);
			tap_expect(program_may_pass(program, BODY_NARROW, sides[0].tablet), "rows are said not to pass");
			program_free(program, size);
		}
	tap_end();
}

/* Random changes */

static Program *bases[8];

static int64_t
random_choice(Setting setting, int64_t old)
{
	static const int64_t edges[] = {-1, 0, 1, 7, 8, 15, 16, 95, 96, 0x7fff, 0xffff, INT32_MAX, INT32_MIN};

	switch (random_below(4))
	{
		case 0: return edges[random_below(lengthof(edges))];
		case 1: return old + (int64_t) random_below(5) - 2;
		case 2: return setting == SET_C ? (int64_t) (random_below(5) << (random_below(2) ? 4 : 8) | random_below(12)) : old ^ (int64_t) 1 << random_below(16);
		default: return random_below(setting == SET_OP ? VMOP_Count + 2 : 60);
	}
}

static void
change_program(Program *program)
{
	Instr	   *code = (Instr *) program_instrs(program, 0);
	const uint32_t n = program->body[0].ninstrs;
	const uint32_t size = program->size;

	for (uint32_t changes = 1 + random_below(3); changes > 0; changes--)
	{
		Instr	   *in = &code[random_below(n)];
		const Setting setting = (Setting) random_below(SET_Count);
		const int64_t old[] = {in->op, in->dst, in->a, in->b, in->c, in->m, in->imm};

		if (random_below(8) == 0)
			((uint8_t *) program)[random_below(size)] = (uint8_t) (random_below(2) ? random_u64() : random_below(16));
		else if (random_below(8) == 0 && in < code + n - 1)
		{
			const Instr other = in[0];

			in[0] = in[1];
			in[1] = other;
		}
		else if (random_below(8) == 0)
			*in = code[random_below(n)];
		else
			set_part(in, setting, random_choice(setting, old[setting]));
	}
}

static void
run_changed(void *arg, Progress *progress)
{
	for (long trial = progress->at; trial < *(const long *) arg; trial++)
	{
		const size_t b = (size_t) trial % lengthof(bases);
		const uint32_t size = bases[b]->size;
		Program    *program = (Program *) guard_alloc(size, 8);

		random_seed((uint64_t) trial);
		progress->at = trial + 1;
		snprintf(progress->note, sizeof(progress->note), "program %d, trial %ld", (int) b, trial);
		memcpy(program, bases[b], size);
		change_program(program);
		if (program_verify(program, size) == STATUS_DONE)
		{
			progress->trials++;
			run_accepted(program);
		}
		guard_free(program, size, 8);
	}
}

/* Make the base programs: those of plans over the tables, and the one by hand. */
static void
make_bases(void)
{
	static Builder b;

	for (size_t i = 0; i < lengthof(bases); i++)
	{
		static JoinPlan plan;

		plan = tables_plan;
		for (int t = 0; t < TABLES; t++)
			plan.step[t].kind = (StepKind) ((i + (size_t) t) % STEP_Count);
		plan.step[0].condition = plan.step[1].condition = i % 2;
		plan.group_by = (int) i % 4;
		plan.emits = i > 4;
		if (i + 1 < lengthof(bases))
		{
			bases[i] = build_program(&b, &plan);
			continue;
		}
		emit_by_hand(&b.as);
		bases[i] = asm_finish(&b.as);
	}
}

static void
test_changes(void)
{
	Progress   *progress = progress_make();
	long		trials = tap_short() ? 3000 : 100000;
	long		started = -1;

	tap_begin("refused or harmless: random changes");
	for (size_t i = 0; i < lengthof(bases); i++)
		if (tap_expect(program_verify(bases[i], bases[i]->size) == STATUS_DONE, "program %d is refused", (int) i))
			run_accepted(bases[i]);
	while (started != progress->at)
	{
		bool		alive;

		started = progress->at;
		alive = survives(run_changed, &trials, progress);
		tap_expect(alive, "accepted and died: %s", progress->note);
		if (alive)
			break;
	}
	tap_end();
	printf("# %ld changed programs, of which %ld were accepted\n", progress->at, progress->trials);
}

int
main(void)
{
	fill_sides();
	store_sides(&tables_plan);
	make_bases();
	test_variants();
	test_shapes();
	test_ranges();
	test_hostile();
	test_changes();
	return tap_done();
}
