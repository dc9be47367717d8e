#include "config.h"

#include "analysis/pipeline/reduce_report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sbuf.h"
#include "base/text.h"
#include "pipeline/store.h"

double reduce_per(int64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : 0;
}

double reduce_penalty(const struct reduce_cycles *c)
{
	return reduce_per(c->data + c->stack + c->self, (uint64_t)c->instructions);
}

void dearest_free(dearest_vec *list)
{
	for (size_t i = 0; i < list->count; i++) {
		free(list->data[i].from_text);
		free(list->data[i].text);
	}
	vec_free(list);
}

static uint64_t name_code(const struct store *s, uint32_t code, char **text)
{
	struct sbuf clean = {0};
	const char *raw = NULL;
	uint64_t pc = 0;
	bool has_pc;
	size_t len;

	*text = NULL;
	if (!store_code(s, code, &pc, &has_pc, &raw, &len) || !len)
		return pc;
	text_sanitise(&clean, raw, len);
	*text = strdup(sbuf_text(&clean));
	sbuf_free(&clean);
	return pc;
}

void dearest_of_store(dearest_vec *out, const struct reduced_trace *r, const struct store *s,
		      size_t most)
{
	for (size_t i = 0; i < r->charge_count && i < most; i++) {
		struct dearest d = {.charge = r->charges[i], .saved = -1};

		d.from_pc = name_code(s, d.charge.resolver, &d.from_text);
		d.pc = name_code(s, d.charge.dependent, &d.text);
		if (!vec_push(out, d)) {
			free(d.from_text);
			free(d.text);
		}
	}
}

/* ---- what the tables are about ------------------------------------------------------------- */

static void make_stages(struct reduce_report *r)
{
	static const struct report_stage stages[REDUCE_STAGES] = {
#define STAGE_ROW(stage, key, what) {.name = key, .help = what},
	    REDUCE_STAGE_INFO(STAGE_ROW)
#undef STAGE_ROW
	};

	for (int i = 0; i < REDUCE_STAGES; i++) {
		struct report_stage *s = &r->stages[i];
		const struct reduce_tally *chains = &r->r->chains[i];
		const uint64_t *arcs = &r->r->arcs[i];

		*s = stages[i];
		s->arcs = *arcs;
		s->removed = s->chains = s->single = s->longest = REDUCE_UNKNOWN;
		if (i && arcs[0] != REDUCE_UNKNOWN && arcs[-1] != REDUCE_UNKNOWN)
			s->removed = arcs[-1] - arcs[0];
		if (!chains->entries.count)
			continue;
		s->chains = tally_total(chains, NULL);
		s->single = chains->entries.data[0].key == 1 ? chains->entries.data[0].count : 0;
		s->longest = vec_last(&chains->entries).key;
	}
}

static void make_chains(struct reduce_report *r)
{
	struct report_chain all[REPORT_CHAINS + 1] = {{0}};

	for (int stage = REDUCE_R1; stage < REDUCE_STAGES; stage++)
		for (size_t i = 0; i < r->r->chains[stage].entries.count; i++) {
			const struct tally_entry *entry = &r->r->chains[stage].entries.data[i];
			uint64_t at = entry->key < REPORT_CHAINS ? entry->key : REPORT_CHAINS;

			all[at].length = at;
			all[at].count[stage] += entry->count;
		}
	for (size_t i = 1; i <= REPORT_CHAINS; i++)
		if (all[i].length)
			r->chains[r->chain_count++] = all[i];
}

static void add_arcs(struct report_distance *d, uint64_t distance, size_t branches, uint64_t count)
{
	d->distance = distance;
	d->at[branches] += count;
	d->all += count;
}

static void make_distances(struct reduce_report *r)
{
	struct report_distance all[REPORT_DISTANCES + 1] = {{0}},
						      sum = {.distance = REDUCE_UNKNOWN};

	for (size_t i = 0; i < r->shapes.items.count; i++) {
		const struct shape_count *c = &r->shapes.items.data[i];
		size_t d = c->shape.distance, j = c->shape.branches;

		d = d < REPORT_DISTANCES ? d : REPORT_DISTANCES;
		j = j < REPORT_BRANCHES ? j : REPORT_BRANCHES - 1;
		add_arcs(&all[d], d, j, c->count);
		add_arcs(&sum, REDUCE_UNKNOWN, j, c->count);
		r->most = all[d].all > r->most ? all[d].all : r->most;
		r->branch_count = j + 1 > r->branch_count ? j + 1 : r->branch_count;
	}
	for (size_t d = 1; d <= REPORT_DISTANCES; d++)
		if (all[d].all)
			r->distances[r->distance_count++] = all[d];
	r->distances[r->distance_count++] = sum;
}

static void make_parts(struct reduce_report *r)
{
	static const char *const letters[REDUCE_PART_COUNT + 1] = {"1", "f", "d", "s", "c", ""};
	const struct report_part parts[REDUCE_PART_COUNT + 1] = {
#define PART_ROW(part, what) {.name = #part, .help = what, .cycles = r->at.part},
	    REDUCE_CYCLES_INFO(PART_ROW)
#undef PART_ROW
		{.name = "naive", .help = "if no waits overlapped", .cycles = r->at.naive}};

	for (int i = 0; i <= REDUCE_PART_COUNT; i++) {
		r->parts[i] = parts[i];
		r->parts[i].letter = letters[i];
		/* what is no part of the sum has no share of it */
		r->parts[i].share = i < REDUCE_PART_COUNT
					? reduce_per(parts[i].cycles, (uint64_t)r->at.cycles)
					: NAN;
	}
}

/* Why a number is an estimate, and what else was left out. */
static void make_notes(struct reduce_report *r)
{
	const struct report_note notes[REPORT_NOTES] = {
	    {r->counts.loads, "loads that do not tell from where: no dependencies through memory"},
	    {r->r->unread, "instructions with operands that could not be read"},
	    {r->counts.redirects, "instructions that went on elsewhere without being branches"},
	    {r->counts.nameless, "rows without address and text, left out"},
	    {r->counts.orphans, "micro-ops without their instruction, left out"},
	    {r->bad_lines, "lines that are no instructions, left out"},
	    {r->r->ahead, "dependencies on later instructions, left out"},
	    {r->r->beyond, "arcs longer than any pipeline, left out"},
	};

	for (size_t i = 0; i < REPORT_NOTES; i++)
		if (notes[i].count && notes[i].count != REDUCE_UNKNOWN)
			r->notes[r->note_count++] = notes[i];
}

static void make_program(struct reduce_report *r)
{
	bool known = r->isa != ISA_UNKNOWN;

	r->isa_key = known ? isa_key(r->isa) : NULL;
	r->isa_name = known ? isa_name(r->isa) : NULL;
	r->arcs = r->links ? "the links of the trace" : NULL;
	r->p_b = reduce_per((int64_t)r->r->targets, r->r->instructions);
	r->tried = r->agreeing = r->simulated ? 0 : REDUCE_UNKNOWN;
	for (size_t i = 0; r->simulated && i < r->point_count; i++) {
		r->tried++;
		r->agreeing += r->simulated[i] == r->points[i].cycles;
	}
	r->across = 1;
	while (r->across < r->point_count &&
	       r->points[r->across].at.execute == r->points[0].at.execute)
		r->across++;
}

enum status reduce_report_make(struct reduce_report *r, struct error *e)
{
	if (!reduction_shapes(r->r, false, &r->shapes))
		return error_set(e, STATUS_NOMEM, "out of memory");
	make_program(r);
	make_stages(r);
	make_chains(r);
	make_distances(r);
	make_parts(r);
	make_notes(r);
	return STATUS_OK;
}

void reduce_report_free(struct reduce_report *r)
{
	vec_free(&r->shapes.items);
}

/* ---- rows ---------------------------------------------------------------------------------- */

/* of, what it is of the report r in that row */
#define ROWS(_)                                                                                    \
	_(reduction, r->r)                                                                         \
	_(stage, &r->stages[row])                                                                  \
	_(chain, &r->chains[row])                                                                  \
	_(distance, &r->distances[row])                                                            \
	_(point, &r->points[row])                                                                  \
	_(line, &r->points[row * r->across])                                                       \
	_(part, &r->parts[row])                                                                    \
	_(dearest, &r->dearest->data[row])                                                         \
	_(note, &r->notes[row])

#define ROW_OF(name, expression)                                                                   \
	static const void *name##_of(const void *result, size_t row)                               \
	{                                                                                          \
		const struct reduce_report *r = result;                                            \
		(void)row;                                                                         \
		return expression;                                                                 \
	}
ROWS(ROW_OF)
#undef ROW_OF

/* how many, of the report r */
#define COUNTS(_)                                                                                  \
	_(stages, REDUCE_STAGES)                                                                   \
	_(chains, r->chain_count)                                                                  \
	_(distances, r->distance_count)                                                            \
	_(branches, r->branch_count)                                                               \
	_(arcs, r->shapes.items.count + (r->r->self_resolving > 0))                                \
	_(points, r->point_count)                                                                  \
	_(lines, r->point_count / r->across)                                                       \
	_(setups, r->across)                                                                       \
	_(parts, REDUCE_PART_COUNT + (r->at.naive >= 0))                                           \
	_(dearest, r->dearest->count)                                                              \
	_(times, r->slack.instructions > 0)                                                        \
	_(times_setups, r->setup_count)                                                            \
	_(notes, r->note_count)                                                                    \
	_(r1, r->r->chains[REDUCE_R1].entries.count)                                               \
	_(r2, r->r->chains[REDUCE_R2].entries.count)                                               \
	_(r3, r->r->chains[REDUCE_R3].entries.count)

#define COUNT_OF(name, expression)                                                                 \
	static size_t count_##name(const void *result)                                             \
	{                                                                                          \
		const struct reduce_report *r = result;                                            \
		(void)r;                                                                           \
		return expression;                                                                 \
	}
COUNTS(COUNT_OF)
#undef COUNT_OF

/* ---- values -------------------------------------------------------------------------------- */

static double inverse_bandwidth(const struct reduce_cycles *c)
{
	return reduce_per(c->cycles, (uint64_t)c->instructions);
}

/* Of the histogram: first the branches that resolve themselves, over no distance. */
static struct shape_count arc_of(const struct reduce_report *r, size_t row)
{
	size_t self = r->r->self_resolving > 0;

	if (row < self)
		return (struct shape_count){.count = r->r->self_resolving};
	return r->shapes.items.data[row - self];
}

static struct value known_ticks(const int64_t *list, size_t row)
{
	return list ? value_ticks(list[row]) : value_none();
}

/* getter, value */
#define GETTERS(_)                                                                                 \
	_(arc_distance, value_count(arc_of(r, row).shape.distance))                                \
	_(arc_branches, value_count(arc_of(r, row).shape.branches))                                \
	_(arc_count, value_count(arc_of(r, row).count))                                            \
	_(simulated, known_ticks(r->simulated, row))                                               \
	_(inverse, value_real(inverse_bandwidth(&r->points[row])))                                 \
	_(line_cycles, value_real(inverse_bandwidth(&r->points[row * r->across + part])))          \
	_(line_penalty, value_real(reduce_penalty(&r->points[row * r->across + part])))            \
	_(r1, value_count(r->r->chains[REDUCE_R1].entries.data[part].count))                       \
	_(r2, value_count(r->r->chains[REDUCE_R2].entries.data[part].count))                       \
	_(r3, value_count(r->r->chains[REDUCE_R3].entries.data[part].count))                       \
	_(times_ns, value_ticks(r->setups[row]))                                                   \
	_(times_cycles, value_ticks(r->slack.kept_cycles[row]))                                    \
	_(times_simulated, value_ticks(r->slack.cycles[row]))                                      \
	_(times_per, value_real(reduce_per(r->slack.kept_cycles[row], r->slack.instructions)))

#define GETTER(name, expression)                                                                   \
	static struct value get_##name(const void *result, size_t row, size_t part)                \
	{                                                                                          \
		const struct reduce_report *r = result;                                            \
		(void)row, (void)part;                                                             \
		return expression;                                                                 \
	}
GETTERS(GETTER)
#undef GETTER

/* numbers that parts are called by */
#define NUMBERS(_)                                                                                 \
	_(setup, r->points[part].at.setup)                                                         \
	_(r1, (int64_t)r->r->chains[REDUCE_R1].entries.data[part].key)                             \
	_(r2, (int64_t)r->r->chains[REDUCE_R2].entries.data[part].key)                             \
	_(r3, (int64_t)r->r->chains[REDUCE_R3].entries.data[part].key)

#define NUMBER(name, expression)                                                                   \
	static int64_t name##_number(const void *result, size_t part)                              \
	{                                                                                          \
		const struct reduce_report *r = result;                                            \
		return expression;                                                                 \
	}
NUMBERS(NUMBER)
#undef NUMBER

static const char *stage_name(const void *result, size_t part)
{
	(void)result;
	return reduce_stage_keys[part];
}

/* ---- fields -------------------------------------------------------------------------------- */

#define REPORT(type, key, member)    FIELD(type, key, NULL, struct reduce_report, member)
#define REDUCTION(type, key, member) FIELD(type, key, reduction_of, struct reduction, member)
#define STAGE(type, member)          FIELD(type, #member, stage_of, struct report_stage, member)
#define CHAIN(key, member)           FIELD(COUNT, key, chain_of, struct report_chain, member)
#define DISTANCE(key, member)        FIELD(COUNT, key, distance_of, struct report_distance, member)
#define POINT(key, member)           FIELD(TICKS, key, point_of, struct reduce_cycles, member)
#define PART(type, member)           FIELD(type, #member, part_of, struct report_part, member)
#define DEAREST(type, key, member)   FIELD(type, key, dearest_of, struct dearest, member)

static const struct field program_fields[] = {
    {REPORT(TEXT, "format", format)},
    {REPORT(TEXT, "isa", isa_key), .hidden = true},
    {REPORT(TEXT, "isa", isa_name), .derived = true},
    {REPORT(BOOL, "estimate", estimate)},
    {REDUCTION(COUNT, "instructions", instructions)},
    {REDUCTION(COUNT, "targets", targets)},
    {REPORT(REAL, "p_b", p_b), .decimals = 4, .derived = true},
    {REDUCTION(COUNT, "self_resolving", self_resolving), .heading = "self-resolving"},
    {REPORT(TEXT, "dependencies", arcs), .derived = true},
    {REDUCTION(COUNT, "cap", cap), .hidden = true},
    {REDUCTION(COUNT, "unread", unread), .hidden = true},
    {REPORT(COUNT, "loads", counts.loads), .hidden = true},
    {REPORT(COUNT, "redirects", counts.redirects), .hidden = true},
    {REPORT(COUNT, "nops", counts.nops), .hidden = true},
    {REPORT(COUNT, "orphans", counts.orphans), .hidden = true},
    {REPORT(COUNT, "nameless", counts.nameless), .hidden = true},
    {REPORT(COUNT, "bad_lines", bad_lines), .hidden = true},
    {REDUCTION(COUNT, "arcs", arcs), .parts = count_stages, .part = stage_name, .hidden = true},
    {0},
};

static const struct field stage_fields[] = {
    {STAGE(TEXT, name)},
    {STAGE(COUNT, arcs)},
    {STAGE(COUNT, removed)},
    {STAGE(COUNT, chains)},
    {STAGE(COUNT, single), .heading = "of one arc"},
    {STAGE(COUNT, longest)},
    {STAGE(TEXT, help), .heading = "", .minor = field_is_minor},
    {0},
};

static const struct field chain_fields[] = {
    {FIELD_BY(COUNT, "r1", get_r1), .parts = count_r1, .part_number = r1_number},
    {FIELD_BY(COUNT, "r2", get_r2), .parts = count_r2, .part_number = r2_number},
    {FIELD_BY(COUNT, "r3", get_r3), .parts = count_r3, .part_number = r3_number},
    {0},
};

static const struct field length_fields[] = {
    {CHAIN("arcs", length)},
    {CHAIN("r1", count[REDUCE_R1]), .blank = true},
    {CHAIN("r2", count[REDUCE_R2]), .blank = true},
    {CHAIN("r3", count[REDUCE_R3]), .blank = true},
    {0},
};

static const struct field distance_fields[] = {
    {DISTANCE("distance", distance)},
    {DISTANCE("at", at), .parts = count_branches, .part_number = field_part_number, .blank = true},
    {DISTANCE("all", all)},
    {0},
};

static const struct field arc_fields[] = {
    {FIELD_BY(COUNT, "distance", get_arc_distance)},
    {FIELD_BY(COUNT, "branches", get_arc_branches)},
    {FIELD_BY(COUNT, "count", get_arc_count)},
    {0},
};

static const struct field point_fields[] = {
    {POINT("ne", at.execute)},
    {POINT("ns", at.setup)},
    {POINT("cycles", cycles)},
    {POINT("flush", flush)},
    {POINT("data", data)},
    {POINT("stack", stack)},
    {POINT("self", self)},
    {POINT("naive", naive)},
    {FIELD_BY(TICKS, "simulated", get_simulated)},
    {FIELD_BY(REAL, "inverse_bandwidth", get_inverse)},
    {0},
};

#define IN_LINE(key, get)                                                                          \
	FIELD_BY(REAL, key, get), .parts = count_setups, .part_number = setup_number
static const struct field grid_fields[] = {
    {FIELD(TICKS, "N_E", line_of, struct reduce_cycles, at.execute)},
    {IN_LINE("cycles", get_line_cycles), .decimals = 2},
    {0},
};

static const struct field penalty_fields[] = {
    {FIELD(TICKS, "N_E", line_of, struct reduce_cycles, at.execute)},
    {IN_LINE("penalty", get_line_penalty), .decimals = 2},
    {0},
};

static const struct field at_fields[] = {
    {REPORT(TICKS, "N_E", at.at.execute)},
    {REPORT(TICKS, "N_S", at.at.setup)},
    {REPORT(TICKS, "cycles", at.cycles)},
    {REPORT(COUNT, "pipelines simulated", tried)},
    {REPORT(COUNT, "the same to the cycle", agreeing)},
    {0},
};

static const struct field part_fields[] = {
    {PART(TEXT, letter), .heading = ""},
    {PART(TEXT, name)},
    {PART(TICKS, cycles)},
    {PART(REAL, share), .decimals = 1, .percent = true},
    {PART(TEXT, help), .heading = "", .minor = field_is_minor},
    {0},
};

static const struct field dearest_fields[] = {
    {DEAREST(TICKS, "cycles", charge.cycles)},
    {DEAREST(COUNT, "count", charge.count), .heading = "arcs"},
    {DEAREST(TICKS, "most", charge.most), .minor = field_is_minor, .derived = true},
    {DEAREST(TICKS, "saved", saved), .minor = field_is_minor},
    {DEAREST(HEX, "from_pc", from_pc), .heading = "from"},
    {DEAREST(TEXT, "from_text", from_text), .heading = ""},
    {DEAREST(HEX, "pc", pc), .heading = "to"},
    {DEAREST(TEXT, "text", text), .heading = ""},
    {DEAREST(COUNT, "row", charge.row), .hidden = true},
    {0},
};

static const struct field times_fields[] = {
    {REPORT(COUNT, "arcs", slack.arcs)},
    {REPORT(COUNT, "positive", slack.positive), .heading = "outlast their distance"},
    {REPORT(COUNT, "kept", slack.kept), .heading = "can cost cycles"},
    {0},
};

static const struct field times_grid_fields[] = {
    {FIELD_BY(TICKS, "ns", get_times_ns), .heading = "N_S"},
    {FIELD_BY(TICKS, "cycles", get_times_cycles)},
    {FIELD_BY(TICKS, "simulated", get_times_simulated)},
    {FIELD_BY(REAL, "per", get_times_per), .heading = "an instruction", .decimals = 4,
     .derived = true},
    {0},
};

static const struct field note_fields[] = {
    {FIELD(COUNT, "count", note_of, struct report_note, count)},
    {FIELD(TEXT, "what", note_of, struct report_note, text)},
    {0},
};

#define ABOUT_NOTES                                                                                \
	"Dependencies that are missing here are not counted: the cycles may be too few."
#define ABOUT_STAGES                                                                               \
	"An arc is a dependency. Reductions drop those that never cost a cycle of their own; r3 "  \
	"is what is left."
#define ABOUT_CHAINS                                                                               \
	"Arcs that overlap form a chain. Where most chains have one arc, most waits stand alone."
#define ABOUT_DISTANCES                                                                            \
	"Near arcs wait longest, and a branch target in between hides a part. Move near "          \
	"instructions apart."
#define ABOUT_PARTS "Large d or s: move dependent instructions apart. Large f or c: avoid branches."
#define ABOUT_DEAREST "Move the two instructions of a line apart to save up to its cycles."
#define ABOUT_PENALTIES "What waiting adds: small numbers are pipelines that this program fills."

/* ---- sections ------------------------------------------------------------------------------ */

#define FOR_PEOPLE(rows_, fields_, title_) SECTION(LIST, title_, rows_, fields_), .derived = true
#define FOR_PROGRAMS(form_, key_, rows_, fields_)                                                  \
	SECTION(form_, key_, rows_, fields_), .hidden = true

static const struct section times_sections[] = {
    {SECTION(LIST, "grid", count_times_setups, times_grid_fields)},
    {0},
};

const struct section reduce_sections[] = {
    [REDUCE_PROGRAM] = {SECTION(FIELDS, "program", section_one_row, program_fields)},
    [REDUCE_NOTES] = {FOR_PEOPLE(count_notes, note_fields, "what is missing or left out"),
			      .about = ABOUT_NOTES},
    [REDUCE_STAGE_TABLE] = {FOR_PEOPLE(count_stages, stage_fields, "arcs, by Reduction"),
			      .about = ABOUT_STAGES},
    [REDUCE_CHAINS] = {FOR_PROGRAMS(OBJECT, "chains", section_one_row, chain_fields)},
    [REDUCE_CHAIN_TABLE] = {FOR_PEOPLE(count_chains, length_fields,
				       "chains by arcs in them (12: or more)"),
			      .about = ABOUT_CHAINS},
    [REDUCE_HISTOGRAM] = {FOR_PROGRAMS(TUPLES, "histogram", count_arcs, arc_fields)},
    [REDUCE_DISTANCES] = {FOR_PEOPLE(count_distances, distance_fields,
				     "arcs left, by distance (down; 24: or more; last: all) and "
				     "branch targets spanned (7: or more)"),
			      .about = ABOUT_DISTANCES},
    [REDUCE_POINTS] = {FOR_PROGRAMS(LIST, "grid", count_points, point_fields)},
    [REDUCE_GRID] = {FOR_PEOPLE(count_lines, grid_fields,
				"cycles an instruction, by N_E (down) and N_S (across)")},
    [REDUCE_AT] = {SECTION(FIELDS, "at", section_one_row, at_fields),
		   .title = "the last of these pipelines", .derived = true},
    [REDUCE_PARTS] = {FOR_PEOPLE(count_parts, part_fields, "its cycles"),
			      .about = ABOUT_PARTS},
    [REDUCE_DEAREST] = {SECTION(LIST, "dearest", count_dearest, dearest_fields),
			.title =
			    "the dearest dependencies there; saved: when it alone is taken out",
			      .about = ABOUT_DEAREST},
    [REDUCE_TIMES] = {SECTION(OBJECT, "times", count_times, times_fields), .title = "with --times",
		      .inner = times_sections},
    {0},
};

const struct section reduce_penalties = {
    FOR_PEOPLE(count_lines, penalty_fields,
	       "penalty: cycles that dependencies cost an instruction, by N_E (down) and N_S"),
    .about = ABOUT_PENALTIES};
