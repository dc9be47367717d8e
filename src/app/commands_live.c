#include "config.h"

#include "app/tail.h"
#include "app/state.h"

static enum status follow(struct call *c, struct error *e)
{
	return tail_follow(c->app, e);
}

static enum status pause_following(struct call *c, struct error *e)
{
	struct tab *t = c->app->tab;
	enum live now = tab_live(t);
	struct sbuf key = {0};

	if (now == LIVE_PAUSED)
		return tail_follow(c->app, e);
	if (now != LIVE_FOLLOWING) {
		app_key_of(c->app, "follow", &key);
		error_set(e, STATUS_NOT_FOUND, "not following: %s follows the trace", sbuf_text(&key));
		sbuf_free(&key);
		return STATUS_NOT_FOUND;
	}
	t->paused = true;
	return STATUS_OK;
}

const struct command live_commands[] = {
    {"follow", "", "stay at the newest row of a pipe or a growing file", .run = follow,
     .flags = CMD_TRACE | CMD_JUMP},
    {"pause", "", "stay here while new rows arrive; repeat to follow", .run = pause_following,
     .flags = CMD_TRACE},
    {"stderr", "", "show the program's messages, and how it ended", .run = panes_open_named},
    {.name = NULL},
};
