/*
 * Optraces as traces: the flow through a pipeline against a model of it and against the
 * simulation, texts, numbers and warnings, the cache, and the reduction of a store against that of
 * the text.
 */
#include "config.h"

#include "store_truth.h"

#include "analysis/pipeline/reduce_file.h"
#include "analysis/pipeline/reduce_trace.h"
#include "pipeline/queries/search.h"
#include "testing.h"

enum { ADDRESSES = 40, REGISTERS = 12 };

static const struct segments fives = {5, 5};
static uint64_t seed = 88172645463325252u;

static unsigned dice(unsigned n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (unsigned)(seed % n);
}

static struct store *open_as(const char *path, struct segments at, const char *cache, int threads)
{
	struct pipeline_settings own = {.segments = at};
	struct trace_settings settings = {.of = {{&pipeline_kind, &own}}, .count = 1};
	struct trace_options o = {
	    .settings = &settings, .threads = threads, .no_cache = !cache, .cache_dir = cache};
	struct error e = {.text = ""};
	struct store *s;

	if (store_open(&s, path, &o, &e) || store_wait(s, &e))
		fail_msg("%s: %s", path, e.text);
	return s;
}

static struct store *open_text(char *path, const char *text, size_t len)
{
	strcpy(path, "/tmp/pipeglass-optrace-XXXXXX");
	truth_write(path, text, len);
	return open_as(path, fives, NULL, 1);
}

/* ---- the paper's figures ------------------------------------------------------------------- */

static const char *figure(void)
{
	static char path[4096];
	const char *srcdir = getenv("srcdir");

	snprintf(path, sizeof(path), "%s/samples/fig1.optrace", srcdir ? srcdir : ".");
	return path;
}

/* The cycles of fig. 2: of entering setup, waiting (-1: not), entering execution. */
TEST(figure_2)
{
	static const int64_t flow[10][3] = {{0, -1, 5},   {1, -1, 6},   {2, -1, 7},   {3, -1, 8},
					    {4, 9, 12},   {12, -1, 17}, {13, -1, 18}, {18, -1, 23},
					    {23, -1, 28}, {24, -1, 29}};
	struct store *s = open_as(figure(), (struct segments){0, 0}, NULL, 2);
	struct truth t;

	truth_load(&t, s);
	assert_int_equal(t.d.count, 10);
	assert_int_equal(store_segments(s).execute, 5);
	assert_int_equal(store_segments(s).setup, 5);
	for (size_t i = 0; i < 10; i++) {
		const struct detail_row *d = &t.d.rows[i];
		const struct stay *stay = &t.d.stays[d->stay0];
		size_t k = 0;

		assert_int_equal(d->id, i + 1);
		assert_int_equal(d->head.fate, FATE_COMMITTED);
		assert_int_equal(d->head.start, flow[i][0]);
		assert_int_equal(d->head.end, flow[i][2] + 5);
		assert_int_equal(d->stays, flow[i][1] < 0 ? 2 : 3);
		for (size_t stage = 0; stage < 3; stage++)
			if (flow[i][stage] >= 0) {
				assert_int_equal(stay[k].stage, stage);
				assert_int_equal(stay[k].start, flow[i][stage]);
				if (k)
					assert_int_equal(stay[k - 1].end, stay[k].start);
				k++;
			}
		assert_int_equal(stay[k - 1].end, d->head.end);
	}
	assert_int_equal(flow[9][2] - flow[0][2] - 9, 15); /* as the paper says */
	truth_free(&t);
	store_close(s);
}

/* ---- a model, and random traces ------------------------------------------------------------ */

struct op {
	bool taken, self;
	int source, sink; /* -1: none */
};

struct flow {
	int64_t start, end;
};

/* Instruction i as the theory has it (A2, A3), nothing remembered but the cycles. */
static void model(const struct op *op, size_t n, struct segments at, struct flow *out)
{
	for (size_t i = 0; i < n; i++) {
		int64_t before = at.setup - 1, t, free_from = -1, written = -1;
		bool target = i > 0 && op[i - 1].taken;

		if (i > 0)
			before = out[i - 1].end - (op[i - 1].self ? 0 : at.execute);
		t = before + (target ? at.setup : 1);
		for (size_t r = 0; r < i; r++)
			if (op[i].source >= 0 && op[r].sink == op[i].source)
				written = out[r].end;
		t = written > t ? written : t;
		if (i >= (size_t)at.setup)
			free_from = out[i - (size_t)at.setup].end - at.execute;
		out[i].start = i > 0 ? out[i - 1].start + 1 : 0;
		out[i].start = free_from > out[i].start ? free_from : out[i].start;
		out[i].start = target ? before : out[i].start;
		assert_true(out[i].start <= t - at.setup);
		out[i].end = t + at.execute;
	}
}

static void print_op(struct sbuf *out, const struct op *op)
{
	char source[16] = "-", sink[16] = "-";

	if (op->source >= 0)
		snprintf(source, sizeof(source), "r%d", op->source);
	if (op->sink >= 0)
		snprintf(sink, sizeof(sink), "r%d", op->sink);
	sbuf_printf(out, "%s%x %s%s%s %s %s\n", dice(2) ? "0x" : "", 0x400 + dice(ADDRESSES) * 4,
		    op->taken ? "t" : "", op->self ? "s" : "", op->taken || op->self ? "" : "-",
		    source, sink);
	if (dice(20) == 0)
		sbuf_puts(out, "# between\n\n");
}

static void random_trace(struct op *op, size_t n, struct sbuf *text)
{
	unsigned branches = 1 + dice(9), names = 2 + dice(REGISTERS - 2);

	sbuf_clear(text);
	sbuf_puts(text, "optrace 1\n");
	for (size_t i = 0; i < n; i++) {
		op[i] = (struct op){.taken = dice(branches) == 0,
				    .self = dice(12) == 0,
				    .source = (int)dice(names) - 1,
				    .sink = (int)dice(names) - 1};
		print_op(text, &op[i]);
	}
}

static void check_flow(struct store *s, const struct flow *flow, size_t n)
{
	struct row row;

	assert_int_equal(store_row_count(s), n);
	for (size_t i = 0; i < n; i++) {
		assert_true(store_row(s, i, &row));
		assert_int_equal(row.start, flow[i].start);
		assert_int_equal(row.end, flow[i].end);
	}
}

/* Cycles from the first instruction's entry to the last one's, that included. */
static int64_t cycles(const struct flow *flow, const struct op *op, size_t n, struct segments at)
{
	return flow[n - 1].end - (op[n - 1].self ? 0 : at.execute) - at.setup + 1;
}

TEST(like_the_model)
{
	enum { N = 300 };
	static struct op op[N];
	static struct flow flow[N];
	struct sbuf text = {0};
	char path[64];

	for (int round = 0; round < 60; round++) {
		struct segments at = {1 + dice(9), 1 + dice(9)};
		struct pipeline point = {at.execute, at.setup};
		struct reduce_trace_options o = {.simulate = &point, .simulate_count = 1};
		struct reduced_trace r;
		struct range all;
		struct store *s;
		size_t n = 1 + dice(N - 1);

		random_trace(op, n, &text);
		model(op, n, at, flow);
		strcpy(path, "/tmp/pipeglass-optrace-XXXXXX");
		truth_write(path, text.text, text.len);
		s = open_as(path, at, NULL, 1);
		check_flow(s, flow, n);
		all = range_all(s);
		assert_int_equal(reduce_trace(&r, s, &all, &o, NULL, NULL), STATUS_OK);
		assert_int_equal(r.simulated[0], cycles(flow, op, n, at));
		reduced_trace_free(&r);
		store_close(s);
		unlink(path);
	}
	sbuf_free(&text);
}

/* Several pieces and workers: still one order. */
TEST(long_ones)
{
	enum { MANY = 400000 };
	struct sbuf text = {0};
	struct row row;
	struct store *s;
	char path[64];

	sbuf_puts(&text, "optrace 1\n");
	for (int i = 0; i < MANY; i++)
		sbuf_printf(&text, "%x - r%d,m:%x r%d\n", 0x1000 + i % 1000 * 4, i % 7, i,
			    (i + 1) % 7);
	strcpy(path, "/tmp/pipeglass-optrace-XXXXXX");
	truth_write(path, text.text, text.len);
	s = open_as(path, (struct segments){3, 2}, NULL, 3);
	assert_int_equal(store_row_count(s), MANY);
	for (uint64_t i = 0; i < MANY; i += 997) {
		assert_true(store_row(s, i, &row));
		assert_int_equal(row.end,
				 2 + 3 * (int64_t)i + 3); /* each waits for the one before */
	}
	assert_int_equal(store_find_id(s, 1, 0), 0);
	assert_int_equal(store_find_id(s, MANY - 5, 0), MANY - 6);
	/* the addresses of memory are not the instructions' */
	assert_in_range(store_code_count(s), 1000, 7000);
	store_close(s);
	unlink(path);
	sbuf_free(&text);
}

/* ---- lines --------------------------------------------------------------------------------- */

static const char lines[] = "optrace 1\r\n"
			    "# comment\n"
			    "4 - a m:10,b # end\n"
			    "zz - - -\n"
			    "8 t2,x m:20 -\n"
			    "\t c   st  -\tc,,d \n"
			    "10 -\n"
			    "0x00000000000000000014 - - -";

TEST(texts_and_warnings)
{
	static const char *const texts[] = {"- a m:10,b # end", "t2,x m:20 -", "st  -\tc,,d ",
					    "- - -"};
	static const char *const operands[] = {"a m:,b", "m: -", "-\tc,,d", "- -"};
	static const struct {
		uint64_t line, row;
		enum optrace_problem problem;
	} warned[] = {{4, 1, OPTRACE_PC},
		      {5, 1, OPTRACE_FLAG},
		      {6, 2, OPTRACE_NAME_EMPTY},
		      {7, 3, OPTRACE_COLUMN}};
	char path[64];
	struct store *s = open_text(path, lines, sizeof(lines) - 1);
	struct truth t;

	truth_load(&t, s);
	assert_int_equal(t.d.count, 4);
	for (size_t i = 0; i < 4; i++) {
		const struct detail_row *d = &t.d.rows[i];
		const char *code;
		uint64_t pc;
		size_t len;
		bool has_pc;

		assert_int_equal(d->pc, i == 3 ? 0x14 : 4 + 4 * i);
		assert_int_equal(d->text_len, strlen(texts[i]));
		assert_memory_equal(t.d.text.text + d->text0, texts[i], d->text_len);
		assert_true(store_code(s, d->head.code, &pc, &has_pc, &code, &len));
		assert_true(has_pc && pc == d->pc && len == strlen(operands[i]));
		assert_memory_equal(code, operands[i], len);
		assert_int_equal(store_find_id(s, i + 1, 0), i);
	}
	assert_int_equal(store_warning_count(s), 4);
	for (size_t i = 0; i < 4; i++) {
		struct warning w;

		assert_true(store_warning(s, i, &w));
		assert_int_equal(w.line, warned[i].line);
		assert_int_equal(w.item, warned[i].row);
		assert_string_equal(w.text, optrace_problems[warned[i].problem]);
	}
	truth_free(&t);
	store_close(s);
	unlink(path);
}

static bool one_line(void *arg, uint64_t offset, int64_t tick, const char *line, size_t len)
{
	struct sbuf *out = arg;

	(void)offset, (void)tick;
	sbuf_add(out, line, len);
	sbuf_putc(out, '|');
	return true;
}

/* Which row a line is of, and the line of a row. */
TEST(owners)
{
	char path[64];
	struct store *s = open_text(path, lines, sizeof(lines) - 1);
	struct line_owner owner;
	struct sbuf out = {0};
	uint64_t row = 0;

	for (const char *p = lines; p;) {
		bool own = strchr("48\t0", *p) != NULL;

		assert_int_equal(store_line_owner(s, (uint64_t)(p - lines), &owner, NULL),
				 STATUS_OK);
		assert_int_equal(owner.own, own);
		if (own)
			assert_int_equal(owner.row, row++);
		p = strchr(p, '\n');
		p = p ? p + 1 : NULL;
	}
	assert_int_equal(row, 4);
	assert_int_equal(store_row_lines(s, 2, one_line, &out, NULL), STATUS_OK);
	assert_string_equal(sbuf_text(&out), "\t c   st  -\tc,,d |");
	sbuf_free(&out);
	store_close(s);
	unlink(path);
}

/* The flow and the reduction know all of a line; of the row not all of it is shown: that is told. */
TEST(long_line)
{
	struct reduce_trace_options o = {.at = {5, 5}};
	struct sbuf text = {0};
	struct reduced_trace r;
	struct range all;
	struct warning w;
	struct store *s;
	struct row row;
	char path[64];

	sbuf_puts(&text, "optrace 1\n0 - - late\n4 - ");
	while (text.len < 70000)
		sbuf_puts(&text, "early,");
	sbuf_puts(&text, "late -\n");
	s = open_text(path, text.text, text.len);
	assert_true(store_row(s, 1, &row));
	assert_int_equal(row.end, 5 + 5 + 5);
	assert_int_equal(store_warning_count(s), 1);
	assert_true(store_warning(s, 0, &w));
	assert_int_equal(w.line, 3);
	assert_string_equal(w.text, bad_texts[BAD_LONG]);
	all = range_all(s);
	assert_int_equal(reduce_trace(&r, s, &all, &o, NULL, NULL), STATUS_OK);
	assert_int_equal(r.reduction.arcs[REDUCE_RAW], 1);
	assert_true(reduced_trace_exact(&r));
	reduced_trace_free(&r);
	store_close(s);
	unlink(path);
	sbuf_free(&text);
}

TEST(nothing_in_it)
{
	static const char *const empty[] = {"optrace 1\n", "optrace 1\nzz\n# 4 - - -\n",
					    "optrace 1"};
	struct trace_options o = {.no_cache = true};

	for (size_t i = 0; i < 3; i++) {
		char path[] = "/tmp/pipeglass-optrace-XXXXXX";
		struct error e = {.text = ""};
		struct store *s;

		truth_write(path, empty[i], strlen(empty[i]));
		assert_int_equal(store_open(&s, path, &o, &e), STATUS_OK);
		assert_int_equal(store_wait(s, &e), STATUS_INPUT);
		assert_non_null(strstr(e.text, "no instruction"));
		store_close(s);
		unlink(path);
	}
}

TEST(segments_are_parsed)
{
	static const char *const wrong[] = {"",    "5",    "5,",     ",5",     "5,5,5", "0,5",
					    "5,0", "-1,5", "4097,1", "1,4097", "a,b",   "5 5"};
	struct segments at = {7, 7};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_false(segments_parse(wrong[i], &at));
	assert_int_equal(at.execute, 7);
	assert_true(segments_parse("4096,1", &at));
	assert_true(at.execute == 4096 && at.setup == 1);
}

/* ---- the cache ----------------------------------------------------------------------------- */

/* An index is that of one pipeline. */
TEST(cached)
{
	static const struct segments wanted[] = {{5, 5}, {0, 0}, {8, 2}, {8, 2}, {5, 5}};
	static const bool from_cache[] = {false, true, false, true, false};
	char dir[] = "/tmp/pipeglass-optrace-XXXXXX", command[64];

	assert_non_null(mkdtemp(dir));
	for (size_t i = 0; i < 5; i++) {
		struct store *s = open_as(figure(), wanted[i], dir, 1);
		struct progress p;
		struct truth t;

		store_progress(s, &p);
		assert_int_equal(p.cached, from_cache[i]);
		truth_load(&t, s);
		assert_int_equal(t.d.rows[9].head.end, wanted[i].execute == 8 ? 33 : 34);
		assert_int_equal(t.d.stays[t.d.rows[0].stay0].end, store_segments(s).setup);
		truth_free(&t);
		store_close(s);
	}
	snprintf(command, sizeof(command), "rm -r %s", dir);
	assert_int_equal(system(command), 0);
}

/* ---- the reduction ------------------------------------------------------------------------- */

/* A range is a trace of its own. */
TEST(ranges)
{
	struct store *s = open_as(figure(), fives, NULL, 1);
	struct reduce_trace_options o = {.at = {5, 5}};
	struct range some = range_all(s);
	struct reduced_trace r;

	some.row0 = 6; /* 7 to 10: the arcs into 7 come from before */
	assert_int_equal(reduce_trace(&r, s, &some, &o, NULL, NULL), STATUS_OK);
	assert_int_equal(r.reduction.instructions, 4);
	assert_int_equal(r.reduction.targets, 2);
	assert_int_equal(r.reduction.arcs[REDUCE_RAW], 2);
	reduced_trace_free(&r);
	store_close(s);
}
