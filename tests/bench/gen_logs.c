/*
 * usage: gen_logs kanata|o3 BYTES <SAMPLE >TRACE
 *
 * A long Kanata or O3PipeView log out of a short one: the sample is repeated until BYTES are
 * written, each time with ids (and ticks, where they are absolute) moved on. What the sample
 * leaves in flight stays so. Other lines, headers but the first among them, are left out.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_ROOM = 1 << 16 };

struct sample {
	char *text;
	size_t len;
	uint64_t ids, ticks; /* what a copy moves them on by */
};

struct copy {
	uint64_t ids, ticks;
	bool first;
};

static void fail(const char *what)
{
	fprintf(stderr, "gen_logs: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void read_sample(struct sample *s)
{
	size_t cap = 0, n;

	do {
		if (cap - s->len < 2) {
			cap = cap * 2 + (1 << 20);
			s->text = realloc(s->text, cap);
			if (!s->text)
				fail("memory");
		}
		n = fread(s->text + s->len, 1, cap - s->len - 1, stdin);
		s->len += n;
	} while (n > 0);
	s->text[s->len] = '\0';
}

/* A number at p moved on; 0 stays in formats where it means never. -> behind it */
static const char *put_moved(const char *p, uint64_t by, bool keep_zero)
{
	char *end;
	uint64_t n = strtoull(p, &end, 10);

	if (end == p)
		return p;
	printf("%" PRIu64, n == 0 && keep_zero ? 0 : n + by);
	return end;
}

/* Copy text up to and with the nth separator -> behind it */
static const char *put_fields(const char *p, char separator, int n)
{
	while (n && *p && *p != '\n') {
		n -= *p == separator;
		putchar(*p++);
	}
	return p;
}

static void put_rest(const char *p)
{
	while (*p && *p != '\n')
		putchar(*p++);
	putchar('\n');
}

/* Fields that hold ids: the second, of W the third too. */
static bool kanata_line(const char *p, const struct copy *c)
{
	char kind = p[0];

	if (c->first && (p[0] == 'K' || (p[0] == 'C' && p[1] == '='))) {
		put_rest(p);
		return true;
	}
	if (!strchr("CISELRW", kind) || p[1] != '\t')
		return false;
	if (kind == 'C') {
		put_rest(p);
		return true;
	}
	p = put_moved(put_fields(p, '\t', 1), c->ids, false);
	if (kind == 'W')
		p = put_moved(put_fields(p, '\t', 1), c->ids, false);
	put_rest(p);
	return true;
}

static bool o3_line(const char *p, const struct copy *c)
{
	if (strncmp(p, "O3PipeView:", 11) != 0)
		return false;
	if (strncmp(p + 11, "fetch:", 6) == 0) {
		p = put_moved(put_fields(p, ':', 2), c->ticks, true);
		put_rest(put_moved(put_fields(p, ':', 3), c->ids, false));
		return true;
	}
	if (strncmp(p + 11, "retire:", 7) == 0) {
		p = put_moved(put_fields(p, ':', 2), c->ticks, true);
		put_rest(put_moved(put_fields(p, ':', 2), c->ticks, true));
		return true;
	}
	put_rest(put_moved(put_fields(p, ':', 2), c->ticks, true));
	return true;
}

/* The largest id, and tick, of the sample; a copy moves on by a little more. */
static void measure(struct sample *s, bool o3)
{
	for (char *p = s->text; *p; p = strchr(p, '\n') + 1) {
		char *number = strchr(p, o3 ? ':' : '\t');
		uint64_t n;

		if (!strchr(p, '\n'))
			break;
		if (!number || number > strchr(p, '\n'))
			continue;
		if (!o3) {
			n = p[0] == 'I' ? strtoull(number + 1, NULL, 10) : 0;
			s->ids = n >= s->ids ? n + 1 : s->ids;
		} else if (strncmp(p, "O3PipeView:", 11) == 0) {
			number = strchr(number + 1, ':');
			n = number ? strtoull(number + 1, NULL, 10) : 0;
			s->ticks = n > s->ticks ? n : s->ticks;
			for (int i = 0; i < 3 && number && p[11] == 'f'; i++)
				number = strchr(number + 1, ':');
			n = number && p[11] == 'f' ? strtoull(number + 1, NULL, 10) : 0;
			s->ids = n >= s->ids ? n + 1 : s->ids;
		}
	}
	s->ticks = (s->ticks / 1000 + 1) * 1000;
}

int main(int argc, char **argv)
{
	bool o3 = argc == 3 && strcmp(argv[1], "o3") == 0, some = true;
	uint64_t wanted = argc == 3 ? strtoull(argv[2], NULL, 10) : 0;
	struct copy c = {.first = true};
	struct sample s = {0};

	if (!wanted || (!o3 && strcmp(argv[1], "kanata") != 0)) {
		fprintf(stderr, "usage: gen_logs kanata|o3 BYTES <SAMPLE >TRACE\n");
		return 2;
	}
	read_sample(&s);
	measure(&s, o3);
	setvbuf(stdout, NULL, _IOFBF, 1 << 20);
	while (some && (uint64_t)ftello(stdout) < wanted) {
		const char *p = s.text, *end;

		some = false;
		for (; (end = strchr(p, '\n')); p = end + 1)
			some |= o3 ? o3_line(p, &c) : kanata_line(p, &c);
		c.ids += s.ids;
		c.ticks += s.ticks;
		c.first = false;
	}
	free(s.text);
	return some && fflush(stdout) == 0 ? 0 : 1;
}
