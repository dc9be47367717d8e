/* `pipeglass rows` on a file that is cut while its rows are being written. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <zlib.h>

#include "base/sbuf.h"
#include "cmd/cmd.h"
#include "testing.h"

enum { ROWS = 4278, STEP = 4096 /* rows that are read at once: the others are gone */ };

static char path[32];

/* A trace of more rows than are read at once. */
static void unpack_trace(void)
{
	const char *srcdir = getenv("srcdir");
	char packed[4096], bytes[8192];
	gzFile from;
	int fd, n;

	strcpy(path, "/tmp/test_cmd_rows-XXXXXX");
	fd = mkstemp(path);
	snprintf(packed, sizeof(packed), "%s/samples/sort-4wide.trc.gz", srcdir ? srcdir : ".");
	from = gzopen(packed, "rb");
	assert_non_null(from);
	while ((n = gzread(from, bytes, sizeof(bytes))) > 0)
		assert_int_equal(write(fd, bytes, (size_t)n), n);
	gzclose(from);
	close(fd);
}

/* What is written is kept; the first piece of it cuts the trace. */
static ssize_t cut_and_keep(void *cookie, const char *bytes, size_t len)
{
	if (truncate(path, 0) != 0)
		return 0;
	sbuf_add(cookie, bytes, len);
	return (ssize_t)len;
}

/* Standard error as a text. */
static FILE *hear_begin(int *before)
{
	FILE *heard = tmpfile();

	assert_non_null(heard);
	fflush(stderr);
	*before = dup(STDERR_FILENO);
	dup2(fileno(heard), STDERR_FILENO);
	return heard;
}

static void hear_end(FILE *heard, int before, char *text, size_t size)
{
	fflush(stderr);
	dup2(before, STDERR_FILENO);
	close(before);
	rewind(heard);
	text[fread(text, 1, size - 1, heard)] = '\0';
	fclose(heard);
}

static size_t count_of(const struct sbuf *text, const char *what)
{
	size_t n = 0;

	for (const char *p = sbuf_text(text); (p = strstr(p, what)); p += strlen(what))
		n++;
	return n;
}

/* The form's words are kept in out, and what was said in said. */
static void run_cut(const char *command, const char *form, struct sbuf *out, char *said,
		    size_t size)
{
	cookie_io_functions_t io = {.write = cut_and_keep};
	FILE *stream = fopencookie(out, "w", io), *heard;
	char words[3][16] = {"", "--no-cache", ""};
	char *argv[] = {words[0], words[1], words[2], path, NULL};
	struct error e = {STATUS_OK, ""};
	enum status status;
	int before;

	unpack_trace();
	snprintf(words[0], sizeof(words[0]), "%s", command);
	snprintf(words[2], sizeof(words[2]), "%s", form);
	assert_non_null(stream);
	setvbuf(stream, NULL, _IONBF, 0);
	heard = hear_begin(&before);
	status = cmd_run(cmd_find(command), 4, argv, stream, &(int){0}, &e);
	hear_end(heard, before, said, size);
	fclose(stream);
	unlink(path);
	assert_int_equal(status, STATUS_OK);
}

/* In one test: cmocka takes SIGBUS back for each. */
TEST(lost_rows_say_so)
{
	static const struct {
		const char *command, *form, *row, *first_lost;
		int read;
	} forms[] = {
	    {"rows", "--json", "\"row\":", "\"row\":4096,\"id\":null,\"pc\":null,\"text\":null,",
	     STEP},
	    {"rows", "--limit=9999", "\n", "\n   4 096           -             -  ", STEP},
	    {"export", "--to=csv", "\n", "\n4096,,,\"\",", STEP},
	    {"export", "--to=kanata", "\nI\t", "\nI\t4096\t-1\t", STEP},
	    /* curves come before the rows */
	    {"export", "--to=perfetto", "\"row\":", "\"row\":4096,\"id\":null,", 0},
	};

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		struct sbuf out = {0};
		char said[1024], want[64];

		run_cut(forms[i].command, forms[i].form, &out, said, sizeof(said));
		assert_true(count_of(&out, forms[i].row) >= ROWS);
		assert_int_equal(count_of(&out, forms[i].first_lost), 1);
		snprintf(want, sizeof(want), "%d rows kept only ticks", ROWS - forms[i].read);
		if (!strstr(said, want))
			fail_msg("%s: %s", forms[i].form, said);
		sbuf_free(&out);
	}
}

/* A text that is wider than its column is cut, and a mark says so; one that just fits is not. */
TEST(a_cut_text_is_marked)
{
	static const char *const texts[][2] = {
	    {"0123456789012345678901234567", " 0123456789012345678901234567  "},
	    {"01234567890123456789012345678", " 012345678901234567890123456\u2026  "},
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		char words[2][16] = {"rows", "--no-cache"}, got[4096];
		char *argv[] = {words[0], words[1], path, NULL};
		FILE *trace, *out = tmpfile();
		struct error e = {STATUS_OK, ""};

		strcpy(path, "/tmp/test_cmd_rows-XXXXXX");
		trace = fdopen(mkstemp(path), "w");
		assert_true(trace && out);
		fprintf(trace, "@ 1\n+ 1 0x100 0x0 %s\n* 1 IF 0x0\n@ 2\n- 1\n", texts[i][0]);
		fclose(trace);
		assert_int_equal(cmd_run(cmd_find("rows"), 3, argv, out, &(int){0}, &e), STATUS_OK);
		unlink(path);
		rewind(out);
		got[fread(got, 1, sizeof(got) - 1, out)] = '\0';
		fclose(out);
		if (!strstr(got, texts[i][1]))
			fail_msg("no '%s' in\n%s", texts[i][1], got);
	}
}
