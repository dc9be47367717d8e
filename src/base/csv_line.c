#include "config.h"

#include "base/csv_line.h"

#include <stdbool.h>
#include <string.h>

char csv_separator(const char *line, size_t len)
{
	static const char separators[] = ",;\t";
	size_t most = 0;
	char best = '\0';

	for (const char *s = separators; *s; s++) {
		size_t n = 0;

		for (size_t i = 0; i < len; i++)
			n += line[i] == *s;
		if (n > most) {
			most = n;
			best = *s;
		}
	}
	return best;
}

static char *trimmed(char *text, char *end)
{
	while (*text == ' ' || *text == '\t')
		text++;
	while (end > text && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	*end = '\0';
	return text;
}

/* To behind the field; what is left of it without its quotes ends at *end. */
static char *skip_field(char *p, char separator, char **end)
{
	bool quoted = *p == '"';
	char *out = p;

	p += quoted;
	for (; *p && (quoted || *p != separator); p++) {
		if (quoted && *p == '"' && p[1] != '"') {
			quoted = false;
			continue;
		}
		p += quoted && *p == '"';
		*out++ = *p;
	}
	*end = out;
	return p;
}

size_t csv_cut(char *line, char separator, char **fields, size_t most)
{
	size_t n = 0;

	for (char *p = line;;) {
		char *field = p, *end, behind;

		p = skip_field(p, n + 1 < most ? separator : '\0', &end);
		behind = *p;
		fields[n++] = trimmed(field, end);
		if (!behind)
			return n;
		p++;
	}
}
