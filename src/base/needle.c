#include "config.h"

#include "base/needle.h"

#include <ctype.h>
#include <string.h>

#include "base/needle_class.h"

enum {
	RUN_MOST = 64,  /* bytes in a row that are looked through for the rarest window */
	DEPTH_MOST = 24 /* groups within each other */
};

/* How often bytes are met in traces, first and last of a range, parts of about 400. */
static const struct {
	unsigned char from, to;
	double each;
} shares[] = {{0, 8, 0.1},   {'\t', '\n', 14}, {11, 31, 0.1},   {' ', ' ', 14},
	      {'!', '/', 2}, {'0', '9', 14},   {':', '@', 2},   {'A', 'Z', 2},
	      {'[', '`', 1}, {'a', 'z', 4.5},  {'{', '~', 0.5}, {127, 255, 0.1}};

static const double score_worst = 2;

struct run {
	struct byte_set at[RUN_MOST];
	int len;
};

struct parse {
	const char *p;
	bool caseless, failed;
	int depth;
};

/* What is known so far of a branch. */
struct branch {
	struct run run;
	struct needle *best;
	double score;
};

struct times {
	int least, most; /* most -1: any number */
};

double byte_set_density(const struct byte_set *s)
{
	double sum = 0, all = 0;

	for (size_t i = 0; i < sizeof(shares) / sizeof(shares[0]); i++)
		for (unsigned b = shares[i].from; b <= shares[i].to; b++) {
			all += shares[i].each;
			if (byte_set_has(s, b))
				sum += shares[i].each;
		}
	return sum / all;
}

static double window_density(const struct needle_window *w)
{
	double d = 1;

	for (int i = 0; i < w->width; i++)
		d *= byte_set_density(&w->at[i]);
	return d;
}

double needle_density(const struct needle *n)
{
	double sum = 0;

	for (int i = 0; i < n->count; i++)
		sum += window_density(&n->window[i]);
	return sum < 1 ? sum : 1;
}

/* ---- the rarest window of a run ---------------------------------------------------------- */

static void run_end(struct branch *b)
{
	struct run *r = &b->run;
	int width = r->len < NEEDLE_WIDTH ? r->len : NEEDLE_WIDTH;

	for (int k = 0; width > 0 && k + width <= r->len; k++) {
		struct needle_window w = {.width = width};
		double score;

		memcpy(w.at, r->at + k, (size_t)width * sizeof(w.at[0]));
		score = window_density(&w);
		if (score >= b->score)
			continue;
		b->score = score;
		b->best->count = 1;
		b->best->window[0] = w;
	}
	r->len = 0;
}

static void run_add(struct branch *b, const struct byte_set *set)
{
	struct run *r = &b->run;

	if (r->len == RUN_MOST) {
		struct byte_set kept[NEEDLE_WIDTH - 1];

		memcpy(kept, r->at + RUN_MOST - (NEEDLE_WIDTH - 1), sizeof(kept));
		run_end(b);
		memcpy(r->at, kept, sizeof(kept));
		r->len = NEEDLE_WIDTH - 1;
	}
	r->at[r->len] = *set;
	r->at[r->len++].bits['\n' / 64] &= ~(UINT64_C(1) << '\n' % 64);
}

static void run_repeat(struct branch *b, const struct byte_set *set, struct times t)
{
	int n = t.least < RUN_MOST ? t.least : RUN_MOST;

	for (int i = 0; i < n; i++)
		run_add(b, set);
	if (t.most == t.least && n == t.least)
		return;
	/* there are more of them, up to what follows: a run ends with them, another begins */
	run_end(b);
	for (int i = 0; i < n && i < NEEDLE_WIDTH; i++)
		run_add(b, set);
}

/* ---- the pattern ------------------------------------------------------------------------- */

static int number(const char **p)
{
	int n = 0;

	while (isdigit((unsigned char)**p) && n < 100000)
		n = n * 10 + (*(*p)++ - '0');
	return n;
}

static bool is_quantifier(char c)
{
	return c && strchr("*+?{", c);
}

/* {n}, {n,} or {n,m}; what else a brace may mean depends on PCRE2's version. */
static bool braces(struct parse *ps, struct times *t)
{
	const char *at = ps->p + 1;

	if (!isdigit((unsigned char)*at))
		return false;
	t->least = t->most = number(&at);
	if (*at == ',') {
		at++;
		t->most = isdigit((unsigned char)*at) ? number(&at) : -1;
	}
	if (*at != '}')
		return false;
	ps->p = at;
	return true;
}

static struct times times_read(struct parse *ps)
{
	struct times t = {1, 1};

	if (!is_quantifier(*ps->p))
		return t;
	if (*ps->p == '{') {
		if (!braces(ps, &t))
			ps->failed = true;
	} else {
		t.least = *ps->p == '+';
		t.most = *ps->p == '?' ? 1 : -1;
	}
	ps->p++;
	if (*ps->p == '?' || *ps->p == '+')
		ps->p++;
	if (is_quantifier(*ps->p))
		ps->failed = true;
	return t;
}

static bool alternatives(struct parse *ps, struct needle *out);

/* Past what follows a bracket; *around: it only looks. False: not understood. */
static bool group_kind(struct parse *ps, bool *around)
{
	const char *p = ps->p;

	*around = false;
	if (*p == '*')
		return false;
	if (*p != '?')
		return true;
	p++;
	*around = *p == '=' || *p == '!' || (*p == '<' && (p[1] == '=' || p[1] == '!'));
	if (*around)
		p += *p == '<' ? 2 : 1;
	else if (*p == ':' || *p == '>')
		p++;
	else if ((*p == '<' || (*p == 'P' && p[1] == '<')) && strchr(p, '>'))
		p = strchr(p, '>') + 1;
	else
		return false;
	ps->p = p;
	return true;
}

static void group(struct parse *ps, struct branch *b)
{
	struct needle inner;
	struct times t;
	bool around, has;
	double score;

	if (ps->depth == DEPTH_MOST || !group_kind(ps, &around)) {
		ps->failed = true;
		return;
	}
	ps->depth++;
	has = alternatives(ps, &inner);
	ps->depth--;
	if (*ps->p != ')')
		ps->failed = true;
	if (ps->failed)
		return;
	ps->p++;
	t = times_read(ps);
	if (around)
		return;
	run_end(b);
	score = needle_density(&inner);
	if (!has || t.least == 0 || score >= b->score)
		return;
	*b->best = inner;
	b->score = score;
}

static void escape(struct parse *ps, struct branch *b)
{
	struct byte_set set;
	unsigned byte;

	switch (escape_read(&ps->p, false, &set, &byte)) {
	case ESCAPE_BYTE:
		byte_set_range(&set, byte, byte);
		if (ps->caseless)
			byte_set_fold(&set);
		run_repeat(b, &set, times_read(ps));
		break;
	case ESCAPE_SET:
		run_repeat(b, &set, times_read(ps));
		break;
	case ESCAPE_PLACE:
		times_read(ps);
		break;
	case ESCAPE_BACK:
		times_read(ps);
		run_end(b);
		break;
	case ESCAPE_NONE:
		ps->failed = true;
		break;
	}
}

static void item(struct parse *ps, struct branch *b)
{
	struct byte_set set = {{0}};
	char c = *ps->p++;

	switch (c) {
	case '(':
		group(ps, b);
		return;
	case '\\':
		escape(ps, b);
		return;
	case '^':
	case '$':
		times_read(ps);
		return;
	case '[':
		if (!class_read(&ps->p, ps->caseless, &set))
			ps->failed = true;
		break;
	case '.':
		byte_set_range(&set, 0, 255);
		break;
	default:
		if (is_quantifier(c))
			ps->failed = true;
		byte_set_range(&set, (unsigned char)c, (unsigned char)c);
		if (ps->caseless)
			byte_set_fold(&set);
	}
	if (!ps->failed)
		run_repeat(b, &set, times_read(ps));
}

static bool concatenation(struct parse *ps, struct needle *out)
{
	struct branch b = {.best = out, .score = score_worst};

	out->count = 0;
	while (!ps->failed && *ps->p && *ps->p != '|' && *ps->p != ')')
		item(ps, &b);
	run_end(&b);
	return !ps->failed && out->count > 0;
}

static bool alternatives(struct parse *ps, struct needle *out)
{
	bool has = true;

	out->count = 0;
	for (;;) {
		struct needle one;

		has = concatenation(ps, &one) && has;
		if (has && one.count > NEEDLE_WINDOWS - out->count)
			has = false;
		for (int i = 0; has && i < one.count; i++)
			out->window[out->count++] = one.window[i];
		if (ps->failed || *ps->p != '|')
			return has && !ps->failed;
		ps->p++;
	}
}

bool needle_of(const char *pattern, bool caseless, struct needle *out)
{
	struct parse ps = {.p = pattern, .caseless = caseless};

	return alternatives(&ps, out) && *ps.p == '\0';
}
