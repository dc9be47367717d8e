/*
 * Errors as values.
 *
 * Every function that can fail returns an enum status and, where a human will read the
 * reason, fills a struct error given by the caller. Nothing here prints or exits; one
 * place in each program (main, or the status line) reports. Cost: O(1), no allocation.
 */
#ifndef PIPEGLASS_BASE_STATUS_H
#define PIPEGLASS_BASE_STATUS_H

#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* name, exit status of the batch interface (DESIGN.md 8) */
#define STATUS_INFO(_)                                                                             \
	_(OK, 0)                                                                                   \
	_(INPUT, 1)       /* the input cannot be used: unreadable, empty, unrecognised */          \
	_(USAGE, 2)       /* unknown option, command, metric; bad regular expression */            \
	_(NOMEM, 1)                                                                                \
	_(IO, 1)          /* the system refused a read or a write */                               \
	_(UNSUPPORTED, 1) /* understood, but not possible in this build or on this terminal */     \
	_(INTERRUPTED, 1) /* the user asked to stop */                                             \
	_(NOT_FOUND, 1)

enum status {
#define STATUS_ENUM(name, exit) STATUS_##name,
	STATUS_INFO(STATUS_ENUM)
#undef STATUS_ENUM
};

struct error {
	enum status code;
	char text[400]; /* one line, no newline; may hold unsanitised bytes of the input */
};

/* Set e (may be NULL) and return code, so that `return error_set(...)` reads naturally. */
enum status error_set(struct error *e, enum status code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* error_set() with ": strerror(errnum)" appended. */
enum status error_errno(struct error *e, enum status code, int errnum, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

enum status error_no_memory(struct error *e);
/*
 * How long work ended: STATUS_INTERRUPTED, *stop (may be NULL) was set; else STATUS_NOMEM, it is
 * not ok; else STATUS_OK.
 */
enum status status_of_work(bool ok, const atomic_bool *stop, struct error *e);

/* The exit status that the batch interface promises for code. */
int status_exit(enum status code);

#endif
