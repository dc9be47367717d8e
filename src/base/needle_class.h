/*
 * Which bytes a class or an escape of a pattern stands for: more may be said, never less.
 */
#ifndef PIPEGLASS_BASE_NEEDLE_CLASS_H
#define PIPEGLASS_BASE_NEEDLE_CLASS_H

#include "base/needle.h"

void byte_set_range(struct byte_set *s, unsigned from, unsigned to); /* inclusive */
void byte_set_fold(struct byte_set *s); /* the other case of each ASCII letter too */

/* What an escape is; ESCAPE_NONE: not one of those known here. */
enum escape { ESCAPE_NONE, ESCAPE_BYTE, ESCAPE_SET, ESCAPE_PLACE, ESCAPE_BACK };

/*
 * The escape at *p (behind the backslash), which is moved past it. BYTE and SET fill set, PLACE
 * matches nothing (\b), BACK what was matched before. in_class: \b is a byte there.
 */
enum escape escape_read(const char **p, bool in_class, struct byte_set *set, unsigned *byte);

/* The class at *p (behind the bracket), which is moved past its end. False: not understood. */
bool class_read(const char **p, bool caseless, struct byte_set *set);

#endif
