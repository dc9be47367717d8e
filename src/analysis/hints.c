#include "config.h"

#include "analysis/hints.h"

#include <stdlib.h>
#include <string.h>

#include "base/sbuf.h"

void hints_begin(struct hints *h)
{
	*h = (struct hints){.texts = intern_new()};
	h->failed = !h->texts;
}

const char *hints_keep(struct hints *h, const char *fmt, ...)
{
	struct sbuf text = {0};
	const char *kept;
	va_list ap;

	va_start(ap, fmt);
	sbuf_vprintf(&text, fmt, ap);
	va_end(ap);
	kept = intern_take(h->texts, &text);
	h->failed |= !kept;
	return kept ? kept : "";
}

static bool add_key(struct hints *h, const char *key)
{
	for (size_t i = 0; i < h->keys.count; i++)
		if (strcmp(h->keys.data[i], key) == 0)
			return true;
	return vec_push(&h->keys, key);
}

void hints_add(struct hints *h, const struct hint *hint)
{
	h->failed |= !vec_push(&h->list, *hint);
	for (size_t i = 0; i < HINT_EVIDENCE && hint->evidence[i].key; i++)
		h->failed |= !add_key(h, hint->evidence[i].key);
}

static int by_rank(const void *a, const void *b)
{
	const struct hint *x = a, *y = b;

	if (x->order != y->order)
		return x->order < y->order ? -1 : 1;
	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	return strcmp(x->where, y->where);
}

static void keep_first(struct hints *h)
{
	size_t kept = 0;

	for (size_t i = 0; i < h->list.count; i++) {
		int before = 0;

		for (size_t k = 0; k < kept; k++)
			before += strcmp(h->list.data[k].kind, h->list.data[i].kind) == 0;
		if (before < HINTS_OF_A_KIND)
			h->list.data[kept++] = h->list.data[i];
	}
	h->list.count = kept;
}

enum status hints_end(struct hints *h, struct error *e)
{
	if (h->failed)
		return error_set(e, STATUS_NOMEM, "not enough memory for hints");
	if (h->list.count)
		qsort(h->list.data, h->list.count, sizeof(h->list.data[0]), by_rank);
	keep_first(h);
	return STATUS_OK;
}

void hints_free(void *result)
{
	struct hints *h = result;

	vec_free(&h->list);
	vec_free(&h->keys);
	intern_free(h->texts);
	free(h);
}

/* ---- the table ---- */

SECTION_ROWS(hint, struct hints, list)

static struct value hint_rank(const void *result, size_t row, size_t part)
{
	(void)result, (void)part;
	return value_count(row + 1);
}

enum { PLACE_ITEM, PLACE_TICK, PLACE_PARTS };

static size_t place_parts(const void *result)
{
	(void)result;
	return PLACE_PARTS;
}

static const char *place_part(const void *result, size_t part)
{
	(void)result;
	return part == PLACE_ITEM ? "item" : "tick";
}

static struct value hint_place(const void *result, size_t row, size_t part)
{
	const struct hint *hint = hint_of(result, row);

	if (hint->item == ITEM_NONE)
		return value_none();
	return part == PLACE_ITEM ? value_count(hint->item) : value_ticks(hint->tick);
}

static size_t evidence_parts(const void *result)
{
	const struct hints *h = result;

	return h->keys.count;
}

static const char *evidence_part(const void *result, size_t part)
{
	const struct hints *h = result;

	return h->keys.data[part];
}

static struct value hint_evidence(const void *result, size_t row, size_t part)
{
	const struct hint *hint = hint_of(result, row);

	for (size_t i = 0; i < HINT_EVIDENCE && hint->evidence[i].key; i++)
		if (strcmp(hint->evidence[i].key, evidence_part(result, part)) == 0)
			return value_real(hint->evidence[i].value);
	return value_none();
}

static const struct field hint_fields[] = {
    {FIELD_BY(COUNT, "rank", hint_rank)},
    {FIELD(TEXT, "kind", hint_of, struct hint, kind)},
    {FIELD(TEXT, "where", hint_of, struct hint, where), .path = true},
    {FIELD(TEXT, "text", hint_of, struct hint, text)},
    {FIELD(TEXT, "try", hint_of, struct hint, advice), .hidden = true},
    {FIELD_BY(COUNT, "place", hint_place), .parts = place_parts, .part = place_part,
     .sparse = true, .hidden = true},
    {FIELD(TEXT, "bound", hint_of, struct hint, bound), .hidden = true},
    {FIELD_BY(REAL, "evidence", hint_evidence), .parts = evidence_parts, .part = evidence_part,
     .sparse = true, .hidden = true},
    {.key = NULL},
};

const struct section hint_sections[] = {{SECTION(LIST, "hints", hint_rows, hint_fields)},
					{.key = NULL}};
