/* One line for each stay of a block in a cache that meets the range, with the names of what it tells of. */
#include "config.h"

#include <inttypes.h>

#include "base/text.h"
#include "cmd/memory/memory.h"
#include "memory/kind.h"
#include "memory/memory.h"

static const char heading[] = "row,component,block,start,end,cause,ending,private,dirty,word,line,"
			      "taker,taker_word,taker_line\n";

typedef void put_fn(const struct trace *t, uint32_t number, struct sbuf *out);

/* A comma, and what has a name; nothing of none. */
static void put_name(struct sbuf *out, const struct trace *t, put_fn *put, uint32_t number)
{
	struct sbuf name = {0};

	sbuf_putc(out, ',');
	if (number == MEMORY_NONE)
		return;
	put(t, number, &name);
	text_csv(out, sbuf_text(&name), name.len);
	out->failed |= name.failed;
	sbuf_free(&name);
}

static void put_stay(struct sbuf *out, const struct trace *t, const struct memory_index *x,
		     uint32_t row)
{
	const struct memory_stay *s = &x->stays[row];
	const struct memory_cell *by = memory_access(x, s->cell), *taker = memory_access(x, s->taker);
	const struct memory_block *block = &x->blocks[s->block];
	const char *ending = memory_ending_names[s->ending];

	sbuf_printf(out, "%" PRIu32 ",L%d[%u],0x%" PRIx64 ",%" PRId64 ",", row, block->level + 1,
		    s->cache, block->address, s->start);
	if (s->end != MEMORY_OPEN)
		sbuf_printf(out, "%" PRId64, s->end);
	sbuf_printf(out, ",%s,%s,%d,%d", memory_cause_names[s->cause], ending ? ending : "",
		    s->private, s->dirty);
	put_name(out, t, memory_put_word, by->word);
	put_name(out, t, memory_put_line, by->line);
	sbuf_putc(out, ',');
	if (s->taker != MEMORY_NONE)
		sbuf_printf(out, "CPU[%u]", taker->cpu);
	put_name(out, t, memory_put_word, taker->word);
	put_name(out, t, memory_put_line, taker->line);
	sbuf_putc(out, '\n');
}

/* The trace is complete: nothing changes while it is written. */
static enum status write_csv(const struct export_format *f, struct trace *t,
			     const struct cmd_options *o, const struct export_target *x,
			     struct error *e)
{
	const struct memory_index *index = memory_lock(t);
	struct export_part part;
	enum status status;

	(void)f;
	memory_unlock(t);
	status = export_part_of(&part, t, o, e);
	sbuf_puts(&x->out->text, heading);
	for (uint32_t row = 0; !status && row < index->stay_count; row++) {
		if (!memory_meets(&index->stays[row], part.from, part.to))
			continue;
		put_stay(&x->out->text, t, index, row);
		status = output_drain(x->out, e);
	}
	return status;
}

const struct export_format export_memory_csv = {
    .name = "csv", .kind = &memory_trace_kind, .write = write_csv};
