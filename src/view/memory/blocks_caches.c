/*
 * All caches at the cursor's tick: how many blocks of which objects each has, of those that the view
 * shows, as a table. Objects of one name are a row, that with the first block above.
 */
#include "config.h"

#include <stdlib.h>

#include "base/xalloc.h"
#include "view/memory/blocks.h"
#include "view/table_pane.h"

struct contents {
	const struct trace *trace;
	size_t cpus, caches;     /* of L1, of both levels */
	VEC(const char *) names; /* of rows, all blocks first */
	uint64_t *blocks;        /* of rows, by cache */
};

SECTION_ROWS(name, struct contents, names)

static const void *blocks_of(const void *result, size_t row)
{
	const struct contents *r = result;

	return &r->blocks[row * r->caches];
}

static size_t cache_parts(const void *result)
{
	return ((const struct contents *)result)->caches;
}

static const char *cache_part(const void *result, size_t part)
{
	const struct contents *r = result;
	struct trace_component cache;

	return r->trace->kind->component(r->trace, r->cpus + part, &cache) ? cache.name : "?";
}

/* What has no room is at the end, so that caches keep their places. */
static int cache_minor(const void *result, size_t part)
{
	(void)result;
	return (int)part;
}

static const struct field fields[] = {
    {.key = "object", .type = VALUE_TEXT, .of = name_of},
    {.key = "blocks", .type = VALUE_COUNT, .of = blocks_of, .stride = sizeof(uint64_t),
     .parts = cache_parts, .part = cache_part, .minor = cache_minor, .blank = true,
     .keeps_zeros = true},
    {.key = NULL},
};
static const struct section section = {SECTION(LIST, "caches", name_rows, fields)};

/* O(blocks * caches * log stays). Without memory there are fewer rows. */
static void count(struct contents *r, const struct blocks *b, const struct memory_index *x)
{
	const int64_t tick = b->axis.tick;
	uint32_t *row_of = xcalloc((size_t)x->class_count + 1, sizeof(*row_of)), i, end;

	r->blocks = xcalloc(((size_t)x->class_count + 2) * r->caches + 1, sizeof(*r->blocks));
	(void)vec_push(&r->names, "all");
	for (int level = 0; level < MEMORY_LEVELS; level++)
		for (size_t n = 0; n < b->part[level].rows.of.count; n++) {
			const struct memory_row *m = &b->part[level].rows.of.data[n];
			const char *name = m->class == MEMORY_NONE ? "?" : memory_class(r->trace, m->class);
			uint32_t *row = &row_of[m->class == MEMORY_NONE ? x->class_count : m->class];

			for (size_t at = level ? r->cpus : 0, c = 0; c < x->caches[level]; at++, c++) {
				memory_stays(x, m->number, (uint32_t)c, tick, tick_add(tick, 1), &i, &end);
				if (i == end || (!*row && !vec_push(&r->names, name)))
					continue;
				*row = *row ? *row : (uint32_t)r->names.count - 1;
				r->blocks[at]++;
				r->blocks[*row * r->caches + at]++;
			}
		}
	free(row_of);
}

static void contents_free(void *result)
{
	struct contents *r = result;

	vec_free(&r->names);
	free(r->blocks);
	free(r);
}

struct pane *blocks_caches_pane(const struct blocks *b)
{
	const struct memory_index *x = memory_lock(b->trace);
	struct contents *r = xcalloc(1, sizeof(*r));
	struct sbuf title = {0};
	struct pane *pane;

	r->trace = b->trace;
	r->cpus = x->caches[MEMORY_L1];
	r->caches = r->cpus + x->caches[MEMORY_L2];
	count(r, b, x);
	memory_unlock(b->trace);
	sbuf_puts(&title, "Caches, ");
	axis_tell(&b->axis, b->axis.tick, &title);
	pane = table_pane(&(struct table_pane_of){.section = &section, .result = r,
						  .free = contents_free, .none = "no caches",
						  .title = sbuf_text(&title)});
	sbuf_free(&title);
	return pane;
}
