/*
 * `simulate`: references of any origin, in the order in which they happened, through the cache
 * simulator. All that is known of the program is its pcs: TRACE.pcs lists them, a line each, and is
 * what the trace has for a source.
 */
#include "config.h"

#include <string.h>
#include <unistd.h>

#include "base/ids.h"
#include "base/vec.h"
#include "cmd/cmd.h"
#include "cmd/memory/model.h"
#include "cmd/newfile.h"
#include "simulator/chiron.h"
#include "simulator/refs.h"
#include "source/source.h"
#include "trace/lines.h"

enum {
	PIECE_BYTES = 1 << 20,
	LINE_MOST = 1 << 20,
	BEHIND_MOST = 1000 /* cycles that a reference may begin before one above it */
};

#define PCS ".pcs"
#define FILES ".files"

struct simulation {
	struct sim_machine machine;
	struct sim *sim;
	int64_t clocks[SIM_CPUS_MOST], last; /* last: when the last reference of all began */
	int64_t cycles;
	/* pcs: the line of each */
	struct ids *ids;
	VEC(uint64_t) pcs;
	/* lines */
	uint64_t line, bad_lines, first_bad;
	const char *why; /* the first one is bad */
	struct output *to; /* the trace; NULL: none is asked for */
	struct error *e;
	enum status status;
};

/* ---- the trace ---- */

/* From 1; 0: no memory. */
static uint64_t line_of(struct simulation *s, uint64_t pc)
{
	struct id *id = ids_at(s->ids, ids_number(s->ids, pc));

	if (id && id->row == IDS_NONE && vec_push(&s->pcs, pc))
		id->row = (uint32_t)s->pcs.count - 1;
	return id && id->row != IDS_NONE ? id->row + UINT64_C(1) : 0;
}

static void take_record(void *context, const struct sim_record *r)
{
	struct simulation *s = context;
	const uint64_t line = s->to ? line_of(s, r->pc) : 0;

	if (!s->to || s->status)
		return;
	chiron_put(&s->to->text, r, chiron_source(1, line));
	s->status = line ? output_drain(s->to, s->e) : error_set(s->e, STATUS_NOMEM, "out of memory");
}

static void put_caches(struct simulation *s)
{
	const struct sim_machine *m = &s->machine;
	const struct sim_record caches = {.type = SIM_CACHES,
					  .address = m->l1.block,
					  .other = m->l2.block,
					  .cpu = (uint16_t)m->cpus,
					  .text = m->cpus / m->cpus_per_l2};

	chiron_put_caches(&s->to->text, &caches);
}

/* ---- references ---- */

static void reference(struct simulation *s, const struct refs_line *r)
{
	const unsigned cpu = (unsigned)(r->thread % s->machine.cpus);
	const int64_t least = s->last - BEHIND_MOST;
	int64_t now = s->clocks[cpu] > least ? s->clocks[cpu] : least;

	s->last = now > s->last ? now : s->last;
	now += sim_access(s->sim, cpu, r->pc, r->address, r->size, r->write, now);
	s->clocks[cpu] = now + s->machine.reference;
	s->cycles = s->clocks[cpu] > s->cycles ? s->clocks[cpu] : s->cycles;
}

static bool take_line(void *arg, uint64_t offset, const char *text, size_t len, bool whole)
{
	struct simulation *s = arg;
	struct refs_line r;
	const char *why;

	(void)offset;
	(void)whole;
	s->line++;
	if (refs_read(&r, text, len, &why))
		reference(s, &r);
	else if (why && !s->bad_lines++) {
		s->first_bad = s->line;
		s->why = why;
	}
	return !s->status;
}

static enum status take_text(struct simulation *s, struct source *source)
{
	struct window w;
	uint64_t from = 0, seen = 0;
	bool on = true;

	while (on && !(s->status = source_next(source, from, PIECE_BYTES, &w, s->e)) && w.len) {
		size_t done = 0;

		on = lines_cut(&w, false, take_line, s, &done);
		if (on && !done && (w.off + w.len == seen || w.len > LINE_MOST))
			on = lines_cut(&w, true, take_line, s, &done);
		from = w.off + done;
		seen = w.off + w.len;
		source_release(source, &w);
	}
	return s->status;
}

static enum status judge(const struct simulation *s, const char *path, struct output *out)
{
	const unsigned long long line = s->first_bad;

	if (s->why && !sim_totals(s->sim)->references)
		return error_set(s->e, STATUS_INPUT,
				 "%s:%llu: %s: write thread, pc, address, size and r or w", path, line,
				 s->why);
	if (!sim_totals(s->sim)->references)
		return error_set(s->e, STATUS_INPUT, "%s: no references in it", path);
	if (s->why)
		output_note(out, NULL, "%s:%llu: %s; lines left out: %llu", path, line, s->why,
			    (unsigned long long)s->bad_lines);
	if (sim_totals(s->sim)->lost)
		output_note(out, path, "out of memory: not all references were simulated");
	return STATUS_OK;
}

static enum status simulate(struct simulation *s, const char *path, struct output *out)
{
	struct source *source;
	enum status status = source_open(&source, path, s->e);

	if (status)
		return status;
	if (s->to)
		put_caches(s);
	status = take_text(s, source);
	if (!status && source_damage(source))
		output_note(out, path, "%s", source_damage(source));
	source_close(source);
	return status ? status : judge(s, path, out);
}

/* ---- files ---- */

/* A file whose name begins as the trace's. */
static enum status write_beside(const char *suffix, const struct sbuf *text, const struct cmd_options *o,
				struct error *e)
{
	struct sbuf path = {0};
	struct output out;
	struct newfile file;
	enum status status;

	sbuf_printf(&path, "%s%s", o->output, suffix);
	status = newfile_open(&file, sbuf_text(&path), "-o", o, e);
	if (!status) {
		output_begin(&out, file.stream);
		sbuf_add(&out.text, sbuf_text(text), text->len);
		status = newfile_close(&file, o, output_end(&out, STATUS_OK, e), e);
	}
	sbuf_free(&path);
	return status;
}

/* The listing of pcs, and the table of files that names it, by a path beside the trace. */
static enum status write_sources(const struct simulation *s, const struct cmd_options *o)
{
	const char *slash = strrchr(o->output, '/');
	struct sbuf pcs = {0}, files = {0};
	enum status status;

	for (size_t i = 0; i < s->pcs.count; i++)
		sbuf_printf(&pcs, "0x%llx\n", (unsigned long long)s->pcs.data[i]);
	sbuf_printf(&files, "1 %s" PCS "\n", slash ? slash + 1 : o->output);
	status = pcs.failed ? error_set(s->e, STATUS_NOMEM, "out of memory")
			    : write_beside(PCS, &pcs, o, s->e);
	if (!status)
		status = write_beside(FILES, &files, o, s->e);
	sbuf_free(&pcs);
	sbuf_free(&files);
	return status;
}

/* Before the work: nothing is there that --force would have to replace. */
static enum status check_beside(const struct cmd_options *o, const char *suffix, struct error *e)
{
	struct sbuf path = {0};
	enum status status = STATUS_OK;

	sbuf_printf(&path, "%s%s", o->output, suffix);
	if (!o->force && access(sbuf_text(&path), F_OK) == 0)
		status = error_set(e, STATUS_IO, "%s exists: --force replaces it", sbuf_text(&path));
	sbuf_free(&path);
	return status;
}

static enum status simulate_to_file(struct simulation *s, const struct cmd_options *o, struct output *out)
{
	struct output text;
	struct newfile file;
	enum status status = check_beside(o, PCS, s->e);

	if (!status)
		status = check_beside(o, FILES, s->e);
	if (!status)
		status = newfile_open(&file, o->output, "-o", o, s->e);
	if (status)
		return status;
	output_begin(&text, file.stream);
	s->to = &text;
	status = output_end(&text, simulate(s, o->files.data[0], out), s->e);
	status = newfile_close(&file, o, status, s->e);
	return status ? status : write_sources(s, o);
}

/* ---- totals ---- */

struct level_totals {
	const char *level;
	uint64_t misses, causes[SIM_CAUSE_COUNT], upgrades;
};

struct run_totals {
	struct sim_totals sim;
	int64_t cycles;
	uint64_t bad_lines;
	struct level_totals levels[SIM_LEVELS];
};

static size_t levels(const void *result)
{
	(void)result;
	return SIM_LEVELS;
}

static const void *level_of(const void *result, size_t row)
{
	return &((const struct run_totals *)result)->levels[row];
}

#define TOTAL(type, key, member) FIELD(type, key, NULL, struct run_totals, member)
#define OF_LEVEL(type, key, member) FIELD(type, key, level_of, struct level_totals, member)
#define OF_CAUSE(name, key, help) {OF_LEVEL(COUNT, key, causes[SIM_CAUSE_##name])},

static const struct field total_fields[] = {
    {TOTAL(COUNT, "references", sim.references)},
    {TOTAL(COUNT, "writes", sim.writes)},
    {TOTAL(TICKS, "cycles", cycles)},
    {TOTAL(COUNT, "waited", sim.waited), .heading = "waited, all CPUs"},
    {TOTAL(COUNT, "bad_lines", bad_lines), .heading = "lines left out"},
    {0},
};

static const struct field level_fields[] = {
    {OF_LEVEL(TEXT, "level", level)},
    {OF_LEVEL(COUNT, "misses", misses)},
    SIM_CAUSES(OF_CAUSE)
    {OF_LEVEL(COUNT, "upgrades", upgrades)},
    {0},
};

static const struct section sections[] = {
    {SECTION(FIELDS, "totals", section_one_row, total_fields)},
    {SECTION(LIST, "misses", levels, level_fields), .title = "misses by level and cause"},
    {0},
};

static enum status put_totals(const struct simulation *s, const struct cmd_options *o, struct output *out)
{
	struct run_totals t = {
	    .sim = *sim_totals(s->sim), .cycles = s->cycles, .bad_lines = s->bad_lines};

	for (int level = 0; level < SIM_LEVELS; level++) {
		t.levels[level].level = level ? "L2" : "L1";
		t.levels[level].upgrades = t.sim.upgrades[level];
		for (int cause = 0; cause < SIM_CAUSE_COUNT; cause++) {
			t.levels[level].causes[cause] = t.sim.misses[level][cause];
			t.levels[level].misses += t.sim.misses[level][cause];
		}
	}
	if (o->json)
		return output_json_result(out, sections, &t, s->e);
	return output_sections(out, sections, &t, &(struct output_table){.limit = UINT64_MAX}, s->e);
}

/* ---- the command ---- */

static void list_presets(struct output *out)
{
	for (const struct sim_preset *p = sim_presets; p->name; p++)
		sbuf_printf(&out->text, "%s# %s: %s\n%s", p == sim_presets ? "" : "\n", p->name, p->help,
			    p->text);
}

static enum status run(struct simulation *s, const struct cmd_options *o, struct output *out)
{
	const bool to_output = o->output && strcmp(o->output, "-") == 0;
	enum status status;

	s->sim = sim_new(&s->machine, take_record, s);
	s->ids = ids_new();
	if (!s->sim || !s->ids)
		return error_set(s->e, STATUS_NOMEM, "out of memory for these caches");
	if (o->output && !to_output)
		status = simulate_to_file(s, o, out);
	else {
		s->to = to_output ? out : NULL;
		status = simulate(s, o->files.data[0], out);
	}
	return status || to_output ? status : put_totals(s, o, out);
}

enum status cmd_simulate(const struct cmd_options *o, struct output *out, struct error *e)
{
	struct simulation s = {.e = e};
	struct sbuf model = {0};
	enum status status;

	if (o->list) {
		list_presets(out);
		return STATUS_OK;
	}
	if (!o->files.count)
		return error_set(e, STATUS_USAGE,
				 "simulate: no references given: name a file (- is standard input)");
	status = memory_model_open(&s.machine, &model, o->caches, e);
	if (!status)
		status = run(&s, o, out);
	sim_free(s.sim);
	ids_free(s.ids);
	vec_free(&s.pcs);
	sbuf_free(&model);
	return status;
}
