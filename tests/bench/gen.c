/*
 * usage: gen [-m] BYTES <SAMPLE >TRACE
 *
 * A long pipetrace out of a short one: the sample is repeated until BYTES are written, each
 * time with cycles and sequence numbers moved on, so that every life is unbroken and no number
 * comes twice. What the sample leaves in flight stays so until the copy after it overtakes it
 * in fetch. Statistics keep their values. With -m every line is written the way M5 does it:
 * real addresses, latency fields, thread suffixes, 500 ticks a cycle.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OUT_BYTES = 1 << 20, LINE_ROOM = 4096, TICKS_PER_CYCLE = 500 };

/* A line of the sample, cut at its number. kind '<': no number. */
struct line {
	char kind;
	uint64_t number;
	const char *rest; /* what follows the number, newline included */
	size_t len;
};

struct sample {
	char *text;
	size_t len;
	struct line *lines;
	size_t count;
	uint64_t first_cycle, cycles, first_seq, seqs;
};

static struct {
	char bytes[OUT_BYTES + LINE_ROOM];
	size_t len;
	uint64_t written;
} out;

static void fail(const char *what)
{
	fprintf(stderr, "gen: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void flush(void)
{
	for (size_t done = 0; done < out.len;) {
		ssize_t n = write(STDOUT_FILENO, out.bytes + done, out.len - done);

		if (n < 0)
			fail("write");
		done += (size_t)n;
	}
	out.written += out.len;
	out.len = 0;
}

static void put(const char *p, size_t len)
{
	memcpy(out.bytes + out.len, p, len);
	out.len += len;
}

static void put_number(uint64_t n)
{
	char digits[20];
	size_t at = sizeof(digits);

	do {
		digits[--at] = (char)('0' + n % 10);
		n /= 10;
	} while (n);
	put(digits + at, sizeof(digits) - at);
}

__attribute__((format(printf, 1, 2))) static void put_text(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	out.len += (size_t)vsnprintf(out.bytes + out.len, LINE_ROOM / 4, fmt, ap);
	va_end(ap);
}

static void read_sample(struct sample *s)
{
	size_t cap = 0;
	ssize_t n;

	do {
		if (cap - s->len < OUT_BYTES) {
			cap = cap * 2 + OUT_BYTES * 2;
			s->text = realloc(s->text, cap);
			if (!s->text)
				fail("memory");
		}
		n = read(STDIN_FILENO, s->text + s->len, cap - s->len - 1);
		if (n < 0)
			fail("read");
		s->len += (size_t)n;
	} while (n > 0);
	s->text[s->len] = '\0';
}

/* Words behind the number, so that put_m5() finds what it expects. */
static size_t words(const struct line *l)
{
	size_t blanks = 0;

	for (size_t i = 0; i + 1 < l->len; i++)
		blanks += l->rest[i] == ' ' && l->rest[i + 1] != '\n';
	return blanks;
}

/* What is neither a record with a number nor a statistic is left out: cut ends, foreign text. */
static bool cut_line(struct line *l, char *text, char *end)
{
	char *rest;

	*l = (struct line){.kind = text[0], .rest = text, .len = (size_t)(end + 1 - text)};
	if (text[0] == '<')
		return end - text < LINE_ROOM / 2 && strncmp(text, "<END", 4) != 0;
	if (!strchr("@+*-", text[0]) || text[1] != ' ' || text[2] < '0' || text[2] > '9')
		return false;
	l->number = strtoull(text + 2, &rest, 10);
	l->rest = rest;
	l->len = (size_t)(end + 1 - rest);
	return l->len < LINE_ROOM / 2 && words(l) >= (text[0] == '+' ? 3 : text[0] == '*' ? 2 : 0);
}

static void span(uint64_t number, uint64_t *first, uint64_t *last, bool *any)
{
	if (!*any || number < *first)
		*first = number;
	if (!*any || number > *last)
		*last = number;
	*any = true;
}

static void parse_sample(struct sample *s)
{
	uint64_t last_cycle = 0, last_seq = 0;
	bool any_cycle = false, any_seq = false;
	char *end;

	s->lines = malloc((s->len / 4 + 1) * sizeof(*s->lines));
	if (!s->lines)
		fail("memory");
	for (char *p = s->text; (end = memchr(p, '\n', (size_t)(s->text + s->len - p)));
	     p = end + 1) {
		struct line *l = &s->lines[s->count];

		if (!cut_line(l, p, end))
			continue;
		s->count++;
		if (l->kind == '@')
			span(l->number, &s->first_cycle, &last_cycle, &any_cycle);
		else if (l->kind != '<')
			span(l->number, &s->first_seq, &last_seq, &any_seq);
	}
	s->cycles = last_cycle - s->first_cycle + 1;
	s->seqs = last_seq - s->first_seq + 1;
	if (!any_cycle || !any_seq) {
		fprintf(stderr, "gen: the sample is no pipetrace\n");
		exit(1);
	}
}

/* " 0x120005550 0x00000000 lda r30": where the pc and the address end */
static void put_m5_birth(const struct line *l, uint64_t seq)
{
	size_t pc = 1 + strcspn(l->rest + 1, " \n");
	size_t address = pc + 1 + strcspn(l->rest + pc + 1, " \n");

	put(l->rest, pc);
	put_text(" 0x%016" PRIx64, seq * 8 + 0x140000000);
	put(l->rest + address, l->len - address - 1);
}

/* " IF 0x00000003" */
static void put_m5_entry(const struct line *l)
{
	unsigned long mask = strtoul(l->rest + 4, NULL, 16);

	put(l->rest, 4);
	put_text("0x%04lx %d 0x%04lx", mask, mask & 3 ? 14 : 0, mask & 1);
}

static void put_m5(const struct line *l, uint64_t seq)
{
	if (l->kind == '+')
		put_m5_birth(l, seq);
	else if (l->kind == '*')
		put_m5_entry(l);
	else
		put(l->rest, l->len - 1);
	put_text("  [T0, CP#%" PRIu64 "]\n", seq);
}

static void put_line(const struct sample *s, const struct line *l, uint64_t copy, bool m5)
{
	uint64_t seq = l->number - s->first_seq + copy * s->seqs;

	if (l->kind == '<') {
		put(l->rest, l->len);
		return;
	}
	put((char[]){l->kind, ' '}, 2);
	if (l->kind == '@') {
		uint64_t cycle = l->number - s->first_cycle + copy * s->cycles;

		put_number(m5 ? cycle * TICKS_PER_CYCLE : cycle);
		put(l->rest, l->len);
		return;
	}
	put_number(seq);
	if (m5)
		put_m5(l, seq);
	else
		put(l->rest, l->len);
}

int main(int argc, char **argv)
{
	bool m5 = argc == 3 && strcmp(argv[1], "-m") == 0;
	struct sample s = {0};
	uint64_t wanted = 0;

	if (argc == 2 + m5)
		wanted = strtoull(argv[1 + m5], NULL, 10);
	if (!wanted) {
		fprintf(stderr, "usage: gen [-m] BYTES <SAMPLE >TRACE\n");
		return 2;
	}
	read_sample(&s);
	parse_sample(&s);
	for (uint64_t copy = 0; out.written < wanted; copy++) {
		for (size_t i = 0; i < s.count && out.written + out.len < wanted; i++) {
			put_line(&s, &s.lines[i], copy, m5);
			if (out.len >= OUT_BYTES)
				flush();
		}
		flush();
	}
	free(s.lines);
	free(s.text);
	return 0;
}
