#include "config.h"

#include "term/term.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "base/status.h"
#include "term/session.h"
#include "term/signals.h"

enum {
	OURS = 3,           /* descriptors waited for besides the app's */
	BUSY_FRAME_MS = 50, /* frames that no key asked for come no closer than this */
	BEHIND_MS = 10,     /* look again whether a slow link caught up */
	FLOOD_MS = 50,
	DOUBLE_CLICK_MS = 400
};

void term_guard(void)
{
	signals_guard();
}

static void pressed_twice(struct session *s, struct mouse *m)
{
	int64_t now = framelog_now();

	if (m->kind != MOUSE_PRESS)
		return;
	m->twice = s->press_at && now - s->press_at < (int64_t)DOUBLE_CLICK_MS * 1000000 &&
		   m->button == s->press.button && m->x == s->press.x && m->y == s->press.y;
	s->press_at = m->twice ? 0 : now;
	s->press = *m;
}

static void take_key(struct session *s, struct key k)
{
	/* work under way is what ^C ends first */
	if (k.code == 'c' && k.mods == MOD_CTRL && app_interrupt(s->app))
		return;
	s->react |= app_key(s->app, k);
}

/* The app shows the cursor where text is typed. Asked for at the beginning of a paste. */
static bool wants_text(struct session *s)
{
	if (s->react & REACT_REDRAW && app_draw(s->app, &s->grid, NULL) != STATUS_OK)
		return false;
	return s->grid.cursor_x >= 0;
}

/* A paste is text for a prompt; elsewhere it would be any number of commands. */
static void take_pasted(struct session *s, struct key k)
{
	if (!s->in_paste)
		s->paste_wanted = wants_text(s);
	s->in_paste = true;
	if (s->paste_wanted)
		s->react |= app_key(s->app, k);
}

static void take_event(struct session *s, struct input_event *ev)
{
	s->in_paste = s->in_paste && ev->pasted;
	switch (ev->kind) {
	case INPUT_KEY:
		if (ev->pasted)
			take_pasted(s, ev->key);
		else
			take_key(s, ev->key);
		break;
	case INPUT_MOUSE:
		pressed_twice(s, &ev->mouse);
		s->react |= app_mouse(s->app, &ev->mouse);
		break;
	case INPUT_NOTHING:
		break;
	}
}

/* What the loop must do before another key is looked at. */
static bool urgent(unsigned react)
{
	return react & (REACT_QUIT | REACT_SUSPEND | REACT_SHELL);
}

static void take_keys(struct session *s, bool final)
{
	struct input_event ev;

	while (!urgent(s->react) && input_next(&s->input, final, &ev))
		take_event(s, &ev);
}

/*
 * What waits is read before anything is drawn; a flood for some frames' time at most.
 * STATUS_IO: the terminal is gone.
 */
static enum status read_keys(struct session *s, struct error *e)
{
	struct pollfd p = {.fd = s->tty.in, .events = POLLIN};
	int64_t until = framelog_now() + (int64_t)FLOOD_MS * 1000000;

	while (!urgent(s->react) && framelog_now() < until && poll(&p, 1, 0) > 0) {
		size_t room;
		unsigned char *to = input_room(&s->input, &room);
		ssize_t n = read(s->tty.in, to, room);

		if (n < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (n <= 0)
			return error_set(e, STATUS_IO, "the terminal is gone");
		s->read_at = framelog_now();
		if (!s->key_at)
			s->key_at = s->read_at;
		s->bytes_read += (uint64_t)n;
		input_fed(&s->input, (size_t)n);
		take_keys(s, false);
	}
	return STATUS_OK;
}

static enum status take_signals(struct session *s, struct error *e)
{
	unsigned wanted = signals_take();
	enum status status = STATUS_OK;

	if (wanted & WANT_END)
		s->react |= REACT_QUIT;
	if (app_interrupt_asked(s->app) && !(wanted & WANT_END))
		take_key(s, (struct key){.code = 'c', .mods = MOD_CTRL});
	if (wanted & WANT_SUSPEND)
		status = session_suspend(s, false, e);
	if (status == STATUS_OK && wanted & WANT_REPAINT) {
		/* stopped by SIGSTOP perhaps: the shell may have set its own modes meanwhile */
		terminal_raw_again();
		screen_repaint(s->screen);
		s->react |= REACT_REDRAW;
	}
	if (status == STATUS_OK && wanted & (WANT_RESIZE | WANT_REPAINT))
		status = session_layout(s, e);
	return status;
}

/* Everything the app asked for but drawing and quitting. */
static enum status react_to(struct session *s, struct error *e)
{
	unsigned react = s->react;

	s->react &= REACT_REDRAW | REACT_QUIT;
	if (react & REACT_FULL)
		screen_repaint(s->screen);
	if (react & REACT_MOUSE)
		session_mouse(s, app_mouse_wanted(s->app));
	if (react & REACT_BELL)
		sbuf_putc(&s->extra, '\a');
	if (react & REACT_CLIPBOARD)
		session_clipboard(s, app_clipboard(s->app));
	if (react & REACT_QUIT)
		return STATUS_OK;
	if (react & REACT_SUSPEND)
		return session_suspend(s, true, e);
	return react & REACT_SHELL ? session_shell(s, app_shell_command(s->app), e) : STATUS_OK;
}

/*
 * No work is under way, and the trace is read to its end, or, when it is live and may never end,
 * begun.
 */
static bool settled(const struct session *s)
{
	if (app_busy(s->app))
		return false;
	if (!app_reads(s->app))
		return true;
	return app_has_begun(s->app);
}

/* -c and --script: the next one as soon as the one before is done. */
static enum status take_steps(struct session *s, struct error *e)
{
	const struct term_options *o = s->options;

	while (s->steps_done < o->step_count && !urgent(s->react) && settled(s)) {
		const struct app_step *step = &o->steps[s->steps_done++];
		unsigned react = 0;
		struct error wrong = {0};
		enum status status;

		status = step->is_script ? app_script(s->app, step->text, &wrong)
					 : app_command(s->app, step->text, &react, &wrong);
		s->react |= react | REACT_REDRAW;
		if (status == STATUS_USAGE) {
			if (e)
				*e = wrong;
			return status;
		}
		if (status != STATUS_OK)
			app_message(s->app, true, "%s", wrong.text);
	}
	return STATUS_OK;
}

static bool frame_due(const struct session *s)
{
	return s->react & REACT_REDRAW &&
	       (s->key_at || framelog_now() - s->frame_at >= (int64_t)BUSY_FRAME_MS * 1000000);
}

static enum status draw(struct session *s, struct error *e)
{
	bool due = frame_due(s);

	if (!(s->react & REACT_REDRAW))
		s->key_at = 0; /* the key changed nothing */
	if (!due && !s->extra.len) {
		s->behind = false;
		return STATUS_OK;
	}
	if (tty_behind(&s->tty, 2 * s->grid.w * s->grid.h)) {
		if (!s->behind && due)
			framelog_frame(&s->log, framelog_now(), s->key_at, 0, 0, true);
		s->behind = true;
		return STATUS_OK;
	}
	s->behind = false;
	if (!due)
		return session_flush(s, e);
	s->react &= ~(unsigned)REACT_REDRAW;
	return session_draw(s, e);
}

/* An unfinished sequence was waited for long enough. */
static int escape_left(const struct session *s)
{
	int64_t left = INPUT_ESCAPE_MS - (framelog_now() - s->read_at) / 1000000;

	return left > 0 ? (int)left : 0;
}

static int sooner(int a, int b)
{
	return a < 0 || (b >= 0 && b < a) ? b : a;
}

/* How long poll() may sleep, given what the app says. */
static int wait_time(struct session *s, int app_ms)
{
	int ms = app_ms;

	if (s->steps_done < s->options->step_count && settled(s))
		ms = 0;
	if (s->behind)
		ms = tty_busy(&s->tty) ? ms : sooner(ms, BEHIND_MS);
	else if (s->react & REACT_REDRAW)
		ms = sooner(ms, frame_due(s) ? 0 : BUSY_FRAME_MS / 5);
	else if (s->react)
		ms = 0;
	if (input_waiting(&s->input))
		ms = sooner(ms, escape_left(s));
	else if (ms != 0 && !s->behind && !s->sending_bytes && !s->react && settled(s))
		framelog_idle(&s->log, s->bytes_read, s->tty.written);
	return ms;
}

static enum status sleep_and_wake(struct session *s, int app_ms, struct error *e)
{
	struct pollfd p[OURS + WAKE_MAX] = {
	    {.fd = s->tty.in, .events = POLLIN},
	    {.fd = signals_fd(), .events = POLLIN},
	    {.fd = tty_busy(&s->tty) ? s->tty.link : -1, .events = POLLOUT}};
	int fds[WAKE_MAX];
	int count = app_wake_fds(s->app, fds, WAKE_MAX);
	int ready;
	enum status status;

	for (int i = 0; i < count; i++)
		p[OURS + i] = (struct pollfd){.fd = fds[i], .events = POLLIN};
	ready = poll(p, (nfds_t)(OURS + count), wait_time(s, app_ms));
	if (ready < 0 && errno != EINTR)
		return error_errno(e, STATUS_IO, errno, "waiting for keys");
	status = session_go_on(s, e);
	if (status == STATUS_OK)
		status = take_signals(s, e);
	if (status != STATUS_OK)
		return status;
	if (ready > 0 && p[0].revents)
		return read_keys(s, e);
	if (input_waiting(&s->input) && !escape_left(s))
		take_keys(s, true);
	return STATUS_OK;
}

static enum status loop(struct session *s, struct error *e)
{
	enum status status = STATUS_OK;

	s->react |= REACT_REDRAW | REACT_MOUSE;
	while (status == STATUS_OK) {
		int wait_ms = -1;

		take_keys(s, false); /* what was left when something urgent came */
		status = take_steps(s, e);
		if (status == STATUS_OK)
			status = react_to(s, e);
		if (status != STATUS_OK || s->react & REACT_QUIT)
			break;
		status = draw(s, e);
		if (status != STATUS_OK)
			break;
		s->react |= app_idle(s->app, &wait_ms);
		status = sleep_and_wake(s, wait_ms, e);
	}
	return status;
}

enum status term_run(struct app *a, const struct term_options *o, int *code, struct error *e)
{
	struct session s;
	enum status status = session_open(&s, a, o, e);
	int signal_number;

	if (status != STATUS_OK)
		return status;
	status = loop(&s, e);
	signal_number = signals_ended_by();
	session_close(&s);
	*code = signal_number ? 128 + signal_number : status_exit(status);
	/* a terminal that went away has nobody to tell */
	return signal_number ? STATUS_OK : status;
}
