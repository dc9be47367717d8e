#include "config.h"

#include "app/places.h"

#include <string.h>

static bool is_mark(char letter)
{
	return (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9');
}

bool places_mark(struct places *p, char letter, uint64_t row, int64_t tick)
{
	size_t i = 0;

	if (!is_mark(letter))
		return false;
	while (i < p->marks.count && p->marks.at[i].letter < letter)
		i++;
	if (i == p->marks.count || p->marks.at[i].letter != letter) {
		memmove(&p->marks.at[i + 1], &p->marks.at[i], (p->marks.count - i) * sizeof(p->marks.at[0]));
		p->marks.count++;
	}
	p->marks.at[i] = (struct mark){.letter = letter, .at.item = row, .at.tick = tick};
	p->newest = letter;
	return true;
}

bool places_unmark(struct places *p, char letter)
{
	for (size_t i = 0; i < p->marks.count; i++)
		if (p->marks.at[i].letter == letter) {
			p->marks.count--;
			memmove(&p->marks.at[i], &p->marks.at[i + 1],
				(p->marks.count - i) * sizeof(p->marks.at[0]));
			if (p->newest == letter)
				p->newest = '\0';
			return true;
		}
	return false;
}

const struct mark *places_find(const struct places *p, char letter)
{
	for (size_t i = 0; i < p->marks.count; i++)
		if (p->marks.at[i].letter == letter)
			return &p->marks.at[i];
	return NULL;
}

bool places_at(const struct places *p, char letter, struct place *out)
{
	const struct mark *m = places_find(p, letter);

	if (letter == '\'' && p->has_before)
		*out = p->before;
	else if (m)
		*out = m->at;
	else
		return false;
	return true;
}

bool places_same(struct place a, struct place b)
{
	return a.item == b.item && a.tick == b.tick && a.item_zoom == b.item_zoom &&
	       a.tick_zoom == b.tick_zoom;
}

static void remove_jump(struct places *p, int i)
{
	p->jump_count--;
	memmove(&p->jumps[i], &p->jumps[i + 1], (size_t)(p->jump_count - i) * sizeof(p->jumps[0]));
}

static void add_jump(struct places *p, struct place from)
{
	for (int i = p->jump_count; i-- > 0;)
		if (places_same(p->jumps[i], from))
			remove_jump(p, i);
	if (p->jump_count == JUMP_MAX)
		remove_jump(p, 0);
	p->jumps[p->jump_count++] = from;
}

void places_jumped(struct places *p, struct place from)
{
	add_jump(p, from);
	p->jump_at = p->jump_count;
	p->before = from;
	p->has_before = true;
}

bool places_back(struct places *p, struct place now, struct place *out)
{
	if (p->jump_count && p->jump_at == p->jump_count) {
		add_jump(p, now); /* so that going forward leads here again */
		p->jump_at = p->jump_count - 1;
	}
	if (p->jump_at == 0)
		return false;
	p->before = now;
	p->has_before = true;
	*out = p->jumps[--p->jump_at];
	return true;
}

bool places_forward(struct places *p, struct place *out)
{
	if (p->jump_at + 1 >= p->jump_count)
		return false;
	*out = p->jumps[++p->jump_at];
	return true;
}
