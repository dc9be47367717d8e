/*
 * What was typed at a prompt: bounded, without repetitions, kept in a file.
 *
 * Entries are numbered by age: 0 is the newest. Adding what is there already makes it the
 * newest. Cost: O(HISTORY_MAX) string comparisons per call; a file is read and written once.
 */
#ifndef PIPEGLASS_BASE_HISTORY_H
#define PIPEGLASS_BASE_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/lineedit.h"
#include "base/status.h"

enum { HISTORY_MAX = 512 };

#define HISTORY_NONE SIZE_MAX

struct history;

struct history *history_new(void); /* NULL: no memory */
void history_free(struct history *h);

/* Blank lines and lines beyond LINE_MAX_BYTES are not kept (true). False: no memory. */
bool history_add(struct history *h, const char *text);
size_t history_count(const struct history *h);
const char *history_get(const struct history *h, size_t age); /* NULL beyond the oldest */

/*
 * Up and Down at a prompt: entries that begin with what stood before the cursor, and back at
 * the draft in the end. Begin again after every edit and every history_add().
 */
struct history_walk {
	char draft[LINE_MAX_BYTES + 1];
	size_t prefix; /* bytes of draft that an entry must begin with */
	size_t age;    /* HISTORY_NONE: at the draft */
};

void history_walk_begin(struct history_walk *w, const struct lineedit *line);
const char *history_walk_older(struct history_walk *w, const struct history *h); /* NULL: none */
const char *history_walk_newer(struct history_walk *w,
			       const struct history *h); /* NULL: at draft */

/*
 * The file: one entry per line, oldest first, mode 0600; entries with control bytes are not kept
 * there. A missing file is an empty history. Lines that cannot be entries are passed over.
 *
 * Saving appends what is new since, so two programs at once both keep their lines. Anything at path
 * but a regular file (a link to /dev/null, say) is neither read nor written: STATUS_UNSUPPORTED.
 */
enum status history_load(struct history *h, const char *path, struct error *e);
enum status history_save(struct history *h, const char *path, struct error *e);

#endif
