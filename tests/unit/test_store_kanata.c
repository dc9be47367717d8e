/*
 * src/store: what is irregular in a Kanata log is counted once, told where it stands, and not made
 * part of any row (formats/kanata-o3pipeview.md 1.10).
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "store_truth.h"
#include "testing.h"

#define HEAD  "Kanata\t0004\nC=\t0\n"
#define ROW   "I\t7\t0\t0\nS\t7\t0\tF\nC\t1\n"
#define BEGIN HEAD ROW
#define END   "R\t7\t0\t0\nC\t1\n"

static char path[64];

static struct store *open_text(const char *text, size_t len)
{
	strcpy(path, "/tmp/pipeglass-kanata-XXXXXX");
	truth_write(path, text, len);
	return truth_open(path, 2);
}

static void close_text(struct store *s)
{
	store_close(s);
	unlink(path);
}

static uint64_t note(const struct store *s, const char *key)
{
	uint64_t count;

	for (size_t i = 0; i < store_note_count(s); i++)
		if (strcmp(store_note(s, i, &count), key) == 0)
			return count;
	fail_msg("no note %s", key);
	return 0;
}

/* ---- one log each ---------------------------------------------------------------------------- */

/* What is told of a log; of the warning's text the beginning. */
static const struct {
	const char *text, *key;
	uint64_t rows, noted, line, row; /* line: of the only warning; 0: there is none */
	const char *warning;
} logs[] = {
    /* an id that is used again */
    {BEGIN END, "reused-ids", 1, 0, 0, 0, NULL},
    {BEGIN END "I\t8\t0\t0\nI\t7\t0\t0\nS\t7\t0\tX\nC\t1\n", "reused-ids", 3, 1, 9, 2,
     "reused id of an ended instruction"},
    {BEGIN "I\t7\t0\t0\nC\t1\n", "reused-ids", 2, 0, 6, 1, "instruction born again while alive: its row so far counts as lost"},
    /* a command behind the end leads to the row that has ended, not to where it stands */
    {BEGIN END "I\t8\t0\t0\nC\t1\nE\t7\t0\tF\n", "stale-stage-ends", 2, 0, 10, 0,
     "command for an instruction that has ended: skipped"},
    /* headers */
    {"Kanata\t0004  \t\r\n" ROW, "crlf-lines", 1, 1, 0, 0, NULL},
    {"\n\nKanata\t4\n" ROW, "foreign-lines", 1, 0, 0, 0, NULL},
    {"Kanata 0004\n" ROW, "foreign-lines", 1, 0, 1, 0, "header is not"},
    {"\n\nKANATA\t0004\n" ROW, "foreign-lines", 1, 0, 3, 0, "header is not"},
    {"[core 0] Kanata\t0004\n" ROW, "foreign-lines", 1, 0, 1, 0, "header is not"},
    {"Kanata\t0003\n" ROW, "foreign-lines", 1, 0, 1, 0, "format version is not 0004"},
    {"Kanata\t10000000000000004\n" ROW, "foreign-lines", 1, 0, 1, 0, "format version is not"},
    {"C=\t5\n" ROW, "foreign-lines", 1, 0, 1, 0, "no header"},
    {"# a run\n\n" HEAD ROW, "foreign-lines", 1, 1, 0, 0, NULL},
    {"a simulator\n" HEAD ROW, "foreign-lines", 1, 0, 1, 0, "unknown command: skipped"},
    {BEGIN "R\t7\t0\t0\nKanata\t0004\nI\t8\t0\t0\n", "foreign-lines", 2, 0, 7, 1,
     "second header"},
    /* ids that come in no order */
    {HEAD "I\t9\t0\t0\nI\t7\t0\t0\nI\t8\t0\t0\nC\t1\nR\t8\t0\t0\nI\t6\t0\t0\n", "reused-ids", 4, 0,
     0, 0, NULL},
};

TEST(told_of_logs)
{
	for (size_t i = 0; i < sizeof(logs) / sizeof(logs[0]); i++) {
		struct store *s = open_text(logs[i].text, strlen(logs[i].text));
		struct warning w;

		assert_int_equal(store_row_count(s), logs[i].rows);
		assert_int_equal(note(s, logs[i].key), logs[i].noted);
		assert_int_equal(store_warning_count(s), logs[i].line != 0);
		if (logs[i].line) {
			assert_true(store_warning(s, 0, &w));
			assert_int_equal(w.line, logs[i].line);
			assert_int_equal(w.item, logs[i].row);
			assert_memory_equal(w.text, logs[i].warning, strlen(logs[i].warning));
		}
		close_text(s);
	}
}

/* ---- ids ------------------------------------------------------------------------------------- */

/* Births of so many rows, which end at once, their ids every step'th of so many. */
static struct store *open_births(uint64_t rows, uint64_t ids, uint64_t step)
{
	struct sbuf text = {0};
	struct store *s;

	sbuf_puts(&text, HEAD);
	for (uint64_t row = 0; row < rows; row++) {
		uint64_t id = row * step % ids;

		sbuf_printf(&text, "I\t%" PRIu64 "\t0\t0\nS\t%" PRIu64 "\t0\tF\nC\t1\n", id, id);
		sbuf_printf(&text, "R\t%" PRIu64 "\t0\t0\n", id);
	}
	s = open_text(text.text, text.len);
	sbuf_free(&text);
	return s;
}

/* Where ids are used again by the thousand the list of warnings has only the first. */
TEST(wrapped_ids)
{
	struct store *s = open_births(60000, 256, 1);
	struct warning w;

	assert_int_equal(store_row_count(s), 60000);
	assert_int_equal(note(s, "reused-ids"), 60000 - 256);
	assert_int_equal(store_warning_count(s), 16);
	for (size_t i = 0; i < 16; i++) {
		assert_true(store_warning(s, i, &w));
		assert_int_equal(w.item, 256 + i);
		assert_int_equal(w.line, 3 + 4 * (256 + i));
	}
	close_text(s);
}

/* What cannot be known of ids that were left out in great number is not told. */
TEST(ids_in_no_order)
{
	/* 7919 is prime to 65536: each id once, in no order, thousands of them left out at a time */
	struct store *s = open_births(65536, 65536, 7919);

	assert_int_equal(store_row_count(s), 65536);
	assert_int_equal(note(s, "reused-ids"), 0);
	assert_int_equal(store_warning_count(s), 0);
	close_text(s);
}

/* ---- links ----------------------------------------------------------------------------------- */

/* The rows that name a row as their producer, with the cycles they do so in. */
static void is_awaited(struct store *s, uint64_t row, const char *want)
{
	struct link links[8];
	struct sbuf said = {0};
	struct error e;
	size_t n;

	assert_int_equal(store_consumers(s, row, links, 8, &n, &e), STATUS_OK);
	for (size_t i = 0; i < n; i++)
		sbuf_printf(&said, "%" PRIu64 "@%" PRId64 " ", links[i].row, links[i].tick);
	assert_string_equal(sbuf_text(&said), want);
	sbuf_free(&said);
}

/* Links of nobody are neither counted as links, nor anybody's, in one direction or the other. */
TEST(stray_links)
{
	static const char text[] =
	    HEAD "I\t1\t0\t0\nI\t2\t0\t0\nW\t2\t1\t0\nC\t1\n"
		 "W\t2\t1\t0\nR\t2\t0\t0\nW\t2\t1\t0\n" /* 8: in the same cycle */
		 "C\t1\nW\t2\t1\t0\n"			   /* 10: behind the end */
		 "W\t3\t1\t0\nC\t1\n"			   /* 11: before the birth */
		 "I\t3\t0\t0\nW\t3\t99\t0\nW\t98\t1\t0\n"  /* 14: of a producer, 15: of nobody */
		 "C\t1\nR\t1\t0\t0\nI\t1\t0\t0\nW\t3\t1\t0\n"; /* 19: of the second of its id */
	struct store *s = open_text(text, strlen(text));
	struct truth t;

	truth_load(&t, s);
	assert_int_equal(t.d.link_count, 4);
	assert_int_equal(store_link_count(s), 4);
	assert_int_equal(note(s, "stray-links"), 4);
	assert_int_equal(note(s, "reused-ids"), 1);
	assert_int_equal(store_warning_count(s), 5);
	is_awaited(s, 0, "1@0 1@1 ");
	is_awaited(s, 3, "2@4 ");
	truth_free(&t);
	close_text(s);
}

/* The same where consumers were born in another piece of the text than their links stand in. */
TEST(stray_links_far)
{
	enum { CONSUMERS = 500, CYCLES = 3000 };
	struct sbuf text = {0};
	struct store *s;

	sbuf_puts(&text, HEAD "I\t0\t0\t0\nS\t0\t0\tF\n");
	for (int i = 1; i <= CONSUMERS; i++)
		sbuf_printf(&text, "I\t%d\t0\t0\nL\t%d\t1\t%0*d\n", i, i, 1000, i);
	for (int cycle = 0; cycle < CYCLES; cycle++)
		sbuf_printf(&text, "C\t1\nL\t0\t1\t%0*d\n", 1000, cycle);
	for (int i = 1; i <= CONSUMERS; i++)
		sbuf_printf(&text, "W\t%d\t0\t0\nR\t%d\t0\t0\nW\t%d\t0\t0\n", i, i, i);
	s = open_text(text.text, text.len);
	assert_int_equal(store_link_count(s), CONSUMERS);
	assert_int_equal(note(s, "stray-links"), CONSUMERS);
	assert_int_equal(store_warning_count(s), CONSUMERS);
	for (size_t i = 0; i < CONSUMERS; i++) {
		struct warning w;

		assert_true(store_warning(s, i, &w));
		assert_int_equal(w.item, i + 1);
	}
	close_text(s);
	sbuf_free(&text);
}

/* ---- texts that come late -------------------------------------------------------------------- */

enum { OPS = 40000, BACK = 14000, EVERY = 250 };

/* Each op ends in its cycle; of every 250th two more parts of the text come 14 000 ops later. */
static struct store *open_late(void)
{
	struct sbuf text = {0};
	struct store *s;

	sbuf_puts(&text, HEAD);
	for (int i = 0; i < OPS; i++) {
		sbuf_printf(&text, "I\t%d\t0\t0\nL\t%d\t0\t%x: op%d\n", i, i, 0x1000 + 4 * (i % 64), i % 7);
		sbuf_printf(&text, "S\t%d\t0\tF\nL\t%d\t1\t%0300d\nC\t1\nR\t%d\t0\t0\n", i, i, i, i);
		if (i >= BACK && i % EVERY == 0)
			sbuf_printf(&text, "L\t%d\t0\t late %d\nL\t%d\t0\t.\n", i - BACK, i % 3,
				    i - BACK);
	}
	assert_true(text.len > 12 << 20); /* several pieces, most of them packed by then */
	s = open_text(text.text, text.len);
	sbuf_free(&text);
	return s;
}

static uint64_t count_filtered(struct store *s, const char *pattern)
{
	struct filter_spec spec = {0};
	struct regex *regex;
	struct filter *f;
	struct error e;
	uint64_t count;

	assert_int_equal(regex_new(&regex, pattern, &e), STATUS_OK);
	spec.text = regex;
	assert_int_equal(filter_new(&f, s, &spec, NULL, &e), STATUS_OK);
	count = filter_count(f);
	filter_free(f);
	regex_free(regex);
	return count;
}

/* Filters, tables and the column beside the rows have the same text as is read again for them. */
TEST(late_texts_are_in_the_index)
{
	struct store *s = open_late();
	struct truth t;
	size_t late = 0;

	truth_load(&t, s);
	assert_int_equal(t.d.count, OPS);
	for (size_t i = 0; i < t.d.count; i++) {
		const struct detail_row *r = &t.d.rows[i];
		const char *text;
		struct row row;
		uint64_t pc;
		bool has_pc;
		size_t len;

		assert_true(store_row(s, i, &row));
		assert_true(store_code(s, row.code, &pc, &has_pc, &text, &len));
		assert_int_equal(len, r->text_len);
		assert_memory_equal(text, t.d.text.text + r->text0, len);
		assert_true(pc == 0x1000 + 4 * (i % 64));
		assert_true(row.end == r->head.end && row.fate == FATE_COMMITTED);
		late += len > 3;
	}
	assert_int_equal(late, (OPS - BACK) / EVERY);
	truth_free(&t);
	for (int part = 0; part < 3; part++) {
		char pattern[] = "late ?\\.";

		pattern[5] = (char)('0' + part);
		assert_int_equal(count_filtered(s, pattern), 34 + (part != 1));
	}
	close_text(s);
}

/* Ids: ascending without gaps, with them, not ascending, and used again. */
enum { IDS_DENSE, IDS_GAPS, IDS_MIXED, IDS_REUSED, IDS_KINDS };

enum { LONG_AGO = 70000, GENERATION = 50021, LATE_EVERY = 50 };

static int id_of(int kind, int row)
{
	switch (kind) {
	case IDS_GAPS:
		return row + row / 7 + row / 1000 * 5;
	case IDS_MIXED: /* in fives, with a hole in each */
		return row / 4 * 5 + (row * 3 + 1) % 4;
	case IDS_REUSED:
		return row % GENERATION;
	default:
		return row + 3;
	}
}

/* The row that a label in row `now` is of: any one before it that is the last with its id. */
static int labelled(int kind, int now)
{
	int row = (int)((unsigned)now * 2654435761u >> 8) % now;

	return kind == IDS_REUSED && row + GENERATION <= now ? row + GENERATION : row;
}

static struct store *open_long_ago(int kind)
{
	struct sbuf text = {0};
	struct store *s;

	sbuf_puts(&text, HEAD);
	for (int i = 0; i < LONG_AGO; i++) {
		int id = id_of(kind, i);

		sbuf_printf(&text, "I\t%d\t0\t0\nL\t%d\t0\t1000: op %d\nL\t%d\t1\t%0200d\n", id, id,
			    i, id, i);
		sbuf_printf(&text, "S\t%d\t0\tF\nC\t1\nR\t%d\t0\t0\n", id, id);
		if (i % LATE_EVERY == LATE_EVERY - 1)
			sbuf_printf(&text, "L\t%d\t0\t late %d\n", id_of(kind, labelled(kind, i)),
				    i);
	}
	s = open_text(text.text, text.len);
	sbuf_free(&text);
	return s;
}

/* A label goes to its row or, when that ended too long ago, is a warning; never to another's. */
TEST(texts_of_rows_of_long_ago)
{
	for (int kind = 0; kind < IDS_KINDS; kind++) {
		struct store *s = open_long_ago(kind);
		uint64_t late = 0;
		struct truth t;

		truth_load(&t, s);
		assert_int_equal(t.d.count, LONG_AGO);
		for (int i = 0; i < LONG_AGO; i++) {
			const struct detail_row *r = &t.d.rows[i];
			char text[256], begins[32];
			const char *part = text;
			int len = snprintf(begins, sizeof(begins), "op %d", i);

			assert_true(r->text_len < sizeof(text));
			snprintf(text, sizeof(text), "%.*s", (int)r->text_len,
				 t.d.text.text + r->text0);
			assert_int_equal(strncmp(text, begins, (size_t)len), 0);
			for (; (part = strstr(part, " late ")); late++, part++)
				assert_int_equal(labelled(kind, atoi(part + 6)), i);
		}
		assert_true(late > 100);
		assert_int_equal(note(s, "late-labels"), late);
		if (kind != IDS_REUSED)
			assert_int_equal(store_warning_count(s), LONG_AGO / LATE_EVERY - late);
		truth_free(&t);
		close_text(s);
	}
}

/* A text longer than what the index keeps of it is read where that decides. */
TEST(long_texts_are_found)
{
	struct sbuf text = {0};
	struct store *s;

	sbuf_puts(&text, HEAD);
	for (int i = 0; i < 300; i++)
		sbuf_printf(&text, "I\t%d\t0\t0\nL\t%d\t0\tmov %0*d end %d\nC\t1\n", i, i,
			    i < 200 ? 2000 : 20, 0, i % 2);
	s = open_text(text.text, text.len);
	assert_int_equal(count_filtered(s, "end 1"), 150);
	assert_int_equal(count_filtered(s, "^mov 0*$"), 0);
	close_text(s);
	sbuf_free(&text);
}

/* A label of more than 64 KiB is clipped, whether its row has ended or not. */
TEST(long_labels_are_labels)
{
	enum { MUCH = 70000 };
	struct sbuf text = {0};
	struct store *s;
	struct truth t;

	sbuf_puts(&text, HEAD "I\t0\t0\t0\n");
	for (int late = 0; late < 2; late++) {
		sbuf_puts(&text, "L\t0\t1\t");
		sbuf_repeat(&text, late ? 'b' : 'a', MUCH);
		sbuf_puts(&text, "\nC\t1\nR\t0\t0\t0\n");
	}
	text.len -= strlen("R\t0\t0\t0\n"); /* ends once */
	s = open_text(text.text, text.len);
	truth_load(&t, s);
	assert_int_equal(t.d.rows[0].note_len, 2 * LEX_LONG_LINE);
	for (uint32_t i = 0; i < t.d.rows[0].note_len; i++)
		assert_int_equal(t.d.text.text[t.d.rows[0].note0 + i], i < LEX_LONG_LINE ? 'a' : 'b');
	assert_int_equal(note(s, "late-labels"), 1);
	truth_free(&t);
	close_text(s);
	sbuf_free(&text);
}
