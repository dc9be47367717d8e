/* `pipeglass simulate`: what it writes and says of references, and where it refuses. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "testing.h"

enum { ARGUMENTS = 12, TEXT_MOST = 1 << 14 };

static char dir[] = "/tmp/pipeglass-simulate-XXXXXX";

static int enter_dir(void **state)
{
	(void)state;
	unsetenv("PIPEGLASS_SECURE");
	return mkdtemp(dir) && chdir(dir) == 0 ? 0 : -1;
}

static int leave_dir(void **state)
{
	static const char *const made[] = {"refs", "model", "t", "t.pcs", "t.files"};

	(void)state;
	for (size_t i = 0; i < sizeof(made) / sizeof(made[0]); i++)
		unlink(made[i]);
	return chdir("/") || rmdir(dir);
}

FIXTURES(enter_dir, leave_dir)

static void write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static const char *read_stream(FILE *f)
{
	static char text[TEXT_MOST];
	size_t len;

	rewind(f);
	len = fread(text, 1, sizeof(text) - 1, f);
	text[len] = '\0';
	fclose(f);
	return text;
}

static void check_file(const char *path, const char *wanted)
{
	FILE *f = fopen(path, "r");

	assert_non_null(f);
	assert_string_equal(read_stream(f), wanted);
}

/* Of the words of a line; what it writes. */
static const char *run(const char *line, enum status wanted, struct error *e)
{
	char words[200], *argv[ARGUMENTS + 1] = {0};
	FILE *out = tmpfile();
	int argc = 0;
	enum status status;

	assert_non_null(out);
	snprintf(words, sizeof(words), "%s", line);
	for (char *w = strtok(words, " "); w && argc < ARGUMENTS; w = strtok(NULL, " "))
		argv[argc++] = w;
	*e = (struct error){.text = ""};
	status = cmd_run(cmd_find("simulate"), argc, argv, out, &(int){0}, e);
	if (status != wanted)
		fail_msg("%s: status %d: %s", line, (int)status, e->text);
	return read_stream(out);
}

static void check_refused(const char *line, enum status status, const char *why)
{
	struct error e;

	run(line, status, &e);
	assert_string_equal(e.text, why);
}

static const char two[] = "# two CPUs, a block\n0 4011d6 0x1000 4 w\n2 4011e0 1004 4 r\n1 x\n";
static const char records[] = "i 16\ni 128\ni 4\ni 2\n"
			      "m 10000 0 1 1000001\nm 10000 0 2 1000001\nh 10000 0 2 1000001 62 0\n"
			      "h 10000 0 1 1000001 63 0\nW 10000 0 1000001 57\n"
			      "m 10004 2 1 1000002\nm 10004 2 2 1000002\ng 10004 2 2 1000002 106 0\n"
			      "g 10004 2 1 1000002 107 0\nR 10004 2 1000002 103\n";

/* A file of three, which is not replaced; or standard output. */
TEST(traces)
{
	struct error e;

	write_file("refs", two);
	assert_string_equal(run("simulate --caches thesis refs", STATUS_OK, &e), records);
	run("simulate --caches thesis -o t refs", STATUS_OK, &e);
	check_file("t", records);
	check_file("t.pcs", "0x4011d6\n0x4011e0\n");
	check_file("t.files", "1 t.pcs\n");
	check_refused("simulate -o t refs", STATUS_IO, "t exists: --force replaces it");
	run("simulate -o t --force refs", STATUS_OK, &e);
	setenv("PIPEGLASS_SECURE", "1", 1);
	run("simulate -o t --force refs", STATUS_UNSUPPORTED, &e);
	run("simulate refs", STATUS_OK, &e);
	unsetenv("PIPEGLASS_SECURE");
}

/* What is behind a comment is skipped, however long; what makes no sense ends it. */
TEST(lines)
{
	char text[1000] = "";
	struct error e;

	memset(text, '#', 600);
	strcpy(text + 600, "\n0 4011d6 0x1000 4 w\n2 4011e0 1004 4 r #");
	memset(text + strlen(text), 'x', 300);
	write_file("refs", text);
	assert_string_equal(run("simulate --caches thesis refs", STATUS_OK, &e), records);
	strcat(text, "\n1 x\n3 1 2000 4 r\n");
	write_file("refs", text);
	assert_string_equal(run("simulate --caches thesis refs", STATUS_OK, &e), records);
	check_refused("simulate .", STATUS_IO, ".: Is a directory");
}

/* Nobody is more than 1000 cycles behind one above it. */
TEST(clocks)
{
	struct error e;

	write_file("model", "thesis\nmemory 5000\n");
	write_file("refs", "0 1 1000 4 r\n0 1 1000 4 r\n1 1 1000 4 r\n");
	assert_non_null(strstr(run("simulate --caches model -o - refs", STATUS_OK, &e),
			       "\ng 10000 1 1 1000001 7666 0\n"));
}

TEST(refusals)
{
	write_file("model", "cpus 4\n\nl1 1\n");
	write_file("refs", "\n1 1 1\n1 1 1 1\n");
	check_refused("simulate", STATUS_USAGE,
		      "simulate: no references given: name a file (- is standard input)");
	check_refused("simulate --caches nothing refs", STATUS_USAGE,
		      "no such model: 'nothing' is no file, nor built in as today, thesis and thesis-8 are");
	check_refused("simulate --caches model refs", STATUS_INPUT,
		      "model:3: not right for l1: bytes, ways and bytes of a block, at most 1024m 256 256, "
		      "of each CPU");
	check_refused("simulate refs", STATUS_INPUT,
		      "refs:2: its fourth column is no decimal size from 1 to 65536 bytes: write thread, pc, "
		      "address, size and r or w");
	write_file("refs", "# nothing\n");
	check_refused("simulate refs", STATUS_INPUT, "refs: no references in it");
	run("simulate nowhere", STATUS_INPUT, &(struct error){0});
}
