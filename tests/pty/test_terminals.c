/*
 * Terminals, one after the other: each starts, shows what the headless renderer shows as far as
 * it can, and is given back as it was; and none is sent a sequence that it may print.
 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "ptyscript.h"

/* The headless renderer's options tell what the terminal must have been taken for. */
static const struct terminal {
	const char *what, *term, *locale;
	const char *as;     /* options of `pipeglass screen`; NULL: the frame comes as lines */
	const char *checks; /* more of the script, before the program ends */
	bool modern;        /* it passes over marks it does not know; others may print them */
} terminals[] = {
    {"xterm", "xterm-256color", "C.UTF-8", "--color 256", "", true},
    {"xterm of eight colours", "xterm", "C.UTF-8", "--color 8", "", true},
    {"tmux", "tmux-256color", "C.UTF-8", "--color 256", "", true},
    {"screen", "screen", "C.UTF-8", "--color 8", "", true},
    {"screen of 256 colours", "screen-256color", "C.UTF-8", "--color 256", "", true},
    {"the Linux console", "linux", "C.UTF-8", "--color 8", "", false},
    {"vt100", "vt100", "C.UTF-8", "--color never", "no-colors\n", false},
    {"vt220", "vt220", "C.UTF-8", "--color never", "no-colors\n", false},
    {"an ANSI one that cannot hold a line break back", "ansi", "C.UTF-8", "--color 8", "", false},
    {"rxvt", "rxvt", "C.UTF-8", "--color 8", "", true},
    {"no UTF-8", "xterm-256color", "C", "--color 256 --ascii", "only-ascii\n", true},
    {"vt100 without UTF-8", "vt100", "C", "--color never --ascii", "no-colors\nonly-ascii\n",
     false},
    {"an unknown one", "nonsense", "C.UTF-8", "--color 256", "", true},
    {"no name at all", "", "C.UTF-8", "--color 256", "", true},
    {"a name that is a path", "../x/xterm", "C.UTF-8", "--color 256", "", true},
    {"dumb", "dumb", "C.UTF-8", NULL, "no-colors\n", false},
    {"dumb without UTF-8", "dumb", "C", NULL, "no-colors\nonly-ascii\n", false},
};

enum { TERMINALS = sizeof(terminals) / sizeof(terminals[0]) };

static void write_script(FILE *f, const struct terminal *t)
{
	fprintf(f,
		"size 110 30\nenv TERM \"%s\"\nenv LC_ALL %s\n"
		"run --config none --script $SCRIPTS/middle.commands $DEMO\nidle\n"
		"keys jj<PageDown>l\nidle\n%s\n",
		t->term, t->locale, t->modern ? "marks-match 1" : "no-marks");
	if (t->as)
		fprintf(f,
			"same-as %s --script $SCRIPTS/middle.commands -c \"move down 2\" "
			"-c \"page down\" -c \"pan right\" $DEMO\n"
			"keys <C-z>\nstops\nrestored\ncontinue\n"
			"same-as %s --script $SCRIPTS/middle.commands -c \"move down 2\" "
			"-c \"page down\" -c \"pan right\" $DEMO\n",
			t->as, t->as);
	else
		fprintf(f, "expect-row 0 pipetrace\nexpect-row 0 \"row 2 0\"\n");
	fprintf(f, "%skeys Q\nends 0\nrestored\n", t->checks);
}

static void draws_right_and_restores(void **state)
{
	const struct terminal *t = *state;
	const char *tmp = getenv("TMPDIR");
	char path[1024];
	bool right;
	int fd;
	FILE *f;

	snprintf(path, sizeof(path), "%s/pipeglass-terminal.XXXXXX", tmp ? tmp : "/tmp");
	fd = mkstemp(path);
	f = fd >= 0 ? fdopen(fd, "w") : NULL;
	assert_non_null(f);
	write_script(f, t);
	fclose(f);
	right = ptyscript_run(path);
	unlink(path);
	assert_true(right);
}

int main(void)
{
	struct CMUnitTest tests[TERMINALS];

	ptyscript_prepare();
	for (int i = 0; i < TERMINALS; i++)
		tests[i] = (struct CMUnitTest){.name = terminals[i].what,
					       .test_func = draws_right_and_restores,
					       .initial_state = (void *)(uintptr_t)&terminals[i]};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
