#include "config.h"

#include "term/tty.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/num.h"
#include "base/text.h"

enum { WIDEST = 4096, HIGHEST = 2048, CAPTURED_SHOWN = 64 * 1024, PATIENCE_MS = 500 };

static enum status gone(struct error *e)
{
	return error_errno(e, STATUS_IO, errno, "the terminal is gone");
}

static bool takes_more(const struct tty *t, int ms)
{
	struct pollfd p = {.fd = t->link, .events = POLLOUT};

	return poll(&p, 1, ms) > 0;
}

enum status tty_go_on(struct tty *t, struct error *e)
{
	while (tty_busy(t)) {
		ssize_t n = write(t->link, t->going.text + t->gone, t->going.len - t->gone);

		if (n < 0 && errno == EAGAIN)
			return STATUS_OK;
		if (n < 0 && errno != EINTR) {
			t->gone = t->going.len;
			return gone(e);
		}
		if (n < 0)
			continue;
		t->gone += (size_t)n;
		t->written += (uint64_t)n;
		t->writes++;
	}
	return STATUS_OK;
}

/*
 * Until what is on its way is out, or the link takes nothing for some time: whoever waits here is
 * about to leave the screen anyway.
 */
static enum status finish(struct tty *t, struct error *e)
{
	enum status status = tty_go_on(t, e);

	while (status == STATUS_OK && tty_busy(t) && takes_more(t, PATIENCE_MS))
		status = tty_go_on(t, e);
	return status;
}

static enum status open_keys(struct tty *t, struct error *e)
{
	static const char keys[] = "/dev/tty";

	if (isatty(t->in))
		return STATUS_OK;
	t->in = open(keys, O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (t->in < 0)
		return error_errno(e, STATUS_IO, errno,
				   "%s: no terminal to read keys from (standard input is none)",
				   keys);
	t->own_in = true;
	return STATUS_OK;
}

/* Not O_NONBLOCK on what we got: whoever shares it would not block either. */
static void open_link(struct tty *t)
{
	const char *name = ttyname(t->out);
	int fd = name ? open(name, O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC) : -1;

	if (fd >= 0)
		t->link = fd;
}

enum status tty_open(struct tty *t, struct error *e)
{
	*t = (struct tty){.in = STDIN_FILENO,
			  .out = STDOUT_FILENO,
			  .saved_stderr = -1,
			  .captured = -1,
			  .link = STDOUT_FILENO};
	if (!isatty(t->out))
		return error_set(e, STATUS_USAGE, "standard output is not a terminal");
	open_link(t);
	return open_keys(t, e);
}

void tty_close(struct tty *t)
{
	tty_cooked(t);
	tty_release_stderr(t);
	if (t->own_in)
		close(t->in);
	if (t->link != t->out)
		close(t->link);
	t->own_in = false;
	t->link = t->out;
	sbuf_free(&t->going);
}

enum status tty_raw(struct tty *t, struct error *e)
{
	if (tcgetattr(t->in, &t->saved) < 0)
		return error_errno(e, STATUS_IO, errno, "the terminal's modes cannot be read");
	return tty_raw_again(t, e);
}

enum status tty_raw_again(struct tty *t, struct error *e)
{
	struct termios raw = t->saved;

	cfmakeraw(&raw);
	/*
	 * ^C and ^Z are keys: as signals they would overtake what was typed before them, and
	 * ^C would end the simulator whose pipe we read. ^\ stays the way out of a hang.
	 */
	raw.c_lflag |= ISIG | NOFLSH;
	raw.c_cc[VINTR] = raw.c_cc[VSUSP] = _POSIX_VDISABLE;
	raw.c_cc[VMIN] = 1;
	raw.c_cc[VTIME] = 0;
	if (tcsetattr(t->in, TCSADRAIN, &raw) < 0)
		return error_errno(e, STATUS_IO, errno, "the terminal's modes cannot be set");
	t->raw = true;
	return STATUS_OK;
}

void tty_cooked(struct tty *t)
{
	if (t->raw)
		tcsetattr(t->in, TCSADRAIN, &t->saved);
	t->raw = false;
}

void tty_capture_stderr(struct tty *t)
{
	if (!isatty(STDERR_FILENO))
		return;
	if (t->captured < 0)
		t->captured = memfd_create("stderr", MFD_CLOEXEC);
	if (t->captured < 0 || fcntl(t->captured, F_SETFL, O_APPEND) < 0)
		return;
	t->saved_stderr = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	if (t->saved_stderr >= 0)
		dup2(t->captured, STDERR_FILENO);
}

static void show_captured(int fd)
{
	static char text[CAPTURED_SHOWN];
	struct sbuf out = {0};
	ssize_t n = pread(fd, text, sizeof(text), 0);

	for (char *p = text, *end = text + (n > 0 ? n : 0); p < end;) {
		char *newline = memchr(p, '\n', (size_t)(end - p));
		char *stop = newline ? newline : end;

		text_sanitise(&out, p, (size_t)(stop - p));
		sbuf_putc(&out, '\n');
		p = stop + 1;
	}
	for (size_t done = 0; done < out.len;) {
		ssize_t w = write(STDERR_FILENO, out.text + done, out.len - done);

		if (w <= 0 && errno != EINTR)
			break;
		done += w > 0 ? (size_t)w : 0;
	}
	sbuf_free(&out);
}

void tty_release_stderr(struct tty *t)
{
	if (t->saved_stderr < 0)
		return;
	dup2(t->saved_stderr, STDERR_FILENO);
	close(t->saved_stderr);
	t->saved_stderr = -1;
	show_captured(t->captured);
	close(t->captured);
	t->captured = -1;
}

static int from_environment(const char *name, int otherwise)
{
	const char *text = getenv(name);
	int64_t value;

	return text && num_parse_i64(text, &value) && value > 0 && value <= WIDEST ? (int)value
										   : otherwise;
}

void tty_size(const struct tty *t, int *w, int *h)
{
	struct winsize size = {0};

	if (ioctl(t->out, TIOCGWINSZ, &size) < 0)
		size.ws_col = size.ws_row = 0;
	*w = size.ws_col ? size.ws_col : from_environment("COLUMNS", 80);
	*h = size.ws_row ? size.ws_row : from_environment("LINES", 24);
	*w = *w > WIDEST ? WIDEST : *w;
	*h = *h > HIGHEST ? HIGHEST : *h;
}

enum status tty_write(struct tty *t, const char *bytes, size_t len, struct error *e)
{
	enum status status = finish(t, e);

	if (status != STATUS_OK)
		return status;
	if (tty_busy(t)) {
		/* with what the system holds of it */
		tcflush(t->out, TCOFLUSH);
		sbuf_clear(&t->going);
		sbuf_putc(&t->going, '\030'); /* CAN ends an unfinished sequence */
	} else {
		sbuf_clear(&t->going);
	}
	sbuf_add(&t->going, bytes, len);
	t->gone = 0;
	return finish(t, e);
}

enum status tty_send(struct tty *t, struct sbuf *frame, struct error *e)
{
	struct sbuf ours = *frame;

	*frame = t->going;
	sbuf_clear(frame);
	t->going = ours;
	t->gone = 0;
	return tty_go_on(t, e);
}

bool tty_busy(const struct tty *t)
{
	return t->gone < t->going.len;
}

bool tty_behind(const struct tty *t, int most)
{
	int queued = 0;

	return tty_busy(t) || (ioctl(t->out, TIOCOUTQ, &queued) == 0 && queued > most);
}
