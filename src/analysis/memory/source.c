#include "config.h"

#include "analysis/memory/source.h"

#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/vec.h"
#include "memory/memory.h"

struct file_text {
	struct sbuf path, text; /* where it was found */
	VEC(size_t) lines;      /* where each begins, and where the last one ends */
};

struct source_text {
	const struct trace *t;
	struct intern *paths; /* file_text by number */
	VEC(struct file_text) files;
};

struct source_text *source_text_new(const struct trace *t)
{
	struct source_text *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->t = t;
	s->paths = intern_new();
	if (s->paths)
		return s;
	free(s);
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
	free(s);
}

/* As it stands, or beside the trace. */
static bool find_file(const struct source_text *s, const char *path, struct file_text *out)
{
	const char *trace = source_path(s->t->source), *slash = strrchr(trace, '/');

	sbuf_puts(&out->path, path);
	if (sbuf_read(&out->text, path, SOURCE_TEXT_MOST))
		return true;
	if (*path == '/' || !slash)
		return false;
	sbuf_clear(&out->text);
	sbuf_clear(&out->path);
	sbuf_add(&out->path, trace, (size_t)(slash + 1 - trace));
	sbuf_puts(&out->path, path);
	return sbuf_read(&out->text, sbuf_text(&out->path), SOURCE_TEXT_MOST);
}

static bool cut_lines(struct file_text *f)
{
	bool done = vec_push(&f->lines, 0);

	for (size_t i = 0; done && i < f->text.len; i++)
		if (f->text.text[i] == '\n' || i + 1 == f->text.len)
			done = vec_push(&f->lines, i + 1);
	return done;
}

/* Read when it is asked for first. NULL: no memory. */
static struct file_text *text_of(struct source_text *s, const char *path)
{
	const int32_t id = intern_add(s->paths, path, strlen(path));
	struct file_text f = {.text = {0}};

	if (id < 0 || (size_t)id < s->files.count)
		return id < 0 ? NULL : &s->files.data[id];
	if (!find_file(s, path, &f) || !cut_lines(&f))
		vec_clear(&f.lines);
	return vec_push(&s->files, f) ? &vec_last(&s->files) : NULL;
}

const char *source_text_line(struct source_text *s, const char *path, uint64_t line, size_t *len)
{
	const struct file_text *f = path ? text_of(s, path) : NULL;
	const char *text;

	if (!f || !line || line >= f->lines.count)
		return NULL;
	text = f->text.text + f->lines.data[line - 1];
	*len = f->lines.data[line] - f->lines.data[line - 1];
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

const char *source_text_path(struct source_text *s, const char *path)
{
	const struct file_text *f = path ? text_of(s, path) : NULL;

	return f && f->lines.count ? sbuf_text(&f->path) : NULL;
}
