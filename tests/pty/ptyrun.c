#include "config.h"

#include "ptyrun.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ASK_MS = 20, FDS_MOST = 64 };

/* ---- the shell: its own process, talks to us in lines ---- */

static _Noreturn void become_program(int tty, const char *input, char *const argv[])
{
	setpgid(0, 0);
	tcsetpgrp(tty, getpid());
	for (int i = 0; i < 3; i++)
		dup2(tty, i);
	if (input) {
		int fd = open(input, O_RDONLY);

		dup2(fd, STDIN_FILENO);
		close(fd);
	}
	close(tty);
	signal(SIGTTOU, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
	execv(argv[0], argv);
	_exit(127);
}

static void tell(int control, const char *what, int number)
{
	dprintf(control, "%s %d\n", what, number);
}

static _Noreturn void become_shell(const char *device, int control, const char *input,
				   char *const argv[])
{
	int tty, status;
	pid_t program;
	char command;

	setsid();
	tty = open(device, O_RDWR);
	if (tty < 0 || ioctl(tty, TIOCSCTTY, 0) < 0)
		_exit(126);
	signal(SIGTTOU, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	program = fork();
	if (program == 0)
		become_program(tty, input, argv);
	setpgid(program, program);
	tcsetpgrp(tty, program);
	tell(control, "program", program);
	while (waitpid(program, &status, WUNTRACED) == program) {
		tcsetpgrp(tty, getpid());
		tell(control, WIFSTOPPED(status) ? "stopped" : "ended", status);
		if (read(control, &command, 1) != 1 || !WIFSTOPPED(status))
			break;
		tcsetpgrp(tty, program);
		kill(-program, SIGCONT);
		tell(control, "continued", 0);
	}
	_exit(0);
}

/* ---- our side ---- */

static bool open_terminal(struct ptyrun *p, int w, int h)
{
	struct winsize size = {.ws_col = (unsigned short)w, .ws_row = (unsigned short)h};

	p->master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	return p->master >= 0 && grantpt(p->master) == 0 && unlockpt(p->master) == 0 &&
	       ioctl(p->master, TIOCSWINSZ, &size) == 0 && tcgetattr(p->master, &p->before) == 0;
}

/* FIFOs that the script holds open are not the shell's. */
static void close_others(int control, int log)
{
	for (int fd = STDERR_FILENO + 1; fd < FDS_MOST; fd++)
		if (fd != control && fd != log)
			close(fd);
}

bool ptyrun_start(struct ptyrun *p, int w, int h, const char *input, char *const argv[])
{
	int control[2], log[2];
	char path[64], device[128];

	memset(p, 0, sizeof(*p));
	emulator_init(&p->emulator, w, h);
	if (!open_terminal(p, w, h) || ptsname_r(p->master, device, sizeof(device)) != 0 ||
	    socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, control) < 0 || pipe(log) < 0)
		return false;
	fcntl(log[0], F_SETFD, FD_CLOEXEC);
	snprintf(path, sizeof(path), "/dev/fd/%d", log[1]);
	setenv("PIPEGLASS_FRAME_LOG", path, 1);
	fflush(NULL);
	p->shell = fork();
	if (p->shell == 0) {
		close(p->master);
		close(control[0]);
		close(log[0]);
		close_others(control[1], log[1]);
		become_shell(device, control[1], input, argv);
	}
	close(control[1]);
	close(log[1]);
	p->control = control[0];
	p->log = log[0];
	return p->shell > 0;
}

void ptyrun_end(struct ptyrun *p)
{
	if (p->program > 0 && p->state != PTY_ENDED)
		kill(p->program, SIGKILL);
	close(p->control);
	close(p->log);
	if (p->master >= 0)
		close(p->master);
	if (p->shell > 0)
		waitpid(p->shell, NULL, 0);
	emulator_free(&p->emulator);
	sbuf_free(&p->log_text);
	sbuf_free(&p->control_text);
}

static void write_all(int fd, const char *bytes, size_t len)
{
	while (len > 0) {
		ssize_t n = write(fd, bytes, len);

		if (n < 0 && errno != EINTR)
			return;
		bytes += n > 0 ? n : 0;
		len -= n > 0 ? (size_t)n : 0;
	}
}

void ptyrun_send(struct ptyrun *p, const char *bytes, size_t len)
{
	p->sent += len;
	write_all(p->master, bytes, len);
}

void ptyrun_resize(struct ptyrun *p, int w, int h)
{
	struct winsize size = {.ws_col = (unsigned short)w, .ws_row = (unsigned short)h};

	emulator_resize(&p->emulator, w, h);
	ioctl(p->master, TIOCSWINSZ, &size);
}

void ptyrun_signal(struct ptyrun *p, int signal_number)
{
	kill(p->program, signal_number);
}

void ptyrun_hang_up(struct ptyrun *p)
{
	close(p->master);
	p->master = -1;
}

void ptyrun_continue(struct ptyrun *p)
{
	write_all(p->control, "f", 1);
}

void ptyrun_count(struct ptyrun *p)
{
	p->frames = p->frame_bytes = p->writes = p->dropped = 0;
}

static void on_log_line(struct ptyrun *p, const char *line)
{
	int64_t at, key;
	uint64_t bytes, writes;
	int dropped;

	if (sscanf(line, "idle %" SCNd64 " %" SCNu64 " %" SCNu64, &at, &p->idle_read,
		   &p->idle_written) == 3) {
		p->idles++;
	} else if (sscanf(line, "frame %" SCNd64 " %" SCNd64 " %" SCNu64 " %" SCNu64 " %d", &at,
			  &key, &bytes, &writes, &dropped) == 5) {
		p->frames += !dropped;
		p->dropped += dropped != 0;
		p->frame_bytes += bytes;
		p->writes += writes;
	}
}

static void on_control_line(struct ptyrun *p, const char *line)
{
	static const struct {
		const char *word;
		enum pty_state state;
	} states[] = {{"stopped", PTY_STOPPED}, {"ended", PTY_ENDED}, {"continued", PTY_RUNNING}};
	char word[16];
	int number;

	if (sscanf(line, "%15s %d", word, &number) != 2)
		return;
	if (strcmp(word, "program") == 0)
		p->program = number;
	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++)
		if (strcmp(states[i].word, word) == 0) {
			p->state = states[i].state;
			p->status = number;
		}
}

/* Read what is there and hand over each whole line. */
static void read_lines(int fd, struct ptyrun *p, struct sbuf *text,
		       void (*on_line)(struct ptyrun *p, const char *line))
{
	char bytes[4096], *newline;
	ssize_t n = read(fd, bytes, sizeof(bytes));

	if (n > 0)
		sbuf_add(text, bytes, (size_t)n);
	while (text->len && (newline = memchr(text->text, '\n', text->len))) {
		size_t used = (size_t)(newline - text->text) + 1;

		*newline = '\0';
		on_line(p, text->text);
		memmove(text->text, text->text + used, text->len - used + 1);
		text->len -= used;
	}
}

static void read_terminal(struct ptyrun *p)
{
	char bytes[16384];
	ssize_t n = read(p->master, bytes, sizeof(bytes));

	if (n <= 0)
		return;
	p->received += (uint64_t)n;
	emulator_feed(&p->emulator, bytes, (size_t)n);
	if (p->emulator.answers.len)
		ptyrun_send(p, p->emulator.answers.text, p->emulator.answers.len);
	sbuf_clear(&p->emulator.answers);
}

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static bool wait_for(struct ptyrun *p, bool (*done)(struct ptyrun *p, void *data), void *data,
		     int64_t slice)
{
	int64_t deadline = now_ms() + PTY_DEADLINE_MS, left;

	while (!done(p, data)) {
		struct pollfd f[3] = {{.fd = p->control, .events = POLLIN},
				      {.fd = p->log, .events = POLLIN},
				      {.fd = p->deaf ? -1 : p->master, .events = POLLIN}};

		left = deadline - now_ms();
		if (left <= 0 ||
		    (poll(f, 3, (int)(left < slice ? left : slice)) < 0 && errno != EINTR))
			return false;
		/* the terminal first: what is told was written before */
		if (f[2].revents & POLLIN)
			read_terminal(p);
		if (f[1].revents & POLLIN)
			read_lines(p->log, p, &p->log_text, on_log_line);
		if (f[0].revents & POLLIN)
			read_lines(p->control, p, &p->control_text, on_control_line);
		if (p->state == PTY_ENDED && !(f[2].revents & POLLIN) && !done(p, data))
			return false;
	}
	return true;
}

bool ptyrun_wait(struct ptyrun *p, bool (*done)(struct ptyrun *p, void *data), void *data)
{
	return wait_for(p, done, data, PTY_DEADLINE_MS);
}

bool ptyrun_wait_asking(struct ptyrun *p, bool (*done)(struct ptyrun *p, void *data), void *data)
{
	return wait_for(p, done, data, ASK_MS);
}

static bool rests(struct ptyrun *p, void *data)
{
	(void)data;
	return p->idles > 0 && p->idle_read == p->sent && p->received >= p->idle_written;
}

bool ptyrun_idle(struct ptyrun *p)
{
	return ptyrun_wait(p, rests, NULL);
}

static bool rested_since(struct ptyrun *p, void *data)
{
	return p->idles > *(uint64_t *)data && p->received >= p->idle_written;
}

bool ptyrun_recount(struct ptyrun *p)
{
	uint64_t idles = p->idles;
	bool rested = ptyrun_wait(p, rested_since, &idles);

	p->sent = p->idle_read;
	return rested;
}

static bool same_modes(const struct termios *a, const struct termios *b)
{
	return a->c_iflag == b->c_iflag && a->c_oflag == b->c_oflag && a->c_cflag == b->c_cflag &&
	       a->c_lflag == b->c_lflag && memcmp(a->c_cc, b->c_cc, sizeof(a->c_cc)) == 0;
}

const char *ptyrun_unrestored(const struct ptyrun *p)
{
	struct termios now;
	struct cell cell;
	struct ptyrun *mine = (struct ptyrun *)(uintptr_t)p;

	if (tcgetattr(p->master, &now) < 0)
		return "the terminal";
	if (!same_modes(&now, &p->before))
		return "the modes of the terminal";
	if (p->emulator.alternate)
		return "the alternate screen is still shown";
	if (!p->emulator.cursor_visible)
		return "the cursor is hidden";
	if (p->emulator.mouse)
		return "the mouse is still reported";
	emulator_feed(&mine->emulator, "\r\nx\b", 4);
	cell = emulator_cell(&p->emulator, 0, p->emulator.h - 1);
	for (int y = 0; y < p->emulator.h && cell.cp != 'x'; y++)
		cell = emulator_cell(&p->emulator, 0, y);
	if (cell.style.fg != -1 || cell.style.bg != -1 || cell.style.attrs)
		return "colours or attributes";
	return NULL;
}
