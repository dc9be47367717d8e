/* Chains of links: who waited for a row, and for whom it waited. */
#include "config.h"

#include "base/sbuf.h"
#include "testing.h"
#include "text_store.h"
#include "view/pipeline/chain.h"

/* Rows with the ids 0, 1, ..., one a cycle; and links: consumer, producer. */
static struct store *linked(int rows, const int links[][2], int count)
{
	struct sbuf text = {0};
	struct store *s;

	sbuf_puts(&text, "Kanata\t0004\nC=\t0\n");
	for (int i = 0; i < rows; i++)
		sbuf_printf(&text, "I\t%d\t%d\t0\nS\t%d\t0\tF\nC\t1\n", i, i, i);
	for (int i = 0; i < count; i++)
		sbuf_printf(&text, "W\t%d\t%d\t0\n", links[i][0], links[i][1]);
	s = text_store(sbuf_text(&text));
	sbuf_free(&text);
	return s;
}

static struct chain *whole_chain(struct store *s, uint64_t row)
{
	const atomic_bool never = false;
	struct chain *c = chain_new(row);

	assert_int_equal(chain_find(c, s, &never, NULL), STATUS_OK);
	return c;
}

TEST(a_chain_goes_both_ways)
{
	/* 5 is beside the way from 4: a consumer of a producer */
	static const int links[][2] = {{2, 0}, {4, 2}, {5, 2}, {6, 4}, {7, 6}, {7, 5}};
	static const enum chain_side sides[] = {CHAIN_PRODUCER, CHAIN_OUT,     CHAIN_PRODUCER,
						CHAIN_OUT,      CHAIN_SELF,    CHAIN_OUT,
						CHAIN_CONSUMER, CHAIN_CONSUMER};
	struct store *s = linked(8, links, 6);
	struct chain *c = whole_chain(s, 4);

	for (uint64_t row = 0; row < 8; row++)
		assert_int_equal(chain_side(c, row), sides[row]);
	assert_int_equal(c->sides[CHAIN_PRODUCER], 2);
	assert_int_equal(c->sides[CHAIN_CONSUMER], 2);
	assert_false(c->cut);
	chain_free(c);
	store_close(s);
}

TEST(a_chain_ends_at_its_bound)
{
	enum { ROWS = CHAIN_ROWS + 50 };
	static int links[ROWS][2] = {{0, 9}}; /* a circle, which a damaged trace can have */
	struct chain *c;
	struct store *s;

	for (int i = 1; i < ROWS; i++) {
		links[i][0] = i;
		links[i][1] = i - 1;
	}
	s = linked(ROWS, links, ROWS);
	c = whole_chain(s, ROWS - 1);
	assert_true(c->cut);
	assert_int_equal(c->sides[CHAIN_PRODUCER], CHAIN_ROWS - 1);
	assert_int_equal(chain_side(c, ROWS - 2), CHAIN_PRODUCER);
	assert_int_equal(chain_side(c, 0), CHAIN_OUT);
	chain_free(c);
	c = whole_chain(s, 9);
	assert_int_equal(chain_side(c, 0), CHAIN_CONSUMER); /* the nearer way */
	chain_free(c);
	store_close(s);
}
