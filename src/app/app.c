#include "config.h"

#include "app/app.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/state.h"
#include "base/num.h"
#include "base/paths.h"
#include "base/text.h"
#include "base/xalloc.h"

enum {
	SLICE_MS = 10,
	POLL_MS = 20,
	PROGRESS_MS = 500, /* nothing on the screen changes by itself more often than that */
	CHANGES_MS = 2000, /* between looks at the file */
	COMPLAINT_BYTES = 1 << 20 /* kept; the rest is counted */
};

/* The strip of a trace that says nothing else. */
static const char *const default_metrics[] = {"ipc", "in-flight"};

static char *copy(const char *text)
{
	return text ? xstrdup(text) : NULL;
}

/* Slips in it are told and passed over; that it cannot be read only when it was asked for. */
static enum status user_file(struct app *a, const char *name, struct error *e)
{
	struct sbuf path = {0};
	struct error why = {STATUS_OK, ""};
	enum status status = STATUS_OK;

	if (!a->config)
		path_of(&path, PATH_CONFIG, name);
	else if (strcmp(name, "config") == 0 && strcmp(a->config, "none") != 0)
		sbuf_puts(&path, a->config);
	if (path.len && (a->config || access(sbuf_text(&path), F_OK) == 0)) {
		a->configuring = true;
		a->keymap.origin = "user";
		status = app_source_file(a, sbuf_text(&path), &why);
		a->configuring = false;
	}
	sbuf_free(&path);
	if (status && a->config)
		return error_set(e, status, "%s", why.text);
	if (status)
		app_complain(a, "%s", why.text);
	return STATUS_OK;
}

/* What the program brings, then the configuration, the keymap asked for, the user's keys. */
static enum status configure(struct app *a, struct error *e)
{
	enum status status = a->options.only_settings ? STATUS_OK : app_keymap(a, "default", e);

	if (!status)
		status = user_file(a, "config", e);
	if (!status && a->keymap_name && strcmp(a->keymap_name, "default") != 0)
		status = app_keymap(a, a->keymap_name, e);
	if (!status)
		status = user_file(a, "keys", e);
	a->keymap.origin = "typed";
	a->react = REACT_NONE;
	return status;
}

bool app_is_secure(void)
{
	const char *secure = getenv("PIPEGLASS_SECURE");

	return secure && *secure && strcmp(secure, "0") != 0;
}

enum status app_new(struct app **out, const struct app_options *options, struct error *e)
{
	struct app *a = xcalloc(1, sizeof(*a));
	enum status status;

	a->options = *options;
	a->options.store.asks = !options->headless;
	a->config = copy(options->config);
	a->keymap_name = copy(options->keymap);
	a->options.config = a->config;
	a->options.keymap = a->keymap_name;
	a->options.store.settings = &a->settings;
	a->secure = app_is_secure();
	a->count = -1;
	a->panes.focus = -1;
	if (!trace_settings_copy(&a->settings, options->store.settings))
		abort(); /* as xcalloc() */
	palette_init(&a->palette, options->depth);
	options_init(&a->set);
	views_init(a);
	for (size_t i = 0; i < sizeof(default_metrics) / sizeof(default_metrics[0]); i++)
		strcpy(a->wishes.rows[a->wishes.count++].name, default_metrics[i]);
	prompt_init(&a->prompt, !a->options.only_settings &&
				    (!a->config || strcmp(a->config, "none") != 0));
	status = configure(a, e);
	if (status) {
		app_free(a);
		return status;
	}
	*out = a;
	return STATUS_OK;
}

void app_free(struct app *a)
{
	if (!a)
		return;
	jobs_drop(a, 0);
	for (int i = 0; i < a->tab_count; i++)
		joined_end(a, a->tabs[i]->joined);
	panes_close_all(a);
	tail_free(a);
	while (a->tab_count)
		tab_close(a->tabs[--a->tab_count]);
	views_free(a);
	prompt_free(&a->prompt);
	keymap_free(&a->keymap);
	sbuf_free(&a->message);
	sbuf_free(&a->complaints);
	sbuf_free(&a->folder);
	sbuf_free(&a->shell);
	sbuf_free(&a->clipboard);
	free(a->config);
	free(a->keymap_name);
	trace_settings_free(&a->settings);
	free(a);
}

void app_message(struct app *a, bool error, const char *fmt, ...)
{
	struct sbuf raw = {0};
	va_list ap;

	va_start(ap, fmt);
	sbuf_vprintf(&raw, fmt, ap);
	va_end(ap);
	sbuf_clear(&a->message);
	text_sanitise(&a->message, sbuf_text(&raw), raw.len);
	a->message_error = error;
	a->message_lacks_trace = false;
	a->error_count += error;
	sbuf_free(&raw);
}

void app_complain(struct app *a, const char *fmt, ...)
{
	struct sbuf raw = {0};
	va_list ap;

	va_start(ap, fmt);
	sbuf_vprintf(&raw, fmt, ap);
	va_end(ap);
	app_message(a, true, "%s", sbuf_text(&raw));
	sbuf_free(&raw);
	a->complaint_count++;
	if (a->complaints.len > COMPLAINT_BYTES)
		return;
	sbuf_add(&a->complaints, sbuf_text(&a->message), a->message.len);
	sbuf_putc(&a->complaints, '\n');
}

const char *app_error(const struct app *a)
{
	return a->message_error ? sbuf_text(&a->message) : "";
}

const char *app_complaints(const struct app *a)
{
	return sbuf_text(&a->complaints);
}

/* Tabs */

struct tab_options app_tab_options(struct app *a)
{
	bool none = a->config && strcmp(a->config, "none") == 0;

	return (struct tab_options){a, &a->options.store, !none, false};
}

int app_tab_index(const struct app *a)
{
	for (int i = 0; i < a->tab_count; i++)
		if (a->tabs[i] == a->tab)
			return i;
	return 0;
}

static void welcome(struct app *a)
{
	const enum key_mode mode = a->tab->view->kind->mode;
	struct sbuf keys = {0};

	if (a->message.len || a->options.headless)
		return;
	app_hint(a, mode, "help", NULL, "help", &keys);
	if (panes_has(a, "legend"))
		app_hint(a, mode, "legend", NULL, "legend", &keys);
	if (tab_has_items(a->tab))
		app_message(a, false,
			    "%s  : commands  / search  & filter  Enter look closer  q quit",
			    sbuf_text(&keys));
	else
		app_message(a, false, "%s  : commands  Enter %s  + - zoom  q quit",
			    sbuf_text(&keys), resources_alone(a) ? "all metrics" : "look closer");
	sbuf_free(&keys);
}

static enum status add_tab(struct app *a, struct trace *trace, const char *path, bool follow,
			   struct error *e)
{
	struct tab_options options = app_tab_options(a);
	enum status status;
	struct tab *t;

	options.follow = follow;
	status = tab_open(&t, trace, path, &options, e);
	if (status)
		return status;
	tab_apply(t, &a->set);
	t->follow = a->set.value[OPT_FOLLOW] && !a->options.headless;
	a->tabs[a->tab_count++] = t;
	if (a->message_lacks_trace)
		sbuf_clear(&a->message);
	app_show_tab(a, a->tab_count - 1);
	app_progress(a);
	welcome(a);
	return STATUS_OK;
}

enum status app_open(struct app *a, const char *path, struct error *e)
{
	const bool follow = a->set.value[OPT_FOLLOW] && !a->options.headless;
	enum status status;

	/* those that are waited for have their place */
	if (a->tab_count + launch_count(a) >= TAB_MAX)
		return error_set(e, STATUS_USAGE, "at most %d traces at once", TAB_MAX);
	if (!a->options.headless && traces_is_folder(path))
		return traces_list(a, path, e);
	if (launch_is_due(a, path))
		return launch_path(a, path, e);
	status = add_tab(a, NULL, path, follow, e);
	if (status == STATUS_UNSUPPORTED && follow)
		status = add_tab(a, NULL, path, false, e);
	return status;
}

enum status app_adopt(struct app *a, struct trace *trace, const char *name, struct error *e)
{
	return add_tab(a, trace, name, false, e);
}

enum status app_start_child(struct app *a, const struct child_options *options, struct error *e)
{
	enum status status = STATUS_OK;

	if (a->secure)
		return error_set(e, STATUS_UNSUPPORTED, "PIPEGLASS_SECURE disables run");
	if (a->child)
		return error_set(e, STATUS_USAGE, "a started program is open already");
	status = child_start(&a->child, options, e);
	if (status)
		return status;
	return options->trace ? launch_path(a, options->trace, e) : launch_begin(a, e);
}

void app_show_tab(struct app *a, int index)
{
	jobs_drop(a, 0);
	if (!joined_pass(a, a->tabs[index])) {
		a->tab = a->tabs[index];
		panes_change_trace(a);
	}
	tab_metrics(a->tab, &a->wishes);
	/* items may have been hidden or shown while another tab was */
	views_refilter(a);
}

/* In a list: they are more than a line. The trace keeps the focus, for what -c does to it. */
static void show_complaints(struct app *a)
{
	char focus[KEY_TEXT], close[KEY_TEXT];

	if (!a->complaint_count || panes_open(a, pane_kind_find("problems", NULL), NULL))
		return;
	a->panes.focus = -1;
	app_message(a, true, "%zu problem%s in your files: %s enters the list, %s closes it", a->complaint_count,
		    a->complaint_count == 1 ? "" : "s", app_key_text(a, "focus next", focus),
		    app_key_text(a, "close", close));
}

const struct trace_settings *app_settings(const struct app *a)
{
	return &a->settings;
}

void app_first_tab(struct app *a)
{
	if (a->tab_count > 1)
		app_show_tab(a, 0);
	show_complaints(a);
}

void app_close_tab(struct app *a, int index)
{
	struct tab *closed = a->tabs[index];

	jobs_drop(a, 0);
	joined_end(a, closed->joined);
	if (closed == a->child_tab)
		a->child_tab = NULL;
	a->tab = NULL;
	panes_change_trace(a);
	tab_close(closed);
	a->tab_count--;
	memmove(&a->tabs[index], &a->tabs[index + 1],
		(size_t)(a->tab_count - index) * sizeof(a->tabs[0]));
	if (a->tab_count)
		app_show_tab(a, index < a->tab_count ? index : a->tab_count - 1);
}

/* Options */

static void apply_legend(struct app *a)
{
	if (!a->set.value[OPT_LEGEND])
		panes_close_kind(a, "legend");
	else if (a->tab && !panes_is_open(a, "legend"))
		panes_show(a, pane_kind_find("legend", NULL));
}

static void apply_cache(struct app *a)
{
	struct cache_swept swept;

	a->settings.cache_limit = a->set.value[OPT_CACHE_LIMIT];
	if (!a->options.store.no_cache && !a->options.only_settings)
		cachefile_sweep(a->options.store.cache_dir, a->settings.cache_limit, &swept, NULL);
}

void app_apply(struct app *a, unsigned effects)
{
	if (effects & EFFECT_CACHE)
		apply_cache(a);
	for (int i = 0; effects & EFFECT_VIEW && i < a->tab_count; i++)
		tab_apply(a->tabs[i], &a->set);
	if (effects & EFFECT_LEGEND)
		apply_legend(a);
	if (effects & EFFECT_MOUSE)
		a->react |= REACT_MOUSE;
	if (effects & EFFECT_FOLLOW)
		tail_option(a);
	if (effects & EFFECT_FILTER && a->tab)
		views_refilter(a);
	if (effects & EFFECT_LAYOUT)
		app_relayout(a);
	panes_refresh(a, false);
}

void app_key_of(const struct app *a, const char *command, struct sbuf *out)
{
	const struct binding *b = keymap_for(&a->keymap, KEYS_MAIN, command);

	if (b)
		keymap_spell(&b->sequence, out);
	else
		sbuf_printf(out, ":%s", command);
}

const char *app_key_text(const struct app *a, const char *command, char buf[KEY_TEXT])
{
	struct sbuf key = {0};

	app_key_of(a, command, &key);
	snprintf(buf, KEY_TEXT, "%s", sbuf_text(&key));
	sbuf_free(&key);
	return buf;
}

void app_hint(const struct app *a, enum key_mode mode, const char *command, const char *second,
	      const char *what, struct sbuf *out)
{
	const struct binding *one = keymap_for(&a->keymap, mode, command);
	const struct binding *two = second ? keymap_for(&a->keymap, mode, second) : NULL;

	if (!one || (second && !two))
		return;
	sbuf_puts(out, out->len ? "  " : "");
	keymap_spell(&one->sequence, out);
	if (two) {
		sbuf_putc(out, ' ');
		keymap_spell(&two->sequence, out);
	}
	sbuf_printf(out, " %s", what);
}

void app_hints(const struct app *a, enum key_mode mode, const struct app_hint *hints, int width,
	       struct sbuf *out)
{
	for (; hints->what; hints++) {
		const size_t before = out->len;

		if (hints->command)
			app_hint(a, mode, hints->command, hints->second, hints->what, out);
		if (text_width(sbuf_text(out), out->len) > width)
			sbuf_take(out, out->text + before);
	}
}

/* Progress */

static void tell_end(struct app *a, struct tab *t, const struct progress *p)
{
	const char *name = sbuf_text(&t->name);
	uint64_t warnings = t->trace->kind->warning_count(t->trace);
	char number[32];

	t->told = true;
	t->change = source_followed(t->trace->source);
	panes_refresh(a, false);
	if (p->cancelled)
		return; /* whoever did it was told */
	if (p->failed && p->failed != STATUS_INTERRUPTED)
		app_message(a, true, "%s%s%s%s%s", strstr(p->why, name) ? "" : name,
			    strstr(p->why, name) ? "" : ": ", p->why, p->note ? "; " : "",
			    p->note ? p->note : "");
	else if (p->note)
		app_message(a, false, "%s: %s", name, p->note);
	else if (warnings && !a->options.headless && !a->message.len)
		app_message(a, false, "%s warning%s: type :warnings to see them",
			    num_group((int64_t)warnings, number), warnings == 1 ? "" : "s");
}

unsigned app_progress(struct app *a)
{
	unsigned r = REACT_NONE;

	for (int i = 0; i < a->tab_count; i++) {
		struct tab *t = a->tabs[i];
		uint64_t before = t->reached_seen;
		struct progress p;

		if (tab_progress(t, &p) && t == a->tab)
			r |= REACT_REDRAW;
		if (p.reached != before || (p.complete && !t->told))
			tab_metrics(t, &a->wishes);
		if (p.complete && !t->told)
			tell_end(a, t, &p);
	}
	return r;
}

static void tell_change(struct app *a, struct tab *t, enum source_change change)
{
	const bool may_follow =
	    change == SOURCE_GROWN && source_kind(t->trace->source) == SOURCE_PLAIN;
	char reload[KEY_TEXT], follow[KEY_TEXT];

	t->change = change;
	app_message(a, change == SOURCE_TRUNCATED, "%s %s: %s reloads it%s%s%s", sbuf_text(&t->name),
		    change == SOURCE_GROWN       ? "has grown"
		    : change == SOURCE_TRUNCATED ? "was cut"
						 : "was replaced",
		    app_key_text(a, "reload", reload), may_follow ? ", " : "",
		    may_follow ? app_key_text(a, "follow", follow) : "",
		    may_follow ? " follows it" : "");
}

/* Every other second, once the trace is read to its end. */
static unsigned look_for_changes(struct app *a, int64_t now)
{
	struct tab *t = a->tab;
	enum source_change change;

	if (now < a->changes_at || !t || !t->told || a->options.headless)
		return REACT_NONE;
	a->changes_at = now + CHANGES_MS;
	if (source_is_pipe(t->trace->source))
		return REACT_NONE;
	/* told once: SOURCE_SAME means since the last look, and who grows will grow again */
	change = source_check(t->trace->source);
	if (change <= t->change)
		return REACT_NONE;
	tell_change(a, t, change);
	return REACT_REDRAW;
}

/* Of the current tab, as far as it came. */
static void stop_reading(struct app *a)
{
	if (tail_stop(a))
		return;
	a->tab->trace->kind->cancel(a->tab->trace);
	a->end_warned = false;
	app_message(a, false, "%s",
		    source_is_pipe(a->tab->trace->source)
			? "reading stopped"
			: "reading stopped: :reload starts again");
}

static void sooner(int *wait_ms, int64_t ms)
{
	if (ms < 0)
		ms = 0;
	if (*wait_ms < 0 || ms < *wait_ms)
		*wait_ms = (int)ms;
}

unsigned app_idle(struct app *a, int *wait_ms)
{
	int64_t now = clock_ms();
	unsigned r = jobs_step(a, now + SLICE_MS), heard = tail_idle(a);

	r |= app_reactions(a);
	if (!a->tab)
		r |= heard; /* else it is no more urgent than rows are */
	a->progress_due |= heard;
	a->progress_due |= app_progress(a);
	if (a->progress_due &&
	    (now >= a->progress_at || (a->tab && (a->tab->told || a->tab->filling)))) {
		r |= a->progress_due;
		a->progress_due = REACT_NONE;
		a->progress_at = now + PROGRESS_MS;
	}
	r |= look_for_changes(a, now);
	*wait_ms = -1;
	if (now >= panes_due(a))
		r |= REACT_REDRAW;
	else if (panes_due(a) != INT64_MAX)
		sooner(wait_ms, panes_due(a) - now);
	if (jobs_wait_ms(a) >= 0)
		sooner(wait_ms, jobs_wait_ms(a));
	if (a->progress_due)
		sooner(wait_ms, a->progress_at - now);
	if (a->tab && a->tab->told && !a->options.headless)
		sooner(wait_ms, a->changes_at - now);
	return r;
}

bool app_busy(const struct app *a)
{
	return jobs_busy(a);
}

/* At a prompt ^C gives up what is being typed, and nothing else. */
bool app_interrupt(struct app *a)
{
	if (a->prompt.open)
		return false;
	if (!jobs_stop(a, 0)) {
		if (!a->tab || a->tab->told)
			return false;
		stop_reading(a);
	}
	a->react |= REACT_REDRAW;
	return true;
}

void app_finish(struct app *a)
{
	a->react |= jobs_finish(a);
	if (!a->options.headless || !a->tab)
		return;
	/* what is selected, or read, may be more by now than panes knew when they began theirs */
	app_progress(a);
	panes_refresh(a, true);
	a->react |= jobs_finish(a);
}

atomic_bool *app_interrupt_flag(struct app *a)
{
	return &a->interrupt_asked;
}

bool app_interrupt_asked(struct app *a)
{
	return atomic_exchange(&a->interrupt_asked, false);
}

int app_wake_fds(const struct app *a, int *fds, int max)
{
	int n = launch_wake_fds(a, fds, max);

	if (a->child && n < max)
		fds[n++] = child_wake_fd(a->child);
	for (int i = 0; i < a->tab_count && n < max; i++)
		if (!a->tabs[i]->told)
			fds[n++] = a->tabs[i]->trace->kind->wake_fd(a->tabs[i]->trace);
	return n;
}

bool app_mouse_wanted(const struct app *a)
{
	return a->set.value[OPT_MOUSE];
}

const char *app_shell_command(const struct app *a)
{
	return a->secure ? NULL : sbuf_text(&a->shell);
}

const char *app_clipboard(const struct app *a)
{
	return sbuf_text(&a->clipboard);
}

bool app_has_begun(const struct app *a)
{
	const struct tab *t = a->tab;

	return t && t->placed && t->trace->kind->is_live(t->trace);
}

struct trace *app_trace(struct app *a)
{
	return a->tab ? a->tab->trace : NULL;
}
