/* src/analysis/executed, codemap: hand-made traces whose program is known. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/pipeline/executed.h"
#include "analysis/pipeline/reduce_trace.h"
#include "base/sbuf.h"
#include "testing.h"
#include "text_store.h"

/* ---- a writer of traces: one instruction a cycle ------------------------------------------- */

struct maker {
	struct sbuf text;
	int cycle, seq;
};

static int born(struct maker *m, unsigned pc, const char *text)
{
	sbuf_printf(&m->text, "@ %d\n+ %d 0x%x 0x0 %s\n* %d IF 0x0\n", m->cycle++, m->seq, pc, text,
		    m->seq);
	return m->seq++;
}

static void goes(struct maker *m, int seq, const char *stage)
{
	sbuf_printf(&m->text, "@ %d\n* %d %s 0x0\n", m->cycle++, seq, stage);
}

static void ends(struct maker *m, int seq)
{
	sbuf_printf(&m->text, "@ %d\n- %d\n", m->cycle++, seq);
}

static void commits(struct maker *m, int seq)
{
	goes(m, seq, "DA");
	goes(m, seq, "CT");
	ends(m, seq);
}

static void drops(struct maker *m, int seq)
{
	sbuf_printf(&m->text, "@ %d\n* %d DA 0x0\n- %d\n", m->cycle++, seq, seq);
}

static void run(struct maker *m, unsigned pc, const char *text)
{
	commits(m, born(m, pc, text));
}

static struct store *made(struct maker *m)
{
	struct store *s = text_store(sbuf_text(&m->text));

	sbuf_free(&m->text);
	return s;
}

/* ---- what came out ------------------------------------------------------------------------- */

struct told {
	const struct store *store;
	char text[512];
};

/* "PC[+PARTS][t[AHEAD]] ..." */
static bool tell(void *arg, const struct executed *x)
{
	struct told *t = arg;
	size_t len = strlen(t->text);
	const char *text;
	uint64_t pc = 0;
	bool has_pc;
	size_t text_len;

	store_code(t->store, x->code, &pc, &has_pc, &text, &text_len);
	len += (size_t)snprintf(t->text + len, sizeof(t->text) - len, "%s%x", len ? " " : "",
				(unsigned)pc);
	if (x->parts)
		len += (size_t)snprintf(t->text + len, sizeof(t->text) - len, "+%u", x->parts);
	if (x->taken)
		len += (size_t)snprintf(t->text + len, sizeof(t->text) - len, "t");
	if (x->ahead)
		snprintf(t->text + len, sizeof(t->text) - len, "%u", x->ahead);
	return true;
}

static struct executed_counts assert_told(struct store *s, const struct executed_options *o,
					  const char *want)
{
	struct told t = {s, ""};
	struct range all = range_all(s);
	struct executed_counts counts;
	struct codemap m;

	assert_int_equal(codemap_new(&m, s, ISA_UNKNOWN, NULL), STATUS_OK);
	assert_int_equal(executed_walk(s, &m, &all, o, NULL, tell, &t, &counts, NULL), STATUS_OK);
	assert_string_equal(t.text, want);
	codemap_free(&m);
	return counts;
}

static const struct executed_options whole;

TEST(tells_branches_by_where_it_went)
{
	struct maker m = {.seq = 1};
	struct executed_counts c;
	struct store *s;

	for (int round = 0; round < 2; round++) {
		run(&m, 0x100, "addq r1,1,r1");
		run(&m, 0x104, "beq r1,0x8");
		if (round)
			run(&m, 0x108, "addq r2,1,r2");
		run(&m, 0x10c, "cmplt r1,r3,r4");
		run(&m, 0x110, "bne r4,0xffffffec");
	}
	s = made(&m);
	c = assert_told(s, &whole, "100 104t2 10c 110t 100 104 108 10c 110");
	assert_int_equal(c.instructions, 9);
	assert_int_equal(c.redirects, 0);
	assert_int_equal(c.unread, 0);
	store_close(s);
}

TEST(an_unconditional_branch_is_taken_to_the_end)
{
	struct maker m = {.seq = 1};
	struct store *s;

	run(&m, 0x100, "addq r1,1,r1");
	run(&m, 0x104, "br r31,0x0");
	run(&m, 0x108, "addq r1,1,r1");
	run(&m, 0x10c, "ret r31,(r26)");
	s = made(&m);
	assert_told(s, &whole, "100 104t1 108 10ct");
	store_close(s);
}

/* A nop that decode consumed stands where its pc fits; on the wrong path it does not. */
TEST(nops_count_on_the_right_path_only)
{
	struct maker m = {.seq = 1};
	struct executed_counts c;
	struct store *s;

	run(&m, 0x100, "addq r1,1,r1");
	drops(&m, born(&m, 0x104, "bis r31,r31,r31"));
	run(&m, 0x108, "beq r1,0x8");
	drops(&m, born(&m, 0x10c, "bis r31,r31,r31")); /* fetched, but the branch was taken */
	run(&m, 0x114, "addq r1,1,r1");
	run(&m, 0x118, "addq r1,1,r1");
	s = made(&m);
	c = assert_told(s, &whole, "100 104 108t3 114 118");
	assert_int_equal(c.nops, 1);
	store_close(s);
}

/* A macro-instruction is consumed at decode, its micro-ops are committed, or some are squashed. */
TEST(micro_ops_make_one_instruction)
{
	static const struct executed_options parts = {.parts = true};
	struct maker m = {.seq = 1};
	struct executed_counts c;
	struct store *s;
	int macro, micro;

	run(&m, 0x80e8, "mov  r1,#2");
	macro = born(&m, 0x80ec, "ldr  r0,[r4],#4");
	drops(&m, macro);
	for (int i = 0; i < 2; i++) {
		micro = m.seq++;
		sbuf_printf(&m.text, "@ %d\n+ %d 0x80ec 0x0 %s\n* %d DA 0x0\n", m.cycle++, micro,
			    i ? "agen  r4,r4,4" : "ldp  r0,[r4]", micro);
		goes(&m, micro, "CT");
		ends(&m, micro);
	}
	run(&m, 0x80f0, "mov  r1,r12");
	run(&m, 0x80f4, "bne  0xfffffff0");
	macro = born(&m, 0x80ec, "ldr  r0,[r4],#4"); /* half of it is squashed */
	drops(&m, macro);
	for (int i = 0; i < 2; i++) {
		micro = m.seq++;
		sbuf_printf(&m.text, "@ %d\n+ %d 0x80ec 0x0 %s\n* %d DA 0x0\n", m.cycle++, micro,
			    i ? "agen  r4,r4,4" : "ldp  r0,[r4]", micro);
		if (!i)
			goes(&m, micro, "CT");
		ends(&m, micro);
	}
	run(&m, 0x80f8, "mov  r1,r12");
	s = made(&m);
	c = assert_told(s, &whole, "80e8 80ec+2 80f0 80f4 80f8");
	assert_int_equal(c.orphans, 1);
	assert_int_equal(c.loads, 1);
	c = assert_told(s, &parts, "80e8 80ec 80ec 80f0 80f4t 80ect3 80f8");
	assert_int_equal(c.orphans, 0);
	store_close(s);
}

/* Kanata names two threads; each is a program of its own. */
TEST(threads_are_programs_of_their_own)
{
	static const char text[] = "Kanata\t0004\nC=\t0\n"
				   "I\t0\t0\t0\nL\t0\t0\t100: add r1,r1,r1\nS\t0\t0\tF\n"
				   "I\t1\t1\t1\nL\t1\t0\t500: add r1,r1,r1\nS\t1\t0\tF\nC\t1\n"
				   "I\t2\t2\t0\nL\t2\t0\t104: add r1,r1,r1\nS\t2\t0\tF\n"
				   "W\t2\t0\t0\n"
				   "I\t3\t3\t1\nL\t3\t0\t504: add r1,r1,r1\nS\t3\t0\tF\nC\t1\n"
				   "R\t0\t0\t0\nR\t1\t1\t0\nR\t2\t2\t0\nR\t3\t3\t0\n";
	struct store *s = text_store(text);
	struct reduce_trace_options o = {.at = {5, 5}};
	struct range all = range_all(s);
	struct reduced_trace r;

	assert_told(s, &whole, "100 104 500 504");
	o.executed.links = true;
	assert_int_equal(reduce_trace(&r, s, &all, &o, NULL, NULL), STATUS_OK);
	assert_int_equal(r.reduction.instructions, 4);
	assert_int_equal(r.reduction.targets, 0);
	assert_int_equal(r.reduction.arcs[REDUCE_RAW], 1);
	assert_int_equal(r.charge_count, 1);
	assert_int_equal(r.charges[0].cycles, 4);
	assert_int_equal(r.charges[0].from, 0);
	assert_int_equal(r.charges[0].row, 2);
	reduced_trace_free(&r);
	store_close(s);
}

/* The charges of all dependencies are the data and stack cycles; without one, that much is saved. */
TEST(charges_add_up)
{
	static const struct pipeline points[] = {{5, 5}, {3, 1}};
	struct maker m = {.seq = 1};
	struct reduce_trace_options o = {
	    .at = {5, 5}, .simulate = points, .simulate_count = 2};
	struct reduced_trace r, without;
	struct reduce_cycles c[2], d;
	struct range all;
	struct store *s;
	int64_t sum = 0;

	for (int round = 0; round < 5; round++) {
		run(&m, 0x100, "addq r1,1,r1");
		run(&m, 0x104, "addq r1,r2,r5");
		run(&m, 0x108, "addq r1,r5,r6");
		run(&m, 0x10c, "br r31,0xfffffff0");
	}
	s = made(&m);
	all = range_all(s);
	assert_int_equal(reduce_trace(&r, s, &all, &o, NULL, NULL), STATUS_OK);
	assert_true(reduced_trace_exact(&r));
	assert_int_equal(reduce_evaluate(&r.reduction, points, 2, false, c, NULL), STATUS_OK);
	for (size_t i = 0; i < r.charge_count; i++)
		sum += r.charges[i].cycles;
	assert_int_equal(sum, c[0].data + c[0].stack);
	assert_int_equal(r.simulated[0], c[0].cycles);
	assert_int_equal(r.simulated[1], c[1].cycles);
	o.without = true;
	o.without_resolver = r.charges[0].resolver;
	o.without_dependent = r.charges[0].dependent;
	assert_int_equal(reduce_trace(&without, s, &all, &o, NULL, NULL), STATUS_OK);
	assert_int_equal(reduce_evaluate(&without.reduction, points, 1, false, &d, NULL),
			 STATUS_OK);
	assert_true(d.cycles < c[0].cycles);
	assert_true(c[0].cycles - d.cycles <= r.charges[0].cycles);
	reduced_trace_free(&without);
	reduced_trace_free(&r);
	store_close(s);
}

/* ---- the map ------------------------------------------------------------------------------- */

/* Of so many texts, of which so many of a hundred are Alpha's and the others nobody's. */
static enum isa elected(int count, int alpha)
{
	struct maker m = {.seq = 1};
	struct codemap map;
	struct store *s;
	enum isa isa;
	char text[40];

	for (int i = 0; i < count; i++) {
		snprintf(text, sizeof(text), i * 37 % 100 < alpha ? "addq r1,%d,r2" : "no such %d",
			 i % 256);
		run(&m, 0x1000 + 4 * (unsigned)i, text);
	}
	s = made(&m);
	assert_int_equal(store_code_count(s), count);
	assert_int_equal(codemap_new(&map, s, ISA_UNKNOWN, NULL), STATUS_OK);
	isa = map.isa;
	codemap_free(&map);
	store_close(s);
	return isa;
}

/* A sample decides where it is clear, else all texts do: more than half, and not just about. */
TEST(elects_its_instruction_set)
{
	assert_int_equal(elected(50, 100), ISA_ALPHA);
	assert_int_equal(elected(3000, 100), ISA_ALPHA);
	assert_int_equal(elected(3000, 90), ISA_ALPHA);
	assert_int_equal(elected(3000, 51), ISA_ALPHA);
	assert_int_equal(elected(3000, 50), ISA_UNKNOWN);
	assert_int_equal(elected(3000, 10), ISA_UNKNOWN);
}

/* Texts are read when they are asked for; a code that is not there is none. */
TEST(reads_a_text_when_asked)
{
	struct maker m = {.seq = 1};
	const struct code_insn *c;
	struct codemap map;
	struct store *s;

	run(&m, 0x100, "addq r1,1,r1");
	run(&m, 0x104, "ldq r1,0(r2)");
	s = made(&m);
	assert_int_equal(codemap_new(&map, s, ISA_UNKNOWN, NULL), STATUS_OK);
	assert_false(map.codes[0].known);
	c = codemap_at(&map, 1);
	assert_true(c && c->read && c->has_pc);
	assert_int_equal(c->pc, 0x104);
	assert_int_equal(c->insn.class, OP_LOAD);
	assert_int_equal(c->size, 4);
	assert_false(map.codes[0].known);
	assert_null(codemap_at(&map, 2));
	assert_null(codemap_at(&map, CODE_NONE));
	codemap_free(&map);
	store_close(s);
}

static bool count_row(void *arg, const struct row *row)
{
	(void)row;
	++*(int *)arg;
	return false; /* which does not end the walk */
}

static bool no_operands(void *arg, const struct executed *x)
{
	(void)arg;
	assert_int_equal(x->source_count + x->sink_count, 0);
	return true;
}

TEST(tells_rows_and_leaves_out_operands)
{
	struct maker m = {.seq = 1};
	int rows = 0;
	struct executed_options o = {.plain = true, .rows = count_row, .rows_arg = &rows};
	struct executed_counts counts;
	struct codemap map;
	struct range all;
	struct store *s;

	run(&m, 0x100, "addq r1,1,r1");
	ends(&m, born(&m, 0x200, "addq r1,1,r1")); /* squashed */
	run(&m, 0x104, "addq r1,1,r1");
	s = made(&m);
	all = range_all(s);
	assert_int_equal(codemap_new(&map, s, ISA_UNKNOWN, NULL), STATUS_OK);
	assert_int_equal(executed_walk(s, &map, &all, &o, NULL, no_operands, NULL, &counts, NULL),
			 STATUS_OK);
	assert_int_equal(counts.instructions, 2);
	assert_int_equal(rows, 3);
	codemap_free(&map);
	store_close(s);
}
