/*
 * A streaming JSON writer: one value tree, commas and quoting right by construction.
 *
 * Output is always valid UTF-8: bytes that are not become U+FFFD, control characters are
 * escaped (DESIGN.md 8). Nesting deeper than JSON_DEPTH is a programming error (asserted).
 * Cost: O(bytes written); the caller drains w->out between values of long arrays.
 */
#ifndef PIPEGLASS_BASE_JSON_H
#define PIPEGLASS_BASE_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "base/sbuf.h"

enum { JSON_DEPTH = 16 };

struct json {
	struct sbuf *out;
	int depth;
	bool more[JSON_DEPTH]; /* a comma is due before the next value at this depth */
	bool keyed;            /* a key was just written: the next value follows it */
};

void json_begin(struct json *w, struct sbuf *out);
void json_object(struct json *w);     /* { */
void json_object_end(struct json *w); /* } */
void json_array(struct json *w);
void json_array_end(struct json *w);
void json_key(struct json *w, const char *key);
void json_string(struct json *w, const char *text); /* NULL gives null */
void json_text(struct json *w, const void *bytes, size_t len);
void json_int(struct json *w, int64_t value);
void json_uint(struct json *w, uint64_t value);
void json_real(struct json *w, double value); /* shortest form that reads back; NaN and inf: null */
void json_bool(struct json *w, bool value);
void json_null(struct json *w);
void json_hex(struct json *w, uint64_t value); /* "0x" + lowercase hex, unpadded, as a string */

#endif
