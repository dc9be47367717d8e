/* The matrix of requests against a count of the same requests, one by one, by the names of their ends. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "tasks_files.h"
#include "testing.h"
#include "view/tasks/network.h"

enum { REQUESTS = 1000, LENGTH = 40000 /* ns */, NAME = 32, ROUNDS = 120, WIDTH = 150, HEIGHT = 50 };

static struct request {
	char from[NAME], to[NAME];
	int64_t sent; /* ns */
} requests[REQUESTS];

static uint64_t draw(uint64_t *seed)
{
	*seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return *seed >> 33;
}

/* Some components hold others, some send to themselves. */
static void choose_name(char name[NAME], uint64_t *seed)
{
	unsigned gpu = draw(seed) % 3, unit = draw(seed) % 12;

	if (unit == 0)
		snprintf(name, NAME, "Driver");
	else if (unit == 1)
		snprintf(name, NAME, "GPU[%u]", gpu);
	else
		snprintf(name, NAME, "GPU[%u].SA[%u].L1[%u]", gpu, unit % 4, unit);
}

static struct trace *traffic(void)
{
	struct sbuf text = {0};
	struct trace *t;
	uint64_t seed = 5;

	sbuf_puts(&text, "ID, ParentID, Kind, What, Where, Start, End\n");
	for (int i = 0; i < REQUESTS; i++) {
		struct request *r = &requests[i];

		choose_name(r->from, &seed);
		choose_name(r->to, &seed);
		r->sent = (int64_t)(draw(&seed) % LENGTH);
		sbuf_printf(&text, "i%d, o%d, req_in, R, %s, %.10f, %.10f\n", i, i, r->to,
			    (double)(r->sent + 5) * 1e-9, (double)(r->sent + 25) * 1e-9);
		sbuf_printf(&text, "o%d, , req_out, R, %s, %.10f, %.10f\n", i, r->from,
			    (double)r->sent * 1e-9, (double)(r->sent + 30) * 1e-9);
	}
	t = tasks_read(tasks_text("traffic.csv", text.text, text.len), false);
	sbuf_free(&text);
	return t;
}

static bool is_below(const char *name, const char *above)
{
	size_t len = strlen(above);

	return strncmp(name, above, len) == 0 && (!name[len] || name[len] == '.');
}

/* With all below both ends. Ticks are picoseconds. */
static uint64_t count(const char *from, const char *to, int64_t t0, int64_t t1, const char *among)
{
	uint64_t n = 0;

	for (int i = 0; i < REQUESTS; i++) {
		const struct request *r = &requests[i];

		n += r->sent * 1000 >= t0 && r->sent * 1000 < t1 && is_below(r->from, from) &&
		     is_below(r->to, to) && (strstr(r->from, among) || strstr(r->to, among));
	}
	return n;
}

static const struct tree_node *line_of(const struct network *n, enum network_end end, size_t line)
{
	return &n->side[end].tree.nodes.data[n->side[end].tree.shown.data[line]];
}

static size_t visible(const struct network_side *s)
{
	size_t left = s->tree.shown.count - s->tree.top;

	return s->tree.room < left ? s->tree.room : left;
}

/* In which line of a side a component counts: the longest name of one that is, or is above it. */
static size_t line_for(const struct network *n, enum network_end end, const char *name)
{
	const size_t lines = n->side[end].tree.shown.count;
	size_t best = lines;

	for (size_t i = 0; i < lines; i++)
		if (is_below(name, line_of(n, end, i)->name) &&
		    (best == lines ||
		     strlen(line_of(n, end, i)->name) > strlen(line_of(n, end, best)->name)))
			best = i;
	return best;
}

/* Each request is in one cell. */
static void check_matrix(const struct network *n, const char *among)
{
	const struct network_side *rows = &n->side[NETWORK_SENDERS];
	const struct network_side *columns = &n->side[NETWORK_RECEIVERS];
	const size_t width = visible(columns), count = visible(rows) * width;
	uint64_t *cells = xcalloc(count + 1, sizeof(*cells));

	network_matrix(n, cells);
	for (int i = 0; i < REQUESTS; i++) {
		const struct request *q = &requests[i];
		const size_t r = line_for(n, NETWORK_SENDERS, q->from) - rows->tree.top;
		const size_t c = line_for(n, NETWORK_RECEIVERS, q->to) - columns->tree.top;

		if (q->sent * 1000 >= n->time.left && q->sent * 1000 < axis_right(&n->time) &&
		    (strstr(q->from, among) || strstr(q->to, among)) && r < visible(rows) && c < width)
			cells[r * width + c]--;
	}
	for (size_t i = 0; i < count; i++)
		assert_int_equal(cells[i], 0);
	free(cells);
}

/* What is told of the cell under the cursor, and its columns, which are all of it. */
static void check_cell(const struct network *n, const char *among)
{
	const struct axis *a = &n->time;
	const struct component_tree *senders = &n->side[NETWORK_SENDERS].tree;
	const struct component_tree *receivers = &n->side[NETWORK_RECEIVERS].tree;
	const char *from = tree_name(senders, senders->node);
	const char *to = tree_name(receivers, receivers->node);
	struct network_sum sum = network_sum(n, senders->node, receivers->node);
	uint64_t columns[WIDTH];

	assert_int_equal(sum.count, count(from, to, a->left, axis_right(a), among));
	assert_float_equal(sum.wait, (double)sum.count * 5e-9, 1e-12);
	assert_float_equal(sum.latency, (double)sum.count * 20e-9, 1e-12);
	network_columns(n, columns);
	for (int x = 0; x < a->columns; x += 7)
		assert_int_equal(columns[x], count(from, to, axis_tick_at(a, x), axis_tick_at(a, x + 1), among));
	for (int i = 0; i < NETWORK_ENDS; i++) {
		const struct component_tree *t = &n->side[i].tree;

		assert_true(t->cursor >= t->top && (t->cursor < t->top + t->room || !t->room));
	}
}

static void move_somehow(struct network *n, uint64_t *seed)
{
	int64_t by = (int64_t)(draw(seed) % 21) - 10;

	switch (draw(seed) % 8) {
	case 0:
		tree_move(&n->side[NETWORK_SENDERS].tree, by);
		break;
	case 1:
		tree_move(&n->side[NETWORK_RECEIVERS].tree, by);
		break;
	case 2:
		tree_scroll(&n->side[NETWORK_SENDERS].tree, by);
		break;
	case 3:
		axis_scroll(&n->time, by);
		break;
	case 4:
		axis_zoom(&n->time, (int)(by % 4));
		break;
	case 5:
		tree_fold(&n->side[draw(seed) % NETWORK_ENDS].tree);
		network_layout(n, n->time.width, n->time.height);
		break;
	case 6:
		network_layout(n, (int)(draw(seed) % WIDTH), (int)(draw(seed) % HEIGHT));
		break;
	case 7:
		network_step(n, by < 0 ? -1 : 1);
		break;
	}
}

static void wander(struct network *n, const char *among)
{
	struct palette palette;
	struct grid grid = {.w = 0};
	struct sbuf text = {0};
	struct error e;
	uint64_t seed = 11;

	palette_init(&palette, DEPTH_256);
	assert_true(grid_resize(&grid, WIDTH, HEIGHT));
	network_layout(n, 100, 40);
	axis_fit(&n->time);
	for (int i = 0; i < ROUNDS; i++) {
		struct rect area = {0, 0, n->time.width, n->time.height};

		assert_int_equal(network_draw(n, NULL, &grid, area, &palette, &e), STATUS_OK);
		check_matrix(n, among);
		check_cell(n, among);
		sbuf_clear(&text);
		network_describe(n, n->time.width, &text);
		move_somehow(n, &seed);
	}
	sbuf_free(&text);
	grid_free(&grid);
}

TEST(cells_count_requests_in_any_window)
{
	struct trace *t = traffic();
	struct network n;

	network_init(&n, t);
	wander(&n, "");
	network_free(&n);
	trace_close(t);
}

TEST(a_filter_keeps_requests_of_which_an_end_matches)
{
	struct trace *t = traffic();
	struct regex *re;
	struct network n;
	struct error e;

	assert_int_equal(regex_new(&re, "SA\\[1\\]", &e), STATUS_OK);
	network_init(&n, t);
	network_filter(&n, re);
	wander(&n, "SA[1]");
	network_free(&n);
	regex_free(re);
	trace_close(t);
}

#ifdef HAVE_SQLITE
/*
 * A file without requests that says how ports are connected: A to B over a wire, which goes both ways;
 * C with two others over a bus, of which nobody knows who sent what.
 */
TEST(messages_of_ports_stand_in_for_requests)
{
	static const char sql[] =
	    "create table trace(ID,ParentID,Kind,What,Location,StartTime,EndTime);"
	    "create table location(ID,Locale);"
	    "insert into location values(1,'A'),(2,'B'),(3,'A.P.incoming'),(4,'B.P.incoming'),"
	    "(5,'C.P.incoming'),(6,'B.P.outgoing');"
	    "insert into trace values(1,0,'flit','f',1,0.0,9000.0),(2,0,'flit','f',2,0.0,9000.0),"
	    "(3,0,'incoming_buffer','m',4,1000.0,4000.0),(4,0,'incoming_buffer','m',4,2000.0,7000.0),"
	    "(5,0,'incoming_buffer','m',3,3000.0,5000.0),(6,0,'incoming_buffer','m',5,3000.0,5000.0),"
	    "(7,0,'outgoing_buffer','m',6,2000.0,3000.0);"
	    "create table \"daisen$segments\"(StartTime,EndTime);"
	    "create table milestone(ID,TaskID,Time,Kind,What);create table tag(ID,TaskID,Time,What);"
	    "create table port(Component,Port,Connection);"
	    "insert into port values('A','A.P','wire'),('B','B.P','wire'),('C','C.P','bus'),"
	    "('C','C.Q','bus'),('D','D.P','bus');";
	struct trace *t = tasks_read(tasks_database("ports.db", sql), false);
	const struct question all = {.from = INT64_MIN, .to = INT64_MAX};
	struct task_requests r;
	struct error e;

	assert_int_equal(requests_answer.make(&r, t, &all, &e), STATUS_OK);
	assert_int_equal(r.edges.count, 2);
	assert_int_equal(r.unpaired, 1);
	assert_string_equal(r.edges.data[0].from, "A");
	assert_string_equal(r.edges.data[0].to, "B");
	assert_int_equal(r.edges.data[0].count, 2);
	assert_int_equal((int64_t)(r.edges.data[0].latency * 1e12 + 0.5), 4000);
	assert_string_equal(r.edges.data[1].from, "B");
	assert_string_equal(r.edges.data[1].to, "A");
	task_requests_free(&r);
	trace_close(t);
}
#endif

FIXTURES(tasks_folder_new, tasks_folder_free)
