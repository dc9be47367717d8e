/*
 * isa on whole traces. Without arguments: every instruction of the traces in samples, which must
 * all be read. With them: `KEY FILE`, lines of text that must be found to be of instruction set
 * KEY, and all but one in a hundred read; what is not is printed. tests/real/isa.sh does that.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "isa/isa.h"

enum { LINE_MAX_LEN = 4096 };

struct corpus {
	const char *name;
	struct isa_votes votes;
	uint64_t unread;
};

static void take(struct corpus *c, enum isa isa, const char *text)
{
	struct isa_insn insn;

	isa_vote(&c->votes, text, strlen(text));
	if (isa_decode(isa, text, strlen(text), &insn))
		return;
	c->unread++;
	printf("%s: `%s`: %s, at byte %u\n", c->name, text, isa_unread_name(insn.unread),
	       (unsigned)insn.unread_at);
}

static bool convinces(const struct corpus *c, enum isa isa, uint64_t unread_of)
{
	enum isa found = isa_elect(&c->votes);

	printf("%s: %s: %llu of %llu texts not read\n", c->name, isa_key(found),
	       (unsigned long long)c->unread, (unsigned long long)c->votes.texts);
	return found == isa && c->votes.texts && c->unread <= c->votes.texts / unread_of;
}

static char *cut_line(char *line)
{
	line[strcspn(line, "\r\n")] = '\0';
	return line;
}

/* The disassembly of a pipetrace's `+ ID PC ADDRESS TEXT`; NULL of another line. */
static const char *born(char *line)
{
	const char *p = line;
	int field;

	if (p[0] != '+')
		return NULL;
	for (field = 0; p && field < 4; field++) {
		p = strchr(p, ' ');
		p = p ? p + 1 : NULL;
	}
	return p;
}

static bool check_sample(const char *name)
{
	const char *srcdir = getenv("srcdir");
	struct corpus c = {.name = name};
	char line[LINE_MAX_LEN];
	const char *text;
	gzFile f;

	snprintf(line, sizeof(line), "%s/samples/%s", srcdir ? srcdir : ".", name);
	f = gzopen(line, "rb");
	if (!f) {
		printf("%s: %s\n", line, strerror(errno));
		return false;
	}
	while (gzgets(f, line, sizeof(line))) {
		text = born(cut_line(line));
		if (text)
			take(&c, ISA_ALPHA, text);
	}
	gzclose(f);
	return convinces(&c, ISA_ALPHA, UINT64_MAX);
}

static bool check_file(enum isa isa, const char *path)
{
	struct corpus c = {.name = path};
	char line[LINE_MAX_LEN];
	FILE *f = fopen(path, "r");

	if (!f) {
		perror(path);
		return false;
	}
	while (fgets(line, sizeof(line), f))
		take(&c, isa, cut_line(line));
	fclose(f);
	return convinces(&c, isa, 100);
}

int main(int argc, char **argv)
{
	static const char *const samples[] = {
	    "daxpy-4wide.trc.gz",          "list-2wide.trc.gz", "matmul-4wide.trc.gz",
	    "matmul-blocked-4wide.trc.gz", "sort-2wide.trc.gz", "sort-4wide.trc.gz",
	};
	bool good = true;
	size_t i;

	if (argc == 3)
		return !check_file(isa_find(argv[1]), argv[2]);
	if (argc != 1) {
		fprintf(stderr, "usage: %s [KEY FILE]\n", argv[0]);
		return 2;
	}
	for (i = 0; i < sizeof(samples) / sizeof(*samples); i++)
		good &= check_sample(samples[i]);
	return !good;
}
