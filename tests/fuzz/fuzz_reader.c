/*
 * Arbitrary text through the lexers.
 *
 * Input: a byte for the format (its two high bits) and the size of the batches, a byte for where
 * the text is cut (in 255ths), then the text. The fast and the careful lexer must agree on every
 * record, whole and in pieces, cycle lines on where the clock stands, and a segment made of it
 * must add up.
 */
#include "config.h"

#include <stdint.h>

#include "../unit/lexing.h"
#include "fuzz.h"
#include "pipeline/formats/kanata.h"
#include "pipeline/index/segment.h"

extern const struct reader kanata_reader;

static const struct lexed_format formats[] = {
    {&pipetrace_reader, pipetrace_lex, pipetrace_lex_slow},
    {&kanata_reader, kanata_lex, kanata_lex_slow},
};

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

	lexed_by.reader->config(&config);
	names_init(&names, &config);
	if (!segment_init(&s))
		abort();
	if (!lexed_by.reader->cut(text, text + len, &tick0))
		tick0 = 0;
	segment_read(&s, lexed_by.reader, &names, true, text, len, 0, tick0, TICK_NONE, final);
	demand(!s.failed, "a segment failed");
	check_segment(&s);
	s.code_map = calloc(s.codes.count + 1, sizeof(*s.code_map));
	if (!s.code_map)
		abort();
	check_packed(&s);
	segment_free(&s);
	names_free(&names);
}

/* Every line of the text, lexed by itself, moves the clock as the format's clock() says. */
static void check_clock(const char *text, size_t len)
{
	const struct reader *reader = lexed_by.reader;
	struct trace_config config = {.stage_count = 0};
	struct record out[16];
	struct names names;
	struct lexer lx;
	const char *nl;

	reader->config(&config);
	names_init(&names, &config);
	lexer_begin(&lx, &names, true);
	while (lx.pos < len && (nl = memchr(text + lx.pos, '\n', len - lx.pos))) {
		const char *line = text + lx.pos;
		size_t end = (size_t)(nl + 1 - text), n;
		int64_t before = lx.tick, tick;
		bool ticks = false;

		n = lexed_by.slow(&lx, text, end, false, out, 16);
		for (size_t i = 0; i < n; i++)
			ticks |= out[i].kind == REC_TICK;
		demand(reader->clock(line, (size_t)(nl + 1 - line), before) == lx.tick,
		       "a line's clock");
		demand(nl - line > 4000 || reader->cut(line, text + len, &tick) == ticks,
		       "a cut where no tick begins");
	}
	demand(reader->clock(text, len, 0) == lx.tick, "the text's clock");
	names_free(&names);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	const char *text = (const char *)bytes + 2, *why;

	if (len < 2)
		return 0;
	len -= 2;
	lexed_by = formats[(bytes[0] >> 6) % (sizeof(formats) / sizeof(formats[0]))];
	if (lexed_by.reader->clock)
		check_clock(text, len);
	why = lexers_disagree(text, len, (bytes[0] & 63) + 16u, len * bytes[1] / 255);
	demand(!why, why);
	read_segment(text, len, bytes[0] & 1);
	return 0;
}
