#include "config.h"

#include "analysis/memory/source.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/regex.h"

struct source_file {
	const char *name;       /* by memory_file() */
	struct sbuf path, text; /* where it was found */
	VEC(struct source_line) lines;
};

/*
 * The name in a line that is the head of a function: it begins in column 0 with a letter, and the
 * name stands before parentheses, the first ones but for those of attributes and of types, behind
 * which comes another name with parentheses. There is none in a declaration or a call, which goes
 * on as a statement does, and in statements of a few words.
 */
#define NO_NAMES                                                                                   \
	"(?:__attribute(?:__)?|__declspec|alignas|_Alignas|decltype|(?:__)?typeof(?:__)?|noexcept" \
	"|throw|requires|if|while|for|switch|return|sizeof)\\b"
#define NAME "(?<![\\w$:~])(?!" NO_NAMES ")[A-Za-z_$~](?:[\\w$~]|::)*"

static const char head_pattern[] =
    "(?(DEFINE)(?<parentheses>\\((?:[^()]++|(?&parentheses))*+\\)))"
    "^(?=[A-Za-z_$])(?:[^(;={/]*?\\b(?:" NO_NAMES "\\s*(?&parentheses)"
    "|\\w+(?&parentheses)(?=[\\w\\s*&]*?" NAME "\\()))*+"
    "[^(;={/]*?\\K" NAME "(?=\\s*(?!\\(\\*)(?:(?&parentheses)\\s*+(?![;,=])"
    "|\\((?:[^()]++|(?&parentheses)|\\()*+$))"; /* they may go on in the next line */

struct source_text *source_text_new(const struct trace *t)
{
	struct source_text *s = calloc(1, sizeof(*s));

	if (s)
		*s = (struct source_text){.t = t, .texts = intern_new()};
	if (s && s->texts && !regex_new(&s->head, head_pattern, NULL))
		return s;
	source_text_free(s);
	return NULL;
}

static void file_free(struct source_file *f)
{
	sbuf_free(&f->path);
	sbuf_free(&f->text);
	vec_free(&f->lines);
}

void source_text_free(struct source_text *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->files.count; i++)
		file_free(&s->files.data[i]);
	vec_free(&s->files);
	intern_free(s->texts);
	regex_free(s->head);
	free(s);
}

const char *source_text_name(struct source_text *s, const struct memory_index *x,
			     enum memory_thing by, uint32_t number)
{
	struct sbuf text = {0};

	memory_put_thing(s->t, x, by, number, &text);
	return intern_take(s->texts, &text);
}

/* ---- files ---- */

/* "" : as it stands. */
static bool read_in(const char *folder, size_t len, const char *path, struct source_file *out)
{
	sbuf_clear(&out->path);
	sbuf_clear(&out->text);
	sbuf_printf(&out->path, "%.*s%s%s", (int)len, folder,
		    len && folder[len - 1] != '/' ? "/" : "", path);
	return sbuf_read(&out->text, sbuf_text(&out->path), SOURCE_TEXT_MOST);
}

/* In the folder that the user named, by its path or name there; beside the trace; as it stands. */
static bool find_file(const struct source_text *s, const char *path, struct source_file *out)
{
	const char *trace = source_path(s->t->source), *slash = strrchr(trace, '/');
	const char *name = strrchr(path, '/'), *given = memory_sources(s->t);

	return (given && (read_in(given, strlen(given), path, out) ||
			  (name && read_in(given, strlen(given), name + 1, out)))) ||
	       (*path != '/' && slash && read_in(trace, (size_t)(slash + 1 - trace), path, out)) ||
	       read_in("", 0, path, out);
}

/* Lines, each with its function, which ends with a brace in column 0 or in the line of its head. */
static bool cut_lines(struct source_text *s, struct source_file *f)
{
	char *p = f->text.text, *const last = p + f->text.len;
	const char *within = NULL;

	for (char *end; p < last; p = end) {
		size_t len, from, to;
		bool head;

		end = memchr(p, '\n', (size_t)(last - p));
		end = end ? end + 1 : last;
		for (len = (size_t)(end - p); len && strchr(" \t\r\n", p[len - 1]);)
			len--;
		head = regex_match(s->head, p, len, &from, &to);
		if (head)
			within = intern_printf(s->texts, "%.*s", (int)(to - from), p + from);
		if (!vec_push(&f->lines, ((struct source_line){p, within, sbuf_text(&f->path)})))
			return false;
		if (*p == '}' || (head && p[len - 1] == '}'))
			within = NULL;
		p[len] = '\0';
	}
	return true;
}

/* A file is read when it is asked for first. */
const struct source_line *source_text_line(struct source_text *s, const char *path, uint64_t line)
{
	static const struct source_line none;
	struct source_file f = {.name = path};
	size_t i = 0;

	if (!s || !path)
		return &none;
	while (i < s->files.count && s->files.data[i].name != path)
		i++;
	if (i == s->files.count) {
		if (!find_file(s, path, &f) || !cut_lines(s, &f))
			vec_clear(&f.lines);
		if (!vec_push(&s->files, f))
			file_free(&f);
	}
	return i < s->files.count && line && line <= s->files.data[i].lines.count
		   ? &s->files.data[i].lines.data[line - 1]
		   : &none;
}

struct source_place source_place(struct source_text *s, const struct memory_index *x, uint32_t line)
{
	const struct memory_line *l = line == MEMORY_NONE ? NULL : &x->lines[line];
	const char *file = l ? memory_file(s->t, l->file) : NULL;
	const struct source_line *in = source_text_line(s, file, l ? l->line : 0);

	return (struct source_place){
	    .file = file || !l ? file : intern_printf(s->texts, "file %" PRIu32, l->file),
	    .line = l ? l->line : UINT64_MAX,
	    .label = source_text_name(s, x, MEMORY_BY_LINE, line),
	    .function = in->function,
	    .text = in->text ? in->text + strspn(in->text, " \t") : NULL,
	    .path = in->path};
}
