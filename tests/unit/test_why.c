/* src/analysis/pipeline/why: runs of a small machine that is run again without a cause. */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/pipeline/why_compare.h"
#include "analysis/pipeline/why_private.h"
#include "base/sbuf.h"
#include "testing.h"
#include "text_store.h"

/* ---- a machine ----------------------------------------------------------------------------- */

enum { COUNT = 600, DEPTH = 2, REDIRECT = 1, HIT = 2, MISS = 25 };

struct machine {
	int width, window;
	bool no_misses, no_mispredictions;
};

struct insn {
	bool load, branch, misses, mispredicted;
	int producer; /* how many before; 0: none */
	int64_t at[WHY_TIMES], second[WHY_TIMES], delay[WHY_TIMES];
};

static void make_program(struct insn *program)
{
	unsigned seed = 7;

	for (int i = 0; i < COUNT; i++) {
		struct insn *n = &program[i];
		unsigned kind = (seed = seed * 1103515245u + 12345u) >> 16;

		*n = (struct insn){.load = kind % 4 == 0, .branch = kind % 4 == 1};
		n->misses = n->load && kind % 5 == 0;
		n->mispredicted = n->branch && kind % 7 == 0 && i + 1 < COUNT;
		n->producer = i ? (int)(kind / 8 % 6) % (i + 1) : 0;
	}
}

/* The time waits for one more. */
static void later(struct insn *n, enum why_time t, int64_t than)
{
	if (than > n->at[t]) {
		n->second[t] = n->at[t];
		n->at[t] = than;
	} else if (than > n->second[t]) {
		n->second[t] = than;
	}
}

static int64_t time_of(const struct insn *program, int i, enum why_time t, int64_t more)
{
	return i < 0 ? 0 : program[i].at[t] + more;
}

/* It waits for nothing yet, but for the time before. */
static void begin(struct insn *n, enum why_time t)
{
	n->at[t] = n->second[t] = t ? n->at[t - 1] : 0;
}

/* The cycles of a run. */
static int64_t execute(struct insn *program, const struct machine *m)
{
	for (int i = 0; i < COUNT; i++) {
		struct insn *n = &program[i];

		begin(n, WHY_F);
		later(n, WHY_F, time_of(program, i - 1, WHY_F, 0));
		later(n, WHY_F, time_of(program, i - m->width, WHY_F, 1));
		if (i && program[i - 1].mispredicted && !m->no_mispredictions)
			later(n, WHY_F, time_of(program, i - 1, WHY_W, REDIRECT));
		n->at[WHY_F] += n->delay[WHY_F];
		begin(n, WHY_D);
		later(n, WHY_D, n->at[WHY_F] + DEPTH);
		later(n, WHY_D, time_of(program, i - 1, WHY_D, 0));
		later(n, WHY_D, time_of(program, i - m->width, WHY_D, 1));
		later(n, WHY_D, time_of(program, i - m->window, WHY_C, 0));
		n->at[WHY_D] += n->delay[WHY_D];
		begin(n, WHY_X);
		later(n, WHY_X, n->at[WHY_D] + 1);
		if (n->producer)
			later(n, WHY_X, time_of(program, i - n->producer, WHY_W, 0));
		n->at[WHY_X] += n->delay[WHY_X];
		begin(n, WHY_W);
		later(n, WHY_W,
		      n->at[WHY_X] + (!n->load ? 1 : n->misses && !m->no_misses ? MISS : HIT));
		n->at[WHY_W] += n->delay[WHY_W];
		begin(n, WHY_C);
		later(n, WHY_C, n->at[WHY_W] + 1);
		later(n, WHY_C, time_of(program, i - 1, WHY_C, 0));
		later(n, WHY_C, time_of(program, i - m->width, WHY_C, 1));
		n->at[WHY_C] += n->delay[WHY_C];
	}
	return program[COUNT - 1].at[WHY_C];
}

/* ---- its trace ------------------------------------------------------------------------------ */

struct line {
	int64_t cycle;
	int order;
	char text[64];
};

struct log {
	VEC(struct line) lines;
};

__attribute__((format(printf, 3, 4))) static void put(struct log *l, int64_t cycle, const char *fmt,
						      ...)
{
	struct line line = {.cycle = cycle, .order = (int)l->lines.count};
	va_list args;

	va_start(args, fmt);
	vsnprintf(line.text, sizeof(line.text), fmt, args);
	va_end(args);
	assert_true(vec_push(&l->lines, line));
}

static int by_cycle(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	if (x->cycle != y->cycle)
		return x->cycle < y->cycle ? -1 : 1;
	return x->order - y->order;
}

static struct store *store_of(struct log *l)
{
	struct sbuf text = {0};
	int64_t cycle = 0;
	struct store *s;

	qsort(l->lines.data, l->lines.count, sizeof(*l->lines.data), by_cycle);
	sbuf_puts(&text, "Kanata\t0004\nC=\t0\n");
	for (size_t i = 0; i < l->lines.count; i++) {
		if (l->lines.data[i].cycle > cycle)
			sbuf_printf(&text, "C\t%d\n", (int)(l->lines.data[i].cycle - cycle));
		cycle = l->lines.data[i].cycle;
		sbuf_puts(&text, l->lines.data[i].text);
	}
	vec_free(&l->lines);
	s = text_store(sbuf_text(&text));
	sbuf_free(&text);
	return s;
}

/* Rows in program order, their ids from 0; how their stages are called. */
static void put_row(struct log *l, int id, const char *text, const int64_t at[WHY_TIMES])
{
	static const char stages[] = "FDXWC";

	put(l, at[WHY_F], "I\t%d\t%d\t0\nL\t%d\t0\t%x: %s\n", id, id, id, 0x1000 + 4 * id, text);
	for (int t = 0; t < WHY_TIMES; t++)
		put(l, at[t], "S\t%d\t0\t%c\n", id, stages[t]);
	put(l, at[WHY_C] + 1, "R\t%d\t%d\t0\n", id, id);
}

static struct store *trace_of(const struct insn *program)
{
	int ids[COUNT], next = 0;
	struct log l = {0};

	for (int i = 0; i < COUNT; i++) {
		const struct insn *n = &program[i];
		const char *text = n->load ? "ld r1, 0(r2)" : n->branch ? "beq r1, 16" : "add r1, r2, r3";

		ids[i] = next++;
		put_row(&l, ids[i], text, n->at);
		if (n->producer)
			put(&l, n->at[WHY_X], "W\t%d\t%d\t0\n", ids[i], ids[i - n->producer]);
		if (n->mispredicted) {
			put(&l, n->at[WHY_F] + 1, "I\t%d\t%d\t0\nS\t%d\t0\tF\n", next, next, next);
			put(&l, n->at[WHY_W], "R\t%d\t%d\t1\n", next, next);
			next++;
		}
	}
	return store_of(&l);
}

/* ---- what it is asked ----------------------------------------------------------------------- */

static void ask(struct why *w, struct store *s, const struct why_asked *asked, size_t count)
{
	struct error e = {STATUS_OK, ""};

	if (why_new(w, s, &(struct why_question){.asked = asked, .asked_count = count}, &e))
		fail_msg("%s", e.text);
}

static void assert_adds_up(const struct why *w)
{
	int64_t sum = 0;

	for (unsigned i = 0; i < w->cause_count; i++)
		sum += w->causes[i].cycles;
	assert_int_equal(sum, w->cycles);
	assert_int_equal(w->differences, 0);
}

static bool has_note(const struct why *w, const char *part)
{
	for (size_t i = 0; i < w->note_count; i++)
		if (strstr(w->notes[i].text, part))
			return true;
	return false;
}

/* What a what-if predicts is what the machine takes when it is run again so. */
TEST(predictions)
{
	static const struct {
		struct why_asked asked;
		struct machine machine;
	} cases[] = {
	    {{false, "dcache"}, {4, 16, .no_misses = true}},
	    {{false, "branch"}, {4, 16, .no_mispredictions = true}},
	    {{false, "branch,dcache"}, {4, 16, .no_misses = true, .no_mispredictions = true}},
	    {{false, "window"}, {4, COUNT, .no_misses = false}},
	    {{true, "window=24"}, {4, 24, .no_misses = false}},
	    {{true, "fetch-width=2,dispatch-width=2,commit-width=2"}, {2, 16, .no_misses = false}},
	};
	enum { CASES = sizeof(cases) / sizeof(cases[0]) };
	struct why_asked asked[CASES];
	struct insn program[COUNT];
	const struct machine base = {4, 16, false, false};
	int64_t cycles;
	struct store *s;
	struct why w;

	make_program(program);
	cycles = execute(program, &base);
	s = trace_of(program);
	for (int i = 0; i < CASES; i++)
		asked[i] = cases[i].asked;
	ask(&w, s, asked, CASES);
	assert_int_equal(w.cycles, cycles);
	assert_int_equal(w.instructions, COUNT);
	assert_adds_up(&w);
	assert_true(w.residue_share == 0);
	for (int i = 0; i < CASES; i++) {
		int64_t again = execute(program, &cases[i].machine);

		if (w.whatifs.data[i].cycles != again)
			fail_msg("%s: %d, but a run takes %d", asked[i].words,
				 (int)w.whatifs.data[i].cycles, (int)again);
		assert_int_equal(w.whatifs.data[i].saved, cycles - again);
	}
	assert_null(w.whatifs.data[0].bound);
	assert_string_equal(w.whatifs.data[4].bound, "upper"); /* the queue was never full */
	assert_null(w.whatifs.data[5].bound);
	assert_string_equal(w.whatifs.data[2].bound, "upper");
	why_free(&w);
	store_close(s);
}

struct chain {
	int64_t reached, cycles;
};

static bool follow(void *arg, const struct why_part *p)
{
	struct chain *c = arg;

	assert_int_equal(p->to, c->reached);
	assert_true(p->from <= p->to);
	c->cycles += p->to - p->from;
	c->reached = p->from;
	return true;
}

/* The parts of the path lie end to end, also of a range. */
TEST(path)
{
	const struct machine m = {2, 8, false, false};
	struct insn program[COUNT];
	struct error e = {STATUS_OK, ""};
	struct store *s;
	struct why w;

	make_program(program);
	execute(program, &m);
	s = trace_of(program);
	ask(&w, s, NULL, 0);
	for (int64_t from = 0; from < w.cycles - 20; from += w.cycles / 3) {
		struct range range = range_all(s);
		struct chain c = {0};
		struct why part;
		int64_t last;

		range.tick0 = from;
		range.tick1 = from + w.cycles / 2;
		assert_int_equal(why_new(&part, s, &(struct why_question){.range = &range, .known = &w},
					 &e), STATUS_OK);
		last = w.reading->columns.insns.data[part.span.end - 1].times[WHY_C];
		assert_int_equal(part.span.to, last);
		c.reached = last;
		assert_int_equal(why_walk(part.reading, part.span, follow, &c,
					  NULL, &e), STATUS_OK);
		assert_int_equal(c.reached, from);
		assert_int_equal(c.cycles, last - from);
		why_free(&part);
	}
	why_free(&w);
	store_close(s);
}

static int64_t cycles_of(const struct why *w, const char *cause)
{
	const unsigned number = why_cause_named(w, cause);

	return number == WHY_NO_CAUSE ? 0 : w->causes[number].cycles;
}

/* Of one run those are left that own a cause, and what they own of it adds up. */
static void assert_owns(const struct why *w, const char *cause)
{
	struct why_compare c = {.of = {NULL}};
	struct error e = {STATUS_OK, ""};
	int64_t cycles = 0;
	size_t shown = 0;

	assert_int_equal(why_compare_new(&c, w, NULL, cause, &e), STATUS_OK);
	for (unsigned i = 0; i < w->cause_count; i++)
		shown += w->causes[i].cycles || w->causes[i].saved > 0;
	assert_int_equal(c.causes.count, shown);
	for (size_t i = 0; i < c.pcs.count; i++) {
		const struct why_owned *own = &c.pcs.data[i].of[ALIGN_A];

		assert_true(own->cycles > 0 && own->dearest.cycles > 0);
		assert_string_equal(own->cause, cause);
		assert_int_equal(field_value(&why_sections[WHY_SECTION_PCS].fields[1], &c, i, 0).type,
				 VALUE_TEXT);
		cycles += own->cycles;
	}
	assert_int_equal(cycles, cycles_of(w, cause));
	why_compare_free(&c);
}

/* A range has the machine of the whole trace, and no cause saves more cycles than it takes. */
TEST(ranges)
{
	static const struct why_asked larger = {true, "window=100"};
	struct why_question q = {.asked = &larger, .asked_count = 1};
	const struct machine m = {2, 8, false, false};
	struct insn program[COUNT];
	struct error e = {STATUS_OK, ""};
	struct store *s;
	struct why w, part, again;

	make_program(program);
	for (int i = 0; i < COUNT; i += 40)
		program[i].delay[WHY_F] = 30; /* which a range that begins with it has not */
	execute(program, &m);
	s = trace_of(program);
	ask(&w, s, NULL, 0);
	for (int i = 0; i + 12 < COUNT; i += 8) {
		struct range range = range_all(s);

		range.tick0 = program[i].at[WHY_F];
		range.tick1 = program[i + 12].at[WHY_F];
		q.range = &range;
		assert_int_equal(why_new(&part, s, &q, &e), STATUS_OK);
		assert_adds_up(&part);
		assert_int_equal(part.parameters.count, w.parameters.count);
		for (size_t k = 0; k < w.parameters.count; k++) {
			assert_int_equal(part.parameters.data[k].value, w.parameters.data[k].value);
			assert_int_equal(part.parameters.data[k].reached,
					 w.parameters.data[k].reached);
		}
		for (unsigned k = 0; k < part.cause_count; k++)
			assert_true(part.causes[k].saved <= part.cycles);
		assert_true(part.whatifs.data[0].cycles >= 0);
		assert_true(part.whatifs.data[0].saved >= 0);
		assert_owns(&part, "branch");
		assert_int_equal(why_new(&again, s, &(struct why_question){.range = &range, .known = &w},
					 &e), STATUS_OK);
		assert_int_equal(again.cycles, part.cycles);
		assert_int_equal(again.cause_count, part.cause_count);
		for (unsigned k = 0; k < again.cause_count; k++) {
			assert_int_equal(again.causes[k].cycles, part.causes[k].cycles);
			assert_int_equal(again.causes[k].saved, part.causes[k].saved);
		}
		why_free(&again);
		why_free(&part);
	}
	why_free(&w);
	store_close(s);
}

/* Over time causes have what they have of the run, in bins of any width; none of it outside. */
static void assert_shares(const struct why *w)
{
	enum { BINS = 7 };
	static double shares[WHY_CAUSES_ALL * (BINS + 1)];
	const double width = (double)w->cycles / BINS;
	struct error e = {STATUS_OK, ""};
	struct why again;
	const struct why_path *path = &again.path;

	assert_int_equal(why_new(&again, w->store, &(struct why_question){.known = w, .path = true},
				 &e), STATUS_OK);
	assert_true(why_path_shares(path, why_tick(w, 0), why_tick(w, w->cycles), BINS, shares));
	for (unsigned c = 0; c < WHY_CAUSES; c++) {
		double sum = 0;

		for (int bin = 0; bin < BINS; bin++)
			sum += shares[c * BINS + bin] * width;
		assert_true(fabs(sum - (double)cycles_of(w, why_cause_name(w, c))) < 1e-6);
	}
	assert_true(why_path_shares(path, why_tick(w, w->cycles), why_tick(w, 2 * w->cycles), 1, shares));
	assert_true(isnan(shares[WHY_EXECUTE]));
	why_free(&again);
}

/* The same program without what missed: causes and instructions add up to what that takes off. */
TEST(two_runs)
{
	static const struct machine machines[ALIGN_SIDES] = {{4, 16, false, false},
							     {4, 16, .no_misses = true}};
	struct insn program[COUNT];
	struct store *stores[ALIGN_SIDES];
	struct why runs[ALIGN_SIDES];
	struct error e = {STATUS_OK, ""};
	int64_t cycles[ALIGN_SIDES], by_cause = 0, by_pc = 0;
	struct why_compare c = {.of = {NULL}};
	struct sbuf words = {0};

	make_program(program);
	for (int s = 0; s < ALIGN_SIDES; s++) {
		cycles[s] = execute(program, &machines[s]);
		stores[s] = trace_of(program);
		ask(&runs[s], stores[s], NULL, 0);
	}
	assert_int_equal(why_compare_new(&c, &runs[ALIGN_A], &runs[ALIGN_B], "", &e),
			 STATUS_OK);
	for (size_t i = 0; i < c.causes.count; i++)
		by_cause += c.causes.data[i].of[ALIGN_B].cycles -
			    c.causes.data[i].of[ALIGN_A].cycles;
	for (size_t i = 0; i < c.pcs.count; i++) {
		const struct why_pc_pair *p = &c.pcs.data[i];

		by_pc += p->of[ALIGN_B].cycles - p->of[ALIGN_A].cycles;
		/* a row of each instruction */
		assert_int_equal(p->of[ALIGN_A].count, 1);
		assert_int_equal(p->of[ALIGN_B].count, 1);
	}
	assert_true(cycles[ALIGN_B] < cycles[ALIGN_A]);
	assert_int_equal(by_cause, cycles[ALIGN_B] - cycles[ALIGN_A]);
	assert_int_equal(by_pc, by_cause);
	assert_string_equal(c.causes.data[0].name, "dcache");
	assert_int_equal(c.causes.data[0].of[ALIGN_B].cycles, 0);
	why_compare_tell(&c, &words);
	assert_non_null(strstr(sbuf_text(&words), " cycles faster: dcache -"));
	sbuf_free(&words);
	why_compare_free(&c);
	assert_owns(&runs[ALIGN_A], "dcache");
	assert_owns(&runs[ALIGN_A], "nosuch");
	assert_shares(&runs[ALIGN_A]);
	for (int s = 0; s < ALIGN_SIDES; s++) {
		why_free(&runs[s]);
		store_close(stores[s]);
	}
}

/* The cycles of a run in which one time is late. */
static int64_t execute_late(struct insn *program, const struct machine *m, int i, int t, int64_t by)
{
	int64_t cycles;

	program[i].delay[t] = by;
	cycles = execute(program, m);
	program[i].delay[t] = 0;
	return cycles;
}

static void assert_late(const struct why_reason *r, struct insn *program, const struct machine *m,
			int i, int t)
{
	const int64_t cycles = execute(program, m);
	const struct insn *n = &program[i];
	const int64_t hit = n->at[t] - r->residue;

	if (r->margin != hit - n->second[t] && !(t == WHY_F && hit == 0))
		fail_msg("%d, %s: %s was last by %d, not %d", i, why_time_names[t], r->rule,
			 (int)r->margin, (int)(hit - n->second[t]));
	if (r->at_least || execute_late(program, m, i, t, r->slack) != cycles ||
	    execute_late(program, m, i, t, r->slack + 1) == cycles)
		fail_msg("%d, %s: %d cycles are not the slack", i, why_time_names[t], (int)r->slack);
}

/* What came last came by so much, and a run is as long with a delay of the slack, and no more. */
TEST(late)
{
	const struct machine m = {4, 16, false, false};
	static struct insn program[COUNT];
	struct error e = {STATUS_OK, ""};
	uint64_t row = 0;
	struct store *s;
	struct why w;

	make_program(program);
	execute(program, &m);
	s = trace_of(program);
	ask(&w, s, NULL, 0);
	for (int i = 0; i < COUNT; row += 1 + program[i++].mispredicted) {
		struct why_late late;

		if (i % 7)
			continue;
		if (why_late(&w, row, &late, &e))
			fail_msg("%s", e.text);
		for (int t = 0; t < WHY_TIMES; t++)
			assert_late(&late.of[t], program, &m, i, t);
	}
	why_free(&w);
	store_close(s);
}

/* One row that commits before an older one: that rule goes, all others hold. */
TEST(broken_rule)
{
	static const char text[] =
	    "@ 0\n+ 0 0x100 0x0 addq r1,r2,r3\n* 0 IF 0x0\n+ 1 0x104 0x0 addq r4,r5,r6\n* 1 IF 0x0\n"
	    "@ 2\n* 0 DA 0x0\n* 1 DA 0x0\n@ 3\n* 0 EX 0x0\n* 1 EX 0x0\n"
	    "@ 4\n* 0 WB 0x0\n* 1 WB 0x0\n@ 5\n* 1 CT 0x0\n- 1\n@ 9\n* 0 CT 0x0\n- 0\n";
	struct store *s = text_store(text);
	struct range range = range_all(s);
	struct error e = {STATUS_OK, ""};
	struct why w;

	ask(&w, s, NULL, 0);
	assert_adds_up(&w);
	assert_false(w.reading->machine.used[WHY_RULE_COMMIT_ORDER]);
	assert_int_equal(w.reading->machine.breaches[WHY_RULE_COMMIT_ORDER], 1);
	assert_true(w.reading->machine.used[WHY_RULE_DISPATCH_ORDER]);
	assert_int_equal(w.cycles, 9);
	why_free(&w);
	/* of two rows fetched in the same cycle one is explained alone */
	for (range.row0 = 0; range.row0 < 2; range.row0++) {
		range.row1 = range.row0 + 1;
		assert_int_equal(why_new(&w, s, &(struct why_question){.range = &range}, &e), STATUS_OK);
		assert_int_equal(w.instructions, 1);
		assert_int_equal(w.cycles, range.row0 ? 5 : 9);
		why_free(&w);
	}
	store_close(s);
}

/* A row that issues before it is dispatched is none; the rest is as it was. */
TEST(contradictory_row)
{
	static const int64_t rows[][WHY_TIMES] = {
	    {0, 2, 3, 4, 5}, {0, 4, 3, 5, 6}, {1, 5, 6, 7, 8}, {1, 5, 7, 8, 9}};
	struct log l = {0};
	struct store *s;
	struct why w;

	for (int i = 0; i < 4; i++)
		put_row(&l, i, "add r1, r2, r3", rows[i]);
	s = store_of(&l);
	ask(&w, s, NULL, 0);
	assert_adds_up(&w);
	assert_int_equal(w.instructions, 3);
	assert_int_equal(w.cycles, 9);
	assert_true(has_note(&w, "1 row left out"));
	why_free(&w);
	store_close(s);
}

/* The second half of a load holds its commit up; without misses it takes what most loads take. */
TEST(second_half)
{
	static const char text[] =
	    "@ 0\n+ 0 0x100 0x0 ldq r1,0(r2)\n* 0 IF 0x0\n"
	    "@ 1\n+ 1 0x100 0x0 [internal ld/st]\n* 1 DA 0x0\n* 0 DA 0x0\n"
	    "+ 2 0x104 0x0 ldq r3,0(r4)\n* 2 IF 0x0\n"
	    "@ 2\n* 0 EX 0x10\n+ 3 0x104 0x0 [internal ld/st]\n* 3 DA 0x0\n* 2 DA 0x0\n"
	    "@ 3\n* 0 WB 0x0\n* 1 EX 0x0\n* 2 EX 0x10\n"
	    "@ 4\n* 1 WB 0x0\n* 2 WB 0x0\n* 3 EX 0x1\n"
	    "@ 5\n* 0 CT 0x0\n- 0\n* 1 CT 0x0\n- 1\n"
	    "@ 24\n* 3 WB 0x0\n@ 25\n* 2 CT 0x0\n- 2\n* 3 CT 0x0\n- 3\n";
	static const struct why_asked asked = {false, "dcache"};
	struct store *s = text_store(text);
	struct why w;

	ask(&w, s, &asked, 1);
	assert_adds_up(&w);
	assert_int_equal(w.cycles, 25);
	assert_int_equal(w.instructions, 2);
	assert_int_equal(w.whatifs.data[0].saved, 19);
	why_free(&w);
	store_close(s);
}

/* A load of a wrong path takes a place in the load-store queue, as one that commits does. */
TEST(wrong_path_load)
{
	static const char text[] =
	    "@ 0\n+ 0 0x100 0x0 ldq r1,0(r2)\n* 0 IF 0x0\n+ 1 0x104 0x0 ldq r3,0(r4)\n* 1 IF 0x0\n"
	    "@ 1\n* 0 DA 0x0\n* 1 DA 0x0\n@ 2\n* 0 EX 0x0\n@ 3\n* 0 WB 0x0\n"
	    "@ 4\n- 1\n@ 5\n* 0 CT 0x0\n- 0\n";
	struct store *s = text_store(text);
	struct why w;

	ask(&w, s, NULL, 0);
	assert_adds_up(&w);
	assert_int_equal(w.instructions, 1);
	assert_int_equal(w.reading->machine.number[WHY_RULE_LSQ], 2);
	assert_int_equal(w.reading->machine.number[WHY_RULE_WINDOW_SIZE], 2);
	why_free(&w);
	store_close(s);
}

/* One miss at a time: without misses nobody waits for a register to hold the next one either. */
TEST(one_miss_at_a_time)
{
	static const char text[] =
	    "@ 0\n+ 0 0x100 0x0 ldq r1,0(r2)\n* 0 IF 0x0\n+ 1 0x104 0x0 ldq r3,0(r4)\n* 1 IF 0x0\n"
	    "+ 2 0x108 0x0 ldq r5,0(r6)\n* 2 IF 0x0\n@ 1\n* 0 DA 0x0\n* 1 DA 0x0\n* 2 DA 0x0\n"
	    "@ 2\n* 0 EX 0x1\n* 2 EX 0x0\n@ 3\n* 2 WB 0x0\n@ 22\n* 0 WB 0x0\n* 1 EX 0x1\n"
	    "@ 23\n* 0 CT 0x0\n- 0\n@ 42\n* 1 WB 0x0\n@ 43\n* 1 CT 0x0\n- 1\n* 2 CT 0x0\n- 2\n";
	static const struct why_asked asked = {false, "dcache"};
	struct store *s = text_store(text);
	struct why w;

	ask(&w, s, &asked, 1);
	assert_adds_up(&w);
	assert_true(w.residue_share == 0);
	assert_int_equal(w.cycles, 43);
	assert_int_equal(w.whatifs.data[0].cycles, 4);
	why_free(&w);
	store_close(s);
}

TEST(refusals)
{
	static const struct why_asked asked[] = {{false, "dcache,nothing"}, {true, "windows=3"},
						 {true, "window"}, {false, "execute"},
						 {true, "depth=0,window=0"}};
	static const int64_t row[WHY_TIMES] = {0, 2, 3, 4, 5};
	struct error e = {STATUS_OK, ""};
	struct log l = {0};
	struct store *s;
	struct why w;

	s = text_store("Kanata\t0004\nC=\t0\nI\t0\t0\t0\nS\t0\t0\tF\nC\t1\nR\t0\t0\t1\n");
	assert_int_equal(why_new(&w, s, &(struct why_question){.range = NULL}, &e), STATUS_INPUT);
	assert_non_null(strstr(e.text, "nothing committed"));
	store_close(s);
	put_row(&l, 0, "add r1, r2, r3", row);
	s = store_of(&l);
	for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); i++)
		assert_int_equal(why_new(&w, s,
					 &(struct why_question){.asked = &asked[i], .asked_count = 1},
					 &e), STATUS_USAGE);
	store_close(s);
}

TEST(places)
{
	struct why_ring r;
	struct why_slot *s;

	assert_true(why_ring_new(&r, 3));
	for (int i = 0; i < 6; i++)
		why_ring_put(&r, (const int64_t[]){5, 9, 7, 1, 8, 6}[i], (uint32_t)i);
	assert_int_equal(r.left[r.first].at, 7); /* of 7 8 9 */
	assert_int_equal(r.left[r.first].who, 2);
	free(r.left);
	s = calloc(WHY_SLOTS, sizeof(*s));
	assert_non_null(s);
	for (int i = 0; i < 4; i++)
		why_slots_take(s, 10 + i / 2, i == 0);
	assert_int_equal(why_slots_free_from(s, 10, 2, 0), 12);
	assert_int_equal(why_slots_free_from(s, 10, 3, 0), 10);
	assert_int_equal(why_slots_free_from(s, 10, 3, 1), 11);
	assert_int_equal(why_slots_free_from(s, 9, 0, 0), 9);
	free(s);
}
