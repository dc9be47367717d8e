/*
 * `simulate`: references of any origin, in the order in which they happened, go in, and a trace comes
 * out. All that is known of the program is its pcs: TRACE.pcs lists them, a line each, and is what the
 * trace has for a source.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/ids.h"
#include "base/num.h"
#include "cmd/cmd.h"
#include "cmd/memory/memory.h"
#include "cmd/newfile.h"

enum {
	LINE_BYTES = 256,
	BEHIND_MOST = 1000 /* cycles that a reference may begin before one above it */
};

struct simulation {
	struct sim_machine machine;
	struct sim *sim;
	int64_t clocks[SIM_CPUS_MOST], last; /* last: when the last reference of all began */
	int64_t cycles;
	struct ids *ids; /* of pcs: their lines in the list */
	struct sbuf pcs;
	uint32_t pc_count;
	uint64_t line;
	struct output *to; /* the trace */
	struct error *e;
	enum status status;
};

/* ---- the trace ---- */

/* From 1; 0: no memory. */
static uint64_t line_of(struct simulation *s, uint64_t pc)
{
	struct id *id = ids_at(s->ids, ids_number(s->ids, pc));

	if (id && id->row == IDS_NONE) {
		id->row = s->pc_count++;
		sbuf_printf(&s->pcs, "0x%llx\n", (unsigned long long)pc);
	}
	return id && !s->pcs.failed ? id->row + UINT64_C(1) : 0;
}

static void take_record(void *context, const struct sim_record *r)
{
	struct simulation *s = context;
	const uint64_t line = line_of(s, r->pc);

	if (s->status)
		return;
	chiron_put(&s->to->text, r, chiron_source(1, line));
	s->status = line ? output_drain(s->to, s->e) : error_set(s->e, STATUS_NOMEM, "out of memory");
}

/* ---- references ---- */

static void reference(struct simulation *s, const struct sim_reference *r)
{
	const unsigned cpu = (unsigned)(r->thread % s->machine.cpus);
	const int64_t least = s->last - BEHIND_MOST;
	int64_t now = s->clocks[cpu] > least ? s->clocks[cpu] : least;

	s->last = now > s->last ? now : s->last;
	now += sim_access(s->sim, cpu, r->pc, r->address, r->size, r->write, now);
	s->clocks[cpu] = now + s->machine.reference;
	s->cycles = s->clocks[cpu] > s->cycles ? s->clocks[cpu] : s->cycles;
}

/* Until one makes no sense, or the end. What is behind LINE_BYTES of a line is no reference's. */
static enum status take_lines(struct simulation *s, FILE *f, const char **why)
{
	char text[LINE_BYTES];
	struct sim_reference r;

	while (!s->status && !*why && fgets(text, sizeof(text), f)) {
		const bool whole = strchr(text, '\n');

		s->line++;
		if (sim_reference_read(&r, text, why))
			reference(s, &r);
		for (int c = 0; !whole && c != EOF && c != '\n';)
			c = getc(f);
	}
	return s->status;
}

static enum status tell(const struct simulation *s, const char *path, const char *why,
			struct output *out)
{
	const struct sim_totals *t = sim_totals(s->sim);
	char number[4][32];

	if (!t->references && why)
		return error_set(s->e, STATUS_INPUT,
				 "%s:%" PRIu64 ": %s: write thread, pc, address, size and r or w", path,
				 s->line, why);
	if (!t->references)
		return error_set(s->e, STATUS_INPUT, "%s: no references in it", path);
	if (why)
		output_note(out, NULL, "%s:%" PRIu64 ": %s: the trace ends there", path, s->line, why);
	if (t->lost)
		output_note(out, path, "out of memory: not all references were simulated");
	output_note(out, path, "%s references, %s misses, of these %s in L2, too, %s cycles",
		    num_group((int64_t)t->references, number[0]),
		    num_group((int64_t)t->misses[0], number[1]),
		    num_group((int64_t)t->misses[1], number[2]), num_group(s->cycles, number[3]));
	return STATUS_OK;
}

static enum status simulate(struct simulation *s, const char *path, struct output *out)
{
	const struct sim_machine *m = &s->machine;
	const struct sim_record caches = {.type = SIM_CACHES,
					  .address = m->l1.block,
					  .other = m->l2.block,
					  .cpu = (uint16_t)m->cpus,
					  .text = m->cpus / m->cpus_per_l2};
	FILE *f = strcmp(path, "-") != 0 ? fopen(path, "re") : stdin;
	const char *why = NULL;
	enum status status;

	if (!f)
		return error_errno(s->e, STATUS_INPUT, errno, "%s", path);
	chiron_put_caches(&s->to->text, &caches);
	status = take_lines(s, f, &why);
	if (!status && ferror(f))
		status = error_errno(s->e, STATUS_IO, errno, "%s", path);
	if (f != stdin)
		fclose(f);
	return status ? status : tell(s, path, why, out);
}

/* ---- files ---- */

/* It belongs to the trace, which was not there, or is to be replaced. */
static enum status write_beside(const char *suffix, const struct sbuf *text, const struct cmd_options *o,
				struct error *e)
{
	struct cmd_options replacing = *o;
	struct sbuf path = {0};
	struct newfile file;
	struct output out;
	enum status status;

	replacing.force = true;
	sbuf_printf(&path, "%s%s", o->output, suffix);
	status = newfile_open(&file, sbuf_text(&path), "-o", &replacing, e);
	if (!status) {
		output_begin(&out, file.stream);
		sbuf_add(&out.text, sbuf_text(text), text->len);
		status = newfile_close(&file, &replacing, output_end(&out, STATUS_OK, e), e);
	}
	sbuf_free(&path);
	return status;
}

/* The listing of pcs, and the table of files that names it, by a path beside the trace. */
static enum status write_sources(const struct simulation *s, const struct cmd_options *o)
{
	const char *slash = strrchr(o->output, '/');
	struct sbuf files = {0};
	enum status status = write_beside(".pcs", &s->pcs, o, s->e);

	sbuf_printf(&files, "1 %s.pcs\n", slash ? slash + 1 : o->output);
	if (!status)
		status = write_beside(".files", &files, o, s->e);
	sbuf_free(&files);
	return status;
}

static enum status simulate_to_file(struct simulation *s, const struct cmd_options *o, struct output *out)
{
	struct output text;
	struct newfile file;
	enum status status = newfile_open(&file, o->output, "-o", o, s->e);

	if (status)
		return status;
	output_begin(&text, file.stream);
	s->to = &text;
	status = output_end(&text, simulate(s, o->files.data[0], out), s->e);
	status = newfile_close(&file, o, status, s->e);
	return status ? status : write_sources(s, o);
}

/* ---- the command ---- */

static enum status run(struct simulation *s, const struct cmd_options *o, struct output *out)
{
	s->sim = sim_new(&s->machine, take_record, s);
	s->ids = ids_new();
	if (!s->sim || !s->ids)
		return error_set(s->e, STATUS_NOMEM, "out of memory for these caches");
	if (o->output && strcmp(o->output, "-") != 0)
		return simulate_to_file(s, o, out);
	s->to = out;
	return simulate(s, o->files.data[0], out);
}

enum status cmd_simulate(const struct cmd_options *o, struct output *out, struct error *e)
{
	struct simulation s = {.e = e};
	struct sbuf model = {0};
	enum status status;

	if (!o->files.count)
		return error_set(e, STATUS_USAGE,
				 "simulate: no references given: name a file (- is standard input)");
	status = memory_model_open(&s.machine, &model, o->caches, e);
	if (!status)
		status = run(&s, o, out);
	sim_free(s.sim);
	ids_free(s.ids);
	sbuf_free(&s.pcs);
	sbuf_free(&model);
	return status;
}
