#include "config.h"

#include <ctype.h>
#include <string.h>
#include <sys/stat.h>

#include "base/embedded.h"
#include "cmd/cpi0.h"
#include "source/source.h"

enum { FILE_BYTES = 1 << 20, NAME_BYTES = 64 };

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

static bool is_shipped(const struct embedded_file *f, const char *suffix)
{
	size_t len = strlen(f->name), tail = strlen(suffix);

	return len > tail && strcmp(f->name + len - tail, suffix) == 0;
}

static enum status unknown(const char *what, const char *name, const char *suffix, struct error *e)
{
	struct sbuf known = {0};
	enum status status;

	for (const struct embedded_file *f = embedded_files; f->name; f++)
		if (is_shipped(f, suffix))
			sbuf_printf(&known, "%s%.*s", known.len ? ", " : "",
				    (int)(strlen(f->name) - strlen(suffix)), f->name);
	status = error_set(e, STATUS_USAGE, "--%s: '%s' is no file, nor shipped: %s", what, name,
			   sbuf_text(&known));
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
	return open_text(to_machine, m, "machine", name, ".machine", e);
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

/* ---- the list -------------------------------------------------------------------------------- */

static void list_text(const struct machine *m, struct sbuf *out)
{
	sbuf_printf(out, "%-20s %8g %9d ", m->name,
		    (double)m->dispatch.num / (double)m->dispatch.den, m->in_flight);
	for (int q = 0; q < m->queue_count; q++)
		sbuf_printf(out, "%s%s %g", q ? ", " : " ", m->queues[q].name, machine_rate(m, q));
	sbuf_putc(out, '\n');
}

static void list_json(const struct machine *m, struct json *w)
{
	json_object(w);
	json_key(w, "name");
	json_string(w, m->name);
	json_key(w, "mu");
	json_real(w, (double)m->dispatch.num / (double)m->dispatch.den);
	json_key(w, "in_flight");
	json_int(w, m->in_flight);
	json_key(w, "queues");
	json_array(w);
	for (int q = 0; q < m->queue_count; q++) {
		json_object(w);
		json_key(w, "name");
		json_string(w, m->queues[q].name);
		json_key(w, "capacity");
		json_int(w, m->queues[q].capacity);
		json_key(w, "rate");
		json_real(w, machine_rate(m, q));
		json_object_end(w);
	}
	json_array_end(w);
	json_object_end(w);
}

enum status cpi0_machines(const struct cmd_options *o, struct output *out, struct error *e)
{
	struct json *w = &out->json;
	enum status status = STATUS_OK;
	struct machine m;

	if (o->json) {
		json_object(w);
		json_key(w, "machines");
		json_array(w);
	} else {
		sbuf_printf(&out->text, "%-20s %8s %9s  %s\n", "machine", "dispatch", "in-flight",
			    "queues, and the most that leaves each in a cycle");
	}
	for (const struct embedded_file *f = embedded_files; !status && f->name; f++) {
		if (!is_shipped(f, ".machine"))
			continue;
		status = cpi0_machine_open(&m, f->name, e);
		if (!status && o->json)
			list_json(&m, w);
		else if (!status)
			list_text(&m, &out->text);
	}
	if (o->json) {
		json_array_end(w);
		json_object_end(w);
		sbuf_putc(&out->text, '\n');
	}
	return status;
}
