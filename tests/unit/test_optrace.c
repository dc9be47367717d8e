/*
 * Lexing optraces: what lines say, what is wrong with them, wherever the text is cut.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sbuf.h"
#include "pipeline/formats/optrace.h"
#include "testing.h"

#define HEAD "optrace 1\n"

static void put_names(struct sbuf *out, const struct optrace *o, const uint32_t *ids, size_t n)
{
	sbuf_puts(out, n ? " " : " -");
	for (size_t i = 0; i < n; i++)
		sbuf_printf(out, "%s%s", i ? "," : "", intern_name(o->names, (int32_t)ids[i]));
}

/* What was found, one line each, in a copy of the text that ends where it ends. */
static char *told(const char *text, size_t len, bool final)
{
	struct sbuf out = {.text = NULL};
	char *copy = malloc(len + 1);
	struct optrace o;
	struct optrace_op op;
	enum optrace_found found;

	memcpy(copy, text, len);
	copy = realloc(copy, len ? len : 1);
	assert_true(optrace_init(&o));
	sbuf_puts(&out, "");
	while ((found = optrace_next(&o, copy, len, final, &op)) != OPTRACE_END) {
		assert_int_not_equal(found, OPTRACE_NOMEM);
		assert_true(op.at < len && (op.at == 0 || copy[op.at - 1] == '\n'));
		sbuf_printf(&out, "%d:", (int)op.line);
		if (found == OPTRACE_OP) {
			sbuf_printf(&out, "%llx %s%s%d", (unsigned long long)op.pc,
				    op.taken ? "t" : "", op.self ? "s" : "", (int)op.ahead);
			put_names(&out, &o, op.sources, op.source_count);
			put_names(&out, &o, op.sinks, op.sink_count);
		}
		if (op.problem)
			sbuf_printf(&out, "!%d", op.problem);
		sbuf_putc(&out, ';');
	}
	optrace_free(&o);
	free(copy);
	return out.text;
}

static void check(const char *text, const char *expected)
{
	char *out = told(text, strlen(text), true);

	assert_string_equal(out, expected);
	free(out);
}

TEST(test_instructions)
{
	check(HEAD "400080 - r1,r2 r3\n", "2:400080 0 r1,r2 r3;");
	check(HEAD "0x400080 t cc -\n0XABCDEF0123456789 s - -\n",
	      "2:400080 t0 cc -;3:abcdef0123456789 s0 - -;");
	check(HEAD "4 t12 - cc\n8 st3 - -\nc t3s - -\n", "2:4 t12 - cc;3:8 ts3 - -;4:c ts3 - -;");
	check(HEAD "0 - m:7ffe12345678,m:7ffe12345679,a-longer-name-than-sixteen r1\n",
	      "2:0 0 m:7ffe12345678,m:7ffe12345679,a-longer-name-than-sixteen r1;");
	check(HEAD "0 - --,-1 x#y\n", "2:0 0 --,-1 x#y;");
}

/* However an address is written, it is one operand. */
TEST(test_addresses)
{
	check(HEAD "0 - m:10,m:0x10,m:0010 m:0X10,m:AbCdef,m:abcDEF\n",
	      "2:0 0 m:10,m:10,m:10 m:10,m:abcdef,m:abcdef;");
	check(HEAD "0 - m:0,m:00,m:0x0 m:00007ffe12345678,m:0x00000000ffffffffffffffff\n",
	      "2:0 0 m:0,m:0,m:0 m:7ffe12345678,m:ffffffffffffffff;");
	check(HEAD "0 - m:,m:x,m:0x,m:0xg,M:0A 0A,m:0A+8,m:010000000000000000\n",
	      "2:0 0 m:,m:x,m:0x,m:0xg,M:0A 0A,m:0A+8,m:010000000000000000;");
}

TEST(test_loose_lines)
{
	check(
	    "optrace\t 1  # with a comment\r\n\r\n# comment\n  \t# another\n\t 4 \t-  a\tb  #c\r\n"
	    "8 - - - # the end",
	    "5:4 0 a b;6:8 0 - -;");
	check("optrace 1", "");
	check("optrace 1\n\n\n", "");
	check("", "");
}

TEST(test_problems)
{
	check("optrace 2\n4 - - -\n", "1:!9;2:4 0 - -;");
	check("optrace1\n", "1:!9;");
	check("# optrace 1\noptrace 1\n", "1:!9;2:!6;");
	check(HEAD "4\n4 -\n4 - r1\n4 - r1 # r2\n4 - r1  \n", "2:!7;3:!7;4:!7;5:!7;6:!7;");
	check(HEAD "4 - r1,,r2 ,r3\n", "2:4 0 r1,r2 r3!1;");
	check(HEAD "4 - r1, r3,\n4 - -,- -,\n4 - , ,,\n", "2:4 0 r1 r3!1;3:4 0 - -!1;4:4 0 - -!1;");
	check(HEAD "xyz - - -\n12345678901234567 - - -\n- - - -\n0x - - -\n4g - - -\n0x0x1 - - -\n",
	      "2:!6;3:!6;4:!6;5:!6;6:!6;7:!6;");
	check(HEAD "4 q - -\n4 tt - -\n4 -t - -\n4 t1t2 - -\n4 T - -\n",
	      "2:4 0 - -!3;3:4 t0 - -!3;4:4 0 - -!3;5:4 t1 - -!3;6:4 0 - -!3;");
	check(HEAD "4 t99999999999999999999 - -\n4 t0 - -\n", "2:4 t0 - -!3;3:4 t0 - -!5;");
	check(HEAD "4 - a b c d\n4 - a b #c\n", "2:4 0 a b!4;3:4 0 a b;");
	for (int i = 1; i < OPTRACE_PROBLEMS; i++)
		assert_true(strlen(optrace_problems[i]) > 5);
}

TEST(test_nul)
{
	static const char text[] = HEAD "4 - a\0b c\n\0 - a b\n4 - a b\0\n4 t\0 a b\n4\0 - a b\n"
					"4 - ,a\0 b\n4 - a b\n";
	char *out = told(text, sizeof(text) - 1, true);

	assert_string_equal(out, "2:!8;3:!8;4:!8;5:!8;6:!8;7:!8;8:4 0 a b;");
	free(out);
}

/* Names of every length, in sight of the end of the text and not. */
TEST(test_name_lengths)
{
	char name[300], text[700], expected[700];

	for (int len = 1; len < 300; len++) {
		memset(name, 'n', (size_t)len);
		name[len] = '\0';
		name[0] = (char)('a' + len % 26);
		snprintf(text, sizeof(text), HEAD "4 - %s %s", name, name);
		if (len > OPTRACE_NAME_MOST)
			snprintf(expected, sizeof(expected), "2:4 0 - -!2;");
		else
			snprintf(expected, sizeof(expected), "2:4 0 %s %s;", name, name);
		check(text, expected);
	}
}

/* Many names, so that those seen lately push each other out: a name keeps its number. */
TEST(test_names_keep_numbers)
{
	struct sbuf text = {.text = NULL};
	struct optrace o;
	struct optrace_op op;
	int lines = 0;

	sbuf_puts(&text, HEAD);
	for (unsigned i = 0; i < 60000; i++)
		sbuf_printf(&text, "%x - m:%x r%u\n", i, i * 7919 % 30000, i % 32);
	assert_true(optrace_init(&o));
	while (optrace_next(&o, text.text, text.len, true, &op) == OPTRACE_OP) {
		char name[16];
		int len = snprintf(name, sizeof(name), "m:%x", lines * 7919 % 30000);

		assert_int_equal(op.source_count, 1);
		assert_int_equal(intern_find(o.names, name, (size_t)len), op.sources[0]);
		assert_int_equal(op.line, lines + 2);
		lines++;
	}
	assert_int_equal(lines, 60000);
	assert_int_equal(intern_count(o.names), 30032);
	optrace_free(&o);
	sbuf_free(&text);
}

TEST(test_huge_lines)
{
	struct sbuf text = {.text = NULL};
	char *out;

	sbuf_puts(&text, HEAD);
	sbuf_repeat(&text, 'x', 10 << 20);
	sbuf_puts(&text, "\n4 - ");
	sbuf_repeat(&text, 'y', 10 << 20);
	sbuf_puts(&text, " -\n8 - a b\n4 - r");
	for (int i = 0; i < 1 << 20; i++)
		sbuf_puts(&text, ",r");
	sbuf_puts(&text, " -\n");
	out = told(text.text, text.len, true);
	assert_int_equal(strncmp(out, "2:!6;3:4 0 - -!2;4:8 0 a b;5:4 0 r,r,r", 38), 0);
	free(out);
	sbuf_free(&text);
}

/* Cut anywhere, the text gives its whole lines, and the rest when there is more. */
TEST(test_cut)
{
	static const char text[] =
	    HEAD "4 - r1,r2 r3\n8 t m:12345678901234567890 -\nc - a\n10 s - -";
	size_t len = sizeof(text) - 1;

	for (size_t cut = 0; cut <= len; cut++) {
		struct optrace o;
		struct optrace_op op;
		size_t limit = cut;
		int ops = 0, bad = 0;
		enum optrace_found found;

		assert_true(optrace_init(&o));
		for (;;) {
			found = optrace_next(&o, text, limit, limit == len, &op);
			if (found == OPTRACE_END && limit == len)
				break;
			if (found == OPTRACE_END)
				limit = len;
			ops += found == OPTRACE_OP;
			bad += found == OPTRACE_BAD;
		}
		assert_int_equal(ops, 3);
		assert_int_equal(bad, 1);
		assert_int_equal(o.line, 5);
		assert_int_equal(o.pos, len);
		optrace_free(&o);
	}
}

TEST(test_detect)
{
	assert_int_equal(optrace_detect("optrace 1\n4", 11), 100);
	assert_int_equal(optrace_detect("optrace 1", 9), 100);
	assert_int_equal(optrace_detect("optrace 1\r\n", 11), 100);
	assert_int_equal(optrace_detect("optrace 12\n", 11), 0);
	assert_int_equal(optrace_detect("optrace", 7), 0);
	assert_int_equal(optrace_detect("", 0), 0);
}
