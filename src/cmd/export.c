#include "config.h"

#include "cmd/export.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#ifdef HAVE_SQLITE
#include <sqlite3.h>
#endif

#include "cmd/cmd.h"
#include "cmd/newfile.h"

const struct export_format *export_format_find(const char *name)
{
	for (size_t i = 0; export_formats[i]; i++)
		if (strcmp(export_formats[i]->name, name) == 0)
			return export_formats[i];
	return NULL;
}

/* ---- databases ---- */

enum status export_need_file(const struct export_target *x, const char *format, struct error *e)
{
	return x->made ? STATUS_OK
		       : error_set(e, STATUS_USAGE,
				   "export: %s is a database, no text: give a file with -o FILE",
				   format);
}

#ifdef HAVE_SQLITE

/* A file that is not finished is removed or of no use: there is no need for a journal. */
static const char pragmas[] = "pragma journal_mode = off; pragma synchronous = off;"
			      "pragma locking_mode = exclusive; pragma cache_size = -65536;"
			      "pragma threads = 4; begin";

/* Names that mean something else to SQLite (":memory:", "file:...") are below some folder. */
enum status export_connect(struct sqlite3 **out, const struct export_target *x, struct error *e)
{
	struct sbuf name = {0};
	struct stat st;
	int code;

	if (stat(x->made, &st) != 0)
		return error_errno(e, STATUS_IO, errno, "%s", x->made);
	if (!S_ISREG(st.st_mode))
		return error_set(e, STATUS_USAGE,
				 "%s is no regular file: a database cannot be written to it",
				 x->made);
	sbuf_printf(&name, "%s%s", *x->made == '/' ? "" : "./", x->made);
	code = sqlite3_open_v2(sbuf_text(&name), out, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX,
			       NULL);
	sbuf_free(&name);
	if (!code)
		code = sqlite3_exec(*out, pragmas, NULL, NULL, NULL);
	return code ? error_set(e, STATUS_IO, "%s: %s", x->made, sqlite3_errstr(code)) : STATUS_OK;
}

#else

enum status export_connect(struct sqlite3 **out, const struct export_target *x, struct error *e)
{
	(void)out;
	(void)x;
	return error_set(e, STATUS_UNSUPPORTED,
			 "this pipeglass was built without SQLite: build it with the Debian "
			 "package libsqlite3-dev");
}

#endif

/* ---- the file ---- */

static enum status export_to_file(const struct cmd_options *o, struct export_target *x,
				  struct error *e)
{
	struct output file;
	enum status status;
	FILE *stream;

	status = newfile_open(&stream, o->output, "export: -o", o, e);
	if (status)
		return status;
	output_begin(&file, stream);
	x->out = &file;
	x->made = o->output;
	status = output_end(&file, o->export->write(o->export, o, x, e), e);
	return newfile_close(stream, o->output, o, status, e);
}

enum status cmd_export(const struct cmd_options *o, struct output *out, struct error *e)
{
	struct export_target x = {.out = out, .notes = out, .path = o->files.data[0]};

	if (o->output && strcmp(o->output, "-") != 0)
		return export_to_file(o, &x, e);
	if (o->export->is_database)
		return export_need_file(&x, o->export->name, e);
	if (newfile_is_trace(fileno(out->stream), x.path))
		return error_set(e, STATUS_USAGE,
				 "standard output is the trace: pipeglass never writes to it");
	return o->export->write(o->export, o, &x, e);
}
