/* The line editor and the history of the prompts. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/history.h"
#include "base/lineedit.h"
#include "base/text.h"
#include "testing.h"

static struct lineedit line;

/* text with '|' where the cursor is */
static void line_is(const char *expect)
{
	char shown[2 * LINE_MAX_BYTES];

	snprintf(shown, sizeof(shown), "%.*s|%s", (int)line.cursor, line.text,
		 line.text + line.cursor);
	assert_string_equal(shown, expect);
	assert_int_equal(strlen(line.text), line.len);
}

static void start(const char *text)
{
	const char *bar = strchr(text, '|');

	lineedit_init(&line);
	assert_true(lineedit_insert(&line, bar + 1, strlen(bar + 1)));
	line.cursor = 0;
	assert_true(lineedit_insert(&line, text, (size_t)(bar - text)));
}

TEST(line_moves_and_deletes)
{
	static const struct {
		const char *before;
		enum line_action action;
		const char *after;
		bool done;
	} cases[] = {
	    {"|", LINE_LEFT, "|", false},
	    {"|", LINE_RIGHT, "|", false},
	    {"|", LINE_BACKSPACE, "|", false},
	    {"|", LINE_DELETE, "|", false},
	    {"|", LINE_KILL_WORD_LEFT, "|", false},
	    {"|", LINE_YANK, "|", false},
	    {"ab|c", LINE_LEFT, "a|bc", true},
	    {"ab|c", LINE_RIGHT, "abc|", true},
	    {"ab|c", LINE_HOME, "|abc", true},
	    {"ab|c", LINE_END, "abc|", true},
	    {"ab|c", LINE_BACKSPACE, "a|c", true},
	    {"ab|c", LINE_DELETE, "ab|", true},
	    {"\xe4\xb8\xad\xc3\xa9|x", LINE_LEFT, "\xe4\xb8\xad|\xc3\xa9x", true},
	    {"\xe4\xb8\xad|\xc3\xa9x", LINE_DELETE, "\xe4\xb8\xad|x", true},
	    {"\xe4\xb8\xad|\xc3\xa9x", LINE_BACKSPACE, "|\xc3\xa9x", true},
	    {"\xf0\x9f\x94\xa5|", LINE_BACKSPACE, "|", true},
	    {"a\xb8\xad|", LINE_BACKSPACE, "a\xb8|", true}, /* each stray byte alone */
	    {"\xe4\xb8|", LINE_LEFT, "\xe4|\xb8", true},
	    {"xe\xcc\x81\xcc\xa7|", LINE_LEFT, "x|e\xcc\x81\xcc\xa7", true}, /* with its marks */
	    {"x|e\xcc\x81\xcc\xa7y", LINE_RIGHT, "xe\xcc\x81\xcc\xa7|y", true},
	    {"xe\xcc\x81|", LINE_BACKSPACE, "x|", true},
	    {"|\xcc\x81x", LINE_DELETE, "|x", true}, /* a mark on nothing */
	    {"goto cycle 47|11", LINE_WORD_LEFT, "goto cycle |4711", true},
	    {"goto cycle |4711", LINE_WORD_LEFT, "goto |cycle 4711", true},
	    {"goto| cycle 4711", LINE_WORD_RIGHT, "goto cycle| 4711", true},
	    {"a (cu|l1)", LINE_WORD_RIGHT, "a (cul1|)", true},
	    {"x (CU.L1|)", LINE_KILL_WORD_LEFT, "x (CU.|)", true},
	    {"x (CU.L1|)", LINE_KILL_ARGUMENT, "x |)", true},
	    {"x  |", LINE_KILL_ARGUMENT, "|", true},
	    {"x |yy zz", LINE_KILL_WORD_RIGHT, "x | zz", true},
	    {"x |yy zz", LINE_KILL_HOME, "|yy zz", true},
	    {"x |yy zz", LINE_KILL_END, "x |", true},
	    {"x |yy zz", LINE_KILL_LINE, "|", true},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		start(cases[i].before);
		assert_int_equal(lineedit_do(&line, cases[i].action), cases[i].done);
		line_is(cases[i].after);
	}
}

TEST(line_yanks)
{
	start("goto cycle| 4711 now");
	lineedit_do(&line, LINE_KILL_WORD_RIGHT);
	lineedit_do(&line, LINE_KILL_WORD_LEFT);
	line_is("goto | now");
	lineedit_do(&line, LINE_YANK);
	lineedit_do(&line, LINE_YANK);
	line_is("goto cyclecycle| now");
	lineedit_set(&line, "new");
	lineedit_do(&line, LINE_YANK);
	line_is("newcycle|");
}

TEST(line_is_bounded)
{
	static char full[LINE_MAX_BYTES + 2];

	lineedit_init(&line);
	memset(full, 'x', LINE_MAX_BYTES + 1);
	assert_false(lineedit_set(&line, full));
	line_is("|");
	full[LINE_MAX_BYTES] = '\0';
	assert_true(lineedit_set(&line, full));
	assert_int_equal(line.len, LINE_MAX_BYTES);
	assert_false(lineedit_insert_cp(&line, 'y'));
	assert_true(lineedit_do(&line, LINE_BACKSPACE));
	assert_false(lineedit_insert_cp(&line, 0xe9));
	assert_true(lineedit_insert_cp(&line, 'y'));
	assert_true(lineedit_do(&line, LINE_KILL_LINE));
	assert_true(lineedit_insert_cp(&line, 'z'));
	assert_false(lineedit_do(&line, LINE_YANK));
	line_is("z|");
	assert_true(lineedit_do(&line, LINE_KILL_HOME));
	assert_true(lineedit_do(&line, LINE_YANK));
	line_is("z|");
	assert_false(lineedit_insert(&line, "a\0b", 3));
	assert_false(lineedit_insert_cp(&line, 0));
}

TEST(line_replaces)
{
	start("goto cy| 5");
	assert_true(lineedit_replace(&line, 5, 7, "cycle", 5));
	line_is("goto cycle| 5");
	assert_true(lineedit_replace(&line, 99, 99, "!", 1));
	line_is("goto cycle 5!|");
	/* bytes that become a character when put together */
	lineedit_init(&line);
	lineedit_insert(&line, "\xe4\xad", 2);
	line.cursor = 1;
	lineedit_insert(&line, "\xb8", 1);
	line_is("\xe4\xb8\xad|");
}

TEST(line_names)
{
	for (int i = 0; i < LINE_ACTION_COUNT; i++)
		assert_int_equal(lineedit_find(lineedit_name((enum line_action)i)), i);
	assert_int_equal(lineedit_find("yank"), LINE_YANK);
	assert_int_equal(lineedit_find("nothing"), -1);
	assert_null(lineedit_name(LINE_ACTION_COUNT));
}

static void window_is(int columns, const char *shown, int cursor)
{
	struct line_window w = lineedit_window(&line, columns);
	char part[LINE_MAX_BYTES + 1];

	snprintf(part, sizeof(part), "%.*s", (int)(w.to - w.from), line.text + w.from);
	assert_string_equal(part, shown);
	assert_int_equal(w.cursor, cursor);
}

TEST(line_window_scrolls)
{
	start("abcdefghij|");
	window_is(20, "abcdefghij", 10);
	window_is(11, "abcdefghij", 10);
	window_is(5, "ghij", 4);
	line.cursor = 7;
	window_is(5, "ghij", 1);
	line.cursor = 5;
	window_is(5, "fghij", 0);
	line.cursor = 0;
	window_is(5, "abcde", 0);
	line.cursor = 6;
	window_is(5, "cdefg", 4);
	window_is(20, "abcdefghij", 6);
	window_is(1, "g", 0);
	start("\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad|");
	window_is(4, "\xe4\xb8\xad", 2);
	window_is(5, "\xe4\xb8\xad\xe4\xb8\xad", 4);
	line.cursor = 3;
	window_is(3, "\xe4\xb8\xad", 0);
	window_is(1, "", 0);
}

/* Whatever is done, the text stays whole and the cursor at the beginning of a character. */
TEST(line_random_walk)
{
	static const char *const pieces[] = {
	    "a",    " ",    "\xc3",    "\xa9", "\xe4", "\xb8", "\xad", "(x)", "\xf0\x9f\x94\xa5",
	    "\xff", "word", "\xcc\x81"};
	uint32_t seed = 1;

	lineedit_init(&line);
	for (int i = 0; i < 200000; i++) {
		struct line_window w;
		size_t at = 0;
		uint32_t cp;

		seed = seed * 1664525 + 1013904223;
		if (seed >> 31) {
			const char *piece = pieces[(seed >> 16) % 12];

			lineedit_insert(&line, piece, strlen(piece));
		} else {
			lineedit_do(&line, (enum line_action)((seed >> 16) % LINE_ACTION_COUNT));
		}
		if (line.len > 60)
			lineedit_do(&line, LINE_KILL_LINE);
		while (at < line.cursor)
			at += text_decode(line.text + at, line.len - at, &cp);
		assert_int_equal(at, line.cursor);
		assert_int_equal(strlen(line.text), line.len);
		w = lineedit_window(&line, 1 + (int)(seed >> 8) % 30);
		assert_true(w.from <= line.cursor && w.to <= line.len && w.from <= w.to);
		assert_in_range(w.cursor, 0, (seed >> 8) % 30);
		assert_true(text_width(line.text + w.from, w.to - w.from) <=
			    1 + (int)(seed >> 8) % 30);
	}
}

/* history */

TEST(history_order)
{
	struct history *h = history_new();
	char text[32];

	assert_null(history_get(h, 0));
	history_add(h, "");
	history_add(h, "  \t");
	assert_int_equal(history_count(h), 0);
	history_add(h, "a");
	history_add(h, "b");
	history_add(h, "a");
	assert_int_equal(history_count(h), 2);
	assert_string_equal(history_get(h, 0), "a");
	assert_string_equal(history_get(h, 1), "b");
	for (int i = 0; i < 1000; i++) {
		snprintf(text, sizeof(text), "goto cycle %d", i);
		assert_true(history_add(h, text));
	}
	assert_int_equal(history_count(h), HISTORY_MAX);
	assert_string_equal(history_get(h, 0), "goto cycle 999");
	assert_string_equal(history_get(h, HISTORY_MAX - 1), "goto cycle 488");
	assert_null(history_get(h, HISTORY_MAX));
	history_free(h);
	history_free(NULL);
}

TEST(history_walks)
{
	struct history *h = history_new();
	struct history_walk w;

	history_add(h, "goto last");
	history_add(h, "zoom in");
	history_add(h, "goto cycle 47");
	start("go|x");
	history_walk_begin(&w, &line);
	assert_null(history_walk_newer(&w, h));
	assert_string_equal(history_walk_older(&w, h), "goto cycle 47");
	assert_string_equal(history_walk_older(&w, h), "goto last");
	assert_null(history_walk_older(&w, h));
	assert_string_equal(history_walk_newer(&w, h), "goto cycle 47");
	assert_string_equal(history_walk_newer(&w, h), "gox");
	assert_null(history_walk_newer(&w, h));
	start("goto cycle 47|");
	history_walk_begin(&w, &line);
	assert_null(history_walk_older(&w, h));
	lineedit_do(&line, LINE_HOME);
	history_walk_begin(&w, &line);
	assert_string_equal(history_walk_older(&w, h), "zoom in");
	history_free(h);
}

static char folder[] = "/tmp/pipeglass-test-XXXXXX", path[200];

static int make_folder(void **state)
{
	(void)state;
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof(path), "%s/history", folder);
	return 0;
}

static int remove_folder(void **state)
{
	char command[250];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", folder);
	return system(command);
}

TEST(history_round_trip)
{
	static const char *const texts[] = {"goto 1", "a\\x41", "\\", "\xff\xc3\xa9 \xe4", "x\\n"};
	struct history *h = history_new(), *back = history_new();
	size_t n = sizeof(texts) / sizeof(texts[0]);
	struct stat info;

	assert_int_equal(history_load(h, path, NULL), STATUS_OK);
	for (size_t i = 0; i < n; i++)
		history_add(h, texts[i]);
	history_add(h, "two\nlines");
	history_add(h, "an escape \033[m");
	assert_int_equal(history_save(h, path, NULL), STATUS_OK);
	assert_int_equal(stat(path, &info), 0);
	assert_int_equal(info.st_mode & 07777, 0600);
	assert_int_equal(history_load(back, path, NULL), STATUS_OK);
	assert_int_equal(history_count(back), n);
	for (size_t i = 0; i < n; i++)
		assert_string_equal(history_get(back, n - 1 - i), texts[i]);
	history_free(h);
	history_free(back);
}

TEST(history_merges)
{
	struct history *one = history_new(), *two = history_new(), *h = history_new();

	unlink(path);
	history_add(one, "old");
	assert_int_equal(history_save(one, path, NULL), STATUS_OK);
	assert_int_equal(history_load(two, path, NULL), STATUS_OK);
	history_add(one, "from one");
	history_add(two, "from two");
	assert_int_equal(history_save(two, path, NULL), STATUS_OK);
	assert_int_equal(history_save(one, path, NULL), STATUS_OK);
	assert_int_equal(history_load(h, path, NULL), STATUS_OK);
	assert_int_equal(history_count(h), 3);
	assert_string_equal(history_get(h, 0), "from one");
	assert_string_equal(history_get(h, 1), "from two");
	assert_string_equal(history_get(h, 2), "old");
	history_free(one);
	history_free(two);
	history_free(h);
}

static void write_file(const char *bytes, size_t len)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, len, f), len);
	fclose(f);
}

TEST(history_of_strange_files)
{
	static const char strange[] = "good\n\nna\0ul\nbad \033\nno newline";
	size_t size = 2 << 20;
	struct history *h = history_new();
	char *big = malloc(size), other[200];
	struct stat info;
	struct error e;

	write_file(strange, sizeof(strange) - 1);
	assert_int_equal(history_load(h, path, &e), STATUS_OK);
	assert_int_equal(history_count(h), 2);
	assert_string_equal(history_get(h, 0), "no newline");
	assert_string_equal(history_get(h, 1), "good");
	memset(big, 'b', size);
	memcpy(big + size - 7, "\nafter\n", 7);
	write_file(big, size);
	assert_int_equal(history_load(h, path, &e), STATUS_OK);
	assert_int_equal(history_count(h), 3);
	assert_string_equal(history_get(h, 0), "after");
	assert_int_equal(history_save(h, path, &e), STATUS_OK); /* begun again */
	assert_int_equal(stat(path, &info), 0);
	assert_int_equal(info.st_size, strlen("good\nno newline\nafter\n"));
	free(big);
	unlink(path);
	assert_int_equal(symlink("/dev/null", path), 0);
	assert_int_equal(history_load(h, path, &e), STATUS_UNSUPPORTED);
	assert_int_equal(history_save(h, path, &e), STATUS_UNSUPPORTED);
	unlink(path);
	snprintf(other, sizeof(other), "%s/other", folder);
	assert_int_equal(history_save(h, other, &e), STATUS_OK);
	assert_int_equal(symlink(other, path), 0);
	assert_int_equal(history_load(h, path, &e), STATUS_UNSUPPORTED);
	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(history_load(h, path, &e), STATUS_UNSUPPORTED);
	unlink(path);
	assert_int_equal(history_save(h, "/nowhere/history", &e), STATUS_IO);
	assert_string_equal(e.text, "cannot open /nowhere/history: No such file or directory");
	history_free(h);
}

FIXTURES(make_folder, remove_folder)
