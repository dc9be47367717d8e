/*
 * src/app, a filter over live text: a row that is let in when its end comes moves those behind it,
 * and the cursor stays at its row and line, or at the newest row.
 */
#include "config.h"

#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "app/pipeline/rows.h"
#include "app/tab.h"
#include "app/tail.h"
#include "open_store.h"
#include "testing.h"

enum { ROWS = 60, SLOW = 5, PLACE = 30, LINES = 20, COLUMNS = 60 };

static char path[] = "/tmp/pipeglass-refilter-XXXXXX";
static FILE *file;
static struct app *app;

static void await(struct tab *t, uint64_t rows, uint64_t committed)
{
	struct pollfd wake = {.fd = store_wake_fd(rows_of(t)->store), .events = POLLIN};
	struct progress p = {.items = 0};
	struct totals totals = {.instructions = 0};

	for (;;) {
		tab_progress(t, &p);
		store_totals(rows_of(t)->store, &totals);
		if (p.items >= rows && totals.fates[FATE_COMMITTED] >= committed &&
		    (!rows_of(t)->filter || filter_count(rows_of(t)->filter) >= committed))
			return;
		if (poll(&wake, 1, 20000) <= 0)
			fail_msg("%" PRIu64 " of %" PRIu64 " rows came", p.items, rows);
	}
}

/* All rows but one have ended; the tab shows those that have. */
static struct tab *begin(void)
{
	static const struct trace_options store = {.no_cache = true, .threads = 2};
	const struct app_options options = {.config = "none"};
	struct tab_options o = {.store = &store, .follow = true};
	const struct filter_spec spec = {.fates = 1u << FATE_COMMITTED};
	const atomic_bool never = false;
	struct filter *f;
	struct error e = {STATUS_OK, ""};
	struct tab *t;

	file = fopen(path, "w");
	assert_non_null(file);
	fprintf(file, "Kanata\t0004\nC=\t0\n");
	for (int i = 0; i < ROWS; i++) {
		fprintf(file, "I\t%d\t%d\t0\nS\t%d\t0\tF\nC\t1\n", i, i, i);
		if (i != SLOW)
			fprintf(file, "R\t%d\t%d\t0\n", i, i);
	}
	fprintf(file, "C\t1\n");
	fflush(file);
	if (app_new(&app, &options, &e))
		fail_msg("%s", e.text);
	o.app = app;
	if (tab_open(&t, NULL, path, &o, &e))
		fail_msg("%s", e.text);
	pipeview_layout(&rows_of(t)->view, COLUMNS, LINES);
	await(t, ROWS, ROWS - 1);
	rows_of(t)->choice.fates = spec.fates;
	assert_int_equal(filter_new(&f, rows_of(t)->store, &spec, &never, &e), STATUS_OK);
	assert_int_equal(filter_count(f), ROWS - 1);
	rows_set_filter(t, f);
	return t;
}

static void end_slow_row(struct tab *t)
{
	fprintf(file, "R\t%d\t%d\t0\nC\t1\n", SLOW, SLOW);
	fflush(file);
	await(t, ROWS, ROWS);
	assert_true(filter_has(rows_of(t)->filter, SLOW));
}

static void end(struct tab *t)
{
	tab_close(t);
	app_free(app);
	fclose(file);
}

TEST(paused_stays)
{
	struct tab *t = begin();
	uint64_t line, index;

	t->follow = t->paused = true;
	pipeview_goto(&rows_of(t)->view, PLACE, TICK_NONE);
	index = rows_of(t)->view.cursor;
	line = rows_of(t)->view.cursor - rows_of(t)->view.top;
	end_slow_row(t);
	assert_int_equal(tab_live(t), LIVE_PAUSED);
	assert_int_equal(tab_place(t).item, PLACE);
	assert_int_equal(rows_of(t)->view.cursor, index + 1);
	assert_int_equal(rows_of(t)->view.cursor - rows_of(t)->view.top, line);
	end(t);
}

TEST(a_selection_keeps_its_rows)
{
	struct tab *t = begin();

	t->follow = t->paused = true;
	pipeview_goto(&rows_of(t)->view, PLACE, TICK_NONE);
	view_select(t->view, SELECT_ROWS);
	pipeview_goto(&rows_of(t)->view, PLACE + 3, TICK_NONE);
	rows_track_selection(t);
	end_slow_row(t);
	assert_int_equal(tab_place(t).item, PLACE + 3);
	assert_int_equal(rows_of(t)->view.selection.item0, PLACE);
	assert_int_equal(rows_of(t)->view.selection.item1, PLACE + 4);
	end(t);
}

TEST(following_goes_on)
{
	struct tab *t = begin();

	t->follow = true;
	tab_stick(t);
	assert_int_equal(tab_place(t).item, ROWS - 1);
	end_slow_row(t);
	assert_int_equal(tab_live(t), LIVE_FOLLOWING);
	assert_int_equal(tab_place(t).item, ROWS - 1);
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

FIXTURES(setup, teardown)
