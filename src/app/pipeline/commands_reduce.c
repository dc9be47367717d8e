#include "config.h"

#include <string.h>

#include "app/pipeline/rows.h"
#include "app/state.h"
#include "base/num.h"

enum { LENGTH_MOST = REDUCE_LENGTH_MOST, GAMMA_MOST = 1000000000 };

static enum status reduce_open(struct call *c, struct error *e)
{
	reducing_again(c->app);
	return panes_open(c->app, pane_kind_find("reduce", NULL), e);
}

/*
 * Of setup, else of execution: N, or +N and -N from where it is, which stop at the ends. A count
 * repeats the step.
 */
static enum status set_length(struct call *c, struct error *e)
{
	struct pipeline *at = &rows_app(c->app)->reduce.at;
	int64_t *length = c->command->arg ? &at->setup : &at->execute;
	const char *text = c->argv[0];
	bool step = *text == '+' || *text == '-';
	int64_t n;

	if (!num_parse_i64(text, &n) || n < (step ? -LENGTH_MOST : 1) || n > LENGTH_MOST)
		return error_set(e, STATUS_USAGE, "a length must be 1 to %d, +N or -N, not: %s",
				 LENGTH_MOST, text);
	if (step) {
		int64_t times = c->count < 1 ? 1 : c->count < LENGTH_MOST ? c->count : LENGTH_MOST;

		n = *length + n * times;
		n = n < 1 ? 1 : n > LENGTH_MOST ? LENGTH_MOST : n;
	}
	*length = n;
	reducing_changed(c->app);
	return STATUS_OK;
}

static enum status reduce_es(struct call *c, struct error *e)
{
	struct fraction es;

	if (!fraction_parse(c->argv[0], &es) || es.num < 1 || es.num > DEPTH_RATIO_MOST ||
	    es.den > DEPTH_RATIO_MOST)
		return error_set(e, STATUS_USAGE,
				 "E/S must be a ratio of numbers from 1 to %d, as in 2/3, not: %s",
				 DEPTH_RATIO_MOST, c->argv[0]);
	rows_app(c->app)->reduce.es = es;
	reducing_changed(c->app);
	return STATUS_OK;
}

/* A number; *2 and /2 double and halve the one there is. */
static enum status reduce_gamma(struct call *c, struct error *e)
{
	struct fraction *gamma = &rows_app(c->app)->reduce.gamma, given;
	const char *text = c->argv[0];

	if (strcmp(text, "*2") == 0 || strcmp(text, "/2") == 0) {
		bool more = *text == '*';
		int64_t num = more ? gamma->num * 2 : gamma->num / 2;

		if (num < gamma->den)
			num = gamma->den;
		given = (struct fraction){num, gamma->den};
		if (num / gamma->den > GAMMA_MOST)
			given = *gamma;
	} else if (!fraction_parse(text, &given)) {
		return error_set(e, STATUS_USAGE, "gamma must be 0 or more, not: %s", text);
	}
	*gamma = given;
	reducing_changed(c->app);
	return STATUS_OK;
}

/* Alone: the other one. */
static enum status reduce_links(struct call *c, struct error *e)
{
	static const char *const words[] = {"operands", "links"};
	struct app *a = c->app;
	int links;

	if (call_choice(c, 0, rows_app(a)->reduce.links, &links, e))
		return STATUS_USAGE;
	if (links && a->tab && !store_link_count(rows_of(a->tab)->store))
		return error_set(e, STATUS_NOT_FOUND, "the trace has no links between rows");
	rows_app(a)->reduce.links = links;
	app_message(a, false, "dependencies come from the %s", words[links]);
	reducing_changed(c->app);
	return STATUS_OK;
}

/* Alone: one reduction further, and from the last one to none. */
static enum status reduce_show_arcs(struct call *c, struct error *e)
{
	struct app *a = c->app;
	int shown;

	if (call_choice(c, 0, (int)rows_app(a)->arcs_shown, &shown, e))
		return STATUS_USAGE;
	rows_app(a)->arcs_shown = (enum arcs_shown)shown;
	app_message(a, false, "arcs: %s", arcs_help[shown]);
	return STATUS_OK;
}

const struct command reduce_commands[] = {
    {"reduce", "", "what dependencies and branches cost, at any pipeline length",
     .run = reduce_open, .flags = CMD_TRACE},
    {"reduce execute", "LENGTH", "set the execution segments (N_E); +N and -N change them",
     .run = set_length},
    {"reduce setup", "LENGTH", "set the setup segments (N_S)", .run = set_length, .arg = true},
    {"reduce es", "RATIO", "set the pipelines' ratio of execution to setup segments: 1, 2/3",
     .run = reduce_es},
    {"reduce gamma", "RATIO", "set the pipelines' logic delay over latch delay; *2 and /2 change it",
     .run = reduce_gamma},
    {"reduce arcs", "[SHOWN]", "show dependencies on instructions; no argument: the next reduction",
     .run = reduce_show_arcs},
    {"reduce by", "[FROM]", "take dependencies from the operands or from the trace's links",
     .run = reduce_links},
    {.name = NULL},
};
