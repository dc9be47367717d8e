#include "config.h"

#include "app/keymap.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/xalloc.h"

/* <Any> in a bound sequence */
#define K_ANY ((uint32_t)K_LAST)

const char *const key_mode_help[KEYS_MODES] = {
#define MODE_HELP(name, help) help,
    MODE_INFO(MODE_HELP)
#undef MODE_HELP
};

enum status keymap_sequence(const char *text, struct key_sequence *out, struct error *e)
{
	static const char any[] = "<Any>";

	out->count = 0;
	while (*text) {
		struct key *k = &out->keys[out->count];

		if (out->count == KEYMAP_SEQUENCE)
			return error_set(e, STATUS_USAGE, "more than %d keys in a row: %s",
					 KEYMAP_SEQUENCE, text);
		if (strncmp(text, any, sizeof(any) - 1) == 0) {
			*k = (struct key){K_ANY, 0};
			text += sizeof(any) - 1;
		} else if (!key_parse(&text, k)) {
			return error_set(e, STATUS_USAGE, "no such key: %s (see F1, Keys)", text);
		}
		out->count++;
	}
	if (!out->count)
		return error_set(e, STATUS_USAGE, "a key is missing");
	return STATUS_OK;
}

void keymap_spell(const struct key_sequence *s, struct sbuf *out)
{
	char buf[32];

	for (int i = 0; i < s->count; i++)
		sbuf_puts(out, s->keys[i].code == K_ANY ? "<Any>" : key_name(s->keys[i], buf));
}

static bool begins_with(const struct key_sequence *s, const struct key_sequence *start)
{
	if (s->count < start->count)
		return false;
	for (int i = 0; i < start->count; i++)
		if (!key_equal(s->keys[i], start->keys[i]))
			return false;
	return true;
}

static void remove_at(struct keymap *m, size_t i)
{
	free(m->bindings.data[i].command);
	memmove(&m->bindings.data[i], &m->bindings.data[i + 1],
		(--m->bindings.count - i) * sizeof(m->bindings.data[0]));
}

bool keymap_unbind(struct keymap *m, enum key_mode mode, const struct key_sequence *s)
{
	bool found = false;

	for (size_t i = m->bindings.count; i-- > 0;)
		if (m->bindings.data[i].mode == mode &&
		    begins_with(&m->bindings.data[i].sequence, s)) {
			remove_at(m, i);
			found = true;
		}
	return found;
}

void keymap_bind(struct keymap *m, enum key_mode mode, const struct key_sequence *s,
		 const char *command)
{
	struct binding b = {mode, *s, xstrdup(command), m->origin};

	keymap_unbind(m, mode, s);
	for (size_t i = m->bindings.count; i-- > 0;)
		if (m->bindings.data[i].mode == mode &&
		    begins_with(s, &m->bindings.data[i].sequence))
			remove_at(m, i);
	if (m->bindings.count == m->bindings.cap) {
		m->bindings.cap = m->bindings.cap ? 2 * m->bindings.cap : 64;
		m->bindings.data =
		    xreallocarray(m->bindings.data, m->bindings.cap, sizeof(m->bindings.data[0]));
	}
	m->bindings.data[m->bindings.count++] = b;
}

void keymap_free(struct keymap *m)
{
	while (m->bindings.count)
		remove_at(m, m->bindings.count - 1);
	vec_free(&m->bindings);
}

/* What a user can mean by "any": a character, not a named or modified key. */
static bool is_plain(struct key k)
{
	return !k.mods && (k.code < KEY_NAMED || k.code == K_SPACE);
}

/* How well typed fits the beginning of a bound sequence: -1 not, else exact keys. */
static int fit(const struct key_sequence *bound, const struct key_sequence *typed)
{
	int exact = 0;

	if (bound->count < typed->count)
		return -1;
	for (int i = 0; i < typed->count; i++) {
		if (key_equal(bound->keys[i], typed->keys[i]))
			exact++;
		else if (bound->keys[i].code != K_ANY || !is_plain(typed->keys[i]))
			return -1;
	}
	return exact;
}

static enum keymap_answer find_in(const struct keymap *m, enum key_mode mode,
				  const struct key_sequence *typed, const struct binding **out)
{
	enum keymap_answer answer = KEYMAP_UNBOUND;
	int best = -1;

	for (size_t i = 0; i < m->bindings.count; i++) {
		const struct binding *b = &m->bindings.data[i];
		int n = b->mode == mode ? fit(&b->sequence, typed) : -1;

		if (n < 0)
			continue;
		if (b->sequence.count > typed->count) {
			if (answer == KEYMAP_UNBOUND) {
				answer = KEYMAP_PREFIX;
				*out = b;
			}
		} else if (n > best) {
			best = n;
			*out = b;
			answer = KEYMAP_BOUND;
		}
	}
	return answer;
}

enum key_mode keymap_behind(enum key_mode mode)
{
	if (mode == KEYS_REDUCE || mode == KEYS_CPI0)
		return KEYS_PANE;
	return mode == KEYS_MAIN || mode == KEYS_PROMPT ? KEYS_MODES : KEYS_MAIN;
}

enum keymap_answer keymap_find(const struct keymap *m, enum key_mode mode,
			       const struct key_sequence *typed, const struct binding **out)
{
	enum keymap_answer answer = KEYMAP_UNBOUND;

	for (; mode != KEYS_MODES && answer == KEYMAP_UNBOUND; mode = keymap_behind(mode))
		answer = find_in(m, mode, typed, out);
	return answer;
}

/* No mode before binds the same keys. */
static bool is_reached(const struct keymap *m, enum key_mode mode, const struct binding *b)
{
	const struct binding *found = NULL;

	return keymap_find(m, mode, &b->sequence, &found) == KEYMAP_BOUND && found == b;
}

const struct binding *keymap_next(const struct keymap *m, enum key_mode mode,
				  const struct binding *after, const struct key_sequence *typed)
{
	size_t i = (size_t)(after - m->bindings.data) + 1;

	for (enum key_mode in = after->mode; in != KEYS_MODES; in = keymap_behind(in), i = 0)
		for (; i < m->bindings.count; i++) {
			const struct binding *b = &m->bindings.data[i];

			if (b->mode == in && fit(&b->sequence, typed) >= 0 &&
			    is_reached(m, mode, b))
				return b;
		}
	return NULL;
}

const struct binding *keymap_for(const struct keymap *m, enum key_mode mode, const char *command)
{
	for (; mode != KEYS_MODES; mode = keymap_behind(mode))
		for (size_t i = 0; i < m->bindings.count; i++)
			if (m->bindings.data[i].mode == mode &&
			    strcmp(m->bindings.data[i].command, command) == 0)
				return &m->bindings.data[i];
	return NULL;
}

void keymap_keys_of(const struct keymap *m, enum key_mode mode, const char *command,
		    struct sbuf *out)
{
	for (size_t i = 0; i < m->bindings.count; i++) {
		const struct binding *b = &m->bindings.data[i];

		if (b->mode != mode || strcmp(b->command, command) != 0)
			continue;
		sbuf_puts(out, out->len ? " " : "");
		keymap_spell(&b->sequence, out);
	}
}

bool keymap_listed_before(const struct keymap *m, size_t i)
{
	const struct binding *b = &m->bindings.data[i];

	for (size_t k = 0; k < i; k++)
		if (m->bindings.data[k].mode == b->mode &&
		    strcmp(m->bindings.data[k].command, b->command) == 0)
			return true;
	return false;
}

void keymap_expand(const struct binding *b, const struct key_sequence *typed, struct sbuf *out)
{
	char any[5] = "";

	for (int i = 0; i < b->sequence.count && i < typed->count; i++)
		if (b->sequence.keys[i].code == K_ANY)
			any[text_encode(typed->keys[i].code == K_SPACE ? ' ' : typed->keys[i].code, any)] =
			    '\0';
	for (const char *p = b->command; *p; p++) {
		if (*any && p[0] == '%' && p[1] == 'k') {
			sbuf_put_quoted(out, any);
			p++;
		} else {
			sbuf_putc(out, *p);
		}
	}
}
