#include "config.h"

#include "view/split.h"

/* Never less than low. */
static int64_t within(int64_t n, int64_t low, int64_t high)
{
	n = n < high ? n : high;
	return n > low ? n : low;
}

void split_settle(struct split *s)
{
	for (struct split_part *p = s->part; p < s->part + SPLIT_PARTS; p++) {
		const int64_t h = p->h > 0 ? p->h : 1;

		p->line = within(p->line, 0, p->count - 1);
		p->top = within(p->top, p->line - h + 1, p->line);
		p->top = within(p->top, 0, p->count - h);
	}
}

void split_move(struct split *s, int64_t lines)
{
	struct split_part *p = &s->part[s->in], *other = &s->part[!s->in];
	const int64_t line = p->line + lines;

	p->line = within(line, 0, p->count - 1);
	if (!s->both || (s->in == SPLIT_UPPER ? line < p->count : line >= 0))
		return;
	s->in = !s->in;
	other->line = s->in == SPLIT_LOWER ? other->top : other->count - 1;
}

void split_scroll(struct split *s, int64_t lines)
{
	struct split_part *p = &s->part[s->in];
	const int64_t top = within(p->top + lines, 0, p->count - p->h);

	if (top == p->top)
		split_move(s, lines);
	else
		p->line = within(p->line, top, top + p->h - 1);
	p->top = top;
}

void split_center(struct split *s)
{
	struct split_part *p = &s->part[s->in];

	p->top = p->line - p->h / 2;
}

uint64_t split_here(const struct split *s)
{
	return (uint64_t)s->in << 32 | (uint32_t)s->part[s->in].line;
}

bool split_hit(const struct split *s, int y, uint64_t *here)
{
	for (int i = 0; i < SPLIT_PARTS; i++) {
		const struct split_part *p = &s->part[i];

		if ((!s->both && i != s->in) || y < p->y || y >= p->y + p->h)
			continue;
		*here = (uint64_t)i << 32 | (uint32_t)(p->top + y - p->y);
		return true;
	}
	return false;
}

void split_goto(struct split *s, uint64_t here)
{
	s->in = (int)(here >> 32);
	s->part[s->in].line = (uint32_t)here;
}
