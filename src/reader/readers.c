#include "config.h"

#include "reader/reader.h"

#include <string.h>

#include "reader/record.h"

extern const struct reader kanata_reader;
extern const struct reader llvm_mca_reader;
extern const struct reader o3pipeview_reader;
extern const struct reader pipetrace_reader;

const struct reader *const readers[] = {&pipetrace_reader, &kanata_reader, &o3pipeview_reader,
				       &llvm_mca_reader, NULL};

const char *const note_keys[NOTE_COUNT] = {
#define NOTE_KEY(name, key, help) key,
    NOTE_INFO(NOTE_KEY)
#undef NOTE_KEY
};

const char *const bad_texts[BAD_COUNT] = {
#define BAD_TEXT(name, text) text,
    BAD_INFO(BAD_TEXT)
#undef BAD_TEXT
};

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
