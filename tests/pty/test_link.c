/*
 * The link to the terminal: silent while nothing happens, a frame in one write(), held back
 * where the terminal can do that, and dropped, not queued, where the link is slow.
 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>
#include <locale.h>

#include "ptyrun.h"

enum {
	WIDTH = 200,
	HEIGHT = 50,
	SILENCE_MS = 3000, /* longer than anything the program does by itself takes turns in */
	KEYS = 400,
	KEY_MS = 20,      /* between two of them */
	KEYS_A_GULP = 80, /* between two times that the slow reader reads */
	KEYS_A_FRAME = 4  /* at least, then */
};

static char demo[4096];

static void start(struct ptyrun *p)
{
	char *argv[] = {getenv("PIPEGLASS"), (char[]){"--config"}, (char[]){"none"}, demo, NULL};

	assert_non_null(argv[0]);
	assert_true(ptyrun_start(p, WIDTH, HEIGHT, NULL, argv));
}

static void press(struct ptyrun *p, const char *keys)
{
	ptyrun_send(p, keys, strlen(keys));
	assert_true(ptyrun_idle(p));
}

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static bool is_past(struct ptyrun *p, void *data)
{
	(void)p;
	return now_ms() >= *(int64_t *)data;
}

static void pass_time(struct ptyrun *p, int ms)
{
	int64_t until = now_ms() + ms;

	assert_true(ptyrun_wait_asking(p, is_past, &until));
}

static void says_nothing_while_nothing_happens(void **state)
{
	struct ptyrun p;
	uint64_t before;

	(void)state;
	start(&p);
	assert_true(ptyrun_idle(&p));
	press(&p, "j");
	before = p.received;
	pass_time(&p, SILENCE_MS);
	assert_int_equal(p.received, before);
	assert_true(before > 0);
	ptyrun_end(&p);
}

/* What is short comes in one piece: the marks would cost as much as a step of the cursor. */
static void writes_a_frame_at_once(void **state)
{
	static const struct {
		const char *key;
		bool held;
	} keys[] = {{"L", false},   {"f", true}, {"l", true}, {"G", true}, {"g", true},
		    {"\014", true}, {"i", true}, {"-", true}, {"+", true}};
	struct ptyrun p;

	(void)state;
	start(&p);
	p.emulator.synchronises = true;
	assert_true(ptyrun_idle(&p));
	ptyrun_count(&p);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		int held = p.emulator.holds;

		press(&p, keys[i].key);
		assert_int_equal(p.emulator.holds > held, keys[i].held);
		assert_int_equal(p.emulator.holds, p.emulator.shows);
	}
	assert_in_range(p.frames, sizeof(keys) / sizeof(keys[0]), UINT32_MAX);
	assert_int_equal(p.writes, p.frames);
	ptyrun_end(&p);
}

/* Of all cells; to be freed. */
static struct cell *picture(const struct ptyrun *p)
{
	struct cell *cells = calloc((size_t)WIDTH * HEIGHT, sizeof(*cells));

	assert_non_null(cells);
	for (int y = 0; y < HEIGHT; y++)
		for (int x = 0; x < WIDTH; x++)
			cells[y * WIDTH + x] = emulator_cell(&p->emulator, x, y);
	return cells;
}

/* Pages to and fro and down, each a few thousand bytes. */
static const char *key(int i)
{
	return i % 3 == 2 ? "b" : "f";
}

static void reads_slowly(struct ptyrun *p)
{
	for (int i = 0; i < KEYS; i++) {
		p->deaf = i % KEYS_A_GULP != KEYS_A_GULP - 1;
		ptyrun_send(p, key(i), 1);
		pass_time(p, KEY_MS);
	}
	p->deaf = false;
	assert_true(ptyrun_idle(p));
}

static void drops_frames_on_a_slow_link(void **state)
{
	struct ptyrun slow, fast;
	struct cell *shown, *wanted;
	struct sbuf keys = {0};

	(void)state;
	start(&slow);
	assert_true(ptyrun_idle(&slow));
	ptyrun_count(&slow);
	reads_slowly(&slow);
	print_message("%d keys, %llu frames, %llu dropped, %llu bytes\n", KEYS,
		      (unsigned long long)slow.frames, (unsigned long long)slow.dropped,
		      (unsigned long long)slow.frame_bytes);
	assert_in_range(slow.frames, 2, KEYS / KEYS_A_FRAME);
	assert_in_range(slow.dropped, 1, KEYS);
	/* a full link takes a part of a frame, and the rest in a second write() */
	assert_in_range(slow.writes, slow.frames, 2 * slow.frames);
	shown = picture(&slow);
	ptyrun_end(&slow);
	start(&fast);
	assert_true(ptyrun_idle(&fast));
	for (int i = 0; i < KEYS; i++)
		sbuf_puts(&keys, key(i));
	press(&fast, sbuf_text(&keys));
	wanted = picture(&fast);
	for (int i = 0; i < WIDTH * HEIGHT; i++)
		if (!emulator_looks_same(shown[i], wanted[i]))
			fail_msg("cell %d,%d is not as on a fast link", i % WIDTH, i / WIDTH);
	sbuf_free(&keys);
	free(shown);
	free(wanted);
	ptyrun_end(&fast);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(says_nothing_while_nothing_happens),
	    cmocka_unit_test(writes_a_frame_at_once),
	    cmocka_unit_test(drops_frames_on_a_slow_link),
	};
	const char *srcdir = getenv("srcdir");

	setlocale(LC_CTYPE, "");
	unsetenv("COLORTERM");
	unsetenv("NO_COLOR");
	setenv("TERM", "xterm-256color", 1);
	snprintf(demo, sizeof(demo), "%s/samples/sort-4wide.trc.gz", srcdir ? srcdir : ".");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
