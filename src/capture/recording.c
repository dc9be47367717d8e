#include "config.h"

#include "capture/capture.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/intern.h"
#include "base/text.h"

enum {
	READ_BYTES = 1 << 16,
	WRITE_BYTES = 1 << 16, /* and more gather before they are written */
	PIPE_BYTES = 1 << 20,
	FD_FROM = 100,         /* of the pipe in the program, out of the way of its own */
	GATHER_NS = 2000000,   /* who writes small pieces need not wake us for each */
	PROGRAM_MOST = 1 << 30 /* bytes of one */
};

/* ---- which program ---- */

/* The runtime asks its environment for this: the text is also in a stripped program. */
static const char asked[] = "PGMEM_FD";

static enum status check(const char *path, struct error *e)
{
	struct sbuf bytes = {0};
	enum status status = STATUS_OK;

	if (access(path, X_OK) != 0)
		status = error_errno(e, STATUS_INPUT, errno, "cannot run %s", path);
	else if (!sbuf_read(&bytes, path, PROGRAM_MOST))
		status = error_set(e, STATUS_INPUT, "%s: no program that can be read", path);
	else if (!memmem(sbuf_text(&bytes), bytes.len, asked, sizeof(asked)))
		status = error_set(e, STATUS_INPUT,
				   "%s: not built to be recorded; build it with `pipeglass cc` or "
				   "`pipeglass c++` in place of the compiler",
				   path);
	sbuf_free(&bytes);
	return status;
}

enum status recording_find(const char *command, struct sbuf *path, struct error *e)
{
	const char *p = strchr(command, '/') ? NULL : getenv("PATH");

	sbuf_puts(path, command);
	while (p && *p) {
		const size_t len = strcspn(p, ":");

		sbuf_clear(path);
		sbuf_add(path, p, len);
		sbuf_printf(path, "%s%s", len ? "/" : "./", command);
		if (access(sbuf_text(path), X_OK) == 0)
			break;
		p += len + (p[len] == ':');
	}
	return !p || *p
		   ? check(sbuf_text(path), e)
		   : error_set(e, STATUS_INPUT, "%s: no such program; one that lies here is ./%s",
			       command, command);
}

/* ---- the trace ---- */

struct files {
	const char *trace_name;
	struct sbuf files_name;
	int trace, files; /* files -1: a device has no table, and stays when it has taken nothing */
	size_t files_told; /* lines of the table */
	off_t whole;       /* bytes of the trace that are whole lines */
};

/* What was recorded before is not lost. */
static void keep_old(const char *path, const char *behind)
{
	struct sbuf from = {0}, to = {0};

	sbuf_printf(&from, "%s%s", path, behind);
	sbuf_printf(&to, "%s.old%s", path, behind);
	if (!from.failed && !to.failed)
		(void)rename(from.text, to.text);
	sbuf_free(&from);
	sbuf_free(&to);
}

/* An empty trace, having kept what is there; -1: it cannot be written. */
static int make_trace(const char *trace, struct error *e)
{
	struct stat st;
	int fd;

	if (lstat(trace, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0) {
		keep_old(trace, ".files");
		keep_old(trace, "");
	}
	fd = open(trace, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY, 0666);
	if (fd < 0)
		error_errno(e, STATUS_IO, errno, "%s", trace);
	return fd;
}

enum status recording_prepare(const char *trace, struct error *e)
{
	const int fd = make_trace(trace, e);

	return fd >= 0 && close(fd) == 0 ? STATUS_OK : STATUS_IO;
}

static enum status open_files(struct files *f, const char *trace, struct error *e)
{
	struct stat st;

	*f = (struct files){.trace_name = trace, .trace = make_trace(trace, e), .files = -1};
	sbuf_printf(&f->files_name, "%s.files", trace);
	if (f->trace < 0)
		return STATUS_IO;
	if (fstat(f->trace, &st) != 0 || !S_ISREG(st.st_mode))
		return STATUS_OK;
	f->files = open(sbuf_text(&f->files_name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (f->files < 0)
		return error_errno(e, STATUS_IO, errno, "%s", sbuf_text(&f->files_name));
	return STATUS_OK;
}

/* Returns how much was written, less than len: errno says why. */
static size_t write_all(int fd, const char *p, size_t len)
{
	size_t done = 0;
	ssize_t n = 0;

	while (done < len && (n >= 0 || errno == EINTR)) {
		n = write(fd, p + done, len - done);
		done += n > 0 ? (size_t)n : 0;
	}
	return done;
}

static bool write_table(struct files *f, const struct intern *files)
{
	struct sbuf lines = {0};
	bool ok;

	for (; files && f->files_told < intern_count(files); f->files_told++) {
		sbuf_printf(&lines, "%zu ", f->files_told + 1);
		text_sanitise(&lines, intern_name(files, (int32_t)f->files_told),
			      intern_length(files, (int32_t)f->files_told));
		sbuf_putc(&lines, '\n');
	}
	ok = f->files < 0 || write_all(f->files, sbuf_text(&lines), lines.len) == lines.len;
	sbuf_free(&lines);
	return ok;
}

/*
 * The table first: whoever reads a line of the trace finds its file. What is behind the last line
 * that is whole goes.
 */
static enum status write_text(struct files *f, const struct recording *r, struct error *e)
{
	struct sbuf *text = capture_text(r->capture);
	enum status status = STATUS_OK;
	size_t done;

	if (!write_table(f, capture_files(r->capture)))
		return error_errno(e, STATUS_IO, errno, "%s", sbuf_text(&f->files_name));
	done = write_all(f->trace, sbuf_text(text), text->len);
	if (done < text->len) {
		const bool some = f->files >= 0 && f->whole + (off_t)done > 0;

		status = error_errno(e, STATUS_IO, errno, "%s%s; the program was ended",
				     f->trace_name, some ? " has what was recorded up to here" : "");
		while (done && text->text[done - 1] != '\n')
			done--;
		(void)!ftruncate(f->trace, f->whole + (off_t)done);
	}
	f->whole += (off_t)done;
	sbuf_clear(text);
	return status;
}

/* Closing may tell of a full disk, too. An empty trace is none. */
static enum status close_files(struct files *f, enum status status, struct error *e)
{
	if (f->trace >= 0 && close(f->trace) != 0 && !status)
		status = error_errno(e, STATUS_IO, errno, "%s", f->trace_name);
	if (f->files >= 0 && close(f->files) == 0 && !f->whole && status) {
		unlink(f->trace_name);
		unlink(sbuf_text(&f->files_name));
	}
	sbuf_free(&f->files_name);
	return status;
}

/* ---- the program ---- */

static volatile pid_t program_pid;
static volatile sig_atomic_t signalled;

static void send_on(int sig, siginfo_t *info, void *context)
{
	(void)context;
	signalled = 1;
	if (info->si_code <= 0 && program_pid > 0) /* not the terminal's: a process sent it */
		kill(program_pid, sig);
}

static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
enum { ENDS = sizeof(ends) / sizeof(ends[0]) };

/* Until they are let go; what is ignored stays so. */
static void catch_signals(bool caught)
{
	struct sigaction action = {.sa_sigaction = send_on, .sa_flags = SA_SIGINFO | SA_RESTART};
	static struct sigaction before[ENDS];

	for (size_t i = 0; i < ENDS; i++) {
		if (caught)
			sigaction(ends[i], &action, &before[i]);
		if (!caught || before[i].sa_handler == SIG_IGN)
			sigaction(ends[i], &before[i], NULL);
	}
}

/* Of what we start: as in the run before. False: the system does not let us. */
static bool fix_addresses(void)
{
	const int now = personality(0xffffffff);

	return now >= 0 && personality((unsigned long)now | ADDR_NO_RANDOMIZE) >= 0;
}

/* The rules are filled up with blanks: their length moves nothing. */
static void set_environment(const struct recording_options *o, int fd)
{
	char number[16], rules[RULES_MOST + 1];

	snprintf(number, sizeof(number), "%03d", fd);
	snprintf(rules, sizeof(rules), "%-*s", RULES_MOST, o->rules);
	setenv("PGMEM_FD", number, 1);
	setenv("PGMEM_MACHINE", o->machine, 1);
	setenv("PGMEM_RULES", rules, 1);
	setenv("OMP_WAIT_POLICY", "passive", 1); /* who waits makes no references */
	setenv("KMP_BLOCKTIME", "0", 1);
}

/* *records: where they come from. */
static enum status start(const struct recording_options *o, int *records, struct error *e)
{
	int data[2], own, errnum;
	pid_t pid;

	if (pipe2(data, O_CLOEXEC) < 0 || (own = fcntl(data[1], F_DUPFD, FD_FROM)) < 0)
		return error_errno(e, STATUS_IO, errno, "cannot make a pipe for the program");
	(void)fcntl(data[0], F_SETPIPE_SZ, PIPE_BYTES);
	set_environment(o, own);
	signal(SIGPIPE, SIG_DFL); /* we ignore these, but it does not */
	signal(SIGXFSZ, SIG_DFL);
	errnum = posix_spawn(&pid, o->path, NULL, NULL, o->argv, environ);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	close(own);
	close(data[1]);
	*records = data[0];
	if (errnum)
		return error_errno(e, STATUS_INPUT, errnum, "cannot run %s", o->path);
	program_pid = pid;
	return STATUS_OK;
}

static enum status take_records(struct recording *r, const struct recording_options *o,
				struct files *f, int records, struct error *e)
{
	static char bytes[READ_BYTES];
	enum status status = STATUS_OK;
	time_t told = time(NULL);
	ssize_t n;

	while (!status) {
		n = read(records, bytes, READ_BYTES);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		status = capture_feed(r->capture, bytes, (size_t)n, e);
		if (!status && capture_totals(r->capture)->state == CAPTURE_FOREIGN)
			status = error_set(e, STATUS_INPUT,
					   "%s: its runtime is not that of this pipeglass; build "
					   "it again with `pipeglass cc`",
					   o->path);
		if (!status && (capture_text(r->capture)->len >= WRITE_BYTES || n < READ_BYTES))
			status = write_text(f, r, e);
		if (!status && time(NULL) != told) {
			told = time(NULL);
			o->told(o->context, capture_totals(r->capture));
		}
		if (n < READ_BYTES)
			nanosleep(&(struct timespec){.tv_nsec = GATHER_NS}, NULL);
	}
	return status ? status : write_text(f, r, e);
}

void recording_put_end(const struct recording *r, struct sbuf *out)
{
	if (WIFSIGNALED(r->status))
		sbuf_printf(out, "ended by signal %d (%s)", WTERMSIG(r->status),
			    strsignal(WTERMSIG(r->status)));
	else
		sbuf_printf(out, "ended with status %d%s", WEXITSTATUS(r->status),
			    capture_totals(r->capture)->state == CAPTURE_RUNS
				? ": it called _exit() or became another one (exec)"
				: "");
}

static enum status nothing(const struct recording *r, const struct recording_options *o,
			   struct error *e)
{
	struct sbuf how = {0};

	recording_put_end(r, &how);
	error_set(e, STATUS_INPUT, "%s: %s before anything was recorded", o->path, sbuf_text(&how));
	sbuf_free(&how);
	return STATUS_INPUT;
}

enum status recording_run(struct recording *r, const struct recording_options *o, struct error *e)
{
	struct files files;
	enum status status;
	int records = -1;

	*r = (struct recording){.moves = !fix_addresses()};
	r->capture = capture_new(o->path);
	if (!r->capture)
		return error_set(e, STATUS_NOMEM, "out of memory");
	status = open_files(&files, o->trace, e);
	if (status)
		return close_files(&files, status, e);
	signalled = 0;
	catch_signals(true);
	status = start(o, &records, e);
	if (!status)
		status = take_records(r, o, &files, records, e);
	if (records >= 0)
		close(records);
	if (status && program_pid > 0) /* it is not to run on for nobody */
		kill(program_pid, SIGTERM);
	while (program_pid > 0 && waitpid(program_pid, &r->status, 0) < 0 && errno == EINTR)
		continue;
	program_pid = 0;
	catch_signals(false);
	r->whole = capture_totals(r->capture)->state == CAPTURE_ENDED && !signalled &&
		   !WIFSIGNALED(r->status);
	if (!status && capture_totals(r->capture)->state == CAPTURE_EMPTY)
		status = nothing(r, o, e);
	return close_files(&files, status, e);
}
