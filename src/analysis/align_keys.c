#include "config.h"

#include "analysis/align_keys.h"

#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/sbuf.h"

/* Hexadecimal numbers of so many digits are addresses, with and without 0x before them. */
enum { ADDRESS_DIGITS = 5, BARE_ADDRESS_DIGITS = 6 };

static bool is_word(int c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       c == '_';
}

static bool is_hex(int c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static bool is_address(const char *p, size_t len)
{
	bool prefixed = len > 2 && p[0] == '0' && (p[1] == 'x' || p[1] == 'X');
	size_t least = prefixed ? ADDRESS_DIGITS + 2 : BARE_ADDRESS_DIGITS, digits = 0;

	if (len < least)
		return false;
	for (size_t i = prefixed ? 2 : 0; i < len; i++) {
		if (!is_hex(p[i]))
			return false;
		digits += p[i] >= '0' && p[i] <= '9';
	}
	return prefixed || digits > 0;
}

/* Small letters, no blanks, an address as #. */
static void put_text(struct sbuf *out, const char *p, size_t len)
{
	for (size_t i = 0; i < len;) {
		size_t to = i;

		while (to < len && is_word(p[to]))
			to++;
		if (is_address(p + i, to - i)) {
			sbuf_putc(out, '#');
			i = to;
			continue;
		}
		to = to > i ? to : i + 1;
		for (; i < to; i++)
			if (p[i] != ' ' && p[i] != '\t')
				sbuf_putc(out,
					  p[i] >= 'A' && p[i] <= 'Z' ? (char)(p[i] | 32) : p[i]);
	}
}

/* What the instruction is told apart by. */
static bool subject(const struct store *s, uint32_t code, enum align_key by, struct sbuf *out)
{
	const char *text = "";
	uint64_t pc = 0;
	bool has_pc = false;
	size_t len = 0;

	sbuf_clear(out);
	store_code(s, code, &pc, &has_pc, &text, &len);
	if (by != ALIGN_KEY_TEXT && has_pc)
		sbuf_add(out, (const char *)&pc, sizeof(pc));
	if (by == ALIGN_KEY_PC_TEXT)
		sbuf_add(out, text, len);
	else if (by == ALIGN_KEY_TEXT || !has_pc)
		put_text(out, text, len);
	return has_pc;
}

/* Of how many static instructions of b the subject is one of a; *with_pc: that have a pc at all. */
static bool count_shared(const struct align *al, enum align_key by, size_t *shared, size_t *with_pc)
{
	const struct align_side *a = &al->side[ALIGN_A], *b = &al->side[ALIGN_B];
	struct intern *t = intern_new();
	struct sbuf key = {0};
	size_t in_a = 0, in_b = 0;
	bool ok = t != NULL;

	*shared = 0;
	for (size_t i = 0; ok && i < a->codes; i++)
		if (subject(a->store, (uint32_t)i, by, &key)) {
			in_a++;
			ok = intern_add(t, sbuf_text(&key), key.len) >= 0;
		}
	for (size_t i = 0; ok && i < b->codes; i++)
		if (subject(b->store, (uint32_t)i, by, &key)) {
			in_b++;
			*shared += intern_find(t, sbuf_text(&key), key.len) >= 0;
		}
	*with_pc = in_a < in_b ? in_a : in_b;
	sbuf_free(&key);
	if (t)
		intern_free(t);
	return ok;
}

/* See align.h: nine in ten common pcs must name the same text, else the code lies elsewhere. */
static bool choose_key(struct align *al)
{
	bool alike = store_format(al->side[ALIGN_A].store) == store_format(al->side[ALIGN_B].store);
	size_t pcs, both, with_pc;

	if (!count_shared(al, ALIGN_KEY_PC, &pcs, &with_pc) ||
	    !count_shared(al, ALIGN_KEY_PC_TEXT, &both, &with_pc))
		return false;
	al->key = ALIGN_KEY_TEXT;
	if (pcs > 0 && pcs >= with_pc / 10 && both >= pcs - pcs / 10)
		al->key = ALIGN_KEY_PC_TEXT;
	else if (!alike && pcs > 0 && pcs >= with_pc / 2)
		al->key = ALIGN_KEY_PC;
	return true;
}

bool align_keys(struct align *al)
{
	struct sbuf key = {0};
	struct intern *t = intern_new();
	bool ok = t != NULL;

	for (int s = 0; s < ALIGN_SIDES; s++)
		al->side[s].codes = store_code_count(al->side[s].store);
	ok = ok && choose_key(al);
	for (int s = 0; ok && s < ALIGN_SIDES; s++) {
		struct align_side *side = &al->side[s];

		side->keys = calloc(side->codes + 1, sizeof(*side->keys));
		ok = side->keys != NULL;
		for (size_t i = 0; ok && i < side->codes; i++) {
			int32_t id;

			subject(side->store, (uint32_t)i, al->key, &key);
			id = intern_add(t, sbuf_text(&key), key.len);
			ok = id >= 0 && !key.failed;
			side->keys[i] = ALIGN_KEY_UNKNOWN + 1 + (uint32_t)id;
		}
	}
	sbuf_free(&key);
	if (t)
		intern_free(t);
	return ok;
}
