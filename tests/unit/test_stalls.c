/* src/analysis/stalls*: hand-made traces whose every number is known. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/pipeline/stalls.h"
#include "analysis/pipeline/stalls_head.h"
#include "analysis/pipeline/stalls_table.h"
#include "analysis/pipeline/waited.h"
#include "testing.h"
#include "text_store.h"

static void count(struct stalls *r, struct store *s, const struct range *range)
{
	struct error e = {STATUS_OK, ""};

	if (stalls_new(r, s, range, NULL, &e))
		fail_msg("%s", e.text);
}

static struct stall_table table_of(const struct stalls *r, enum stall_by by)
{
	struct stall_table t;

	assert_int_equal(stall_table_new(&t, r, by, NULL), STATUS_OK);
	return t;
}

/* The heads of rows: "ROW:HELD ..." in program order, "<EMPTY" behind it, "s" after a squash. */
struct heads {
	char text[256];
};

static void add_head(void *arg, const struct head *head)
{
	struct heads *h = arg;
	struct sbuf out = {0};

	sbuf_printf(&out, "%s%s%d:%d", h->text, *h->text ? " " : "", (int)head->row->row,
		    (int)head->held);
	if (head->empty)
		sbuf_printf(&out, "<%d%s", (int)head->empty, head->refill ? "s" : "");
	snprintf(h->text, sizeof(h->text), "%s", sbuf_text(&out));
	sbuf_free(&out);
}

static void assert_heads(struct store *s, const struct range *range, const char *want)
{
	struct range all = range_all(s);
	struct heads h = {""};
	uint64_t first, last;

	if (!range)
		range = &all;
	range_rows(s, range, &first, &last);
	assert_int_equal(head_walk(s, range, first, last, NULL, add_head, &h, NULL), STATUS_OK);
	assert_string_equal(h.text, want);
}

/*
 * tick   10  11  12  13  14  15  16  17  18  19  20  21
 * row 0  IF  EX  EX  CT                                    add
 * row 1      IF  EX  EX  EX  EX  CT                        ldr, misses
 * row 2      IF  IF  EX  WB  WB  CT                        add
 * row 3          IF  EX  squashed                          bne
 * row 4                                  IF  EX  CT        ldr
 * row 5                                          IF ...    add, in flight
 */
static const char flush[] = "@ 10\n+ 1 0x10 0x0 add\n* 1 IF 0x0\n"
			    "@ 11\n* 1 EX 0x0\n+ 2 0x14 0x0 ldr\n* 2 IF 0x0\n"
			    "+ 3 0x10 0x0 add\n* 3 IF 0x0\n"
			    "@ 12\n* 2 EX 0x1\n+ 4 0x18 0x0 bne\n* 4 IF 0x0\n"
			    "@ 13\n* 1 CT 0x0\n- 1\n* 3 EX 0x0\n* 4 EX 0x0\n"
			    "@ 14\n- 4\n* 3 WB 0x0\n"
			    "@ 16\n* 2 CT 0x0\n- 2\n* 3 CT 0x0\n- 3\n"
			    "@ 18\n+ 5 0x14 0x0 ldr\n* 5 IF 0x0\n"
			    "@ 19\n* 5 EX 0x0\n"
			    "@ 20\n* 5 CT 0x0\n- 5\n+ 6 0x10 0x0 add\n* 6 IF 0x0\n"
			    "@ 21\n";

TEST(every_tick_is_one_rows_or_empty)
{
	struct store *s = text_store(flush);
	struct stall_table t;
	struct stalls r;

	assert_heads(s, NULL, "0:3 1:3 2:0 4:2<2s");
	count(&r, s, NULL);
	assert_int_equal(r.run, 12); /* 10..21; empty: 16, 17, 20, 21 */
	assert_int_equal(r.held, 8);
	assert_int_equal(r.empty[STALL_EMPTY_SQUASH], 2);
	assert_int_equal(r.empty[STALL_EMPTY_ENDS], 2);
	t = table_of(&r, STALL_BY_PC);
	assert_int_equal(t.count, 3);
	assert_int_equal(t.lines[0].cost.head, 5); /* ldr */
	assert_int_equal(t.lines[0].cost.worst.row, 4); /* with what was empty before it */
	assert_int_equal(t.lines[0].cost.worst.cycles, 4);
	assert_int_equal(t.lines[1].cost.head, 3); /* add */
	assert_int_equal(t.lines[1].cost.count, 3);
	assert_int_equal(t.lines[1].cost.worst.row, 0);
	assert_int_equal(t.lines[2].cost.head, 0); /* bne */
	assert_int_equal(t.lines[2].cost.squashed, 1);
	assert_true(t.lines[2].cost.worst.row == ROW_NONE);
	assert_int_equal(t.lines[2].cost.longest->row, 3);
	stall_table_free(&t);
	stalls_free(&r);
	store_close(s);
}

/*
 * tick   0   2   5   6   10  11  13  15  16  20  22  24  27
 * row 0  IF  CT
 * row 1          IF* CT                                       missed at fetch; mispredicted
 * row 2                  IF  CT
 * row 3                          IF* CT                       missed at execution
 * row 4                              IF  squashed
 * row 5                                      IF* dropped      missed at fetch, as its micro-op
 * row 6                                          DA  CT
 */
static const char empties[] = "@ 0\n+ 1 0x10 0x0 a\n* 1 IF 0x0\n@ 2\n* 1 CT 0x0\n- 1\n"
			      "@ 5\n+ 2 0x14 0x0 b\n* 2 IF 0x1\n"
			      "@ 6\n* 2 WB 0x8\n* 2 CT 0x0\n- 2\n"
			      "@ 10\n+ 3 0x18 0x0 c\n* 3 IF 0x0\n@ 11\n* 3 CT 0x0\n- 3\n"
			      "@ 13\n+ 4 0x10 0x0 a\n* 4 IF 0x0\n@ 14\n* 4 EX 0x1\n"
			      "@ 15\n* 4 CT 0x0\n- 4\n+ 5 0x14 0x0 b\n* 5 IF 0x0\n@ 16\n- 5\n"
			      "@ 20\n+ 6 0x1c 0x0 m\n* 6 IF 0x1\n"
			      "@ 22\n* 6 DA 0x0\n- 6\n+ 7 0x1c 0x0 u\n* 7 DA 0x0\n"
			      "@ 24\n* 7 CT 0x0\n- 7\n@ 26\n";

static void assert_empty(struct store *s, const struct range *range, const int64_t want[6])
{
	int64_t sums[STALL_EMPTY_COUNT] = {0}, sum = 0;
	struct stall_table t;
	struct stalls r;

	count(&r, s, range);
	t = table_of(&r, STALL_BY_PC);
	for (int i = 0; i < STALL_EMPTY_COUNT; i++) {
		for (size_t k = 0; k < t.count; k++)
			sums[i] += t.lines[k].cost.empty[i];
		assert_int_equal(r.empty[i], want[i]);
		assert_int_equal(sums[i], i == STALL_EMPTY_ENDS ? 0 : want[i]);
		sum += want[i];
	}
	assert_int_equal(r.held, want[4]);
	assert_int_equal(r.run, want[5]);
	assert_int_equal(r.run, r.held + sum);
	stall_table_free(&t);
	stalls_free(&r);
}

TEST(what_ended_the_empty_stretches)
{
	struct store *s = text_store(empties);
	struct range ticks = range_all(s), limited = ticks;

	ticks.tick0 = 12;
	ticks.tick1 = 18;
	limited.limit = 2;
	assert_heads(s, NULL, "0:2 1:1<3 2:1<4s 3:2<2 6:2<7s");
	assert_empty(s, NULL, (const int64_t[]){4, 10, 2, 3, 8, 27});
	assert_empty(s, &ticks, (const int64_t[]){0, 0, 1, 3, 2, 6});
	/* up to the birth of the first row that was left out */
	assert_empty(s, &limited, (const int64_t[]){0, 3, 0, 4, 3, 10});
	store_close(s);
}

/* Of each instruction the row that took longest, on the whole and in each stage; the first of equals. */
TEST(the_longest_of_each_instruction)
{
	/* life, IF, DA, EX, WB, CT of ldr (rows 1 and 4), add (0, 2, 5), bne (3) */
	static const int64_t want[3][6] = {{5, 1, -1, 4, -1, 0}, {5, 2, -1, 2, 2, 0}, {2, 1, -1, 1, -1, -1}};
	static const uint64_t rows[3] = {1, 2, 3};
	struct store *s = text_store(flush);
	struct stall_table t;
	struct stalls r;

	count(&r, s, NULL);
	t = table_of(&r, STALL_BY_PC);
	for (size_t i = 0; i < 3; i++) {
		const struct stall_row *l = t.lines[i].cost.longest;

		assert_int_equal(l->row, rows[i]);
		for (size_t k = 0; k < 6; k++)
			assert_int_equal(l[k].row == ROW_NONE ? -1 : l[k].cycles, want[i][k]);
	}
	assert_int_equal(t.lines[1].cost.longest[3].row, 0);
	assert_int_equal(t.lines[1].cost.longest[4].row, 2);
	stall_table_free(&t);
	stalls_free(&r);
	store_close(s);
}

/* Row 1 executed until it committed, and row 2 had been written back; row 3 was squashed. */
TEST(what_neighbours_tell)
{
	struct store *s = text_store(flush);
	struct detail d = {0};
	struct error e;

	assert_int_equal(store_detail(s, 0, 6, &d, &e), STATUS_OK);
	for (size_t i = 0; i < 6; i++) {
		const struct detail_row *r = &d.rows[i];
		struct row older;

		assert_int_equal(waited_for(s, &r->head, d.stays + r->stay0, r->stays, &older), i == 2);
		assert_true(i != 2 || older.row == 1);
		assert_int_equal(waited_squash(s, &r->head, &older), i == 4);
		assert_true(i != 4 || older.row == 2);
	}
	detail_free(&d);
	store_close(s);
}

/* Cycles of 500 ticks from tick 1000 on; the first row's store ends within one, after its commit. */
static const char gem5[] =
    "O3PipeView:fetch:1000:0x10:0:1:sd a\nO3PipeView:decode:1500\nO3PipeView:rename:2000\n"
    "O3PipeView:dispatch:2500\nO3PipeView:issue:3000\nO3PipeView:complete:3500\n"
    "O3PipeView:retire:4000:store:4700\n"
    "O3PipeView:fetch:1500:0x14:0:2:ld b\nO3PipeView:decode:2000\nO3PipeView:rename:2500\n"
    "O3PipeView:dispatch:3000\nO3PipeView:issue:3500\nO3PipeView:complete:4000\n"
    "O3PipeView:retire:6000:store:0\n"
    "O3PipeView:fetch:7000:0x18:0:3:add c\nO3PipeView:decode:7500\nO3PipeView:rename:8000\n"
    "O3PipeView:dispatch:8500\nO3PipeView:issue:9000\nO3PipeView:complete:9500\n"
    "O3PipeView:retire:10000:store:0\n";

TEST(ticks_are_counted_as_cycles)
{
	static const int64_t want[] = {3, 3, 3, 3, 3, 6, 2, 0}; /* fetch to store */
	struct store *s = text_store(gem5);
	struct range late = range_all(s);
	struct stall_table t;
	struct stalls r;

	assert_int_equal(store_ticks_per_cycle(s), 500);
	assert_heads(s, NULL, "0:6 1:4 2:6<2");
	count(&r, s, NULL);
	assert_int_equal(r.run, 19); /* empty: from 6000, 6500 and 10000 on */
	assert_int_equal(r.held, 16);
	assert_int_equal(r.stages, 8);
	for (size_t i = 0; i < r.stages; i++)
		assert_int_equal(r.totals.stage_ticks[i], want[i]);
	t = table_of(&r, STALL_BY_PC);
	assert_int_equal(t.lines[0].cost.head, 6);
	assert_int_equal(t.lines[0].cost.total, 8);
	assert_int_equal(t.lines[0].cost.worst.cycles, 6);
	assert_int_equal(t.lines[0].cost.longest->cycles, 8);
	stall_table_free(&t);
	stalls_free(&r);
	late.tick0 = 4000; /* its cycles 6 to 18 */
	count(&r, s, &late);
	assert_int_equal(r.run, 13);
	assert_int_equal(r.held, 10);
	assert_int_equal(r.totals.stage_ticks[5], 5);
	stalls_free(&r);
	store_close(s);
}

/*
 * Stays that begin and end inside cycles: each cycle is in one of them, whatever the ticks, so that
 * those of a row add up to its life, and lives without a gap to the run.
 */
TEST(stays_share_no_cycle)
{
	static const struct range all = {.tick0 = INT64_MIN, .tick1 = INT64_MAX};
	static const int64_t ticks[] = {1, 2, 7, 500};

	for (size_t i = 0; i < sizeof(ticks) / sizeof(ticks[0]); i++)
		for (int64_t first = -9; first < 9; first += 3) {
			const struct range_clock clock = {ticks[i], first};
			int64_t life = range_cycles(&all, &clock, first, first + 3000), sum = 0;

			assert_int_equal(life, (3000 + ticks[i] - 1) / ticks[i]);
			for (int64_t t = first, stay = 0; t < first + 3000; t += stay) {
				stay = 1 + (t * 7919 & 31) * ticks[i] / 16; /* 0 to 2 cycles */
				stay = stay < first + 3000 - t ? stay : first + 3000 - t;
				sum += range_cycles(&all, &clock, t, t + stay);
			}
			assert_int_equal(sum, life);
		}
}

/* What rows outside a range kept from those in it is not theirs. */
TEST(a_range_counts_its_own)
{
	struct store *s = text_store(flush);
	struct range ticks = {.row1 = UINT64_MAX, .tick0 = 14, .tick1 = 19};
	struct range rows = {.row0 = 1, .row1 = 3, .tick0 = INT64_MIN, .tick1 = TICK_NONE};
	struct range limited = range_all(s), none = ticks;
	struct stalls r;

	assert_heads(s, &ticks, "1:2 2:0 4:1<2s");
	assert_heads(s, &rows, "1:3 2:0");
	limited.limit = 2;
	assert_heads(s, &limited, "0:3 1:3");
	none.tick0 = 100;
	none.tick1 = 200;
	assert_heads(s, &none, "");
	count(&r, s, &ticks);
	assert_int_equal(r.run, 5);
	assert_int_equal(r.held, 3);
	stalls_free(&r);
	count(&r, s, &limited);
	assert_true(r.clipped);
	stalls_free(&r);
	count(&r, s, &none);
	assert_int_equal(r.run, 0);
	assert_int_equal(r.held, 0);
	stalls_free(&r);
	store_close(s);
}

/*
 * Row 0 is replaced at decode by rows 2 and 3, born behind row 1, which commits after them:
 * they hold the head first.
 */
TEST(micro_ops_stand_behind_their_parent)
{
	struct store *s = text_store("@ 0\n+ 1 0x10 0x0 ldm\n* 1 IF 0x0\n"
				    "+ 2 0x14 0x0 add\n* 2 IF 0x0\n"
				    "@ 2\n* 1 DA 0x0\n- 1\n+ 3 0x10 0x0 ld a\n* 3 DA 0x0\n"
				    "+ 4 0x10 0x0 ld b\n* 4 DA 0x0\n* 2 DA 0x0\n"
				    "@ 6\n* 3 CT 0x0\n- 3\n"
				    "@ 9\n* 4 CT 0x0\n- 4\n* 2 CT 0x0\n- 2\n@ 10\n");

	assert_heads(s, NULL, "2:4 3:3 1:0");
	store_close(s);
}

/* A log of what ends out of order: the latest end so far counts, and nothing is negative. */
TEST(ends_out_of_order)
{
	struct store *s = text_store("Kanata\t0004\nC=\t100\nI\t0\t0\t0\nL\t0\t0\tslow\nS\t0\t0\tX\n"
				    "C\t1\nI\t1\t1\t0\nL\t1\t0\tquick\nS\t1\t0\tX\n"
				    "C\t1\nI\t2\t2\t0\nL\t2\t0\tlast\nS\t2\t0\tX\n"
				    "C\t1\nR\t1\t0\t0\nC\t4\nR\t0\t1\t0\nC\t2\nR\t2\t2\t0\n");
	struct stall_table t;
	struct stalls r;

	assert_heads(s, NULL, "0:7 1:0 2:2");
	count(&r, s, NULL);
	t = table_of(&r, STALL_BY_PC);
	assert_int_equal(t.count, 3);
	/* no pc: the text is what tells them apart */
	assert_int_equal(t.section.fields[0].get(&t, 0, 0).type, VALUE_NONE);
	assert_memory_equal(t.section.fields[1].get(&t, 0, 0).text.p, "slow", 4);
	assert_int_equal(t.lines[2].cost.worst.row, 1);
	stall_table_free(&t);
	stalls_free(&r);
	store_close(s);
}

static void text_of(const struct stall_table *t, size_t line, char *out, size_t size)
{
	struct value v = t->section.fields[1].get(t, line, 0);

	snprintf(out, size, "%.*s", v.type == VALUE_TEXT ? (int)v.text.len : 0, v.text.p);
}

static void assert_order(struct stall_table *t, const char *column, const char *want)
{
	char all[128] = "", text[48];

	assert_int_equal(stall_table_sort(t, column, NULL), STATUS_OK);
	for (size_t i = 0; i < t->count; i++) {
		text_of(t, i, text, sizeof(text));
		snprintf(all + strlen(all), sizeof(all) - strlen(all), "%s%s", i ? " " : "", text);
	}
	assert_string_equal(all, want);
}

TEST(every_column_sorts)
{
	struct store *s = text_store(flush);
	struct error e = {STATUS_OK, ""};
	struct stall_table t;
	struct stalls r;

	count(&r, s, NULL);
	t = table_of(&r, STALL_BY_PC);
	assert_order(&t, "head", "ldr add bne");
	assert_order(&t, "count", "add ldr bne");
	assert_order(&t, "pc", "add ldr bne");
	assert_order(&t, "text", "add bne ldr");
	assert_order(&t, "squashed", "bne add ldr");
	assert_order(&t, "cache-miss", "ldr add bne");
	assert_order(&t, "WB", "add ldr bne");
	assert_order(&t, "worst", "ldr add bne");
	assert_int_equal(stall_table_sort(&t, "wb", &e), STATUS_USAGE);
	assert_non_null(strstr(e.text, "cache-miss"));
	stall_table_free(&t);
	stalls_free(&r);
	store_close(s);
}

/* Whatever is folded, each column adds up to the totals. */
TEST(a_folded_table_adds_up)
{
	struct store *s = text_store(flush);
	struct stalls r;
	char text[48];

	count(&r, s, NULL);
	for (uint64_t limit = 0; limit <= 4; limit++) {
		struct stall_table t = table_of(&r, STALL_BY_PC);
		uint64_t rows = 0;
		int64_t head = 0, ex = 0;

		stall_table_fold(&t, limit);
		assert_int_equal(t.count, limit < 3 ? limit + 1 : 3);
		for (size_t i = 0; i < t.count; i++) {
			rows += t.lines[i].cost.count;
			head += t.lines[i].cost.head;
			ex += t.lines[i].cost.cycles[2];
		}
		assert_int_equal(rows, 6);
		assert_int_equal(head, 8);
		assert_int_equal(ex, r.totals.stage_ticks[2]);
		text_of(&t, t.count - 1, text, sizeof(text));
		if (limit == 1)
			assert_string_equal(text, "... 2 more");
		stall_table_free(&t);
	}
	stalls_free(&r);
	store_close(s);
}

/* Places as a binary would give them: lines of one function become one, the nameless another. */
TEST(functions_and_lines_are_sums)
{
	static struct code_place places[3];
	struct store *s = text_store(flush);
	struct stall_table t;
	struct stalls r;

	count(&r, s, NULL);
	assert_int_equal(r.cost_count, 3);
	for (uint32_t i = 0; i < 3; i++) {
		uint64_t pc;
		bool has_pc;
		const char *text;
		size_t len;

		assert_true(store_code(s, i, &pc, &has_pc, &text, &len));
		places[i] = pc == 0x18 ? (struct code_place){0}
				       : (struct code_place){"work", "dir/a.c", pc == 0x10 ? 7 : 9};
	}
	r.places = places;
	t = table_of(&r, STALL_BY_FUNCTION);
	assert_int_equal(t.count, 2);
	assert_string_equal(t.lines[0].place.function, "work");
	assert_int_equal(t.lines[0].cost.count, 5);
	assert_int_equal(t.lines[0].cost.head, 8);
	assert_int_equal(t.lines[0].cost.worst.row, 4);
	assert_null(t.lines[1].place.function);
	assert_int_equal(t.lines[1].cost.squashed, 1);
	stall_table_fold(&t, 0);
	assert_int_equal(t.count, 1);
	assert_int_equal(t.lines[0].cost.count, 6);
	stall_table_free(&t);
	t = table_of(&r, STALL_BY_LINE);
	assert_int_equal(t.count, 3);
	assert_int_equal(t.lines[0].place.line, 9);
	assert_memory_equal(t.section.fields[0].get(&t, 0, 0).text.p, "a.c", 3);
	assert_memory_equal(t.whole.fields[0].get(&t, 0, 0).text.p, "dir/a.c", 7);
	stall_table_free(&t);
	r.places = NULL;
	stalls_free(&r);
	store_close(s);
}

TEST(stops_when_told)
{
	struct store *s = text_store(flush);
	atomic_bool stop = true;
	struct stalls r;

	assert_int_equal(stalls_new(&r, s, NULL, &stop, NULL), STATUS_INTERRUPTED);
	store_close(s);
}
