/*
 * Reductions for tests: of a text, and the save files of samples/.
 */
#ifndef PIPEGLASS_TESTS_REDUCE_SAMPLE_H
#define PIPEGLASS_TESTS_REDUCE_SAMPLE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/pipeline/reduce_file.h"
#include "testing.h"

static struct reduction read_text_of(const char *text, size_t len)
{
	struct error e = {.text = ""};
	struct reduction r;

	if (reduction_read(&r, text, len, &e))
		fail_msg("%s", e.text);
	return r;
}

static inline struct reduction read_text(const char *text)
{
	return read_text_of(text, strlen(text));
}

static inline struct reduction sample(const char *name)
{
	const char *srcdir = getenv("srcdir");
	char text[16384], path[4096];
	size_t len;
	FILE *f;

	snprintf(path, sizeof(path), "%s/samples/%s.stats", srcdir ? srcdir : ".", name);
	f = fopen(path, "rb");
	assert_non_null(f);
	len = fread(text, 1, sizeof(text), f);
	fclose(f);
	assert_true(len > 0 && len < sizeof(text) && reduction_detect(text, len));
	return read_text_of(text, len);
}

#endif
