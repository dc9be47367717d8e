/*
 * Keys and commands at random, at every size of screen, while the trace is still being read:
 * whatever is typed, drawing works and nothing is lost. The sequence is the same in each run;
 * PIPEGLASS_MONKEY_SEED and PIPEGLASS_MONKEY_STEPS make another one.
 */
#include "config.h"

#include "app/app.h"
#include "app/command.h"
#include "pipeline/kind.h"
#include "app_trace.h"
#include "testing.h"

static uint64_t seed;

/* splitmix64: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014 */
static uint64_t next(void)
{
	uint64_t z = seed += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static unsigned below(unsigned n)
{
	return (unsigned)(next() % n);
}

static const char *const words[] = {
    "",
    "0",
    "1",
    "7",
    "64",
    "12345",
    "-1",
    "9223372036854775807",
    "50%",
    "0x1004",
    "#42",
    "'a",
    "''",
    "a",
    "z",
    "EX",
    "cache",
    "squashed",
    "micro-ops",
    "ipc",
    "occupancy W",
    "legend",
    "text",
    "mouse on",
    "pan 50",
    "seq",
    "vi",
    "main x redraw",
    "main x",
    "ldr|str",
    "!ldr",
    ".",
    "(",
    "[",
    "'",
    "\"",
    ";",
    "a ; b",
    "\xff\x01",
    "DA d 3 decode",
};

static const struct {
	int w, h;
} sizes[] = {{1, 1}, {2, 2}, {5, 3}, {20, 5}, {40, 10}, {80, 24}, {133, 40}, {300, 100}};

static struct key random_key(void)
{
	struct key k = {0, 0};

	if (below(3) == 0)
		k.code = KEY_NAMED + 1 + below(K_LAST - KEY_NAMED - 1);
	else
		k.code = ' ' + below(95);
	if (below(6) == 0)
		k.mods = (uint8_t)below(8);
	return k;
}

/* Not those that would go and read files of the machine or wait for what never comes. */
static bool is_tame(const struct command *c)
{
	static const char *const wild[] = {"open", "source", "keys"};

	for (size_t i = 0; i < sizeof(wild) / sizeof(wild[0]); i++)
		if (strcmp(c->name, wild[i]) == 0)
			return false;
	return true;
}

static void random_command(struct app *a)
{
	const struct command *c;
	size_t count = 0;
	char line[128];
	struct error e;

	while (command_at(count))
		count++;
	c = command_at(below((unsigned)count));
	snprintf(line, sizeof(line), "%s %s", c->name,
		 words[below(sizeof(words) / sizeof(words[0]))]);
	if (is_tame(c))
		app_command(a, line, NULL, &e);
}

static void random_mouse(struct app *a)
{
	struct mouse m = {
	    .kind = (enum mouse_kind)below(4),
	    .x = (int)below(310) - 5,
	    .y = (int)below(110) - 5,
	    .button = 1 + (int)below(3),
	    .mods = (uint8_t)below(8),
	    .twice = below(4) == 0,
	};

	app_mouse(a, &m);
}

static void step(struct app *a, const char *trace)
{
	struct error e = {STATUS_OK, ""};

	if (!store_of_trace(app_trace(a)) && app_open(a, trace, &e))
		fail_msg("%s", e.text);
	switch (below(8)) {
	case 0:
	case 1:
		random_command(a);
		break;
	case 2:
		random_mouse(a);
		break;
	default:
		app_key(a, random_key());
	}
	if (below(50) == 0)
		trace_make(trace, (int)below(TRACE_ROWS));
}

static void draw(struct app *a, struct grid *g)
{
	unsigned size = below(sizeof(sizes) / sizeof(sizes[0]));
	struct error e = {STATUS_OK, ""};
	int wait_ms;

	for (int i = 0; i < 3; i++)
		app_idle(a, &wait_ms);
	assert_true(grid_resize(g, sizes[size].w, sizes[size].h));
	if (below(2))
		app_layout(a, g->w, g->h);
	/* the file is cut and written anew all the time: reading it may fail, but only so */
	if (app_draw(a, g, &e))
		assert_int_equal(e.code, STATUS_IO);
}

TEST(monkey)
{
	const char *steps = getenv("PIPEGLASS_MONKEY_STEPS"), *s = getenv("PIPEGLASS_MONKEY_SEED");
	char dir[] = "/tmp/pipeglass-monkey-XXXXXX", trace[64], command[80];
	struct app_options options = {.store.no_cache = true, .config = "none"};
	struct grid g = {0};
	struct error e = {STATUS_OK, ""};
	struct app *a;

	seed = s ? strtoull(s, NULL, 0) : 1;
	assert_non_null(mkdtemp(dir));
	snprintf(trace, sizeof(trace), "%s/a.trc", dir);
	trace_make(trace, TRACE_ROWS);
	setenv("PIPEGLASS_SECURE", "1", 1);
	assert_int_equal(app_new(&a, &options, &e), STATUS_OK);
	for (long i = steps ? atol(steps) : 500; i > 0; i--) {
		step(a, trace);
		draw(a, &g);
	}
	app_free(a);
	grid_free(&g);
	snprintf(command, sizeof(command), "rm -rf '%s'", dir);
	assert_int_equal(system(command), 0);
}
