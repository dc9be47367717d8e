/*
 * Where the user was and wants to be again: marks a-z and 0-9, '' and the jump list.
 *
 * All bounded; every call O(JUMP_MAX).
 */
#ifndef PIPEGLASS_APP_PLACES_H
#define PIPEGLASS_APP_PLACES_H

#include "source/source.h"
#include "view/place.h"

enum { JUMP_MAX = 100 };

struct places {
	struct marks marks;
	char newest; /* the mark set last; 0: none */
	struct place jumps[JUMP_MAX];
	int jump_count, jump_at; /* jump_at == jump_count: not walking */
	struct place before;     /* '' */
	bool has_before;
};

bool places_same(struct place a, struct place b);
bool places_mark(struct places *p, char letter, uint64_t item, int64_t tick);
bool places_unmark(struct places *p, char letter);
const struct mark *places_find(const struct places *p, char letter);
/* Of a mark, or of ''. */
bool places_at(const struct places *p, char letter, struct place *out);

/*
 * Marks of a trace in the state directory, keyed by what the file is (size and a hash of its
 * ends): the newest lines of all traces, as many as a history keeps. A missing or strange file is no
 * marks. Saving adds the mark of that letter, or that it was removed.
 */
void places_load(struct places *p, const struct source_id *id);
enum status places_save(const struct places *p, char letter, const struct source_id *id,
			struct error *e);

void places_jumped(struct places *p, struct place from); /* a jump left from there */
bool places_back(struct places *p, struct place now, struct place *out);
bool places_forward(struct places *p, struct place *out);

#endif
