/*
 * src/app, rows that are read again: when a row comes that is older than what was shown, the tab
 * stays where it was, whether it follows or not, and its filter holds for the rows as they are now.
 */
#include "config.h"

#include <inttypes.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "app/tab.h"
#include "app/tail.h"

enum { ROWS = 300, CYCLE = 500, LINES = 20, COLUMNS = 60, PLACE = 50, LATE_START = 20 };

static char path[] = "/tmp/pipeglass-renew-XXXXXX";
static FILE *file;

/* Row i begins at cycle 10 * i. */
static void put_row(int id, int cycle)
{
	int64_t at = (int64_t)cycle * CYCLE;

	fprintf(file,
		"O3PipeView:fetch:%" PRId64 ":0x%08x:0:%d:  %s r%d\n"
		"O3PipeView:decode:%" PRId64 "\nO3PipeView:rename:0\nO3PipeView:dispatch:0\n"
		"O3PipeView:issue:%" PRId64 "\nO3PipeView:complete:0\n"
		"O3PipeView:retire:%" PRId64 ":store:0\n",
		at, 0x1000 + id * 4, id, id % 3 ? "add" : "mul", id, at + CYCLE, at + 3 * CYCLE,
		at + 6 * CYCLE);
}

/* What app_progress() does, until so many rows are there: true when less was to be drawn. */
static bool await_rows(struct tab *t, uint64_t rows)
{
	struct pollfd wake = {.fd = store_wake_fd(t->store), .events = POLLIN};
	uint64_t before = t->rows_seen;
	struct progress p = {.rows = 0};
	bool less = false;

	while (p.rows < rows) {
		bool draws = tab_progress(t, &p);

		less = less || (draws && p.rows < before);
		if (p.rows < rows && poll(&wake, 1, 20000) <= 0)
			fail_msg("%" PRIu64 " of %" PRIu64 " rows came", p.rows, rows);
	}
	return less;
}

static struct tab *begin(void)
{
	static const struct trace_options store = {.no_cache = true, .threads = 2};
	const struct tab_options o = {.store = &store, .follow = true};
	struct error e = {STATUS_OK, ""};
	struct tab *t;

	file = fopen(path, "w");
	assert_non_null(file);
	for (int i = 0; i < ROWS; i++)
		put_row(2 * i, 10 * i);
	fflush(file);
	if (tab_open(&t, path, &o, &e))
		fail_msg("%s", e.text);
	pipeview_layout(&t->view, COLUMNS, LINES);
	await_rows(t, ROWS);
	return t;
}

/* A row of odd number, between two others that were shown. */
static void come_late(struct tab *t)
{
	put_row(2 * LATE_START + 1, 10 * LATE_START + 5);
	put_row(2 * ROWS, 10 * ROWS);
	fflush(file);
	assert_false(await_rows(t, ROWS + 2));
}

static void end(struct tab *t)
{
	tab_close(t);
	fclose(file);
}

static uint64_t id_of(struct tab *t, uint64_t row)
{
	struct error e;

	assert_int_equal(store_detail(t->store, row, 1, &t->seen, &e), STATUS_OK);
	assert_int_equal(t->seen.count, 1);
	t->seen_row = row; /* as describing it for the screen does */
	return t->seen.rows[0].id;
}

static void following_goes_on(void **state)
{
	struct tab *t = begin();

	(void)state;
	t->follow = true;
	tab_stick(t);
	assert_int_equal(tab_place(t).item, ROWS - 1);
	come_late(t);
	assert_int_equal(tab_live(t), LIVE_FOLLOWING);
	assert_int_equal(tab_place(t).item, ROWS + 1);
	end(t);
}

static void paused_stays(void **state)
{
	struct tab *t = begin();
	struct place place;
	uint64_t id, line;
	int64_t left;

	(void)state;
	t->follow = t->paused = true;
	pipeview_goto(&t->view, PLACE, TICK_NONE);
	place = tab_place(t);
	line = t->view.cursor - t->view.top;
	left = t->view.axis.left;
	id = id_of(t, PLACE);
	come_late(t);
	assert_int_equal(tab_live(t), LIVE_PAUSED);
	assert_int_equal(tab_place(t).item, PLACE + 1);
	assert_int_equal(id_of(t, PLACE + 1), id);
	assert_int_equal(tab_place(t).tick, place.tick);
	assert_int_equal(t->view.cursor - t->view.top, line);
	assert_int_equal(t->view.axis.left, left);
	end(t);
}

/* Marks, the jump list and the selection name rows before and behind the one that comes late. */
static void what_is_kept_stays_with_its_rows(void **state)
{
	static const uint64_t rows[] = {PLACE, LATE_START, LATE_START + 1, ROWS - 1};
	enum { COUNT = sizeof(rows) / sizeof(rows[0]) };
	struct tab *t = begin();
	struct place back;

	(void)state;
	t->follow = t->paused = true;
	for (int i = 0; i < COUNT; i++) {
		assert_true(places_mark(&t->places, (char)('a' + i), rows[i], 7));
		places_jumped(&t->places, (struct place){.item = rows[i], .tick = 8});
	}
	pipeview_goto(&t->view, 2, TICK_NONE);
	tab_select(t, SELECT_ROWS);
	t->anchor_row = PLACE;
	tab_track_selection(t);
	renewal_learn(t);
	id_of(t, 2);
	come_late(t);
	for (int i = 0; i < COUNT; i++) {
		const struct mark *m = places_find(&t->places, (char)('a' + i));

		assert_int_equal(m->at.item, rows[i] + (rows[i] > LATE_START));
		assert_int_equal(m->at.tick, 7);
		assert_int_equal(id_of(t, m->at.item), 2 * rows[i]);
		assert_int_equal(t->places.jumps[i].item, m->at.item);
	}
	assert_int_equal(t->places.before.item, ROWS);
	assert_true(places_back(&t->places, tab_place(t), &back));
	assert_int_equal(back.item, ROWS);
	assert_int_equal(tab_place(t).item, 2);
	assert_true(t->view.selection.on);
	assert_int_equal(t->view.selection.item0, 2);
	assert_int_equal(t->view.selection.item1, PLACE + 2);
	end(t);
}

/* Set while rows come back it has the new number already; and all of them may come back twice. */
static void a_mark_set_meanwhile_is_not_moved(void **state)
{
	struct tab *t = begin();

	(void)state;
	places_mark(&t->places, 'a', PLACE, 7);
	renewal_learn(t);
	come_late(t);
	places_mark(&t->places, 'b', PLACE, 7);
	renewal_learn(t);
	assert_int_equal(id_of(t, places_find(&t->places, 'b')->at.item), 2 * PLACE - 2);
	put_row(2 * LATE_START + 3, 10 * LATE_START + 15);
	put_row(2 * ROWS + 2, 10 * ROWS + 10);
	fflush(file);
	await_rows(t, ROWS + 4);
	assert_int_equal(id_of(t, places_find(&t->places, 'a')->at.item), 2 * PLACE);
	assert_int_equal(id_of(t, places_find(&t->places, 'b')->at.item), 2 * PLACE - 2);
	end(t);
}

static void filter_is_made_again(void **state)
{
	const atomic_bool never = false;
	struct tab *t = begin();
	struct filter_spec spec;
	struct filter *f;
	struct error e;

	(void)state;
	t->follow = true;
	assert_int_equal(regex_new(&t->choice.text, "mul", &e), STATUS_OK);
	spec = (struct filter_spec){.text = t->choice.text};
	assert_int_equal(filter_new(&f, t->store, &spec, &never, &e), STATUS_OK);
	tab_set_filter(t, f);
	come_late(t);
	assert_non_null(t->filter);
	assert_ptr_equal(t->view.filter, t->filter);
	assert_int_equal(filter_total(t->filter), ROWS + 2);
	/* ids are even but for the late one, 41 */
	assert_int_equal(filter_count(t->filter), ROWS / 3 + 1);
	assert_int_equal(tab_live(t), LIVE_FOLLOWING);
	end(t);
}

/* Nothing on the screen describes the row of the cursor then. */
static void a_selection_ends_at_its_row(void **state)
{
	struct tab *t = begin();

	(void)state;
	t->follow = t->paused = true;
	pipeview_goto(&t->view, PLACE, TICK_NONE);
	tab_select(t, SELECT_ROWS);
	pipeview_goto(&t->view, PLACE + 3, TICK_NONE);
	tab_track_selection(t);
	renewal_learn(t);
	come_late(t);
	assert_int_equal(tab_place(t).item, PLACE + 4);
	assert_int_equal(t->view.selection.item0, PLACE + 1);
	assert_int_equal(t->view.selection.item1, PLACE + 5);
	end(t);
}

static void a_filter_keeps_the_row(void **state)
{
	const atomic_bool never = false;
	struct tab *t = begin();
	struct filter_spec spec;
	struct filter *f;
	struct error e;
	uint64_t index;

	(void)state;
	t->follow = t->paused = true;
	assert_int_equal(regex_new(&t->choice.text, "add", &e), STATUS_OK);
	spec = (struct filter_spec){.text = t->choice.text};
	assert_int_equal(filter_new(&f, t->store, &spec, &never, &e), STATUS_OK);
	tab_set_filter(t, f);
	pipeview_goto(&t->view, PLACE, TICK_NONE); /* id 100 */
	renewal_learn(t);
	index = t->view.cursor;
	come_late(t); /* id 41: it is shown */
	assert_int_equal(tab_place(t).item, PLACE + 1);
	assert_int_equal(t->view.cursor, index + 1);
	end(t);
}

static int setup(void **state)
{
	int fd = mkstemp(path);

	(void)state;
	return fd < 0 ? -1 : close(fd);
}

static int teardown(void **state)
{
	(void)state;
	return unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(following_goes_on),
	    cmocka_unit_test(paused_stays),
	    cmocka_unit_test(what_is_kept_stays_with_its_rows),
	    cmocka_unit_test(a_mark_set_meanwhile_is_not_moved),
	    cmocka_unit_test(filter_is_made_again),
	    cmocka_unit_test(a_selection_ends_at_its_row),
	    cmocka_unit_test(a_filter_keeps_the_row),
	};

	return cmocka_run_group_tests_name("rows read again", tests, setup, teardown);
}
