/*
 * A test is written in one place: TEST(name) { ... } makes it known to the main() of libtest.a,
 * which runs the tests of its program in the order of the file; or those that match its argument.
 *
 * FIXTURES(before, after) are what runs before the first test and after the last one. The headers
 * are those that cmocka asks for.
 *
 * ROUNDS(n) are how often a test throws its dice. Every build without sanitizers makes all of them;
 * slow code makes the first quarter, which goes through the same code.
 */
#ifndef TESTS_UNIT_TESTING_H
#define TESTS_UNIT_TESTING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#ifdef INSTRUMENTED
#define ROUNDS(n) (((n) + 3) / 4)
#else
#define ROUNDS(n) (n)
#endif

void testing_add(const char *name, CMUnitTestFunction test);
void testing_around(CMFixtureFunction before, CMFixtureFunction after);

#define TEST(name)                                                                                 \
	static void name(void **state);                                                            \
	__attribute__((constructor)) static void testing_add_##name(void)                          \
	{                                                                                          \
		testing_add(#name, name);                                                          \
	}                                                                                          \
	static void name(void **state __attribute__((unused)))

#define FIXTURES(before, after)                                                                    \
	__attribute__((constructor)) static void testing_fixtures(void)                            \
	{                                                                                          \
		testing_around(before, after);                                                     \
	}

#endif
