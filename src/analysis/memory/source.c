#include "config.h"

#include "analysis/memory/source.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/regex.h"
#include "base/vec.h"
#include "memory/memory.h"

struct file_text {
	struct sbuf path, text; /* where it was found */
	VEC(struct source_line) lines;
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

/* In the folder that the user named, by its path or name there; beside the trace; as it stands. */
static bool find_file(const struct source_text *s, const char *path, struct file_text *out)
{
	const char *trace = source_path(s->t->source), *slash = strrchr(trace, '/');
	const char *name = strrchr(path, '/'), *given = memory_sources(s->t);

	return (given && (read_in(given, strlen(given), path, out) ||
			  (name && read_in(given, strlen(given), name + 1, out)))) ||
	       (*path != '/' && slash && read_in(trace, (size_t)(slash + 1 - trace), path, out)) ||
	       read_in("", 0, path, out);
}

/*
 * Lines, each with its function, as `diff -p` has it: that of the nearest line above, or of the line itself,
 * that is the head of one in column 0. It ends with a brace there.
 */
static bool cut_lines(struct source_text *s, struct file_text *f)
{
	const char *p = sbuf_text(&f->text), *const last = p + f->text.len, *within = NULL;

	for (const char *end; p < last; p = end) {
		size_t len, indent, from, to;
		bool head;

		end = memchr(p, '\n', (size_t)(last - p));
		end = end ? end + 1 : last;
		for (len = (size_t)(end - p); len && strchr(" \t\r\n", p[len - 1]);)
			len--;
		for (indent = 0; indent < len && strchr(" \t", p[indent]);)
			indent++;
		head = regex_match(s->head, p, len, &from, &to);
		if (head)
			within = intern_printf(s->functions, "%.*s", (int)(to - from), p + from);
		if (!vec_push(&f->lines,
			      ((struct source_line){p + indent, within, len - indent, indent})))
			return false;
		if (*p == '}' || (head && p[len - 1] == '}'))
			within = NULL;
	}
	return true;
}

/* Read when it is asked for first. NULL: it has no text. */
static const struct file_text *text_of(struct source_text *s, const char *path)
{
	struct file_text f = {.text = {0}};
	int32_t id;

	if (!s || !path)
		return NULL;
	id = intern_add(s->paths, path, strlen(path));
	if (id == (int32_t)s->files.count) {
		if (!find_file(s, path, &f) || !cut_lines(s, &f))
			vec_clear(&f.lines);
		(void)vec_push(&s->files, f);
	}
	return id >= 0 && (size_t)id < s->files.count && s->files.data[id].lines.count
		   ? &s->files.data[id]
		   : NULL;
}

const struct source_line *source_text_line(struct source_text *s, const char *path, uint64_t line)
{
	static const struct source_line none;
	const struct file_text *f = text_of(s, path);

	return f && line && line <= f->lines.count ? &f->lines.data[line - 1] : &none;
}

const struct source_line *source_text_at(struct source_text *s, const struct memory_index *x,
					 uint32_t line)
{
	const struct memory_line *l = s && line != MEMORY_NONE ? &x->lines[line] : NULL;

	return source_text_line(s, l ? memory_file(s->t, l->file) : NULL, l ? l->line : 0);
}

bool source_place_of(struct source_place *place, struct source_text *s, struct intern *texts,
		     const struct trace *t, const struct memory_index *x, uint32_t line)
{
	const struct memory_line *l = line == MEMORY_NONE ? NULL : &x->lines[line];
	const struct source_line *in = source_text_at(s, x, line);
	struct sbuf label = {0};

	memory_put_line(t, line, &label);
	*place = (struct source_place){.line = l ? l->line : UINT64_MAX,
				       .label = intern_take(texts, &label)};
	if (l)
		place->file = memory_file(t, l->file);
	if (l && !place->file)
		place->file = intern_printf(texts, "file %" PRIu32, l->file);
	if (in->function)
		place->function = intern_printf(texts, "%s", in->function);
	if (in->text)
		place->text = intern_printf(texts, "%.*s", (int)in->len, in->text);
	return place->label && !place->file == !l && !place->function == !in->function &&
	       !place->text == !in->text;
}

const char *source_text_path(struct source_text *s, const char *path)
{
	const struct file_text *f = text_of(s, path);

	return f ? sbuf_text(&f->path) : NULL;
}
