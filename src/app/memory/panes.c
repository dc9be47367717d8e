/*
 * The panes of the views of shared memory: the stay under the cursor, and what batch commands say.
 * Enter on a hint, a pair or a collision goes to the stay that it speaks of.
 */
#include "config.h"

#include <inttypes.h>

#include "analysis/memory/sharing.h"
#include "app/answers.h"
#include "app/memory/view.h"
#include "app/state.h"
#include "view/pane_list.h"

enum { HINT_COLUMNS = 76 };

/* Of the row, where a list is in sight. */
static struct pane *make_inspector(struct app *a)
{
	struct ranking *r = memory_list_of(a->tab->view);

	return r ? ranking_inspector(r, true) : blocks_stay_pane(blocks_of(a->tab));
}

static struct pane *make_legend(struct app *a)
{
	return memory_legend(&blocks_of(a->tab)->focus, memory_list_of(a->tab->view));
}

static struct pane *make_caches(struct app *a)
{
	return blocks_caches_pane(blocks_of(a->tab));
}

static struct pane *make_source(struct app *a)
{
	return ranking_source_pane(
	    memory_list_of(tab_view(a->tab, &list_view_kinds[MEMORY_BY_LINE])));
}

/* To the stay that ended so first. */
static bool go_loss(const struct sharing *r, const struct sharing_pair *p, struct sbuf *out)
{
	const uint32_t stay = sharing_first_loss(r->source->t, p);

	sbuf_printf(out, "blocks stay %" PRIu32, stay);
	return stay != MEMORY_NONE;
}

static bool go_pair(const void *result, size_t row, struct sbuf *out)
{
	return go_loss(result, &((const struct sharing *)result)->pairs.data[row], out);
}

static bool go_collision(const void *result, size_t row, struct sbuf *out)
{
	return go_loss(result, &((const struct sharing *)result)->collisions.data[row], out);
}

static bool go_hint(const struct pane *p, size_t i, struct sbuf *out)
{
	struct place to = {.item = ITEM_NONE};

	if (list_pane_target(p, i, &to))
		sbuf_printf(out, "blocks stay %" PRIu64, to.item);
	return to.item != ITEM_NONE;
}

static const struct pane_ops hint_ops = {LIST_PANE, .command = go_hint, .width = HINT_COLUMNS};

static const struct answer_shown hints = {&memory_hints_answer, "Hints", .hints = &hint_ops};
static const struct answer_shown components = {&memory_components_answer, "CPUs and caches",
					       .none = "no components"};
static const struct answer_shown pairs = {
    &sharing_answer, "Who took blocks from whom  (Enter: the first time)",
    .none = "nobody took a block", .key = "pairs", .command = go_pair};
static const struct answer_shown collisions = {
    &sharing_answer, "What pushes what out of the caches  (Enter: the first time)",
    .none = "nothing was pushed out", .key = "collisions", .command = go_collision};

/* ---- two traces ---- */

static const struct answer_shown
    objects = {&memory_compare_answer, "Cycles of objects, A and B", .none = "the same in both",
	       .key = "objects", .compares = true},
    classes = {&memory_compare_answer, "Cycles of classes, A and B", .none = "the same in both",
	       .key = "classes", .compares = true},
    lines = {&memory_compare_answer, "Cycles of source lines by their text, A and B",
	     .none = "the same in both", .key = "lines", .compares = true};

const struct pane_kind memory_panes[] = {
    {"inspector", "everything about the stay, source line, object or class under the cursor",
     PANE_SIDE, true, true, true, FOLLOWS_ROW, .make = make_inspector},
    {"legend", "signs and colours of blocks or of lists, letters of classes", PANE_SIDE, true, true,
     true, FOLLOWS_ROW, .make = make_legend},
    {"caches", "how many blocks of which objects each cache has at the cursor", PANE_SIDE, false,
     true, true, FOLLOWS_TICK, .make = make_caches},
    {"source", "the text around the source line, with what its lines cost", PANE_POPUP, true, true,
     false, FOLLOWS_ROW, .make = make_source},
    {"hints", "what costs most, and what to try", PANE_POPUP, true, true, false, FOLLOWS_NOTHING,
     .answer = &hints},
    {"components", "CPUs and caches by how busy they were", PANE_POPUP, true, true, false,
     FOLLOWS_NOTHING, .answer = &components},
    {"pairs", "which line took blocks from which other", PANE_POPUP, true, true, false,
     FOLLOWS_NOTHING, .answer = &pairs},
    {"collisions", "which class pushes which out of the caches, and why", PANE_POPUP, true, true,
     false, FOLLOWS_NOTHING, .answer = &collisions},
    {"compare", "the metrics of B against A", PANE_POPUP, true, true, true, FOLLOWS_NOTHING,
     .make = metric_pairs_pane, .own = {"view objects", "objects"}},
    {"compare objects", "objects of A and B, by name", PANE_POPUP, true, true, false,
     FOLLOWS_NOTHING, .answer = &objects, .own = {"view source", "lines"}},
    {"compare source", "source lines of A and B, by text", PANE_POPUP, true, true, false,
     FOLLOWS_NOTHING, .answer = &lines, .own = {"view classes", "classes"}},
    {"compare classes", "classes of A and B, by name", PANE_POPUP, true, true, false,
     FOLLOWS_NOTHING, .answer = &classes, .own = {"compare table", "metrics"}},
    {.name = NULL},
};
