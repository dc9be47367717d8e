#include "config.h"

#include "app/key.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

static const struct {
	const char *name;
	uint32_t code;
} names[] = {
#define KEY_ROW(name, text) {text, K_##name},
    KEY_INFO(KEY_ROW)
#undef KEY_ROW
	{"Lt", '<'},
    {"Gt", '>'},
};

enum { NAME_COUNT = sizeof(names) / sizeof(names[0]) };

static const struct {
	const char *prefix;
	uint8_t mod;
} modifiers[] = {{"C-", MOD_CTRL}, {"M-", MOD_ALT}, {"S-", MOD_SHIFT}};

enum { MODIFIER_COUNT = sizeof(modifiers) / sizeof(modifiers[0]) };

/* A terminal sends the same byte for both: Tab is ^I, Enter ^M, Escape ^[. */
static const struct {
	uint32_t letter, code;
} control_names[] = {{'i', K_TAB}, {'m', K_ENTER}, {'[', K_ESCAPE}};

/* One spelling of each key, so that a bound and a typed key can be compared. */
static struct key normal(struct key k)
{
	if (k.code == ' ')
		k.code = K_SPACE;
	if (k.code < KEY_NAMED)
		k.mods &= (uint8_t)~MOD_SHIFT;
	if (k.mods & MOD_CTRL && k.code >= 'A' && k.code <= 'Z')
		k.code += 'a' - 'A';
	for (size_t i = 0; i < sizeof(control_names) / sizeof(control_names[0]); i++)
		if (k.mods & MOD_CTRL && k.code == control_names[i].letter) {
			k.code = control_names[i].code;
			k.mods &= (uint8_t)~MOD_CTRL;
		}
	if (k.code == K_TAB && k.mods & MOD_SHIFT) {
		k.code = K_BACKTAB;
		k.mods &= (uint8_t)~MOD_SHIFT;
	}
	return k;
}

bool key_equal(struct key a, struct key b)
{
	a = normal(a);
	b = normal(b);
	return a.code == b.code && a.mods == b.mods;
}

static bool same_name(const char *name, const char *p, size_t len)
{
	return strlen(name) == len && memcmp(name, p, len) == 0;
}

/* What stands between < and >, without modifiers. */
static bool parse_base(const char *p, size_t len, uint32_t *code)
{
	for (int i = 0; i < NAME_COUNT; i++)
		if (same_name(names[i].name, p, len)) {
			*code = names[i].code;
			return true;
		}
	return len > 0 && text_decode(p, len, code) == len && *code != TEXT_REPLACEMENT;
}

static uint8_t modifier_at(const char *p)
{
	for (int i = 0; i < MODIFIER_COUNT; i++)
		if (strncmp(p, modifiers[i].prefix, 2) == 0)
			return modifiers[i].mod;
	return 0;
}

static bool parse_named(const char **text, struct key *out)
{
	const char *p = *text + 1;
	const char *end = strchr(p + (*p == '>'), '>');
	struct key k = {0, 0};

	if (!end)
		return false;
	for (; end - p > 2 && modifier_at(p); p += 2)
		k.mods |= modifier_at(p);
	if (!parse_base(p, (size_t)(end - p), &k.code))
		return false;
	/* <x> without a modifier is a slip for x or for a name */
	if (!k.mods && k.code < KEY_NAMED && k.code != '<' && k.code != '>')
		return false;
	if (k.mods & MOD_SHIFT && k.code >= 'a' && k.code <= 'z')
		k.code -= 'a' - 'A';
	*out = normal(k);
	*text = end + 1;
	return true;
}

bool key_parse(const char **text, struct key *out)
{
	struct key k = {0, 0};
	size_t len = strlen(*text);
	size_t used;

	if (!len)
		return false;
	if (**text == '<' && len > 1)
		return parse_named(text, out);
	used = text_decode(*text, len, &k.code);
	if (k.code == TEXT_REPLACEMENT || k.code < ' ')
		return false;
	*text += used;
	*out = normal(k);
	return true;
}

const char *key_name(struct key k, char buf[32])
{
	char utf8[5] = "", prefixes[16] = "";
	const char *name = NULL;
	bool angle;

	k = normal(k);
	for (int i = 0; i < NAME_COUNT; i++)
		if (names[i].code == k.code)
			name = names[i].name;
	angle = k.mods || k.code >= KEY_NAMED;
	if (!name || (k.code < KEY_NAMED && !k.mods)) {
		utf8[text_encode(text_harmless(k.code), utf8)] = '\0';
		name = utf8;
	}
	for (int i = 0; i < MODIFIER_COUNT; i++)
		if (k.mods & modifiers[i].mod)
			strcat(prefixes, modifiers[i].prefix);
	snprintf(buf, 32, "%s%s%s%s", angle ? "<" : "", prefixes, name, angle ? ">" : "");
	return buf;
}
