/*
 * src/source: pages that vanish. A program of its own, because cmocka installs a SIGBUS
 * handler for every test and src/source/sigbus.c installs its own but once.
 */
#include "config.h"

#include "source_data.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "source/sigbus.h"

enum { PAGES = 100, PAGE = 4096 };

static void vanished_pages_read_as_zero(void **state)
{
	(void)state;
	struct data text = data_text((size_t)PAGES * PAGE, 4);
	struct source *s = data_source(data_file("a", text.bytes, text.len));
	struct window w, windows[PAGES];
	struct error e;
	assert_int_equal(source_next(s, 0, text.len, &w, &e), STATUS_OK);
	assert_int_equal(w.len, text.len);
	/* more windows than one chunk of the registry holds */
	for (size_t i = 0; i < PAGES; i++)
		assert_int_equal(source_map(s, i * PAGE + 1, PAGE, &windows[i], &e), STATUS_OK);
	assert_int_equal(truncate(data_path("a"), 10 * PAGE), 0);
	assert_int_equal(source_faults(s), 0);
	assert_memory_equal(w.text, text.bytes, 10 * PAGE);
	for (size_t i = (size_t)10 * PAGE; i < w.len; i++)
		assert_int_equal(w.text[i], 0);
	assert_int_equal(source_faults(s), PAGES - 10);
	for (size_t i = PAGES; i-- > 0;) {
		if (i >= 10)
			assert_int_equal(windows[i].text[0], 0);
		else
			assert_int_equal(windows[i].text[0], text.bytes[i * PAGE + 1]);
		source_release(s, &windows[i]);
	}
	assert_int_equal(source_faults(s), 2 * (PAGES - 10));
	source_release(s, &w);
	assert_int_equal(source_check(s), SOURCE_TRUNCATED);
	assert_int_equal(source_map(s, 0, text.len, &w, &e), STATUS_OK);
	assert_int_equal(w.len, 10 * PAGE);
	source_release(s, &w);
	source_close(s);
	data_free(&text);
}

static void *volatile expected_address;

static void own_handler(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)context;
	_exit(info->si_addr == expected_address ? 42 : 43);
}

/* In a child: a SIGBUS that no window explains. */
static pid_t foreign_fault(bool own, bool sent, const char *path)
{
	pid_t pid = fork();
	if (pid)
		return pid;
	struct sigaction action = {.sa_sigaction = own_handler, .sa_flags = SA_SIGINFO};
	if (!own)
		action = (struct sigaction){.sa_handler = SIG_DFL};
	sigaction(SIGBUS, &action, NULL);
	_Atomic uint64_t faults = 0;
	static char watched[PAGE];
	sigbus_watch(watched, sizeof(watched), &faults);
	int fd = open(path, O_RDONLY);
	char *map = mmap(NULL, (size_t)2 * PAGE, PROT_READ, MAP_PRIVATE, fd, 0);
	expected_address = sent ? NULL : map + PAGE + 5;
	if (sent) {
		raise(SIGBUS);
		_exit(44);
	}
	_exit(((volatile char *)map)[PAGE + 5]);
}

static void foreign_faults_go_on(void **state)
{
	(void)state;
	const char *path = data_file("a", "short", 5);
	for (int own = 0; own < 2; own++) {
		for (int sent = 0; sent < 2; sent++) {
			int status = 0;
			pid_t pid = foreign_fault(own, sent, path);
			assert_true(pid > 0);
			assert_int_equal(waitpid(pid, &status, 0), pid);
			if (own && !sent)
				assert_int_equal(WEXITSTATUS(status), 42);
			else if (own)
				assert_true(WIFEXITED(status) && WEXITSTATUS(status) != 44);
			else
				assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS);
		}
	}
}

int main(void)
{
	/* in this order: the children of the first must not inherit an installed handler */
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(foreign_faults_go_on),
	    cmocka_unit_test(vanished_pages_read_as_zero),
	};
	return cmocka_run_group_tests(tests, data_make_dir, data_remove_dir);
}
