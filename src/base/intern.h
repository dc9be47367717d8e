/*
 * Names to small dense numbers and back: stages, metrics, components, lanes.
 *
 * Ids count from 0 in order of first appearance and never change; a name's pointer is good
 * until intern_free(). O(length) look-up, whatever names a hostile trace chooses (hash.h).
 * Not locked: whoever adds while others read must keep them apart.
 */
#ifndef PIPEGLASS_BASE_INTERN_H
#define PIPEGLASS_BASE_INTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct intern;
struct sbuf;

struct intern *intern_new(void);
void intern_free(struct intern *t);
int32_t intern_find(const struct intern *t, const char *p, size_t len); /* -1: not there */
int32_t intern_add(struct intern *t, const char *p, size_t len);        /* -1: no memory */
const char *intern_name(const struct intern *t, int32_t id);            /* NUL terminated */
size_t intern_length(const struct intern *t, int32_t id);               /* names may hold NUL */
/* A text that was made, and is let go; NULL: no memory, or t is. */
const char *intern_take(struct intern *t, struct sbuf *text);
const char *intern_printf(struct intern *t, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* There was no memory for one of these: whoever makes many asks once. */
bool intern_failed(const struct intern *t);
size_t intern_count(const struct intern *t);

#endif
