/*
 * Live input: a pipe that is still written to, a file that grows, the trace of a program that this
 * one started.
 *
 * While a tab follows, its cursor stays at the newest row; whoever moves it away, or presses any
 * key that goes somewhere, pauses that, and going to the last row goes on. Rows appear all the
 * same. Nothing here costs anything while nothing is written.
 */
#ifndef PIPEGLASS_APP_TAIL_H
#define PIPEGLASS_APP_TAIL_H

#include "app/child.h"
#include "app/command.h"
#include "app/tab.h"

struct app;
struct launch;

/* OVER: nothing more will come. READING: more may, and the cursor stays where it is. */
enum live { LIVE_OVER, LIVE_READING, LIVE_FOLLOWING, LIVE_PAUSED };

enum live tab_live(const struct tab *t);
/* After rows came: to the newest, if the tab follows. */
void tab_stick(struct tab *t);

/*
 * ^C while the current tab's text is still written: the first one pauses and says what the next
 * one will end, that a file is followed or that a pipe is read. False: that is to end now.
 */
bool tail_stop(struct app *a);
/* A command has run: those that go somewhere pause. */
void tail_after(struct tab *t, const struct command *c);
void tail_option(struct app *a); /* the option `follow` was set */
/* What became of the reading since the last time; the reactions to what the program did. */
unsigned tail_idle(struct app *a);
/* Open the current tab's file again. */
enum status tail_reopen(struct app *a, bool follow, struct error *e);

void tail_shows_trace(struct app *a); /* the current tab is the program's from now on */
/* The program that was started, for the title: "running"; appends, maybe nothing. */
void tail_title(const struct app *a, struct sbuf *out);
/* Before leaving: false, and a message, when it runs and leaving was not asked for twice. */
bool tail_may_quit(struct app *a);
void tail_free(struct app *a);

struct pane *stderr_pane(struct app *a);

#endif
