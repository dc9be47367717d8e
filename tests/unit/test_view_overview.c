/* The names of components as a tree: their order, its folds, the patterns that its nodes stand for. */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "testing.h"
#include "view/overview_tree.h"

static const char *const gpu[] = {"GPU[1].SA[0].CU[10]", "GPU[1].SA[0].CU[2]", "GPU[1].SA[0].CU[2]",
				  "GPU[1].L2[0]",        "Driver",             "GPU[1].SA[1].CU[0]",
				  "GPU[1].SA[1]",        "GPU[10].SA[0].CU[0]"};

enum { GPU = sizeof(gpu) / sizeof(gpu[0]) };

/* Lines as labels, with a + where it is folded, a - where it could be, commas between them. */
static void expect_lines(struct component_tree *t, const char *expected)
{
	struct sbuf lines = {0};

	tree_show(t);
	assert_true(t->node == tree_node_at(t, t->cursor));
	for (size_t i = 0; i < t->shown.count; i++) {
		const struct tree_node *n = &t->nodes.data[t->shown.data[i]];

		sbuf_printf(&lines, "%s%s%s", i ? "," : "",
			    !tree_is_inner(t, t->shown.data[i]) ? ""
			    : n->folded				? "+"
								: "-",
			    n->name + n->label);
	}
	assert_string_equal(sbuf_text(&lines), expected);
	sbuf_free(&lines);
}

static void make_gpu(struct component_tree *t)
{
	tree_init(t);
	tree_build(t, gpu, GPU);
	tree_show(t);
}

static size_t node_of(const struct component_tree *t, const char *name)
{
	size_t node = tree_find(t, name);

	assert_true(node != TREE_NONE);
	return node;
}

static void test_names_have_a_natural_order(void **state)
{
	static const char *const names[] = {"b", "a10",  "a9.x", "a-b", "a99999999999999999999", "a.b[10]",
					    "",  "a9.c", "a",    "a.b", "a100000000000000000000", "a.b[2]"};
	struct component_tree t;

	(void)state;
	tree_init(&t);
	tree_build(&t, names, sizeof(names) / sizeof(names[0]));
	expect_lines(&t, ",-a,b,b[2],b[10],a-b,-a9,c,x,a10,a99999999999999999999,"
			 "a100000000000000000000,b");
	tree_free(&t);
}

static void expect_cursor(const struct component_tree *t, size_t line, const char *name)
{
	assert_int_equal(t->cursor, line);
	assert_string_equal(tree_name(t, t->node), name);
}

static void test_lines_are_nodes_that_nothing_hides(void **state)
{
	struct component_tree t;
	struct regex *re;
	struct error e;

	(void)state;
	make_gpu(&t);
	expect_lines(&t, "Driver,-GPU[1],L2[0],-SA[0],CU[2],CU[10],-SA[1],CU[0],GPU[10].SA[0].CU[0]");
	assert_int_equal(t.nodes.data[node_of(&t, "GPU[1]")].components, 5);
	tree_goto(&t, 5);
	expect_cursor(&t, 5, "GPU[1].SA[0].CU[10]");
	tree_fold_to(&t, 2);
	expect_lines(&t, "Driver,-GPU[1],L2[0],+SA[0],+SA[1],GPU[10].SA[0].CU[0]");
	expect_cursor(&t, 3, "GPU[1].SA[0]");
	assert_int_equal(regex_new(&re, "cu", &e), STATUS_OK);
	assert_true(tree_search(&t, re, 1));
	expect_cursor(&t, 4, "GPU[1].SA[0].CU[2]");
	assert_true(tree_search(&t, re, -1));
	expect_cursor(&t, 7, "GPU[10].SA[0].CU[0]");
	regex_free(re);
	expect_lines(&t, "Driver,-GPU[1],L2[0],-SA[0],CU[2],CU[10],+SA[1],GPU[10].SA[0].CU[0]");
	assert_false(tree_fold(&t));
	tree_move(&t, -5);
	expect_cursor(&t, 2, "GPU[1].L2[0]");
	assert_true(tree_fold(&t));
	expect_lines(&t, "Driver,+GPU[1],GPU[10].SA[0].CU[0]");
	expect_cursor(&t, 1, "GPU[1]");
	tree_free(&t);
}

/* A trace that grows brings others: what was folded stays so, also where it was no line of its own. */
static void test_folds_outlive_what_comes(void **state)
{
	static const char *const more[] = {"GPU[1].SA[0].CU[2]", "GPU[1].SA[0].CU[3]", "GPU[1].L1[0]",
					   "GPU[1].SA[1].CU[0]", "GPU[1].SA[1].CU[1]"};
	struct component_tree t;

	(void)state;
	make_gpu(&t);
	tree_goto(&t, 3);
	assert_true(tree_fold(&t));
	tree_build(&t, more, sizeof(more) / sizeof(more[0]));
	expect_lines(&t, "-GPU[1],L1[0],+SA[0],-SA[1],CU[0],CU[1]");
	tree_build(&t, NULL, 0);
	expect_lines(&t, "");
	tree_free(&t);
}

static void test_brothers_are_sorted_by_a_key(void **state)
{
	struct component_tree t;

	(void)state;
	make_gpu(&t);
	t.by_key = true;
	t.nodes.data[node_of(&t, "GPU[1].SA[0].CU[10]")].key = 2;
	t.nodes.data[node_of(&t, "GPU[1].SA[0].CU[2]")].key = 1;
	t.nodes.data[node_of(&t, "GPU[1].SA[1]")].key = -1;
	t.nodes.data[node_of(&t, "GPU[10].SA[0].CU[0]")].key = 0;
	expect_lines(&t, "GPU[10].SA[0].CU[0],Driver,-GPU[1],-SA[1],CU[0],L2[0],-SA[0],CU[10],CU[2]");
	tree_free(&t);
}

/* Which of the names a node's pattern matches, as digits. */
static void expect_match(const struct component_tree *t, const char *name, const struct regex *among,
			 const char *expected)
{
	struct sbuf pattern = {0}, matched = {0};
	struct regex *re;
	struct error e;

	tree_pattern(t, node_of(t, name), among, &pattern);
	if (regex_new(&re, sbuf_text(&pattern), &e))
		fail_msg("%s: %s", sbuf_text(&pattern), e.text);
	for (int i = 0; i < GPU; i++)
		if (regex_match(re, gpu[i], strlen(gpu[i]), NULL, NULL))
			sbuf_printf(&matched, "%d", i);
	assert_string_equal(sbuf_text(&matched), expected);
	regex_free(re);
	sbuf_free(&pattern);
	sbuf_free(&matched);
}

static void test_a_node_stands_for_itself_or_all_below(void **state)
{
	struct component_tree t;
	struct regex *among;
	struct error e;

	(void)state;
	make_gpu(&t);
	expect_match(&t, "GPU[1].SA[1]", NULL, "56");
	expect_match(&t, "GPU[1]", NULL, "012356");
	expect_match(&t, "Driver", NULL, "4");
	assert_int_equal(regex_new(&among, "cu.(1|0)|l2", &e), STATUS_OK);
	expect_match(&t, "GPU[1]", among, "035");
	regex_free(among);
	tree_free(&t);
}

/* More dots than the tree is deep. */
static void test_names_may_be_anything(void **state)
{
	char deep[1024];
	const char *names[] = {deep, "..", ".", "", "a..b", "a.", "(a[*+?^$|\\", "\xff.\x1b[2J"};
	size_t n = sizeof(names) / sizeof(names[0]);
	struct component_tree t;

	(void)state;
	tree_init(&t);
	for (size_t i = 0; i + 1 < sizeof(deep); i++)
		deep[i] = i % 2 ? '.' : 'x';
	deep[sizeof(deep) - 1] = '\0';
	tree_build(&t, names, n);
	for (size_t i = 0; i < n; i++) {
		size_t node = node_of(&t, names[i]), end = t.nodes.data[node].end;
		struct sbuf pattern = {0};
		struct regex *re;
		struct error e;

		tree_pattern(&t, node, NULL, &pattern);
		if (regex_new(&re, sbuf_text(&pattern), &e))
			fail_msg("%zu: %s", i, e.text);
		for (size_t k = 0; k < n; k++) {
			size_t other = node_of(&t, names[k]);

			assert_int_equal(regex_match(re, names[k], strlen(names[k]), NULL, NULL),
					 other >= node && other < end);
		}
		regex_free(re);
		sbuf_free(&pattern);
	}
	tree_free(&t);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_names_have_a_natural_order),
	    cmocka_unit_test(test_lines_are_nodes_that_nothing_hides),
	    cmocka_unit_test(test_folds_outlive_what_comes),
	    cmocka_unit_test(test_brothers_are_sorted_by_a_key),
	    cmocka_unit_test(test_a_node_stands_for_itself_or_all_below),
	    cmocka_unit_test(test_names_may_be_anything),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
