/*
 * Every script of tests/pty/scripts (or those named on the command line), each a test of its
 * own with the environment it was given: the real program in a pseudo-terminal.
 */
#include "config.h"

#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "ptyscript.h"

static void run_script(void **state)
{
	assert_true(ptyscript_run(*state));
}

static char scratch[] = "/tmp/pipeglass-pty-XXXXXX";

static void remove_scratch(void)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -rf '%s'", scratch);
	if (system(command) != 0)
		perror(scratch);
}

int main(int argc, char **argv)
{
	const char *srcdir = getenv("srcdir");
	struct CMUnitTest *tests;
	char pattern[4096];
	glob_t found = {0};
	int failed;

	ptyscript_prepare();
	if (mkdtemp(scratch))
		setenv("SCRATCH", scratch, 1);
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
