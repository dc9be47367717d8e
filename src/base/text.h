/*
 * Text that may be hostile, and its width on a terminal.
 *
 * A trace, a file name and a simulator's output may hold anything: escape sequences, C1
 * controls, bidirectional overrides, zero-width characters, broken UTF-8, NUL. What
 * leaves text_sanitise() can be put on a terminal or into a review without doing anything
 * there but showing itself (DESIGN.md 6). What is written for other programs keeps more, as
 * text_kept() says: letters of any script are no harm there. Cost: O(bytes).
 */
#ifndef PIPEGLASS_BASE_TEXT_H
#define PIPEGLASS_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/sbuf.h"

enum { TEXT_REPLACEMENT = 0xfffd };

/*
 * Decode one character at p (len > 0). Returns its length in bytes (>= 1) and stores the
 * code point; a byte that is not UTF-8 (overlong, surrogate, > U+10FFFF, cut) yields
 * TEXT_REPLACEMENT and 1.
 */
size_t text_decode(const char *p, size_t len, uint32_t *cp);

/* Append cp as UTF-8 to out[4]; returns the length. */
size_t text_encode(uint32_t cp, char out[4]);

/*
 * What is shown for cp: itself when harmless; TEXT_REPLACEMENT for C0 (tab: a blank), DEL,
 * C1, bidirectional, zero-width (joiners, but not combining marks), tag, private-use,
 * unassigned-width and line separator characters.
 */
uint32_t text_harmless(uint32_t cp);

/*
 * What is written for cp where other programs read it: itself, also without a column of its own;
 * TEXT_REPLACEMENT for what would command a terminal, end a line or turn the text around it: C0
 * (tab: a blank), DEL, C1, line and paragraph separator, bidirectional characters.
 */
uint32_t text_kept(uint32_t cp);

/*
 * Columns of a harmless code point: 1 or 2, of a combining mark, which is in the column before it,
 * 0; never -1, independent of the locale.
 */
int text_width_cp(uint32_t cp);

/* Columns of a string after sanitising. */
int text_width(const char *p, size_t len);

/* Append at most so many columns of text, the last one a sign that there is more. */
void text_cut(struct sbuf *out, const char *text, int columns);

/* Append the harmless form of p[0..len) to out: valid UTF-8, one line. */
void text_sanitise(struct sbuf *out, const char *p, size_t len);
/* The same by text_kept(); how many U+FFFD of out were not in p: of characters, and of bytes. */
size_t text_keep(struct sbuf *out, const char *p, size_t len);

/*
 * Escapers for exports. HTML is of a screen: harmless. CSV is kept, quoted, with leading = + - @
 * tab CR defused.
 */
void text_html(struct sbuf *out, const char *p, size_t len);
void text_csv(struct sbuf *out, const char *p, size_t len);

#endif
