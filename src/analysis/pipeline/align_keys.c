#include "config.h"

#include "analysis/pipeline/align_keys.h"

#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/sbuf.h"
#include "pipeline/formats/scan.h"

/*
 * Hexadecimal numbers of so many digits may be addresses, with and without 0x before them; they are
 * if an instruction of either trace lies near: in the same 32 KiB, or in those before or behind.
 */
enum {
	ADDRESS_DIGITS = 5,
	BARE_ADDRESS_DIGITS = 6,
	SHORT_ADDRESS_DIGITS = 3, /* behind 0x, of an instruction of either trace */
	ADDRESS_MOST = 16,
	NEAR_BITS = 15
};

enum { STEPS = 4096 }; /* looked at together */

/* Where the code of both lies; none where a side has no pcs: then no number is known for one. */
struct code_places {
	struct intern *pcs, *near;
};

static bool is_word(int c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       c == '_';
}

static bool is_pc(const struct code_places *known, uint64_t address)
{
	return intern_find(known->pcs, (const char *)&address, sizeof(address)) >= 0;
}

static bool is_near(const struct code_places *known, uint64_t address)
{
	for (int i = -1; i <= 1; i++) {
		uint64_t place = (address >> NEAR_BITS) + (uint64_t)i;

		if (intern_find(known->near, (const char *)&place, sizeof(place)) >= 0)
			return true;
	}
	return false;
}

/* A negative number of 32 or 64 bits that leads from pc to an instruction: as of a branch back. */
static bool leads_back(const struct code_places *known, const uint64_t *pc, uint64_t value)
{
	if (value >> 31 == 1)
		value |= UINT64_MAX << 32;
	return pc && value >> 63 && is_pc(known, *pc + value);
}

/*
 * An address in the code, or how far it is back to one; what is neither is a constant, which tells
 * instructions apart.
 */
static bool is_address(const struct code_places *known, const uint64_t *pc, const char *p,
		       size_t len)
{
	bool prefixed = len > 2 && p[0] == '0' && (p[1] == 'x' || p[1] == 'X');
	size_t least = prefixed ? SHORT_ADDRESS_DIGITS + 2 : BARE_ADDRESS_DIGITS, digits = 0;
	uint64_t value = 0;

	if (len < least || len > ADDRESS_MOST + (prefixed ? 2 : 0))
		return false;
	for (size_t i = prefixed ? 2 : 0; i < len; i++) {
		unsigned digit = scan_hex_digit(p[i]);

		if (digit > 15)
			return false;
		digits += digit < 10;
		value = value << 4 | digit;
	}
	if (prefixed && len < ADDRESS_DIGITS + 2)
		return is_pc(known, value);
	return (prefixed || digits > 0) && (is_near(known, value) || leads_back(known, pc, value));
}

/* Small letters, no blanks, an address as #; known: NULL where addresses are to stay. */
static void put_text(struct sbuf *out, const struct code_places *known, const uint64_t *pc,
		     const char *p, size_t len)
{
	for (size_t i = 0; i < len;) {
		size_t to = i;

		while (to < len && is_word(p[to]))
			to++;
		if (known && is_address(known, pc, p + i, to - i)) {
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

/* What a store knows of a static instruction. */
struct code_text {
	const char *text;
	size_t len;
	uint64_t pc;
	bool has_pc;
};

static struct code_text code_of(const struct align_side *side, size_t code)
{
	struct code_text c = {.text = ""};

	store_code(side->store, (uint32_t)code, &c.pc, &c.has_pc, &c.text, &c.len);
	return c;
}

/* What the instruction is told apart by. */
static void put_code(struct sbuf *out, const struct code_places *known, enum align_key by,
		     const struct code_text *c)
{
	const uint64_t *pc = c->has_pc ? &c->pc : NULL;

	sbuf_clear(out);
	if (by != ALIGN_KEY_TEXT && pc)
		sbuf_add(out, (const char *)pc, sizeof(*pc));
	if (by != ALIGN_KEY_PC || !pc)
		put_text(out, by == ALIGN_KEY_PC_TEXT ? NULL : known, pc, c->text, c->len);
}

static bool add_place(struct code_places *known, uint64_t pc)
{
	uint64_t place = pc >> NEAR_BITS;

	return intern_add(known->pcs, (const char *)&pc, sizeof(pc)) >= 0 &&
	       intern_add(known->near, (const char *)&place, sizeof(place)) >= 0;
}

static void places_free(struct code_places *known)
{
	if (known->pcs)
		intern_free(known->pcs);
	if (known->near)
		intern_free(known->near);
}

/* How many static instructions of a side have a pc. */
static size_t count_with_pc(const struct align_side *side)
{
	size_t count = 0;

	for (size_t i = 0; i < side->codes; i++)
		count += code_of(side, i).has_pc;
	return count;
}

static bool find_places(const struct align *al, struct code_places *out)
{
	bool ok;

	*out = (struct code_places){intern_new(), intern_new()};
	ok = out->pcs && out->near;
	if (!count_with_pc(&al->side[ALIGN_A]) || !count_with_pc(&al->side[ALIGN_B]))
		return ok;
	for (int s = 0; ok && s < ALIGN_SIDES; s++)
		for (size_t i = 0; ok && i < al->side[s].codes; i++) {
			struct code_text c = code_of(&al->side[s], i);

			ok = !c.has_pc || add_place(out, c.pc);
		}
	return ok;
}

/* By key: of how many static instructions of B that have a pc the subject is one of A. */
static bool count_shared(const struct align *al, const struct code_places *known,
			 size_t shared[ALIGN_KEY_COUNT])
{
	struct intern *t = intern_new();
	struct sbuf key = {0};
	bool ok = t != NULL;

	for (int s = 0; s < ALIGN_SIDES; s++)
		for (size_t i = 0; ok && i < al->side[s].codes * ALIGN_KEY_COUNT; i++) {
			struct code_text c = code_of(&al->side[s], i / ALIGN_KEY_COUNT);
			enum align_key by = (enum align_key)(i % ALIGN_KEY_COUNT);

			put_code(&key, known, by, &c);
			sbuf_putc(&key, (char)by);
			if (c.has_pc && s == ALIGN_A)
				ok = intern_add(t, sbuf_text(&key), key.len) >= 0;
			else if (c.has_pc)
				shared[by] += intern_find(t, sbuf_text(&key), key.len) >= 0;
		}
	sbuf_free(&key);
	if (t)
		intern_free(t);
	return ok;
}

/*
 * See align.h: nine in ten common pcs must name the same text, else the code lies elsewhere. So it
 * does if that is half of those at most whose text is there at all: some code lies in the same place
 * in many programs.
 */
static bool choose_key(struct align *al, const struct code_places *known)
{
	const bool alike =
	    store_format(al->side[ALIGN_A].store) == store_format(al->side[ALIGN_B].store);
	const size_t a = count_with_pc(&al->side[ALIGN_A]), b = count_with_pc(&al->side[ALIGN_B]);
	const size_t with_pc = a < b ? a : b;
	size_t shared[ALIGN_KEY_COUNT] = {0}, pcs, both;

	if (!count_shared(al, known, shared))
		return false;
	pcs = shared[ALIGN_KEY_PC];
	both = shared[ALIGN_KEY_PC_TEXT];
	al->key = ALIGN_KEY_TEXT;
	if (pcs > 0 && pcs >= with_pc / 10 && both >= pcs - pcs / 10 &&
	    2 * both > shared[ALIGN_KEY_TEXT])
		al->key = ALIGN_KEY_PC_TEXT;
	else if (!alike && pcs > 0 && pcs >= with_pc / 2)
		al->key = ALIGN_KEY_PC;
	return true;
}

/* Numbers for the static instructions that the stores know. */
static bool number_codes(struct align *al, const struct code_places *known, struct intern *t)
{
	struct sbuf key = {0};
	bool ok = true;

	for (int s = 0; ok && s < ALIGN_SIDES; s++) {
		struct align_side *side = &al->side[s];

		side->code_keys = calloc(side->codes + 1, sizeof(*side->code_keys));
		ok = side->code_keys != NULL;
		for (size_t i = 0; ok && i < side->codes; i++) {
			struct code_text c = code_of(side, i);
			int32_t id;

			put_code(&key, known, al->key, &c);
			id = intern_add(t, sbuf_text(&key), key.len);
			ok = id >= 0 && !key.failed;
			side->code_keys[i] = ALIGN_KEY_FIRST + (uint32_t)id;
		}
	}
	sbuf_free(&key);
	return ok;
}

/* ---- of the steps ------------------------------------------------------------------------- */

/* Those whose text the store does not keep, or that have none, are alike. */
static bool key_steps(struct align_side *side, const atomic_bool *stop)
{
	const uint64_t count = path_count(side->path);
	struct path_step *steps = malloc(STEPS * sizeof(*steps));
	uint64_t at = 0;
	size_t n;

	side->keyed = count < DIFF_MOST ? count : DIFF_MOST;
	side->keys = calloc(side->keyed + 1, sizeof(*side->keys));
	while (steps && side->keys && at < side->keyed && !(stop && *stop) &&
	       (n = path_read(side->path, at, STEPS, steps)) > 0)
		for (size_t i = 0; i < n && at < side->keyed; i++, at++) {
			const bool known = steps[i].code < side->codes;

			side->keys[at] = known ? side->code_keys[steps[i].code] : ALIGN_KEY_UNKNOWN;
			side->unknown |= !known && side->codes > 0;
		}
	free(steps);
	return steps && side->keys;
}

enum status align_code_keys(struct align *al, struct error *e)
{
	struct intern *t = intern_new();
	struct code_places places;
	bool ok;

	for (int s = 0; s < ALIGN_SIDES; s++)
		al->side[s].codes = store_code_count(al->side[s].store);
	ok = find_places(al, &places) && t && choose_key(al, &places) &&
	     number_codes(al, &places, t);
	places_free(&places);
	if (t)
		intern_free(t);
	return ok ? STATUS_OK : error_no_memory(e);
}

enum status align_keys(struct align *al, const atomic_bool *stop, struct error *e)
{
	enum status status = align_code_keys(al, e);

	for (int s = 0; !status && s < ALIGN_SIDES; s++)
		if (!key_steps(&al->side[s], stop))
			status = error_no_memory(e);
	al->guessed = al->side[ALIGN_A].unknown && al->side[ALIGN_B].unknown;
	if (!status && stop && *stop)
		status = error_set(e, STATUS_INTERRUPTED, "interrupted");
	return status;
}
