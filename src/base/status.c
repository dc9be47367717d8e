#include "config.h"

#include "base/status.h"

#include <stdio.h>
#include <string.h>

static const struct {
	enum status code;
	int exit;
} exits[] = {
#define STATUS_ROW(name, exit) {STATUS_##name, exit},
    STATUS_INFO(STATUS_ROW)
#undef STATUS_ROW
};

int status_exit(enum status code)
{
	if ((size_t)code >= sizeof(exits) / sizeof(exits[0]))
		return 1;
	return exits[code].exit;
}

/* A file name may hold a newline, and the promise is one line per message. */
static void keep_one_line(char *text)
{
	for (char *p = text; (p = strpbrk(p, "\n\r")); p++)
		*p = ' ';
}

enum status error_set(struct error *e, enum status code, const char *fmt, ...)
{
	va_list ap;

	if (!e)
		return code;
	e->code = code;
	va_start(ap, fmt);
	vsnprintf(e->text, sizeof(e->text), fmt, ap);
	va_end(ap);
	keep_one_line(e->text);
	return code;
}

enum status error_no_memory(struct error *e)
{
	return error_set(e, STATUS_NOMEM, "out of memory");
}

enum status status_of_work(bool ok, const atomic_bool *stop, struct error *e)
{
	if (stop && *stop)
		return error_set(e, STATUS_INTERRUPTED, "interrupted");
	return ok ? STATUS_OK : error_no_memory(e);
}

enum status error_errno(struct error *e, enum status code, int errnum, const char *fmt, ...)
{
	char system_text[128];
	const char *reason;
	size_t room, len;
	va_list ap;

	if (!e)
		return code;
	e->code = code;
	reason = strerror_r(errnum, system_text, sizeof(system_text));
	len = strnlen(reason, sizeof(system_text) - 1);
	/* a path that fills the line must not push out the reason */
	room = sizeof(e->text) - len - strlen(": ");
	va_start(ap, fmt);
	vsnprintf(e->text, room, fmt, ap);
	va_end(ap);
	room = strlen(e->text);
	snprintf(e->text + room, sizeof(e->text) - room, ": %.*s", (int)len, reason);
	keep_one_line(e->text);
	return code;
}
