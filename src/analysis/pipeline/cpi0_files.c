#include "config.h"

#include "analysis/pipeline/cpi0_files.h"

#include <ctype.h>
#include <string.h>
#include <sys/stat.h>

#include "base/embedded.h"
#include "base/sbuf.h"
#include "source/source.h"

enum { FILE_BYTES = 1 << 20, NAME_BYTES = 64 };

#define MACHINE_SUFFIX ".machine"

/* ---- texts: shipped, or in a file ----------------------------------------------------------- */

typedef enum status text_fn(void *out, const void *arg, const char *text, size_t len,
			    struct error *e);

/* Messages about a line begin with its number. */
static enum status read_text(text_fn *fn, void *out, const void *arg, const char *file,
			     const char *text, size_t len, struct error *e)
{
	struct error why = {.text = ""};
	enum status status = fn(out, arg, text, len, &why);

	if (!status)
		return STATUS_OK;
	return error_set(e, status, isdigit((unsigned char)why.text[0]) ? "%s:%s" : "%s: %s", file,
			 why.text);
}

static enum status read_file(text_fn *fn, void *out, const void *arg, const char *path,
			     struct error *e)
{
	struct source *source;
	struct window w;
	enum status status = source_open(&source, path, e);

	if (status)
		return status;
	status = source_next(source, 0, FILE_BYTES, &w, e);
	if (!status) {
		if (w.len >= FILE_BYTES)
			status = error_set(e, STATUS_INPUT, "%s: longer than 1 MiB", path);
		else
			status = read_text(fn, out, arg, path, w.text, w.len, e);
		source_release(source, &w);
	}
	source_close(source);
	return status;
}

/* What is shipped under that name, as in r10000 or r10000.machine. */
static const struct embedded_file *find_shipped(const char *name, const char *suffix)
{
	char file[NAME_BYTES];
	size_t len = strlen(name), tail = strlen(suffix);
	bool whole = len > tail && strcmp(name + len - tail, suffix) == 0;

	if (len + tail >= sizeof(file))
		return NULL;
	memcpy(file, name, len);
	memcpy(file + len, suffix, whole ? 0 : tail);
	file[len + (whole ? 0 : tail)] = '\0';
	return embedded_find(file);
}

/* The name that a file is shipped under: without the suffix; false: it is of another kind. */
static bool shipped_name(const struct embedded_file *f, const char *suffix, struct sbuf *out)
{
	size_t len = strlen(f->name), tail = strlen(suffix);

	if (len <= tail || strcmp(f->name + len - tail, suffix) != 0)
		return false;
	sbuf_add(out, f->name, len - tail);
	return true;
}

static enum status unknown(const char *what, const char *name, const char *suffix, struct error *e)
{
	struct sbuf known = {0};
	enum status status;

	for (const struct embedded_file *f = embedded_files; f->name; f++)
		if (shipped_name(f, suffix, &known))
			sbuf_puts(&known, ", ");
	status = error_set(e, STATUS_USAGE, "no such %s: '%s' is no file, nor shipped: %.*s", what,
			   name, (int)known.len - 2, sbuf_text(&known));
	sbuf_free(&known);
	return status;
}

static enum status open_text(text_fn *fn, void *out, const char *what, const char *name,
			     const char *suffix, struct error *e)
{
	const struct embedded_file *f = find_shipped(name, suffix);
	struct stat st;

	if (f)
		return read_text(fn, out, NULL, f->name, (const char *)f->bytes, f->len, e);
	if (strcmp(name, "-") != 0 && stat(name, &st) != 0)
		return unknown(what, name, suffix, e);
	return read_file(fn, out, NULL, name, e);
}

/* ---- of which kinds -------------------------------------------------------------------------- */

static enum status to_machine(void *out, const void *arg, const char *text, size_t len,
			      struct error *e)
{
	(void)arg;
	return machine_read(out, text, len, e);
}

static enum status to_mapping(void *out, const void *arg, const char *text, size_t len,
			      struct error *e)
{
	(void)arg;
	return cpi0_mapping_read(out, text, len, e);
}

static enum status to_mix(void *out, const void *arg, const char *text, size_t len, struct error *e)
{
	return cpi0_counts_read(out, arg, text, len, e);
}

enum status cpi0_machine_open(struct machine *m, const char *name, struct error *e)
{
	return open_text(to_machine, m, "machine", name, MACHINE_SUFFIX, e);
}

enum status cpi0_mapping_open(struct cpi0_mapping *map, const char *name, struct error *e)
{
	return open_text(to_mapping, map, "mapping", name, ".mapping", e);
}

enum status cpi0_counts_open(struct cpi0_mix *mix, const struct cpi0_mapping *map, const char *path,
			     struct error *e)
{
	return read_file(to_mix, mix, map, path, e);
}

bool cpi0_machine_shipped(size_t i, struct sbuf *name)
{
	for (const struct embedded_file *f = embedded_files; f->name; f++) {
		sbuf_clear(name);
		if (shipped_name(f, MACHINE_SUFFIX, name) && i-- == 0)
			return true;
	}
	return false;
}
