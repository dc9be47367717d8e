#include "config.h"

#include <string.h>

#include "analysis/pipeline/cpi0_words.h"
#include "base/text.h"
#include "cmd/pipeline/cpi0.h"
#include "view/abbreviate.h"

enum { NAME_COLUMNS = 12, RUN_COLUMNS = 10 };

/* Of a block of runs, a column each. */
struct table {
	const struct cpi0_answer *a;
	int columns;   /* of a run, without the blank before */
	size_t across; /* runs of a block */
	bool numbered; /* names alone do not tell the runs apart */
	struct output *out;
};

/* The end of a path says which one it is. */
static const char *name_of(const struct cpi0_run *run)
{
	const char *slash = strrchr(run->input, '/');

	return slash && slash[1] ? slash + 1 : run->input;
}

static int width_of(const struct cpi0_run *run)
{
	return text_width(name_of(run), strlen(name_of(run)));
}

static bool has_namesake(const struct cpi0_answer *a, size_t run)
{
	for (size_t i = 0; i < run; i++)
		if (strcmp(name_of(&a->runs[i]), name_of(&a->runs[run])) == 0)
			return true;
	return false;
}

static struct table table_of(const struct cpi0_answer *a, struct output *out)
{
	struct table t = {.a = a, .columns = RUN_COLUMNS, .out = out};
	int widest = 0;

	for (size_t i = 0; i < a->count; i++) {
		widest = width_of(&a->runs[i]) > widest ? width_of(&a->runs[i]) : widest;
		t.numbered |= has_namesake(a, i);
	}
	if (a->wide && widest > t.columns)
		t.columns = widest < OUTPUT_TEXT_COLUMNS ? widest : OUTPUT_TEXT_COLUMNS;
	t.numbered |= widest > t.columns;
	t.across = (size_t)(OUTPUT_COLUMNS - NAME_COLUMNS) / (size_t)(t.columns + 1);
	if (a->wide)
		t.across = a->count;
	return t;
}

/* As much of it as there is room for, at the right. */
static void put_right(const struct table *t, const char *text, int columns)
{
	int width = text_width(text, strlen(text));

	if (width < columns)
		sbuf_repeat(&t->out->text, ' ', (size_t)(columns - width));
	text_fit(&t->out->text, text, strlen(text), columns, false);
}

/* ---- a block ------------------------------------------------------------------------------- */

static void put_label(const struct table *t, const char *label)
{
	sbuf_putc(&t->out->text, '\n');
	text_fit(&t->out->text, label, strlen(label), NAME_COLUMNS, true);
}

static void put_number(const struct table *t, size_t i)
{
	sbuf_printf(&t->out->text, " %*zu", t->columns, i + 1);
}

static void put_name(const struct table *t, size_t i)
{
	sbuf_putc(&t->out->text, ' ');
	put_right(t, name_of(&t->a->runs[i]), t->columns);
}

static void put_limit(const struct table *t, size_t i)
{
	const struct cpi0 *c = &t->a->runs[i].d.c;
	struct sbuf names = {0};

	for (int k = 0; k < CPI0_LIMITS; k++)
		if (c->limiting >> k & 1)
			sbuf_printf(&names, "%s%s", names.len ? "+" : "",
				    cpi0_limit_name(&t->a->machine, k));
	sbuf_putc(&t->out->text, ' ');
	put_right(t, sbuf_text(&names), t->columns);
	sbuf_free(&names);
}

static void put_cpi(const struct table *t, double value)
{
	if (value < 0) /* not known */
		sbuf_printf(&t->out->text, " %*s", t->columns, "-");
	else
		sbuf_printf(&t->out->text, " %*.4f", t->columns, value);
}

static void put_cpi0(const struct table *t, size_t i)
{
	put_cpi(t, cpi0_real(t->a->runs[i].d.c.cpi));
}

static void put_simulated(const struct table *t, size_t i)
{
	put_cpi(t, t->a->runs[i].d.simulated);
}

static void put_measured(const struct table *t, size_t i)
{
	put_cpi(t, t->a->runs[i].d.measured);
}

static const struct {
	const char *label;
	void (*put)(const struct table *t, size_t i);
} below[] = {{"limited by", put_limit},
	     {"CPI0", put_cpi0},
	     {"simulated", put_simulated},
	     {"measured", put_measured}};

static void put_block(const struct table *t, size_t first, size_t end)
{
	put_label(t, "growth");
	for (size_t i = first; i < end; i++)
		(t->numbered ? put_number : put_name)(t, i);
	if (t->numbered) {
		put_label(t, "");
		for (size_t i = first; i < end; i++)
			put_name(t, i);
	}
	for (int q = 0; q < t->a->machine.queue_count; q++) {
		put_label(t, t->a->machine.queues[q].name);
		for (size_t i = first; i < end; i++)
			sbuf_printf(&t->out->text, " %+*.3f", t->columns,
				    t->a->runs[i].d.c.queues[q].growth);
	}
	for (size_t k = 0; k < sizeof(below) / sizeof(below[0]); k++) {
		put_label(t, below[k].label);
		for (size_t i = first; i < end; i++)
			below[k].put(t, i);
	}
	sbuf_putc(&t->out->text, '\n');
}

/* ---- below all of them --------------------------------------------------------------------- */

/* Which run a line is of: its number, or its name. */
static void put_which(const struct table *t, size_t i, const char *after)
{
	if (t->numbered)
		sbuf_printf(&t->out->text, "%zu", i + 1);
	else
		text_fit(&t->out->text, name_of(&t->a->runs[i]), strlen(name_of(&t->a->runs[i])),
			 t->columns, false);
	sbuf_puts(&t->out->text, after);
}

/* Paths as they were given, so that they can be found. */
static void put_inputs(const struct table *t)
{
	sbuf_putc(&t->out->text, '\n');
	for (size_t i = 0; i < t->a->count; i++) {
		const char *input = t->a->runs[i].input;

		sbuf_printf(&t->out->text, "%3zu  ", i + 1);
		text_fit(&t->out->text, input, strlen(input), text_width(input, strlen(input)),
			 false);
		sbuf_putc(&t->out->text, '\n');
	}
}

static void put_notes(const struct table *t)
{
	struct sbuf line = {0}, *text = &t->out->text;
	const char *before = "\n";

	for (size_t i = 0; i < t->a->count; i++)
		for (int k = 0; cpi0_say_unknown(&t->a->runs[i].d.mix, k, &line); k++) {
			if (!line.len)
				continue;
			sbuf_puts(text, before);
			put_which(t, i, ": ");
			sbuf_printf(text, "%s\n", sbuf_text(&line));
			sbuf_clear(&line);
			before = "";
		}
	sbuf_free(&line);
}

static bool is_doubt(const struct cpi0_flag *f)
{
	return f->verdict == CPI0_DOUBTFUL || f->verdict == CPI0_VIOLATED;
}

static void put_doubts(const struct table *t)
{
	struct sbuf *text = &t->out->text;
	bool any = false;

	for (int check = 0; check < CPI0_CHECKS; check++)
		for (size_t i = 0; i < t->a->count; i++) {
			const struct cpi0_diagnosis *d = &t->a->runs[i].d;
			const struct cpi0_flag *f =
			    cpi0_flag_of(d->flags, d->flag_count, (enum cpi0_check)check);

			if (!f || !is_doubt(f))
				continue;
			if (!any)
				sbuf_puts(text, "\nassumptions that do not hold everywhere\n");
			any = true;
			cpi0_text_flag(f, text);
			put_which(t, i, "\n");
		}
	if (!any)
		sbuf_puts(text, "\nno assumption that is known does not hold\n");
}

void cpi0_table(const struct cpi0_answer *a, struct output *out)
{
	const struct table t = table_of(a, out);

	cpi0_say_machine(&a->machine, &out->text);
	sbuf_putc(&out->text, '\n');
	for (size_t i = 0; i < a->count; i += t.across)
		put_block(&t, i, i + t.across < a->count ? i + t.across : a->count);
	if (t.numbered)
		put_inputs(&t);
	put_notes(&t);
	put_doubts(&t);
}
