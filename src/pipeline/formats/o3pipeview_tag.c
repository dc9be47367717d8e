/*
 * What stands before the tag of a line of O3PipeView: nothing as gem5 writes it, a tag or a number
 * of a tracer, or whatever a logger puts in front of each line.
 */
#include "config.h"

#include "pipeline/formats/o3pipeview.h"

/* `stage: 12`, as every line of the format goes on behind its tag. */
static bool fields_follow(const char *p, const char *end)
{
	const char *begun;

	while (p < end && *p == ' ')
		p++;
	for (begun = p; p < end && *p >= 'a' && *p <= 'z';)
		p++;
	if (p == begun || p == end || *p != ':')
		return false;
	for (p++; p < end && *p == ' ';)
		p++;
	return p < end && *p >= '0' && *p <= '9';
}

/* The number that line[0..stop) ends with, a semicolon behind it, a blank or nothing before it. */
static bool number_before(const char *line, const char *stop, uint64_t *out)
{
	const char *p = stop - 1;
	bool overflow = false;

	while (p > line && p[-1] >= '0' && p[-1] <= '9')
		p--;
	if (p == stop - 1 || (p > line && p[-1] != ' ' && p[-1] != '\t'))
		return false;
	return scan_dec_field(p, stop, out, &overflow) && !overflow;
}

/*
 * A tracer's own tag ends with a colon, an instruction's number with a semicolon; what a logger put
 * there ends somehow, so that the fields tell.
 */
struct o3_prefix o3_find_later_tag(const char *line, const char *end)
{
	struct o3_prefix none = {NULL, 0, false}, found = none;
	const char *stop = end - line > O3_PREFIX ? line + O3_PREFIX : end, *p;
	bool overflow = false;

	for (p = line; (p = memchr(p, 'O', (size_t)(stop - p))); p++)
		if (end - p >= O3_TAG_LEN && memcmp(p, O3_TAG, O3_TAG_LEN) == 0)
			break;
	if (!p)
		return none;
	found.tag = p;
	if (p == line)
		return found;
	stop = p;
	p = line;
	while (p < stop && (*p == ' ' || *p == '\t'))
		p++;
	if (p == stop)
		return found;
	p = scan_dec_field(p, stop, &found.number, &overflow);
	if (p && *p == ';') {
		found.numbered = !overflow;
		return found;
	}
	for (p = stop; p > line && (p[-1] == ' ' || p[-1] == '\t');)
		p--;
	if (p[-1] == ';') {
		found.numbered = number_before(line, p, &found.number);
		return found;
	}
	return p[-1] == ':' || fields_follow(found.tag + O3_TAG_LEN, end) ? found : none;
}
