/*
 * From records to a trace: the text, whatever pieces they come in and wherever they end; what makes no
 * sense; names of what a line makes; and this very program as the one that is recorded.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/capture.h"
#include "capture/program.h"
#include "simulator/simulator.h"
#include "testing.h"

/* As libpgmem tells it. */
extern const char __ehdr_start[] __attribute__((visibility("hidden")));

struct stream {
	char bytes[4096];
	size_t len;
};

static void add(struct stream *s, struct sim_record r)
{
	memcpy(s->bytes + s->len, &r, sizeof(r));
	s->len += sizeof(r);
}

static void add_text(struct stream *s, uint32_t id, const char *text)
{
	const size_t len = strlen(text), whole = (len + 39) / 40 * 40;

	add(s, (struct sim_record){.type = SIM_TEXT, .text = id, .other = len});
	memset(s->bytes + s->len, 0, whole);
	memcpy(s->bytes + s->len, text, len);
	s->len += whole;
}

static void begin(struct stream *s, uint64_t mark)
{
	s->len = 0;
	add(s, (struct sim_record){.type = SIM_BEGIN, .time = SIM_RECORDS_VERSION, .other = mark});
	add(s, (struct sim_record){
		   .type = SIM_CACHES, .address = 16, .other = 128, .cpu = 4, .text = 2});
}

static void add_reference(struct stream *s, uint64_t pc, uint64_t address)
{
	static const char types[] = {SIM_MISS, SIM_MISS, SIM_LOAD_PRIVATE, SIM_LOAD_PRIVATE};
	static const uint8_t levels[] = {1, 2, 2, 1};

	for (int i = 0; i < 4; i++)
		add(s, (struct sim_record){.type = types[i],
					   .level = levels[i],
					   .cpu = 3,
					   .pc = pc,
					   .address = address,
					   .other = 5,
					   .time = i < 2 ? 0 : 63 + i});
	add(s, (struct sim_record){
		   .type = SIM_WRITE, .cpu = 3, .pc = pc, .address = address, .time = 47});
}

static const char small_text[] = "i 16\ni 128\ni 4\ni 2\n"
				 "c Array_A 1000 600 0\n"
				 "m 1010 3 1 1000007\nm 1010 3 2 1000007\n"
				 "h 1010 3 2 1000007 101 5\nh 1010 3 1 1000007 102 5\n"
				 "W 1010 3 1000007 57\n"
				 "d 1000 0\n";

static void make_small(struct stream *s)
{
	begin(s, 0);
	add_text(s, 1, "Array A");
	add(s, (struct sim_record){.type = SIM_OBJECT, .address = 01000, .other = 0600, .text = 1});
	add_reference(s, 010, 01010); /* a place without a source: 7 bytes from the beginning */
	add(s, (struct sim_record){.type = SIM_DELETED, .address = 01000});
	add(s, (struct sim_record){.type = SIM_END, .time = 99, .other = 7, .address = 47});
}

static struct capture *fed(const struct stream *s, size_t len, size_t piece)
{
	struct capture *c = capture_new("none");
	struct error e;

	assert_non_null(c);
	for (size_t at = 0; at < len; at += piece)
		assert_int_equal(capture_feed(c, s->bytes + at,
					      len - at < piece ? len - at : piece, &e),
				 STATUS_OK);
	return c;
}

TEST(test_text_in_pieces)
{
	static struct stream s;

	make_small(&s);
	for (size_t piece = 1; piece <= s.len; piece++) {
		struct capture *c = fed(&s, s.len, piece);
		const struct capture_totals *t = capture_totals(c);
		const struct capture_object *o;

		assert_string_equal(sbuf_text(capture_text(c)), small_text);
		assert_int_equal(capture_totals(c)->state, CAPTURE_ENDED);
		assert_int_equal(t->misses, 1);
		assert_int_equal(t->references, 7);
		assert_int_equal(t->cycles, 99);
		assert_int_equal(t->bad, 0);
		assert_int_equal(capture_objects(c, &o), 1);
		assert_string_equal(o->name, "Array A");
		assert_int_equal(o->how, CAPTURE_NAMED);
		capture_free(c);
	}
}

/* Wherever it is cut, there are whole lines of the same text, and no end. */
TEST(test_cut)
{
	static struct stream s;

	make_small(&s);
	for (size_t len = 0; len < s.len; len++) {
		struct capture *c = fed(&s, len, 64);
		const struct sbuf *text = capture_text(c);

		assert_memory_equal(sbuf_text(text), small_text, text->len);
		assert_true(!text->len || text->text[text->len - 1] == '\n');
		assert_int_equal(capture_totals(c)->state,
				 len < sizeof(struct sim_record) ? CAPTURE_EMPTY : CAPTURE_RUNS);
		capture_free(c);
	}
}

TEST(test_nonsense)
{
	static struct stream s;
	struct capture *c;

	begin(&s, 0);
	add(&s, (struct sim_record){.type = 'z'});
	add(&s, (struct sim_record){.type = SIM_OBJECT, .text = 4, .address = 8, .other = 8});
	add(&s, (struct sim_record){.type = 0});
	add_text(&s, 1, "a deadlock at 0x1234");
	add(&s, (struct sim_record){.type = SIM_GAVE_UP, .text = 1});
	c = fed(&s, s.len, 33);
	assert_int_equal(capture_totals(c)->bad, 3);
	assert_int_equal(capture_totals(c)->state, CAPTURE_GAVE_UP);
	assert_string_equal(capture_totals(c)->message, "a deadlock at 0x1234");
	assert_string_equal(sbuf_text(capture_text(c)), "i 16\ni 128\ni 4\ni 2\n");
	capture_free(c);
}

/* Another version, no records at all, a text of no end: no more is taken. */
TEST(test_foreign)
{
	static struct stream s;
	const struct sim_record first[] = {
	    {.type = SIM_BEGIN, .time = SIM_RECORDS_VERSION + 1},
	    {.type = SIM_MISS, .time = SIM_RECORDS_VERSION},
	};

	for (size_t i = 0; i < 2; i++) {
		struct capture *c;

		s.len = 0;
		add(&s, first[i]);
		add(&s, (struct sim_record){.type = SIM_DELETED});
		c = fed(&s, s.len, 40);
		assert_int_equal(capture_totals(c)->state, CAPTURE_FOREIGN);
		assert_int_equal(capture_text(c)->len, 0);
		capture_free(c);
	}
	begin(&s, 0);
	add(&s, (struct sim_record){.type = SIM_TEXT, .text = 1, .other = UINT64_MAX});
	add(&s, (struct sim_record){.type = SIM_DELETED});
	struct capture *c = fed(&s, s.len, 40);

	assert_int_equal(capture_totals(c)->state, CAPTURE_FOREIGN);
	capture_free(c);
}

static void check_name(const char *text, int line, const char *want)
{
	struct program *p = program_open("any", 0);
	struct sbuf name = {0};
	const bool found = program_put_name(p, text, strlen(text), line, &name);

	if (found != (want != NULL) || (found && strcmp(sbuf_text(&name), want) != 0))
		fail_msg("%s, line %d: %s", text, line, sbuf_text(&name));
	sbuf_free(&name);
	program_close(p);
}

TEST(test_site_names)
{
	static const char *const sites[][2] = {
	    {"	Global = aligned_alloc(128, sizeof(*Global));", "Global"},
	    {"	p->next = new Node(1);", "Node"},
	    {"	auto *n = new (std::nothrow) tree::Node<int, 4>[n == 1];", "tree::Node<int,4>"},
	    {"	int *count = new int[n];", "count"},
	    {"	struct node *n = malloc(sizeof *n);", "n"},
	    {"	if (a == b) rows[i + 1] = calloc(n, 1);", "rows[i+1]"},
	    {"	while ((q = xmalloc(a <= b)) == NULL)", "q"},
	    {"	*out = strdup(x);", "out"},
	    {"	s->list->data = realloc(s->list->data, n);", "s->list->data"},
	    {"	err = posix_memalign((void **)&buffer, 64, n);", "buffer"},
	    {"	return new const Molecule;", "Molecule"},
	    {"	return malloc(newest == 1);", NULL},
	    {"	free(p);", NULL},
	    {"	for (int i = 0; i < n; i++) all.emplace_back(i);", NULL},
	    {"	auto two = std::make_unique<sim::Counter>();", "two"},
	    {"", NULL},
	};

	for (size_t i = 0; i < sizeof(sites) / sizeof(sites[0]); i++)
		check_name(sites[i][0], 1, sites[i][1]);
}

TEST(test_site_statement)
{
	static const char text[] = "int x; /* a new Node */\n"
				   "	global =\n"
				   "		malloc(1);\n"
				   "	f(malloc(2));\n"
				   "	/* a new Node */\n"
				   "\n"
				   "	// a new Node\n"
				   "	all = calloc(n, 1); // a new Node\n"
				   "\n"
				   "	last = malloc(3)";
	static const char *const want[] = {NULL, NULL, NULL, "global", NULL,   NULL,
					   NULL, NULL, "all", NULL, "last", NULL};

	for (int line = 0; line < 12; line++)
		check_name(text, line, want[line]);
}

/* ---- this program ---- */

/* AddressSanitizer makes a variable larger than its type. */
#define AS_IT_IS __attribute__((no_sanitize("address")))

static AS_IT_IS struct {
	int head;
	struct {
		int a, b;
	} inner;
	int tail[4];
} some_data = {.head = 1};

struct pointed {
	long first, second;
};
static AS_IT_IS struct pointed *volatile some_pointer;

static uint64_t made_at;

__attribute__((noinline)) static void *my_alloc(size_t size)
{
	made_at = (uint64_t)(uintptr_t)__builtin_return_address(0);
	return malloc(size);
}

static bool has(struct capture *c, const char *part)
{
	return strstr(sbuf_text(capture_text(c)), part) != NULL;
}

TEST(test_own_names)
{
	static struct stream s;
	struct sbuf place = {0};
	struct capture *c;
	struct program *p = program_open("/proc/self/exe", (uint64_t)(uintptr_t)__ehdr_start);
	struct error e = {0};
	char line[200];

	some_pointer = my_alloc(sizeof(*some_pointer));
	begin(&s, (uint64_t)(uintptr_t)__ehdr_start);
	add(&s, (struct sim_record){.type = SIM_OBJECT,
				    .pc = made_at,
				    .address = 01000,
				    .other = sizeof(*some_pointer)});
	add_text(&s, 1, "First");
	add(&s, (struct sim_record){.type = SIM_OBJECT, .address = 01000, .other = 8, .text = 1});
	add_reference(&s, made_at, 01010);
	add_reference(&s, made_at, (uint64_t)(uintptr_t)&some_data.inner);
	add_reference(&s, made_at, (uint64_t)(uintptr_t)&some_pointer);
	add(&s, (struct sim_record){.type = SIM_DELETED, .address = 01000});
	c = capture_new("/proc/self/exe");
	assert_int_equal(capture_feed(c, s.bytes, s.len, &e), STATUS_OK);
	program_put_address(p, made_at, &place);
#ifdef HAVE_LIBDW
	assert_non_null(strstr(sbuf_text(&place), "test_capture.c:"));
	snprintf(line, sizeof(line), "c some_data %lo %zo 3\n",
		 (unsigned long)(uintptr_t)&some_data, sizeof(some_data));
	assert_true(has(c, line));
	assert_true(has(c, "c some_pointer 1000 20 0\n"));
	if (has(c, "some_data.")) { /* debug information has types */
		snprintf(line, sizeof(line), "c some_data.inner %lo 10 3\n",
			 (unsigned long)(uintptr_t)&some_data.inner);
		assert_true(has(c, line));
		assert_true(has(c, "c some_pointer.second 1010 10 3\n"));
		assert_true(has(c, "c &some_pointer "));
		assert_false(has(c, "some_pointer.first")); /* it has a name already */
		assert_true(has(c, "d 1010 0\nd 1000 0\n"));
	}
#else
	(void)line;
	assert_non_null(strstr(sbuf_text(&place), "0x"));
#endif
	capture_free(c);
	program_close(p);
	sbuf_free(&place);
	free(some_pointer);
}
