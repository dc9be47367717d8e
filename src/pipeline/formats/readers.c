#include "config.h"

#include "pipeline/formats/reader.h"

#include <string.h>

#include "base/num.h"
#include "pipeline/formats/record.h"
#include "trace/trace.h"

extern const struct reader kanata_reader;
extern const struct reader llvm_mca_reader;
extern const struct reader o3pipeview_reader;
extern const struct reader optrace_reader;
extern const struct reader pipetrace_reader;

const struct reader *const readers[] = {&pipetrace_reader, &kanata_reader, &o3pipeview_reader,
				       &llvm_mca_reader, &optrace_reader, NULL};

const char *const note_keys[NOTE_COUNT] = {NOTE_INFO(NOTE_KEY)};
const char *const note_helps[NOTE_COUNT] = {NOTE_INFO(NOTE_HELP)};

const char *const bad_texts[BAD_COUNT] = {
#define BAD_TEXT(name, text) text,
    BAD_INFO(BAD_TEXT) OPTRACE_PROBLEM_INFO(BAD_TEXT)
#undef BAD_TEXT
};

static bool section_parse(const char *text, size_t len, int64_t *out)
{
	char digits[64];

	return num_parse_i64(num_part(text, len, digits), out) && *out >= 1 && *out <= SEGMENTS_MOST;
}

bool segments_parse(const char *text, struct segments *out)
{
	const char *comma = strchr(text, ',');
	struct segments found;

	if (!comma || !section_parse(text, (size_t)(comma - text), &found.execute) ||
	    !section_parse(comma + 1, strlen(comma + 1), &found.setup))
		return false;
	*out = found;
	return true;
}

const struct reader *reader_find(const char *name)
{
	for (size_t i = 0; readers[i]; i++)
		if (strcmp(readers[i]->name, name) == 0)
			return readers[i];
	return NULL;
}

const struct reader *reader_detect(const char *text, size_t len)
{
	const struct reader *best = NULL;
	int best_score = 0;

	for (size_t i = 0; readers[i]; i++) {
		int score = readers[i]->detect(text, len);

		if (score > best_score) {
			best_score = score;
			best = readers[i];
		}
	}
	return best;
}
