/*
 * Arbitrary bytes as the records of a program that runs.
 *
 * Input: a byte for the length of the pieces in which they come, then the records; one that begins the
 * stream goes before them. What comes out is whole lines, the same as in one piece, and what is said of
 * objects has been said of a trace.
 */
#include "config.h"

#include <string.h>

#include "capture/capture.h"
#include "fuzz.h"
#include "simulator/simulator.h"

static struct capture *fed(const uint8_t *bytes, size_t len, size_t piece)
{
	const struct sim_record begin = {.type = SIM_BEGIN, .time = SIM_RECORDS_VERSION};
	struct capture *c = capture_new("none");
	struct error e;

	demand(c && !capture_feed(c, &begin, sizeof(begin), &e), "it does not begin");
	for (size_t at = 0; at < len; at += piece)
		demand(!capture_feed(c, bytes + at, len - at < piece ? len - at : piece, &e),
		       "it stops");
	return c;
}

static size_t lines(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	const size_t piece = len ? bytes[0] + 1u : 1;
	struct capture *whole, *pieces;
	const struct capture_object *objects;
	const struct sbuf *text;
	size_t count;

	if (!len)
		return 0;
	whole = fed(bytes + 1, len - 1, len);
	pieces = fed(bytes + 1, len - 1, piece);
	text = capture_text(whole);
	demand(strcmp(sbuf_text(text), sbuf_text(capture_text(pieces))) == 0, "pieces differ");
	demand(strlen(sbuf_text(text)) == text->len, "there is a NUL in it");
	demand(!text->len || text->text[text->len - 1] == '\n', "a line is cut");
	demand(lines(sbuf_text(text)) <= 4 * (len / sizeof(struct sim_record) + 1), "lines of nothing");
	count = capture_objects(whole, &objects);
	demand(count <= len / sizeof(struct sim_record), "objects of nothing");
	for (size_t i = 0; i < count; i++)
		demand(objects[i].name != NULL, "an object without a name");
	capture_free(whole);
	capture_free(pieces);
	return 0;
}
