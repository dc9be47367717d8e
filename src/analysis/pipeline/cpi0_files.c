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

/* What becomes of a text: what reads it, and where it goes. */
struct text_use {
	enum text_kind { MACHINE, MAPPING, COUNTS } kind;
	void *out;
	const struct cpi0_mapping *mapping; /* of COUNTS */
};

static enum status use_text(const struct text_use *use, const char *text, size_t len,
			    struct error *e)
{
	if (use->kind == MACHINE)
		return machine_read(use->out, text, len, e);
	if (use->kind == MAPPING)
		return cpi0_mapping_read(use->out, text, len, e);
	return cpi0_counts_read(use->out, use->mapping, text, len, e);
}

/* Messages about a line begin with its number. */
static enum status read_text(const struct text_use *use, const char *file, const char *text,
			     size_t len, struct error *e)
{
	struct error why = {.text = ""};
	enum status status = use_text(use, text, len, &why);

	if (!status)
		return STATUS_OK;
	return error_set(e, status, isdigit((unsigned char)why.text[0]) ? "%s:%s" : "%s: %s", file,
			 why.text);
}

static enum status read_file(const struct text_use *use, const char *path, struct error *e)
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
			status = read_text(use, path, w.text, w.len, e);
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

static enum status open_text(const struct text_use *use, const char *what, const char *name,
			     const char *suffix, struct error *e)
{
	const struct embedded_file *f = find_shipped(name, suffix);
	struct stat st;

	if (f)
		return read_text(use, f->name, (const char *)f->bytes, f->len, e);
	if (strcmp(name, "-") != 0 && stat(name, &st) != 0)
		return unknown(what, name, suffix, e);
	return read_file(use, name, e);
}

/* ---- of which kinds -------------------------------------------------------------------------- */

enum status cpi0_machine_open(struct machine *m, const char *name, struct error *e)
{
	return open_text(&(struct text_use){MACHINE, m, NULL}, "machine", name, MACHINE_SUFFIX, e);
}

enum status cpi0_mapping_open(struct cpi0_mapping *map, const char *name, struct error *e)
{
	return open_text(&(struct text_use){MAPPING, map, NULL}, "mapping", name, ".mapping", e);
}

enum status cpi0_counts_open(struct cpi0_mix *mix, const struct cpi0_mapping *map, const char *path,
			     struct error *e)
{
	return read_file(&(struct text_use){COUNTS, mix, map}, path, e);
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
