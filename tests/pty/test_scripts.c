/*
 * Every script of tests/pty/scripts (or those named on the command line), each a test of its
 * own with the environment it was given: the real program in a pseudo-terminal.
 */
#include "config.h"

#include <glob.h>
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "ptyscript.h"

/* In a process of its own: scripts change the environment. */
static void run_script(void **state)
{
	const char *path = *state;
	int status;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		struct sbuf why = {0};
		bool right = ptyscript_run(path, &why);

		fputs(sbuf_text(&why), stderr);
		_exit(!right);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static char scratch[] = "/tmp/pipeglass-pty-XXXXXX";

static void remove_scratch(void)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -rf '%s'", scratch);
	if (system(command) != 0)
		perror(scratch);
}

static void set_paths(void)
{
	const char *srcdir = getenv("srcdir");
	char path[4096];

	snprintf(path, sizeof(path), "%s/samples/sort-4wide.trc.gz", srcdir ? srcdir : ".");
	setenv("DEMO", path, 1);
	snprintf(path, sizeof(path), "%s/tests/pty/scripts", srcdir ? srcdir : ".");
	setenv("SCRIPTS", path, 1);
	if (mkdtemp(scratch))
		setenv("SCRATCH", scratch, 1);
	/* what the terminal of whoever runs the tests says is not what ours is */
	unsetenv("COLORTERM");
	unsetenv("NO_COLOR");
	setenv("TERM", "xterm-256color", 1);
}

int main(int argc, char **argv)
{
	const char *srcdir = getenv("srcdir");
	struct CMUnitTest *tests;
	char pattern[4096];
	glob_t found = {0};
	int failed;

	setlocale(LC_CTYPE, "");
	set_paths();
	snprintf(pattern, sizeof(pattern), "%s/tests/pty/scripts/*.pty", srcdir ? srcdir : ".");
	if (argc < 2)
		glob(pattern, 0, NULL, &found);
	else
		found = (glob_t){.gl_pathc = (size_t)argc - 1, .gl_pathv = argv + 1};
	tests = calloc(found.gl_pathc + 1, sizeof(*tests));
	for (size_t i = 0; i < found.gl_pathc; i++) {
		const char *name = strrchr(found.gl_pathv[i], '/');

		tests[i].name = name ? name + 1 : found.gl_pathv[i];
		tests[i].test_func = run_script;
		tests[i].initial_state = found.gl_pathv[i];
	}
	failed = found.gl_pathc
		     ? _cmocka_run_group_tests("scripts", tests, found.gl_pathc, NULL, NULL)
		     : 1;
	free(tests);
	remove_scratch();
	if (argc < 2)
		globfree(&found);
	return failed;
}
