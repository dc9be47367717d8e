/*
 * The words of a block or an object by CPU: what tells false sharing from true at a glance.
 */
#include "config.h"

#include <stdlib.h>

#include "analysis/memory/sharing.h"
#include "analysis/memory/source.h"

/* By word, then line, then CPU. */
static int by_place(const void *a, const void *b, void *index)
{
	const struct memory_index *x = index;
	const struct memory_cell *p = *(const struct memory_cell *const *)a;
	const struct memory_cell *q = *(const struct memory_cell *const *)b;
	const uint64_t from = x->words[p->word].address, to = x->words[q->word].address;

	if (from != to)
		return from < to ? -1 : 1;
	if (p->line != q->line)
		return p->line < q->line ? -1 : 1;
	return (p->cpu > q->cpu) - (p->cpu < q->cpu);
}

/* A row for each word and line; cells that differ in the object or CPU alone go into one. */
static bool add_cell(struct sharing_grid *g, const struct trace *t, const struct memory_index *x,
		     struct source_text *source, const struct memory_cell *c,
		     const struct memory_cell *before)
{
	static const char *const marks[2][2] = {{NULL, "w"}, {"r", "rw"}};
	const char **mark;

	if (!before || before->word != c->word || before->line != c->line) {
		const char *function = source_text_function(source, x, c->line);
		const struct sharing_grid_row row = {
		    .offset = x->words[c->word].address - g->address,
		    .word = memory_keep_thing(g->texts, t, x, MEMORY_BY_WORD, c->word),
		    .line = memory_keep_thing(g->texts, t, x, MEMORY_BY_LINE, c->line),
		    .function = function ? intern_printf(g->texts, "%s", function) : NULL,
		    .marks = g->marks + g->rows.count * g->cpus};

		if (!row.word || !row.line || !vec_push(&g->rows, row))
			return false;
	}
	mark = &vec_last(&g->rows).marks[c->cpu];
	*mark = marks[c->reads || (*mark && **mark == 'r')]
		     [c->writes || (*mark && (*mark)[**mark == 'r'] == 'w')];
	vec_last(&g->rows).cycles += c->cycles;
	return true;
}

enum status sharing_grid_make(struct sharing_grid *g, const struct trace *t,
			      const struct memory_index *x, struct source_text *source,
			      enum memory_thing by, uint32_t number, struct error *e)
{
	VEC(const struct memory_cell *) cells = {0};
	bool done;

	*g = (struct sharing_grid){.address = by == MEMORY_BY_OBJECT ? x->objects[number].address
					      : by == MEMORY_BY_WORD ? x->words[number].address
								     : x->blocks[number].address,
				   .cpus = x->caches[MEMORY_L1],
				   .texts = intern_new()};
	done = g->texts;
	for (uint32_t i = 0; done && i < x->cell_count; i++)
		if (memory_thing_of(x, &x->cells[i], by) == number && x->cells[i].cpu < g->cpus)
			done = vec_push(&cells, &x->cells[i]);
	if (cells.count)
		qsort_r(cells.data, cells.count, sizeof(*cells.data), by_place,
			(void *)(uintptr_t)x);
	g->marks = calloc(cells.count + 1, (g->cpus + 1) * sizeof(*g->marks));
	done = done && g->marks;
	for (size_t i = 0; done && i < cells.count; i++)
		done = add_cell(g, t, x, source, cells.data[i], i ? cells.data[i - 1] : NULL);
	vec_free(&cells);
	return done ? STATUS_OK : error_set(e, STATUS_NOMEM, "out of memory");
}

void sharing_grid_free(struct sharing_grid *g)
{
	vec_free(&g->rows);
	free(g->marks);
	intern_free(g->texts);
}

/* ---- the table: a CPU that touched nothing of it has no column ---- */

SECTION_ROWS(grid, struct sharing_grid, rows)

static size_t cpu_parts(const void *result)
{
	return ((const struct sharing_grid *)result)->cpus;
}

static struct value cpu_mark(const void *result, size_t row, size_t part)
{
	return value_text(((const struct sharing_grid *)result)->rows.data[row].marks[part]);
}

static const struct field grid_fields[] = {
    {FIELD(HEX, "offset", grid_of, struct sharing_grid_row, offset)},
    {FIELD(TEXT, "word", grid_of, struct sharing_grid_row, word)},
    {FIELD(TEXT, "line", grid_of, struct sharing_grid_row, line), .path = true},
    {FIELD(TEXT, "function", grid_of, struct sharing_grid_row, function)},
    {FIELD(COUNT, "cycles", grid_of, struct sharing_grid_row, cycles)},
    {FIELD_BY(TEXT, "cpus", cpu_mark), .parts = cpu_parts, .part_number = field_part_number},
    {.key = NULL},
};

const struct section sharing_grid_section = {SECTION(LIST, "words", grid_rows, grid_fields)};
