#include "config.h"

#include "app/nearest.h"

#include <string.h>
#include <strings.h>

#include "app/command.h"
#include "app/options.h"

enum {
	LISTED = 3,
	WORD_MOST = 24,      /* longer words are like none */
	PART_LEAST = 3,      /* letters that mean something as a part of a word */
	LETTERS_PER_SLIP = 4,
	/* what is worse than any slip in a word that is not too long */
	MENTIONED = WORD_MOST,
	UNLIKE
};

static int least(int a, int b)
{
	return a < b ? a : b;
}

/* Letters to insert, drop or change, or neighbours to swap, that make one word of the other. */
static int slips(const char *a, size_t a_len, const char *b, size_t b_len)
{
	int row[3][WORD_MOST + 1];

	for (size_t i = 0; i <= a_len; i++)
		for (size_t k = 0; k <= b_len; k++) {
			int *at = &row[i % 3][k];
			const int *up = row[(i + 2) % 3];

			if (i == 0 || k == 0) {
				*at = (int)(i + k);
				continue;
			}
			*at = least(up[k - 1] + (a[i - 1] != b[k - 1]),
				    least(up[k], row[i % 3][k - 1]) + 1);
			if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1])
				*at = least(*at, row[(i + 1) % 3][k - 2] + 1);
		}
	return row[a_len % 3][b_len];
}

static bool contains(const char *text, size_t text_len, const char *part, size_t len)
{
	for (size_t i = 0; i + len <= text_len; i++)
		if (strncasecmp(text + i, part, len) == 0)
			return true;
	return false;
}

/* How far the typed word is from one of a command's name. */
static int distance(const char *typed, size_t len, const char *word, size_t word_len)
{
	int most = 1 + (int)len / LETTERS_PER_SLIP, n;

	if (len > WORD_MOST || word_len > WORD_MOST)
		return UNLIKE;
	n = slips(typed, len, word, word_len);
	if (n <= most && n < (int)len)
		return n;
	if ((len >= PART_LEAST && contains(word, word_len, typed, len)) ||
	    (word_len >= PART_LEAST && contains(typed, len, word, word_len)))
		return most;
	return UNLIKE;
}

static bool mentions(const struct command *c, const char *word, size_t len)
{
	bool found = contains(c->help, strlen(c->help), word, len), optional;
	enum arg_type type;

	for (int i = 0; !found && command_arg(c, i, &type, &optional); i++)
		found = contains(arg_help(type), strlen(arg_help(type)), word, len);
	return len >= PART_LEAST && found;
}

static int unlikeness(const struct command *c, const char *typed, size_t len)
{
	size_t first = strcspn(c->name, " ");
	const char *second = c->name + first + (c->name[first] == ' ');
	int n = distance(typed, len, c->name, first);

	if (*second)
		n = least(n, distance(typed, len, second, strlen(second)));
	return n == UNLIKE && mentions(c, typed, len) ? MENTIONED : n;
}

void nearest_commands(const char *word, size_t len, struct sbuf *out)
{
	const struct command *c;
	int best = UNLIKE - 1, listed = 0;

	for (int i = 0; i < OPTION_COUNT; i++)
		if (strlen(option_infos[i].name) == len &&
		    strncmp(option_infos[i].name, word, len) == 0) {
			sbuf_printf(out, "set %s [VALUE]", option_infos[i].name);
			return;
		}
	for (size_t i = 0; (c = command_at(i)); i++)
		best = least(best, unlikeness(c, word, len));
	for (size_t i = 0; (c = command_at(i)) && listed < LISTED; i++)
		if (unlikeness(c, word, len) == best) {
			sbuf_printf(out, "%s%s%s%s", listed ? ", " : "", c->name,
				    *c->args ? " " : "", c->args);
			listed++;
		}
}
