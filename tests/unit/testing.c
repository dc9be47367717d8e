#include "config.h"

#include <string.h>

#include "testing.h"

enum { TESTS_MOST = 200 };

static struct CMUnitTest tests[TESTS_MOST];
static size_t added;
static CMFixtureFunction first, last;

void testing_add(const char *name, CMUnitTestFunction test)
{
	if (added < TESTS_MOST)
		tests[added] = (struct CMUnitTest){.name = name, .test_func = test};
	added++;
}

void testing_around(CMFixtureFunction before, CMFixtureFunction after)
{
	first = before;
	last = after;
}

int main(int argc, char **argv)
{
	if (added > TESTS_MOST)
		return 99;
	if (argc > 1)
		cmocka_set_test_filter(argv[1]);
	return _cmocka_run_group_tests(basename(argv[0]), tests, added, first, last);
}
