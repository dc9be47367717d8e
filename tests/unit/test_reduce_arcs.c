/* src/analysis/reduce_arcs: a window is what a run over the whole trace says of its rows. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/pipeline/reduce_arcs.h"
#include "analysis/pipeline/reduce_trace.h"
#include "base/sbuf.h"
#include "base/vec.h"
#include "open_store.h"
#include "testing.h"

enum { ROWS = 24000, CODE = 97 };

static uint32_t dice_state;

static uint32_t dice(uint32_t sides)
{
	dice_state = dice_state * 1664525 + 1013904223;
	return (dice_state >> 8) % sides;
}

/* A static instruction: the same text at each visit. */
static void put_code(struct sbuf *out, unsigned pc)
{
	unsigned a = pc * 7 % 11 + 1, b = pc * 5 % 11 + 1, c = pc * 3 % 11 + 1;

	if (pc % 9 == 4)
		sbuf_printf(out, "bne r%u,0x40", a);
	else if (pc % 23 == 7)
		sbuf_printf(out, "br r31,0x40");
	else
		sbuf_printf(out, "addq r%u,r%u,r%u", a, b, c);
}

/* Straight on, but for branches, which jump about every other time. */
static struct store *random_trace(void)
{
	char path[] = "/tmp/pipeglass-arcs-XXXXXX";
	struct trace_options options = {.no_cache = true, .threads = 1};
	struct error e = {STATUS_OK, ""};
	struct sbuf text = {0};
	struct store *s;
	unsigned pc = 0;
	int fd = mkstemp(path);

	dice_state = 7;
	for (int i = 0; i < ROWS; i++) {
		sbuf_printf(&text, "@ %d\n+ %d 0x%x 0x0 ", 4 * i, i, 0x1000 + 4 * pc);
		put_code(&text, pc);
		sbuf_printf(&text, "\n* %d IF 0x0\n@ %d\n* %d DA 0x0\n@ %d\n* %d CT 0x0\n@ %d\n- %d\n",
			    i, 4 * i + 1, i, 4 * i + 2, i, 4 * i + 3, i);
		pc = (pc % 9 == 4 && dice(2)) || pc % 23 == 7 ? dice(CODE) : (pc + 1) % CODE;
	}
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text.text, text.len), text.len);
	close(fd);
	sbuf_free(&text);
	if (store_open(&s, path, &options, &e) || store_wait(s, &e))
		fail_msg("%s", e.text);
	unlink(path);
	return s;
}

struct arcs {
	VEC(struct shown_arc) list;
};

static void collect(void *arg, const struct shown_arc *arc)
{
	struct arcs *a = arg;

	assert_true(vec_push(&a->list, *arc));
}

/* The whole trace, in one run. */
static void run_whole(struct store *s, struct pipeline at, struct arcs *out)
{
	const struct reduce_trace_options options = {
	    .at = at, .arc = collect, .arg = out};
	struct range all = range_all(s);
	struct reduced_trace r;

	assert_int_equal(reduce_trace(&r, s, &all, &options, NULL, NULL), STATUS_OK);
	reduced_trace_free(&r);
}

static const struct shown_arc *find(const struct reduce_arcs *a, uint64_t row, uint64_t from)
{
	size_t n;
	const struct shown_arc *arcs = reduce_arcs_of(a, row, &n);

	for (size_t i = 0; i < n; i++)
		if (arcs[i].from == from)
			return &arcs[i];
	fail_msg("no arc %d <- %d", (int)row, (int)from);
	return NULL;
}

static void compare(const struct reduce_arcs *a, const struct arcs *whole)
{
	size_t n = 0;

	for (size_t i = 0; i < whole->list.count; i++) {
		const struct shown_arc *w = &whole->list.data[i];
		const struct shown_arc *arc;

		if (w->row < a->first || w->row >= a->last)
			continue;
		arc = find(a, w->row, w->from);
		n++;
		assert_int_equal(arc->removed, w->removed);
		assert_int_equal(arc->cycles, w->cycles);
		assert_int_equal(arc->distance, w->distance);
		assert_int_equal(arc->by_row, w->by_row);
		assert_int_equal(arc->by_from, w->by_from);
		assert_int_equal(arc->branches, w->branches);
	}
	assert_int_equal(n, a->count);
}

TEST(windows_are_as_the_whole)
{
	struct store *s = random_trace();
	const struct reduce_look look = {.at = {9, 2}};
	uint64_t last = store_row_count(s);
	const uint64_t windows[][2] = {{0, 100},          {5000, 5400},   {9000, 9001},
				       {12345, 12800},    {20000, 21000}, {last - 300, last},
				       {last - 10, last + 500}};
	struct arcs whole = {.list.count = 0};
	unsigned seen[4] = {0};

	run_whole(s, look.at, &whole);
	for (size_t i = 0; i < sizeof(windows) / sizeof(windows[0]); i++) {
		struct reduce_arcs *a;

		assert_int_equal(reduce_arcs_new(&a, s, windows[i][0], windows[i][1], &look, NULL,
						 NULL),
				 STATUS_OK);
		compare(a, &whole);
		for (size_t k = 0; k < a->count; k++)
			seen[a->arcs[k].removed]++;
		reduce_arcs_free(a);
	}
	for (int i = 0; i < 4; i++)
		assert_true(seen[i]); /* else it does not try them all */
	vec_free(&whole.list);
	store_close(s);
}

TEST(which_are_shown)
{
	struct shown_arc arc = {.removed = 2};

	assert_true(arc_survives(&arc, ARCS_RAW));
	assert_true(arc_survives(&arc, ARCS_R1));
	assert_false(arc_survives(&arc, ARCS_R2));
	assert_false(arc_survives(&arc, ARCS_R3));
	arc.removed = 0;
	assert_true(arc_survives(&arc, ARCS_R3));
}

TEST(it_can_be_stopped)
{
	struct store *s = random_trace();
	const struct reduce_look look = {.at = {5, 5}};
	atomic_bool stop = true;
	struct reduce_arcs *a;

	assert_int_equal(reduce_arcs_new(&a, s, 0, ROWS, &look, &stop, NULL), STATUS_INTERRUPTED);
	assert_null(a);
	store_close(s);
}
