#include "config.h"

#include <inttypes.h>

#include "base/sbuf.h"
#include "made_run.h"
#include "testing.h"
#include "text_store.h"

void run_put(struct made_run *r, int64_t born, int64_t end, uint64_t pc, bool squashed)
{
	const struct run_row row = {born, end, pc, squashed};

	assert_true(vec_push(&r->rows, row));
	r->last = end > r->last ? end : r->last;
}

static void put_records(struct sbuf *out, const struct made_run *r, size_t i, int64_t tick)
{
	const struct run_row *row = &r->rows.data[i];

	if (tick == row->born)
		sbuf_printf(out, "+ %zu 0x%" PRIx64 " 0x0 op%u\n* %zu IF 0x0\n", i, row->pc,
			    (unsigned)(row->pc % 7), i);
	if (tick == row->born + r->executes)
		sbuf_printf(out, "* %zu EX 0x0\n", i);
	if (tick == row->end)
		sbuf_printf(out, row->squashed ? "- %zu\n" : "* %1$zu CT 0x0\n- %1$zu\n", i);
}

static struct store *open_text(struct made_run *r, struct sbuf *text, int64_t clock)
{
	struct store *s = text_store_in_ticks(sbuf_text(text), clock);

	sbuf_free(text);
	vec_free(&r->rows);
	r->last = 0;
	return s;
}

struct store *run_store(struct made_run *r)
{
	struct sbuf text = {0};

	for (int64_t tick = r->rows.count ? r->rows.data[0].born : 0; tick <= r->last; tick++) {
		sbuf_printf(&text, "@ %" PRId64 "\n", tick);
		for (size_t i = 0; i < r->rows.count; i++)
			put_records(&text, r, i, tick);
	}
	return open_text(r, &text, 0);
}

struct store *run_store_in_ticks(struct made_run *r, int64_t clock)
{
	struct sbuf text = {0};

	run_put(r, r->last, r->last, 0, true);
	for (size_t i = 0; i < r->rows.count; i++) {
		const struct run_row *row = &r->rows.data[i];

		sbuf_printf(&text,
			    "O3PipeView:fetch:%" PRId64 ":0x%" PRIx64 ":0:%zu:op%u\n"
			    "O3PipeView:decode:0\nO3PipeView:rename:0\nO3PipeView:dispatch:0\n"
			    "O3PipeView:issue:%" PRId64 "\nO3PipeView:complete:0\n"
			    "O3PipeView:retire:%" PRId64 ":store:0\n",
			    row->born, row->pc, i + 1, (unsigned)(row->pc % 7),
			    row->squashed ? 0 : row->born + r->executes,
			    row->squashed ? 0 : row->end);
	}
	return open_text(r, &text, clock);
}
