#include "config.h"

#include "term/session.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "term/signals.h"

enum { CLIPBOARD_BYTES = 74994 }; /* what xterm takes; others take more */

/* Stop ourselves with the default action of SIGTSTP, and be there again after SIGCONT. */
static void stop(bool everybody)
{
	struct sigaction ours, otherwise = {.sa_handler = SIG_DFL};
	sigset_t one;

	sigemptyset(&otherwise.sa_mask);
	sigemptyset(&one);
	sigaddset(&one, SIGTSTP);
	sigaction(SIGTSTP, &otherwise, &ours);
	pthread_sigmask(SIG_UNBLOCK, &one, NULL);
	/* from outside the others of the job have the signal already, or were not meant */
	if (everybody)
		kill(0, SIGTSTP);
	else
		raise(SIGTSTP);
	sigaction(SIGTSTP, &ours, NULL);
	signals_drop(WANT_REPAINT); /* the frame that follows is a whole one */
}

enum status session_suspend(struct session *s, bool everybody, struct error *e)
{
	enum status status = session_release(s, e);

	if (status != STATUS_OK)
		return status;
	app_suspended(s->app, true);
	stop(everybody);
	app_suspended(s->app, false);
	return session_take(s, e);
}

static _Noreturn void become_shell(const struct session *s, const char *command)
{
	signal(SIGPIPE, SIG_DFL);
	if (!isatty(STDIN_FILENO))
		dup2(s->tty.in, STDIN_FILENO);
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
}

/* As system() does: ^C and ^\ are the command's; ^Z stops it and us together. */
static int wait_for(pid_t pid)
{
	struct sigaction before[3], action = {.sa_handler = SIG_IGN};
	static const int signals[3] = {SIGINT, SIGQUIT, SIGTSTP};
	int result = -1;

	sigemptyset(&action.sa_mask);
	for (int i = 0; i < 3; i++) {
		action.sa_handler = signals[i] == SIGTSTP ? SIG_DFL : SIG_IGN;
		sigaction(signals[i], &action, &before[i]);
	}
	while (waitpid(pid, &result, 0) < 0 && errno == EINTR)
		continue;
	for (int i = 0; i < 3; i++)
		sigaction(signals[i], &before[i], NULL);
	return WIFEXITED(result) ? WEXITSTATUS(result) : 128 + WTERMSIG(result);
}

static void await_enter(const struct session *s)
{
	char c = 0;

	while (c != '\n' && read(s->tty.in, &c, 1) == 1)
		continue;
}

enum status session_shell(struct session *s, const char *command, struct error *e)
{
	enum status status;
	pid_t pid;

	status = session_release(s, e);
	if (status != STATUS_OK)
		return status;
	pid = fork();
	if (pid == 0)
		become_shell(s, command);
	if (pid < 0) {
		app_message(s->app, true, "cannot start a process for the command: %s", strerror(errno));
	} else {
		int result = wait_for(pid);

		dprintf(s->tty.out, "\n[exit status %d; Enter goes back to pipeglass] ", result);
		await_enter(s);
	}
	return session_take(s, e);
}

static void add_base64(struct sbuf *out, const unsigned char *p, size_t len)
{
	static const char digits[] =
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < len; i += 3) {
		unsigned long three = (unsigned long)p[i] << 16;

		three |= i + 1 < len ? (unsigned long)p[i + 1] << 8 : 0;
		three |= i + 2 < len ? (unsigned long)p[i + 2] : 0;
		for (int k = 0; k < 4; k++)
			sbuf_putc(out,
				  i + (size_t)k > len ? '=' : digits[three >> (18 - 6 * k) & 63]);
	}
}

void session_clipboard(struct session *s, const char *text)
{
	size_t len = text ? strlen(text) : 0;

	if (!len)
		return;
	if (!s->terminal.modern) {
		app_message(s->app, true, "cannot reach the clipboard of this terminal");
		return;
	}
	if ((len + 2) / 3 * 4 > CLIPBOARD_BYTES) {
		app_message(s->app, true, "too much for the terminal's clipboard: %zu bytes", len);
		return;
	}
	sbuf_puts(&s->extra, "\033]52;c;");
	add_base64(&s->extra, (const unsigned char *)text, len);
	sbuf_putc(&s->extra, '\a');
}
