/*
 * src/reader/kanata*: the fast lexer, the careful one and every way of cutting give the same
 * records of any text, and the clock is where the lexer says.
 */
#include "config.h"


#include "pipeline/formats/kanata.h"
#include "shapes.h"

extern const struct reader kanata_reader;

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
    "~ comment",
    "",
};

static const char *const name_words[] = {
    "F",   "Dc", "Is",       "X",         "Cm",  "stl",
    "f_1", "Ex", "eightbyt", "ninebytes", "F 1", "a-stage-of-a-name-of-more-than-sixteen-bytes",
};

static const char *const fragments[] = {
    "\t", " ", "\r", "\0", "\n", "C\t", "C=",  "C=\t", "C", "S\t",  "L\t1\t1\t", "\t\t",
    "-",  "0", "9",  "a",  ":",  "0x",  "\\n", "#",    "=", "\x80", "\x01",      "  ",
};

static const struct language language = {
    WORDS(shapes),
    WORDS(fragments),
    WORDS(name_words),
    "C\t1\nC=\t2\nI\t3\t4\t5\nS\t3\t0\tF\nE\t3\t0\tF\nL\t3\t0\t80: x\nR\t3\t3\t0\nW\t3\t2\t0\n",
};

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

TEST(clock_is_the_lexers)
{
	char text[TEXT_MOST];

	rng = 77;
	for (int i = 0; i < ROUNDS(4000); i++) {
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

static int begin(void **state)
{
	(void)state;
	lexed_by = (struct lexed_format){&kanata_reader, kanata_lex, kanata_lex_slow};
	return 0;
}

FIXTURES(begin, NULL)
