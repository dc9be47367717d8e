/*
 * The filter of a tab whose text is live: some rows were in flight, or without their text, when it
 * judged them, and are let in or out later.
 */
#ifndef PIPEGLASS_APP_PIPELINE_REFILTER_H
#define PIPEGLASS_APP_PIPELINE_REFILTER_H

#include <stdbool.h>

struct tab;

/*
 * The filter as its rows are by now. Where some were let in or out the cursor stays at its row and
 * its line, or at the newest row. True: some were.
 */
bool tab_refilter(struct tab *t);

#endif
