#include "config.h"

#include "base/sbuf.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SBUF_FIRST = 64 };

/* Room for more bytes and the NUL; false (and .failed) when there is none. */
static bool reserve(struct sbuf *s, size_t more)
{
	size_t need, want;
	char *text;

	if (s->failed)
		return false;
	if (more < s->cap - s->len)
		return true;
	if (more >= (size_t)PTRDIFF_MAX - s->len) {
		s->failed = true;
		return false;
	}
	need = s->len + more + 1;
	want = s->cap + s->cap / 2;
	if (want < SBUF_FIRST)
		want = SBUF_FIRST;
	if (want < need)
		want = need;
	text = realloc(s->text, want);
	if (!text) {
		s->failed = true;
		return false;
	}
	s->text = text;
	s->cap = want;
	return true;
}

void sbuf_add(struct sbuf *s, const void *bytes, size_t len)
{
	if (!reserve(s, len))
		return;
	if (len)
		memcpy(s->text + s->len, bytes, len);
	s->len += len;
	s->text[s->len] = '\0';
}

char *sbuf_room(struct sbuf *s, size_t len)
{
	return reserve(s, len) ? s->text + s->len : NULL;
}

void sbuf_take(struct sbuf *s, const char *end)
{
	s->len = (size_t)(end - s->text);
	s->text[s->len] = '\0';
}

void sbuf_puts(struct sbuf *s, const char *text)
{
	sbuf_add(s, text, strlen(text));
}

void sbuf_putc(struct sbuf *s, char c)
{
	sbuf_add(s, &c, 1);
}

void sbuf_put_quoted(struct sbuf *s, const char *text)
{
	sbuf_putc(s, '"');
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			sbuf_putc(s, '\\');
		sbuf_putc(s, *text);
	}
	sbuf_putc(s, '"');
}

void sbuf_repeat(struct sbuf *s, char c, size_t times)
{
	if (!reserve(s, times))
		return;
	memset(s->text + s->len, c, times);
	s->len += times;
	s->text[s->len] = '\0';
}

void sbuf_vprintf(struct sbuf *s, const char *fmt, va_list ap)
{
	va_list again;
	int len;

	if (!reserve(s, 0))
		return;
	va_copy(again, ap);
	len = vsnprintf(s->text + s->len, s->cap - s->len, fmt, ap);
	if (len >= 0 && (size_t)len >= s->cap - s->len && reserve(s, (size_t)len))
		len = vsnprintf(s->text + s->len, s->cap - s->len, fmt, again);
	va_end(again);
	if (len < 0)
		s->failed = true;
	if (s->failed)
		s->text[s->len] = '\0';
	else
		s->len += (size_t)len;
}

void sbuf_printf(struct sbuf *s, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	sbuf_vprintf(s, fmt, ap);
	va_end(ap);
}

void sbuf_clear(struct sbuf *s)
{
	s->len = 0;
	s->failed = false;
	if (s->text)
		s->text[0] = '\0';
}

void sbuf_free(struct sbuf *s)
{
	free(s->text);
	*s = (struct sbuf){0};
}

const char *sbuf_text(const struct sbuf *s)
{
	return s->text ? s->text : "";
}

bool sbuf_read(struct sbuf *s, const char *path, size_t most)
{
	const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	const size_t from = s->len;
	struct stat st;
	ssize_t got = -1;

	if (fd < 0)
		return false;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size >= 0 && (size_t)st.st_size <= most)
		do {
			char *room = sbuf_room(s, BUFSIZ);

			got = room ? read(fd, room, BUFSIZ) : -1;
			if (got > 0)
				sbuf_take(s, room + got);
		} while (got > 0 && s->len - from <= most);
	close(fd);
	return got == 0;
}
