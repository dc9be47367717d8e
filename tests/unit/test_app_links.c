/* Commands for links, lanes, threads and the unit of time. */
#include "config.h"

#include "app/pipeline/rows.h"
#include "app_driver.h"

#include "view/pipeline/chain.h"

static char kanata[64], gem5[64];

/*
 * Row i is born in cycle i, in thread i % 3, executes in i + 4 and waits for row i - 1; rows
 * that five divides wait for i - 3 too, by a link of type 2. Lane 1 has a stall in each.
 */
static void kanata_make(int rows)
{
	FILE *f = fopen(kanata, "w");

	assert_non_null(f);
	fputs("Kanata\t0004\nC=\t0\n", f);
	for (int cycle = 0; cycle < rows + 8; cycle++) {
		for (int i = cycle < 8 ? 0 : cycle - 8; i <= cycle && i < rows; i++) {
			int age = cycle - i;

			if (age == 0)
				fprintf(f, "I\t%d\t%d\t%d\nL\t%d\t0\t%x: add r%d\nS\t%d\t0\tF\n", i,
					1000 + i, i % 3, i, 0x1000 + 4 * i, i, i);
			if (age == 2)
				fprintf(f, "S\t%d\t0\tDs\nS\t%d\t1\tstl\n", i, i);
			if (age == 3)
				fprintf(f, "E\t%d\t1\tstl\n", i);
			if (age == 4 && i)
				fprintf(f, "W\t%d\t%d\t0\n", i, i - 1);
			if (age == 4 && i && i % 5 == 0)
				fprintf(f, "W\t%d\t%d\t2\n", i, i - 3);
			if (age == 4)
				fprintf(f, "S\t%d\t0\tX\n", i);
			if (age == 5)
				fprintf(f, "S\t%d\t0\tCm\n", i);
			if (age == 6)
				fprintf(f, "R\t%d\t%d\t0\n", i, i);
		}
		fputs("C\t1\n", f);
	}
	assert_int_equal(fclose(f), 0);
}

static void gem5_make(int rows)
{
	FILE *f = fopen(gem5, "w");

	assert_non_null(f);
	for (int i = 0; i < rows; i++) {
		static const char *const stages[] = {"decode", "rename", "dispatch", "issue",
						     "complete"};
		int tick = 1000 * (i + 10);

		fprintf(f, "O3PipeView:fetch:%d:0x%08x:0:%d:  add a%d\n", tick, 0x1000 + 4 * i,
			i + 1, i);
		for (int k = 0; k < 5; k++)
			fprintf(f, "O3PipeView:%s:%d\n", stages[k], tick + 1000 * (k + 1));
		fprintf(f, "O3PipeView:retire:%d:store:0\n", tick + 6000);
	}
	assert_int_equal(fclose(f), 0);
}

static int make_traces(void **state)
{
	if (setup(state))
		return -1;
	snprintf(kanata, sizeof(kanata), "%s/k.kanata", dir);
	snprintf(gem5, sizeof(gem5), "%s/g.out", dir);
	kanata_make(60);
	gem5_make(60);
	return 0;
}

static struct app *start_kanata(void)
{
	struct app *a = start_with("none", NULL, kanata);

	screen(a, 100, 20);
	return a;
}

static uint64_t row_of(const struct app *a)
{
	return tab_place(a->tab).item;
}

TEST(one_producer_is_gone_to)
{
	struct app *a = start_kanata();

	run(a, "goto row 12");
	run(a, "producer");
	assert_int_equal(row_of(a), 11);
	assert_int_equal(rows_of(a->tab)->view.axis.tick, 15); /* in X, which ends at 16 */
	run(a, "back");
	assert_int_equal(row_of(a), 12);
	run(a, "goto row 0");
	run_wrong(a, "producer", "waited for no other");
	app_free(a);
}

TEST(several_ask_which)
{
	struct app *a = start_kanata();

	run(a, "goto row 20");
	run(a, "producer");
	assert_int_equal(row_of(a), 20);
	shows(a, "1 row 19");
	shows(a, "2 row 17");
	shows(a, "type 2");
	run(a, "move down"); /* on to the second producer */
	run(a, "enter");
	assert_int_equal(row_of(a), 17);
	assert_int_equal(a->panes.count, 0);
	run(a, "goto row 20");
	run(a, "producer 2");
	assert_int_equal(row_of(a), 17);
	run(a, "goto row 20");
	run(a, "keys 1K");
	assert_int_equal(row_of(a), 19);
	run(a, "goto row 20");
	run_wrong(a, "producer 3", "2 producers");
	app_free(a);
}

TEST(consumers_are_gone_to)
{
	struct app *a = start_kanata();

	run(a, "goto row 20");
	run(a, "keys J");
	assert_int_equal(row_of(a), 21);
	run(a, "goto row 17");
	run(a, "consumer 2");
	assert_int_equal(row_of(a), 20);
	run(a, "goto last");
	run_wrong(a, "consumer", "no row waited for it");
	app_free(a);
}

TEST(a_trace_without_links_says_so)
{
	struct app *a = start();

	screen(a, 100, 20);
	run_wrong(a, "producer", "no links");
	run_wrong(a, "consumer", "no links");
	run_wrong(a, "links", "no links");
	run_wrong(a, "chain", "no links");
	run_wrong(a, "lanes split", "one lane");
	run_wrong(a, "lanes hide 1", "one lane");
	run_wrong(a, "filter thread 1", "no threads");
	run_wrong(a, "set colour-by thread", "no threads");
	run_wrong(a, "set time ticks", "only unit");
	run(a, "links all"); /* shows nothing, harms nothing */
	screen(a, 100, 20);
	app_free(a);
}

TEST(chains_are_marked_until_told)
{
	struct app *a = start_kanata();

	run(a, "goto row 10");
	run(a, "chain");
	shows(a, "chain: 10 before, 49 after");
	assert_int_equal(chain_side(rows_of(a->tab)->view.chain, 3), CHAIN_PRODUCER);
	run(a, "chain none");
	assert_null(rows_of(a->tab)->view.chain);
	run(a, "chain");
	run(a, "reload");
	assert_null(rows_of(a->tab)->view.chain);
	app_free(a);
}

TEST(stages_of_links_are_checked)
{
	struct app *a = start_kanata();

	run(a, "set link-stages Ds:Cm");
	assert_string_equal(rows_of(a->tab)->view.link_stages[0], "Ds");
	assert_string_equal(rows_of(a->tab)->view.link_stages[1], "Cm");
	run_wrong(a, "set link-stages Ds:Nope", "no stage is called Nope");
	assert_string_equal(rows_of(a->tab)->view.link_stages[1], "Cm");
	run(a, "goto row 12");
	run(a, "producer");
	assert_int_equal(rows_of(a->tab)->view.axis.tick, 14); /* the last cycle in Ds */
	run(a, "set link-stages");
	assert_string_equal(rows_of(a->tab)->view.link_stages[0], "");
	run(a, "set pan 10"); /* the options are as they were */
	assert_int_equal(a->set.value[OPT_PAN], 10);
	app_free(a);
}

TEST(lanes_are_split_and_hidden)
{
	struct app *a = start_kanata();

	run(a, "keys tn");
	shows(a, "lane 1");
	run(a, "lanes hide 1");
	shows_not(a, "lane 1");
	run_wrong(a, "lanes hide 0", "no lane 0");
	run(a, "lanes show");
	shows(a, "lane 1");
	run(a, "reload");
	shows(a, "lane 1");
	run(a, "lanes split");
	shows_not(a, "lane 1");
	app_free(a);
}

TEST(threads_are_filtered)
{
	struct app *a = start_kanata();

	run(a, "filter thread 1");
	assert_int_equal(filter_count(rows_of(a->tab)->filter), 20);
	run(a, "filter add r[0-9]$"); /* and the thread */
	assert_int_equal(filter_count(rows_of(a->tab)->filter), 3);
	run(a, "filter thread [02]"); /* and the text */
	assert_int_equal(filter_count(rows_of(a->tab)->filter), 7);
	run(a, "filter thread 1*"); /* a whole number: not what holds none of it */
	assert_int_equal(filter_count(rows_of(a->tab)->filter), 3);
	run(a, "filter thread [02]");
	run_wrong(a, "filter thread 9", "no thread");
	run_wrong(a, "filter thread (", "");
	assert_int_equal(filter_count(rows_of(a->tab)->filter), 7);
	run(a, "hide squashed"); /* made again, with the threads */
	assert_int_equal(filter_count(rows_of(a->tab)->filter), 7);
	run(a, "show all");
	run(a, "filter none");
	assert_null(rows_of(a->tab)->filter);
	run(a, "column thread");
	shows(a, "thread");
	run(a, "keys th");
	assert_int_equal(rows_of(a->tab)->view.colour_by, COLOUR_BY_THREAD);
	run_wrong(a, "set colour-by wine", "stage or thread");
	app_free(a);
}

TEST(cycles_are_counted_where_there_are_ticks)
{
	struct app *a = start_with("none", NULL, gem5);

	shows(a, "cycle of 1 000 ticks");
	run(a, "goto cycle 30");
	assert_int_equal(rows_of(a->tab)->view.axis.tick, 30000);
	run(a, "goto cycle +5");
	assert_int_equal(rows_of(a->tab)->view.axis.tick, 35000);
	run(a, "move right 2");
	assert_int_equal(rows_of(a->tab)->view.axis.tick, 37000);
	shows(a, "committed at 35"); /* row 19, of cycles 29 to 35 */
	run(a, "yank cycle");
	assert_string_equal(app_clipboard(a), "37");
	run_wrong(a, "next stay x", "not a number");
	run(a, "set time ticks");
	shows_not(a, "cycle of");
	run(a, "goto cycle 40000");
	assert_int_equal(rows_of(a->tab)->view.axis.tick, 40000);
	run(a, "keys ty");
	assert_false(rows_of(a->tab)->view.axis.raw_ticks);
	app_free(a);
}

/* What can be said of any trace can be said before there is one. */
TEST(views_begin_as_the_configuration_says)
{
	char path[80];
	struct error e;
	struct app *a;
	FILE *f;

	snprintf(path, sizeof(path), "%s/config", dir);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs("links all\nset link-stages X:F\nlanes split\nlanes hide 1\n"
	      "set colour-by thread\nset time ticks\n",
	      f);
	assert_int_equal(fclose(f), 0);
	a = start_with(path, NULL, gem5);
	assert_int_equal(app_open(a, kanata, &e), STATUS_OK);
	assert_int_equal(app_open(a, trace, &e), STATUS_OK); /* has nothing of all this */
	assert_string_equal(app_complaints(a), "");
	for (int i = 0; i < a->tab_count; i++) {
		const struct pipeview *v = &rows_of(a->tabs[i])->view;

		assert_int_equal(v->links, LINKS_ALL);
		assert_string_equal(v->link_stages[0], "X");
		assert_string_equal(v->link_stages[1], "F");
		assert_true(v->lanes_split && v->axis.raw_ticks);
		assert_int_equal(v->colour_by, COLOUR_BY_THREAD);
	}
	app_show_tab(a, 1);
	run(a, "echo");
	assert_int_equal(rows_of(a->tabs[1])->view.lanes_hidden, 2);
	shows_not(a, "lane 1");
	run(a, "lanes show");
	shows(a, "lane 1");
	run(a, "reload"); /* what was said since then counts */
	shows(a, "lane 1");
	app_show_tab(a, 0);
	shows_not(a, "cycle of");
	app_show_tab(a, 2);
	shows(a, "row 0 of 200  cycle 0 ");
	app_free(a);
}

FIXTURES(make_traces, teardown)
