/*
 * Growing byte strings, always NUL terminated.
 *
 * A failed allocation sets .failed and drops the text instead of aborting; whoever writes
 * the buffer out checks it once, before sbuf_clear(), which resets it. After a failure
 * nothing is appended any more, so a failed buffer holds an unbroken beginning of what was
 * written and never text with a hole in it. Amortised O(bytes appended).
 */
#ifndef PIPEGLASS_BASE_SBUF_H
#define PIPEGLASS_BASE_SBUF_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct sbuf {
	char *text; /* never NULL after the first append; sbuf_text() is always safe */
	size_t len, cap;
	bool failed;
};

void sbuf_add(struct sbuf *s, const void *bytes, size_t len);
void sbuf_puts(struct sbuf *s, const char *text);
void sbuf_putc(struct sbuf *s, char c);
/* "a \"b\"": one word, also for the prompt. */
void sbuf_put_quoted(struct sbuf *s, const char *text);
void sbuf_repeat(struct sbuf *s, char c, size_t times);
void sbuf_printf(struct sbuf *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void sbuf_vprintf(struct sbuf *s, const char *fmt, va_list ap)
    __attribute__((format(printf, 2, 0)));
/*
 * For writers of raw bytes: room for len more at the end (NULL: failed), and then taking in what
 * was written there, up to end.
 */
char *sbuf_room(struct sbuf *s, size_t len);
void sbuf_take(struct sbuf *s, const char *end);
void sbuf_clear(struct sbuf *s); /* keeps the memory, resets .failed */
void sbuf_free(struct sbuf *s);
const char *sbuf_text(const struct sbuf *s); /* "" when nothing was appended */

/*
 * Appends a regular file, whole; false: it is none, longer than `most`, or not to be read. Never waits for
 * a writer. O(bytes).
 */
bool sbuf_read(struct sbuf *s, const char *path, size_t most);

#endif
