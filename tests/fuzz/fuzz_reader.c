/*
 * Arbitrary text through the lexers.
 *
 * Input: a byte for the size of the batches, a byte for where the text is cut (in 255ths), then
 * the text. The fast and the careful lexer must agree on every record, whole and in pieces,
 * and a segment made of it must add up.
 */
#include "config.h"

#include <stdint.h>

#include "../unit/lexing.h"
#include "store/segment.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static void demand(bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "%s\n", what);
	abort();
}

/* Sums of a segment agree with its own rows and leaves. */
static void check_segment(struct segment *s)
{
	uint64_t rows = 0, waiting = 0, alive = 0;

	for (size_t i = 0; i < s->leaves.count; i++) {
		const struct leaf_sum *leaf = &s->leaves.data[i];

		demand(leaf->row0 == rows, "leaves leave rows out");
		demand(leaf->tick <= leaf->end_tick, "a leaf ends before it begins");
		demand(leaf->head <= leaf->row0, "a leaf's oldest row is younger than the leaf");
		demand(i == 0 || leaf->tick == leaf[-1].end_tick, "ticks between two leaves");
		rows += leaf->rows;
		waiting += leaf->waiting;
	}
	for (size_t i = 0; i < s->rows.count; i++)
		alive += s->rows.data[i].life == LIFE_OPEN;
	demand(rows == s->rows.count, "leaves do not hold the rows");
	demand(alive == s->live.count, "open rows are not those alive");
	demand(waiting == alive + s->joins.count, "leaves wait for something else");
	demand(s->occupancy[SLOT_ALIVE] == alive, "occupancy is not the number alive");
}

/* What was packed is what was there. */
static void check_packed(struct segment *s)
{
	struct row *out;

	segment_pack(s);
	for (size_t i = 0; i < s->leaves.count; i++) {
		const struct leaf_sum *leaf = &s->leaves.data[i];

		if (!leaf->packed || leaf->rows == 0)
			continue;
		out = calloc(leaf->rows, sizeof(*out));
		if (!out)
			abort();
		demand(leaf_decode(s->packed.text + leaf->at, leaf->len, leaf->rows, leaf->tick,
				   leaf->row0, out),
		       "a packed leaf cannot be read");
		for (uint64_t k = 0; k < leaf->rows; k++) {
			const struct raw_row *r = &s->rows.data[leaf->row0 + k];

			demand(out[k].start == r->birth && out[k].events == r->events &&
				   out[k].fate == r->fate && out[k].dominant == r->dominant &&
				   out[k].micro_op == (r->micro_op != 0) &&
				   (uint64_t)out[k].end - (uint64_t)out[k].start == r->life,
			       "a packed row is another");
		}
		free(out);
	}
}

static void read_segment(const char *text, size_t len, bool final)
{
	struct trace_config config = {.stage_count = 0};
	struct names names;
	struct segment s;
	int64_t tick0 = 0;

	readers[0]->config(&config);
	names_init(&names, &config);
	if (!segment_init(&s))
		abort();
	if (!readers[0]->cut(text, text + len, &tick0))
		tick0 = 0;
	segment_read(&s, readers[0], &names, true, text, len, 0, tick0, TICK_NONE, final);
	demand(!s.failed, "a segment failed");
	check_segment(&s);
	s.code_map = calloc(s.codes.count + 1, sizeof(*s.code_map));
	if (!s.code_map)
		abort();
	check_packed(&s);
	segment_free(&s);
	names_free(&names);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	const char *text = (const char *)bytes + 2, *why;

	if (len < 2)
		return 0;
	len -= 2;
	why = lexers_disagree(text, len, bytes[0] + 16u, len * bytes[1] / 255);
	demand(!why, why);
	read_segment(text, len, bytes[0] & 1);
	return 0;
}
