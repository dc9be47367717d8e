/*
 * Is this a Kanata log? Its header is enough; without one, so are its commands.
 */
#include "config.h"

#include "pipeline/formats/kanata.h"

enum {
	VERSION_KNOWN = 4,
	PROBE_LINES = 200,
	SCORE_HEADER = 100,
	SCORE_COMMANDS = 60,
	HEADER_MOST = 200 /* bytes; with what a simulator prints in front of its lines */
};

static const char *const header_words[] = {"kanata", "konata"};

static bool same_word(const char *p, const char *word)
{
	for (; *word; p++, word++)
		if ((*p | 32) != *word)
			return false;
	return true;
}

static bool is_word_byte(char c)
{
	return (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z') || c == '_';
}

/* Blanks, a hexadecimal version, blanks. */
static bool is_version(const char *p, const char *end, uint64_t *version)
{
	const char *digits;

	if (p == end || !kanata_is_blank(*p))
		return false;
	while (p < end && kanata_is_blank(*p))
		p++;
	*version = 0;
	for (digits = p; p < end && scan_hex_digit(*p) < 16; p++)
		*version = *version >> 60 ? UINT64_MAX : *version << 4 | scan_hex_digit(*p);
	if (p == digits)
		return false;
	while (p < end && kanata_is_blank(*p))
		p++;
	return p == end;
}

enum kanata_header kanata_header(const char *line, const char *end)
{
	uint64_t version;

	if (end - line > HEADER_MOST)
		return HEADER_NONE;
	for (const char *p = line; end - p > 6; p++) {
		if ((*p | 32) != 'k' || (p > line && is_word_byte(p[-1])))
			continue;
		for (size_t i = 0; i < sizeof(header_words) / sizeof(header_words[0]); i++) {
			if (!same_word(p, header_words[i]) || !is_version(p + 6, end, &version))
				continue;
			if (version != VERSION_KNOWN)
				return HEADER_OTHER_VERSION;
			return p == line && memcmp(p, "Kanata\t", 7) == 0 ? HEADER_PLAIN
									  : HEADER_ODD;
		}
	}
	return HEADER_NONE;
}

/* `I<TAB>17<TAB>`, with c for I. */
static bool is_command(char c, const char *p, const char *end)
{
	const char *digits = p + 2;

	if (end - p < 4 || p[0] != c || p[1] != '\t')
		return false;
	for (p = digits; p < end && *p >= '0' && *p <= '9';)
		p++;
	return p > digits && p < end && *p == '\t';
}

static bool is_blank_line(const char *p, const char *end)
{
	while (p < end && kanata_is_blank(*p))
		p++;
	return p == end;
}

/* Of no log: blank, a comment, or what a simulator says before it begins. */
static bool is_foreign(const char *p, const char *end)
{
	return is_blank_line(p, end) || (!kanata_is_command(p, end) && !kanata_header(p, end) &&
					 kanata_cycle(p, end).kind == CYCLE_NONE);
}

bool kanata_precedes(const char *text, const char *end)
{
	const char *nl;

	for (const char *p = text; p < end; p = nl + (nl < end)) {
		nl = memchr(p, '\n', (size_t)(end - p));
		nl = nl ? nl : end;
		if (!is_foreign(p, nl))
			return false;
	}
	return true;
}

int kanata_detect(const char *text, size_t len)
{
	const char *end = text + len, *nl;
	bool births = false, stages = false, begun = false;
	int lines = 0;

	for (const char *p = text; p < end && lines < PROBE_LINES; p = nl + (nl < end)) {
		nl = memchr(p, '\n', (size_t)(end - p));
		if (!nl)
			nl = end;
		if (is_blank_line(p, nl))
			continue;
		lines++;
		if (!begun && kanata_header(p, nl))
			return SCORE_HEADER;
		begun = begun || !is_foreign(p, nl);
		births |= is_command('I', p, nl);
		stages |= is_command('S', p, nl);
	}
	return births && stages ? SCORE_COMMANDS : 0;
}

int kanata_beginning(const char *text, size_t len, uint32_t *line, uint32_t *at)
{
	static const int bads[] = {[HEADER_NONE] = BAD_NO_HEADER,
				   [HEADER_PLAIN] = -1,
				   [HEADER_OTHER_VERSION] = BAD_VERSION,
				   [HEADER_ODD] = BAD_HEADER};
	const char *end = text + len, *nl;
	uint32_t number = 0, first = 0, first_at = 0;
	bool some = false;

	for (const char *p = text; p < end && (nl = memchr(p, '\n', (size_t)(end - p))); p = nl + 1) {
		*line = number++;
		*at = (uint32_t)(p - text);
		if (kanata_header(p, nl))
			return bads[kanata_header(p, nl)];
		if (!some && !is_blank_line(p, nl)) {
			some = true;
			first = *line;
			first_at = *at;
		}
		if (!is_foreign(p, nl))
			break;
	}
	*line = first;
	*at = first_at;
	return some ? BAD_NO_HEADER : -1;
}
