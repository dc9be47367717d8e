/* src/reader/kanata*, names.c: every tolerance of the format, what it names, what it detects. */
#include "config.h"

#include "base/sbuf.h"
#include "lexing.h"
#include "pipeline/formats/kanata.h"
#include "testing.h"

extern const struct reader kanata_reader;

/* ---- one case a tolerance ------------------------------------------------------------------- */

/* A record in words: what the tables below expect. */
static void say(struct sbuf *out, const struct record *r, const char *text, const struct names *n)
{
	static const char *const ends[] = {"stages", "retired", "flushed"};
	const char *line = text + r->at, *stage = "";
	const char *lane = "";

	if (r->kind == REC_ENTER || r->kind == REC_LEAVE) {
		stage = n->config.stages[r->stage].name;
		lane = n->lanes[r->enter.lane];
	}
	if (out->len)
		sbuf_add(out, "; ", 2);
	switch (r->kind) {
	case REC_TICK:
		sbuf_printf(out, "tick %" PRId64, (int64_t)r->id);
		break;
	case REC_BIRTH:
		sbuf_printf(out, "birth %" PRIu64, r->id);
		if (r->events)
			sbuf_printf(out, " thread %" PRId64, n->threads[r->events - 1]);
		break;
	case REC_ENTER:
		sbuf_printf(out, "enter %" PRIu64 " %s/%s", r->id, lane, stage);
		break;
	case REC_LEAVE:
		sbuf_printf(out, "leave %" PRIu64 " %s/%s", r->id, lane, stage);
		break;
	case REC_END:
		sbuf_printf(out, "%s %" PRIu64, ends[r->stage], r->id);
		break;
	case REC_LABEL:
		sbuf_printf(out, "label %" PRIu64 ".%u <%.*s|%.*s>", r->id, r->stage,
			    r->birth.pc_len, line + r->birth.pc, (int)r->birth.text_len,
			    line + r->birth.text);
		break;
	case REC_LINK:
		sbuf_printf(out, "link %" PRIu64 "<%" PRIu64 ".%u", r->id,
			    (uint64_t)r->link.high << 32 | r->link.low, r->stage);
		break;
	case REC_NOTE:
		sbuf_printf(out, "note %s", note_keys[r->stage]);
		break;
	default:
		sbuf_printf(out, "bad %s", bad_texts[r->stage]);
	}
}

#define MALFORMED "bad record with missing or malformed fields: skipped; a row that it begins is missing"
#define OVERFLOWN "bad number too large: skipped, or read as the greatest; a row that it begins is missing"
#define NO_TYPE   "bad end of an instruction without its kind: read as retired"
#define CUT       "bad line cut by the end of the file: skipped"
#define UNKNOWN   "bad unknown command: skipped"
#define ANOTHER	  "bad second header: does another trace begin here?"
#define NUL_BYTES "bad line with NUL bytes: skipped unless in its text; a row that it begins is missing"
#define NO_LABEL  "bad label of an unknown kind, or before any stage: skipped"

static const struct {
	const char *text, *records;
} tolerated[] = {
    /* header */
    {"Kanata\t0004\n", ""},
    {"Kanata 0004\n", ""},
    {"Kanata\t0004    \n", ""},
    {"Kanata\t0004\t\n", ""},
    {"KONATA\t0004\n", ""},
    {"[core 0] Kanata\t0004\n", ""},
    {"\n \r\nKanata\t0004\n", "note crlf-lines"},
    {"# of a run\nbanner: v1\nKanata\t0004\n", "note foreign-lines; " UNKNOWN},
    {"C\t1\nKanata\t0004\n", "tick 1; " ANOTHER},
    {"Kanata\t0003\nKanata\t0004\n", ANOTHER},
    {"L\t1\t1\tx\nKanata\t0004\nmore\n", "label 1.1 <|x>; " ANOTHER "; " UNKNOWN},
    /* time */
    {"C=\t1200\nC\t1\n", "tick 1200; tick 1201"},
    {"C=\t-1\nC\t1\nC\t0\n", "tick -1; tick 0; tick 0"},
    {"C\t12\nC=\t10\nC\t1\n", "tick 12; tick 10; tick 13"},
    {"C\t12\nC\t-5\nC\t1\n", "tick 12; tick 7; tick 13"},
    {"C\nC \nC\t\nC\t\t \n", "tick 1; tick 2; tick 3; tick 4"},
    {"C=10\nC=\t20\nC= 30\n", "tick 10; tick 20; tick 30"},
    {"C\t1\t\t    \n", "tick 1"},
    {"C\t1\r\nC\r\n", "note crlf-lines; tick 1; note crlf-lines; tick 2"},
    {"C\t+1\n", "tick 1"},
    {"C\t1\tx\n", "tick 1; note extra-fields"},
    {"C=\nC\tx\nC\t1x\nC\t-\nC\t1\n",
     MALFORMED "; " MALFORMED "; " MALFORMED "; " MALFORMED "; tick 1"},
    {"C=\t99999999999999999999\nC\t4611686018427387904\nC\t1\n",
     OVERFLOWN "; " OVERFLOWN "; tick 1"},
    {"C=\t4611686018427387902\nC\t1\nC\t1\nC\t0\n",
     "tick 4611686018427387902; tick 4611686018427387903; " OVERFLOWN
     "; tick 4611686018427387903; " OVERFLOWN "; tick 4611686018427387903"},
    {"C 5\nCx\nC==5\nC=x\n", UNKNOWN "; " UNKNOWN "; " UNKNOWN "; " UNKNOWN},
    /* births */
    {"I\t17\t90417\t0\n", "birth 17 thread 0"},
    {"I\t0\t0\t0\t\n", "birth 0 thread 0"},
    {"I\t1\t-7\t-3\nI\t2\tx\t9223372036854775807\n",
     "birth 1 thread -3; birth 2 thread 9223372036854775807"},
    {"I\t1\t1\t-9223372036854775808\nI\t2\t2\t-9223372036854775809\n",
     "birth 1 thread -9223372036854775808; birth 2; " OVERFLOWN},
    {"I\t1\t\t\nI\t2\t2\twarp\n", "birth 1; birth 2; " MALFORMED},
    {"I\t1\t2\nI\t1\nI\nI\t\n", MALFORMED "; " MALFORMED "; " MALFORMED "; " MALFORMED},
    {"I\t\t2\t3\nI\t-1\t2\t3\nI\tx\t2\t3\n", MALFORMED "; " MALFORMED "; " MALFORMED},
    {"I\t18446744073709551615\t1\t1\nI\t18446744073709551616\t1\t1\n",
     "birth 18446744073709551615 thread 1; " OVERFLOWN},
    {"I\t 1 \t1\t 2 \tx\n", "birth 1 thread 2; note extra-fields"},
    /* labels */
    {"L\t17\t0\t80001f4c: addi    a0, a0, 16\n", "label 17.0 <80001f4c|addi    a0, a0, 16>"},
    {"L\t1\t0\t0x100: nop\nL\t1\t0\tabcdefab: nop\nL\t1\t0\t1c:lda\n",
     "label 1.0 <100|nop>; label 1.0 <abcdefab|nop>; label 1.0 <1c|lda>"},
    {"L\t1\t0\tadd: r1\nL\t1\t0\t0x: r1\nL\t1\t0\t12000d918 iBC(r17)\n",
     "label 1.0 <|add: r1>; label 1.0 <|0x: r1>; label 1.0 <|12000d918 iBC(r17)>"},
    {"L\t1\t0\t12345678901234567: x\n", "label 1.0 <|12345678901234567: x>"},
    {"L\t1\t1\t80: x\nL\t1\t2\t80: x\n", "label 1.1 <|80: x>; label 1.2 <|80: x>"},
    {"L\t1\t1\trob:31 \\n a0 <= 0x7ff0\\n \n", "label 1.1 <|rob:31 \\n a0 <= 0x7ff0\\n>"},
    {"L\t1\t0\ta\\nb\\n\\n \\n\t\\n \nL\t1\t2\tc\\n\n", "label 1.0 <|a\\nb>; label 1.2 <|c>"},
    {"L\t1\t1\ta\tb\t\t\n", "label 1.1 <|a\tb>"},
    {"L\t1\t1\t\nL\t1\t0\t80:\n", "label 1.1 <|>; label 1.0 <80|>"},
    {"L\t1\t1\ta\r\n", "note crlf-lines; label 1.1 <|a>"},
    {"L\t1\t1\nL\t1\t\tx\nL\t\t1\tx\n", MALFORMED "; " MALFORMED "; " MALFORMED},
    {"L\t1\t3\tx\nL\t1\tx\tx\nL\t1\t-1\tx\n", NO_LABEL "; " NO_LABEL "; " NO_LABEL},
    {"L\t1\t1\tr1,\nr2)\n\n tail\t2\\n\n",
     "label 1.1 <|r1,>; note continued-labels; label 1.1 <|r2)>; note continued-labels; "
     "label 1.1 <| tail\t2\\n>"},
    {"L\t1\t0\tx\n80: y\n", "label 1.0 <|x>; note continued-labels; label 1.0 <|80: y>"},
    {"L\t1\t1\tx\nC\t1\ny\n", "label 1.1 <|x>; tick 1; " UNKNOWN},
    {"L\t1\t1\tx\n# y\nz\n",
     "label 1.1 <|x>; note foreign-lines; note continued-labels; label 1.1 <|z>"},
    {"L\t1\t7\tx\ny\n", NO_LABEL "; " UNKNOWN},
    /* stages */
    {"S\t17\t0\tIs\nE\t17\t0\tIs\n", "enter 17 0/Is; leave 17 0/Is"},
    {"S\t5\t1\tstl\t\nE\t5\t1\tstl  \n", "enter 5 1/stl; leave 5 1/stl"},
    {"S\t5\t0\t F \nS\t5\t0\tF x\n", "enter 5 0/F; enter 5 0/F x"},
    {"S\t5\t0\tlonger-than-8\nS\t6\t0\tlonger-than-9\nE\t5\t0\tlonger-than-8\n",
     "enter 5 0/longer-than-8; enter 6 0/longer-than-9; leave 5 0/longer-than-8"},
    {"S\t5\t0\teightbyt\nS\t5\t0\teightbyte\n", "enter 5 0/eightbyt; enter 5 0/eightbyte"},
    {"S\t5\t0\t0123456789012345678901234567890123456789012345678901234567890123456789\n"
     "E\t5\t0\t0123456789012345678901234567890123456789012345678901234567890120000\n",
     "enter 5 0/012345678901234567890123456789012345678901234567890123456789012; "
     "leave 5 0/012345678901234567890123456789012345678901234567890123456789012"},
    {"S\t1\tmsp\tF\nS\t1\t0\tF\nS\t1\t12\tF\nS\t1\tmsp\tF\n",
     "enter 1 msp/F; enter 1 0/F; enter 1 12/F; enter 1 msp/F"},
    {"S\t1\teightbyt1\tF\nS\t1\teightbyt2\tF\nS\t1\teightbyt\tF\nE\t1\teightbyt1\tF\n",
     "enter 1 eightbyt1/F; enter 1 eightbyt2/F; enter 1 eightbyt/F; leave 1 eightbyt1/F"},
    {"S\t1\t0\tF\tx\n", "enter 1 0/F; note extra-fields"},
    {"S\t1\t0\t\nS\t1\t0\nS\t1\t\tF\nS\t1\t0\t \t\n",
     MALFORMED "; " MALFORMED "; " MALFORMED "; " MALFORMED},
    {"E\t1\t0\tF\nS\t1\t0\tF\nE\t1\t2\tF\n",
     "note stale-stage-ends; enter 1 0/F; note stale-stage-ends"},
    {"S\t1\t0\tF\r\n", "note crlf-lines; enter 1 0/F"},
    /* ends */
    {"R\t17\t3051\t0\nR\t18\t3052\t1\nR\t19\t0\t2\n", "retired 17; flushed 18; flushed 19"},
    {"R\t3\t3\t\nR\t4\t-1\t0 \t\nR\t5\t\t00\n", "retired 3; retired 4; retired 5"},
    {"R\t3\t3\nR\t3\nR\t3\t\n",
     "retired 3; " NO_TYPE "; retired 3; " NO_TYPE "; retired 3; " NO_TYPE},
    {"R\nR\t\n", MALFORMED "; " MALFORMED},
    {"R\t3\t3\t1\t0\n", "flushed 3; note extra-fields"},
    /* dependencies */
    {"W\t17\t12\t0\nW\t17\t12\nW\t17\t12\t\nW\t17\t12\t3\nW\t17\t12\t300\n",
     "link 17<12.0; link 17<12.0; link 17<12.0; link 17<12.3; link 17<12.255; "
     "bad kind of dependency beyond 255: read as 255"},
    {"W\t1\t18446744073709551615\t1\t\n", "link 1<18446744073709551615.1"},
    {"W\t17\nW\t17\tx\nW\t17\t1\tx\nW\t17\t\t0\n",
     MALFORMED "; " MALFORMED "; " MALFORMED "; " MALFORMED},
    {"W\t1\t2\t0\tx\n", "link 1<2.0; note extra-fields"},
    /* the rest */
    {"\n \n\t\n\r\n", "note crlf-lines"},
    {"# comment\n#\n", "note foreign-lines; note foreign-lines"},
    {"X\t1\nstray text\nI am\nc\t1\n s\t1\n",
     UNKNOWN "; " UNKNOWN "; " UNKNOWN "; " UNKNOWN "; " UNKNOWN},
    /* a cut */
    {"S\t1\t0\tF\nS\t1\t0\tF", "enter 1 0/F; " CUT},
    {"C\t1\nC\t1", "tick 1; " CUT},
    {"C\t1\nC\t1\t", "tick 1; " CUT},
    {"L\t1\t0\t80:\t", CUT},
    {"R\t1\t1\t1", CUT},
    {"R\t1\t1\t", CUT},
    {"R\t1\t1\t1\t", "flushed 1"},
    {"S\t1\t0\tF\t  ", "enter 1 0/F"},
    {"I\t1\t2\t0\t", "birth 1 thread 0"},
    {"W\t1\t2\t", CUT},
    {"Kana", CUT},
    {"C\t1\n  ", "tick 1"},
};

static void records_of(struct sbuf *out, lex_fn *lex, const char *text, size_t len)
{
	struct trace_config config;
	struct record recs[LEX_BATCH];
	struct names names;
	struct lexer lx;
	size_t n;

	sbuf_clear(out);
	kanata_reader.config(&config);
	names_init(&names, &config);
	lexer_begin(&lx, &names, true);
	while ((n = lex(&lx, text, len, true, recs, LEX_BATCH)) > 0)
		for (size_t i = 0; i < n; i++)
			say(out, &recs[i], text, &names);
	names_free(&names);
}

static void expect(const char *text, size_t len, const char *records)
{
	struct sbuf said = {0};

	records_of(&said, kanata_lex_slow, text, len);
	assert_string_equal(said.len ? said.text : "", records);
	records_of(&said, kanata_lex, text, len);
	assert_string_equal(said.len ? said.text : "", records);
	sbuf_free(&said);
}

TEST(tolerates)
{
	static char text[2000];

	for (size_t i = 0; i < sizeof(tolerated) / sizeof(tolerated[0]); i++) {
		size_t len = strlen(tolerated[i].text);

		expect(tolerated[i].text, len, tolerated[i].records);
		if (tolerated[i].text[len - 1] != '\n')
			continue;
		/* with enough behind it that the fast lexer may look */
		memset(text, '\n', sizeof(text));
		memcpy(text, tolerated[i].text, len);
		expect(text, sizeof(text), tolerated[i].records);
	}
}

#define BYTES(s) s, sizeof(s) - 1

TEST(nul_bytes)
{
	expect(BYTES("S\t1\t0\tF\0\n"), NUL_BYTES);
	expect(BYTES("C\t1\0\nC\t1\n"), NUL_BYTES "; tick 1");
	expect(BYTES("L\t1\t1\ta\n\0b\n"),
	       "label 1.1 <|a>; " NUL_BYTES "; note continued-labels; label 1.1 <|>");
	expect(BYTES("I\t\0\n\0\n#\0\n"), NUL_BYTES "; " NUL_BYTES "; note foreign-lines");
}

/* Lines of more than 64 KiB are read, and said to be long. */
TEST(long_lines)
{
	static const struct {
		const char *begin, *records;
	} cases[] = {
	    {"L\t1\t1\tx", ""},      {"S\t1\t0\tF", "enter 1 0/F; "},
	    {"C\t1", "tick 1; "},    {"R\t1\t1\t0", "retired 1; "},
	    {"stray", UNKNOWN "; "}, {"# ", "note foreign-lines; "},
	};
	static char text[LEX_LONG_LINE + 400];
	struct sbuf want = {0};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		memset(text, i ? '\t' : 'x', sizeof(text));
		memcpy(text, cases[i].begin, strlen(cases[i].begin));
		text[LEX_LONG_LINE + 1] = '\n';
		memset(text + LEX_LONG_LINE + 2, '\n', sizeof(text) - LEX_LONG_LINE - 2);
		sbuf_clear(&want);
		if (i == 0)
			sbuf_printf(&want, "label 1.1 <|%.*s>; ", LEX_LONG_LINE + 1 - 6, text + 6);
		sbuf_printf(&want, "%sbad %s", cases[i].records, bad_texts[BAD_LONG]);
		expect(text, sizeof(text), want.text);
		/* just not long: the last byte is a blank of all but the label */
		memmove(text + LEX_LONG_LINE, text + LEX_LONG_LINE + 1, 399);
		if (i > 0 && cases[i].records[0] != 'b') {
			want.text[want.len - strlen("; bad ") - strlen(bad_texts[BAD_LONG])] = '\0';
			expect(text, sizeof(text) - 1, want.text);
		}
	}
	sbuf_free(&want);
}

/* A record has sixteen bits for where a pc begins. */
TEST(far_pc)
{
	struct sbuf text = {0};

	sbuf_printf(&text, "L\t%*s\t0\t80: x\n", LEX_LONG_LINE, "1");
	expect(text.text, text.len,
	       "label 1.0 <|80: x>; bad line longer than 64 KiB: its text is clipped");
	sbuf_free(&text);
}

/* ---- full tables ---------------------------------------------------------------------------- */

static void want_rest(struct sbuf *want, enum bad bad, enum note note)
{
	sbuf_printf(want, "bad %s; note %s; ", bad_texts[bad], note_keys[note]);
}

/* Nothing is lost: names that there is no place for share the last one. */
TEST(full_tables)
{
	struct sbuf text = {0}, want = {0};

	for (int i = 0; i < STAGE_MAX + 5; i++) {
		sbuf_printf(&text, "S\t1\t0\ts%d\n", i);
		if (i >= STAGE_REST)
			want_rest(&want, BAD_REST_STAGE, NOTE_REST_STAGES);
		if (i < STAGE_REST)
			sbuf_printf(&want, "enter 1 0/s%d; ", i);
		else
			sbuf_printf(&want, "enter 1 0/other; ");
	}
	sbuf_printf(&text, "E\t1\t0\ts%d\nE\t1\t0\ts1\n", STAGE_MAX);
	sbuf_printf(&want, "leave 1 0/other; leave 1 0/s1");
	expect(text.text, text.len, want.text);
	sbuf_clear(&text);
	sbuf_clear(&want);
	for (int i = 1; i < LANE_MAX + 3; i++) {
		sbuf_printf(&text, "S\t1\tlane %d\tF\n", i);
		if (i >= LANE_REST)
			want_rest(&want, BAD_REST_LANE, NOTE_REST_LANES);
		if (i < LANE_REST)
			sbuf_printf(&want, "enter 1 lane %d/F; ", i);
		else
			sbuf_printf(&want, "enter 1 other/F; ");
	}
	sbuf_printf(&text, "E\t1\tlane %d\tF\n", LANE_MAX);
	sbuf_printf(&want, "leave 1 other/F");
	expect(text.text, text.len, want.text);
	sbuf_free(&text);
	sbuf_free(&want);
}

/* Lex text[0..) -> how many records of warning it makes. */
static size_t count_bad(struct names *names, bool counts, const char *text, bool *stumbled)
{
	struct record out[LEX_BATCH];
	struct lexer lx;
	size_t n, bad = 0;

	lexer_begin(&lx, names, counts);
	lx.may_count = counts;
	while ((n = kanata_lex(&lx, text, strlen(text), true, out, LEX_BATCH)) > 0)
		for (size_t i = 0; i < n; i++)
			bad += out[i].kind == REC_BAD;
	*stumbled = lx.stumbled;
	return bad;
}

/* Each name of the last place is told of once, by whoever reads the text in order. */
TEST(rest_is_told_once)
{
	const struct stage_info *stages;
	struct trace_config config;
	struct sbuf text = {0};
	struct names names;
	bool stumbled;

	for (int round = 0; round < 3; round++)
		for (int i = 0; i < STAGE_REST + 20; i++)
			sbuf_printf(&text, "S\t1\t0\t%s%d\n", i ? "s" : "other", i);
	kanata_reader.config(&config);
	names_init(&names, &config);
	assert_int_equal(count_bad(&names, true, text.text, &stumbled), 20);
	assert_false(stumbled);
	assert_int_equal(count_bad(&names, false, text.text, &stumbled), 0);
	assert_false(stumbled);
	assert_int_equal(count_bad(&names, false, "S\t1\t0\tnever seen\n", &stumbled), 1);
	assert_true(stumbled);
	assert_int_equal(count_bad(&names, false, "E\t1\t0\tnever seen\n", &stumbled), 0);
	assert_false(stumbled);
	stages = names.config.stages;
	assert_int_equal(names.config.stage_count, STAGE_MAX);
	assert_string_equal(stages[STAGE_REST].name, "other");
	for (int i = 0; i < STAGE_REST; i++) {
		assert_int_not_equal(stages[i].letter, stages[STAGE_REST].letter);
		assert_int_not_equal(stages[i].colour, stages[STAGE_REST].colour);
	}
	names_free(&names);
	sbuf_free(&text);
}

/*
 * Onikiri2's stages as a log brings them: capitals, none twice whatever its case, C for the commit.
 * What the user fixed stays, and no other stage gets it.
 */
TEST(letters_of_stages)
{
	static const struct {
		const char *name;
		char letter;
	} cases[] = {{"Np", 'N'}, {"stl", 'S'}, {"F", 'F'},  {"Pd", 'P'}, {"Dc", 'D'},
		     {"Rn", 'R'}, {"Ds", 'K'},  {"Sc", 'J'}, {"Is", 'I'}, {"Rr", 'V'},
		     {"X", 'X'},  {"Rw", 'W'},  {"Cm", 'C'}, {"Mt", 'M'}, {"Ma", 'A'}};
	struct trace_config config;
	struct names names;

	kanata_reader.config(&config);
	config.stages[0] = (struct stage_info){.name = "own", .letter = 'q'};
	config.stage_count = 1;
	names_init(&names, &config);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int id = names_stage(&names, cases[i].name, strlen(cases[i].name));

		assert_int_equal(names.config.stages[id].letter, cases[i].letter);
	}
	assert_int_equal(names.config.stages[0].letter, 'q');
	names_free(&names);
}

/* A configuration may name all stages there can be, or one "other". */
TEST(rest_and_configuration)
{
	struct trace_config config = {.stage_count = STAGE_MAX};
	struct names names;
	bool stumbled;

	for (int i = 0; i < STAGE_MAX; i++)
		snprintf(config.stages[i].name, sizeof(config.stages[i].name), "mine %d", i);
	names_init(&names, &config);
	assert_int_equal(names_stage(&names, "new", 3), -1);
	assert_int_equal(count_bad(&names, true, "S\t1\t0\tnew\n", &stumbled), 1);
	names_free(&names);
	strcpy(config.stages[0].name, "other");
	config.stage_count = STAGE_REST;
	names_init(&names, &config);
	assert_int_equal(names_stage(&names, "other", 5), 0);
	assert_int_equal(names_stage(&names, "new", 3), STAGE_REST);
	assert_int_equal(names_stage(&names, "newer", 5), STAGE_REST);
	assert_string_equal(names.config.stages[STAGE_REST].name, "the others");
	names_free(&names);
}

TEST(lane_numbers)
{
	static const char *const first[] = {"stl", "2", "1", "40", "14", "x", "15"};
	static const int numbers[] = {1, 2, 3, 4, 14, LANE_REST, LANE_REST};
	struct trace_config config;
	struct names a, b;

	kanata_reader.config(&config);
	names_init(&a, &config);
	names_init(&b, &config);
	for (size_t i = 0; i < sizeof(first) / sizeof(first[0]); i++)
		assert_int_equal(names_lane(&a, first[i], strlen(first[i])), numbers[i]);
	assert_int_equal(names_lane(&a, "0", 1), 0);
	assert_int_equal(a.lane_count, LANE_MAX);
	for (size_t i = 0; i < a.lane_count; i++)
		assert_int_equal(names_lane(&b, a.lanes[i], strlen(a.lanes[i])), i);
	names_free(&a);
	names_free(&b);
}

TEST(thread_numbers)
{
	static struct names_view view;
	struct trace_config config;
	struct names n;

	kanata_reader.config(&config);
	names_init(&n, &config);
	names_refresh(&n, &view);
	assert_int_equal(names_view_thread(&n, &view, 7, false), 0);
	for (int i = 0; i < THREAD_MAX; i++) {
		int64_t thread = (int64_t)i * i * (i & 1 ? 1 : -1) * 4096;

		assert_int_equal(names_known_thread(&n, thread), 0);
		assert_int_equal(names_view_thread(&n, &view, thread, true), i + 1);
		assert_int_equal(names_recent_thread(&view, thread), i + 1);
	}
	for (int i = 0; i < THREAD_MAX; i += 997)
		assert_int_equal(names_known_thread(&n, (int64_t)i * i * (i & 1 ? 1 : -1) * 4096),
				 i + 1);
	assert_int_equal(names_view_thread(&n, &view, 5, true), -1);
	assert_int_equal(names_view_thread(&n, &view, 0, true), 1);
	names_free(&n);
}

/* Only a lexer that may name gives numbers; the other says that it stumbled, and goes on. */
TEST(stumbles)
{
	static const char *const texts[] = {"S\t1\t0\tF\n", "E\t1\t0\tF\n", "I\t1\t1\t5\n"};
	struct trace_config config;
	struct record out[16];

	kanata_reader.config(&config);
	for (size_t i = 0; i < 3; i++) {
		struct names names;
		struct lexer lx;
		size_t n;

		names_init(&names, &config);
		for (int known = 0; known < 2; known++) {
			lexer_begin(&lx, &names, false);
			n = kanata_lex(&lx, texts[i], strlen(texts[i]), true, out, 16);
			assert_int_equal(n, 1);
			assert_int_equal(lx.stumbled, !known);
			names_lane(&names, "0", 1);
			names_stage(&names, "F", 1);
			names_thread(&names, 5);
		}
		assert_int_equal(names.config.stage_count, 1);
		names_free(&names);
	}
}

/* ---- cuts ----------------------------------------------------------------------------------- */

/* Only a line that sets the clock tells the tick. */
TEST(cuts)
{
	static const struct {
		const char *text;
		bool cut;
		int64_t tick;
	} cases[] = {
	    {"C=\t5\nC\t1\n", true, 5},  {"C=\t-1\n", true, -1}, {"C=7\r\n", true, 7},
	    {"C\t5\nC=\t1\n", true, 99}, {"C\n", true, 99},      {"C\t5", false, 99},
	    {"C=\t5", false, 99},        {"C\tx\n", false, 99},  {"C=\n", false, 99},
	    {"S\t1\t0\tF\n", false, 99}, {"", false, 99},        {"Code\n", false, 99},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fenced f = fenced_text(cases[i].text, strlen(cases[i].text));
		int64_t tick = 99;

		if (kanata_reader.cut(f.text, f.text + f.len, &tick) != cases[i].cut ||
		    tick != cases[i].tick)
			fail_msg("\"%s\": tick %" PRId64, cases[i].text, tick);
		fenced_free(&f);
	}
}

/* ---- detection ------------------------------------------------------------------------------ */

TEST(detects)
{
	static const struct {
		const char *text;
		int score;
	} cases[] = {
	    {"Kanata\t0004\n", 100},
	    {"\n\nKanata 0004\r\n", 100},
	    {"\xef\xbb\xbfKanata\t0004\nC=\t0\n", 100},
	    {"KONATA\t0004", 100},
	    {"sim: Kanata\t0004\n", 100},
	    {"Kanata\n", 0},
	    {"Kanata\tnone\n", 0},
	    {"Kanata 0004 is what the viewer wants\n", 0},
	    {"notKanata\t0004\n", 0},
	    {"C=\t5\nI\t0\t0\t0\nS\t0\t0\tF\n", 60},
	    {"I\t0\t0\t0\n", 0},
	    {"S\t0\t0\tF\n", 0},
	    {"I\tx\t0\nS\tx\t0\n", 0},
	    {"@ 1\n+ 1 0x10 0x0 nop\n* 1 IF 0x0\n- 1\n", 0},
	    {"", 0},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		size_t len = strlen(cases[i].text);
		struct fenced f = fenced_text(cases[i].text, len);

		if (kanata_reader.detect(f.text, len) != cases[i].score)
			fail_msg("\"%s\": %d", cases[i].text, kanata_reader.detect(f.text, len));
		if (cases[i].score)
			assert_ptr_equal(reader_detect(f.text, len), &kanata_reader);
		fenced_free(&f);
	}
}

/* Labels and continuations that look like a pipetrace do not make a Kanata log one. */
TEST(is_no_pipetrace)
{
	static const char text[] = "Kanata\t0004\nC=\t0\nI\t0\t0\t0\nS\t0\t0\tF\n"
				   "L\t0\t1\tsaid @ 5\n@ 6\n* 3 IF 0x00000000\n";
	assert_ptr_equal(reader_detect(text, sizeof(text) - 1), &kanata_reader);
	assert_ptr_equal(reader_find("kanata"), &kanata_reader);
}
