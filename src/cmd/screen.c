#include "config.h"

#include <stdlib.h>

#include "app/app.h"
#include "cmd/cmd.h"

/* In the order given; each waits for the work that the one before it began. */
static enum status run_steps(struct app *a, const struct cmd_options *o, struct error *e)
{
	enum status status = STATUS_OK;

	for (size_t i = 0; !status && i < o->steps.count; i++) {
		const struct step *step = &o->steps.data[i];

		status = step->is_script ? app_script(a, step->text, e)
					 : app_command(a, step->text, NULL, e);
		while (!status && app_busy(a)) {
			int wait_ms;

			app_idle(a, &wait_ms);
		}
	}
	return status;
}

static enum status open_files(struct app *a, const struct cmd_options *o, struct output *out,
			      struct error *e)
{
	for (size_t i = 0; i < o->files.count; i++) {
		enum status status = app_open(a, o->files.data[i], e);
		struct progress p;

		if (!status)
			status = store_wait(app_store(a), e);
		if (status)
			return status;
		store_progress(app_store(a), &p);
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
		status = run_steps(a, o, e);
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
	enum status status = app_new(&a, &options, e);

	if (status)
		return status;
	status = draw(a, o, &g, out, e);
	if (!status)
		put_screen(&g, o, out);
	grid_free(&g);
	app_free(a);
	return status;
}
