/*
 * src/reader/kanata*: the fast lexer, the careful one and every way of cutting give the same
 * records of any text, and the clock is where the lexer says.
 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lexing.h"
#include "pipeline/formats/kanata.h"

extern const struct reader kanata_reader;

static uint64_t rng;

static uint64_t dice(uint64_t n)
{
	rng ^= rng << 13;
	rng ^= rng >> 7;
	rng ^= rng << 17;
	return rng % n;
}

/* # is a number, % a hexadecimal digit, $ a name, & a small number */
static const char *const shapes[] = {
    "Kanata\t0004",
    "C=\t#",
    "C=\t-&",
    "C\t1",
    "C\t&",
    "C\t1",
    "C\t#",
    "C\t-&",
    "C",
    "C=&",
    "C\t&\t\t  ",
    "I\t#\t#\t&",
    "I\t&\t&\t0\t",
    "I\t&\t-1\t-&",
    "L\t&\t0\t%%%%%%%%: addi a0, a0, 1",
    "L\t&\t0\t0x%%%%: beq  ",
    "L\t&\t0\t%%:x",
    "L\t&\t1\t(g:&,c0)\\n",
    "L\t&\t2\ti-cache-miss\\n",
    "L\t#\t&\tx",
    "L\t&\t1\tr1,",
    "r2, r3)",
    "S\t&\t0\t$",
    "S\t&\t0\tF",
    "S\t&\t1\tstl\t",
    "S\t#\t&\t$",
    "E\t&\t0\t$",
    "E\t&\t0\tF",
    "E\t#\t&\t$",
    "R\t&\t&\t0",
    "R\t#\t#\t1",
    "R\t&\t&\t",
    "W\t&\t&\t0",
    "W\t#\t#",
    "W\t&\t#\t&",
    "# comment",
    "",
};

static const char *const name_words[] = {
    "F",   "Dc", "Is",       "X",         "Cm",  "stl",
    "f_1", "Ex", "eightbyt", "ninebytes", "F 1", "a-stage-of-a-name-of-more-than-sixteen-bytes",
};

enum { NAME_WORDS = sizeof(name_words) / sizeof(name_words[0]) };

static const char *const fragments[] = {
    "\t", " ", "\r", "\0", "\n", "C\t", "C=",  "C=\t", "C", "S\t",  "L\t1\t1\t", "\t\t",
    "-",  "0", "9",  "a",  ":",  "0x",  "\\n", "#",    "=", "\x80", "\x01",      "  ",
};

static size_t put_number(char *out)
{
	static const char *const edges[] = {
	    "0",
	    "9",
	    "99999999",
	    "100000000",
	    "1234567890123456",
	    "12345678901234567",
	    "4611686018427387903",
	    "4611686018427387904",
	    "9223372036854775807",
	    "9223372036854775808",
	    "18446744073709551615",
	    "18446744073709551616",
	    "0000000000000000000000007",
	};
	if (dice(4))
		return (size_t)sprintf(out, "%u", (unsigned)dice(1 << 30));
	return (size_t)sprintf(out, "%s", edges[dice(sizeof(edges) / sizeof(edges[0]))]);
}

static size_t put_shape(char *out)
{
	const char *shape = shapes[dice(sizeof(shapes) / sizeof(shapes[0]))];
	char *p = out;

	for (; *shape; shape++)
		if (*shape == '#' && shape[1] != ' ') /* a comment's is itself */
			p += put_number(p);
		else if (*shape == '%')
			*p++ = "0123456789abcdefABCDEF"[dice(22)];
		else if (*shape == '&')
			p += sprintf(p, "%u", (unsigned)dice(12));
		else if (*shape == '$')
			p += sprintf(p, "%s", name_words[dice(NAME_WORDS)]);
		else
			*p++ = *shape;
	return (size_t)(p - out);
}

/* One byte left out, doubled or changed, a fragment put in, or the rest cut off. */
static size_t damage(char *line, size_t len)
{
	const char *fragment = fragments[dice(sizeof(fragments) / sizeof(fragments[0]))];
	size_t n = *fragment ? strlen(fragment) : 1, at = (size_t)dice(len + 1);

	switch (dice(4)) {
	case 0:
		return at;
	case 1:
		if (at < len)
			memmove(line + at, line + at + 1, --len - at);
		return len;
	case 2:
		if (at < len)
			line[at] = *fragment;
		return len;
	default:
		memmove(line + at + n, line + at, len - at);
		memcpy(line + at, fragment, n);
		return len + n;
	}
}

enum { TEXT_MOST = 1 << 13, LINE_MOST = 300 };

static size_t make_text(char *out, size_t lines, unsigned damaged)
{
	size_t len = 0;

	while (lines-- && len + 2 * LINE_MOST < TEXT_MOST) {
		size_t n = put_shape(out + len);

		while (dice(100) < damaged && n + 20 < LINE_MOST)
			n = damage(out + len, n);
		len += n;
		if (dice(60) == 0)
			out[len++] = '\r';
		out[len++] = '\n';
	}
	return dice(3) ? len : len - (size_t)dice(len + 1);
}

static void agree(const char *text, size_t len, size_t batch, size_t cut)
{
	const char *why = lexers_disagree(text, len, batch, cut);

	if (why)
		fail_msg("%s", why);
}

static void any_text(void **state)
{
	static const unsigned damaged[] = {0, 10, 60};
	char text[TEXT_MOST];

	(void)state;
	rng = 0x1234567;
	for (int i = 0; i < 6000; i++) {
		size_t len = make_text(text, dice(60) + 1, damaged[i % 3]);

		agree(text, len, (size_t)(16 + dice(40)), (size_t)dice(len + 1));
	}
}

static void each_batch_and_cut(void **state)
{
	char text[TEXT_MOST];

	(void)state;
	rng = 5;
	for (int i = 0; i < 8; i++) {
		size_t len = make_text(text, 30, 10);

		for (size_t batch = 16; batch < 48; batch++)
			agree(text, len, batch, SIZE_MAX);
		for (size_t cut = 0; cut <= len; cut++)
			agree(text, len, LEX_BATCH, cut);
		for (size_t end = 0; end <= len; end++)
			agree(text, end, LEX_BATCH, SIZE_MAX);
	}
}

/* Every byte in the place of every byte of a few lines. */
static void every_byte(void **state)
{
	static const char lines[] = "C\t1\nC=\t2\nI\t3\t4\t5\nS\t3\t0\tF\nE\t3\t0\tF\n"
				    "L\t3\t0\t80: x\nR\t3\t3\t0\nW\t3\t2\t0\n";
	char text[sizeof(lines) - 1 + 400];

	(void)state;
	memset(text, '\n', sizeof(text));
	for (size_t at = 0; at < sizeof(lines) - 1; at++)
		for (int byte = 0; byte < 256; byte++) {
			memcpy(text, lines, sizeof(lines) - 1);
			text[at] = (char)byte;
			agree(text, sizeof(text), LEX_BATCH, (size_t)byte % 60);
		}
}

/*
 * The line at lx->pos: a cut if and only if it makes a tick. The clock behind it is the lexer's,
 * whether it has been read from this line, the text's begin or any line between.
 */
static void check_line(struct lexer *lx, const char *text, size_t len)
{
	size_t at = lx->pos, from = (size_t)dice(at + 1), end, n;
	const char *nl = memchr(text + at, '\n', len - at);
	int64_t begin = lx->tick, tick;
	struct record out[16];
	bool ticks = false;

	end = nl ? (size_t)(nl + 1 - text) : len;
	n = kanata_lex_slow(lx, text, end, nl == NULL, out, 16);
	for (size_t k = 0; k < n; k++)
		ticks |= out[k].kind == REC_TICK;
	if (kanata_reader.cut(text + at, text + len, &tick) != ticks)
		fail_msg("cut at \"%.*s\"", (int)(end - at), text + at);
	assert_int_equal(kanata_reader.clock(text + at, end - at, begin), lx->tick);
	assert_int_equal(kanata_reader.clock(text, end, 0), lx->tick);
	while (from && text[from - 1] != '\n')
		from--;
	tick = kanata_reader.clock(text, from, 0);
	assert_int_equal(kanata_reader.clock(text + from, end - from, tick), lx->tick);
	assert_int_equal(lx->pos, end);
}

static void clock_is_the_lexers(void **state)
{
	char text[TEXT_MOST];

	(void)state;
	rng = 77;
	for (int i = 0; i < 4000; i++) {
		size_t len = make_text(text, 40, 30);
		struct trace_config config;
		struct names names;
		struct lexer lx;

		kanata_reader.config(&config);
		names_init(&names, &config);
		lexer_begin(&lx, &names, true);
		while (lx.pos < len)
			check_line(&lx, text, len);
		names_free(&names);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(any_text),
	    cmocka_unit_test(each_batch_and_cut),
	    cmocka_unit_test(every_byte),
	    cmocka_unit_test(clock_is_the_lexers),
	};

	lexed_by = (struct lexed_format){&kanata_reader, kanata_lex, kanata_lex_slow};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
