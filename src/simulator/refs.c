#include "config.h"

#include "simulator/refs.h"

static const char *skip_blanks(const char *p, const char *end)
{
	while (p < end && (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\n'))
		p++;
	return p;
}

static bool ends_word(const char *p, const char *end)
{
	return p == end || *p == '#' || skip_blanks(p, end) > p;
}

/* A number of a base; false: it is none, or too large. The text moves on behind it. */
static bool take(const char **text, const char *end, unsigned base, uint64_t *out)
{
	const char *p = skip_blanks(*text, end), *start;

	if (base == 16 && end - p > 2 && *p == '0' && (p[1] | 32) == 'x')
		p += 2;
	*out = 0;
	for (start = p; p < end; p++) {
		const unsigned char c = (unsigned char)*p;
		const unsigned digit = c <= '9' ? c - '0' + 0u : (c | 32u) - 'a' + 10u;

		if (digit >= base)
			break;
		if (__builtin_mul_overflow(*out, base, out) || __builtin_add_overflow(*out, digit, out))
			return false;
	}
	*text = p;
	return p > start && ends_word(p, end);
}

static bool take_kind(const char **text, const char *end, bool *write)
{
	const char *p = skip_blanks(*text, end);

	if (p == end || ((*p | 32) != 'r' && (*p | 32) != 'w') || !ends_word(p + 1, end))
		return false;
	*write = (*p | 32) == 'w';
	*text = p + 1;
	return true;
}

bool refs_read(struct refs_line *out, const char *text, size_t len, const char **why)
{
	const char *end = text + len, *p = skip_blanks(text, end);
	uint64_t size;

	*why = NULL;
	if (p == end || *p == '#')
		return false;
	if (!take(&p, end, 10, &out->thread))
		*why = "its first column is no decimal number of a thread";
	else if (!take(&p, end, 16, &out->pc))
		*why = "its second column is no hexadecimal pc";
	else if (!take(&p, end, 16, &out->address))
		*why = "its third column is no hexadecimal address";
	else if (!take(&p, end, 10, &size) || !size || size > REFS_SIZE_MOST)
		*why = "its fourth column is no decimal size from 1 to 65536 bytes";
	else if (!take_kind(&p, end, &out->write))
		*why = "its fifth column is neither r nor w";
	else if (p = skip_blanks(p, end), p < end && *p != '#')
		*why = "it has more than five columns";
	if (*why)
		return false;
	out->size = (uint32_t)size;
	return true;
}
