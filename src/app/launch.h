/*
 * Opening a trace that may be minutes away from its first line: that of a program that was just
 * started, a pipe or FIFO, a file that is still empty. Each on a thread of its own, so that the
 * screen is there meanwhile, with what the program says and every key; its tab opens once there is
 * something to show. One that could not be used stays, to be told when the program ends.
 */
#ifndef PIPEGLASS_APP_LAUNCH_H
#define PIPEGLASS_APP_LAUNCH_H

#include <stdbool.h>

#include "base/sbuf.h"
#include "base/status.h"

struct app;
struct launch;

enum status launch_begin(struct app *a, struct error *e); /* for a->child */

/* Opening path may have to wait, at a terminal: then it is for launch_path(). */
bool launch_is_due(const struct app *a, const char *path);
enum status launch_path(struct app *a, const char *path, struct error *e);

void launch_progress(struct app *a); /* tabs open for those that can */
/* What the first of them waits for, for the screen; appends, out may be NULL. False: none does. */
bool launch_awaits(const struct app *a, struct sbuf *out);
/* How many still wait for their trace. */
int launch_count(const struct app *a);
/* Descriptors, readable when one of them has come to its end. Returns how many were stored. */
int launch_wake_fds(const struct app *a, int *fds, int max);

/*
 * When the user left: STATUS_OK, or why the program that was started, or none of the traces asked
 * for, was ever seen. To be asked before the program is ended.
 */
enum status launch_outcome(const struct app *a, struct error *e);

/*
 * All of a's, after the program was ended. One that has begun to read and hears of no more, as when
 * somebody that the program left behind holds its pipe: in a second.
 */
void launch_free(struct app *a);

#endif
