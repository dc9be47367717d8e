#include "config.h"

#include "analysis/tasks/hints.h"

#include <string.h>

#include "base/text.h"
#include "cmd/cmd.h"
#include "cmd/tasks/tasks.h"
#include "view/table.h"

enum { INDENT = 4 };

static void put_number(struct sbuf *out, const struct hint_number *n)
{
	const struct field as = {.unit = n->unit};

	sbuf_printf(out, "%s ", n->key);
	table_value(out, &as, value_real(n->value));
	if (n->unit && strcmp(n->unit, UNIT_SECOND) != 0)
		sbuf_printf(out, " %s", n->unit);
}

static void put_words(struct output *out, const char *words)
{
	sbuf_repeat(&out->text, ' ', INDENT);
	output_words(out, words, INDENT);
}

static void put_hint(struct output *out, const struct hint *hint, size_t rank)
{
	struct sbuf numbers = {0};

	sbuf_printf(&out->text, "%s%zu  %s  ", rank > 1 ? "\n" : "", rank, hint->kind);
	text_sanitise(&out->text, hint->where, strlen(hint->where));
	sbuf_putc(&out->text, '\n');
	put_words(out, hint->text);
	for (size_t i = 0; i < hint->numbers; i++) {
		sbuf_puts(&numbers, i ? "; " : "");
		put_number(&numbers, &hint->evidence[i]);
	}
	put_words(out, sbuf_text(&numbers));
	sbuf_clear(&numbers);
	sbuf_printf(&numbers, "try: %s", hint->advice);
	put_words(out, sbuf_text(&numbers));
	sbuf_free(&numbers);
}

static void put_text(struct output *out, const struct hints *h, uint64_t limit)
{
	for (size_t i = 0; i < h->list.count && i < limit; i++)
		put_hint(out, &h->list.data[i], i + 1);
	if (!h->list.count)
		sbuf_puts(&out->text, "nothing stands out\n");
}

static enum status put_hints(struct trace *t, const struct task_patterns *p,
			     const struct cmd_options *o, struct output *out, struct error *e)
{
	const struct task_hint_options options = {o->capacity.tasks, p->capacity};
	struct hints h;
	enum status status = task_hints_make(&h, t, &options, e);

	if (!status && (o->json || o->csv))
		status = put_table(hint_sections, &h, o, out, e);
	else if (!status)
		put_text(out, &h, o->limit);
	hints_free(&h);
	return status;
}

enum status cmd_hints(const struct cmd_options *o, struct output *out, struct error *e)
{
	return tasks_answer(o, put_hints, out, e);
}
