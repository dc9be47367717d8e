#include "config.h"

#include "app/pipeline/names.h"

#include "app/pipeline/rows.h"

#include <string.h>
#include <strings.h>

typedef const char *name_fn(const struct store *s, size_t i);

static const char *stage_name(const struct store *s, size_t i)
{
	return i < store_stage_count(s) ? store_stage(s, i)->name : NULL;
}

static const char *event_name(const struct store *s, size_t i)
{
	return i < store_event_count(s) ? store_event(s, i)->name : NULL;
}

static const char *fate_name(const struct store *s, size_t i)
{
	(void)s;
	return i < FATE_COUNT ? fate_names[i] : NULL;
}

static enum status find(const struct store *s, name_fn *name_of, const char *kind, const char *name,
			unsigned *out, struct error *e)
{
	struct sbuf all = {0};
	size_t len = strlen(name);
	const char *found;
	int begins = 0;

	for (unsigned i = 0; (found = name_of(s, i)); i++) {
		sbuf_printf(&all, "%s%s", i ? ", " : "", found);
		if (strcasecmp(found, name) == 0) {
			*out = i;
			sbuf_free(&all);
			return STATUS_OK;
		}
		if (len && strncasecmp(found, name, len) == 0 && begins++ == 0)
			*out = i;
	}
	if (begins != 1)
		error_set(e, STATUS_USAGE, "no such %s: %s (there are: %.200s)", kind, name,
			  sbuf_text(&all));
	sbuf_free(&all);
	return begins == 1 ? STATUS_OK : STATUS_USAGE;
}

enum status name_stage(const struct store *s, const char *name, unsigned *out, struct error *e)
{
	return find(s, stage_name, "stage", name, out, e);
}

enum status name_event(const struct store *s, const char *name, unsigned *out, struct error *e)
{
	return find(s, event_name, "event", name, out, e);
}

enum status name_fate(const char *name, unsigned *out, struct error *e)
{
	return find(NULL, fate_name, "fate", name, out, e);
}

enum status picture_under_cursor(const struct tab *t, struct picture_cell *out, bool *exact,
				 struct error *e)
{
	const struct pipeview *v = &rows_of(t)->view;
	uint64_t rows = UINT64_C(1) << v->row_zoom;
	uint64_t row0, row1;
	int64_t tick0, tick1;
	struct picture_request q = {
	    .filter = v->filter,
	    .row0 = v->cursor / rows * rows,
	    .row_zoom = v->row_zoom,
	    .tick_zoom = v->axis.zoom > 0 ? v->axis.zoom : 0,
	    .tick_step = v->axis.step,
	    .lines = 1,
	    .columns = 1,
	};

	pipeview_under_cursor(v, &row0, &row1, &tick0, &tick1);
	q.tick0 = tick0;

	*exact = true;
	*out = (struct picture_cell){.stage = PICTURE_EMPTY};
	if (!pipeview_count(v))
		return STATUS_OK;
	return store_picture(v->store, &q, out, exact, e);
}
