/* Keys, keymaps and the parser of command lines, without a trace. */
#include "config.h"

#include <string.h>

#include "app/command.h"
#include "app/keymap.h"
#include "app/options.h"
#include "app/places.h"
#include "base/embedded.h"
#include "testing.h"

/* Keys */

TEST(spelling_of_keys)
{
	static const struct {
		const char *text;
		uint32_t code;
		uint8_t mods;
		const char *name;
	} rows[] = {
	    {"g", 'g', 0, "g"},
	    {"G", 'G', 0, "G"},
	    {"<", '<', 0, "<"},
	    {"<Lt>", '<', 0, "<"},
	    {">", '>', 0, ">"},
	    {"<Space>", K_SPACE, 0, "<Space>"},
	    {"<PageDown>", K_PAGE_DOWN, 0, "<PageDown>"},
	    {"<C-d>", 'd', MOD_CTRL, "<C-d>"},
	    {"<C-D>", 'd', MOD_CTRL, "<C-d>"},
	    {"<M-x>", 'x', MOD_ALT, "<M-x>"},
	    {"<M-Gt>", '>', MOD_ALT, "<M-Gt>"},
	    {"<C-M-Left>", K_LEFT, MOD_CTRL | MOD_ALT, "<C-M-Left>"},
	    {"<C-i>", K_TAB, 0, "<Tab>"},
	    {"<C-m>", K_ENTER, 0, "<Enter>"},
	    {"<C-[>", K_ESCAPE, 0, "<Esc>"},
	    {"<S-Tab>", K_BACKTAB, 0, "<BackTab>"},
	    {"<S-a>", 'A', 0, "A"},
	    {"<F12>", K_F12, 0, "<F12>"},
	    {"\303\244", 0xe4, 0, "\303\244"},
	};
	char buf[32];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *p = rows[i].text;
		struct key k;

		assert_true(key_parse(&p, &k));
		assert_int_equal(*p, '\0');
		assert_int_equal(k.code, rows[i].code);
		assert_int_equal(k.mods, rows[i].mods);
		assert_string_equal(key_name(k, buf), rows[i].name);
	}
}

TEST(every_name_reads_back)
{
	for (uint32_t code = KEY_NAMED + 1; code < K_LAST; code++)
		for (uint8_t mods = 0; mods < 8; mods++) {
			struct key k = {code, mods}, back;
			char buf[32];
			const char *p = key_name(k, buf);

			assert_true(key_parse(&p, &back));
			assert_true(key_equal(k, back));
		}
}

TEST(bad_keys)
{
	static const char *const rows[] = {"", "<Nope>", "<C-", "<x>", "<C-Nope>", "\x01", "\xff"};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *p = rows[i];
		struct key k;

		assert_false(key_parse(&p, &k));
	}
}

/* Keymaps */

static struct key_sequence keys(const char *text)
{
	struct key_sequence s;

	assert_int_equal(keymap_sequence(text, &s, NULL), STATUS_OK);
	return s;
}

static void bind(struct keymap *m, const char *text, const char *command)
{
	struct key_sequence s = keys(text);

	keymap_bind(m, KEYS_MAIN, &s, command);
}

static const char *find(const struct keymap *m, const char *text)
{
	struct key_sequence s = keys(text);
	const struct binding *b;

	switch (keymap_find(m, KEYS_MAIN, &s, &b)) {
	case KEYMAP_BOUND:
		return b->command;
	case KEYMAP_PREFIX:
		return "...";
	case KEYMAP_UNBOUND:
		break;
	}
	return "";
}

TEST(sequences)
{
	struct keymap m = {0};

	bind(&m, "gg", "goto first");
	bind(&m, "gt", "tab next");
	bind(&m, "m<Any>", "mark %k");
	bind(&m, "mm", "maximise");
	assert_string_equal(find(&m, "g"), "...");
	assert_string_equal(find(&m, "gg"), "goto first");
	assert_string_equal(find(&m, "gx"), "");
	assert_string_equal(find(&m, "mz"), "mark %k");
	assert_string_equal(find(&m, "mm"), "maximise");
	assert_string_equal(find(&m, "m<Esc>"), "");
	assert_string_equal(find(&m, "m<C-a>"), "");
	/* a key is bound or begins others, never both */
	bind(&m, "g", "redraw");
	assert_string_equal(find(&m, "g"), "redraw");
	assert_string_equal(find(&m, "gg"), "");
	bind(&m, "gt", "tab next");
	assert_string_equal(find(&m, "g"), "...");
	keymap_free(&m);
}

TEST(panes_look_in_main)
{
	struct keymap m = {0};
	struct key_sequence q = keys("q"), x = keys("x");
	const struct binding *b;

	keymap_bind(&m, KEYS_MAIN, &q, "quit");
	keymap_bind(&m, KEYS_MAIN, &x, "next gap");
	keymap_bind(&m, KEYS_PANE, &q, "close");
	assert_int_equal(keymap_find(&m, KEYS_PANE, &q, &b), KEYMAP_BOUND);
	assert_string_equal(b->command, "close");
	assert_int_equal(keymap_find(&m, KEYS_PANE, &x, &b), KEYMAP_BOUND);
	assert_int_equal(keymap_find(&m, KEYS_PROMPT, &x, &b), KEYMAP_UNBOUND);
	assert_true(keymap_unbind(&m, KEYS_PANE, &q));
	assert_false(keymap_unbind(&m, KEYS_PANE, &q));
	assert_int_equal(keymap_find(&m, KEYS_PANE, &q, &b), KEYMAP_BOUND);
	assert_string_equal(b->command, "quit");
	keymap_free(&m);
}

TEST(typed_character_is_quoted)
{
	static const struct {
		const char *keys, *line;
	} rows[] = {
	    {"ma", "mark \"a\""},
	    {"m\"", "mark \"\\\"\""},
	    {"m<Space>", "mark \" \""},
	    {"m;", "mark \";\""}};
	struct keymap m = {0};

	bind(&m, "m<Any>", "mark %k");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct key_sequence s = keys(rows[i].keys);
		const struct binding *b;
		struct sbuf line = {0};

		assert_int_equal(keymap_find(&m, KEYS_MAIN, &s, &b), KEYMAP_BOUND);
		keymap_expand(b, &s, &line);
		assert_string_equal(sbuf_text(&line), rows[i].line);
		sbuf_free(&line);
	}
	keymap_free(&m);
}

/* Command lines */

static void parse(const char *line, const char *name, int argc, const char *last, const char *rest)
{
	struct call c;
	const char *end;
	struct error e = {STATUS_OK, ""};

	if (command_parse(&c, line, &end, &e))
		fail_msg("%s: %s", line, e.text);
	assert_string_equal(c.command->name, name);
	assert_int_equal(c.argc, argc);
	if (argc)
		assert_string_equal(c.argv[argc - 1], last);
	assert_string_equal(end, rest);
	call_free(&c);
}

TEST(command_lines)
{
	parse("goto cycle 4711", "goto cycle", 1, "4711", "");
	parse("  :goto cycle 48 312 907 ; center", "goto cycle", 1, "48 312 907", " center");
	parse("4 711", "goto", 1, "4 711", "");
	parse("-5", "goto", 1, "-5", "");
	parse("50%", "goto", 1, "50%", "");
	parse("#71", "goto", 1, "#71", "");
	parse("0x400500", "goto", 1, "0x400500", "");
	parse("'a", "goto", 1, "'a", "");
	parse("goto ''", "goto", 1, "''", "");
	parse("/a b;c", "search", 1, "a b;c", "");
	parse("/ a ; next", "search", 1, "a", " next");
	parse("?x", "search-back", 1, "x", "");
	parse("&!ldr", "filter rows", 1, "!ldr", "");
	parse("q", "quit", 0, NULL, "");
	parse("zoom i 2", "zoom in", 1, "2", "");
	parse("zo cycles-o", "zoom cycles-out", 0, NULL, "");
	parse("filter component (CU|L1)", "filter component", 1, "(CU|L1)", "");
	parse("filter comp", "filter", 1, "comp", "");
	parse("filter 'a ; b' ; next", "filter", 1, "a ; b", " next");
	parse("filter can't", "filter", 1, "can't", "");
	parse("filter 'a' b'", "filter", 1, "'a' b'", "");
	parse("write \"a \\\"b\\\" c\" html", "write", 2, "html", "");
	parse("write \"a \\\"b\\\" c\"", "write", 1, "a \"b\" c", "");
	parse("bind main ; zoom in ; center", "bind", 3, "zoom in ; center", "");
	parse("bind main '' goto mark '", "bind", 3, "goto mark '", "");
	parse("keys /a ; b ", "keys", 1, "/a ; b ", "");
	parse("redraw ;", "redraw", 0, NULL, "");
	parse("tabn", "tab next", 0, NULL, "");
}

/* An alias goes behind the words of a command and their beginnings. */
TEST(words_that_people_try)
{
	parse("map", "help", 0, NULL, "");
	parse("picture a.svg", "write", 1, "a.svg", "");
	parse("zoom all", "zoom fit", 0, NULL, "");
	parse("percent 50", "goto percent", 1, "50", "");
	parse("metric ipc", "metric add", 1, "ipc", "");
	parse("metric rem ipc", "metric remove", 1, "ipc", "");
	parse("highlight mispredict", "highlight event", 1, "mispredict", "");
	parse("highlight st EX", "highlight stage", 1, "EX", "");
}

TEST(wrong_lines)
{
	static const struct {
		const char *line, *says;
	} rows[] = {
	    {"", "missing"},
	    {"foo", "no such command: foo"},
	    {"zoom", "which one?"},
	    {"zoom foo", "zoom foo: which one? zoom in, zoom out"},
	    {"export", "no such command: export (try :help export)"},
	    {"mo", "which one? move down"},
	    {"redraw now", "usage: redraw"},
	    {"mark", "usage: mark MARK"},
	    {"bind main", "usage: bind"},
	    {"redraw ; foo", "no such command: foo"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct error e = {STATUS_OK, ""};
		struct call c;
		const char *end;

		if (strchr(rows[i].line, ';') || !*rows[i].line) {
			assert_int_equal(command_check(rows[i].line, &e),
					 *rows[i].line ? STATUS_USAGE : STATUS_OK);
			if (!*rows[i].line)
				continue;
		} else {
			assert_int_equal(command_parse(&c, rows[i].line, &end, &e), STATUS_USAGE);
			call_free(&c);
		}
		if (!strstr(e.text, rows[i].says))
			fail_msg("'%s' says: %s", rows[i].line, e.text);
	}
}

/* What the table promises to the parser, the help and the completion. */
TEST(command_table)
{
	const struct command *c, *other;

	for (size_t i = 0; (c = command_at(i)); i++) {
		size_t spaces = 0, words = *c->args != '\0';

		assert_true(!c->run != !c->act);
		assert_true(*c->help >= ' ' && c->help[strlen(c->help) - 1] != '.');
		for (const char *p = c->name; *p; p++)
			spaces += *p == ' ';
		assert_true(spaces <= 1);
		for (const char *p = c->args; *p; p++)
			words += *p == ' ';
		assert_true(words <= COMMAND_ARGS);
		for (size_t k = 0; k < words; k++) {
			enum arg_type type;
			bool optional;

			if (!command_arg(c, (int)k, &type, &optional))
				fail_msg("%s: argument %zu of '%s' is of no type", c->name, k,
					 c->args);
		}
		for (size_t k = 0; k < i && (other = command_at(k)); k++)
			assert_string_not_equal(c->name, other->name);
	}
	assert_string_equal(command_topic(0), "Moving");
	assert_null(command_topic(1));
}

TEST(aliases_lead_to_commands)
{
	for (const struct command_alias *a = command_aliases; a->name; a++) {
		struct sbuf typed = {0};
		size_t at;

		/* a * stands for any word */
		sbuf_printf(&typed, "%s 7x", a->name);
		assert_ptr_equal(command_named(sbuf_text(&typed), &at, NULL),
				 command_named(a->command, &at, NULL));
		sbuf_free(&typed);
	}
}

/* Shipped keymaps: every line is a command that parses, and every bound command too. */
TEST(keymaps_are_sound)
{
	static const char *const files[] = {"default.keys", "vi.keys", "less.keys", "konata.keys"};

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		const struct embedded_file *f = embedded_find(files[i]);
		char line[512];
		int number = 0;

		assert_non_null(f);
		for (size_t at = 0; at < f->len;) {
			const char *text = (const char *)f->bytes + at;
			size_t len = strcspn(text, "\n");
			struct error e = {STATUS_OK, ""};
			struct key_sequence s;
			struct call c;
			const char *rest;
			int mode;

			number++;
			at += len + 1;
			assert_true(len < sizeof(line));
			memcpy(line, text, len);
			line[len] = '\0';
			if (!len || line[0] == '#')
				continue;
			if (command_parse(&c, line, &rest, &e) ||
			    keymap_sequence(c.argv[1], &s, &e) || command_check(c.argv[2], &e))
				fail_msg("%s:%d: %s", files[i], number, e.text);
			assert_int_equal(call_choice(&c, 0, 0, &mode, &e), STATUS_OK);
			call_free(&c);
		}
	}
}

/* Options */

TEST(option_values)
{
	struct options o;
	struct error e;
	enum option which;
	struct sbuf text = {0};

	options_init(&o);
	for (int i = 0; i < OPTION_COUNT; i++) {
		assert_int_equal(option_find(option_infos[i].name, &which, &e), STATUS_OK);
		assert_int_equal(which, i);
		assert_true(o.value[i] >= option_infos[i].least &&
			    o.value[i] <= option_infos[i].most);
	}
	assert_int_equal(option_find("mou", &which, &e), STATUS_OK);
	assert_int_equal(option_find("hide", &which, &e), STATUS_USAGE);
	assert_int_equal(option_find("", &which, &e), STATUS_USAGE);
	assert_int_equal(option_set(&o, OPT_PAN, "50", &e), STATUS_OK);
	assert_int_equal(option_set(&o, OPT_PAN, "0", &e), STATUS_USAGE);
	assert_int_equal(option_set(&o, OPT_PAN, "101", &e), STATUS_USAGE);
	assert_int_equal(option_set(&o, OPT_PAN, "x", &e), STATUS_USAGE);
	assert_int_equal(o.value[OPT_PAN], 50);
	assert_int_equal(option_set(&o, OPT_MOUSE, "yes", &e), STATUS_OK);
	assert_int_equal(option_set(&o, OPT_MOUSE, "2", &e), STATUS_USAGE);
	option_show(&o, OPT_MOUSE, &text);
	assert_string_equal(sbuf_text(&text), "mouse on");
	sbuf_free(&text);
}

/* Places */

TEST(marks)
{
	struct places p = {0};

	for (char c = 'z'; c >= 'a'; c--)
		assert_true(places_mark(&p, c, (uint64_t)c, c));
	for (char c = '0'; c <= '9'; c++)
		assert_true(places_mark(&p, c, 1, 1));
	assert_false(places_mark(&p, 'A', 1, 1));
	assert_int_equal(p.marks.count, MARKS_MAX);
	assert_true(places_mark(&p, 'k', 7, 8));
	assert_int_equal(p.marks.count, MARKS_MAX);
	assert_int_equal(places_find(&p, 'k')->at.item, 7);
	assert_int_equal(places_find(&p, 'j')->at.item, 'j');
	for (size_t i = 1; i < p.marks.count; i++)
		assert_true(p.marks.at[i - 1].letter < p.marks.at[i].letter);
	assert_true(places_unmark(&p, 'k'));
	assert_null(places_find(&p, 'k'));
	assert_non_null(places_find(&p, 'l'));
}

static struct place at(uint64_t row)
{
	return (struct place){.item = row, .tick = (int64_t)row};
}

TEST(jumps)
{
	struct places p = {0};
	struct place to;

	assert_false(places_back(&p, at(5), &to));
	assert_false(places_forward(&p, &to));
	places_jumped(&p, at(1));
	places_jumped(&p, at(2));
	places_jumped(&p, at(3));
	assert_true(places_back(&p, at(9), &to));
	assert_int_equal(to.item, 3);
	assert_true(places_back(&p, to, &to));
	assert_int_equal(to.item, 2);
	assert_true(places_forward(&p, &to));
	assert_int_equal(to.item, 3);
	assert_true(places_forward(&p, &to));
	assert_int_equal(to.item, 9);
	assert_false(places_forward(&p, &to));
	for (uint64_t i = 0; i < 3 * JUMP_MAX; i++)
		places_jumped(&p, at(100 + i));
	assert_int_equal(p.jump_count, JUMP_MAX);
	assert_true(places_back(&p, at(9), &to));
	assert_int_equal(to.item, 100 + 3 * JUMP_MAX - 1);
}
