#include "config.h"

#include "view/tasks/keys.h"

#include <ctype.h>
#include <string.h>

#include "base/intern.h"
#include "base/text.h"

void keys_init(struct task_keys *k, const struct trace *t)
{
	*k = (struct task_keys){.trace = t, .reasons = intern_new()};
}

void keys_free(struct task_keys *k)
{
	vec_free(&k->keys);
	intern_free(k->reasons);
}

/* "*mem.ReadReq" is a ReadReq: package and star say nothing. */
static const char *plain(const char *what)
{
	const char *dot = strrchr(what, '.');

	if (*what != '*')
		return what;
	return dot && dot[1] ? dot + 1 : what + 1;
}

/* A letter or digit of a name that no pair has yet; '\0': none is left. */
static char free_letter(const bool *used, const char *name, bool capitals)
{
	for (; *name; name++) {
		const int letter = toupper((unsigned char)*name);

		if (letter < 128 && isalnum(letter) && (!capitals || isupper((unsigned char)*name)) &&
		    !used[letter])
			return (char)letter;
	}
	return '\0';
}

/* Capitals of the what say most. */
static char choose_letter(const bool *used, const char *kind, const char *what)
{
	const char *const names[] = {what, what, kind, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"};
	char letter = '\0';

	for (int i = 0; i < 4 && !letter; i++)
		letter = free_letter(used, names[i], i == 0);
	return letter ? letter : KEY_SHARED;
}

void keys_extend(struct task_keys *k)
{
	const struct task_tables *tables = tasks_tables(k->trace);

	for (; k->slots < tables->slots.count; k->slots++) {
		const struct task_slot *slot = &tables->slots.data[k->slots];
		struct task_key key = {.kind = slot->kind,
				       .what = slot->what,
				       .role = ROLE_STAGE_0 + slot->pair % PALETTE_STAGES};

		if (slot->pair != k->keys.count)
			continue;
		key.letter = choose_letter(k->used, tasks_kind(k->trace, key.kind),
					   plain(tasks_what(k->trace, key.what)));
		k->used[(unsigned char)key.letter] = true;
		if (!vec_push(&k->keys, key))
			return; /* no memory: what is not known has the first pair's look */
	}
}

uint32_t keys_of(const struct task_keys *k, const struct task_columns *c, uint32_t row)
{
	const uint32_t pair = tasks_tables(k->trace)->slots.data[c->slot[row]].pair;

	return pair < k->keys.count ? pair : 0;
}

void keys_name(const struct trace *t, const struct task_key *key, struct sbuf *out)
{
	const char *kind = tasks_kind(t, key->kind), *what = plain(tasks_what(t, key->what));

	text_sanitise(out, kind, strlen(kind));
	if (!*what || strcmp(kind, what) == 0)
		return;
	sbuf_putc(out, ' ');
	text_sanitise(out, what, strlen(what));
}

uint32_t keys_find(const struct task_keys *k, const char *name)
{
	struct sbuf text = {0};
	uint32_t found = KEY_NONE;

	for (uint32_t i = 0; i < k->keys.count && found == KEY_NONE; i++) {
		sbuf_clear(&text);
		keys_name(k->trace, &k->keys.data[i], &text);
		if (strcmp(sbuf_text(&text), name) == 0)
			found = i;
	}
	sbuf_free(&text);
	return found;
}

enum role keys_reason(struct task_keys *k, const char *kind)
{
	int32_t number = intern_add(k->reasons, kind, strlen(kind));

	return (enum role)(ROLE_EVENT_0 + (number < 0 ? 0 : number) % PALETTE_EVENTS);
}

bool keys_waits(const struct task_label *label)
{
	return !label->tag && strcmp(label->kind, "work") != 0;
}
