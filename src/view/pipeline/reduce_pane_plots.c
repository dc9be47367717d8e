#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/num.h"
#include "base/text.h"
#include "view/bars.h"
#include "view/pipeline/reduce_pane_private.h"

enum {
	PLOT_LINES = 4,
	PLOT_LABEL = 8,   /* columns of the numbers at the left */
	PLOT_COLUMNS = 64 /* at most: each n has two then */
};

static double growth_at(const struct depth *r, int i)
{
	return r->at[i].growth;
}

static double gamma_at(const struct depth *r, int i)
{
	return isinf(r->at[i].gamma) ? NAN : r->at[i].gamma;
}

static double inverse_bandwidth_at(const struct depth *r, int i)
{
	return r->at[i].inverse_bandwidth;
}

static double speedup_at(const struct depth *r, int i)
{
	return r->at[i].speedup;
}

static const struct plot {
	const char *title, *what;
	double (*value)(const struct depth *r, int i); /* NAN: there is none */
} plots[] = {
    {"speedup(n)", "over one unpipelined segment", speedup_at},
    {"1/BW(n)", "cycles an instruction", inverse_bandwidth_at},
    {"gamma_n", "where n + 1 segments begin to be faster than n", gamma_at},
    {"(D(n) - D(n-1)) / D(n)", "how fast the penalty still grows (Table IV)", growth_at},
};

/* ---- drawing ------------------------------------------------------------------------------- */

struct frame {
	double low, high;
	int columns;
};

static struct frame frame_of(const struct depth *d, const struct plot *plot, int width)
{
	struct frame f = {INFINITY, -INFINITY, width - PLOT_LABEL - 1};

	f.columns = f.columns > PLOT_COLUMNS ? PLOT_COLUMNS : f.columns < 1 ? 1 : f.columns;
	for (int i = 0; i < DEPTH_POINTS; i++) {
		double value = plot->value(d, i);

		if (isnan(value))
			continue;
		f.low = value < f.low ? value : f.low;
		f.high = value > f.high ? value : f.high;
	}
	return f;
}

/* The columns of n = i + 1 begin here. */
static int column_of(int i, int columns)
{
	return (i * columns + DEPTH_POINTS - 1) / DEPTH_POINTS;
}

static uint32_t glyph_at(const struct depth *d, const struct plot *plot, const struct frame *f,
			 int column, int line)
{
	double value = plot->value(d, column * DEPTH_POINTS / f->columns);
	double part = f->high > f->low ? (value - f->low) / (f->high - f->low) : 1;

	return isnan(value) ? ' ' : bar_char(bar_eighths(part, PLOT_LINES), PLOT_LINES, line);
}

static void put_curve(struct reduce_page *page, const struct depth *d, const struct plot *plot,
		      const struct frame *f)
{
	for (int y = 0; y < PLOT_LINES; y++) {
		struct pane_line *l = page_line(page);
		struct sbuf text = {0};
		char n[32];

		pane_line_add(l, ROLE_DIM, "%*s ", PLOT_LABEL,
			      y == 0                ? num_short(f->high, PLOT_LABEL - 1, n)
			      : y == PLOT_LINES - 1 ? num_short(f->low, PLOT_LABEL - 1, n)
						    : "");
		for (int x = 0; x < f->columns; x++)
			sbuf_add(&text, n, text_encode(glyph_at(d, plot, f, x, y), n));
		pane_line_bytes(l, ROLE_METRIC_0, sbuf_text(&text), text.len);
		sbuf_free(&text);
	}
}

/* Where the best n is, or else how far n goes. */
static void put_axis(struct reduce_page *page, const struct depth *d, const struct frame *f)
{
	struct pane_line *l = page_line(page);
	int at = column_of((int)d->best_n - 1, f->columns);
	char label[32];

	if (!depth_has_best(d) || d->best_n > DEPTH_POINTS) {
		pane_line_add(l, ROLE_DIM, "%*s n = 1 .. %d", PLOT_LABEL, "", DEPTH_POINTS);
		return;
	}
	snprintf(label, sizeof(label), "^ n = %" PRId64, d->best_n);
	if (at + 12 > f->columns)
		snprintf(label, sizeof(label), "%" PRId64 " ^", d->best_n);
	if (at + 12 > f->columns)
		at -= (int)snprintf(NULL, 0, "%s", label) - 1;
	pane_line_add(l, ROLE_MARK, "%*s %*s%s", PLOT_LABEL, "", at, "", label);
}

static void put_plot(struct reduce_page *page, const struct depth *d,
		     const struct plot *plot)
{
	struct frame f = frame_of(d, plot, page->width);
	struct pane_line *l;

	l = page_line(page);
	pane_line_add(l, ROLE_PANE, "%s", plot->title);
	if (page->width >= PAGE_NARROW)
		pane_line_add(l, ROLE_DIM, ": %s", plot->what);
	if (f.low > f.high) {
		pane_line_add(page_line(page), ROLE_DIM, "%*s nowhere a number", PLOT_LABEL, "");
		return;
	}
	put_curve(page, d, plot, &f);
	put_axis(page, d, &f);
}

/* ---- in numbers ---------------------------------------------------------------------------- */

static enum role best_role(const void *result, const struct field *f, size_t row, size_t part)
{
	const struct depth *r = result;

	(void)f, (void)part;
	return depth_has_best(r) && r->at[row].n == r->best_n ? ROLE_MARK : ROLE_PANE;
}

/* "1", "2/3": as it was given. */
static void put_fraction(struct sbuf *out, const struct fraction *f)
{
	sbuf_printf(out, "%" PRId64, f->num);
	if (f->den != 1)
		sbuf_printf(out, "/%" PRId64, f->den);
}

static void say_family(const struct reduced *r, struct sbuf *out)
{
	sbuf_puts(out, "how long to make it: E/S ");
	put_fraction(out, &r->es);
	sbuf_puts(out, ", gamma ");
	put_fraction(out, &r->gamma);
}

void page_depth(struct reduce_page *page)
{
	struct depth d = page->reduced->depth;
	struct sbuf title = {0};

	d.estimate = page->report.estimate;
	say_family(page->reduced, &title);
	list_pane_heading(page->out, sbuf_text(&title));
	sbuf_free(&title);
	page_line(page);
	pane_flow(page->out, page->width, ROLE_PANE,
		  "Trust best n: it is exact for this trace. n_opt is the paper's estimate and may "
		  "miss it; it serves where there is no best n.",
		  "");
	page_line(page);
	section_flow(page->out, depth_sections[DEPTH_PIPELINES].fields, &d, 0, page->width);
	for (size_t i = 0; i < sizeof(plots) / sizeof(plots[0]); i++)
		put_plot(page, &d, &plots[i]);
	page_table(page, &depth_sections[DEPTH_TABLE], &d,
		   (struct section_look){.role = best_role});
}
