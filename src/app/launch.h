/*
 * Opening the trace of a program that was just started, which may take minutes to write its first
 * line: on a thread of its own, so that what the program says meanwhile is seen.
 */
#ifndef PIPEGLASS_APP_LAUNCH_H
#define PIPEGLASS_APP_LAUNCH_H

#include "base/status.h"

struct app;
struct launch;

enum status launch_begin(struct app *a, struct error *e); /* for a->child */
unsigned launch_progress(struct app *a);                  /* its tab opens once it can */
/* After the program was ended. Should somebody it left behind still hold the pipe: in a second. */
void launch_free(struct launch *l);

#endif
