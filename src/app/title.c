#include "config.h"

#include <inttypes.h>

#include "app/state.h"
#include "base/num.h"
#include "base/text.h"
#include "view/status.h"

/* What is true of the trace as a whole, at the right: progress, damage, change. */
static void trace_state(const struct app *a, struct sbuf *out)
{
	const struct tab *t = a->tab;
	uint64_t warnings = store_warning_count(t->store);
	struct progress p;
	char number[32];

	store_progress(t->store, &p);
	if (t->change != SOURCE_SAME)
		sbuf_puts(out, "  file changed");
	if (warnings)
		sbuf_printf(out, "  %s warning%s", num_group((int64_t)warnings, number),
			    warnings == 1 ? "" : "s");
	if (p.complete && !p.cancelled)
		return;
	sbuf_puts(out, p.cancelled ? "  stopped" : "  reading");
	/* nobody knows how much will come out of a pipe */
	if (p.bytes_total && !source_is_pipe(store_source(t->store)))
		sbuf_printf(out, " %s%d %%", p.cancelled ? "at " : "", tab_percent(&p));
}

static void trace_name(const struct app *a, struct sbuf *out)
{
	if (a->tab_count > 1)
		sbuf_printf(out, "[%d/%d] ", app_tab_index(a) + 1, a->tab_count);
	sbuf_puts(out, sbuf_text(&a->tab->name));
	sbuf_printf(out, "  %s", store_format(a->tab->store)->name);
}

void title_draw(struct app *a, struct grid *g)
{
	struct rect area = a->layout.title;
	struct style style = palette_style(&a->palette, ROLE_TITLE);
	struct sbuf name = {0}, state = {0}, place = {0};
	struct rect left = area;
	int state_width;

	if (area.h <= 0)
		return;
	grid_fill(g, area, ' ', style);
	if (!a->tab) {
		grid_puts(g, area, area.x, area.y, PACKAGE_STRING, style);
		return;
	}
	trace_name(a, &name);
	trace_state(a, &state);
	state_width = text_width(sbuf_text(&state), state.len);
	if (state_width > area.w / 2)
		state_width = 0;
	/* the place is more important than all of the name */
	left.w = area.w - state_width < 40 ? area.w / 3 : (area.w - state_width) / 2;
	left.w = grid_text(g, left, area.x, area.y, sbuf_text(&name), name.len, style);
	pipeview_status(&a->tab->view, area.w - left.w - state_width - 2, &place);
	grid_text(g, area, area.x + left.w + 2, area.y, sbuf_text(&place), place.len, style);
	if (state_width)
		grid_text(g, area, area.x + area.w - state_width, area.y, state.text, state.len,
			  style);
	sbuf_free(&name);
	sbuf_free(&state);
	sbuf_free(&place);
}

/* What narrows the view, and keys that wait for more. */
static void filters(const struct app *a, struct sbuf *out)
{
	const struct tab *t = a->tab;
	char k[32], n[32];

	if (t && t->filter) {
		sbuf_puts(out, "  filter:");
		if (t->choice.text)
			sbuf_printf(out, " %s/%s/", t->choice.invert ? "!" : "",
				    regex_pattern(t->choice.text));
		/* a pattern that was too slow for some rows may have missed them */
		sbuf_printf(out, " (%s%s of %s)",
			    t->choice.text && regex_limited(t->choice.text) ? "about " : "",
			    num_group((int64_t)filter_count(t->filter), k),
			    num_group((int64_t)filter_total(t->filter), n));
	}
	if (t && t->component)
		sbuf_printf(out, "  stages: /%s/", regex_pattern(t->component));
}

static void pending(const struct app *a, struct sbuf *out)
{
	if (a->work.kind == WORK_SEEK)
		sbuf_puts(out, "  searching (^C stops)");
	else if (a->work.kind == WORK_FILTER)
		sbuf_puts(out, "  filtering (^C stops)");
	if (a->count < 0 && !a->pending.count)
		return;
	sbuf_puts(out, "  ");
	if (a->count >= 0)
		sbuf_printf(out, "%" PRId64, a->count);
	keymap_spell(&a->pending, out);
}

/* What can follow the keys typed so far. */
static void continuations(const struct app *a, struct sbuf *out)
{
	for (size_t i = 0; i < a->keymap.bindings.count; i++) {
		const struct binding *b = &a->keymap.bindings.data[i];
		struct key_sequence rest = {.count = 0};
		bool begins = b->mode == KEYS_MAIN && b->sequence.count > a->pending.count;

		for (int k = 0; begins && k < a->pending.count; k++)
			begins = key_equal(b->sequence.keys[k], a->pending.keys[k]);
		if (!begins)
			continue;
		for (int k = a->pending.count; k < b->sequence.count; k++)
			rest.keys[rest.count++] = b->sequence.keys[k];
		sbuf_puts(out, out->len ? "  " : "");
		keymap_spell(&rest, out);
		sbuf_printf(out, " %s", b->command);
	}
}

static enum role left_text(struct app *a, struct sbuf *out)
{
	if (a->pending.count)
		continuations(a, out);
	else if (a->message.len) {
		sbuf_add(out, a->message.text, a->message.len);
		return a->message_error ? ROLE_ERROR : ROLE_MESSAGE;
	} else {
		describe_cursor(a, out);
	}
	return ROLE_STATUS;
}

void status_draw(struct app *a, struct grid *g)
{
	struct rect area = a->layout.status;
	struct style style = palette_style(&a->palette, ROLE_STATUS);
	struct sbuf left = {0}, right = {0};
	struct rect rest = area;
	enum role role;
	int width;

	if (area.h <= 0)
		return;
	if (a->prompt.open) {
		prompt_draw(a, g, area);
		return;
	}
	grid_fill(g, area, ' ', style);
	role = left_text(a, &left);
	filters(a, &right);
	if (text_width(sbuf_text(&right), right.len) > area.w / 2)
		sbuf_clear(&right);
	pending(a, &right);
	width = text_width(sbuf_text(&right), right.len);
	rest.w = width < area.w ? area.w - width : 0;
	if (role != ROLE_STATUS)
		style = palette_style(&a->palette, role);
	grid_text(g, rest, area.x, area.y, sbuf_text(&left), left.len, style);
	if (width <= area.w)
		grid_text(g, area, area.x + area.w - width, area.y, sbuf_text(&right), right.len,
			  palette_style(&a->palette, ROLE_STATUS));
	sbuf_free(&left);
	sbuf_free(&right);
}
