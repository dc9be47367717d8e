#include "config.h"

#include <string.h>

#include "app/app.h"
#include "cmd/cmd.h"

/*
 * An error is noted in one form, and shown as at the screen. That something is not there ends
 * nothing; after any other one there is no picture.
 */
static enum status run_command(struct app *a, const char *line, struct output *out, struct error *e)
{
	struct error why = {STATUS_OK, ""};
	enum status status = app_command(a, line, NULL, &why);
	int wait_ms;

	while (!status && app_busy(a))
		app_idle(a, &wait_ms);
	if (status)
		app_message(a, true, "%s", why.text);
	if (*app_error(a))
		output_note(out, line, "%s", app_error(a));
	return !status || status == STATUS_NOT_FOUND ? STATUS_OK : error_set(e, status, "%s", "");
}

/* In the order given; each waits for the work that the one before it began. */
static enum status run_steps(struct app *a, const struct cmd_options *o, struct output *out,
			     struct error *e)
{
	enum status status = STATUS_OK;

	for (size_t i = 0; !status && i < o->steps.count; i++) {
		const struct app_step *step = &o->steps.data[i];

		status = step->is_script ? app_script(a, step->text, e)
					 : run_command(a, step->text, out, e);
	}
	return status;
}

/* Of the user's files and the scripts. */
static void note_complaints(const struct app *a, struct output *out)
{
	const char *at = app_complaints(a);

	for (size_t n; *at; at += n + (at[n] == '\n')) {
		n = strcspn(at, "\n");
		output_note(out, NULL, "%.*s", (int)n, at);
	}
}

static enum status open_files(struct app *a, const struct cmd_options *o, struct output *out,
			      struct error *e)
{
	for (size_t i = 0; i < o->files.count; i++) {
		enum status status = app_open(a, o->files.data[i], e);
		struct progress p;

		if (!status)
			status = trace_wait(app_trace(a), e);
		if (status)
			return status;
		trace_progress(app_trace(a), &p);
		if (p.note)
			output_note(out, o->files.data[i], "%s", p.note);
	}
	return STATUS_OK;
}

static enum status draw(struct app *a, const struct cmd_options *o, struct grid *g,
			struct output *out, struct error *e)
{
	enum status status = STATUS_OK;

	if (!grid_resize(g, o->geometry.columns, o->geometry.rows))
		return error_set(e, STATUS_NOMEM, "not enough memory for a screen of %d x %d",
				 o->geometry.columns, o->geometry.rows);
	g->ascii = o->ascii;
	app_layout(a, g->w, g->h);
	status = open_files(a, o, out, e);
	if (!status)
		status = run_steps(a, o, out, e);
	return status ? status : app_draw(a, g, e);
}

static void put_screen(const struct grid *g, const struct cmd_options *o, struct output *out)
{
	struct sbuf picture = {0};
	struct json *w = &out->json;

	if (!o->json) {
		grid_export(g, o->picture, &out->text);
		return;
	}
	grid_export(g, o->picture, &picture);
	json_object(w);
	json_key(w, "columns");
	json_int(w, g->w);
	json_key(w, "rows");
	json_int(w, g->h);
	json_key(w, "screen");
	json_text(w, sbuf_text(&picture), picture.len);
	json_object_end(w);
	sbuf_putc(&out->text, '\n');
	if (picture.failed)
		out->text.failed = true;
	sbuf_free(&picture);
}

enum status cmd_screen(const struct cmd_options *o, struct output *out, struct error *e)
{
	struct app_options options = {
	    .store = o->store,
	    .config = o->config ? o->config : "none",
	    .keymap = o->keymap,
	    .depth = o->depth,
	    .ascii = o->ascii,
	    .headless = true,
	};
	struct grid g = {0};
	struct app *a;
	enum status status;

	options.store.settings = &o->settings;
	status = app_new(&a, &options, e);

	if (status)
		return status;
	status = draw(a, o, &g, out, e);
	note_complaints(a, out);
	if (!status)
		put_screen(&g, o, out);
	grid_free(&g);
	app_free(a);
	return status;
}
