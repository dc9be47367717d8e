/* Searching all lines of a trace: search-text, n and N on what it found. */
#include "config.h"

#include "app/pipeline/rows.h"
#include "app_driver.h"

enum { ROWS = 100, ESCAPED = 80, LONG = 90, MUCH = 1500 };

static char kanata[64];

/*
 * Row i is born in cycle i and retires in i + 5. Rows that seven divides (0, 7, ... 98) have a
 * note, in their third cycle, and those that fourteen divides another line of it. Before row 50
 * there is a comment. Only rows below 60 have text, and the last ten, more than the index keeps.
 */
static int make_trace(void **state)
{
	FILE *f;

	if (setup(state))
		return -1;
	snprintf(kanata, sizeof(kanata), "%s/k.kanata", dir);
	f = fopen(kanata, "w");
	assert_non_null(f);
	fputs("Kanata\t0004\nC=\t0\n", f);
	for (int cycle = 0; cycle < ROWS + 8; cycle++) {
		int i = cycle;

		if (i == 50)
			fputs("# the second phase\n", f);
		if (i < ROWS)
			fprintf(f, "I\t%d\t%d\t%d\nS\t%d\t0\tF\n", i, 1000 + i, i % 2, i);
		if (i < 60)
			fprintf(f, "L\t%d\t0\t%x: add r%d\n", i, 0x1000 + 4 * i, i);
		if (i == ESCAPED)
			fprintf(f, "L\t%d\t0\t2000: mul x1,\\nx2 of two lines\\n\n", i);
		if (i >= LONG && i < ROWS)
			fprintf(f, "L\t%d\t0\t3000: div %0*d of %d\n", i, MUCH, 0, i);
		i = cycle - 2;
		if (i >= 0 && i < ROWS && i % 7 == 0)
			fprintf(f, "L\t%d\t1\tmissed the cache\n", i);
		if (i >= 0 && i < ROWS && i % 14 == 0)
			fprintf(f, "L\t%d\t2\tcache line of %d\n", i, i);
		i = cycle - 5;
		if (i >= 0 && i < ROWS)
			fprintf(f, "R\t%d\t%d\t0\n", i, i);
		fputs("C\t1\n", f);
	}
	assert_int_equal(fclose(f), 0);
	return 0;
}

static struct app *begin(void)
{
	return start_with("none", NULL, kanata);
}

/* A newline spelt as an escape is a blank, wherever the text of a row is told. */
TEST(escapes_are_blanks)
{
	struct app *a = begin();
	size_t len;
	const char *text;
	uint64_t pc;
	bool has_pc;
	struct row r;

	run(a, "search mul x1, x2 of two lines$");
	assert_true(store_row(rows_of(a->tab)->store, tab_place(a->tab).item, &r));
	assert_int_equal(tab_place(a->tab).item, ESCAPED);
	assert_true(store_code(rows_of(a->tab)->store, r.code, &pc, &has_pc, &text, &len));
	assert_int_equal(len, strlen("mul x1, x2 of two lines"));
	assert_memory_equal(text, "mul x1, x2 of two lines", len);
	shows(a, "mul x1, x2 of two");
	run(a, "filter two lines");
	shows(a, "(1 of 100)");
	app_free(a);
}

/* Where the index keeps only the beginning of a text, the end is looked at too. */
TEST(long_texts_are_searched)
{
	struct app *a = begin();

	run(a, "search 0 of 9[37]$");
	shows(a, "row 93 of 100 ");
	shows(a, "1 of 2: ");
	run(a, "next");
	shows(a, "row 97 of 100 ");
	run(a, "prev");
	shows(a, "row 93 of 100 ");
	run(a, "search div 0*$");
	shows(a, "not found: /div 0*$/");
	app_free(a);
}

TEST(lines_are_walked)
{
	struct app *a = begin();

	run(a, "search-text CACHE");
	shows(a, "not found: text /CACHE/");
	run(a, "search-text cache");
	shows(a, "1 of 23: text /cache/: line 14, row 0  ");
	shows(a, "cycle 2 "); /* the one in which the line stands */
	run(a, "next");
	shows(a, "2 of 23: text /cache/: line 15, row 0  ");
	run(a, "next");
	shows(a, "row 7 of 100 ");
	shows(a, "3 of 23: ");
	run(a, "prev ; prev ; prev");
	shows(a, "23 of 23: ");
	shows(a, "row 98 of 100 ");
	shows(a, "(from the bottom)");
	run(a, "next 4");
	shows(a, "4 of 23: ");
	shows(a, "row 14 of 100 ");
	app_free(a);
}

TEST(it_goes_on_from_the_cursor)
{
	struct app *a = begin();

	run(a, "search-text missed");
	shows(a, "1 of 15: ");
	run(a, "goto row 40 ; next");
	shows(a, "row 42 of 100 ");
	shows(a, "7 of 15: ");
	run(a, "goto row 40 ; prev");
	shows(a, "row 35 of 100 ");
	run(a, "goto row 40 ; search-text-back missed");
	shows(a, "row 35 of 100 ");
	run(a, "next");
	shows(a, "row 28 of 100 ");
	run(a, "prev");
	shows(a, "row 35 of 100 ");
	app_free(a);
}

TEST(what_is_no_row)
{
	struct app *a = begin();

	run(a, "search-text second phase$");
	shows(a, "1 of 1: text /second phase$/: line ");
	shows(a, "before row 50  ");
	run(a, "search-text nowhere");
	shows(a, "not found: text /nowhere/");
	shows(a, "row 50 of 100 ");
	run(a, "search nowhere");
	shows(a, "not found: /nowhere/  (\" searches all lines of the trace)");
	run_wrong(a, "search-text (", "parenthes");
	run(a, "goto row 90 ; set wrap off ; search-text phase");
	shows(a, "not found: text /phase/");
	app_free(a);
}

TEST(only_rows_shown_are_found)
{
	struct app *a = begin();

	run(a, "filter thread 1 ; search-text missed");
	shows(a, "2 of 15: text /missed/");
	run(a, "next");
	shows(a, "4 of 15: text /missed/");
	run(a, "filter none ; filter add ; goto first ; search-text-back missed");
	shows(a, "9 of 15: text /missed/");
	/* rows without text are read for the filter, all at once */
	run(a, "filter none ; filter !add");
	shows(a, "row 60 (no. 1 of 40)");
	app_free(a);
}

TEST(other_searches_take_its_place)
{
	struct app *a = begin();

	run(a, "search-text missed ; search add r4");
	shows(a, "1 of 11: /add r4/");
	run(a, "search-text");
	shows(a, "of 11: text /add r4/");
	run(a, "search none");
	run_wrong(a, "search-text", "nothing was searched for yet");
	run(a, "search-text missed ; reload");
	run(a, "next");
	shows(a, " of 15: text /missed/");
	run(a, "tab next ; search-text missed ; search-text cache ; close");
	app_free(a);
}

FIXTURES(make_trace, teardown)
