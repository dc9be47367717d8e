/*
 * `record`: a program runs, and its references to memory become a trace.
 *
 * What it says itself goes to standard error: the program has its own standard output. It ends as the
 * program does.
 */
#include "config.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "app/app.h"
#include "app/child.h"
#include "base/num.h"
#include "base/vec.h"
#include "capture/capture.h"
#include "cmd/cmd.h"
#include "cmd/memory/memory.h"

enum {
	SIGNALLED = 128, /* and the signal: how a shell tells of one */
	WHATIF_UNIT = 8, /* bytes: objects stay aligned */
	PAD_MOST = 1 << 20
};

/* "vecadd.trace", here. again: of the second run, "vecadd.pad.trace". */
static void name_trace(const struct cmd_options *o, bool again, struct sbuf *out)
{
	const char *program = o->files.data[0], *slash = strrchr(program, '/');
	const char *way = !again ? "" : o->whatif.data[0].moves ? ".move" : ".pad";

	if (o->output)
		sbuf_printf(out, "%s%s", o->output, way);
	else
		sbuf_printf(out, "%s%s.trace", slash ? slash + 1 : program, way);
}

/* ---- what it says ---- */

struct telling {
	time_t begun;
	bool shown;
};

static void put_misses(struct sbuf *out, const struct capture_totals *t)
{
	char number[32];

	sbuf_printf(out, "%s misses", num_group((int64_t)t->misses, number));
	sbuf_printf(out, ", %s cycles", num_group(t->cycles, number));
}

/* On a terminal, a line that stays where it is. */
static void tell_progress(void *context, const struct capture_totals *t)
{
	struct telling *p = context;
	struct sbuf line = {0};

	put_misses(&line, t);
	p->shown = isatty(STDERR_FILENO);
	if (p->shown)
		fprintf(stderr, "\r\033[Kpipeglass: %s so far, %ld s", sbuf_text(&line),
			(long)(time(NULL) - p->begun));
	sbuf_free(&line);
}

/* How the program ended, if not as it should; and for the exit status. */
static void note_end(struct output *out, const struct recording *r, const char *program)
{
	struct sbuf how = {0};

	recording_put_end(r, &how);
	out->code = WIFSIGNALED(r->status) ? SIGNALLED + WTERMSIG(r->status) : WEXITSTATUS(r->status);
	if (capture_totals(r->capture)->state == CAPTURE_GAVE_UP)
		output_note(out, program, "%s", capture_totals(r->capture)->message);
	else if (out->code || capture_totals(r->capture)->state == CAPTURE_RUNS)
		output_note(out, program, "%s", sbuf_text(&how));
	sbuf_free(&how);
}

static void note_doubts(struct output *out, const struct recording *r, const char *trace)
{
	const struct capture_totals *t = capture_totals(r->capture);

	if (t->bad)
		output_note(out, trace, "%llu records made no sense and were left out",
			    (unsigned long long)t->bad);
	if (capture_totals(r->capture)->state == CAPTURE_ENDED && !t->references)
		output_note(out, trace, "nothing was recorded: compile the program with "
					"pipeglass cc, too, not only link it");
	if (r->moves)
		output_note(out, trace,
			    "this system does not fix addresses: the next recording may differ");
}

static void note_trace(struct output *out, const struct recording *r, const char *trace, bool last)
{
	const bool ended = capture_totals(r->capture)->state == CAPTURE_ENDED;
	const struct capture_totals *t = capture_totals(r->capture);
	struct sbuf line = {0};
	char number[32];

	if (ended) /* before, those that waited are known */
		sbuf_printf(&line, "%s references, ", num_group((int64_t)t->references, number));
	put_misses(&line, t);
	if (last)
		sbuf_printf(&line, "; next: pipeglass %s, or pipeglass sharing %s", trace, trace);
	output_note(out, trace, "%s%s", ended ? "" : "up to then ", sbuf_text(&line));
	sbuf_free(&line);
}

/* ---- runs ---- */

static enum status run(struct recording *r, const struct cmd_options *o,
		       const struct recording_options *how, struct output *out, struct error *e)
{
	struct recording_options told = *how;
	struct telling progress = {.begun = time(NULL)};
	enum status status;

	told.told = tell_progress;
	told.context = &progress;
	status = recording_run(r, &told, e);
	if (progress.shown)
		fputs("\r\033[K", stderr);
	if (!status) {
		note_end(out, r, o->files.data[0]);
		note_doubts(out, r, how->trace);
		note_trace(out, r, how->trace, !o->whatif.count);
	}
	return status;
}

/* With other rules, into another trace; and what that gained. */
static enum status run_again(const struct cmd_options *o, const struct recording_options *how,
			     const struct recording *first, struct output *out, struct error *e)
{
	struct recording_options again = *how;
	struct recording second = {.capture = NULL};
	struct sbuf rules = {0}, trace = {0};
	enum status status = whatif_put_rules(&rules, o, first->capture, e);

	if (status)
		output_note(out, how->trace, "complete, and can be opened; there was no second run");
	name_trace(o, true, &trace);
	again.trace = sbuf_text(&trace);
	again.rules = sbuf_text(&rules);
	if (!status)
		status = run(&second, o, &again, out, e);
	if (!status && !second.whole) {
		output_note(out, o->files.data[0], "no comparison: the second run was cut short");
	} else if (!status) {
		const struct whatif_run runs[] = {
		    {how->trace, capture_totals(first->capture)->cycles},
		    {again.trace, capture_totals(second.capture)->cycles}};

		status = whatif_compare(o, runs, out, e);
	}
	capture_free(second.capture);
	sbuf_free(&rules);
	sbuf_free(&trace);
	return status;
}

/* What the program reads is there a second time if it is a file. */
static enum status record(const struct cmd_options *o, const struct recording_options *how,
			  struct output *out, struct error *e)
{
	const off_t input = lseek(STDIN_FILENO, 0, SEEK_CUR);
	struct recording first = {.capture = NULL};
	enum status status = run(&first, o, how, out, e);

	if (!status && o->whatif.count && !first.whole) {
		output_note(out, o->files.data[0], "no second run: the first was cut short");
	} else if (!status && o->whatif.count) {
		if (input >= 0)
			(void)!lseek(STDIN_FILENO, input, SEEK_SET);
		status = run_again(o, how, &first, out, e);
	}
	capture_free(first.capture);
	return status;
}

/* ---- the command ---- */

static enum status check_whatif(const struct cmd_options *o, struct error *e)
{
	for (size_t i = 0; i < o->whatif.count; i++) {
		const struct whatif *w = &o->whatif.data[i];

		if (w->moves != o->whatif.data[0].moves)
			return error_set(e, STATUS_USAGE, "record: use either --pad or --move");
		if (w->number % WHATIF_UNIT || (!w->moves && w->number > PAD_MOST))
			return error_set(e, STATUS_USAGE, "record: %s %s: the number is not a multiple of %d%s",
					 w->moves ? "--move" : "--pad", sbuf_text(&w->name),
					 WHATIF_UNIT, w->moves ? "" : " up to 1048576 (1 MiB)");
	}
	return STATUS_OK;
}

static enum status check(const struct cmd_options *o, struct error *e)
{
	if (app_is_secure())
		return error_set(e, STATUS_UNSUPPORTED, "PIPEGLASS_SECURE disables record");
	if (!o->files.count)
		return error_set(e, STATUS_USAGE,
				 "record: no program given; use: pipeglass record [OPTIONS] -- "
				 "./PROGRAM [ARG]...");
	if (o->output && strcmp(o->output, "-") == 0)
		return error_set(e, STATUS_USAGE,
				 "record: standard output is the program's; -o needs a file");
	return check_whatif(o, e);
}

/* All that can be wrong before it begins. */
static enum status open_all(const struct cmd_options *o, struct sbuf *path, struct sbuf *model,
			    struct error *e)
{
	struct sim_machine machine;
	enum status status = check(o, e);

	if (!status)
		status = memory_model_open(&machine, model, o->caches, e);
	return status ? status : recording_find(o->files.data[0], path, e);
}

/* Another one of us records, without --live; its trace is shown meanwhile. */
static enum status record_shown(const struct cmd_options *o, const char *trace, struct output *out,
				struct error *e)
{
	const char *const caches = o->caches ? o->caches : SIM_DEFAULT;
	char self[4096] = "";
	const char *const words[] = {self, "record", "-o", trace, "--caches", caches, "--"};
	struct child_options child = {.trace = trace};
	VEC(const char *) all = {0};
	enum status status;
	bool good = true;

	if (o->whatif.count)
		return error_set(e, STATUS_USAGE,
				 "record: --live shows one run: leave out --pad and --move");
	if (!cmd_show || !isatty(STDOUT_FILENO))
		return error_set(e, STATUS_USAGE, "record: --live needs a terminal");
	status = recording_prepare(trace, e);
	if (status)
		return status;
	if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		return error_errno(e, STATUS_IO, errno, "record: --live");
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		good = good && vec_push(&all, words[i]);
	for (size_t i = 0; i <= o->files.count; i++) /* NULL is behind them */
		good = good && vec_push(&all, o->files.data[i]);
	child.argv = (char *const *)(void *)all.data;
	status = good ? cmd_show(&child, &out->code, e) : error_set(e, STATUS_NOMEM, "out of memory");
	vec_free(&all);
	if (access(trace, F_OK) == 0)
		output_note(out, trace, "next: pipeglass %s", trace);
	return status;
}

enum status cmd_record(const struct cmd_options *o, struct output *out, struct error *e)
{
	struct recording_options how = {.rules = "", .argv = (char *const *)(void *)o->files.data};
	struct sbuf path = {0}, model = {0}, trace = {0};
	enum status status = open_all(o, &path, &model, e);

	if (!status) {
		name_trace(o, false, &trace);
		how.path = sbuf_text(&path);
		how.machine = sbuf_text(&model);
		how.trace = sbuf_text(&trace);
		status = o->live ? record_shown(o, how.trace, out, e) : record(o, &how, out, e);
	}
	sbuf_free(&path);
	sbuf_free(&model);
	sbuf_free(&trace);
	return status;
}
