/*
 * Rows that are read again under an open trace.
 *
 * A row of live text can come so late that the store withdraws what it had published and reads all
 * of it again (pipeline/index/rowfeed.h): rows have other numbers then, and for a moment there are fewer.
 * The tab goes on as if nothing had happened: what was on the screen stays there until as many rows
 * are back, or a key asks for it, but for RENEWAL_MS at most; who follows stays at the newest row,
 * who does not returns to the row he was at, found by the file's own number; the filter is made
 * again. So are found the rows of the marks, of the jump list and of the selection, whose names are
 * read while they have numbers. Cost: O(log rows) for each of them, once.
 */
#ifndef PIPEGLASS_APP_PIPELINE_RENEW_H
#define PIPEGLASS_APP_PIPELINE_RENEW_H

#include "app/places.h"
#include "pipeline/store.h"

enum { RENEWAL_MS = 8000 };

struct renewal {
	uint64_t seen;     /* of progress.withdrawn */
	bool on;           /* rows are missing that were there */
	bool away;         /* and the one that the cursor was at is */
	bool searching;    /* or one of those that the user is to find again */
	uint64_t rows;     /* that there were */
	int64_t hold;      /* clock_ms() until which what is on the screen stays */
	struct place place; /* of the cursor */
	struct item_name name; /* of that row */
	uint64_t line;     /* of the window, that the cursor was at */
	int64_t left;      /* the window's */
	uint64_t here;     /* row of the cursor, as long as all rows are there */
	struct item_name here_name;
};

struct tab;

/* Rows were withdrawn since the last time. */
void renewal_begin(struct tab *t, const struct progress *p);
/* Rows may have come back: the tab returns to its own, if it is there. */
void renewal_progress(struct tab *t, const struct progress *p);
/* Rows that are to be found again may have been added: read what the file calls them. */
void renewal_learn(struct tab *t);
/*
 * The filter as its rows are by now: some were in flight, or without their text, when it judged
 * them. Where some were let in or out because of that the cursor stays at its row and its line, or
 * at the newest row. True: rows were.
 */
bool renewal_filter(struct tab *t);
/* What is on the screen is to stay there. */
bool renewal_holds(const struct tab *t);

#endif
