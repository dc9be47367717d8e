#include "config.h"

#include "analysis/memory/source.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/regex.h"
#include "base/vec.h"
#include "memory/memory.h"

/* Where it begins, and in which function; NULL: in none. */
struct file_line {
	size_t from;
	const char *function;
};

struct file_text {
	struct sbuf path, text; /* where it was found */
	VEC(struct file_line) lines; /* and where the last one ends */
};

struct source_text {
	const struct trace *t;
	struct intern *paths, *functions; /* paths: file_text by number */
	struct regex *head;               /* of a function: its name */
	VEC(struct file_text) files;
};

/*
 * The name in a line that is the head of a function: it begins in column 0 with a letter, and the name
 * stands before parentheses, the first ones but for those of attributes and of types, behind which comes
 * another name with parentheses. There is none in a declaration or a call, which goes on as a statement
 * does, and in statements of a few words.
 */
#define NO_NAMES                                                                                   \
	"(?:__attribute(?:__)?|__declspec|alignas|_Alignas|decltype|(?:__)?typeof(?:__)?|noexcept" \
	"|throw|requires|if|while|for|switch|return|sizeof)\\b"
#define NAME "(?<![\\w$:~])(?!" NO_NAMES ")[A-Za-z_$~](?:[\\w$~]|::)*"

static const char head_pattern[] =
    "(?(DEFINE)(?<parentheses>\\((?:[^()]++|(?&parentheses))*+\\)))"
    "^(?=[A-Za-z_$])(?:[^(;={/]*?\\b(?:" NO_NAMES "\\s*(?&parentheses)"
    "|\\w+(?&parentheses)(?=[\\w\\s*&]*?" NAME "\\()))*+"
    "[^(;={/]*?\\K" NAME
    "(?=\\s*(?!\\(\\*)(?:(?&parentheses)\\s*+(?![;,=])"
    "|\\((?:[^()]++|(?&parentheses)|\\()*+$))"; /* they may go on in the next line */

struct source_text *source_text_new(const struct trace *t)
{
	struct source_text *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->t = t;
	s->paths = intern_new();
	s->functions = intern_new();
	if (s->paths && s->functions && !regex_new(&s->head, head_pattern, NULL))
		return s;
	source_text_free(s);
	return NULL;
}

void source_text_free(struct source_text *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->files.count; i++) {
		sbuf_free(&s->files.data[i].path);
		sbuf_free(&s->files.data[i].text);
		vec_free(&s->files.data[i].lines);
	}
	vec_free(&s->files);
	intern_free(s->paths);
	intern_free(s->functions);
	regex_free(s->head);
	free(s);
}

/*
 * As `diff -p` has it: the function of the nearest line above, or of the line itself, that is the head of
 * one in column 0. It ends with a brace there.
 */
static bool find_functions(struct source_text *s, struct file_text *f)
{
	const char *within = NULL;

	for (size_t i = 0; i + 1 < f->lines.count; i++) {
		const char *line = f->text.text + f->lines.data[i].from;
		size_t len = f->lines.data[i + 1].from - f->lines.data[i].from, from, to;
		bool head;

		while (len && strchr(" \t\r\n", line[len - 1]))
			len--;
		head = regex_match(s->head, line, len, &from, &to);
		if (head) {
			const int32_t id = intern_add(s->functions, line + from, to - from);

			if (id < 0)
				return false;
			within = intern_name(s->functions, id);
		}
		f->lines.data[i].function = within;
		if (len && (*line == '}' || (head && line[len - 1] == '}')))
			within = NULL;
	}
	return true;
}

/* ---- files ---- */

/* "" : as it stands. */
static bool read_in(const char *folder, size_t len, const char *path, struct file_text *out)
{
	sbuf_clear(&out->path);
	sbuf_clear(&out->text);
	sbuf_add(&out->path, folder, len);
	if (len && folder[len - 1] != '/')
		sbuf_putc(&out->path, '/');
	sbuf_puts(&out->path, path);
	return sbuf_read(&out->text, sbuf_text(&out->path), SOURCE_TEXT_MOST);
}

/* In the folder that the user named, by its path or name there; as it stands; beside the trace. */
static bool find_file(const struct source_text *s, const char *path, struct file_text *out)
{
	const char *trace = source_path(s->t->source), *slash = strrchr(trace, '/');
	const char *name = strrchr(path, '/'), *given = memory_sources(s->t);

	return (given && (read_in(given, strlen(given), path, out) ||
			  (name && read_in(given, strlen(given), name + 1, out)))) ||
	       read_in("", 0, path, out) ||
	       (*path != '/' && slash && read_in(trace, (size_t)(slash + 1 - trace), path, out));
}

static bool cut_lines(struct file_text *f)
{
	bool done = vec_push(&f->lines, (struct file_line){.from = 0});

	for (size_t i = 0; done && i < f->text.len; i++)
		if (f->text.text[i] == '\n' || i + 1 == f->text.len)
			done = vec_push(&f->lines, (struct file_line){.from = i + 1});
	return done;
}

/* Read when it is asked for first. NULL: no memory. */
static struct file_text *text_of(struct source_text *s, const char *path)
{
	const int32_t id = intern_add(s->paths, path, strlen(path));
	struct file_text f = {.text = {0}};

	if (id < 0 || (size_t)id < s->files.count)
		return id < 0 ? NULL : &s->files.data[id];
	if (!find_file(s, path, &f) || !cut_lines(&f) || !find_functions(s, &f))
		vec_clear(&f.lines);
	return vec_push(&s->files, f) ? &vec_last(&s->files) : NULL;
}

const char *source_text_line(struct source_text *s, const char *path, uint64_t line, size_t *len)
{
	const struct file_text *f = path ? text_of(s, path) : NULL;
	const char *text;

	if (!f || !line || line >= f->lines.count)
		return NULL;
	text = f->text.text + f->lines.data[line - 1].from;
	*len = f->lines.data[line].from - f->lines.data[line - 1].from;
	while (*len && (text[*len - 1] == '\n' || text[*len - 1] == '\r'))
		--*len;
	return text;
}

void source_text_put(struct source_text *s, const struct memory_index *x, uint32_t line,
		     struct sbuf *out)
{
	const struct memory_line *l = line == MEMORY_NONE ? NULL : &x->lines[line];
	size_t len = 0;
	const char *text =
	    s && l ? source_text_line(s, memory_file(s->t, l->file), l->line, &len) : NULL;

	for (; text && len && (*text == ' ' || *text == '\t'); len--)
		text++;
	if (text)
		sbuf_add(out, text, len);
}

const char *source_text_function(struct source_text *s, const struct memory_index *x, uint32_t line)
{
	const struct memory_line *l = line == MEMORY_NONE ? NULL : &x->lines[line];
	const char *path = s && l ? memory_file(s->t, l->file) : NULL;
	const struct file_text *f = path ? text_of(s, path) : NULL;

	return f && l->line && l->line < f->lines.count ? f->lines.data[l->line - 1].function : NULL;
}

bool source_place_of(struct source_place *place, struct source_text *s, struct intern *texts,
		     const struct trace *t, const struct memory_index *x, uint32_t line)
{
	const struct memory_line *l = line == MEMORY_NONE ? NULL : &x->lines[line];
	const char *function = source_text_function(s, x, line);
	struct sbuf label = {0};

	memory_put_line(t, line, &label);
	*place = (struct source_place){.line = l ? l->line : UINT64_MAX,
				       .label = intern_take(texts, &label)};
	if (l)
		place->file = memory_file(t, l->file);
	if (l && !place->file)
		place->file = intern_printf(texts, "file %" PRIu32, l->file);
	if (function)
		place->function = intern_printf(texts, "%s", function);
	return place->label && !place->file == !l && !place->function == !function;
}

const char *source_text_path(struct source_text *s, const char *path)
{
	const struct file_text *f = path ? text_of(s, path) : NULL;

	return f && f->lines.count ? sbuf_text(&f->path) : NULL;
}
