#include "config.h"

#include "term/session.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "term/signals.h"

/* DEC private modes: mouse buttons, SGR reports, bracketed paste, synchronised output */
static const char mouse_on[] = "\033[?1000h\033[?1006h";
static const char mouse_off[] = "\033[?1006l\033[?1000l";
static const char paste_on[] = "\033[?2004h";
static const char paste_off[] = "\033[?2004l";
static const char hold[] = "\033[?2026h";
static const char show[] = "\033[?2026l";

enum { HELD_LEAST = 129 /* bytes of a frame: one that is shorter comes in one piece anyway */ };

/* The bytes that give the terminal back; none while it is not ours. */
static void add_farewell(const struct session *s, struct sbuf *out)
{
	if (!s->screen || !screen_inside(s->screen))
		return;
	if (s->terminal.modern) {
		sbuf_puts(out, show);
		sbuf_puts(out, mouse_off);
		sbuf_puts(out, paste_off);
	}
	screen_farewell(s->screen, out);
}

/* What is needed to give the terminal back from a signal handler. */
static void arm_rescue(const struct session *s)
{
	struct rescue r = {
	    .fd = s->tty.out,
	    .termios_fd = s->tty.in,
	    .saved = s->terminal.saved,
	    .saved_stderr = s->tty.saved_stderr,
	    .captured = s->tty.captured,
	};
	struct sbuf bytes = {0};

	add_farewell(s, &bytes);
	if (bytes.len <= sizeof(r.bytes)) {
		memcpy(r.bytes, sbuf_text(&bytes), bytes.len);
		r.len = bytes.len;
	}
	sbuf_free(&bytes);
	rescue_set(&r);
}

enum status session_open(struct session *s, struct app *a, const struct term_options *o,
			 struct error *e)
{
	enum status status;

	memset(s, 0, sizeof(*s));
	s->app = a;
	s->options = o;
	s->log.fd = -1;
	terminal_pick(&s->terminal, o);
	status = tty_open(&s->tty, e);
	if (status != STATUS_OK)
		return status;
	framelog_open(&s->log);
	/* before ncurses, which handles what nobody does */
	status = signals_start(app_interrupt_flag(a), e);
	if (status == STATUS_OK)
		status = session_take(s, e);
	if (status != STATUS_OK) {
		session_close(s);
		return status;
	}
	input_init(&s->input, s->terminal.saved.c_cc[VERASE]);
	if (s->terminal.unknown)
		app_message(a, false, "unknown terminal type: treated as %s", s->terminal.name);
	return STATUS_OK;
}

void session_close(struct session *s)
{
	session_release(s, NULL);
	rescue_set(NULL);
	screen_free(s->screen);
	terminal_close();
	tty_close(&s->tty);
	signals_stop();
	framelog_close(&s->log);
	grid_free(&s->grid);
	sbuf_free(&s->frame);
	sbuf_free(&s->extra);
	s->screen = NULL;
}

enum status session_take(struct session *s, struct error *e)
{
	enum status status = terminal_raw(&s->terminal, s->tty.keys, e);

	if (status != STATUS_OK)
		return status;
	if (!s->screen)
		s->screen = screen_new(s->terminal.depth != DEPTH_MONO, term_ascii(s->options));
	tty_capture_stderr(&s->tty);
	arm_rescue(s);
	if (s->terminal.modern)
		sbuf_puts(&s->extra, paste_on);
	if (s->mouse)
		sbuf_puts(&s->extra, mouse_on);
	screen_repaint(s->screen);
	s->taken = true;
	return session_layout(s, e);
}

enum status session_release(struct session *s, struct error *e)
{
	struct sbuf bytes = {0};
	enum status status;

	if (!s->taken)
		return STATUS_OK;
	s->taken = false;
	add_farewell(s, &bytes);
	screen_left(s->screen);
	status = tty_write(&s->tty, sbuf_text(&bytes), bytes.len, e);
	sbuf_free(&bytes);
	rescue_set(NULL);
	terminal_cooked();
	tty_release_stderr(&s->tty);
	return status;
}

enum status session_layout(struct session *s, struct error *e)
{
	int w, h;

	terminal_size(&w, &h);
	if (!grid_resize(&s->grid, w, h))
		return error_set(e, STATUS_NOMEM, "not enough memory for a screen of %dx%d", w, h);
	screen_resize(s->screen, w, h);
	app_layout(s->app, w, h);
	arm_rescue(s); /* it names the last line */
	s->react |= REACT_REDRAW;
	return STATUS_OK;
}

static void log_frame(struct session *s)
{
	if (!s->sending_bytes || tty_busy(&s->tty))
		return;
	framelog_frame(&s->log, s->frame_at, s->sending_key_at, s->sending_bytes,
		       s->tty.writes - s->sending_writes, false);
	s->sending_bytes = 0;
}

static enum status send_frame(struct session *s, struct sbuf *bytes, struct error *e)
{
	enum status status;

	s->sending_bytes = bytes->len;
	s->sending_writes = s->tty.writes;
	s->sending_key_at = s->key_at;
	s->key_at = 0;
	s->frame_at = framelog_now();
	status = tty_send(&s->tty, bytes, e);
	log_frame(s);
	return status;
}

enum status session_go_on(struct session *s, struct error *e)
{
	enum status status = tty_go_on(&s->tty, e);

	log_frame(s);
	return status;
}

enum status session_draw(struct session *s, struct error *e)
{
	enum status status;
	bool inside = screen_inside(s->screen), held;
	struct sbuf drawn = {0};

	sbuf_clear(&s->frame);
	sbuf_add(&s->frame, s->extra.text, s->extra.len);
	sbuf_clear(&s->extra);
	s->grid.ascii = term_ascii(s->options);
	s->grid.cursor_x = s->grid.cursor_y = -1;
	status = app_draw(s->app, &s->grid, e);
	if (status != STATUS_OK)
		return status;
	status = screen_draw(s->screen, &s->grid, &drawn, e);
	held = s->terminal.modern && drawn.len >= HELD_LEAST;
	sbuf_puts(&s->frame, held ? hold : "");
	sbuf_add(&s->frame, sbuf_text(&drawn), drawn.len);
	sbuf_puts(&s->frame, held ? show : "");
	sbuf_free(&drawn);
	if (status != STATUS_OK)
		return status;
	if (!s->frame.len) {
		s->key_at = 0;
		return STATUS_OK;
	}
	if (!inside)
		arm_rescue(s);
	return send_frame(s, &s->frame, e);
}

enum status session_flush(struct session *s, struct error *e)
{
	return send_frame(s, &s->extra, e);
}

void session_mouse(struct session *s, bool on)
{
	if (s->mouse == on || !s->terminal.modern)
		return;
	s->mouse = on;
	sbuf_puts(&s->extra, on ? mouse_on : mouse_off);
}
