#include "config.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/sbuf.h"
#include "open_store.h"
#include "text_store.h"

static struct store *open_store(const char *path, int64_t ticks_per_cycle)
{
	struct trace_options options = {
	    .no_cache = true, .threads = 1, .ticks_per_cycle = ticks_per_cycle};
	struct error e = {STATUS_OK, ""};
	struct store *s;

	if (store_open(&s, path, &options, &e) || store_wait(s, &e))
		fail_msg("%s", e.text);
	return s;
}

struct store *text_store(const char *text)
{
	return text_store_in_ticks(text, 0);
}

struct store *text_store_in_ticks(const char *text, int64_t ticks_per_cycle)
{
	char path[] = "/tmp/pipeglass-text-XXXXXX";
	struct store *s;
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	s = open_store(path, ticks_per_cycle);
	unlink(path);
	return s;
}

struct store *sample_store(const char *name)
{
	const char *srcdir = getenv("srcdir");
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/samples/%s", srcdir ? srcdir : ".", name);
	return open_store(path, 0);
}

enum { STAGES = 5 };

struct life {
	int at[STAGES];
	unsigned miss;
	bool squashed;
};

static void make_lives(struct life *lives, unsigned rows, unsigned seed)
{
	int fetch = -1, commit = 0;

	for (unsigned i = 0; i < rows; i++) {
		unsigned luck = (i * 7919 + seed * 104729) % 1009;
		struct life *l = &lives[i];
		int *at = l->at;

		l->miss = luck % 100 == 3 ? (luck % 3 ? 1 : 3) : 0;
		l->squashed = i % 40 > 29 && i % 40 < 33;
		at[0] = fetch += (i % 4 == 0) + (luck < 4 ? 18 : 0);
		at[1] = at[0] + 1 + (int)luck % 2;
		at[2] = at[1] + 1 + (int)luck % 5;
		at[3] = at[2] + 1 + (l->miss ? 40 : 0);
		commit += i % 4 == 0;
		at[4] = commit = commit > at[3] ? commit : at[3] + 1;
	}
}

static void put_records(struct sbuf *out, unsigned row, const struct life *l, int tick)
{
	static const char *const stages[STAGES] = {"IF", "DA", "EX", "WB", "CT"};

	if (tick == l->at[0])
		sbuf_printf(out, "+ %u 0x%x 0x0 addq r%u,r2,r3\n", 1000 + row,
			    0x1000 + 4 * (row % 900), row % 30);
	for (int i = 0; i < STAGES - 2 * l->squashed; i++)
		if (tick == l->at[i])
			sbuf_printf(out, "* %u %s 0x%x %d 0x%x\n", 1000 + row, stages[i],
				    i == 2 ? l->miss : 0, i == 2 && l->miss ? 40 : 0,
				    i == 2 ? l->miss & 1 : 0);
	if (tick == l->at[l->squashed ? 3 : 4])
		sbuf_printf(out, "- %u\n", 1000 + row);
}

struct store *machine_store(unsigned rows, unsigned seed)
{
	struct life *lives = calloc(rows, sizeof(*lives));
	struct sbuf text = {0};
	unsigned oldest = 0;
	struct store *s;

	assert_non_null(lives);
	make_lives(lives, rows, seed);
	for (int tick = 0; oldest < rows; tick++) {
		sbuf_printf(&text, "@ %d\n", tick);
		for (unsigned i = oldest; i < rows && lives[i].at[0] <= tick; i++)
			put_records(&text, i, &lives[i], tick);
		while (oldest < rows && lives[oldest].at[4] <= tick)
			oldest++;
	}
	s = text_store(sbuf_text(&text));
	sbuf_free(&text);
	free(lives);
	return s;
}
