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

#include "term/signals.h"

enum { PATIENCE_MS = 500 };

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

/*
 * For reading only: ncurses, which sets the modes, has nothing to write on then. What it would
 * write are the screen and the cursor that the frames take and give back already, and on a link
 * that takes nothing it would wait for ever.
 */
static enum status open_keys(struct tty *t, struct error *e)
{
	static const char device[] = "/dev/tty";
	const char *name = ttyname(STDIN_FILENO);

	t->keys = name ? fopen(name, "re") : NULL;
	if (!t->keys)
		t->keys = fopen(device, "re");
	/* another user's, as su leaves it: ncurses repeats what we write there */
	if (!t->keys && isatty(STDIN_FILENO))
		t->keys = stdin;
	if (!t->keys)
		return error_errno(e, STATUS_IO, errno,
				   "%s: no terminal to read keys from (standard input is not one)",
				   device);
	t->in = fileno(t->keys);
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
	*t = (struct tty){
	    .out = STDOUT_FILENO, .saved_stderr = -1, .captured = -1, .link = STDOUT_FILENO};
	if (!isatty(t->out))
		return error_set(e, STATUS_USAGE, "standard output is not a terminal");
	open_link(t);
	return open_keys(t, e);
}

void tty_close(struct tty *t)
{
	tty_release_stderr(t);
	if (t->keys)
		fclose(t->keys);
	if (t->link != t->out)
		close(t->link);
	t->keys = NULL;
	t->link = t->out;
	sbuf_free(&t->going);
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

void tty_release_stderr(struct tty *t)
{
	if (t->saved_stderr < 0)
		return;
	dup2(t->saved_stderr, STDERR_FILENO);
	close(t->saved_stderr);
	t->saved_stderr = -1;
	signals_show_captured(t->captured);
	close(t->captured);
	t->captured = -1;
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
