/* What `pipeglass export` writes, line by line, and where it refuses to write. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/pipeline/export.h"
#include "cmd/pipeline/export_heap.h"
#include "testing.h"

enum { ARGUMENTS = 16, TEXT_MOST = 1 << 20 };

static char dir[] = "/tmp/pipeglass-export-XXXXXX", trace[64];

static int make_dir(void **state)
{
	(void)state;
	if (!mkdtemp(dir))
		return -1;
	snprintf(trace, sizeof(trace), "%s/trace", dir);
	unsetenv("PIPEGLASS_SECURE");
	return 0;
}

static int remove_dir(void **state)
{
	(void)state;
	unlink(trace);
	return rmdir(dir);
}

static void write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fputs(text, f) < 0, 0);
	assert_int_equal(fclose(f), 0);
}

static char *read_stream(FILE *f)
{
	char *text = calloc(1, TEXT_MOST);

	assert_non_null(text);
	rewind(f);
	assert_true(fread(text, 1, TEXT_MOST - 1, f) < TEXT_MOST - 1);
	return text;
}

/* What the last run() said on standard error. */
static char said[512];

/* `export` with the words of `line` and the trace; *out, when asked for: what it writes. */
static enum status run(const char *line, char **out, struct error *e)
{
	static char words[512];
	char *argv[ARGUMENTS + 1] = {0};
	FILE *f = tmpfile(), *heard = tmpfile();
	int argc = 0, before = dup(STDERR_FILENO);
	enum status status;

	assert_non_null(f);
	assert_non_null(heard);
	*e = (struct error){0};
	snprintf(words, sizeof(words), "export --no-cache --config none %s %s", line, trace);
	for (char *w = strtok(words, " "); w && argc < ARGUMENTS; w = strtok(NULL, " "))
		argv[argc++] = w;
	dup2(fileno(heard), STDERR_FILENO);
	status = cmd_run(cmd_find("export"), argc, argv, f, &(int){0}, e);
	dup2(before, STDERR_FILENO);
	close(before);
	rewind(heard);
	said[fread(said, 1, sizeof(said) - 1, heard)] = '\0';
	fclose(heard);
	if (out)
		*out = read_stream(f);
	fclose(f);
	return status;
}

static void gives(const char *text, const char *line, const char *want)
{
	struct error e;
	char *got;

	write_file(trace, text);
	if (run(line, &got, &e))
		fail_msg("%s: %s", line, e.text);
	assert_string_equal(got, want);
	free(got);
}

static void contains(const char *text, const char *line, const char *want)
{
	struct error e;
	char *got;

	write_file(trace, text);
	if (run(line, &got, &e))
		fail_msg("%s: %s", line, e.text);
	if (!strstr(got, want))
		fail_msg("%s: no '%s' in\n%s", line, want, got);
	free(got);
}

static const char two_rows[] = "@ 3\n+ 1 0x100 0x0 add\n* 1 IF 0x0\n"
			       "@ 4\n+ 2 0x108 0x0 =cmd\n* 2 IF 0x0\n* 1 EX 0x1\n"
			       "@ 6\n* 1 CT 0x0\n- 1\n"
			       "@ 9\n* 2 DA 0x0\n";

/* ---- Kanata ------------------------------------------------------------------------------ */

TEST(kanata_is_in_time_order)
{
	gives(two_rows, "--to kanata",
	      "Kanata\t0004\nC=\t3\nI\t0\t1\t0\nL\t0\t0\t0x100: add\nS\t0\t0\tIF\n"
	      "C\t1\nI\t1\t2\t0\nL\t1\t0\t0x108: =cmd\nE\t0\t0\tIF\nS\t0\t0\tEX\n"
	      "L\t0\t2\tcache-miss\nS\t1\t0\tIF\n"
	      "C\t2\nE\t0\t0\tEX\nS\t0\t0\tCT\nE\t0\t0\tCT\nR\t0\t0\t0\n"
	      "C\t3\nE\t1\t0\tIF\nS\t1\t0\tDA\n");
}

TEST(kanata_ids_are_dense)
{
	gives(two_rows, "--to kanata --from 7",
	      "Kanata\t0004\nC=\t4\nI\t0\t2\t0\nL\t0\t0\t0x108: =cmd\nS\t0\t0\tIF\n"
	      "C\t5\nE\t0\t0\tIF\nS\t0\t0\tDA\n");
}

/* A backslash and an n are no end of a line. */
TEST(kanata_labels_keep_their_lines)
{
	contains("@ 1\n+ 1 0x100 0x0 a\\nb\n* 1 IF 0x0\n@ 2\n- 1\n", "--to kanata",
		 "L\t0\t0\t0x100: a\xef\xbf\xbdnb\n");
	contains("Kanata\t0004\nC=\t1\nI\t0\t0\t0\nL\t0\t1\ta \\n\nL\t0\t1\tb\nS\t0\t0\tF\n",
		 "--to kanata", "L\t0\t1\ta \\nb\n");
}

TEST(kanata_is_harmless)
{
	contains("Kanata\t0004\nC=\t1\nI\t0\t0\t0\nL\t0\t0\t\033[2Jx\nS\t0\t0\t\033F\n",
		 "--to kanata", "L\t0\t0\t\xef\xbf\xbd[2Jx\nS\t0\t0\t\xef\xbf\xbd" "F\n");
	assert_non_null(strstr(said, ": 2 control characters or broken bytes of labels and names"));
	/* of all labels; those that were there are nobody's loss */
	contains("Kanata\t0004\nC=\t1\nI\t0\t0\t0\nL\t0\t0\ta\xff\nL\t0\t1\t\xef\xbf\xbd\n"
		 "S\t0\t0\tF\nL\t0\t2\tb\xe2\x80\xae\x01\\n\a\n",
		 "--to kanata", "b\xef\xbf\xbd\xef\xbf\xbd\\n\xef\xbf\xbd\n");
	assert_non_null(strstr(said, ": 4 control characters"));
	contains("Kanata\t0004\nC=\t1\nI\t0\t0\t0\nL\t0\t1\ta\tb\\nc \xc3\xa9\nS\t0\t0\tF\n",
		 "--to kanata", "L\t0\t1\ta\\tb\\nc \xc3\xa9\n");
	assert_string_equal(said, "");
}

/* Letters of any script, and what has no column of its own, control nothing. */
TEST(exports_keep_all_letters)
{
	static const char text[] = "Kanata\t0004\nC=\t1\nI\t0\t0\t0\n"
				   "L\t0\t0\te\xcc\x81 \xe0\xb8\x97\xe0\xb8\xb5 "
				   "a\xe2\x80\x8d"
				   "b\xc2\xad\nS\t0\t0\tF\n";

	contains(text, "--to kanata",
		 "\te\xcc\x81 \xe0\xb8\x97\xe0\xb8\xb5 a\xe2\x80\x8d"
		 "b\xc2\xad\n");
	assert_string_equal(said, "");
	contains(text, "--to csv",
		 "\"e\xcc\x81 \xe0\xb8\x97\xe0\xb8\xb5 a\xe2\x80\x8d"
		 "b\xc2\xad\"");
}

TEST(kanata_links_stay_in_the_export)
{
	static const char text[] = "Kanata\t0004\nC=\t1\nI\t7\t0\t0\nS\t7\t0\tF\nC\t2\n"
				   "R\t7\t0\t0\nC\t1\nI\t9\t0\t0\nS\t9\t0\tF\nW\t9\t7\t2\n";
	struct error e;
	char *got;

	contains(text, "--to kanata", "W\t1\t0\t2\n");
	write_file(trace, text);
	assert_int_equal(run("--to kanata --from 4", &got, &e), STATUS_OK);
	assert_null(strstr(got, "W\t"));
	assert_non_null(strstr(said, ": 1 link left out"));
	free(got);
}

/* Cycles of 500 ticks from 78 700 on: 157 at 78 700, 158 at 79 200; what is between goes down. */
TEST(kanata_counts_cycles)
{
	static const char text[] =
	    "O3PipeView:fetch:78700:0x400:0:1:a\nO3PipeView:decode:79200\n"
	    "O3PipeView:rename:79350\nO3PipeView:retire:80200:store:0\n"
	    "O3PipeView:fetch:79200:0x404:0:2:b\nO3PipeView:retire:0:store:0\n";

	gives(text, "--ticks-per-cycle 500 --to kanata",
	      "Kanata\t0004\nC=\t157\nI\t0\t1\t0\nL\t0\t0\t0x400: a\nS\t0\t0\tfetch\n"
	      "C\t1\nI\t1\t2\t0\nL\t1\t0\t0x404: b\nE\t0\t0\tfetch\nS\t0\t0\tdecode\n"
	      "S\t1\t0\tfetch\nE\t1\t0\tfetch\nR\t1\t0\t1\n"
	      "E\t0\t0\tdecode\nS\t0\t0\trename\n"
	      "C\t2\nE\t0\t0\trename\nS\t0\t0\tretire\nE\t0\t0\tretire\nR\t0\t0\t0\n");
}

/* ---- the others -------------------------------------------------------------------------- */

TEST(csv_has_a_line_for_each_stay)
{
	gives(two_rows, "--to csv",
	      "row,id,pc,text,fate,thread,stage,lane,start,end,events\n"
	      "0,1,0x100,\"add\",committed,,\"IF\",,3,4,\n"
	      "0,1,0x100,\"add\",committed,,\"EX\",,4,6,\"cache-miss\"\n"
	      "0,1,0x100,\"add\",committed,,\"CT\",,6,6,\n"
	      "1,2,0x108,\"'=cmd\",in-flight,,\"IF\",,4,9,\n"
	      "1,2,0x108,\"'=cmd\",in-flight,,\"DA\",,9,,\n");
}

TEST(csv_has_rows_without_stays)
{
	gives("Kanata\t0004\nC=\t-4\nI\t0\t8\t-2\nC\t2\nR\t0\t0\t1\n", "--to csv",
	      "row,id,pc,text,fate,thread,stage,lane,start,end,events\n"
	      "0,0,,\"\",squashed,-2,,,-4,-2,\n");
}

TEST(perfetto_lays_rows_into_slots)
{
	contains(two_rows, "--to perfetto",
		 "{\"ph\":\"X\",\"name\":\"add\",\"pid\":1,\"tid\":1,\"cat\":\"row\",\"ts\":3,"
		 "\"dur\":3,\"args\":{\"row\":0,\"pc\":\"0x100\",\"text\":\"add\",\"id\":\"1\","
		 "\"fate\":\"committed\"}}");
	contains(two_rows, "--to perfetto",
		 "{\"ph\":\"X\",\"name\":\"DA\",\"pid\":1,\"tid\":2,\"cat\":\"stage\",\"ts\":9,"
		 "\"dur\":1,");
	/* a slot is free again when its row is gone */
	contains("@ 1\n+ 1 0x1 0x0 a\n* 1 IF 0x0\n@ 2\n- 1\n@ 3\n+ 2 0x2 0x0 b\n* 2 IF 0x0\n",
		 "--to perfetto", "\"name\":\"b\",\"pid\":1,\"tid\":1,");
}

/* It has to nest: a stay that goes on beside its successor is drawn up to that. */
TEST(perfetto_events_do_not_cross)
{
	static const char text[] = "Kanata\t0004\nC=\t-3\nI\t0\t0\t0\nS\t0\t0\tA\nC\t1\nS\t0\t0\tB\n"
				   "C\t2\nE\t0\t0\tA\nC\t1\nR\t0\t0\t0\n";

	contains(text, "--to perfetto", "\"tick_at_0_us\":\"-3\"");
	contains(text, "--to perfetto", "\"ts\":0,\"dur\":1,\"args\":{\"row\":0,\"end\":0}}");
}

/* ---- options and files ------------------------------------------------------------------- */

TEST(both_meanings_of_to)
{
	static const char first[] = "row,id,pc,text,fate,thread,stage,lane,start,end,events\n"
				    "0,1,0x100,\"add\",committed,,\"IF\",,3,4,\n"
				    "0,1,0x100,\"add\",committed,,\"EX\",,4,6,\"cache-miss\"\n"
				    "0,1,0x100,\"add\",committed,,\"CT\",,6,6,\n";
	struct error e;

	gives(two_rows, "--to csv --to 4", first);
	gives(two_rows, "--to=4 --from 3 --to=csv", first);
	assert_int_equal(run("--to 4", NULL, &e), STATUS_USAGE);
	assert_non_null(strstr(e.text, "--format FORMAT is missing"));
	assert_int_equal(run("--to vcd", NULL, &e), STATUS_USAGE);
	assert_non_null(strstr(e.text, "'vcd' is not kanata, perfetto, csv, sqlite, akita or a tick"));
	assert_int_equal(run("--format 500", NULL, &e), STATUS_USAGE);
	assert_non_null(strstr(e.text, "'500' is not kanata, perfetto, csv, sqlite or akita"));
	assert_int_equal(run("--format sqlite", NULL, &e), STATUS_USAGE);
	assert_non_null(strstr(e.text, "sqlite is a database, no text: give a file with -o FILE"));
	assert_int_equal(run("--to csv --json", NULL, &e), STATUS_USAGE);
}

/* Is the file there, and does it hold the text? */
static bool holds(const char *path, const char *text)
{
	FILE *f = fopen(path, "r");
	char *got;
	bool same;

	if (!f)
		return false;
	got = read_stream(f);
	same = strcmp(got, text) == 0;
	free(got);
	fclose(f);
	return same;
}

TEST(files_are_new_or_forced)
{
	static const char none[] = "row,id,pc,text,fate,thread,stage,lane,start,end,events\n";
	char path[80], line[160];
	struct error e;
	char *out;

	write_file(trace, two_rows);
	snprintf(path, sizeof(path), "%s/out", dir);
	snprintf(line, sizeof(line), "--to csv --to 2 -o %s", path);
	assert_int_equal(run(line, &out, &e), STATUS_OK);
	assert_string_equal(out, "");
	free(out);
	assert_true(holds(path, none));
	write_file(path, "something longer than what comes, something longer than what comes");
	assert_int_equal(run(line, NULL, &e), STATUS_IO);
	assert_non_null(strstr(e.text, "--force"));
	assert_false(holds(path, none));
	snprintf(line, sizeof(line), "--to csv --to 2 --force -o %s", path);
	assert_int_equal(run(line, NULL, &e), STATUS_OK);
	assert_true(holds(path, none));
	unlink(path);
}

TEST(nothing_is_left_of_a_failure)
{
	char path[80], line[160];
	struct error e;

	write_file(trace, two_rows);
	snprintf(path, sizeof(path), "%s/out", dir);
	snprintf(line, sizeof(line), "--to csv --from 9 --to 1 -o %s", path);
	assert_int_equal(run(line, NULL, &e), STATUS_USAGE);
	assert_int_equal(access(path, F_OK), -1);
}

TEST(the_trace_is_never_written_to)
{
	char path[80], line[160];
	struct error e;

	write_file(trace, two_rows);
	snprintf(path, sizeof(path), "%s/link", dir);
	assert_int_equal(symlink(trace, path), 0);
	snprintf(line, sizeof(line), "--to csv --force -o %s", path);
	assert_int_equal(run(line, NULL, &e), STATUS_USAGE);
	assert_non_null(strstr(e.text, "is the trace"));
	assert_true(holds(trace, two_rows));
	unlink(path);
	setenv("PIPEGLASS_SECURE", "1", 1);
	assert_int_equal(run(line, NULL, &e), STATUS_UNSUPPORTED);
	unsetenv("PIPEGLASS_SECURE");
	assert_int_equal(access(path, F_OK), -1);
}

TEST(numbers_to_the_last)
{
	struct sbuf out = {0};

	export_unsigned(&out, 0);
	sbuf_putc(&out, ' ');
	export_unsigned(&out, UINT64_MAX);
	sbuf_putc(&out, ' ');
	export_signed(&out, INT64_MIN);
	assert_string_equal(sbuf_text(&out), "0 18446744073709551615 -9223372036854775808");
	sbuf_free(&out);
}

FIXTURES(make_dir, remove_dir)
