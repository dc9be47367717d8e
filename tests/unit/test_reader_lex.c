/* src/reader: the fast lexer, the careful one and every way of cutting give the same records. */
#include "config.h"

#include "pipeline/formats/scan.h"
#include "shapes.h"

/* ---- text ---------------------------------------------------------------------------------- */

/* What emitters print, and what lies around it. */
static const char *const shapes[] = {
    "@ #",
    "@ #  [T0, CP##]",
    "@ #\t ruu: 3,  lsq: 0,  ifq: 4",
    "@ # o'clock",
    "+ # 0x12000%%%% 0x00000000 addq r1,r2,r3",
    "+ # 0x00000001 0x00000000 <invalid inst: 0x00000000>",
    "+ # 0x12000%%%% 0x00000000 [internal ld/st]",
    "+ # 0x12000%%%% 0x000000014001%%%% ldq r1,0(r2)  [T0, CP##]",
    "+ # 0x12000%%%% 0x%%%% stq r1,0(r2)  [T%, CP##]",
    "+ # 0x12000%%%% 0x%%%% br [r2]  [T#, CP##]",
    "+ # 0x12000%%%% 0x%%%% a[internal ld/st]",
    "+ # 0x00400%%% t00 0x00000000 addu r1,r2,r3",
    "+ # 0x00400%%% t# 0x00000000 addu r1,r2,r3",
    "+ # 0x%%%%%%%%%%%%%%%% 0x%%%%%%%%%%%%%%%% stp tmp0,[tmp1]",
    "+ # 0x%",
    "+ # 0x% ",
    "+ # 0x% 0x ",
    "+ # 0x% 0x% ",
    "* # IF 0x00000000",
    "* # DA 0x0000000%",
    "* # EX 0x00000%%%",
    "* # EX 0x%%%%%%%%",
    "* # EX 0x0%% 30 0x00%",
    "* # CT 0x00% 0 0x00%",
    "* # WB 0x%%% 0 0x%%%",
    "* # IF 0x000% # 0x000%  [T0, CP##]",
    "* # IF t00 0x00000%%% mem[7fff0000] = 0",
    "* # XX 0x00000000",
    "* # decode-1 0x%%% # 0x%%%",
    "* # IF 0x001 ## 0x001",
    "- #",
    "- #  [T0, CP##]",
    "- # t00",
    "- #  [T  [T0]",
    "<NT%$>1",
    "<sim_IPC>      0.#",
    "<sim_IPC>    #.####",
    "<sim_IPC><error: divide by zero>",
    "<sim_num_insn>         #",
    "<NTsim_cycle>         #",
    "<NT#>",
    "<a-long-name-of-a-statistic-of-a-cache.l1.misses>\t#",
    "<END VISUAL>",
    "-seed      1",
    "~ -config ...",
    "f t00 00400148 -> 00400150",
    "\\/ resource",
    "",
    " ",
};

static const char *const fragments[] = {
    "@ ", "+ ", "* ", "- ", "<",  ">",  "0x", " 0x", "0x00000000", "  [T", "  [T0, CP#1]",
    "]",  " t", "\t", "\r", "\0", "\n", " ",  "IF",  "CT",         "NT",   "<NT",
    "=",  "'",  ".",  "-",  "0",  "9",  "a",  "F",   "X",          "\x80", "\xff",
};

static const struct language language = {
    WORDS(shapes),
    WORDS(fragments),
    {NULL, 0},
    "@ 5  [T0, CP#1]\n<NTa>1\n* 3 IF 0x000 0 0x000\n- 3\n"
    "+ 3 0x10 0x00000000 nop\n* 3 EX 0x00000010\n<ipc>0.25\n"
    "* 3 EX 0x0001 7 0x0001  [T0, CP#1]\n+ 4 0x1 0x2 a\n",
};

/* ---- tests --------------------------------------------------------------------------------- */

/* Shapes behind enough other text that the fast path is taken, each by itself. */
TEST(each_shape)
{
	static const char behind[] = "* 1 IF 0x00000000\n";
	const size_t step = sizeof(behind) - 1;
	char text[TEXT_MOST];

	rng = 99;
	for (int i = 0; i < ROUNDS(40000); i++) {
		size_t len = put_shape(text);

		for (uint64_t n = dice(3); n && len + 20 < LINE_MOST; n--)
			len = damage(text, len);
		text[len++] = '\n';
		for (size_t end = len + 2 * SCAN_SLACK; len < end; len += step)
			memcpy(text + len, behind, step);
		agree(text, len, LEX_BATCH, SIZE_MAX);
	}
}

/* Statistics whose names only resemble names, and lines of some 64 KiB in every shape. */
TEST(long_lines)
{
	static const char *const begins[] = {"+ 1 0x10 0x00000000 ",
					     "* 1 IF 0x00000000 ",
					     "<NTx>",
					     "<sim_IPC>",
					     "@ 1",
					     "- 1",
					     "- 1  [T",
					     "foreign",
					     "<NT"};
	const size_t most = LEX_LONG_LINE + 400;
	static char text[LEX_LONG_LINE + 400];

	for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++)
		for (int fill = 0; fill < 4; fill++)
			for (int more = -1; more <= 1; more++) {
				size_t len = (size_t)(LEX_LONG_LINE + more);

				memset(text, " x]9"[fill], most);
				memcpy(text, begins[i], strlen(begins[i]));
				text[len] = '\n';
				memcpy(text + len + 1, "@ 2\n", 4);
				agree(text, len + 5, LEX_BATCH, SIZE_MAX);
				memset(text + len + 1, '\n', most - len - 1);
				agree(text, most, LEX_BATCH, SIZE_MAX);
			}
}

static const struct record *record_of_line(const struct lexed *l, size_t at)
{
	for (size_t i = 0; i < l->count; i++)
		if (l->recs[i].at == at && l->recs[i].kind == REC_TICK)
			return &l->recs[i];
	return NULL;
}

/* A text is cut at a line if and only if that line says which cycle begins. */
TEST(cuts_are_cycle_lines)
{
	char text[TEXT_MOST];

	rng = 77;
	for (int i = 0; i < ROUNDS(4000); i++) {
		size_t len = make_text(text, 20, 30);
		struct lexed l;

		lexed_whole(&l, pipetrace_lex_slow, text, len, LEX_BATCH);
		for (const char *p = text, *nl; (nl = memchr(p, '\n', len - (size_t)(p - text)));
		     p = nl + 1) {
			const struct record *r = record_of_line(&l, (size_t)(p - text));
			int64_t tick = -1;
			bool cut = readers[0]->cut(p, text + len, &tick);

			if (cut != (r != NULL) || (cut && tick != (int64_t)r->id))
				fail_msg("cut at \"%.*s\": %d, cycle line: %d", (int)(nl - p), p,
					 cut, r != NULL);
		}
		lexed_free(&l);
	}
}

/* Threads are numbered as they turn up, by either lexer, and a birth without one has none. */
TEST(threads)
{
	static const char lines[] = "+ 1 0x10 0x0 nop  [T7, CP#1]\n+ 2 0x10 0x0 nop\n"
				    "+ 3 0x10 0x0 nop  [T0, CP#1]\n+ 4 0x10 t07 0x0 nop\n"
				    "+ 5 0x10 0x0 nop  [Tx, CP#1]\n+ 6 0x10 0x0 nop  [T0, CP#2]\n"
				    "+ 7 0x10 0x0 nop [T0, CP#2]\n+ 8 0x10 0x0 nop  [T0, CP#2\n";
	static const uint16_t expected[] = {1, 0, 2, 1, 0, 2, 0, 0};
	lex_fn *const lexers[] = {pipetrace_lex, pipetrace_lex_slow};
	char text[sizeof(lines) + 2 * SCAN_SLACK];

	memset(text, '\n', sizeof(text));
	memcpy(text, lines, sizeof(lines) - 1);
	for (size_t i = 0; i < 2; i++) {
		struct lexed l;

		lexed_whole(&l, lexers[i], text, sizeof(text), LEX_BATCH);
		assert_int_equal(l.count, 8);
		for (size_t k = 0; k < l.count; k++) {
			assert_int_equal(l.recs[k].kind, REC_BIRTH);
			assert_int_equal(l.recs[k].events, expected[k]);
		}
		lexed_free(&l);
	}
}

TEST(too_great_a_thread)
{
	static const char text[] = "+ 1 0x10 0x0 nop  [T9223372036854775808, CP#1]\n";
	struct lexed l;

	lexed_whole(&l, pipetrace_lex, text, sizeof(text) - 1, LEX_BATCH);
	assert_int_equal(l.count, 2);
	assert_int_equal(l.recs[0].events, 0);
	assert_int_equal(l.recs[1].kind, REC_BAD);
	assert_int_equal(l.recs[1].stage, BAD_THREAD);
	lexed_free(&l);
}

/* A lexer that may not name takes the numbers there are and stumbles over a new thread. */
TEST(a_new_thread_stops_who_may_not_name)
{
	static const char text[] = "+ 1 0x10 0x0 nop  [T3, CP#1]\n";
	struct trace_config config = {.stage_count = 0};
	struct record out[16];
	struct names names;
	struct lexer lx;

	pipetrace_reader.config(&config);
	names_init(&names, &config);
	lexer_begin(&lx, &names, false);
	pipetrace_lex(&lx, text, sizeof(text) - 1, true, out, 16);
	assert_true(lx.stumbled);
	assert_int_equal(names.thread_count, 0);
	assert_int_equal(names_thread(&names, 5), 1);
	assert_int_equal(names_thread(&names, 3), 2);
	lexer_begin(&lx, &names, false);
	assert_int_equal(pipetrace_lex(&lx, text, sizeof(text) - 1, true, out, 16), 1);
	assert_false(lx.stumbled);
	assert_int_equal(out[0].events, 2);
	names_free(&names);
}

/* Newlines in front of the first block, counted from `from`, that holds a NUL or is too far. */
static size_t plain_lines(const char *text, size_t from, size_t to, uint32_t *ends, size_t max)
{
	size_t n = 0;

	for (size_t at = from; at < to && n < max; at += SCAN_BLOCK) {
		if (memchr(text + at, '\0', SCAN_BLOCK))
			break;
		for (size_t i = 0; i < SCAN_BLOCK; i++)
			if (text[at + i] == '\n')
				ends[n++] = (uint32_t)(at + i);
	}
	return n;
}

TEST(newlines)
{
	static const char *const made_of[] = {"\nab", "\n", "abcdefgh\n", "\x80\x8a\x0b\n\x01"};
	enum { MOST = 2000 };
	uint32_t want[MOST + SCAN_BLOCK], ends[MOST + SCAN_BLOCK];
	char text[MOST + SCAN_BLOCK];

	rng = 4711;
	for (int i = 0; i < ROUNDS(4000); i++) {
		const char *bytes = made_of[i % 4];
		size_t to = (size_t)dice(MOST + 1), from = (size_t)dice(to + 1);
		size_t max = (size_t)dice(2) ? MOST : (size_t)dice(100), n;

		for (size_t k = 0; k < sizeof(text); k++)
			text[k] = bytes[dice(strlen(bytes))];
		if (dice(2))
			text[dice(sizeof(text))] = '\0';
		n = plain_lines(text, from, to, want, max);
		assert_int_equal(scan_lines(text, from, to, ends, max), n);
		assert_memory_equal(ends, want, n * sizeof(*ends));
	}
}
