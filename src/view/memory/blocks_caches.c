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
	size_t cpus, caches;   /* of L1, of both levels */
	VEC(uint32_t) classes; /* a row each, behind that of all */
	uint64_t *blocks;      /* of rows, by cache */
};

static size_t row_count(const void *result)
{
	return ((const struct contents *)result)->classes.count + 1;
}

static struct value name(const void *result, size_t row, size_t part)
{
	const struct contents *r = result;
	const uint32_t class = row ? r->classes.data[row - 1] : MEMORY_NONE;

	(void)part;
	return value_text(!row ? "all" : class == MEMORY_NONE ? "?" : memory_class(r->trace, class));
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

/* What has no room is at the end. */
static int cache_minor(const void *result, size_t part)
{
	(void)result;
	return (int)part;
}

static struct value blocks(const void *result, size_t row, size_t part)
{
	const struct contents *r = result;

	return value_count(r->blocks[row * r->caches + part]);
}

static const struct field fields[] = {
    {FIELD_BY(TEXT, "object", name)},
    {FIELD_BY(COUNT, "blocks", blocks), .parts = cache_parts, .part = cache_part,
     .minor = cache_minor, .blank = true},
    {.key = NULL},
};
static const struct section section = {SECTION(LIST, "caches", row_count, fields)};

/* O(blocks * caches * log stays). */
static void count(struct contents *r, const struct blocks *b, const struct memory_index *x)
{
	uint32_t *row_of = xcalloc((size_t)x->class_count + 1, sizeof(*row_of)), i, end;

	r->blocks = xcalloc(((size_t)x->class_count + 2) * r->caches + 1, sizeof(*r->blocks));
	for (int level = 0; level < MEMORY_LEVELS; level++)
		for (size_t n = 0; n < b->part[level].rows.of.count; n++) {
			const struct memory_row *row = &b->part[level].rows.of.data[n];
			const uint32_t class = row->class;
			uint32_t *to = &row_of[class == MEMORY_NONE ? x->class_count : class];

			for (uint32_t c = 0; c < x->caches[level]; c++) {
				memory_stays(x, row->number, c, b->axis.tick,
					     tick_add(b->axis.tick, 1), &i, &end);
				if (i == end || (!*to && !vec_push(&r->classes, class)))
					continue;
				*to = *to ? *to : (uint32_t)r->classes.count;
				r->blocks[level * r->cpus + c]++;
				r->blocks[*to * r->caches + level * r->cpus + c]++;
			}
		}
	free(row_of);
}

static void contents_free(void *result)
{
	struct contents *r = result;

	vec_free(&r->classes);
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
	sbuf_puts(&title, "Blocks in caches at ");
	axis_tell(&b->axis, b->axis.tick, &title);
	pane = table_pane(&(struct table_pane_of){.section = &section, .result = r,
						  .free = contents_free, .none = "no caches",
						  .title = sbuf_text(&title)});
	sbuf_free(&title);
	return pane;
}
