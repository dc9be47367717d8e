/*
 * What is made of the lines of a memory trace: numbers of any radix, what caches hold, why they
 * missed and what that cost, which object is where; small texts against what was counted by hand, and
 * objects against a plain search.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/ids.h"
#include "memory/memory_private.h"
#include "source/source.h"
#include "testing.h"

static struct trace *read_bytes(const char *text, size_t len, const struct memory_settings *set)
{
	struct trace_settings settings = {.count = 0};
	const struct trace_options options = {.settings = &settings, .no_cache = true};
	int fd = memfd_create("memory", MFD_CLOEXEC);
	struct source *source;
	struct trace *t = NULL;
	struct error e;

	if (set)
		*(struct memory_settings *)trace_settings_of(&settings, &memory_trace_kind) = *set;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, len), len);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	if (source_open_fd(&source, fd, "text", &e) || trace_open(&t, source, &options, &e) ||
	    trace_wait(t, &e))
		fail_msg("%s", e.text);
	assert_string_equal(t->format.name, "chiron");
	trace_settings_free(&settings);
	return t;
}

static struct trace *read_text(const char *text)
{
	return read_bytes(text, strlen(text), NULL);
}

/* All is read, so nobody changes it. */
static const struct memory_index *index_of(const struct trace *t)
{
	return &memory_of(t)->index;
}

static uint64_t noted(const struct trace *t, enum memory_note note)
{
	uint64_t count;

	assert_non_null(t->kind->note(t, note, &count));
	return count;
}

/* Warnings are of these lines; 0 ends them. */
static void check_warned(struct trace *t, const uint64_t *lines)
{
	struct warning w;
	size_t n = 0;

	for (; t->kind->warning(t, n, &w); n++)
		if (w.line != lines[n])
			fail_msg("warning %zu is of line %llu instead of %llu: %s", n,
				 (unsigned long long)w.line, (unsigned long long)lines[n], w.text);
	assert_int_equal(lines[n], 0);
	trace_close(t);
}

#define WARNED(t, ...) check_warned(t, (const uint64_t[]){__VA_ARGS__})

struct totals {
	uint64_t cycles, fills[MEMORY_LEVELS][MEMORY_CAUSE_COUNT],
	    fill_cycles[MEMORY_LEVELS][MEMORY_CAUSE_COUNT], shared[MEMORY_LEVELS + 1][2];
};

static struct totals total(const struct memory_index *x)
{
	struct totals sum = {0};

	for (uint32_t i = 0; i < x->cell_count; i++) {
		const struct memory_cell *cell = &x->cells[i];

		sum.cycles += cell->cycles;
		for (int level = 0; level < MEMORY_LEVELS; level++)
			for (int cause = 0; cause < MEMORY_CAUSE_COUNT; cause++) {
				sum.fills[level][cause] += cell->fills[level][cause];
				sum.fill_cycles[level][cause] += cell->fill_cycles[level][cause];
			}
		for (int level = 0; level <= MEMORY_LEVELS; level++)
			for (int other = 0; other < 2; other++)
				sum.shared[level][other] += cell->shared[level][other];
	}
	return sum;
}

#define HEADER "i 16\ni 64\ni 2\ni 2\n"

/* ---- the text ---- */

/* The thesis's own lines: completions in small letters, octal numbers. */
TEST(test_sample)
{
	struct trace *t = read_text("i 32\ni 128\ni 8\ni 2\n"
				    "c Global 10000000000 6060 1\n"
				    "m 10000000650 0 1 1000315\n"
				    "m 10000000650 0 2 1000315\n"
				    "h 10000000650 0 2 1000315 7164\n"
				    "h 10000000650 0 1 1000315 7165\n"
				    "w 10000000650 0 1000315 57\n"
				    "m 10000000620 0 1 1000370\n"
				    "h 10000000620 0 1 1000370 7366\n"
				    "w 10000000620 0 1000370 20\n");
	const struct memory_index *x = index_of(t);
	const struct totals sum = total(x);

	assert_int_equal(x->radix, 8);
	assert_int_equal(x->block_bytes[MEMORY_L2], 128);
	assert_int_equal(x->caches[MEMORY_L1], 8);
	assert_int_equal(x->stay_count, 3);
	assert_int_equal(x->reference_count, 2);
	assert_int_equal(x->line_count, 2);
	assert_int_equal(x->lines[0].file, 1);
	assert_int_equal(x->lines[0].line, 0315);
	assert_int_equal(x->objects[0].address, 1 << 30);
	assert_int_equal(x->objects[0].size, 06060);
	assert_int_equal(x->cells[0].object, 0);
	assert_int_equal(x->cells[0].writes, 1);
	assert_int_equal(x->references[0].tick, 07165);
	assert_int_equal(x->references[0].cycles, 47);
	assert_int_equal(sum.fills[MEMORY_L1][MEMORY_COLD], 2);
	assert_int_equal(sum.fill_cycles[MEMORY_L1][MEMORY_COLD], 16);
	assert_int_equal(sum.fill_cycles[MEMORY_L2][MEMORY_COLD], 47);
	WARNED(t, 0);
}

static void check_number(const char *text, uint32_t radix, unsigned want_radix, uint64_t address,
			 uint32_t file, uint32_t line)
{
	const struct memory_settings set = {.radix = radix};
	struct trace *t = read_bytes(text, strlen(text), &set);
	const struct memory_index *x = index_of(t);

	assert_int_equal(x->radix, want_radix);
	assert_int_equal(x->words[0].address, address);
	assert_int_equal(x->lines[0].file, file);
	assert_int_equal(x->lines[0].line, line);
	trace_close(t);
}

TEST(test_radix)
{
	check_number(HEADER "c k89 400 10 0\ng 100 0 1 1000012 7\n", 0, 8, 64, 1, 10);
	check_number(HEADER "c k89 400 10 0\ng 100 0 1 1000012 8\n", 0, 10, 100, 1, 12);
	check_number(HEADER "g 100 0 1 1000012 a\n", 0, 16, 256, 1, 18);
	check_number(HEADER "g 0x100 0x0 0x1 0x1000012 0x7\n", 0, 16, 256, 1, 18);
	check_number(HEADER "a bad day\nd bad 100 10 0\ng 100 0 1 1000012 7\n", 0, 8, 64, 1, 10);
	check_number(HEADER "g 100 0 1 1000012 7\n", 10, 10, 100, 1, 12);
	check_number(HEADER "g 1777777777777777777774 0 1 12 7\n", 0, 8, UINT64_MAX - 3, 0, 10);
	check_number(HEADER "g 12345670123456701234567 0 1 12 7\ng 100 0 1 12 7\n", 0, 8, 64, 0, 10);
}

/* Line ends, blanks, comments and more header lines are as people write them. */
TEST(test_tolerance)
{
	struct trace *t = read_text("# made by hand\r\ni 16\r\ni 64\r\n\ni 2\r\n i 2 \r\ni 99\r\n"
				    "\tg  100\t0 1  1000012 7 \r\n"
				    "R 100 0 1000012 20\r\n"
				    "W 100 0 1000012 20 5 6 7 0 1\n"
				    "r 100 0\nw 100 0\nR 100 0 20\n"
				    "R 100 0 1000012 21");
	const struct memory_index *x = index_of(t);

	assert_int_equal(x->stay_count, 1);
	assert_int_equal(x->reference_count, 3);
	assert_int_equal(total(x).cycles, 16 + 16 + 17);
	assert_int_equal(x->cells[0].reads, 2);
	assert_int_equal(noted(t, MEMORY_NOTE_AMBIGUOUS), 1);
	WARNED(t, 13, 0);
}

TEST(test_bad_lines)
{
	static const char text[] = HEADER "g 100 0 1 1000012 10\n" /* line 5 */
					  "Q 100 0 1 1000012 10\n"
					  "hello\n"
					  "g 100 0 3 1000012 10\n"
					  "g 100 x 1 1000012 10\n"
					  "g 100 0 1 1000012\n"
					  "g 100 0 1 1000012 7777777777777777777777\n"
					  "g 100 10000 1 1000012 10\n"
					  "R 100\n"
					  "c name\n"
					  "b 100 0 1 1000012 10\n"
					  "\0g 100 0 1 1000012 10\n"
					  "R 100 0 1000012 20\n"
					  "e 100 0";
	struct trace *t = read_bytes(text, sizeof(text) - 1, NULL);

	assert_int_equal(index_of(t)->stay_count, 1);
	assert_int_equal(index_of(t)->reference_count, 1);
	assert_int_equal(noted(t, MEMORY_NOTE_UNKNOWN), 1);
	assert_int_equal(noted(t, MEMORY_NOTE_WRONG), 11);
	WARNED(t, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 18, 0);
}

/* A file that is cut while it is read has zeros where lines were: nothing is read behind them. */
TEST(test_cut_meanwhile)
{
	static const char *const left[] = {"", "g", "c name", "c ", "R 1000 0 1000001 2", " ", "#", "x y"};
	enum { ROOM = 64 };

	for (size_t i = 0; i < sizeof(left) / sizeof(left[0]); i++) {
		char *text = calloc(1, ROOM);
		struct memory_record r;

		memcpy(text, left[i], strlen(left[i]));
		assert_ptr_equal(chiron_line(text, text + ROOM, 8, &r), text + ROOM);
		assert_ptr_equal(chiron_line(text + ROOM - 1, text + ROOM, 8, &r), text + ROOM);
		free(text);
	}
}

static void check_geometry(const char *text, const struct memory_settings *set, uint32_t l1_bytes,
			   uint32_t l1_caches, uint64_t warning)
{
	struct trace *t = read_bytes(text, strlen(text), set);

	assert_int_equal(index_of(t)->block_bytes[MEMORY_L1], l1_bytes);
	assert_int_equal(index_of(t)->caches[MEMORY_L1], l1_caches);
	WARNED(t, warning, 0);
}

TEST(test_header)
{
	const struct memory_settings set = {.geometry = {16, 32, 4, 1}};
	static const char records[] = "g 100 0 1 1000012 10\nR 100 0 1000012 20\n";

	for (int lines = 0; lines < 4; lines++) {
		char text[200] = "";

		for (int i = 0; i < lines; i++)
			strcat(text, "i 64\n");
		strcat(text, records);
		check_geometry(text, &set, 16, 4, 0);
	}
	check_geometry("i 0\ni 64\ni 2\ni 2\ng 100 0 1 1000012 10\n", &set, 16, 4, 0);
	check_geometry("i 24\ni 64\ni 2\ni 2\ng 100 0 1 1000012 10\n", &set, 16, 4, 0);
	check_geometry("i 64\ni 32\ni 2\ni 2\ng 100 0 1 1000012 10\n", &set, 16, 4, 0);
	check_geometry("i 16\ni 32\ni 2\ni 99999999999\ng 100 0 1 1000012 10\n", &set, 16, 4, 0);
	check_geometry(HEADER "g 100 0 1 1000012 10\n", &set, 16, 2, 0);
	/* of a line that cannot be only its own number is guessed */
	check_geometry("# of\ni 64\ni 32\ni 2\ni 2\ng 100 0 1 1000012 10\n", NULL, 64, 2, 3);
	check_geometry("i 16\ni 64\ni 99999999999999999999\ni 2\ng 100 0 1 1000012 10\n", NULL, 16, 8, 3);
	check_geometry("i 16\ni x\ni 2\ni 2\ng 100 0 1 1000012 10\n", NULL, 16, 2, 2);
}

TEST(test_no_header)
{
	struct trace *t = read_text("g 100 0 1 1000012 10\nR 100 0 1000012 20\n");
	struct warning w;

	assert_int_equal(index_of(t)->block_bytes[MEMORY_L1], 32);
	assert_int_equal(index_of(t)->caches[MEMORY_L1], 8);
	assert_true(t->kind->warning(t, 0, &w));
	assert_non_null(strstr(w.text, "--geom"));
	trace_close(t);
}

/* So many lines that the text comes in pieces, and what tells of the numbers is only a part of it. */
TEST(test_long_text)
{
	enum { REFERENCES = ROUNDS(60000) };
	char *text = malloc(REFERENCES * 64 + 64), *end = stpcpy(text, HEADER);
	uint64_t cycles = 0;
	struct trace *t;

	for (unsigned i = 0; i < REFERENCES; i++) {
		end += sprintf(end, "g %o 0 1 1000012 %o\nR %o 0 1000012 %o\n", i % 1000 * 16, i,
			       i % 1000 * 16, i % 77);
		cycles += i % 77;
	}
	t = read_bytes(text, (size_t)(end - text), NULL);
	assert_int_equal(index_of(t)->stay_count, REFERENCES);
	assert_int_equal(index_of(t)->reference_count, REFERENCES);
	assert_int_equal(total(index_of(t)).cycles, cycles);
	assert_int_equal(noted(t, MEMORY_NOTE_RELOADED), REFERENCES - 1000);
	trace_close(t);
	free(text);
}

/* ---- why caches missed ---- */

/*
 * Two CPUs, 0 and @, which is % at level 2. Losses of CPU 0 to @ are of & at level 1 and $ at level 2,
 * as the trace says it; those of @ are not in it.
 */
static const char story[] =
    "i 16\ni 64\ni 4\ni 2\n"
    "c low 1000 20 0\nc high 1020 20 0\n"
    "g 1000 0 2 1000001 10\ng 1000 0 1 1000001 11\nR 1000 0 1000001 57\n" /* cold */
    "f 1004 & 1 1000002 20\nf 1004 $ 2 1000002 20\n"
    "h 1004 % 2 1000002 21\nh 1004 @ 1 1000002 22\nW 1004 @ 1000002 57\n" /* cold */
    "g 1000 0 2 1000003 30\ng 1000 0 1 1000003 31\nR 1000 0 1000003 60\n" /* false */
    "f 1000 & 1 1000004 40\nf 1000 $ 2 1000004 40\n"
    "p 1000 % 2 1000004 41\np 1000 @ 1 1000004 42\nW 1000 @ 1000004 20\n"
    "g 1000 0 2 1000005 50\ng 1000 0 1 1000005 51\nR 1000 0 1000005 61\n" /* true */
    "g 1020 0 1 1000006 60\nR 1020 0 1000006 20\n"			  /* cold in L1 */
    "f 1000 & 1 1000007 70\nf 1020 & 1 1000007 70\nf 1000 $ 2 1000007 70\n"
    "p 1000 % 2 1000007 71\np 1000 @ 1 1000007 72\nW 1000 @ 1000007 20\n"
    "g 1020 0 2 1000010 100\ng 1020 0 1 1000010 101\nR 1020 0 1000010 62\n" /* false, inclusion */
    "b 5000 0 1 1000011 110 1020\ng 5000 0 2 1000011 111\ng 5000 0 1 1000011 112\n"
    "R 5000 0 1000011 57\n"						  /* cold */
    "g 1020 0 1 1000012 120\nR 1020 0 1000012 20\n";			  /* replacement */

static struct trace *tell(char other, char pair, char loser, char loser2)
{
	char text[sizeof(story)];

	strcpy(text, story);
	for (char *p = text; *p; p++)
		*p = *p == '@'	 ? other
		     : *p == '%' ? pair
		     : *p == '&' ? loser
		     : *p == '$' ? loser2
				 : *p;
	return read_text(text);
}

static const struct memory_culprit *culprit(const struct memory_index *x, uint32_t victim_line)
{
	for (uint32_t i = 0; i < x->culprit_count; i++)
		if (x->lines[x->culprits[i].victim_line].line == victim_line &&
		    x->culprits[i].level == MEMORY_L2)
			return &x->culprits[i];
	fail_msg("no culprit of line %u", victim_line);
	return NULL;
}

static void check_story(struct trace *t, bool cache_ids, bool by_taker)
{
	static const struct totals want = {
	    .fills = {{4, 1, 1, 1, 1}, {3, 0, 1, 2, 0}},
	    .fill_cycles = {{16, 16, 0, 0, 0}, {3 * 47, 0, 49, 48 + 50, 0}},
	    /* loads, at L1 with those that missed L2, too; and two writes */
	    .shared = {{49 + 2 * 16, 48}, {49 + 2 * 16, 48 + 50}, {49 + 2 * 16, 48 + 50}},
	};
	const struct memory_index *x = index_of(t);
	const struct totals got = total(x);
	const struct memory_stay *first = memory_stay(x, 0), *last = memory_stay(x, x->stay_count - 1);

	assert_int_equal(x->cache_ids, cache_ids);
	assert_int_equal(x->by_taker, by_taker);
	assert_memory_equal(got.fills, want.fills, sizeof(want.fills));
	assert_memory_equal(got.fill_cycles, want.fill_cycles, sizeof(want.fill_cycles));
	assert_memory_equal(got.shared, want.shared, sizeof(want.shared));
	assert_int_equal(got.cycles, 3 * 47 + 49 + 48 + 50 + 4 * 16);
	assert_int_equal(x->stay_count, 14);
	/* the first block of the L2 cache goes, as the other CPU writes */
	assert_int_equal(first->start, 010);
	assert_int_equal(first->end, 020);
	assert_int_equal(first->ending, MEMORY_INVALIDATED);
	assert_int_equal(x->cells[first->taker].cpu, 2);
	assert_int_equal(x->words[x->cells[first->taker].word].address, 01004);
	assert_int_equal(x->lines[x->cells[first->taker].line].line, 2);
	assert_int_equal(last->end, MEMORY_OPEN);
	assert_int_equal(last->cause, MEMORY_REPLACEMENT);
	/* of the second, private from its load, it becomes shared */
	assert_true(memory_stay(x, 2)->private);
	assert_int_equal(memory_stay(x, 2)->change, 030 - 021);
	assert_int_equal(x->lines[culprit(x, 3)->line].line, 2);
	assert_int_equal(culprit(x, 3)->cause, MEMORY_FALSE);
	assert_int_equal(culprit(x, 3)->cycles, 48);
	assert_int_equal(x->lines[culprit(x, 5)->line].line, 4);
	assert_int_equal(culprit(x, 010)->object, 0);
	assert_int_equal(culprit(x, 010)->victim_object, 1);
	assert_int_equal(x->eviction_count, 1);
	assert_int_equal(x->blocks[x->evictions[0].victim].address, 01020);
	assert_int_equal(x->blocks[x->evictions[0].by].address, 05000);
	WARNED(t, 0);
}

/* Which word of the block around an address cost most. */
static uint64_t dearest(const struct trace *t, enum memory_level level, uint64_t address)
{
	const struct memory_index *x = &memory_of(t)->index;
	const uint32_t word = x->blocks[memory_block_at(t, level, address)].word;

	return word == MEMORY_NONE ? 0 : x->words[word].address;
}

/* Of equals the first; one that nothing completed names its block if no other is there. */
TEST(test_dearest_words)
{
	struct trace *t = read_text(HEADER "h 1000 0 1 1000001 10\nW 1000 0 1000001 20\n"
					   "h 1004 0 1 1000001 20\nW 1004 0 1000001 40\n"
					   "h 1020 0 1 1000001 30\nW 1020 0 1000001 30\n"
					   "h 2000 0 1 1000001 40\n");

	assert_int_equal(dearest(t, MEMORY_L1, 01000), 01004);
	assert_int_equal(dearest(t, MEMORY_L2, 01000), 01004);
	assert_int_equal(dearest(t, MEMORY_L1, 01020), 01020);
	assert_int_equal(dearest(t, MEMORY_L1, 02000), 02000);
	trace_close(t);
	t = read_text(HEADER "h 1000 0 1 1000001 10\nW 1000 0 1000001 20\nW 1004 0 1000001 40\n"
			     "W 1000 0 1000002 20\nW 1010 0 1000001 40\n");
	assert_int_equal(dearest(t, MEMORY_L1, 01000), 01000);
	assert_int_equal(dearest(t, MEMORY_L2, 01000), 01000);
	trace_close(t);
}

TEST(test_verdicts)
{
	check_story(tell('2', '2', '0', '0'), false, false);
	check_story(tell('2', '1', '0', '0'), true, false);
	check_story(tell('2', '2', '2', '2'), false, true);
	check_story(tell('2', '1', '2', '1'), true, true);
}

/* A write that hit is not in the trace; the mask of the load tells of it. */
TEST(test_masks)
{
	struct trace *t = read_text(HEADER "g 1000 0 1 1000001 10 0\nR 1000 0 1000001 20\n"
					   "f 1004 0 1 1000002 20\n"
					   "h 1004 1 1 1000002 21 0\nW 1004 1 1000002 20\n"
					   "g 1000 0 1 1000003 30 3\nR 1000 0 1000003 20\n"
					   "f 1004 0 1 1000002 40\n"
					   "p 1004 1 1 1000002 41\nW 1004 1 1000002 20\n"
					   "g 1000 0 1 1000003 50 2\nR 1000 0 1000003 20\n");
	const struct totals sum = total(index_of(t));

	assert_true(index_of(t)->masks);
	assert_int_equal(sum.fills[MEMORY_L1][MEMORY_TRUE], 1);
	assert_int_equal(sum.fills[MEMORY_L1][MEMORY_FALSE], 1);
	trace_close(t);
	t = read_text(HEADER "g 1000 0 1 1000001 10 0\ng 1000 1 1 1000001 11\n");
	assert_false(index_of(t)->masks);
	trace_close(t);
}

/* Writes to a block that others have: what these loaded it for tells true sharing from false. */
TEST(test_upgrades)
{
	static const uint64_t want[MEMORY_LEVELS + 1][2] = {{20, 30}, {0, 0}, {20, 30}};
	struct trace *t = read_text(HEADER "g 1000 0 1 1000001 10\nR 1000 0 1000001 1\n"
					   "g 1004 1 1 1000002 11\nR 1004 1 1000002 1\n"
					   "f 1004 1 1 1000003 20\n"
					   "p 1004 0 1 1000003 21\nW 1004 0 1000003 24\n"
					   "g 1020 0 1 1000004 30\nR 1020 0 1000004 1\n"
					   "g 1024 1 1 1000005 31\nR 1024 1 1000005 1\n"
					   "f 1020 1 1 1000006 40\n"
					   "p 1020 0 1 1000006 41\nW 1020 0 1000006 36\n"
					   "g 1040 0 1 1000007 50\nR 1040 0 1000007 1\n" /* its own */
					   "p 1040 0 1 1000010 51\nW 1040 0 1000010 50\n");

	assert_memory_equal(total(index_of(t)).shared, want, sizeof(want));
	trace_close(t);
}

/* What cannot be is counted, and told where it is. */
TEST(test_contradictions)
{
	struct trace *t = read_text(HEADER "h 1000 0 1 1000001 20\n"
					   "d 1000 0\n"
					   "h 1000 0 1 1000001 30\n"	   /* is there */
					   "h 1000 1 1 1000001 31\n"	   /* both private */
					   "e 1000 0 1 1000001 40\n"
					   "e 1000 0 1 1000001 41\n"	   /* lost before */
					   "a 2000 1 1 1000001 42 3000\n"  /* never loaded */
					   "g 2000 1 1 1000001 10\n"	   /* earlier */
					   "g 2000 5 1 1000001 50\n"	   /* a CPU of its own */
					   "R 2000 5 1000001 20\n");
	const struct memory_index *x = index_of(t);
	static const uint64_t stays[] = {1, 2, 1, 4};
	struct warning w;

	assert_int_equal(noted(t, MEMORY_NOTE_DELETED), 1);
	assert_int_equal(noted(t, MEMORY_NOTE_RELOADED), 1);
	assert_int_equal(noted(t, MEMORY_NOTE_BOTH), 1);
	assert_int_equal(noted(t, MEMORY_NOTE_ABSENT), 1);
	assert_int_equal(noted(t, MEMORY_NOTE_FIRST), 1);
	assert_int_equal(noted(t, MEMORY_NOTE_BACKWARDS), 1);
	assert_int_equal(noted(t, MEMORY_NOTE_CPUS), 1);
	assert_int_equal(x->caches[MEMORY_L1], 6);
	assert_int_equal(x->stay_count, 6);
	assert_int_equal(memory_stay(x, 0)->end, 030);
	/* what was never loaded was there from the first */
	assert_int_equal(memory_stay(x, 3)->start, 020);
	assert_int_equal(memory_stay(x, 3)->end, 042);
	assert_int_equal(memory_stay(x, 3)->cell, MEMORY_NONE);
	/* warnings lead to the stay that they are about */
	for (size_t i = 0; i < sizeof(stays) / sizeof(stays[0]); i++) {
		assert_true(t->kind->warning(t, 1 + i, &w));
		assert_int_equal(w.item, stays[i]);
	}
	WARNED(t, 6, 7, 8, 10, 12, 13, 0);
}

/* The time of a wait whose load came before the text is not known: it does not begin at 0. */
TEST(test_began_late)
{
	struct trace *t = read_text(HEADER "W 1000 0 1000001 2\n"
					   "g 1000 1 1 1000001 2000\nR 1000 1 1000001 4\n");

	assert_int_equal(index_of(t)->references[0].tick, 02000);
	assert_int_equal(index_of(t)->first, 02000);
	WARNED(t, 0);
}

/* Loads without a completion, as of a trace that has none, are of their own word and line. */
TEST(test_no_completions)
{
	struct trace *t = read_text(HEADER "g 1000 0 2 1000001 10\ng 1000 0 1 1000001 11\n"
					   "g 2000 0 1 1000002 20\n");
	const struct totals sum = total(index_of(t));

	assert_int_equal(index_of(t)->cell_count, 2);
	assert_int_equal(sum.fills[MEMORY_L1][MEMORY_COLD], 2);
	assert_int_equal(sum.fills[MEMORY_L2][MEMORY_COLD], 1);
	assert_int_equal(sum.cycles, 0);
	WARNED(t, 0);
}

/* ---- objects ---- */

static const char *name_of_cell(const struct trace *t, uint32_t cell)
{
	const struct memory_index *x = index_of(t);
	const uint32_t object = x->cells[cell].object;

	return object == MEMORY_NONE ? "?" : memory_class(t, x->objects[object].class);
}

TEST(test_objects)
{
	struct trace *t = read_text(HEADER "c outer 1000 100 0\nc inner 1010 10 0\n"
					   "R 1010 0 1 1\nR 1020 0 2 1\nR 1100 0 3 1\n"
					   "d 1010 0\nR 1010 0 4 1\n"
					   "c other 1010 20 0\nR 1010 0 5 1\nd other 1010 20 0\n"
					   "c inner 1010 10 0\nd 1010 10 0\nR 1010 0 6 1\n"
					   "c half 1010 2 0\nR 1010 0 7 1\nR 1012 0 7 1\n"
					   "c outer 1000 100 0\n");
	static const char *const want[] = {"inner", "outer", "?",    "outer",
					   "other", "outer", "half", "outer"};
	const struct memory_index *x = index_of(t);

	assert_int_equal(x->cell_count, 8);
	for (uint32_t i = 0; i < x->cell_count; i++)
		assert_string_equal(name_of_cell(t, i), want[i]);
	assert_int_equal(x->object_count, 5); /* the last line makes what is there */
	assert_int_equal(x->objects[0].parent, MEMORY_NONE);
	assert_int_equal(x->objects[1].parent, 0);
	assert_int_equal(x->objects[3].ordinal, 1);
	assert_int_equal(x->objects[0].died, MEMORY_OPEN);
	assert_true(x->objects[1].died != MEMORY_OPEN);
	WARNED(t, 0);
}

static uint32_t below(uint32_t n)
{
	static uint64_t state = 88172645463325252u;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)(state >> 11) % n;
}

static uint32_t plain_search(const struct memory *m, uint64_t address)
{
	uint32_t best = MEMORY_NONE;

	for (uint32_t i = 0; i < m->objects.count; i++) {
		const struct memory_object *o = &m->objects.data[i];

		if (o->died == MEMORY_OPEN && address - o->address < o->size &&
		    (best == MEMORY_NONE || o->size <= m->objects.data[best].size))
			best = i;
	}
	return best;
}

/* Nested, overlapping, of one place, as large as the address space, made and deleted at random. */
TEST(test_objects_at_random)
{
	static const char *const names[] = {"a", "b", "c"};

	for (int round = 0; round < ROUNDS(40); round++) {
		const uint64_t base = round % 2 ? 0x1000 : UINT64_MAX - 0x1fff;
		struct memory *m = calloc(1, sizeof(*m));

		m->lines.last = -1;
		m->classes = intern_new();
		m->ids[OBJECT_IDS] = ids_new();
		for (int step = 0; step < 300; step++) {
			struct memory_record r = {.letter = 'c',
						  .address = base + below(64) * (below(2) ? 64 : 3),
						  .size = below(8) ? below(1 << below(13))
								   : UINT64_MAX >> below(64),
						  .name = names[below(3)],
						  .name_len = 1};

			if (below(3))
				memory_create(m, &r);
			else
				memory_delete(m, &r);
			for (int i = 0; i < 20; i++) {
				const uint64_t at = base + below(0x2000);

				assert_int_equal(memory_object_at(m, at), plain_search(m, at));
			}
			assert_false(m->lines.failed);
		}
		ids_free(m->ids[OBJECT_IDS]);
		vec_free(&m->objects);
		vec_free(&m->instances);
		vec_free(&m->lines.warnings);
		intern_free(m->classes);
		free(m);
	}
}
