#include "config.h"

#include "view/pipeline/panes.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "pipeline/queries/detail.h"
#include "view/pipeline/links.h"
#include "analysis/pipeline/waited.h"
#include "analysis/pipeline/why.h"
#include "view/pane_list.h"
#include "view/pipeline/pipeview.h"

/* Micro-ops are born close behind their parent; further away none is looked for. */
enum { MICRO_OP_SCAN = 1024, RAW_LINES = 1000, RAW_BYTES = 400 };

static const char *const fate_helps[] = {
#define FATE_HELP(name, text, letter, help) help,
    FATE_INFO(FATE_HELP)
#undef FATE_HELP
};

struct inspector {
	struct list_pane *list;
	struct store *store;
	struct detail detail;
	const struct detail_row *row;
	struct binary *binary;
	const struct why *why;
	const char *instead; /* of it */
	uint64_t raw_left_out;
	uint64_t raw;
	int64_t step;                 /* ticks a cycle */
	int offset_width, tick_width; /* of the trace's greatest ones */
};

/* Function and source line of the pc, in the program that ran. */
static void add_place(struct inspector *k)
{
	struct code_place at = {NULL, NULL, 0};
	struct pane_line *l;
	const char *base;

	if (!k->binary || !k->row->has_pc)
		return;
	binary_locate(k->binary, &k->row->pc, 1, &at);
	l = list_pane_key(k->list, "function");
	if (at.function)
		pane_line_bytes(l, ROLE_TEXT, at.function, strlen(at.function));
	else
		pane_line_add(l, ROLE_UNKNOWN, "not in the program");
	if (!at.file)
		return;
	base = strrchr(at.file, '/') ? strrchr(at.file, '/') + 1 : at.file;
	l = list_pane_key(k->list, "source");
	pane_line_bytes(l, ROLE_TEXT, base, strlen(base));
	pane_line_add(l, ROLE_TEXT, ":%d", at.line);
	if (base > at.file) {
		pane_line_add(l, ROLE_DIM, " in ");
		pane_line_bytes(l, ROLE_DIM, at.file, (size_t)(base - at.file));
	}
}

static void add_identity(struct inspector *k)
{
	const struct detail_row *r = k->row;
	char a[32], b[32], id[24];

	pane_line_bytes(list_pane_key(k->list, "text"), ROLE_TEXT,
			sbuf_text(&k->detail.text) + r->text0, r->text_len);
	if (r->has_pc)
		pane_line_add(list_pane_key(k->list, "pc"), ROLE_PC, "0x%" PRIx64, r->pc);
	else
		pane_line_add(list_pane_key(k->list, "pc"), ROLE_UNKNOWN, "not in the trace");
	add_place(k);
	pane_line_add(list_pane_key(k->list, "seq"), ROLE_TEXT, "%s", detail_id(r, "-", id));
	pane_line_add(list_pane_key(k->list, "row"), ROLE_TEXT, "%s",
		      num_group((int64_t)r->head.row, a));
	pane_line_add(list_pane_key(k->list, "fate"), ROLE_TEXT, "%s: %s", fate_names[r->head.fate],
		      fate_helps[r->head.fate]);
	if (r->head.thread)
		pane_line_add(list_pane_key(k->list, "thread"), ROLE_TEXT, "%" PRId64,
			      store_thread(k->store, r->head.thread));
	num_group((int64_t)r->offset, a);
	num_group((int64_t)r->line, b);
	pane_line_add(list_pane_key(k->list, "in the file"), ROLE_TEXT,
		      r->line ? "byte %s, line %s" : "byte %s", a, b);
}

/* What the trace says beside the disassembly, a line for each of its own. */
static void add_note(struct inspector *k, const char *indent, uint32_t from, uint32_t len)
{
	const char *p = sbuf_text(&k->detail.text) + from, *end = p + len;

	while (p < end) {
		const char *stop = memchr(p, '\n', (size_t)(end - p));
		size_t n = (size_t)((stop ? stop : end) - p);
		struct pane_line *l;

		if (n) {
			l = list_pane_add(k->list, ROW_NONE, 0);
			pane_line_add(l, ROLE_PANE, "%s", indent);
			pane_line_bytes(l, ROLE_TEXT, p, n);
		}
		p += n + 1;
	}
}

static void add_notes(struct inspector *k)
{
	if (!k->row->note_len)
		return;
	list_pane_heading(k->list, "notes");
	add_note(k, "  ", k->row->note0, k->row->note_len);
}

static const char *unit_of(const struct inspector *k)
{
	return k->step > 1 ? "cycle" : store_unit(k->store);
}

/* Ticks as cycles where the trace has both. */
static int64_t time_of(const struct inspector *k, int64_t tick)
{
	int64_t rest = tick % k->step;

	return (tick - rest) / k->step - (rest < 0);
}

static int64_t length_of(const struct inspector *k, int64_t ticks)
{
	return (ticks + k->step / 2) / k->step;
}

static void add_life(struct inspector *k)
{
	const struct row *r = &k->row->head;
	const char *unit = unit_of(k);
	struct pane_line *l = list_pane_add(k->list, r->row, r->start);
	char from[32], to[32], number[32];
	int64_t n;

	pane_line_add(l, ROLE_DIM, "%-12s ", "life");
	num_group(time_of(k, r->start), from);
	if (r->end == TICK_NONE) {
		pane_line_add(l, ROLE_TEXT, "%s %s to the end of the trace", unit, from);
		return;
	}
	num_group(time_of(k, r->end), to);
	n = length_of(k, r->end - r->start);
	pane_line_add(l, ROLE_TEXT, "%s %s to %s, %s%s %s%s", unit, from, to,
		      r->fate == FATE_UNKNOWN ? "at least " : "", num_group(n, number), unit,
		      n == 1 ? "" : "s");
}

/* Another row; Enter goes to it, at the tick, or where it starts. */
static void add_relative(struct inspector *k, const char *what, uint64_t row, int64_t tick,
			 unsigned type)
{
	struct detail d = {0};

	if (store_detail(k->store, row, 1, &d, NULL) == STATUS_OK && d.count > 0) {
		struct pane_line *l = list_pane_add(
		    k->list, row, tick == TICK_NONE ? d.rows[0].head.start : tick);
		char at[32], id[24];

		pane_line_add(l, ROLE_DIM, "%-12s ", what);
		pane_line_add(l, ROLE_TEXT, "seq %s ", detail_id(&d.rows[0], "-", id));
		pane_line_bytes(l, ROLE_TEXT, sbuf_text(&d.text) + d.rows[0].text0,
				d.rows[0].text_len);
		pane_line_add(l, ROLE_TEXT, " (row %s)", num_group((int64_t)row, at));
		if (type)
			pane_line_add(l, ROLE_KEY, " type %u", type);
	}
	detail_free(&d);
}

/* Micro-ops of the row, or the others of its parent. */
static void add_family(struct inspector *k)
{
	const struct row *self = &k->row->head;
	uint64_t parent = self->micro_op ? self->parent : self->row;
	struct row batch[64];
	size_t n;

	if (self->micro_op && parent == ROW_NONE)
		pane_line_add(list_pane_key(k->list, "micro-op of"), ROLE_UNKNOWN,
			      "parent unknown");
	if (parent == ROW_NONE)
		return;
	if (self->micro_op)
		add_relative(k, "micro-op of", parent, TICK_NONE, 0);
	for (uint64_t row = parent + 1; row - parent < MICRO_OP_SCAN; row += n) {
		n = store_rows(k->store, row, 64, batch);
		for (size_t i = 0; i < n; i++)
			if (batch[i].parent == parent)
				add_relative(k, batch[i].row == self->row ? "this one" : "micro-op",
					     batch[i].row, TICK_NONE, 0);
		if (n == 0)
			break;
	}
}

static const char *latency_words(const struct stage_info *stage)
{
	switch (stage->role) {
	case ROLE_FETCH:
		return " before the fetch";
	case ROLE_EXECUTE:
		return " as predicted on entry";
	default:
		return "";
	}
}

/* "cache miss" says nothing beside "cache-miss". */
static bool says_more(const char *help, const char *name)
{
	if (!help)
		return false;
	while (*name && (*help == *name || (*help == ' ' && *name == '-'))) {
		help++;
		name++;
	}
	return *help || *name;
}

static void add_events(struct inspector *k, const struct stay *s)
{
	for (size_t e = 0; e < store_event_count(k->store); e++) {
		const struct event_info *info = store_event(k->store, e);
		struct pane_line *l;

		if (!(s->events >> e & 1))
			continue;
		l = list_pane_add(k->list, k->row->head.row, s->start);
		pane_line_add(l, ROLE_PANE, "    ");
		pane_line_add(l, (enum role)(ROLE_EVENT_0 + info->colour % PALETTE_EVENTS), " %c ",
			      info->letter);
		pane_line_add(l, ROLE_TEXT, " %s", info->name);
		if (s->latency > 0 && (s->colour >> e & 1))
			pane_line_add(l, ROLE_TEXT, ", latency %d%s", (int)s->latency,
				      latency_words(store_stage(k->store, s->stage)));
		if (says_more(info->help, info->name))
			pane_line_add(l, ROLE_DIM, ": %s", info->help);
	}
}

static void add_stay(struct inspector *k, const struct stay *s, bool last)
{
	const struct stage_info *info = store_stage(k->store, s->stage);
	struct pane_line *l = list_pane_add(k->list, k->row->head.row, s->start);
	char at[32], n[32] = "";

	if (s->end == TICK_NONE)
		snprintf(n, sizeof(n), "%s", "open");
	else
		num_group(length_of(k, s->end - s->start), n);
	pane_line_add(l, (enum role)(ROLE_STAGE_0 + info->colour % PALETTE_STAGES), " %c ",
		      stage_sign(info->letter, false));
	pane_line_add(l, ROLE_TEXT, " %-4s %*s %s%6s  ", info->name, k->tick_width,
		      num_group(time_of(k, s->start), at), last && k->detail.clipped ? ">=" : "  ",
		      n);
	pane_line_add(l, ROLE_DIM, "%s", info->help ? info->help : "");
	if (s->lane)
		pane_line_add(l, ROLE_DIM, "%slane %s", info->help ? ", " : "",
			      store_lane(k->store, s->lane));
	add_events(k, s);
	add_note(k, "      ", s->note0, s->note_len);
}

static void add_links(struct inspector *k, const char *what, const struct link_end *ends, size_t n)
{
	char name[32];

	for (size_t i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "%s %zu", what, i + 1);
		if (ends[i].row == ROW_NONE)
			pane_line_add(list_pane_key(k->list, name), ROLE_UNKNOWN,
				      "seq %" PRIu64 ", not in the trace", ends[i].id);
		else
			add_relative(k, name, ends[i].row, TICK_NONE, ends[i].type);
	}
}

/* Both ways; Enter goes to the other row. */
static void add_all_links(struct inspector *k)
{
	struct link_list l;
	struct error e;

	if (!store_link_count(k->store) ||
	    links_of(k->store, k->row->head.row, true, true, &l, &e) != STATUS_OK ||
	    (l.producer_count + l.consumer_count == 0 && !links_are_far(&l)))
		return;
	list_pane_heading(k->list, "links: producers and consumers");
	add_links(k, "producer", l.producers, l.producer_count);
	if (links_are_far(&l))
		links_tell_far(list_pane_key(k->list, "producers"), &l);
	add_links(k, "consumer", l.consumers, l.consumer_count);
	if (l.more)
		pane_line_add(list_pane_add(k->list, ROW_NONE, 0), ROLE_DIM, "more (%d are listed)",
			      LINKS_MAX);
}

/* Which rows it waited for without a link that says so; Enter goes to the other row. */
static void add_waited(struct inspector *k)
{
	const struct row *row = &k->row->head;
	char number[32], at[32];
	struct row older, before;
	bool behind = waited_for(k->store, row, k->detail.stays + k->row->stay0, k->row->stays,
				 &older);
	uint64_t squashed = waited_squash(k->store, row, &before);

	if (behind || squashed)
		list_pane_heading(k->list, "waited for (seen from its neighbours)");
	if (behind)
		pane_line_add(list_pane_add(k->list, older.row, TICK_NONE), ROLE_TEXT,
			      "commit behind row %s, which committed at %s",
			      num_group((int64_t)older.row, number),
			      num_group(time_of(k, row_commit_tick(&older)), at));
	if (squashed)
		pane_line_add(list_pane_add(k->list, before.row, TICK_NONE), ROLE_TEXT,
			      "fetch behind a squash of %s row%s after row %s",
			      num_group((int64_t)squashed, number), squashed == 1 ? "" : "s",
			      num_group((int64_t)before.row, at));
}

static void add_reason(struct inspector *k, enum why_time t, const struct why_reason *r)
{
	struct pane_line *l = list_pane_add(k->list, r->row, r->tick);
	char of[32], n[32];

	pane_line_add(l, ROLE_DIM, "%-12s ", why_time_names[t]);
	pane_line_add(l, ROLE_TEXT, "%s +%s", r->rule, num_group(r->margin, n));
	pane_line_add(l, r->slack ? ROLE_DIM : ROLE_KEY, "  slack %s%s", r->at_least ? ">=" : "",
		      num_group(r->slack, n));
	if (r->row != ROW_NONE && r->row != k->row->head.row) {
		snprintf(of, sizeof(of), " %s of", why_time_names[r->from]);
		add_relative(k, of, r->row, r->tick, 0);
	}
	if (r->residue)
		pane_line_add(list_pane_key(k->list, ""), ROLE_TEXT, "%s more cycle%s%s (%s)",
			      num_group(r->residue, n), r->residue == 1 ? "" : "s",
			      r->explained ? "" : " unexplained", r->residue_cause);
}

/* What each time waited for longest, and how much later it could be in a run as long (slack). */
static void add_lateness(struct inspector *k)
{
	struct why_late late;
	struct error e;

	if (why_not(k->store))
		return;
	if (k->row->head.fate != FATE_COMMITTED || !k->why) {
		pane_line_add(list_pane_key(k->list, "why so late"), ROLE_DIM, "%s",
			      k->row->head.fate == FATE_COMMITTED
				      ? k->instead
				      : "only what commits makes a run longer");
		return;
	}
	list_pane_heading(k->list, "why so late: what came last, + by; slack");
	if (why_late(k->why, k->row->head.row, &late, &e) != STATUS_OK) {
		pane_line_add(list_pane_add(k->list, ROW_NONE, 0), ROLE_DIM, "%s", e.text);
		return;
	}
	for (int t = 0; t < WHY_TIMES; t++)
		if (late.of[t].rule)
			add_reason(k, (enum why_time)t, &late.of[t]);
}

static bool add_raw(void *arg, uint64_t offset, int64_t tick, const char *line, size_t len)
{
	struct inspector *k = arg;
	struct pane_line *l;
	char at[32];

	if (k->raw++ >= RAW_LINES) {
		k->raw_left_out++;
		return true;
	}
	l = list_pane_add(k->list, k->row->head.row, tick);
	pane_line_add(l, ROLE_DIM, "%*s  ", k->offset_width, num_group((int64_t)offset, at));
	pane_line_bytes(l, ROLE_TEXT, line, len > RAW_BYTES ? RAW_BYTES : len);
	return true;
}

static void add_all(struct inspector *k)
{
	struct progress at;
	struct error e;
	char last[32], id[24];

	snprintf(k->list->title, sizeof(k->list->title), "seq %s",
		 detail_id(k->row, "-", id));
	store_progress(k->store, &at);
	k->tick_width = (int)strlen(num_group(time_of(k, at.last), last));
	k->offset_width = (int)strlen(num_group((int64_t)at.source_bytes, last));
	add_identity(k);
	add_life(k);
	add_family(k);
	add_all_links(k);
	add_waited(k);
	add_lateness(k);
	list_pane_heading(k->list, "stages: entered at, stayed for");
	for (uint32_t i = 0; i < k->row->stays; i++)
		add_stay(k, &k->detail.stays[k->row->stay0 + i], i + 1 == k->row->stays);
	add_notes(k);
	list_pane_heading(k->list, "lines of the file: byte, text");
	if (store_row_lines(k->store, k->row->head.row, add_raw, k, &e) != STATUS_OK)
		pane_line_add(list_pane_add(k->list, ROW_NONE, 0), ROLE_ERROR, "%s", e.text);
	if (k->raw_left_out)
		pane_line_add(list_pane_add(k->list, ROW_NONE, 0), ROLE_DIM,
			      "... and %" PRIu64 " lines more", k->raw_left_out);
}

struct pane *inspector_pane(struct store *s, uint64_t row, struct binary *binary,
			    const struct why *why, const char *instead)
{
	struct inspector k = {
	    .list = list_pane_new(NULL),
	    .store = s,
	    .binary = binary,
	    .why = why,
	    .instead = instead,
	    .step = store_ticks_per_cycle(s),
	};
	struct error e = {0};

	if (store_detail(s, row, 1, &k.detail, &e) == STATUS_OK && k.detail.count > 0) {
		k.row = &k.detail.rows[0];
		add_all(&k);
	} else {
		snprintf(k.list->title, sizeof(k.list->title), "instruction");
		pane_line_add(list_pane_add(k.list, ROW_NONE, 0), ROLE_ERROR, "%s",
			      *e.text ? e.text : "no such row");
	}
	detail_free(&k.detail);
	return &k.list->pane;
}
