#include "config.h"

#include "pipeline/queries/renames.h"

#include <string.h>

/* What was told last: whose lines a thread's are, or who wrote a register. */
struct told {
	uint64_t id, off;
};

struct renaming {
	struct live_table keys; /* -> index in told */
	VEC(struct told) told;
	register_read_fn *fn;
	void *arg;
	bool failed;
};

/* Registers' numbers are spread already; 0 as a register stands for the thread itself. */
static uint64_t key_of(const struct row_rename *n, uint64_t reg)
{
	uint64_t speaker = (uint64_t)n->cpu << 32 | (uint32_t)n->thread;

	return reg ^ (speaker + 1) * UINT64_C(0xd6e8feb86659fd93);
}

static const struct told *find(const struct renaming *r, uint64_t key, uint64_t off, uint64_t reach)
{
	const struct live *l = live_find(&r->keys, key);
	const struct told *t = l ? &r->told.data[l->row] : NULL;

	return t && off - t->off <= reach ? t : NULL;
}

static void keep(struct renaming *r, uint64_t key, uint64_t id, uint64_t off)
{
	struct live *l = live_find(&r->keys, key);

	if (l) {
		r->told.data[l->row] = (struct told){id, off};
		return;
	}
	l = live_add(&r->keys, key);
	if (!l || !vec_push(&r->told, ((struct told){id, off})))
		r->failed = true;
	else
		l->row = r->told.count - 1;
}

static void on_rename(struct renaming *r, const struct row_rename *n, uint64_t off)
{
	const struct told *whose = find(r, key_of(n, 0), off, ROWS_CONTEXT), *writer;
	uint64_t id = n->has_id ? n->id : whose ? whose->id : 0;
	struct register_read read = {
	    .reader = id, .off = off, .reg = n->reg, .tick = n->tick, .cpu = n->cpu};

	if (!n->has_id && !whose)
		return;
	switch ((enum rename_kind)n->kind) {
	case RENAME_BEGINS:
		keep(r, key_of(n, 0), id, off);
		read.begins = true;
		r->fn(r->arg, &read);
		break;
	case RENAME_WRITES:
		keep(r, key_of(n, n->reg), id, off);
		break;
	case RENAME_READS:
		writer = find(r, key_of(n, n->reg), off, ROWS_RENAMED_BEFORE);
		read.known = writer != NULL;
		if (read.known) {
			read.writer = writer->id;
			read.written = writer->off;
		}
		if (!read.known || read.writer != id)
			r->fn(r->arg, &read);
		break;
	}
}

static void read_lines(struct renaming *r, const struct reader *reader, const struct window *w)
{
	static const char mention[] = ROWS_RENAME;
	const char *end = w->text + w->len, *at, *line, *nl;

	for (at = w->text;
	     !r->failed && (at = memmem(at, (size_t)(end - at), mention, sizeof(mention) - 1));
	     at = nl) {
		struct row_rename n;

		line = memrchr(w->text, '\n', (size_t)(at - w->text));
		line = line ? line + 1 : w->text;
		nl = memchr(at, '\n', (size_t)(end - at));
		nl = nl ? nl : end;
		if (reader->renames(w->text, line, nl, &n))
			on_rename(r, &n, w->off + (uint64_t)(line - w->text));
	}
}

enum status renames_in(struct store *s, uint64_t from, uint64_t to, register_read_fn *fn, void *arg,
		       struct error *e)
{
	struct renaming r = {.fn = fn, .arg = arg};
	struct window w;
	enum status st;

	if (!live_init(&r.keys))
		return error_set(e, STATUS_NOMEM, "out of memory");
	st = source_map(s->source, from, (size_t)(to - from), &w, e);
	if (st == STATUS_OK) {
		read_lines(&r, s->reader, &w);
		source_release(s->source, &w);
		if (r.failed)
			st = error_set(e, STATUS_NOMEM, "out of memory");
	}
	live_free(&r.keys);
	vec_free(&r.told);
	return st;
}

bool renames_are_told(const struct store *s)
{
	bool told;

	store_read_lock(s);
	told = s->reader->renames && s->counts.notes[NOTE_REGISTER_READS] > 0;
	store_unlock(s);
	return told;
}
