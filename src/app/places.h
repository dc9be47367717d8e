/*
 * Where the user was and wants to be again: marks a-z and 0-9, '' and the jump list.
 *
 * A place is a row and a tick with the zoom it was seen at, so that going back also undoes
 * the zoom of an Enter. All bounded; every call O(JUMP_MAX).
 */
#ifndef PIPEGLASS_APP_PLACES_H
#define PIPEGLASS_APP_PLACES_H

#include "source/source.h"
#include "view/pipeline/pipeview.h"

enum { MARKS_MAX = 36, JUMP_MAX = 100 };

struct place {
	uint64_t row;
	int64_t tick;
	int row_zoom, tick_zoom;
	struct row_name name; /* of live text: app/pipeline/renew.h */
};

struct places {
	struct row_mark marks[MARKS_MAX]; /* sorted by letter */
	size_t mark_count;
	char newest; /* the mark set last; 0: none */
	struct place jumps[JUMP_MAX];
	int jump_count, jump_at; /* jump_at == jump_count: not walking */
	struct place before;     /* '' */
	bool has_before;
};

bool places_same(struct place a, struct place b);
bool places_is_mark(char letter);
bool places_mark(struct places *p, char letter, uint64_t row, int64_t tick);
bool places_unmark(struct places *p, char letter);
const struct row_mark *places_find(const struct places *p, char letter);

void places_jumped(struct places *p, struct place from); /* a jump left from there */
bool places_back(struct places *p, struct place now, struct place *out);
bool places_forward(struct places *p, struct place *out);

/*
 * Marks of a trace in the state directory, keyed by what the file is (size and a hash of its
 * ends), the newest MARK_FILE_LINES of all traces. A missing or strange file is no marks.
 */
enum { MARK_FILE_LINES = 2000 };
void places_load(struct places *p, const struct source_id *id);
enum status places_save(const struct places *p, const struct source_id *id, struct error *e);

#endif
