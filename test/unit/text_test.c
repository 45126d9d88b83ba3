/*
 * text_test.c
 *		LIKE, packed text and trimming.
 *
 * LIKE is compared with a matcher that follows the definition: it tries every
 * split for a %, by recursion, over characters instead of bytes.
 */
#include "core/vm/op_text.h"
#include "guard.h"
#include "tap.h"

#define MAX_TEXT 24

typedef struct Text
{
	uint8_t		bytes[MAX_TEXT * 4];
	uint32_t	length;
} Text;

/* Letters of the alphabet, the wildcards last: one byte, then two, three and four of UTF-8. */
static const char *const letters[] = {"a", "b", "\xC3\xA9", "\xC3\xA8", "\xE2\x82\xAC", "\xF0\x9F\x98\x80", "%", "_", "\\"};

#define PLAIN_LETTERS 6
#define ASCII_LETTERS 2

static uint32_t
char_length(const uint8_t *p, bool utf8)
{
	if (!utf8 || p[0] < 0x80)
		return 1;
	return p[0] < 0xE0 ? 2 : p[0] < 0xF0 ? 3 : 4;
}

/* Match a text by the definition of LIKE. */
static bool
like_reference(const uint8_t *a, uint32_t alen, const uint8_t *p, uint32_t plen, bool utf8)
{
	uint32_t	n;
	uint32_t	at;

	if (plen == 0)
		return alen == 0;
	if (p[0] == '%')
	{
		for (at = 0;; at += char_length(a + at, utf8))
		{
			if (like_reference(a + at, alen - at, p + 1, plen - 1, utf8))
				return true;
			if (at >= alen)
				return false;
		}
	}
	if (alen == 0)
		return false;
	n = char_length(a, utf8);
	if (p[0] == '_')
		return like_reference(a + n, alen - n, p + 1, plen - 1, utf8);
	if (p[0] == '\\')
	{
		p++;
		plen--;
	}
	return alen >= n && plen >= n && memcmp(a, p, n) == 0 && like_reference(a + n, alen - n, p + n, plen - n, utf8);
}

static void
append(Text *t, const char *s)
{
	memcpy(t->bytes + t->length, s, strlen(s));
	t->length += (uint32_t) strlen(s);
}

/*
 * Make a random text of fewer than `most` characters, of `kinds` different letters; it may have
 * wildcards as plain characters.
 */
static void
random_string(Text *t, uint32_t most, uint32_t kinds)
{
	uint32_t	n = random_below(most);

	t->length = 0;
	while (n-- > 0)
		append(t, letters[random_below(8) ? random_below(kinds) : PLAIN_LETTERS + random_below(3)]);
}

static void
random_pattern(Text *t, uint32_t kinds)
{
	uint32_t	n = random_below(8);

	t->length = 0;
	while (n-- > 0)
		switch (random_below(6))
		{
			case 0:
			case 1:
				append(t, "%");
				break;
			case 2:
				append(t, "_");
				break;
			case 3:
				append(t, "\\");
				append(t, letters[random_below(2) ? random_below(kinds) : PLAIN_LETTERS + random_below(3)]);
				break;
			default:
				append(t, letters[random_below(kinds)]);
				break;
		}
}

static void
expect_like(const Text *a, const Text *p, bool utf8)
{
	uint8_t		got = text_like(a->bytes, a->length, p->bytes, p->length, (LikeMode) {utf8, false});

	tap_expect(got == like_reference(a->bytes, a->length, p->bytes, p->length, utf8), "'%.*s' LIKE '%.*s' gives %d",
			   (int) a->length, a->bytes, (int) p->length, p->bytes, got);
}

static void
test_like_examples(void)
{
	static const struct
	{
		const char *text;
		const char *pattern;
		bool		matches;
	}			cases[] = {
		{"", "", true}, {"", "%", true}, {"", "_", false}, {"", "%_", false}, {"a", "", false},
		{"abc", "abc", true}, {"abc", "a%", true}, {"abc", "%c", true}, {"abc", "a_c", true}, {"abc", "_", false},
		{"aab", "%ab", true}, {"aaab", "%aab", true}, {"mississippi", "%iss%ip%", true},
		{"mississippi", "%issip", false}, {"a%c", "a\\%c", true}, {"abc", "a\\%c", false}, {"a_c", "a\\_c", true},
		{"abc", "a\\_c", false}, {"a\\c", "a\\\\c", true}, {"abc", "\\a\\b\\c", true}, {"abc", "%%%", true},
		{"abc", "%_%_%_%", true}, {"ab", "%_%_%_%", false}, {"PROMO BRUSHED", "PROMO%", true},
		{"\xC3\xA9", "_", true}, {"\xC3\xA9t\xC3\xA9", "_t_", true}, {"\xE2\x82\xAC", "__", false},
		{"\xC3\xA9", "%\xA9", false},
	};
	size_t		i;

	tap_begin("LIKE: examples");
	for (i = 0; i < lengthof(cases); i++)
		tap_expect(text_like((const uint8_t *) cases[i].text, (uint32_t) strlen(cases[i].text),
							 (const uint8_t *) cases[i].pattern, (uint32_t) strlen(cases[i].pattern),
							 (LikeMode) {true, false})
				   == cases[i].matches, "'%s' LIKE '%s'", cases[i].text, cases[i].pattern);
	tap_end();
}

static void
test_like_random(const char *name, uint32_t kinds, bool utf8)
{
	long		i;

	tap_begin(name);
	for (i = 0; i < 400000; i++)
	{
		Text		a;
		Text		p;

		/* longer texts are compared several bytes at a time */
		random_string(&a, i % 8 == 0 ? MAX_TEXT : 9, kinds);
		random_pattern(&p, kinds);
		expect_like(&a, &p, utf8);
	}
	tap_end();
}

/*
 * Test LIKE without case, as under the C collation: only ASCII letters, and none of their
 * neighbours, have another case.
 */
static void
test_like_without_case(void)
{
	static const char bytes[] = "aAbBzZ@[`{\xC1\xE1\xDA\xFA%_";
	long		i;

	tap_begin("ILIKE: long and short texts");
	for (i = 0; i < 400000; i++)
	{
		Text		a = {.length = random_below(i % 8 == 0 ? 40 : 12)};
		Text		lower = a;
		Text		p = {.length = random_below(6)};
		uint32_t	b;

		for (b = 0; b < a.length; b++)
		{
			a.bytes[b] = (uint8_t) bytes[random_below(sizeof(bytes) - 1)];
			lower.bytes[b] = text_lower(a.bytes[b]);
		}
		for (b = 0; b < p.length; b++)
			p.bytes[b] = text_lower((uint8_t) (random_below(3) ? bytes[random_below(sizeof(bytes) - 1)] : '%'));
		tap_expect(text_like(a.bytes, a.length, p.bytes, p.length, (LikeMode) {false, true}) ==
				   like_reference(lower.bytes, lower.length, p.bytes, p.length, false), "'%.*s' ILIKE '%.*s'", (int) a.length, a.bytes,
				   (int) p.length, p.bytes);
	}
	tap_end();
}

/* Test all texts over {a, b} up to 5 letters with all patterns over {a, b, %, _} up to 4. */
static void
test_like_exhaustive(void)
{
	static const char alphabet[] = "ab%_";
	uint32_t	text;
	uint32_t	pattern;

	tap_begin("LIKE: every short text and pattern");
	for (text = 0; text < 6 * 32; text++)
		for (pattern = 0; pattern < 5 * 256; pattern++)
		{
			Text		a = {{0}, text / 32};
			Text		p = {{0}, pattern / 256};
			uint32_t	i;

			for (i = 0; i < a.length; i++)
				a.bytes[i] = (uint8_t) alphabet[text >> i & 1];
			for (i = 0; i < p.length; i++)
				p.bytes[i] = (uint8_t) alphabet[pattern >> (2 * i) & 3];
			expect_like(&a, &p, true);
		}
	tap_end();
}

/* Match bytes that are not UTF-8, at the end of readable memory. */
static void
match_hostile_bytes(void *arg, Progress *progress)
{
	uint8_t    *text_end = (uint8_t *) guard_alloc(48, 16) + 48;
	uint8_t    *pattern_end = (uint8_t *) guard_alloc(16, 16) + 16;
	long		i;

	for (i = 0; i < 300000; i++)
	{
		uint32_t	alen = random_below(i % 8 == 0 ? 48 : 10);
		uint32_t	plen = random_below(8);
		uint32_t	b;

		progress->at = i;
		for (b = 1; b <= alen; b++)
			text_end[-(int) b] = (uint8_t) (random_below(3) ? 0x80 + random_below(128) : 'a');
		for (b = 1; b <= plen; b++)
			pattern_end[-(int) b] = (uint8_t) (random_below(3) ? "%_\\"[random_below(3)] : 0x80 + random_below(128));
		text_like(text_end - alen, alen, pattern_end - plen, plen, (LikeMode) {random_below(2) != 0, random_below(2) != 0});
	}
}

static void
test_like_hostile_bytes(void)
{
	Progress   *progress = progress_make();
	bool		alive;

	tap_begin("LIKE: bytes that are no UTF-8 do not lead outside");
	alive = survives(match_hostile_bytes, NULL, progress);
	tap_expect(alive, "died at trial %ld", progress->at);
	tap_end();
}

static int
compare_bytes(const Text *a, const Text *b)
{
	int			c = memcmp(a->bytes, b->bytes, a->length < b->length ? a->length : b->length);

	return c != 0 ? (c < 0 ? -1 : 1) : (a->length > b->length) - (a->length < b->length);
}

static void
test_packing(void)
{
	long		i;

	tap_begin("packed text unpacks to itself");
	for (i = 0; i < 100000; i++)
	{
		Text		a;
		uint8_t		out[TEXT_PACKED_MAX + 1];
		uint32_t	b;

		a.length = random_below(TEXT_PACKED_MAX + 1);
		for (b = 0; b < a.length; b++)
			a.bytes[b] = (uint8_t) random_u64();
		out[TEXT_PACKED_MAX] = 0xA5;
		tap_expect(text_unpack(text_pack(a.bytes, a.length), out) == a.length && memcmp(out, a.bytes, a.length) == 0 &&
				   out[TEXT_PACKED_MAX] == 0xA5, "length %u", a.length);
	}
	tap_end();

	tap_begin("any integer unpacks to at most 7 bytes");
	for (i = 0; i < 100000; i++)
	{
		uint8_t		out[TEXT_PACKED_MAX + 1];

		out[TEXT_PACKED_MAX] = 0xA5;
		tap_expect(text_unpack(random_u64(), out) <= TEXT_PACKED_MAX && out[TEXT_PACKED_MAX] == 0xA5, "more than 7");
	}
	tap_end();

	tap_begin("packed text compares, signed, as its bytes do");
	for (i = 0; i < 200000; i++)
	{
		Text		t[2];
		uint64_t	packed[2];
		int			k;

		for (k = 0; k < 2; k++)
		{
			uint32_t	b;

			t[k].length = random_below(TEXT_PACKED_MAX + 1);
			for (b = 0; b < t[k].length; b++)
				t[k].bytes[b] = (uint8_t) (random_below(2) ? 'a' + random_below(2) : 1 + random_below(255));
			packed[k] = text_pack(t[k].bytes, t[k].length);
		}
		tap_expect(compare_bytes(&t[0], &t[1]) == ((int64_t) packed[0] > (int64_t) packed[1]) - ((int64_t) packed[0] < (int64_t) packed[1]),
				   "%016llx and %016llx", (unsigned long long) packed[0], (unsigned long long) packed[1]);
	}
	tap_end();
}

static void
test_wide_packing(void)
{
	long		i;

	tap_begin("16 bytes: packed text unpacks to itself, and compares as its bytes do");
	for (i = 0; i < 200000; i++)
	{
		Text		t[2];
		Wide		packed[2];
		int			k;

		for (k = 0; k < 2; k++)
		{
			uint8_t		out[TEXT_WIDE_MAX + 1];
			uint32_t	error = 1;
			uint32_t	b;

			t[k].length = random_below(TEXT_WIDE_MAX + 1);
			for (b = 0; b < t[k].length; b++)
				t[k].bytes[b] = (uint8_t) (random_below(2) ? 'a' + random_below(2) : 1 + random_below(255));
			out[TEXT_WIDE_MAX] = 0xA5;
			packed[k] = text_pack_wide(t[k].bytes, t[k].length, &error);
			tap_expect(error == 0 && text_unpack_wide(packed[k], out) == t[k].length &&
					   memcmp(out, t[k].bytes, t[k].length) == 0 && out[TEXT_WIDE_MAX] == 0xA5, "length %u", t[k].length);
		}
		tap_expect(compare_bytes(&t[0], &t[1]) == (packed[0] > packed[1]) - (packed[0] < packed[1]), "lengths %u and %u",
				   t[0].length, t[1].length);
	}
	tap_end();

	tap_begin("17 bytes are too many");
	{
		const uint8_t bytes[] = "12345678901234567";
		uint32_t	error = 0;

		(void) text_pack_wide(bytes, 17, &error);
		tap_expect(error == 1, "17 bytes fit");
		(void) text_pack_wide(bytes, 16, &error);
		tap_expect(error == 0, "16 bytes do not fit");
	}
	tap_end();
}

static void
test_trimming(void)
{
	static const struct
	{
		const char *text;
		uint32_t	length;
	}			cases[] = {
		{"", 0}, {" ", 0}, {"  ", 0}, {"a", 1}, {"a ", 1}, {"a  ", 1}, {" a", 2}, {" a ", 2}, {"a b ", 3},
		{"a\t", 2}, {"a\xC2\xA0", 3}, {"                                 ", 0},
	};
	size_t		i;

	tap_begin("trailing blanks, and only those, are trimmed");
	for (i = 0; i < lengthof(cases); i++)
		tap_expect(text_trimmed((const uint8_t *) cases[i].text, (uint32_t) strlen(cases[i].text)) == cases[i].length,
				   "'%s'", cases[i].text);
	tap_end();
}

static void
test_equality(void)
{
	long		i;

	tap_begin("equality is that of length and bytes");
	tap_expect(text_equal((const uint8_t *) "", 0, (const uint8_t *) "x", 0), "empty texts");
	for (i = 0; i < 100000; i++)
	{
		Text		a;
		Text		b;

		random_string(&a, 9, ASCII_LETTERS);
		random_string(&b, 9, ASCII_LETTERS);
		tap_expect(text_equal(a.bytes, a.length, b.bytes, b.length) == (compare_bytes(&a, &b) == 0), "'%.*s' and '%.*s'",
				   (int) a.length, a.bytes, (int) b.length, b.bytes);
	}
	tap_end();
}

/* Return where a character begins, by the lengths that first bytes give. */
static uint32_t
nth_character(const Text *a, int64_t n, bool utf8)
{
	uint32_t	at = 0;

	for (; n > 0 && at < a->length; n--)
		at += char_length(a->bytes + at, utf8);
	return at;
}

static int64_t
count_characters(const Text *a, bool utf8)
{
	int64_t		n = 0;

	while (nth_character(a, n, utf8) < a->length)
		n++;
	return n;
}

static void
test_parts(void)
{
	static const int64_t far[] = {INT32_MAX, INT32_MIN};
	long		i;

	tap_begin("characters, and parts of a text");
	for (i = 0; i < 200000; i++)
	{
		bool		utf8 = random_below(2);
		Text		a;
		int64_t		n;
		int64_t		first = random_below(9) ? random_below(10) : INT32_MAX;
		int64_t		count = random_below(9) ? (int64_t) random_below(20) - 10 : far[random_below(2)];
		int64_t		end;
		uint32_t	length;
		uint32_t	begin;

		random_string(&a, 9, PLAIN_LETTERS);
		n = count_characters(&a, utf8);
		tap_expect(text_characters(a.bytes, a.length, utf8) == n, "'%.*s' has %lld characters", (int) a.length, a.bytes,
				   (long long) n);
		begin = text_part(a.bytes, a.length, first, count, utf8, &length);
		end = count < 0 ? n + count : first + count;
		end = end < first ? first : end;
		tap_expect(begin == nth_character(&a, first, utf8) && begin + length == nth_character(&a, end, utf8),
				   "'%.*s' from %lld, %lld: %u and %u bytes", (int) a.length, a.bytes, (long long) first, (long long) count,
				   begin, length);
	}
	tap_end();
}

/* Take parts of bytes that are not UTF-8, at the end of readable memory. */
static void
take_hostile_parts(void *arg, Progress *progress)
{
	uint8_t    *end = (uint8_t *) guard_alloc(16, 16) + 16;
	long		i;

	for (i = 0; i < 200000; i++)
	{
		uint32_t	len = random_below(12);
		uint32_t	length;
		uint32_t	begin;
		uint32_t	b;

		progress->at = i;
		for (b = 1; b <= len; b++)
			end[-(int) b] = (uint8_t) (random_below(3) ? 0x80 + random_below(128) : 'a');
		text_characters(end - len, len, true);
		begin = text_part(end - len, len, random_below(14), (int64_t) random_below(28) - 14, random_below(2), &length);
		if ((uint64_t) begin + length <= len)
			progress->trials++;
	}
}

static void
test_hostile_parts(void)
{
	Progress   *progress = progress_make();

	tap_begin("parts of bytes that are no UTF-8 stay inside");
	tap_expect(survives(take_hostile_parts, NULL, progress), "died at trial %ld", progress->at);
	tap_expect(progress->trials == 200000, "only %ld of 200000 parts are inside", progress->trials);
	tap_end();
}

static int
sign_of(int v)
{
	return (v > 0) - (v < 0);
}

static void
test_order(void)
{
	long		i;

	tap_begin("order is that of unsigned bytes");
	for (i = 0; i < 100000; i++)
	{
		Text		a;
		Text		b;

		random_string(&a, 9, PLAIN_LETTERS);
		random_string(&b, 9, PLAIN_LETTERS);
		tap_expect(sign_of(text_compare(a.bytes, a.length, b.bytes, b.length)) == compare_bytes(&a, &b), "'%.*s' and '%.*s'",
				   (int) a.length, a.bytes, (int) b.length, b.bytes);
	}
	tap_end();
}

static void
test_folding(void)
{
	int			c;
	long		i;

	tap_begin("ASCII letters are folded, nothing else");
	for (c = 0; c < 256; c++)
		tap_expect(text_lower((uint8_t) c) == (c >= 65 && c <= 90 ? c + 32 : c), "byte %d", c);
	for (i = 0; i < 200000; i++)
	{
		Text		a;
		Text		folded;
		Text		p;
		uint32_t	b;

		random_string(&a, 9, PLAIN_LETTERS);
		random_pattern(&p, PLAIN_LETTERS);
		folded = a;
		for (b = 0; b < a.length; b++)
			if (random_below(2) && a.bytes[b] >= 'a' && a.bytes[b] <= 'z')
				a.bytes[b] -= 32;
		tap_expect(text_like(a.bytes, a.length, p.bytes, p.length, (LikeMode) {true, true}) ==
				   like_reference(folded.bytes, folded.length, p.bytes, p.length, true), "'%.*s' ILIKE '%.*s'",
				   (int) a.length, a.bytes, (int) p.length, p.bytes);
	}
	tap_end();
}

int
main(void)
{
	test_like_examples();
	test_like_exhaustive();
	test_like_random("LIKE: random ASCII", ASCII_LETTERS, false);
	test_like_random("LIKE: random UTF-8", PLAIN_LETTERS, true);
	test_like_without_case();
	test_like_hostile_bytes();
	test_packing();
	test_wide_packing();
	test_trimming();
	test_equality();
	test_order();
	test_parts();
	test_hostile_parts();
	test_folding();
	return tap_done();
}
