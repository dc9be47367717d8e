#include "config.h"

#include "app/command.h"

#include <string.h>

#include "base/num.h"

/* items: what traces must be of for the commands to work; NULL: any will do */
static const struct {
	const char *title;
	const struct command *rows;
	const char *items;
} topics[] = {
    {"Moving", nav_commands, NULL},
    {"Searching", search_commands, NULL},
    {"Searching and filtering instructions", find_commands, "instructions"},
    {"Zoom and metrics", view_commands, NULL},
    {"Instructions", rows_commands, "instructions"},
    {"Links, lanes and time", links_commands, "instructions"},
    {"Curves", resource_commands, NULL},
    {"Overview", overview_commands, NULL},
    {"Comparing", compare_commands, NULL},
    {"Comparing instructions", row_compare_commands, "instructions"},
    {"Stalls", stalls_commands, "instructions"},
    {"Reduced trace", reduce_commands, "instructions"},
    {"Growth-rate model", cpi0_commands, "instructions"},
    {"Causes of cycles", why_commands, "instructions"},
    {"Tasks", task_commands, "tasks"},
    {"Network of tasks", network_commands, "tasks"},
    {"Shared memory", block_commands, "cache blocks"},
    {"Panes and help", pane_commands, NULL},
    {"Files", file_commands, NULL},
    {"Live input", live_commands, NULL},
    {"Configuration", config_commands, NULL},
    {"At the prompt", prompt_commands, NULL},
};

enum { TOPIC_COUNT = sizeof(topics) / sizeof(topics[0]) };

static const struct {
	const char *name, *help;
	enum arg_how how;
} args[] = {
#define ARG_ROW(name, usage, how, help) {usage, help, HOW_##how},
    ARG_INFO(ARG_ROW)
#undef ARG_ROW
};

const struct command_alias command_aliases[] = {
    {"/", "search"},        {"?", "search-back"}, {"&", "filter rows"}, {"!", "shell"},
    {"q", "quit"},          {"qa", "quit"},       {"q!", "quit!"},       {"wq", "quit"},
    {"h", "help"},          {"e", "open"},        {"w", "write"},       {"w!", "write!"},
    {"noh", "search none"}, {"tabn", "tab next"}, {"tabp", "tab prev"}, {"dist", "distance"},
    {"previous", "prev"},   {"colour", "color"},  {"exit", "quit"},     {"map", "help"},
    {"picture", "write"},   {"percent", "goto percent"}, {"zoom all", "zoom fit"},
    /* *: a word that is none of the family's own */
    {"highlight *", "highlight event"}, {"metric *", "metric add"}, {"sort *", "sort by"},
    {NULL, NULL},
};

const struct command *command_at(size_t i)
{
	for (int t = 0; t < TOPIC_COUNT; t++)
		for (const struct command *c = topics[t].rows; c->name; c++)
			if (i-- == 0)
				return c;
	return NULL;
}

const char *command_topic(size_t i)
{
	for (int t = 0; t < TOPIC_COUNT; t++) {
		if (i == 0)
			return topics[t].title;
		for (const struct command *c = topics[t].rows; c->name; c++, i--)
			if (i == 0 && c != topics[t].rows)
				return NULL;
	}
	return NULL;
}

const char *command_items(const struct command *c)
{
	for (int t = 0; t < TOPIC_COUNT; t++)
		for (const struct command *row = topics[t].rows; row->name; row++)
			if (row == c)
				return topics[t].items;
	return NULL;
}

const char *arg_name(enum arg_type type)
{
	return args[type].name;
}

const char *arg_help(enum arg_type type)
{
	return args[type].help;
}

const char *arg_word(enum arg_type type, int i, size_t *len)
{
	const char *p = args[type].help;

	for (;; i--) {
		*len = strcspn(p, " ,;");
		if (!*len || args[type].how != HOW_CHOICE)
			return NULL;
		if (i == 0)
			return p;
		p += *len;
		p += strspn(p, " ,");
		p += strncmp(p, "or ", 3) == 0 ? 3 : 0;
	}
}

bool command_arg(const struct command *c, int i, enum arg_type *type, bool *optional)
{
	const char *p = c->args;

	for (; *p && i > 0; i--) {
		p += strcspn(p, " ");
		p += strspn(p, " ");
	}
	if (!*p)
		return false;
	*optional = *p == '[';
	p += *optional;
	for (int t = 0; t < ARG_TYPES; t++) {
		size_t len = strlen(args[t].name);

		if (strncmp(p, args[t].name, len) == 0 && strchr(" ]", p[len])) {
			*type = (enum arg_type)t;
			return true;
		}
	}
	return false;
}

/* A stretch of the line. */
struct word {
	const char *p;
	size_t len;
};

static bool is_word(struct word w, const char *text, size_t len)
{
	return w.len == len && memcmp(w.p, text, len) == 0;
}

static bool is_start(struct word w, const char *text, size_t len)
{
	return w.len > 0 && w.len < len && memcmp(w.p, text, w.len) == 0;
}

static const char *skip_blanks(const char *p)
{
	return p + strspn(p, " \t");
}

static bool at_separator(const char *p)
{
	return *p == ';' && strchr(" \t", p[1]); /* also when it ends the line */
}

static struct word next_word(const char *p)
{
	p = skip_blanks(p);
	return (struct word){p, at_separator(p) ? 0 : strcspn(p, " \t")};
}

/* The two words a name can have. */
struct name {
	struct word first, second;
};

static struct name split(const char *name)
{
	size_t len = strcspn(name, " ");
	const char *second = name + len + (name[len] == ' ');

	return (struct name){{name, len}, {second, strlen(second)}};
}

static struct name row_name(const struct command *c)
{
	return split(c->name);
}

enum match { MATCH_NONE, MATCH_START, MATCH_EXACT };

/* Does w name the word want, or begin it? */
static enum match match_word(struct word w, struct word want)
{
	if (is_word(w, want.p, want.len))
		return MATCH_EXACT;
	return is_start(w, want.p, want.len) ? MATCH_START : MATCH_NONE;
}

static enum match match_row(struct name typed, const struct command *c)
{
	struct name n = row_name(c);
	enum match first = match_word(typed.first, n.first);
	enum match second = n.second.len ? match_word(typed.second, n.second) : MATCH_EXACT;

	return first < second ? first : second;
}

static bool begins_row(struct name typed, const struct command *c)
{
	struct name n = row_name(c);

	return match_word(typed.first, n.first) != MATCH_NONE &&
	       (!n.second.len || !typed.second.len ||
		match_word(typed.second, n.second) != MATCH_NONE);
}

/* The names that begin so; appends. */
static void add_begun(struct name typed, struct sbuf *out)
{
	for (int t = 0; t < TOPIC_COUNT; t++)
		for (const struct command *c = topics[t].rows; c->name; c++)
			if (begins_row(typed, c))
				sbuf_printf(out, "%s%s", out->len ? ", " : "", c->name);
}

static void list_matches(struct name typed, struct error *e)
{
	struct word all = typed.first;
	struct sbuf list = {0};

	add_begun(typed, &list);
	if (!list.len && typed.second.len) {
		add_begun((struct name){.first = typed.first}, &list);
		if (list.len)
			all.len = (size_t)(typed.second.p - all.p) + typed.second.len;
	}
	if (list.len)
		error_set(e, STATUS_USAGE, "%.*s: which one? %.200s", (int)all.len, all.p,
			  sbuf_text(&list));
	else
		error_set(e, STATUS_USAGE, "no such command: %.*s (try :help %.*s)", (int)all.len, all.p,
			  (int)typed.first.len, typed.first.p);
	sbuf_free(&list);
}

/*
 * Exact names go first, so that a one-word command can take any argument, then the beginnings of two
 * words; of a single one only when no second name is meant. Among these those whose first word is
 * exact. 0: it is none of the command's.
 */
static int rank_of(struct name typed, const struct command *c, bool aliased)
{
	const struct name name = row_name(c);
	const enum match match = match_row(typed, c);
	const bool two = name.second.len, exact = match == MATCH_EXACT;

	if (match == MATCH_NONE || (!two && !exact && aliased))
		return 0;
	return 1 + 4 * exact + 2 * two +
	       (match_word(typed.first, name.first) == MATCH_EXACT);
}

static const struct command *find_row(struct name typed, bool aliased, struct error *e)
{
	const struct command *best = NULL;
	int most = 0, count = 0;

	for (int t = 0; t < TOPIC_COUNT; t++)
		for (const struct command *c = topics[t].rows; c->name; c++) {
			const int rank = rank_of(typed, c, aliased);

			if (!rank || rank < most)
				continue;
			count = rank > most ? 1 : count + 1;
			most = rank;
			best = c;
		}
	if (count == 1)
		return best;
	if (!aliased)
		list_matches(typed, e);
	return NULL;
}

/* 4711, +5, -5, 50%, #71, 'a stand for `goto` of that. */
static bool is_place(const char *p)
{
	if (*p == '+' || *p == '-' || *p == '#')
		p++;
	return (*p >= '0' && *p <= '9') || *p == '\'';
}

/* *args_at: what follows its name. */
static const struct command_alias *find_alias(const char *p, struct name typed,
					      const char **args_at)
{
	for (const struct command_alias *a = command_aliases; a->name; a++) {
		struct name n = split(a->name);
		bool sign = strchr("/?&!", a->name[0]) != NULL, any = is_word(n.second, "*", 1);
		struct word last = n.second.len && !any ? typed.second : typed.first;

		if (sign ? *p != a->name[0]
			 : match_word(typed.first, n.first) != MATCH_EXACT ||
			       (any && !typed.second.len) ||
			       (n.second.len && !any && !is_word(typed.second, n.second.p, n.second.len)))
			continue;
		*args_at = sign ? p + 1 : last.p + last.len;
		return a;
	}
	return NULL;
}

static const struct command *named(const char *line, const char **args_at, struct error *e)
{
	const char *p = line + strspn(line, " \t:");
	struct name typed = {.first = next_word(p)};
	const struct command_alias *alias;
	const struct command *c;
	struct word last;

	*args_at = p;
	if (is_place(p))
		return find_row(split("goto"), false, e);
	if (!typed.first.len) {
		error_set(e, STATUS_USAGE, "a command is missing");
		return NULL;
	}
	typed.second = next_word(typed.first.p + typed.first.len);
	alias = find_alias(p, typed, args_at);
	c = find_row(typed, alias != NULL, e);
	if (!c && alias)
		return find_row(split(alias->command), false, e);
	last = c && row_name(c).second.len ? typed.second : typed.first;
	*args_at = last.p + last.len;
	return c;
}

const struct command *command_named(const char *line, size_t *args_at, struct error *e)
{
	const char *at = line;
	const struct command *c = named(line, &at, e);

	*args_at = (size_t)(at - line);
	return c;
}

const char *command_typed(const char *line)
{
	const char *asked = strncmp(line, "ask ", 4) == 0 ? line + 4 : line;

	if (strcmp(asked, "command") == 0)
		return line;
	return asked + (strncmp(asked, "command ", 8) == 0 ? 8 : 0);
}

const struct command *command_meant(const char *line, const char **args_at)
{
	const struct command *c = named(command_typed(line), args_at, NULL);

	c = c ? c : named(line, args_at, NULL);
	*args_at = skip_blanks(*args_at);
	return c;
}

/* The end of a quoted string that starts at p; NULL when it is not closed. */
static const char *closing_quote(const char *p)
{
	char quote = *p;

	for (p++; *p; p++) {
		if (*p == quote)
			return p;
		if (quote == '"' && *p == '\\' && p[1])
			p++;
	}
	return NULL;
}

static void add_unquoted(struct sbuf *out, const char *p, const char *end)
{
	char quote = *p;

	for (p++; p < end; p++) {
		if (quote == '"' && *p == '\\' && p + 1 < end && strchr("\"\\", p[1]))
			p++;
		sbuf_putc(out, *p);
	}
}

static bool ends_argument(const char *p)
{
	return !*p || *p == ' ' || *p == '\t';
}

static bool ends_rest(const char *p)
{
	return !*p || at_separator(p);
}

/* Where the rest of the line ends: at a lone ; */
static const char *end_of_rest(const char *p)
{
	for (const char *q = p; *q; q++)
		if (at_separator(q) && q > p && strchr(" \t", q[-1]))
			return q;
	return p + strlen(p);
}

/* Append one argument from p to out and return what follows. */
static const char *take_argument(struct sbuf *out, const char *p, enum arg_how how)
{
	bool may_quote = how == HOW_WORD || how == HOW_CHOICE || how == HOW_REST;
	bool to_end = how == HOW_REST || how == HOW_PLAIN;
	const char *close = may_quote && strchr("'\"", *p) ? closing_quote(p) : NULL;
	const char *end;

	if (how == HOW_ALL) {
		sbuf_puts(out, p);
		return p + strlen(p);
	}
	if (how == HOW_RAW) {
		end = p + strcspn(p, " \t");
		sbuf_add(out, p, (size_t)(end - p));
		return end;
	}
	end = to_end ? end_of_rest(p) : p + strcspn(p, " \t");
	if (close && how == HOW_REST && !ends_rest(skip_blanks(close + 1)))
		close = NULL; /* a quote inside a pattern */
	if (close && ends_argument(close + 1)) {
		add_unquoted(out, p, close);
		return close + 1;
	}
	while (to_end && end > p && strchr(" \t", end[-1]))
		end--;
	sbuf_add(out, p, (size_t)(end - p));
	return end;
}

static enum status usage_error(const struct call *c, struct error *e)
{
	return error_set(e, STATUS_USAGE, "usage: %s %s: %s", c->command->name, c->command->args,
			 c->command->help);
}

/* Arguments into c->words; offsets first, because the buffer moves while it grows. */
static enum status take_arguments(struct call *c, const char *p, const char **rest, struct error *e)
{
	size_t at[COMMAND_ARGS];
	enum arg_type type;
	bool optional;

	for (p = skip_blanks(p); c->argc < COMMAND_ARGS; p = skip_blanks(p)) {
		bool more;
		enum arg_how how;

		if (!*p || !command_arg(c->command, c->argc, &type, &optional))
			break;
		how = args[type].how;
		if (at_separator(p) && how != HOW_RAW) /* ; is also a key */
			break;
		more = command_arg(c->command, c->argc + 1, &type, &optional);
		if ((how == HOW_REST || how == HOW_PLAIN) && more)
			how = HOW_WORD;
		at[c->argc++] = c->words.len;
		p = take_argument(&c->words, p, how);
		sbuf_add(&c->words, "", 1);
	}
	if (c->words.failed)
		return error_set(e, STATUS_NOMEM, "out of memory");
	for (int i = 0; i < c->argc; i++)
		c->argv[i] = c->words.text + at[i];
	if (*p && !at_separator(p))
		return usage_error(c, e);
	*rest = *p ? p + 1 : p;
	if (command_arg(c->command, c->argc, &type, &optional) && !optional)
		return usage_error(c, e);
	return STATUS_OK;
}

enum status command_parse(struct call *c, const char *line, const char **rest, struct error *e)
{
	struct error why = {STATUS_OK, ""};
	const char *p = line;

	*c = (struct call){.count = -1};
	*rest = line + strlen(line);
	c->command = named(line, &p, &why);
	if (!c->command)
		return error_set(e, why.code, "%s", why.text);
	return take_arguments(c, p, rest, e);
}

void call_free(struct call *c)
{
	sbuf_free(&c->words);
}

enum status command_check(const char *line, struct error *e)
{
	while (*skip_blanks(line)) {
		struct call c;
		enum status status = command_parse(&c, line, &line, e);

		call_free(&c);
		if (status)
			return status;
	}
	return STATUS_OK;
}

enum status call_choice(const struct call *c, int i, int now, int *out, struct error *e)
{
	enum arg_type type = ARG_TYPES;
	const char *word;
	bool optional;
	size_t len;

	command_arg(c->command, i, &type, &optional);
	if (i >= c->argc) {
		*out = arg_word(type, now + 1, &len) ? now + 1 : 0;
		return STATUS_OK;
	}
	for (*out = 0; (word = arg_word(type, *out, &len)); ++*out)
		if (strlen(c->argv[i]) == len && strncmp(word, c->argv[i], len) == 0)
			return STATUS_OK;
	return error_set(e, STATUS_USAGE, "%s: expected %s; got: %s", c->command->name, args[type].help,
			 c->argv[i]);
}

enum status call_number(const struct call *c, int i, int64_t def, int64_t *out, struct error *e)
{
	*out = c->count >= 0 ? c->count : def;
	if (i < c->argc && !num_parse_i64(c->argv[i], out))
		return error_set(e, STATUS_USAGE, "not a number: %s", c->argv[i]);
	return STATUS_OK;
}

enum status call_count(const struct call *c, int i, int64_t def, int64_t *out, struct error *e)
{
	enum status status = call_number(c, i, def, out, e);

	*out = *out > COUNT_MAX ? COUNT_MAX : *out < -COUNT_MAX ? -COUNT_MAX : *out;
	return status;
}
