/*
 * Programs that libpgmem runs: that what they wait for keeps its promises, that two runs give the
 * same records, and how they end. They are built by pipeglass cc, and this is who records them.
 */
#include "config.h"

#include "simulator/simulator.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { GAVE_UP = 125, MESSAGE = 1200 };

static char folder[] = "/tmp/test_pgmem.XXXXXX";
static bool has_libgomp, has_libomp;

struct run {
	struct sim_record *records;
	size_t count;
	int status; /* of waitpid() */
};

static int build(const char *name, const char *compiler, const char *flags, const char *program)
{
	char command[4096];

	snprintf(command, sizeof command,
		 "PIPEGLASS_CC=%s '%s' cc -O1 %s -o %s/%s '%s/tests/unit/%s.c' >%s/err 2>&1", compiler,
		 getenv("PIPEGLASS"), flags, folder, program, getenv("srcdir"), name, folder);
	return system(command);
}

static int set_up(void **state)
{
	(void)state;
	setenv("OMP_WAIT_POLICY", "passive", 1);
	setenv("PGMEM_MACHINE", "thesis", 1);
	if (!mkdtemp(folder) || build("pgmem_program", "gcc", "-pthread", "program"))
		return -1;
	has_libgomp = !build("pgmem_openmp", "gcc", "-fopenmp", "libgomp");
	has_libomp = !build("pgmem_openmp", "clang", "-fopenmp", "libomp");
	return 0;
}

static int tear_down(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof command, "rm -rf %s", folder);
	return system(command);
}

static void become(const char *program, const char *mode, int fd)
{
	char path[256], number[16];

	snprintf(path, sizeof path, "%s/%s", folder, program);
	snprintf(number, sizeof number, "%d", fd);
	setenv("PGMEM_FD", number, 1);
	personality(ADDR_NO_RANDOMIZE);
	execl(path, path, mode, (char *)NULL);
	_exit(99);
}

static struct run record(const char *program, const char *mode)
{
	struct run r = {0};
	size_t bytes = 0, room = 0;
	ssize_t n;
	int fds[2];
	pid_t pid;

	assert_int_equal(pipe(fds), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		close(fds[0]);
		become(program, mode, fds[1]);
	}
	close(fds[1]);
	do {
		if (room - bytes < 1 << 16) {
			room = 2 * room + (1 << 16);
			r.records = realloc(r.records, room);
			assert_non_null(r.records);
		}
		n = read(fds[0], (char *)r.records + bytes, room - bytes);
		bytes += n > 0 ? (size_t)n : 0;
	} while (n > 0);
	close(fds[0]);
	assert_int_equal(waitpid(pid, &r.status, 0), pid);
	assert_int_equal(bytes % sizeof *r.records, 0);
	r.count = bytes / sizeof *r.records;
	assert_true(r.count >= 3);
	assert_int_equal(r.records[0].type, SIM_BEGIN);
	assert_int_equal(r.records[1].type, SIM_CACHES);
	return r;
}

static void assert_same(const struct run *a, const struct run *b)
{
	assert_int_equal(a->count, b->count);
	assert_memory_equal(a->records, b->records, a->count * sizeof *a->records);
}

static const struct sim_record *last(const struct run *r)
{
	return &r->records[r->count - 1];
}

/* ---- programs that end ---- */

static void check_twice(const char *program, const char *mode)
{
	struct run a = record(program, mode), b = record(program, mode);

	if (!WIFEXITED(a.status) || WEXITSTATUS(a.status))
		fail_msg("%s %s: status %#x", program, mode, (unsigned)a.status);
	assert_int_equal(last(&a)->type, SIM_END);
	assert_same(&a, &b);
	free(a.records);
	free(b.records);
}

static void test_modes(void **state)
{
	static const char *const modes[] = {"mutex",  "recursive", "spin",    "semaphore", "mtx",
					    "rwlock", "cond",      "barrier", "once",      "yield",
					    "leave",  "times",     "pipe",    "detached",  "last",
					    "many",   "memory",    "atomics", "cancelled", "c11"};

	(void)state;
	for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
		check_twice("program", modes[i]);
}

static void check_openmp(bool there, const char *program)
{
	if (!there)
		skip();
	check_twice(program, "4");
	check_twice(program, "9");
}

static void test_libgomp(void **state)
{
	(void)state;
	check_openmp(has_libgomp, "libgomp");
}

static void test_libomp(void **state)
{
	(void)state;
	setenv("KMP_BLOCKTIME", "0", 1);
	check_openmp(has_libomp, "libomp");
}

/* ---- programs that cannot ---- */

static const char *message(const struct run *r)
{
	assert_int_equal(last(r)->type, SIM_GAVE_UP);
	for (size_t i = 0; i < r->count; i++)
		if (r->records[i].type == SIM_TEXT && r->records[i].text == last(r)->text)
			return (const char *)&r->records[i + 1];
	fail_msg("the message has no text");
	return "";
}

static void check_gives_up(const char *mode, const char *const says[])
{
	struct run r = record("program", mode);

	assert_true(WIFEXITED(r.status));
	assert_int_equal(WEXITSTATUS(r.status), GAVE_UP);
	for (; *says; says++)
		if (!strstr(message(&r), *says))
			fail_msg("%s: '%s' is not in: %s", mode, *says, message(&r));
	free(r.records);
}

static void test_gives_up(void **state)
{
	(void)state;
	check_gives_up("deadlock",
		       (const char *const[]){
			   "deadlock: thread 0 waits for end of thread 1 at 0x",
			   "; thread 1 waits for mutex 0x", " (thread 2 has it) at 0x",
			   "; thread 2 waits for mutex 0x", " (thread 1 has it) at 0x", NULL});
	check_gives_up("never",
		       (const char *const[]){"deadlock: thread 0 waits for condition 0x", NULL});
	check_gives_up("too-many",
		       (const char *const[]){"more than 256 threads at one time", NULL});
}

/* A thread that spins in its own registers does not keep the others from their turns. */
static void test_spinner(void **state)
{
	struct run r = record("program", "spinner");

	(void)state;
	assert_int_equal(r.status, 0);
	assert_int_equal(last(&r)->type, SIM_END);
	free(r.records);
}

/* ---- objects that are moved ---- */

static void test_moved(void **state)
{
	struct run r;
	const struct sim_record *object = NULL;
	size_t inside = 0;

	(void)state;
	setenv("PGMEM_RULES", "\npad 64 name counts\n\n", 1);
	r = record("program", "object");
	unsetenv("PGMEM_RULES");
	for (size_t i = 0; i < r.count; i++) {
		const struct sim_record *a = &r.records[i];

		if (a->type == SIM_OBJECT)
			object = a;
		if (a->type == SIM_WRITE && object)
			inside += a->address - object->address < object->other;
	}
	assert_non_null(object);
	assert_int_equal(object->address % 4096, ((uint64_t)object->time + 64) % 4096);
	assert_true((uint64_t)object->time != object->address);
	assert_true(inside > 0);
	free(r.records);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_modes),  cmocka_unit_test(test_libgomp),
	    cmocka_unit_test(test_libomp), cmocka_unit_test(test_gives_up),
	    cmocka_unit_test(test_spinner), cmocka_unit_test(test_moved),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
