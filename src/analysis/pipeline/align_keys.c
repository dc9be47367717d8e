#include "config.h"

#include "analysis/pipeline/align_keys.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/intern.h"
#include "base/sbuf.h"
#include "pipeline/formats/scan.h"
#include "pipeline/queries/detail.h"

/*
 * Hexadecimal numbers of so many digits may be addresses, with and without 0x before them; they are
 * if an instruction of either trace lies so NEAR.
 */
enum {
	ADDRESS_DIGITS = 5,
	BARE_ADDRESS_DIGITS = 6,
	SHORT_ADDRESS_DIGITS = 3, /* behind 0x, of an instruction of either trace */
	ADDRESS_MOST = 16,
	NEAR = 1 << 16
};

/* The pcs of both sides, ascending; none where a side has none: then no number is known for one. */
struct addresses {
	VEC(uint64_t) pcs;
};

enum {
	READ_STEPS = 1024, /* looked at together; */
	READ_ROWS = 2048   /* of so many rows the text is read at once */
};

enum status align_no_memory(struct error *e)
{
	return error_set(e, STATUS_NOMEM, "not enough memory to match two traces");
}

static bool is_word(int c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       c == '_';
}

/* The first that is not less. */
static size_t pc_at_least(const struct addresses *known, uint64_t pc)
{
	size_t low = 0, high = known->pcs.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (known->pcs.data[middle] < pc)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool is_code(const struct addresses *known, uint64_t address)
{
	const size_t k = pc_at_least(known, address);
	const uint64_t *pcs = known->pcs.data;

	return (k < known->pcs.count && pcs[k] - address <= NEAR) ||
	       (k > 0 && address - pcs[k - 1] <= NEAR);
}

static bool is_pc(const struct addresses *known, uint64_t address)
{
	const size_t k = pc_at_least(known, address);

	return k < known->pcs.count && known->pcs.data[k] == address;
}

/* A negative number of 32 or 64 bits that leads from pc to an instruction: as of a branch back. */
static bool leads_back(const struct addresses *known, const uint64_t *pc, uint64_t value)
{
	if (value >> 31 == 1)
		value |= UINT64_MAX << 32;
	return pc && value >> 63 && is_pc(known, *pc + value);
}

/*
 * An address in the code, or how far it is back to one; what is neither is a constant, which tells
 * instructions apart.
 */
static bool is_address(const struct addresses *known, const uint64_t *pc, const char *p, size_t len)
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
	return (prefixed || digits > 0) && (is_code(known, value) || leads_back(known, pc, value));
}

/* Small letters, no blanks, an address as #; known: NULL where addresses are to stay. */
static void put_text(struct sbuf *out, const struct addresses *known, const uint64_t *pc,
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

/* What the instruction is told apart by; pc: NULL where it has none. */
static void put_subject(struct sbuf *out, const struct addresses *known, enum align_key by,
			const uint64_t *pc, const char *text, size_t len)
{
	sbuf_clear(out);
	if (by != ALIGN_KEY_TEXT && pc)
		sbuf_add(out, (const char *)pc, sizeof(*pc));
	if (by != ALIGN_KEY_PC || !pc)
		put_text(out, by == ALIGN_KEY_PC_TEXT ? NULL : known, pc, text, len);
}

/* The same of a static instruction. Has it a pc? */
static bool subject(const struct align_side *side, const struct addresses *known, uint32_t code,
		    enum align_key by, struct sbuf *out)
{
	const char *text = "";
	uint64_t pc = 0;
	bool has_pc = false;
	size_t len = 0;

	store_code(side->store, code, &pc, &has_pc, &text, &len);
	put_subject(out, known, by, has_pc ? &pc : NULL, text, len);
	return has_pc;
}

/*
 * Of how many static instructions of the side that has fewer the subject is one of the other;
 * *with_pc: that have a pc at all.
 */
static bool count_shared(const struct align *al, const struct addresses *known, enum align_key by,
			 size_t *shared, size_t *with_pc)
{
	const bool a_less = al->side[ALIGN_A].codes < al->side[ALIGN_B].codes;
	const struct align_side *less = &al->side[a_less ? ALIGN_A : ALIGN_B];
	const struct align_side *more = &al->side[a_less ? ALIGN_B : ALIGN_A];
	struct intern *t = intern_new();
	struct sbuf key = {0};
	size_t in_more = 0, in_less = 0;
	bool ok = t != NULL;

	*shared = 0;
	for (size_t i = 0; ok && i < more->codes; i++)
		if (subject(more, known, (uint32_t)i, by, &key)) {
			in_more++;
			ok = intern_add(t, sbuf_text(&key), key.len) >= 0;
		}
	for (size_t i = 0; ok && i < less->codes; i++)
		if (subject(less, known, (uint32_t)i, by, &key)) {
			in_less++;
			*shared += intern_find(t, sbuf_text(&key), key.len) >= 0;
		}
	*with_pc = in_more < in_less ? in_more : in_less;
	sbuf_free(&key);
	if (t)
		intern_free(t);
	return ok;
}

static bool keeps_all(const struct align_side *side)
{
	return path_known(side->path) == path_count(side->path);
}

/*
 * See align.h: nine in ten common pcs must name the same text, else the code lies elsewhere; one in
 * four where not all texts are kept, as which are is chance. So it does if that is half of those at
 * most whose text is there at all: some code lies in the same place in many programs.
 */
static bool choose_key(struct align *al, const struct addresses *known)
{
	const bool all = keeps_all(&al->side[ALIGN_A]) && keeps_all(&al->side[ALIGN_B]);
	bool alike = store_format(al->side[ALIGN_A].store) == store_format(al->side[ALIGN_B].store);
	size_t pcs, both, texts, with_pc;

	if (!count_shared(al, known, ALIGN_KEY_PC, &pcs, &with_pc) ||
	    !count_shared(al, known, ALIGN_KEY_PC_TEXT, &both, &with_pc) ||
	    !count_shared(al, known, ALIGN_KEY_TEXT, &texts, &with_pc))
		return false;
	al->key = ALIGN_KEY_TEXT;
	if (pcs > 0 && pcs >= with_pc / 10 && both >= (all ? pcs - pcs / 10 : pcs / 4) &&
	    2 * both > texts)
		al->key = ALIGN_KEY_PC_TEXT;
	else if (!alike && pcs > 0 && pcs >= with_pc / 2)
		al->key = ALIGN_KEY_PC;
	return true;
}

static int by_pc(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static bool collect_pcs(const struct align *al, struct addresses *out)
{
	bool all = true;

	for (int s = 0; s < ALIGN_SIDES; s++) {
		const size_t before = out->pcs.count;

		for (size_t i = 0; i < al->side[s].codes; i++) {
			const char *text;
			uint64_t pc;
			bool has_pc;
			size_t len;

			store_code(al->side[s].store, (uint32_t)i, &pc, &has_pc, &text, &len);
			if (has_pc && !vec_push(&out->pcs, pc))
				return false;
		}
		all = all && out->pcs.count > before;
	}
	if (!all)
		vec_clear(&out->pcs);
	if (out->pcs.count)
		qsort(out->pcs.data, out->pcs.count, sizeof(*out->pcs.data), by_pc);
	return true;
}

/* Numbers for the static instructions that the stores know. */
static bool number_codes(struct align *al, const struct addresses *known, struct intern *t)
{
	struct sbuf key = {0};
	bool ok = true;

	for (int s = 0; ok && s < ALIGN_SIDES; s++) {
		struct align_side *side = &al->side[s];

		side->keys = calloc(side->codes + 1, sizeof(*side->keys));
		ok = side->keys != NULL;
		for (size_t i = 0; ok && i < side->codes; i++) {
			int32_t id;

			subject(side, known, (uint32_t)i, al->key, &key);
			id = intern_add(t, sbuf_text(&key), key.len);
			ok = id >= 0 && !key.failed;
			side->keys[i] = ALIGN_KEY_FIRST + (uint32_t)id;
		}
	}
	sbuf_free(&key);
	return ok;
}

/* Keys of the steps of one side whose text the store does not keep. */
struct late_keys {
	struct align *al;
	struct align_side *side;
	const struct addresses *addresses;
	const struct intern *known;
	struct hash_key by;
	const atomic_bool *stop;
	struct detail detail;
	struct sbuf subject;
	struct path_step steps[READ_STEPS];
	uint32_t keys[READ_STEPS];
};

static uint32_t key_of_row(struct late_keys *k, const struct detail_row *row)
{
	size_t len = row->text_len < STORE_CODE_TEXT ? row->text_len : STORE_CODE_TEXT;
	uint64_t hash;
	int32_t id;

	put_subject(&k->subject, k->addresses, k->al->key, row->has_pc ? &row->pc : NULL,
		    sbuf_text(&k->detail.text) + row->text0, len);
	id = intern_find(k->known, sbuf_text(&k->subject), k->subject.len);
	if (id >= 0)
		return ALIGN_KEY_FIRST + (uint32_t)id;
	hash = hash_bytes(k->by, sbuf_text(&k->subject), k->subject.len);
	return ALIGN_KEY_HASHED | (uint32_t)(hash >> 32);
}

static bool is_kept(const struct late_keys *k, size_t step)
{
	return k->steps[step].code < k->side->codes;
}

/*
 * Keys of steps that are not far from each other, from `from` on, which is one whose text is not
 * kept; *to: behind them. Of a text that is too far from the others to be read with them it begins
 * anew; what cannot be read alone is not known.
 */
static enum status read_near(struct late_keys *k, size_t from, size_t n, size_t *to,
			     struct error *e)
{
	const uint64_t first = k->steps[from].row;
	size_t last = from;
	enum status status;

	k->detail.until = k->steps[from].end;
	for (size_t i = from + 1; i < n && k->steps[i].row - first < READ_ROWS; i++) {
		if (is_kept(k, i))
			continue;
		last = i;
		if (k->steps[i].end > k->detail.until)
			k->detail.until = k->steps[i].end;
	}
	status = store_detail(k->side->store, first, (size_t)(k->steps[last].row - first + 1),
			      &k->detail, e);
	for (*to = from; !status && *to <= last; ++*to) {
		uint64_t at = k->steps[*to].row - first;
		bool has = at < k->detail.count && !detail_is_unread(&k->detail.rows[at]);

		if (is_kept(k, *to))
			continue;
		if (!has && *to > from)
			break;
		k->keys[*to] = has ? key_of_row(k, &k->detail.rows[at]) : DIFF_NOTHING;
		k->side->unread += !has;
	}
	return status;
}

/* The keys of k->steps[0, n) whose text is not kept; of the others none is needed. */
static enum status read_keys(struct late_keys *k, size_t n, struct error *e)
{
	enum status status = STATUS_OK;

	if (!vec_reserve(&k->side->read, n))
		return align_no_memory(e);
	memset(k->keys, 0, sizeof(k->keys));
	for (size_t i = 0, to; i < n && !status; i = to) {
		to = i + 1;
		if (!is_kept(k, i) && !(k->stop && *k->stop))
			status = read_near(k, i, n, &to, e);
	}
	for (size_t i = 0; i < n; i++)
		k->side->read.data[k->side->read.count++] = k->keys[i];
	return status;
}

static enum status read_side(struct late_keys *k, struct error *e)
{
	const struct path *path = k->side->path;
	enum status status = STATUS_OK;
	uint64_t at = path_known(path);
	size_t n;

	k->side->read_from = at;
	for (; !status && (n = path_read(path, at, READ_STEPS, k->steps)) > 0; at += n) {
		if (k->stop && *k->stop)
			return error_set(e, STATUS_INTERRUPTED, "interrupted");
		if (k->side->read.count < ALIGN_READ)
			status = read_keys(k, n, e);
		else
			for (size_t i = 0; i < n; i++)
				k->side->unread += !is_kept(k, i);
	}
	return status;
}

static enum status read_late_keys(struct align *al, const struct addresses *addresses,
				  const struct intern *known, const atomic_bool *stop,
				  struct error *e)
{
	struct late_keys *k = calloc(1, sizeof(*k));
	enum status status = STATUS_OK;

	if (!k)
		return align_no_memory(e);
	k->al = al;
	k->addresses = addresses;
	k->known = known;
	k->by = hash_key_new();
	k->detail.no_notes = true;
	k->detail.bounded = true;
	k->stop = stop;
	for (int s = 0; s < ALIGN_SIDES && !status; s++) {
		k->side = &al->side[s];
		status = read_side(k, e);
	}
	detail_free(&k->detail);
	sbuf_free(&k->subject);
	free(k);
	return status;
}

enum status align_keys(struct align *al, const atomic_bool *stop, struct error *e)
{
	struct intern *t = intern_new();
	struct addresses known = {{0}};
	enum status status = STATUS_OK;

	for (int s = 0; s < ALIGN_SIDES; s++)
		al->side[s].codes = store_code_count(al->side[s].store);
	if (!t || !collect_pcs(al, &known) || !choose_key(al, &known) || !number_codes(al, &known, t))
		status = align_no_memory(e);
	else
		status = read_late_keys(al, &known, t, stop, e);
	vec_free(&known.pcs);
	if (t)
		intern_free(t);
	return status;
}
