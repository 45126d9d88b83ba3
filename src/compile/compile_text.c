/*
 * compile_text.c
 *		Compilation of operations on text: comparison of its two forms, LIKE, length, and parts.
 *
 * A text is a reference to bytes or, if its declared length always fits, packed
 * into one word.  Operations that need bytes refuse packed text by
 * refuse_packed(), after which the request is compiled with all text unpacked.
 */
#include "postgres.h"

#include "fmgr.h"
#include "mb/pg_wchar.h"

#include "pg_compat.h"
#include "core/vm/op_text.h"

#include "compile/compiler.h"

bool
refuse_packed(Compiler *c)
{
	c->packed_refused = true;
	return refuse(c, REASON_EXPRESSION);
}

static bool
is_utf8(void)
{
	return GetDatabaseEncoding() == PG_UTF8;
}

/* Return true if the device can tell where a character ends. */
static bool
characters_known(void)
{
	return is_utf8() || pg_database_encoding_max_length() == 1;
}

/* Pack a text constant into a word.  If it is too long, the word equals no packed text and still sorts correctly. */
static int
packed_constant(Compiler *c, Const *constant, bool trimmed)
{
	uint64		word = 0;

	if (!constant->constisnull)
	{
		int			length;
		const uint8 *bytes = (const uint8 *) text_of_const(constant, &length);

		if (trimmed)
			length = text_trimmed(bytes, length);
		word = length <= TEXT_PACKED_MAX ? text_pack(bytes, length) : text_pack(bytes, TEXT_PACKED_MAX) | 0xff;
	}
	return emit_constant(&c->em, KIND_I, &word, constant->constisnull);
}

/* Convert both sides of a text comparison to one form. */
bool
unify_text(Compiler *c, bool bpchar, Operand *a, Operand *b)
{
	Operand    *sides[2] = {a, b};

	if (a->class == CLASS_PACKED || b->class == CLASS_PACKED)
	{
		bool		trimmed = a->class == CLASS_PACKED ? a->trimmed : b->trimmed;

		for (int i = 0; i < 2; i++)
		{
			if (sides[i]->class == CLASS_PACKED && sides[i]->trimmed == trimmed)
				continue;
			if (sides[i]->class != CLASS_TEXT || sides[i]->constant == NULL || trimmed != bpchar)
				return refuse_packed(c);
			sides[i]->vreg = packed_constant(c, sides[i]->constant, trimmed);
			sides[i]->class = CLASS_PACKED;
		}
		return true;
	}
	if (bpchar)
		for (int i = 0; i < 2; i++)
			sides[i]->vreg = emit(&c->em, VMOP_TRIM_T, sides[i]->vreg, 0, 0, 0);
	return true;
}

/* Add a pattern in lower case, as ILIKE under the C collation uses it, to the constants; return its register. */
static int
lower_constant(Compiler *c, const uint8 *bytes, int length)
{
	char	   *lower = palloc(length + 1);
	uint64		word;

	for (int i = 0; i < length; i++)
		lower[i] = text_lower(bytes[i]);
	word = pool_text(c->em.pool, lower, length);
	return emit_constant(&c->em, KIND_T, &word, false);
}

/* Compile LIKE or ILIKE with a constant pattern that does not end in an escape. */
bool
compile_like(Compiler *c, FunctionAction action, const Operand *a, const Operand *pattern, Operand *out)
{
	struct varlena *text;
	const char *bytes;
	int			length;
	int			escapes = 0;
	bool		negate = action == ACTION_NOT_LIKE || action == ACTION_NOT_ILIKE;
	bool		fold = action == ACTION_ILIKE || action == ACTION_NOT_ILIKE;
	int			vreg = pattern->vreg;

	if (a->class == CLASS_PACKED)
		return refuse_packed(c);
	if (a->class != CLASS_TEXT || pattern->class != CLASS_TEXT || pattern->constant == NULL || !characters_known())
		return refuse(c, REASON_EXPRESSION);
	if (!pattern->constant->constisnull)
	{
		text = PG_DETOAST_DATUM_PACKED(pattern->constant->constvalue);
		bytes = VARDATA_ANY(text);
		length = VARSIZE_ANY_EXHDR(text);
		while (length > escapes && bytes[length - 1 - escapes] == '\\')
			escapes++;
		if (escapes % 2 == 1)
			return refuse(c, REASON_EXPRESSION);
		if (fold)
			vreg = lower_constant(c, (const uint8 *) bytes, length);
	}
	*out = bool_operand(emit_instr(&c->em, (EmitInstr) {.op = fold ? VMOP_ILIKE_T : VMOP_LIKE_T, .a = a->vreg, .b = vreg,
							   .c = is_utf8(), .m = c->mask}),
						a->nullable || pattern->nullable);
	if (negate)
		out->vreg = emit(&c->em, VMOP_NOT, out->vreg, 0, 0, 0);
	return true;
}

bool
compile_length(Compiler *c, const Operand *a, bool bpchar, Operand *out)
{
	int			vreg = a->vreg;

	if (a->class == CLASS_PACKED)
		return refuse_packed(c);
	if (a->class != CLASS_TEXT || !characters_known())
		return refuse(c, REASON_EXPRESSION);
	if (bpchar)
		vreg = emit(&c->em, VMOP_TRIM_T, vreg, 0, 0, 0);
	*out = int_operand(emit_instr(&c->em, (EmitInstr) {.op = VMOP_LENGTH_T, .a = vreg, .c = is_utf8()}), a->nullable);
	return true;
}

bool
compile_octets(Compiler *c, const Operand *a, Operand *out)
{
	if (a->class == CLASS_PACKED)
		return refuse_packed(c);
	if (a->class != CLASS_TEXT)
		return refuse(c, REASON_EXPRESSION);
	/* without c = 1 every byte counts as a character */
	*out = int_operand(emit(&c->em, VMOP_LENGTH_T, a->vreg, 0, 0, 0), a->nullable);
	return true;
}

/* Store the value of a constant int4; false if the operand is not constant, or NULL. */
static bool
int_argument(const Operand *a, int64 *value)
{
	if (a->constant == NULL || a->constant->constisnull)
		return false;
	*value = DatumGetInt32(a->constant->constvalue);
	return true;
}

/*
 * Compile left(a, n) or substring(a, from, for).  With NULL for a number, as
 * parameters are while planning, the result is NULL.
 */
bool
compile_text_part(Compiler *c, FunctionAction action, const Operand *arg, int nargs, Operand *out)
{
	int64		first = 1;
	int64		count = PG_INT32_MAX;
	uint64		words[2];
	bool		known = true;

	if (arg[0].class == CLASS_PACKED)
		return refuse_packed(c);
	if (arg[0].class != CLASS_TEXT || !characters_known())
		return refuse(c, REASON_EXPRESSION);
	for (int i = 1; i < nargs; i++)
		if (arg[i].constant == NULL)
			return refuse(c, REASON_EXPRESSION);
	if (action == ACTION_LEFT)
		known = int_argument(&arg[1], &count);
	else
	{
		known = int_argument(&arg[1], &first) && (nargs < 3 || int_argument(&arg[2], &count));
		/* a negative length is PostgreSQL's error to raise */
		if (known && count < 0)
			return refuse(c, REASON_EXPRESSION);
		/* positions before the first character count towards the length and yield no characters */
		if (known && first < 1)
		{
			count = nargs < 3 ? count : Max(0, count + first - 1);
			first = 1;
		}
	}
	*out = arg[0];
	out->constant = NULL;
	if (!known)
	{
		words[0] = pool_text(c->em.pool, "", 0);
		out->vreg = emit_constant(&c->em, KIND_T, words, true);
		out->nullable = true;
		return true;
	}
	words[0] = (uint64) (first - 1);
	words[1] = (uint64) count;
	out->vreg = emit_instr(&c->em, (EmitInstr) {.op = VMOP_PART_T, .a = arg[0].vreg, .c = is_utf8(),
						   .imm = pool_words(c->em.pool, words, 2)});
	return true;
}
