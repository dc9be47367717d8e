/* See libpgmem/pgmem.h: the records, and the pipe. */
#include "config.h"

#include "libpgmem/pgmem.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	GROUP = PIPE_BUF / sizeof(struct sim_record), /* that the pipe takes as one */
	NAME_MOST = 1000,                             /* bytes of a text */
	MESSAGE_MOST = 1200
};

/* The linker's name for the first byte of the program's file, which is loaded. */
extern const char __ehdr_start[] __attribute__((visibility("hidden")));

struct sim *pgmem_sim;
size_t pgmem_gathered;

static struct sim_record group[GROUP];
static int pipe_fd = -1;
static uint32_t last_id; /* of a text */

/* Who reads it is gone: so is the reason to run. The program may ignore SIGPIPE. */
void pgmem_write(void)
{
	const size_t bytes = pgmem_gathered * sizeof *group;

	for (size_t written = 0; written < bytes;) {
		long n = pgmem_syscall(SYS_write, pipe_fd, (const char *)group + written,
				       bytes - written);

		if (n > 0)
			written += (size_t)n;
		else if (errno != EINTR)
			pgmem_syscall(SYS_exit_group, PGMEM_STATUS);
	}
	pgmem_gathered = 0;
}

void pgmem_emit(const struct sim_record *r)
{
	if (pipe_fd < 0)
		return;
	if (pgmem_gathered == GROUP)
		pgmem_write();
	group[pgmem_gathered++] = *r;
}

static void emit(void *context, const struct sim_record *r)
{
	(void)context;
	pgmem_emit(r);
}

/* ---- texts ---- */

uint32_t pgmem_text(const char *text)
{
	size_t len = strnlen(text, NAME_MOST);

	pgmem_emit(&(struct sim_record){.type = SIM_TEXT, .text = ++last_id, .other = len});
	for (size_t done = 0; done < len; done += sizeof(struct sim_record)) {
		struct sim_record part = {0};

		memcpy(&part, text + done, len - done < sizeof part ? len - done : sizeof part);
		pgmem_emit(&part);
	}
	return last_id;
}

void pgmem_trace(int on)
{
	struct pgmem_thread *t = pgmem_enter();

	if (!t)
		return;
	sim_mute(pgmem_sim, !on);
	pgmem_leave(t);
}

/* ---- beginning and end ---- */

static void end_normally(void)
{
	pgmem_end(NULL);
}

void pgmem_say(bool *said, const char *text)
{
	char line[160];

	if (!*said)
		pgmem_syscall(SYS_write, STDERR_FILENO, line,
			      snprintf(line, sizeof line, "pgmem: %s\n", text));
	*said = true;
}

static void in_parent(void)
{
	static bool said;

	if (pipe_fd >= 0)
		pgmem_say(&said, "what fork() makes is not recorded; this process is");
}

static void in_child(void)
{
	pgmem_on = false;
	if (pipe_fd >= 0)
		close(pipe_fd);
	pipe_fd = -1;
}

bool pgmem_stream_open(int fd, const struct sim_machine *m)
{
	if (fcntl(fd, F_SETFD, FD_CLOEXEC) < 0) {
		fprintf(stderr, "pgmem: PGMEM_FD=%d is not open: the program runs unrecorded\n",
			fd);
		return false;
	}
	pgmem_sim = sim_new(m, emit, NULL);
	if (!pgmem_sim)
		pgmem_give_up("no memory for the caches");
	pipe_fd = fd;
	unsetenv("PGMEM_FD"); /* a program that this one starts is not recorded */
	atexit(end_normally); /* after the destructors of the program, which register later */
	pthread_atfork(NULL, in_parent, in_child);
	pgmem_emit(&(struct sim_record){.type = SIM_BEGIN,
					.time = SIM_RECORDS_VERSION,
					.other = (uint64_t)(uintptr_t)__ehdr_start});
	pgmem_emit(&(struct sim_record){.type = SIM_CACHES,
					.address = m->l1.block,
					.other = m->l2.block,
					.cpu = (uint16_t)m->cpus,
					.text = (m->cpus + m->cpus_per_l2 - 1) / m->cpus_per_l2});
	return true;
}

static void put_end(const char *message)
{
	const struct sim_totals *totals = sim_totals(pgmem_sim);

	if (message)
		pgmem_emit(&(struct sim_record){.type = SIM_GAVE_UP, .text = pgmem_text(message)});
	else
		pgmem_emit(&(struct sim_record){.type = SIM_END,
						.time = pgmem_last_cycle(),
						.other = totals->references,
						.address = totals->waited});
	pgmem_write();
}

void pgmem_end(const char *message)
{
	struct pgmem_thread *t = pgmem_enter();

	if (pipe_fd >= 0) {
		put_end(message);
		close(pipe_fd);
	}
	pipe_fd = -1;
	if (t)
		pgmem_leave(t);
}

void pgmem_give_up(const char *format, ...)
{
	char message[MESSAGE_MOST];
	va_list ap;

	va_start(ap, format);
	vsnprintf(message, sizeof message, format, ap);
	va_end(ap);
	if (pipe_fd < 0)
		fprintf(stderr, "pgmem: %s\n", message);
	pgmem_end(message);
	pgmem_syscall(SYS_exit_group, PGMEM_STATUS);
	abort();
}
