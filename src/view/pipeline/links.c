#include "config.h"

#include "view/pipeline/links.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "pipeline/formats/rows.h"
#include "view/pipeline/pipeview_private.h"

/* Where links join in traces without a stage that executes, by the beginning of a name. */
static const char *const join_names[2][2] = {{"complete", "cm"}, {"issue", "is"}};

/*
 * Ids go up with rows as a rule, so a producer is as many rows back as its id is less: one row is
 * read to see whether it is that. Where it is not, the store looks for it.
 */
static uint64_t row_of(struct store *s, const struct link *l, const struct detail_row *consumer)
{
	uint64_t back = consumer->id - l->id, row = consumer->head.row - back;
	struct detail d = {.no_notes = true};
	struct error ignored;
	bool found = false;

	/* of whole rows several may bear the id: the store knows whose it is */
	if (l->row != ROW_NONE || store_format(s)->lex_rows)
		return store_link_row(s, l, consumer->head.row);
	if (back <= consumer->head.row && store_detail(s, row, 1, &d, &ignored) == STATUS_OK)
		found = d.count > 0 && d.rows[0].id == l->id;
	detail_free(&d);
	return found ? row : store_link_row(s, l, consumer->head.row);
}

static void add_producers(struct store *s, const struct detail *d, const struct detail_row *row,
			  struct link_list *out)
{
	out->far = row->far;
	out->more = row->left > 0;
	out->untold =
	    !row->renamed && row->head.fate == FATE_COMMITTED && store_link_count_is_bound(s);
	for (uint32_t i = 0; i < row->links; i++) {
		const struct link *l = &d->links[row->link0 + i];

		if (out->producer_count == LINKS_MAX) {
			out->more = true;
			return;
		}
		out->producers[out->producer_count++] =
		    (struct link_end){row_of(s, l, row), l->id, l->tick, l->type};
	}
}

static enum status add_consumers(struct store *s, uint64_t row, struct link_list *out,
				 struct error *e)
{
	struct link found[LINKS_MAX + 1];
	size_t n = 0;
	enum status status = store_consumers(s, row, found, LINKS_MAX + 1, &n, e);

	if (status != STATUS_OK)
		return status;
	out->more = out->more || n > LINKS_MAX;
	for (size_t i = 0; i < n && i < LINKS_MAX; i++)
		out->consumers[out->consumer_count++] =
		    (struct link_end){found[i].row, found[i].id, found[i].tick, found[i].type};
	return STATUS_OK;
}

enum status links_of(struct store *s, uint64_t row, bool producers, bool consumers,
		     struct link_list *out, struct error *e)
{
	struct detail d = {0};
	enum status status = STATUS_OK;

	*out = (struct link_list){.row = row};
	if (producers)
		status = store_detail(s, row, 1, &d, e);
	if (status == STATUS_OK && d.count > 0)
		add_producers(s, &d, &d.rows[0], out);
	detail_free(&d);
	return status == STATUS_OK && consumers ? add_consumers(s, row, out, e) : status;
}

bool links_are_far(const struct link_list *l)
{
	return l->far || l->untold;
}

void links_tell_far(struct pane_line *line, const struct link_list *l)
{
	if (l->untold)
		pane_line_add(line, ROLE_DIM, "written more than %d MiB of text before its record",
			      ROWS_NOTES_BEFORE >> 20);
	else
		pane_line_add(line, ROLE_DIM,
			      "%" PRIu32 " not written in the %d MiB of text before", l->far,
			      ROWS_RENAMED_BEFORE >> 20);
}

/* Arcs in place of links: of the window they are known of, which holds what is on the screen. */
static void arcs_as_links(const struct pipeview *v, uint64_t row, struct link_list *out)
{
	const struct reduce_arcs *arcs = v->arcs;

	*out = (struct link_list){.row = row};
	for (size_t i = 0; i < arcs->count; i++) {
		const struct shown_arc *arc = &arcs->arcs[i];

		if (!arc_survives(arc, v->arcs_shown) || (arc->row != row && arc->from != row))
			continue;
		if (arc->row == row && out->producer_count < LINKS_MAX)
			out->producers[out->producer_count++] =
			    (struct link_end){.row = arc->from, .tick = TICK_NONE};
		else if (arc->from == row && out->consumer_count < LINKS_MAX)
			out->consumers[out->consumer_count++] =
			    (struct link_end){.row = arc->row, .tick = TICK_NONE};
		else
			out->more = true;
	}
}

enum status pipeview_links(struct pipeview *v, uint64_t row, struct link_list *out, struct error *e)
{
	enum status status;

	if (v->arcs) {
		arcs_as_links(v, row, out);
		return STATUS_OK;
	}
	status = links_of(v->store, row, true, true, out, e);

	if (status == STATUS_OK) {
		v->cache->links = *out;
		v->cache->has_links = true;
	}
	return status;
}

const struct link_list *viewcache_links(struct pipeview *v, const struct row_view *row)
{
	struct pipeview_cache *c = v->cache;
	uint64_t number = row->row->head.row;

	if (c->has_links && c->links.row == number)
		return &c->links;
	c->links = (struct link_list){.row = number};
	add_producers(v->store, row->detail, row->row, &c->links);
	c->has_links = true;
	return &c->links;
}

/* ---- where links join -------------------------------------------------------------------- */

static bool begins_with(const char *name, const char *start)
{
	for (; *start; start++, name++)
		if (tolower((unsigned char)*name) != *start)
			return false;
	return true;
}

/* How well a stage suits as an end of a link; 0: not at all. */
static int suits(const struct pipeview *v, const struct stay *s, bool producer)
{
	const struct stage_info *info = store_stage(v->store, s->stage);
	const char *chosen = v->link_stages[producer ? 0 : 1];

	if (*chosen)
		return strcmp(info->name, chosen) == 0;
	if (s->lane)
		return 0;
	if (strchr(info->name, 'X'))
		return 4;
	if (info->role == ROLE_EXECUTE)
		return 3;
	for (int i = 0; i < 2; i++)
		if (begins_with(info->name, join_names[producer ? 0 : 1][i]))
			return 2 - i;
	return 0;
}

int64_t link_tick(const struct pipeview *v, const struct detail *d, const struct detail_row *row,
		  bool producer, int64_t otherwise)
{
	const struct stay *best = NULL;
	int64_t end;
	int rank = 0;

	for (uint32_t i = 0; i < row->stays; i++) {
		const struct stay *s = &d->stays[row->stay0 + i];
		int suit = suits(v, s, producer);

		if (suit && suit >= rank) {
			rank = suit;
			best = s;
		}
	}
	if (!best)
		return otherwise;
	if (!producer)
		return best->start;
	end = best->end == TICK_NONE ? tick_add(v->axis.last, 1) : best->end;
	return end > best->start ? end - 1 : best->start;
}
