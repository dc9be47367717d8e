#include "config.h"

#include "analysis/pipeline/reduce_shapes.h"

#include <stdlib.h>
#include <string.h>

/* A key is these words, then the lengths. */
enum { WORD_DISTANCE, WORD_BRANCHES, WORDS, WORDS_AT_ONCE = 64 };

bool shapes_init(struct shapes *s)
{
	*s = (struct shapes){.keys = intern_new()};
	return s->keys != NULL;
}

void shapes_free(struct shapes *s)
{
	intern_free(s->keys);
	vec_free(&s->counts);
	s->keys = NULL;
}

static int32_t add_key(struct shapes *s, const uint32_t *words, size_t count)
{
	int32_t id = intern_add(s->keys, (const char *)words, count * sizeof(*words));

	if (id >= 0 && (size_t)id == s->counts.count && !vec_push(&s->counts, 0))
		return SHAPE_NONE;
	return id;
}

int32_t shapes_add(struct shapes *s, uint32_t distance, uint32_t branches, const uint32_t *lengths,
		   size_t shorts)
{
	uint32_t few[WORDS_AT_ONCE], *words = few;
	int32_t id;

	if (shorts > WORDS_AT_ONCE - WORDS)
		words = malloc((WORDS + shorts) * sizeof(*words));
	if (!words)
		return SHAPE_NONE;
	words[WORD_DISTANCE] = distance;
	words[WORD_BRANCHES] = branches;
	if (shorts)
		memcpy(words + WORDS, lengths, shorts * sizeof(*words));
	id = add_key(s, words, WORDS + shorts);
	if (words != few)
		free(words);
	return id;
}

struct shape shapes_get(const struct shapes *s, int32_t id)
{
	const char *key = intern_name(s->keys, id);
	uint32_t head[WORDS];

	memcpy(head, key, sizeof(head));
	return (struct shape){
	    .distance = head[WORD_DISTANCE],
	    .branches = head[WORD_BRANCHES],
	    .shorts = (uint32_t)(intern_length(s->keys, id) / sizeof(*head)) - WORDS,
	    .lengths = key + sizeof(head),
	};
}

size_t shapes_count(const struct shapes *s)
{
	return s->counts.count;
}

uint32_t shape_length(const struct shape *s, uint32_t k)
{
	uint32_t length;

	memcpy(&length, s->lengths + k * sizeof(length), sizeof(length));
	return length;
}

int64_t shape_flush(const struct shape *s, int64_t setup, bool shorts)
{
	int64_t cycles = (int64_t)s->branches * (setup - 1);

	for (uint32_t k = 0; shorts && k < s->shorts && shape_length(s, k) < setup; k++)
		cycles -= setup - shape_length(s, k);
	return cycles;
}

static int compare_words(uint32_t a, uint32_t b)
{
	return (a > b) - (a < b);
}

int shape_compare(const struct shape *a, const struct shape *b)
{
	int order = compare_words(a->distance, b->distance);

	if (order == 0)
		order = compare_words(a->branches, b->branches);
	for (uint32_t k = 0; order == 0 && k < a->shorts && k < b->shorts; k++)
		order = compare_words(shape_length(a, k), shape_length(b, k));
	return order ? order : compare_words(a->shorts, b->shorts);
}
