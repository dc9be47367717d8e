/* A trace as the model wants it: the embedded sample, against samples/sort-4wide.counters. */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/pipeline/cpi0_trace.h"
#include "base/embedded.h"
#include "open_store.h"
#include "testing.h"

enum { COMMITTED = 1568, CYCLES = 1746, BRANCHES = 376, FOUND_OUT = 109 };

static struct store *store;
static struct codemap map;
static struct machine machine;

static int open_sample(void **state)
{
	const struct embedded_file *trace = embedded_find("sort-4wide.trc.gz");
	const struct embedded_file *m = embedded_find("samplecore-4wide.machine");
	char path[] = "/tmp/pipeglass-cpi0-XXXXXX";
	struct trace_options options = {.no_cache = true, .threads = 1};
	struct error e = {STATUS_OK, ""};
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, trace->bytes, trace->len), trace->len);
	close(fd);
	if (store_open(&store, path, &options, &e) || store_wait(store, &e) ||
	    codemap_new(&map, store, ISA_UNKNOWN, &e) ||
	    machine_read(&machine, (const char *)m->bytes, m->len, &e))
		fail_msg("%s", e.text);
	unlink(path);
	return 0;
}

static int close_sample(void **state)
{
	(void)state;
	codemap_free(&map);
	store_close(store);
	return 0;
}

/* ---- micro-ops, as gem5 has them of x86 ----------------------------------------------------- */

/* An instruction a line, its micro-ops one behind another; what it is to the model. */
static const struct {
	const char *uops[6];
	int loads, stores, integers, floats, branches;
} x86[] = {
    {{"RET_NEAR : ld   t1, SS:[rsp]", "RET_NEAR : addi   rsp, rsp, 0x8", "RET_NEAR : wripi   t1, 0"},
     1, 0, 0, 0, 1},
    {{"CALL_NEAR_I : limm   t1, 0x9846", "CALL_NEAR_I : rdip   t7",
      "CALL_NEAR_I : st   t7, SS:[rsp + 0xfffffffffffffff8]", "CALL_NEAR_I : subi   rsp, rsp, 0x8",
      "CALL_NEAR_I : wrip   , t7, t1"},
     0, 1, 0, 0, 1},
    {{"JMP_M : ld   t1, DS:[rax]", "JMP_M : wripi   t1, 0x0"}, 1, 0, 0, 0, 1},
    {{"JZ_I : rdip   t1", "JZ_I : limm   t2, 0x10", "JZ_I : wrip   t1, t2"}, 0, 0, 0, 0, 1},
    {{"MULSD_XMM_M : ldfp   %ufp1, DS:[rax]", "MULSD_XMM_M : mmulf   %xmm0_low, %xmm0_low, %ufp1"},
     1, 0, 0, 1, 0},
    {{"IMUL_R_M : ld   t1, DS:[rax]", "IMUL_R_M : mul1s   rbx, t1", "IMUL_R_M : mulel   rbx",
      "IMUL_R_M : muleh   t0"},
     1, 0, 1, 0, 0},
    {{"ADD_M_R : ldst   t1, DS:[rax]", "ADD_M_R : add   t1d, t1d, ebx", "ADD_M_R : st   t1d, DS:[rax]"},
     1, 1, 1, 0, 0},
    {{"XOR_R_R : xor   rbp, rbp, rbp"}, 0, 0, 1, 0, 0},
};

enum { X86 = sizeof(x86) / sizeof(x86[0]), X86_TIMES = 40 };

static void write_x86(FILE *f)
{
	int number = 0;

	for (int i = 0; i < X86 * X86_TIMES; i++)
		for (int u = 0; u < 6 && x86[i % X86].uops[u]; u++) {
			int tick = 1000 + 500 * ++number;

			fprintf(f,
				"O3PipeView:fetch:%d:0x%08x:%d:%d:  %s\nO3PipeView:decode:%d\n"
				"O3PipeView:rename:%d\nO3PipeView:dispatch:%d\nO3PipeView:issue:%d\n"
				"O3PipeView:complete:%d\nO3PipeView:retire:%d:store:0\n",
				tick, 0x1000 + 8 * (i % X86), u, number, x86[i % X86].uops[u], tick + 500,
				tick + 1000, tick + 1500, tick + 2000, tick + 2500, tick + 3000);
		}
}

TEST(test_micro_ops)
{
	static const char *const machines[] = {"r10000.machine", "skylake.machine", "zen2.machine"};
	struct trace_options options = {.no_cache = true, .threads = 1};
	char path[] = "/tmp/pipeglass-cpi0-XXXXXX";
	struct error e = {STATUS_OK, ""};
	int loads = 0, stores = 0, integers = 0, floats = 0, branches = 0, fd = mkstemp(path);
	FILE *f = fdopen(fd, "w");
	struct codemap code;
	struct cpi0_trace t;
	struct progress p;
	struct range r;
	struct store *s;

	assert_non_null(f);
	write_x86(f);
	fclose(f);
	if (store_open(&s, path, &options, &e) || store_wait(s, &e) ||
	    codemap_new(&code, s, ISA_UNKNOWN, &e))
		fail_msg("%s", e.text);
	unlink(path);
	assert_int_equal(code.isa, ISA_X86_GEM5);
	store_progress(s, &p);
	r = range_all(s);
	r.tick0 = p.first;
	r.tick1 = p.last + 1;
	assert_int_equal(cpi0_trace_mix(&t, s, &code, &r, NULL, &e), STATUS_OK);
	for (int i = 0; i < X86; i++) {
		loads += x86[i].loads;
		stores += x86[i].stores;
		integers += x86[i].integers;
		floats += x86[i].floats;
		branches += x86[i].branches;
	}
	assert_int_equal(t.mix.total, X86 * X86_TIMES);
	assert_int_equal(cpi0_mix_known(&t.mix), X86 * X86_TIMES);
	assert_int_equal(t.mix.folded,
			 (loads + stores + integers + floats + branches - X86) * X86_TIMES);
	assert_int_equal(t.mix.classes[OP_LOAD], loads * X86_TIMES);
	assert_int_equal(t.mix.classes[OP_STORE], stores * X86_TIMES);
	assert_int_equal(t.mix.classes[OP_FP_MUL], floats * X86_TIMES);
	assert_int_equal(t.mix.classes[OP_INT_ALU], (integers - 1) * X86_TIMES);
	assert_int_equal(t.mix.classes[OP_INT_MUL], X86_TIMES);
	assert_int_equal(t.mix.classes[OP_RETURN], X86_TIMES);
	assert_int_equal(cpi0_mix_branches(&t.mix), branches * X86_TIMES);
	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
		const struct embedded_file *text = embedded_find(machines[i]);
		struct machine m;
		struct cpi0 c;
		double cpi;

		assert_int_equal(machine_read(&m, (const char *)text->bytes, text->len, &e), STATUS_OK);
		assert_int_equal(cpi0_model(&c, &m, &t.mix, &e), STATUS_OK);
		assert_int_equal(cpi0_trace_simulate(&cpi, s, &code, &r, &m, &c, NULL, &e), STATUS_OK);
		if (cpi < cpi0_real(c.cpi) || cpi > cpi0_real(c.cpi) * 1.2)
			fail_msg("%s: %g simulated, %g by the bound", m.name, cpi, cpi0_real(c.cpi));
	}
	codemap_free(&code);
	store_close(s);
}

/* ---- the sample ----------------------------------------------------------------------------- */

static struct range whole(void)
{
	struct range r = range_all(store);
	struct progress p;

	store_progress(store, &p);
	r.tick0 = p.first;
	r.tick1 = p.last + 1;
	return r;
}

static struct cpi0_trace trace_of(const struct range *r)
{
	struct cpi0_trace t;
	struct error e = {STATUS_OK, ""};

	if (cpi0_trace_mix(&t, store, &map, r, NULL, &e))
		fail_msg("%s", e.text);
	return t;
}

/* What decode consumed is no part of it. */
TEST(test_mix)
{
	struct range r = whole();
	struct cpi0_trace t = trace_of(&r);
	uint64_t windows = 0;

	assert_true(t.counts.nops > 0);
	assert_int_equal(t.mix.total, COMMITTED);
	assert_int_equal(cpi0_mix_known(&t.mix), COMMITTED);
	assert_int_equal(cpi0_mix_branches(&t.mix), BRANCHES);
	assert_int_equal(t.mix.classes[OP_LOAD] + t.mix.classes[OP_STORE], 551);
	assert_int_equal(t.mix.prediction.tries, BRANCHES);
	assert_in_range(t.mix.prediction.failed, FOUND_OUT - 1, FOUND_OUT);
	assert_int_equal(t.mix.data_cache.tries, 551);
	/* the trace begins with its first record, not with the cycles before it */
	assert_int_equal(t.mix.committed, COMMITTED);
	assert_in_range(t.mix.cycles, CYCLES - 58, CYCLES);
	assert_true(fabs(t.cpi - (double)t.mix.cycles / COMMITTED) < 1e-12);
	for (int w = 0; w < CPI0_WINDOWS; w++)
		windows += t.windows[w].total;
	assert_int_equal(windows, COMMITTED);
	assert_true(cpi0_drift(&t, &machine) >= 0 && cpi0_drift(&t, &machine) < 0.2);
}

/* Windows that all have one mix do not drift; a last quarter of something else does. */
TEST(test_drift)
{
	struct cpi0_trace *t = calloc(1, sizeof(*t));

	for (int w = 0; w < CPI0_WINDOWS; w++) {
		t->windows[w].classes[OP_LOAD] = t->windows[w].classes[OP_INT_ALU] = 50;
		t->windows[w].total = 100;
		t->mix.total += 100;
		t->mix.classes[OP_LOAD] += 50;
		t->mix.classes[OP_INT_ALU] += 50;
	}
	assert_true(cpi0_drift(t, &machine) == 0);
	for (int w = CPI0_WINDOWS * 3 / 4; w < CPI0_WINDOWS; w++) {
		t->windows[w].classes[OP_LOAD] = 100;
		t->windows[w].classes[OP_INT_ALU] = 0;
		t->mix.classes[OP_LOAD] += 50;
		t->mix.classes[OP_INT_ALU] -= 50;
	}
	assert_true(fabs(cpi0_drift(t, &machine) - 1.0 / 3) < 1e-12); /* integers: 1/2 to 3/8 */
	free(t);
}

TEST(test_range)
{
	struct range r = whole();
	struct cpi0_trace t;

	r.tick0 = 500;
	r.tick1 = 900;
	t = trace_of(&r);
	assert_int_equal(t.mix.cycles, 400);
	assert_in_range(t.mix.committed, 1, 800);
	assert_int_equal(t.mix.total, t.mix.committed); /* the same instructions */
	r.tick1 = r.tick0;
	t = trace_of(&r);
	assert_true(t.cpi < 0);
}

/* Rows of the middle live with others: theirs is a mix, and no CPI. */
TEST(test_rows)
{
	struct range r = whole();
	struct cpi0_trace t;

	r.row0 = 1000;
	r.row1 = 1100;
	t = trace_of(&r);
	assert_in_range(t.mix.total, 1, 100);
	assert_true(t.cpi < 0);
	assert_int_equal(t.mix.cycles, 0);
}

/* A bin has what a range of its cycles has. */
TEST(test_bins_are_ranges)
{
	struct range r = whole();
	struct cpi0_point points[3];
	struct error e = {STATUS_OK, ""};

	r.tick0 = 400;
	r.tick1 = 700;
	assert_int_equal(cpi0_series(points, 3, store, &map, &r, &machine, NULL, &e), STATUS_OK);
	for (int i = 0; i < 3; i++) {
		struct range bin = r;
		struct cpi0_trace t;
		struct cpi0 c;

		bin.tick0 = r.tick0 + 100 * i;
		bin.tick1 = bin.tick0 + 100;
		t = trace_of(&bin);
		assert_int_equal(cpi0_model(&c, &machine, &t.mix, &e), STATUS_OK);
		assert_int_equal(points[i].instructions, t.mix.total);
		assert_true(points[i].cpi == cpi0_real(c.cpi));
	}
}

TEST(test_series)
{
	enum { BINS = 20 };
	struct range r = whole();
	struct cpi0_trace t = trace_of(&r);
	struct cpi0_point points[BINS];
	struct error e = {STATUS_OK, ""};
	uint64_t sum = 0;
	struct cpi0 c;

	assert_int_equal(cpi0_model(&c, &machine, &t.mix, &e), STATUS_OK);
	assert_int_equal(cpi0_series(points, 1, store, &map, &r, &machine, NULL, &e), STATUS_OK);
	assert_int_equal(points[0].instructions, COMMITTED);
	assert_true(points[0].cpi == cpi0_real(c.cpi));
	assert_int_equal(points[0].limiting, 1u << 1); /* mem */
	assert_int_equal(cpi0_series(points, BINS, store, &map, &r, &machine, NULL, &e), STATUS_OK);
	for (int i = 0; i < BINS; i++) {
		sum += points[i].instructions;
		if (points[i].instructions)
			assert_true(points[i].cpi >= 0.25 && points[i].cpi <= 1);
		else
			assert_true(isnan(points[i].cpi) && points[i].limiting == 0);
	}
	assert_int_equal(sum, COMMITTED);
}

TEST(test_simulated)
{
	struct range r = whole();
	struct cpi0_trace t = trace_of(&r);
	struct error e = {STATUS_OK, ""};
	atomic_bool stop = true;
	struct cpi0 c;
	double cpi;

	assert_int_equal(cpi0_model(&c, &machine, &t.mix, &e), STATUS_OK);
	assert_int_equal(cpi0_trace_simulate(&cpi, store, &map, &r, &machine, &c, NULL, &e),
			 STATUS_OK);
	assert_true(cpi >= cpi0_real(c.cpi) && cpi < t.cpi);
	assert_int_equal(cpi0_trace_simulate(&cpi, store, &map, &r, &machine, &c, &stop, &e),
			 STATUS_INTERRUPTED);
}

FIXTURES(open_sample, close_sample)
