#include "config.h"

#include "term/tty.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/num.h"
#include "base/text.h"
#include "base/thread.h"

enum { WIDEST = 4096, HIGHEST = 2048, CAPTURED_SHOWN = 64 * 1024, PATIENCE_MS = 500, PROD_MS = 10 };

static int64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* The whole of it, in one write() unless the system takes less. Returns an errno. */
static int write_all(struct tty *t, const char *bytes, size_t len)
{
	while (len > 0 && !atomic_load(&t->give_up)) {
		ssize_t n = write(t->out, bytes, len);

		t->writes++;
		t->written += n > 0 ? (uint64_t)n : 0;
		if (n < 0 && errno == EAGAIN) {
			/* somebody who shares the terminal made it non-blocking */
			struct pollfd p = {.fd = t->out, .events = POLLOUT};

			poll(&p, 1, 1000);
			n = 0;
		}
		if (n < 0 && errno != EINTR)
			return errno;
		bytes += n > 0 ? n : 0;
		len -= n > 0 ? (size_t)n : 0;
	}
	return 0;
}

static void *write_frames(void *arg)
{
	struct tty *t = arg;
	sigset_t prod;

	sigemptyset(&prod);
	sigaddset(&prod, SIGURG);
	pthread_sigmask(SIG_UNBLOCK, &prod, NULL);
	pthread_mutex_lock(&t->lock);
	while (!t->ending) {
		int failed;

		if (!t->busy) {
			pthread_cond_wait(&t->changed, &t->lock);
			continue;
		}
		pthread_mutex_unlock(&t->lock);
		t->write_at = now();
		failed = write_all(t, t->going.text, t->going.len);
		pthread_mutex_lock(&t->lock);
		t->failed = failed;
		t->busy = false;
		pthread_cond_broadcast(&t->changed);
		eventfd_write(t->sent, 1);
	}
	pthread_mutex_unlock(&t->lock);
	return NULL;
}

/* SIGURG does nothing but end a write() that blocks. */
static void on_prod(int sig)
{
	(void)sig;
}

static enum status prepare_writer(struct tty *t, struct error *e)
{
	struct sigaction prod = {.sa_handler = on_prod};
	pthread_condattr_t attributes;

	t->sent = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (t->sent < 0)
		return error_errno(e, STATUS_IO, errno, "no eventfd");
	pthread_mutex_init(&t->lock, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&t->changed, &attributes);
	pthread_condattr_destroy(&attributes);
	sigemptyset(&prod.sa_mask);
	sigaction(SIGURG, &prod, NULL);
	return STATUS_OK;
}

/* False: no thread to be had; the caller writes by itself then. */
static bool start_writer(struct tty *t)
{
	if (t->has_writer)
		return true;
	t->ending = false;
	t->has_writer = thread_start(&t->writer, write_frames, t) == 0;
	return t->has_writer;
}

static void wait_for_writer(struct tty *t, int ms)
{
	int64_t at = now() + (int64_t)ms * 1000000;
	struct timespec until = {.tv_sec = at / 1000000000, .tv_nsec = at % 1000000000};

	while (t->busy && pthread_cond_timedwait(&t->changed, &t->lock, &until) != ETIMEDOUT)
		continue;
}

/*
 * Until the frame on its way is out. When the link takes nothing the rest of it is given up,
 * with what the system holds of it: whoever waits here is about to leave the screen anyway.
 * False: a frame was cut, maybe inside an escape sequence.
 */
static bool drain_writer(struct tty *t)
{
	bool stuck;

	if (!t->has_writer)
		return true;
	pthread_mutex_lock(&t->lock);
	wait_for_writer(t, PATIENCE_MS);
	stuck = t->busy;
	atomic_store(&t->give_up, stuck);
	while (t->busy) {
		pthread_kill(t->writer, SIGURG);
		wait_for_writer(t, PROD_MS);
	}
	atomic_store(&t->give_up, false);
	pthread_mutex_unlock(&t->lock);
	if (stuck)
		tcflush(t->out, TCOFLUSH);
	return !stuck;
}

static void stop_writer(struct tty *t)
{
	drain_writer(t);
	if (!t->has_writer)
		return;
	pthread_mutex_lock(&t->lock);
	t->ending = true;
	pthread_cond_broadcast(&t->changed);
	pthread_mutex_unlock(&t->lock);
	pthread_join(t->writer, NULL);
	t->has_writer = false;
}

static enum status open_keys(struct tty *t, const char *keys, struct error *e)
{
	if (!keys && isatty(t->in))
		return STATUS_OK;
	if (!keys)
		keys = "/dev/tty";
	t->in = open(keys, O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (t->in < 0)
		return error_errno(e, STATUS_IO, errno,
				   "%s: no terminal to read keys from (standard input is none)",
				   keys);
	t->own_in = true;
	return STATUS_OK;
}

enum status tty_open(struct tty *t, const char *keys, struct error *e)
{
	enum status status;

	*t = (struct tty){.in = STDIN_FILENO,
			  .out = STDOUT_FILENO,
			  .saved_stderr = -1,
			  .captured = -1,
			  .sent = -1};
	if (!isatty(t->out))
		return error_set(e, STATUS_USAGE, "standard output is not a terminal");
	status = open_keys(t, keys, e);
	return status == STATUS_OK ? prepare_writer(t, e) : status;
}

void tty_close(struct tty *t)
{
	stop_writer(t);
	tty_cooked(t);
	tty_release_stderr(t);
	if (t->own_in)
		close(t->in);
	if (t->sent >= 0) {
		close(t->sent);
		pthread_cond_destroy(&t->changed);
		pthread_mutex_destroy(&t->lock);
	}
	t->own_in = false;
	t->sent = -1;
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

static enum status gone(int failed, struct error *e)
{
	return failed ? error_errno(e, STATUS_IO, failed, "the terminal is gone") : STATUS_OK;
}

enum status tty_write(struct tty *t, const char *bytes, size_t len, struct error *e)
{
	static const char cancel[] = "\030"; /* CAN ends an unfinished sequence */
	int failed = 0;

	if (!drain_writer(t))
		failed = write_all(t, cancel, strlen(cancel));
	if (!failed)
		failed = write_all(t, bytes, len);
	return gone(failed, e);
}

void tty_send(struct tty *t, struct sbuf *frame)
{
	struct sbuf ours = *frame;
	bool threaded = start_writer(t);

	pthread_mutex_lock(&t->lock);
	*frame = t->going;
	t->going = ours;
	t->busy = threaded;
	pthread_cond_broadcast(&t->changed);
	pthread_mutex_unlock(&t->lock);
	sbuf_clear(frame);
	if (threaded)
		return;
	t->write_at = now();
	t->failed = write_all(t, t->going.text, t->going.len);
	eventfd_write(t->sent, 1);
}

enum status tty_sent(struct tty *t, struct error *e)
{
	eventfd_t count;
	int failed;

	eventfd_read(t->sent, &count);
	pthread_mutex_lock(&t->lock);
	failed = t->failed;
	pthread_mutex_unlock(&t->lock);
	return gone(failed, e);
}

bool tty_busy(struct tty *t)
{
	bool busy;

	pthread_mutex_lock(&t->lock);
	busy = t->busy;
	pthread_mutex_unlock(&t->lock);
	return busy;
}

bool tty_behind(struct tty *t, int most)
{
	int queued = 0;

	return tty_busy(t) || (ioctl(t->out, TIOCOUTQ, &queued) == 0 && queued > most);
}
