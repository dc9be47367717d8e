/*
 * Arbitrary text as O3PipeView, as llvm-mca's JSON and as an optrace: lexed whole and cut in two by
 * a lexer that carries, which must agree; its lines asked for registers; then, and as a pipetrace
 * too, indexed and asked everything, by two workers and by one.
 *
 * Input: a byte for the format, a byte for where the text is cut (in 255ths), then the text.
 */
#include "config.h"

#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../unit/store_asking.h"
#include "fuzz.h"
#include "pipeline/formats/rows.h"
#include "../unit/open_store.h"

static void hash(uint64_t *h, uint64_t v)
{
	*h = (*h ^ v) * UINT64_C(0x100000001b3);
}

/* Rows must lie within the text; their sum as a number. */
static uint64_t lex(const struct reader *reader, const char *text, size_t len, size_t cut)
{
	struct trace_config config;
	struct names names;
	struct row_lexer lx;
	struct text_row rows[5];
	uint64_t h = 0;
	size_t n;

	reader->config(&config);
	names_init(&names, &config);
	row_lexer_init(&lx, reader, &names);
	lx.carry = true;
	for (int piece = cut ? 0 : 1; piece < 2; piece++) {
		row_lexer_begin(&lx, 0, piece ? cut : 0);
		while ((n = reader->lex_rows(&lx, text, piece ? len : cut, false, piece, rows, 5)) >
		       0)
			for (size_t i = 0; i < n; i++) {
				const struct text_row *r = &rows[i];

				if (r->off >= len || r->len > len - r->off || r->stays == 0 ||
				    r->stays > ROW_STAYS || r->end < r->start ||
				    (!r->words && r->text + r->text_len > len - r->off))
					abort();
				for (int k = 0; k < r->stays; k++)
					if (r->stay[k].end < r->stay[k].start ||
					    r->stay[k].start < r->start || r->stay[k].end > r->end)
						abort();
				hash(&h, r->id);
				hash(&h, (uint64_t)r->end);
				hash(&h, r->off);
			}
	}
	row_lexer_free(&lx);
	names_free(&names);
	return h;
}

/* What lines say of registers: whatever stands before them. */
static void tell_registers(const struct reader *reader, const char *text, size_t len)
{
	const char *end = text + len, *nl;

	for (const char *p = text; reader->renames && p < end; p = nl + 1) {
		struct row_rename n;

		nl = memchr(p, '\n', (size_t)(end - p));
		nl = nl ? nl : end;
		if (reader->renames(text, p, nl, &n) && n.kind > RENAME_WRITES)
			abort();
	}
}

static bool ask(const char *path, const struct reader *reader, int threads, uint64_t *answer)
{
	struct trace_options o = {.threads = threads, .no_cache = true, .as = reader->name};
	struct store *s;
	struct error e;

	if (store_open(&s, path, &o, &e) != STATUS_OK)
		return false;
	store_wait(s, &e);
	*answer = ask_everything(s);
	store_close(s);
	return true;
}

/* Whole and in two pieces. */
static void lex_twice(const struct reader *reader, const uint8_t *bytes, size_t len, size_t cut)
{
	char *text = calloc(len + 256, 1);
	uint64_t one, two;

	demand(text, "no memory");
	memcpy(text, bytes, len);
	if (!reader->whole) /* a piece ends behind a line */
		while (cut && text[cut - 1] != '\n')
			cut--;
	one = lex(reader, text, len, 0);
	two = lex(reader, text, len, reader->whole ? 0 : cut);
	tell_registers(reader, text, len);
	free(text);
	demand(one == two, "other rows in two pieces");
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	static const char *const formats[] = {"o3pipeview", "llvm-mca", "optrace", "pipetrace"};
	const struct reader *reader = reader_find(formats[len ? bytes[0] % 4 : 0]);
	int fd = memfd_create("trace", MFD_CLOEXEC);
	uint64_t one = 0, two = 0;
	char path[40];

	if (fd < 0)
		abort();
	if (len >= 3) {
		size_t cut = (len - 2) * bytes[1] / 255;

		bytes += 2;
		len -= 2;
		if (reader->lex_rows)
			lex_twice(reader, bytes, len, cut);
	}
	if (write(fd, bytes, len) != (ssize_t)len)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (ask(path, reader, 2, &one) && ask(path, reader, 1, &two))
		demand(one == two, "answers depend on the number of workers");
	close(fd);
	return 0;
}
