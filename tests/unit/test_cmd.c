/* The option parser, help and output of src/cmd, and the sections of src/analysis. */
#include "config.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "testing.h"

enum { ARGUMENTS = 12 };

/* Split line at blanks and parse it for the subcommand that its first word names. */
static enum status parse(struct cmd_options *o, const char *line, struct error *e)
{
	static char words[256];
	char *argv[ARGUMENTS + 1] = {0};
	int argc = 0;

	*e = (struct error){0};
	snprintf(words, sizeof(words), "%s", line);
	for (char *w = strtok(words, " "); w && argc < ARGUMENTS; w = strtok(NULL, " "))
		argv[argc++] = w;
	return options_parse(o, cmd_find(argv[0])->options, argc, argv, e);
}

TEST(defaults)
{
	struct cmd_options o;
	struct error e;

	assert_int_equal(parse(&o, "rows a", &e), STATUS_OK);
	assert_int_equal(o.files.count, 1);
	assert_string_equal(o.files.data[0], "a");
	assert_null(o.from);
	assert_null(o.to);
	assert_true(o.limit == UINT64_MAX);
	assert_int_equal(o.bins, 100);
	assert_false(o.json);
	assert_false(o.store.no_cache);
	options_free(&o);
}

/* The last one counts; inputs and commands add up. */
TEST(given_twice)
{
	struct cmd_options o;
	struct error e;

	assert_int_equal(
	    parse(&o, "cpi0 --machine a --machine=b --mix m=1 --mix m=1 --from 1 --from 2", &e),
	    STATUS_OK);
	assert_string_equal(o.cpi0.machine, "b");
	assert_int_equal(o.cpi0.inputs.count, 2);
	assert_string_equal(o.from, "2");
	options_free(&o);
	assert_int_equal(parse(&o, "screen -c a -c b --script c -g 80x24 -g 100x30 f", &e),
			 STATUS_OK);
	assert_int_equal(o.steps.count, 3);
	assert_int_equal(o.geometry.columns, 100);
	options_free(&o);
}

TEST(values_in_both_forms)
{
	struct cmd_options o;
	struct error e;

	assert_int_equal(parse(&o, "rows --from=-5 a --to 1_000 --json --limit=3", &e), STATUS_OK);
	assert_string_equal(o.from, "-5");
	assert_string_equal(o.to, "1_000");
	assert_int_equal(o.limit, 3);
	assert_true(o.json);
	options_free(&o);
	assert_int_equal(parse(&o, "screen -g120x40 -c one --script=two -c three a b", &e),
			 STATUS_OK);
	assert_int_equal(o.geometry.columns, 120);
	assert_int_equal(o.geometry.rows, 40);
	assert_int_equal(o.steps.count, 3);
	assert_string_equal(o.steps.data[0].text, "one");
	assert_true(o.steps.data[1].is_script);
	assert_string_equal(o.steps.data[2].text, "three");
	assert_int_equal(o.files.count, 2);
	options_free(&o);
}

TEST(dashes_end_options)
{
	struct cmd_options o;
	struct error e;

	assert_int_equal(parse(&o, "info - --json -- --json -x", &e), STATUS_OK);
	assert_int_equal(o.files.count, 3);
	assert_string_equal(o.files.data[0], "-");
	assert_string_equal(o.files.data[1], "--json");
	assert_string_equal(o.files.data[2], "-x");
	options_free(&o);
}

TEST(mistakes_are_usage)
{
	static const char *const lines[] = {
	    "info --from 3 a",         "info --jso a",
	    "info --json=1 a",         "info -q a",
	    "rows a --from",           "rows --from= a",
	    "rows --from 12z a",       "rows --from 99999999999999999999 a",
	    "rows --limit -1 a",       "index --threads 0 a",
	    "index --threads 99999 a", "info --as martian a",
	    "series --bins 0 a",       "series --bins 10000001 a",
	    "screen -g 80 a",          "screen -g x24 a",
	    "screen -g 80x a",         "screen -g 80x24x2 a",
	    "screen -g -8x24 a",       "screen -g 99999x24 a",
	    "screen --format png a",   "screen --color blue a",
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct cmd_options o;
		struct error e;

		if (parse(&o, lines[i], &e) != STATUS_USAGE || !e.text[0])
			fail_msg("'%s' is not refused", lines[i]);
		options_free(&o);
	}
}

/* Run a subcommand that needs no trace, writing into a file. */
static enum status run(FILE *out, struct error *e, int argc, char **argv)
{
	*e = (struct error){0};
	return cmd_run(cmd_find(argv[0]), argc, argv, out, &(int){0}, e);
}

TEST(help_names_every_option)
{
	for (const struct cmd *c = cmds; c->name; c++) {
		struct sbuf help = {0};

		cmd_help(c, &help);
		assert_non_null(strstr(sbuf_text(&help), c->help));
		for (int id = 0; id < OPTION_COUNT; id++) {
			struct app_word t = option_text((enum option_id)id);
			char name[40];

			snprintf(name, sizeof(name), "--%s", t.name);
			if (c->options & OPTION_BIT(id))
				assert_non_null(strstr(sbuf_text(&help), name));
		}
		sbuf_free(&help);
	}
}

TEST(missing_arguments)
{
	char *no_file[] = {(char[]){"info"}, NULL};
	char *no_metric[] = {(char[]){"series"}, (char[]){"x"}, NULL};
	char *two_files[] = {(char[]){"rows"}, (char[]){"x"}, (char[]){"y"}, NULL};
	struct error e;

	assert_int_equal(run(stdout, &e, 1, no_file), STATUS_USAGE);
	assert_int_equal(run(stdout, &e, 2, no_metric), STATUS_USAGE);
	assert_non_null(strstr(e.text, "--metric"));
	assert_int_equal(run(stdout, &e, 3, two_files), STATUS_USAGE);
	assert_non_null(strstr(e.text, "'y'"));
}

TEST(full_disk_is_told)
{
	char *help[] = {(char[]){"rows"}, (char[]){"--help"}, NULL};
	FILE *full = fopen("/dev/full", "w");
	struct error e;

	if (!full)
		skip();
	assert_int_equal(run(full, &e, 2, help), STATUS_IO);
	assert_non_null(strstr(e.text, "No space left"));
	fclose(full);
}

TEST(closed_pipe_is_quiet)
{
	char *help[] = {(char[]){"rows"}, (char[]){"--help"}, NULL};
	struct error e;
	int ends[2];
	FILE *out;

	assert_int_equal(pipe(ends), 0);
	close(ends[0]);
	signal(SIGPIPE, SIG_IGN);
	out = fdopen(ends[1], "w");
	assert_non_null(out);
	assert_int_equal(run(out, &e, 2, help), STATUS_IO);
	assert_string_equal(e.text, "");
	fclose(out);
}

/* A result of two rows: a hostile text, a part for each of two stages. */

static size_t two(const void *result)
{
	(void)result;
	return 2;
}

static const char *stage(const void *result, size_t part)
{
	(void)result;
	return part ? "EX" : "IF";
}

static struct value get_text(const void *result, size_t row, size_t part)
{
	(void)result, (void)part;
	return row ? value_none() : value_text("mov\033[31m \xff");
}

static struct value get_cycles(const void *result, size_t row, size_t part)
{
	(void)result;
	return value_ticks(row ? -1 : (int64_t)part * 1000);
}

static const struct field fields[] = {
    {.key = "text", .type = VALUE_TEXT, .get = get_text},
    {.key = "cycles", .type = VALUE_TICKS, .parts = two, .part = stage, .get = get_cycles},
    {0},
};
static const struct section section = {.key = "pcs", .rows = two, .fields = fields};

static char *written(enum status (*write)(struct output *o, struct error *e))
{
	char *text = NULL;
	size_t len = 0;
	FILE *stream = open_memstream(&text, &len);
	struct output o;
	struct error e;

	assert_non_null(stream);
	output_begin(&o, stream);
	assert_int_equal(output_end(&o, write(&o, &e), &e), STATUS_OK);
	fclose(stream);
	return text;
}

static enum status write_sections(struct output *o, uint64_t limit, struct error *e)
{
	enum status status;

	json_object(&o->json);
	status = output_json_section(o, &section, NULL, limit, e);
	json_object_end(&o->json);
	return status;
}

static enum status write_json(struct output *o, struct error *e)
{
	return write_sections(o, UINT64_MAX, e);
}

static enum status write_limited(struct output *o, struct error *e)
{
	return write_sections(o, 1, e);
}

TEST(section_as_json)
{
	char *text = written(write_json);

	assert_string_equal(
	    text, "{\"pcs\":["
		  "{\"text\":\"mov\\u001b[31m \xef\xbf\xbd\",\"cycles\":{\"IF\":0,\"EX\":1000}},"
		  "{\"text\":null,\"cycles\":{\"IF\":-1,\"EX\":-1}}]}");
	free(text);
	text = written(write_limited);
	assert_string_equal(
	    text, "{\"pcs\":["
		  "{\"text\":\"mov\\u001b[31m \xef\xbf\xbd\",\"cycles\":{\"IF\":0,\"EX\":1000}}]}");
	free(text);
}

static enum status write_table(struct output *o, struct error *e)
{
	struct output_table how = {.limit = UINT64_MAX};

	return output_table(o, &section, NULL, &how, e);
}

TEST(section_as_table)
{
	char *text = written(write_table);

	assert_string_equal(text, "\npcs\n"
				  "text        IF     EX\n"
				  "mov\xef\xbf\xbd[31m \xef\xbf\xbd   0  1 000\n"
				  "-           -1     -1\n");
	free(text);
}

static enum status write_csv(struct output *o, struct error *e)
{
	return output_csv(o, &section, NULL, UINT64_MAX, e);
}

TEST(section_as_csv)
{
	char *text = written(write_csv);

	assert_string_equal(text, "text,\"cycles.IF\",\"cycles.EX\"\n"
				  "\"mov\xef\xbf\xbd[31m \xef\xbf\xbd\",0,1000\n"
				  ",-1,-1\n");
	free(text);
}

/* A section that is too wide: a long name, ten events of which most are rare. */

static const char *event(const void *result, size_t part)
{
	static const char *const names[] = {"cache-miss", "mispredict-detected",
					    "never",      "rare",
					    "=formula",   "lots-of-these",
					    "g",          "h",
					    "i",          "minor"};

	(void)result;
	return names[part];
}

static size_t ten(const void *result)
{
	(void)result;
	return 10;
}

static struct value get_wide_text(const void *result, size_t row, size_t part)
{
	(void)result, (void)row, (void)part;
	return value_text("=an instruction with very many operands");
}

static struct value get_wide(const void *result, size_t row, size_t part)
{
	static const uint64_t counts[] = {7000000, 5000000, 0,       1,       4000000,
					  6000000, 3000000, 2000000, 1000000, 9000000};

	(void)result, (void)row;
	return value_count(counts[part]);
}

static int is_last(const void *result, size_t part)
{
	(void)result;
	return part == 9;
}

static const struct field wide_fields[] = {
    {.key = "text", .type = VALUE_TEXT, .get = get_wide_text},
    {.key = "events",
     .type = VALUE_COUNT,
     .parts = ten,
     .part = event,
     .get = get_wide,
     .minor = is_last},
    {0},
};
static const struct section wide_section = {.key = "wide", .rows = two, .fields = wide_fields};

static enum status write_narrow(struct output *o, struct error *e)
{
	struct output_table how = {.limit = UINT64_MAX, .columns = 60};

	return output_table(o, &wide_section, NULL, &how, e);
}

TEST(tables_fit_and_say_what_is_missing)
{
	char *text = written(write_narrow);

	assert_string_equal(
	    text, "\nwide\n"
		  "text                 c-miss  m-detect\xe2\x80\xa6   =formula  l-o-these\n"
		  "=an instruction\xe2\x80\xa6  7 000 000  5 000 000  4 000 000  6 000 000\n"
		  "=an instruction\xe2\x80\xa6  7 000 000  5 000 000  4 000 000  6 000 000\n"
		  "(6 columns left out; --wide shows all)\n");
	free(text);
}

static enum status write_wide_csv(struct output *o, struct error *e)
{
	return output_csv(o, &wide_section, NULL, 1, e);
}

TEST(csv_is_no_formula)
{
	char *text = written(write_wide_csv);

	assert_non_null(strstr(text, "\n\"'=an instruction"));
	free(text);
}

/* A result with a section of each form: of one run, or, where *result, of two. */

static size_t runs_of(const void *result)
{
	return *(const bool *)result ? 2 : 1;
}

static size_t rows_if_two(const void *result)
{
	return runs_of(result) - 1;
}

static int64_t power(const void *result, size_t part)
{
	(void)result;
	return part ? 10 : 1;
}

static struct value get_share(const void *result, size_t row, size_t part)
{
	(void)result;
	return value_real(row ? NAN : part ? 1.0 / 3 : 0.5);
}

/* Every second one is not in the list. */
static struct value get_name(const void *result, size_t row, size_t part)
{
	return part == row ? value_none() : value_text(event(result, part));
}

static struct value get_yes(const void *result, size_t row, size_t part)
{
	(void)part;
	return value_bool(*(const bool *)result && row == 0);
}

static const struct field form_fields[] = {
    {.key = "share",
     .heading = "part",
     .type = VALUE_REAL,
     .parts = runs_of,
     .part = stage,
     .get = get_share,
     .shape = FIELD_RUNS,
     .decimals = 1,
     .sign = true,
     .percent = true},
    {.key = "names",
     .type = VALUE_TEXT,
     .parts = two,
     .part = event,
     .get = get_name,
     .shape = FIELD_LIST},
    {.key = "by",
     .type = VALUE_COUNT,
     .parts = two,
     .part_number = power,
     .get = get_cycles,
     .hidden = true},
    {.key = "both", .type = VALUE_BOOL, .get = get_yes},
    {.key = "twice", .type = VALUE_BOOL, .get = get_yes, .derived = true},
    {0},
};
static const struct section inner_sections[] = {
    {.key = "inner", .rows = two, .fields = form_fields + 3, .form = SECTION_TUPLES},
    {0},
};
static const struct section form_sections[] = {
    {.key = "one", .rows = section_one_row, .fields = form_fields, .form = SECTION_FIELDS},
    {.key = "columns",
     .rows = two,
     .fields = form_fields + 1,
     .form = SECTION_COLUMNS,
     .title = "a table"},
    {.key = "object",
     .rows = rows_if_two,
     .fields = form_fields + 3,
     .form = SECTION_OBJECT,
     .title = "an object",
     .inner = inner_sections},
    {.key = "secret", .rows = two, .fields = form_fields + 3, .hidden = true},
    {0},
};

static enum status write_one_run(struct output *o, struct error *e)
{
	return output_json_result(o, form_sections, &(bool){false}, e);
}

static enum status write_two_runs(struct output *o, struct error *e)
{
	return output_json_result(o, form_sections, &(bool){true}, e);
}

TEST(forms_as_json)
{
	char *text = written(write_one_run);

	assert_string_equal(text, "{\"share\":0.5,\"names\":[\"mispredict-detected\"],"
				  "\"by\":{\"1\":0,\"10\":1000},\"both\":false,"
				  "\"names\":[[\"mispredict-detected\"],[\"cache-miss\"]],"
				  "\"by\":[{\"1\":0,\"10\":1000},{\"1\":-1,\"10\":-1}],"
				  "\"both\":[false,false],\"object\":null,"
				  "\"secret\":[{\"both\":false},{\"both\":false}]}\n");
	free(text);
	text = written(write_two_runs);
	assert_non_null(strstr(text, "{\"share\":{\"IF\":0.5,\"EX\":0.3333333333333333},"));
	assert_non_null(strstr(text, "\"object\":{\"both\":true,\"inner\":[[true],[false]]},"));
	free(text);
}

static enum status write_sections_text(struct output *o, struct error *e)
{
	struct output_table how = {.limit = UINT64_MAX};

	return output_sections(o, form_sections, &(bool){true}, &how, e);
}

TEST(forms_as_text)
{
	char *text = written(write_sections_text);

	assert_string_equal(text, "part IF  +50.0 %\n"
				  "part EX  +33.3 %\n"
				  "names    mispredict-detected\n"
				  "both     yes\n"
				  "twice    yes\n"
				  "\na table\n"
				  "names                both  twice\n"
				  "mispredict-detected   yes    yes\n"
				  "cache-miss             no     no\n"
				  "\nan object\n"
				  "both   yes\n"
				  "twice  yes\n"
				  "\ninner\n"
				  "both  twice\n"
				  " yes    yes\n"
				  "  no     no\n");
	free(text);
}

static enum status write_cells(struct output *o, struct error *e)
{
	static const char wide[] = "\xe6\x97\xa5\xe6\x9c\xac"; /* two columns a character */

	(void)e;
	output_cell(o, wide, sizeof(wide) - 1, 3, true);
	sbuf_putc(&o->text, '|');
	output_cell(o, "ab", 2, 4, true);
	sbuf_putc(&o->text, '|');
	output_cell(o, "abcdef", 6, 3, false);
	return STATUS_OK;
}

TEST(cells_have_their_width)
{
	char *text = written(write_cells);

	assert_string_equal(text, "\xe6\x97\xa5 |ab  |abc");
	free(text);
}

static void write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

/* config NULL: the user's own. */
static char *info_of(char *path, char *config)
{
	char *argv[] = {(char[]){"info"},
			(char[]){"--json"},
			(char[]){"--no-cache"},
			path,
			config ? (char[]){"--config"} : NULL,
			config,
			NULL};
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);
	struct error e;

	assert_non_null(f);
	assert_int_equal(run(f, &e, config ? 6 : 4, argv), STATUS_OK);
	fclose(f);
	return text;
}

static void is_configured(char *text)
{
	assert_non_null(strstr(text, "\"committed\":1"));
	assert_non_null(strstr(text, "\"name\":\"mispredict\",\"mask\":1024,\"count\":1"));
	assert_non_null(strstr(text, "\"name\":\"mispredict-detected\",\"mask\":2048,\"count\":1"));
	free(text);
}

TEST(configuration_counts)
{
	char dir[] = "/tmp/pipeglass-cmd-XXXXXX", trace[64], config[64];
	char *missing[] = {(char[]){"info"}, (char[]){"--config=/nonexistent/config"}, trace, NULL};
	struct error e;
	char *text;

	assert_non_null(mkdtemp(dir));
	snprintf(trace, sizeof(trace), "%s/a.trc", dir);
	snprintf(config, sizeof(config), "%s/config", dir);
	write_file(trace, "@ 0\n+ 1 0x100 0x0 beq\n* 1 IF 0x0\n@ 1\n* 1 DA 0x400\n@ 3\n"
			  "* 1 WB 0x800\n@ 4\n* 1 RET 0x0\n- 1\n");
	write_file(config, "# mine\nset nonsense on\nno-such-command\n"
			   "event mispredict / 2 0x400\n"
			   "event mispredict-detected \\ 3 0x800\r\n"
			   "stage RET R 5 commit");
	is_configured(info_of(trace, config));
	setenv("PIPEGLASS_CONFIG", dir, 1);
	is_configured(info_of(trace, NULL));
	text = info_of(trace, (char[]){"none"});
	assert_non_null(strstr(text, "\"committed\":0"));
	free(text);
	unsetenv("PIPEGLASS_CONFIG");
	assert_int_equal(run(stdout, &e, 3, missing), STATUS_IO);
	assert_non_null(strstr(e.text, "/nonexistent/config"));
	unlink(trace);
	unlink(config);
	rmdir(dir);
}
