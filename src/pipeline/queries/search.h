/*
 * Full-text search: the lines of a trace that a pattern matches, whatever they hold (labels,
 * debug lines, comments, what is no line of the format).
 *
 * A pattern is matched against each line by itself, without its line end; of a line of more than
 * 64 KiB only so much is looked at. Threads of the search's own (one a core) go through the text
 * once, in parts, beginning where somebody waits for an answer; they go on to the end, so that
 * the hits are counted. What they found stays known: finding the next hit is then a look-up.
 * Cost: what PCRE2 needs for many lines at once, 0.5 to 5 GB a second and core as a rule; where
 * that cannot be (base/regex_lines.h; lines of more than 4 KiB, carriage returns) 50 ns a line.
 * Memory: 24 bytes a part of 4 MiB and the places of the first SEARCH_KEPT hits; parts with others
 * are read again when they are walked.
 *
 * One caller's thread at a time.
 */
#ifndef PIPEGLASS_PIPELINE_QUERIES_SEARCH_H
#define PIPEGLASS_PIPELINE_QUERIES_SEARCH_H

#include <stdatomic.h>

#include "pipeline/store.h"

enum { SEARCH_PART = 4 << 20, SEARCH_KEPT = 1 << 20, SEARCH_LINE = 64 << 10 };

#define SEARCH_EDGE UINT64_MAX /* as a place to go on from: where the text begins, or ends */

struct search;

/* The threads begin at once, at offset `from`. The regex is copied; the store must stay. */
enum status search_new(struct search **out, struct store *s, const struct regex *text,
		       uint64_t from, struct error *e);
void search_free(struct search *f); /* stops the threads */

enum search_answer { SEARCH_FOUND, SEARCH_MISSING, SEARCH_WAIT, SEARCH_STOPPED, SEARCH_FAILED };

/*
 * The next line with a hit that begins behind off (dir < 0: before it), *found: where. Waits for
 * the threads until *stop is set or, SEARCH_WAIT then, `ms` milliseconds have passed.
 */
enum search_answer search_next(struct search *f, uint64_t off, int dir, int64_t ms,
			       const atomic_bool *stop, uint64_t *found, struct error *e);

struct search_state {
	uint64_t hits;        /* so far */
	uint64_t done, total; /* bytes of text */
	bool whole;           /* all text was looked at */
	bool limited;         /* the pattern was too slow for some lines */
	bool clipped;         /* some lines are longer than what was looked at */
};

void search_state(struct search *f, struct search_state *out);
/* Wait until all text was looked at, for at most so long. */
void search_settle(struct search *f, int64_t ms, const atomic_bool *stop);
/* Which hit from 1 the line at off is; 0: not known (yet). May read a part again. */
uint64_t search_rank(struct search *f, uint64_t off);
/* The number of the line at off, from 1, where store_line_owner() has none; 0: not known (yet). */
uint64_t search_line(struct search *f, uint64_t off);
/* Take in what was added to the text since, unless the threads are busy. */
void search_extend(struct search *f);

/* What a line of text is about. */
struct line_owner {
	uint64_t row;  /* that it speaks of, else the one born next there; ROW_NONE: none (yet) */
	uint64_t line; /* number from 1; 0: not known */
	int64_t tick;  /* at which it stands; TICK_NONE: the text is in no order of time */
	bool own;      /* it speaks of the row */
};

/* The owner of the line that begins at off. Reads the text between there and the leaf's start. */
enum status store_line_owner(struct store *s, uint64_t off, struct line_owner *out,
			     struct error *e);

#endif
