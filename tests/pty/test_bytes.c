/*
 * What a key costs on the link: the real program in a pseudo-terminal of 200x50 cells and 256
 * colours, a cell a cycle, at places spread over the whole trace and in its squashed regions. Every
 * picture that a few bytes made is compared with the one that a full repaint makes.
 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "ptyrun.h"
#include "ptyscript.h"

enum {
	WIDTH = 200,
	HEIGHT = 50,
	PLACES = 24, /* every third one in a squashed region */
	STEPS = 200, /* of a walk */
	STRAY = 16,  /* of the cursor around each place */
	REST_MS = 300,
	FAULTS_TOLD = 20
};

/*
 * Limits in bytes of whole frames: median, 19 of 20 and most over all places; the second of a pair
 * with a strip of three curves, of three lines each at this height. Half as much again is what a
 * strip may cost, and a coarse pan, which draws all of it anew, twice as much.
 */
static const struct action {
	const char *name, *keys;
	bool pinned; /* the window does not follow the lives by itself */
	struct limit {
		uint64_t median, usual, most;
	} limit[2];
} actions[] = {
    {"cursor down", "j", false, {{48, 64, 64}, {64, 112, 128}}},
    {"cursor up", "k", false, {{48, 64, 64}, {64, 112, 128}}},
    {"cursor right", "L", false, {{48, 64, 64}, {96, 112, 112}}},
    {"cursor left", "H", false, {{48, 64, 64}, {96, 112, 112}}},
    {"row down", "W", true, {{300, 300, 300}, {450, 450, 450}}},
    {"row up", "B", true, {{300, 300, 300}, {450, 450, 450}}},
    {"pan right", "M", true, {{600, 600, 800}, {900, 900, 900}}},
    {"pan left", "P", true, {{900, 900, 900}, {1350, 1350, 1350}}},
    {"diagonal down", "WM", true, {{600, 600, 800}, {900, 900, 900}}},
    {"diagonal up", "BP", true, {{600, 600, 600}, {900, 900, 900}}},
    {"page down", "f", false, {{7000, 7000, 7000}, {10500, 10500, 10500}}},
    {"page up", "b", false, {{7000, 7000, 7000}, {10500, 10500, 10500}}},
    {"coarse pan right", "l", false, {{600, 700, 800}, {1500, 2200, 2300}}},
    {"coarse pan left", "h", false, {{1200, 2200, 2600}, {2100, 2900, 3500}}},
};

enum { ACTIONS = sizeof(actions) / sizeof(actions[0]) };

/*
 * Key by key down a trace, the cursor at the lower edge, the window after the lives: mostly a row
 * down, and seldom a jump, which costs no more than a page.
 */
static const struct limit walk_limit[2] = {{300, 300, 7000}, {450, 450, 10500}};

/* The cursor here and there, hundreds of steps: the worst one counts. */
static const struct stray {
	const char *name, *keys;
	struct limit limit[2];
} strays[] = {
    {"stray over rows", "jk", {{48, 64, 80}, {64, 120, 132}}},
    {"stray over cycles", "LH", {{48, 64, 64}, {96, 116, 116}}},
};

enum { STRAYS = sizeof(strays) / sizeof(strays[0]) };

struct tour {
	struct ptyrun run;
	bool strip;
	int faults;
	uint64_t bytes[ACTIONS][PLACES], walk[STEPS], strayed[STRAYS][PLACES * STRAY];
	uint32_t random;
};

static void press(struct tour *t, const char *keys)
{
	ptyrun_send(&t->run, keys, strlen(keys));
	if (!ptyrun_idle(&t->run))
		fail_msg("no rest after %s", keys);
}

static void fault(struct tour *t, const char *what, const char *action, int place)
{
	if (t->faults++ < FAULTS_TOLD)
		print_error("place %d, %s: %s\n", place, action, what);
}

static struct cell *picture(const struct tour *t)
{
	struct cell *cells = calloc((size_t)WIDTH * HEIGHT, sizeof(*cells));

	assert_non_null(cells);
	for (int y = 0; y < HEIGHT; y++)
		for (int x = 0; x < WIDTH; x++)
			cells[y * WIDTH + x] = emulator_cell(&t->run.emulator, x, y);
	return cells;
}

/* Is what the terminal shows what a repaint makes of it? */
static bool is_right(struct tour *t)
{
	struct cell *shown = picture(t), *whole;
	bool cursor = t->run.emulator.cursor_visible, same;
	int x, y, whole_x, whole_y;

	emulator_cursor(&t->run.emulator, &x, &y);
	press(t, "\014");
	whole = picture(t);
	emulator_cursor(&t->run.emulator, &whole_x, &whole_y);
	same =
	    cursor == t->run.emulator.cursor_visible && (!cursor || (x == whole_x && y == whole_y));
	for (int i = 0; i < WIDTH * HEIGHT; i++)
		same = same && emulator_looks_same(shown[i], whole[i]);
	free(shown);
	free(whole);
	return same;
}

static void measure(struct tour *t, const struct action *a, int place)
{
	ptyrun_count(&t->run);
	press(t, a->keys);
	t->bytes[a - actions][place] = t->run.frame_bytes;
	if (t->run.frames > 1)
		fault(t, "more than one frame", a->name, place);
	if (t->run.writes != t->run.frames)
		fault(t, "a frame in more than one write()", a->name, place);
	if (!is_right(t))
		fault(t, "not what a repaint shows", a->name, place);
}

static void go_to(struct tour *t, int place, bool pinned)
{
	char keys[64];

	press(t, pinned ? ":set pinned on\r" : ":set pinned off\r");
	snprintf(keys, sizeof(keys), ":goto row %d\r", 150 + place * 165);
	press(t, keys);
	press(t, place % 3 == 2 ? "s." : ".");
}

static void start(struct tour *t)
{
	char *strip_off = (char[]){"set strip off"};
	char *third_curve = (char[]){"metric add occupancy DA"};
	char *argv[] = {getenv("PIPEGLASS"),
			(char[]){"--config"},
			(char[]){"none"},
			(char[]){"-c"},
			(char[]){"bind main W scroll down"},
			(char[]){"-c"},
			(char[]){"bind main B scroll up"},
			(char[]){"-c"},
			(char[]){"bind main M scroll right"},
			(char[]){"-c"},
			(char[]){"bind main P scroll left"},
			(char[]){"-c"},
			t->strip ? third_curve : strip_off,
			getenv("DEMO"),
			NULL};

	assert_non_null(argv[0]);
	assert_true(ptyrun_start(&t->run, WIDTH, HEIGHT, NULL, argv));
	assert_true(ptyrun_idle(&t->run));
}

static int by_size(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void judge(struct tour *t, const char *name, uint64_t *bytes, size_t count,
		  const struct limit *limit)
{
	uint64_t median, usual, most;
	bool missed;

	qsort(bytes, count, sizeof(*bytes), by_size);
	median = bytes[count / 2];
	usual = bytes[count * 19 / 20];
	most = bytes[count - 1];
	missed = median > limit->median || usual > limit->usual || most > limit->most;
	print_message("%-18s %-6s %6llu %6llu %6llu %6llu %6llu %6llu%s\n", name,
		      t->strip ? "strip" : "", (unsigned long long)median,
		      (unsigned long long)limit->median, (unsigned long long)usual,
		      (unsigned long long)limit->usual, (unsigned long long)most,
		      (unsigned long long)limit->most, missed ? "  MISSED" : "");
	t->faults += missed;
}

static void walk(struct tour *t)
{
	go_to(t, 10, false);
	press(t, "40j");
	for (int i = 0; i < STEPS; i++) {
		ptyrun_count(&t->run);
		press(t, "j");
		t->walk[i] = t->run.frame_bytes;
	}
	if (!is_right(t))
		fault(t, "not what a repaint shows", "walk", 10);
}

/* The same way each time. */
static unsigned toss(struct tour *t, unsigned sides)
{
	t->random = t->random * 1664525u + 1013904223u;
	return (t->random >> 16) % sides;
}

/* Both kinds in turn, so that each begins where the other led. */
static void stray(struct tour *t, int place)
{
	go_to(t, place, false);
	for (int i = 0; i < STRAY * STRAYS; i++) {
		const struct stray *s = &strays[i % STRAYS];
		const char key[2] = {s->keys[toss(t, 2)], '\0'};

		ptyrun_count(&t->run);
		press(t, key);
		t->strayed[i % STRAYS][place * STRAY + i / STRAYS] = t->run.frame_bytes;
	}
	if (!is_right(t))
		fault(t, "not what a repaint shows", "stray", place);
}

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static bool is_over(struct ptyrun *p, void *data)
{
	(void)p;
	return now_ms() >= *(int64_t *)data;
}

static void rest(struct tour *t)
{
	int64_t until = now_ms() + REST_MS;
	uint64_t before = t->run.received;

	ptyrun_wait_asking(&t->run, is_over, &until);
	if (t->run.received != before)
		fault(t, "writes though nothing happens", "rest", 0);
}

static void take_tour(bool strip)
{
	struct tour *t = calloc(1, sizeof(*t));
	int faults;

	assert_non_null(t);
	t->strip = strip;
	start(t);
	for (int place = 0; place < PLACES; place++)
		for (int i = 0; i < ACTIONS; i++) {
			if (i % 2 == 0)
				go_to(t, place, actions[i].pinned);
			measure(t, &actions[i], place);
		}
	for (int place = 0; place < PLACES; place++)
		stray(t, place);
	walk(t);
	rest(t);
	print_message("%-18s %-6s %6s %6s %6s %6s %6s %6s\n", "bytes", "", "median", "limit",
		      "19/20", "limit", "most", "limit");
	for (int i = 0; i < ACTIONS; i++)
		judge(t, actions[i].name, t->bytes[i], PLACES, &actions[i].limit[strip]);
	for (int i = 0; i < STRAYS; i++)
		judge(t, strays[i].name, t->strayed[i], (size_t)PLACES * STRAY,
		      &strays[i].limit[strip]);
	judge(t, "walk", t->walk, STEPS, &walk_limit[strip]);
	ptyrun_end(&t->run);
	faults = t->faults;
	free(t);
	assert_int_equal(faults, 0);
}

static void keys_cost_few_bytes(void **state)
{
	(void)state;
	take_tour(false);
}

static void keys_cost_few_bytes_with_a_strip(void **state)
{
	(void)state;
	take_tour(true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(keys_cost_few_bytes),
	    cmocka_unit_test(keys_cost_few_bytes_with_a_strip),
	};

	ptyscript_prepare();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
