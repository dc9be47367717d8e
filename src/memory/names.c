/* What the things of a trace are called, and where they lie in its orders. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/bisect.h"
#include "base/regex.h"
#include "memory/memory_private.h"

enum { FILES_BYTES = 1 << 20 }; /* of a table of files */

#define CAUSE_NAME(name, key, help) key,
const char *const memory_cause_names[MEMORY_CAUSE_COUNT] = {MEMORY_CAUSES(CAUSE_NAME)};
#undef CAUSE_NAME

const char *const memory_ending_names[] = {
    [MEMORY_RESIDENT] = NULL, [MEMORY_REPLACED] = "replaced", [MEMORY_INVALIDATED] = "invalidated"};

const struct memory_cell *memory_access(const struct memory_index *x, uint32_t cell)
{
	static const struct memory_cell none = {
	    .word = MEMORY_NONE, .object = MEMORY_NONE, .line = MEMORY_NONE, .cpu = UINT16_MAX};

	return cell == MEMORY_NONE ? &none : &x->cells[cell];
}

const struct memory_index *memory_lock(const struct trace *t)
{
	lines_lock(t);
	return &memory_of(t)->index;
}

void memory_unlock(const struct trace *t)
{
	lines_unlock(t);
}

/* ---- the table of files: short, so that it is looked through ---- */

/* `id path` */
static void add_file(struct memory *m, const char *line)
{
	const char *path = NULL;
	uint64_t file;
	int at = 0;

	if (sscanf(line, "%" SCNu64 "%*[ \t]%n", &file, &at) == 1 && at && line[at] &&
	    file < MEMORY_NONE)
		path = intern_printf(m->texts, "%s", line + at);
	if (path)
		(void)vec_push(&m->files, ((struct memory_path){(uint32_t)file, path}));
}

/* Beside TRACE.gz it is TRACE.gz.files or TRACE.files. */
void memory_files_read(struct memory *m)
{
	const struct source *s = m->lines.trace.source;
	const char *name = source_path(s), *dot = strrchr(name, '.');
	const bool bare = source_kind(s) != SOURCE_PLAIN && dot;
	const size_t lengths[] = {strlen(name), bare ? (size_t)(dot - name) : strlen(name)};
	struct sbuf path = {0}, text = {0};
	bool found = false;
	char *rest = NULL;

	for (int i = 0; i < 2 && !found && !source_is_pipe(s); i++) {
		sbuf_clear(&path);
		sbuf_clear(&text);
		sbuf_printf(&path, "%.*s.files", (int)lengths[i], name);
		found = sbuf_read(&text, sbuf_text(&path), FILES_BYTES);
	}
	sbuf_putc(&text, '\0');
	for (char *line = found && !text.failed ? strtok_r(text.text, "\r\n", &rest) : NULL; line;
	     line = strtok_r(NULL, "\r\n", &rest))
		add_file(m, line);
	sbuf_free(&path);
	sbuf_free(&text);
}

const char *memory_file(const struct trace *t, uint32_t file)
{
	const struct memory *m = memory_of(t);

	for (size_t i = 0; i < m->files.count; i++)
		if (m->files.data[i].file == file)
			return m->files.data[i].path;
	return NULL;
}

const char *memory_sources(const struct trace *t)
{
	return memory_of(t)->sources;
}

/* ---- names ---- */

bool memory_add_caches(struct memory *m, uint32_t l1, uint32_t l2)
{
	static const char *const what[MEMORY_KINDS] = {"CPU", "L1", "L2"};
	const uint32_t counts[MEMORY_KINDS] = {l1, l1, l2};
	bool done = true;

	for (int k = 0; k < MEMORY_KINDS; k++)
		while (done && m->components[k].count < counts[k]) {
			const size_t n = m->components[k].count;
			const char *name = intern_printf(m->texts, "%s[%zu]", what[k], n);

			done = name && vec_push(&m->components[k],
						((struct memory_component){.name = name}));
		}
	for (int level = 0; level < MEMORY_LEVELS; level++)
		m->index.caches[level] = (uint32_t)m->components[1 + level].count;
	return done;
}

const struct memory_component *memory_component_at(const struct memory *m, size_t i)
{
	for (int k = 0; k < MEMORY_KINDS; i -= m->components[k++].count)
		if (i < m->components[k].count)
			return &m->components[k].data[i];
	return NULL;
}

enum status memory_mark_locks(struct trace *t, const char *pattern, uint32_t *count,
			      struct error *e)
{
	struct memory *m = memory_of(t);
	struct regex *locks = NULL;

	if (pattern && regex_new(&locks, pattern, e))
		return STATUS_USAGE;
	pthread_rwlock_wrlock(&m->lines.lock);
	regex_free(m->locks);
	m->locks = locks;
	*count = 0;
	for (size_t i = 0; locks && i < m->instances.count; i++)
		if (regex_allows(locks, memory_class(t, (uint32_t)i)))
			*count += m->instances.data[i];
	pthread_rwlock_unlock(&m->lines.lock);
	return STATUS_OK;
}

const char *memory_class(const struct trace *t, uint32_t class)
{
	return class == MEMORY_NONE ? "?" : intern_name(memory_of(t)->classes, (int32_t)class);
}

void memory_put_line(const struct trace *t, uint32_t line, struct sbuf *out)
{
	const struct memory_line *l;
	const char *path, *slash;

	if (line == MEMORY_NONE) {
		sbuf_putc(out, '?');
		return;
	}
	l = &memory_of(t)->index.lines[line];
	path = memory_file(t, l->file);
	slash = path ? strrchr(path, '/') : NULL;
	if (path)
		sbuf_printf(out, "%s:%" PRIu32, slash && slash[1] ? slash + 1 : path, l->line);
	else
		sbuf_printf(out, "file %" PRIu32 ":%" PRIu32, l->file, l->line);
}

void memory_put_object(const struct trace *t, uint32_t object, struct sbuf *out)
{
	const struct memory *m = memory_of(t);
	const struct memory_object *o;

	if (object == MEMORY_NONE) {
		sbuf_putc(out, '?');
		return;
	}
	o = &m->index.objects[object];
	sbuf_puts(out, memory_class(t, o->class));
	if (m->instances.data[o->class] > 1)
		sbuf_printf(out, "[%" PRIu32 "]", o->ordinal);
}

/* An offset is said unless the word is all of the object, which may begin within the word. */
void memory_put_word(const struct trace *t, uint32_t word, struct sbuf *out)
{
	const struct memory_index *x = &memory_of(t)->index;
	const struct memory_word *w = &x->words[word];
	const struct memory_object *o;

	if (w->object == MEMORY_NONE) {
		sbuf_printf(out, "0x%" PRIx64, w->address);
		return;
	}
	o = &x->objects[w->object];
	memory_put_object(t, w->object, out);
	if (o->size > WORD_BYTES)
		sbuf_printf(out, "+0x%" PRIx64,
			    w->address > o->address ? w->address - o->address : 0);
}

/* ---- where things lie ---- */

/* One that takes no time is there at its tick. */
static int64_t behind(const struct memory_stay *s)
{
	return s->end > s->start ? s->end : s->start + 1;
}

void memory_stays(const struct memory_index *x, uint32_t block, uint32_t cache, int64_t from,
		  int64_t to, uint32_t *begin, uint32_t *end)
{
	const struct memory_stay *s = x->ordered;
	size_t low = x->blocks[block].begin, high = x->blocks[block].end;

	bisect(low, high, i, s[i].cache < cache || (s[i].cache == cache && behind(&s[i]) <= from));
	*begin = (uint32_t)low;
	high = x->blocks[block].end;
	bisect(low, high, i, s[i].cache < cache || (s[i].cache == cache && s[i].start < to));
	*end = (uint32_t)low;
}

/*
 * Not where no CPU began to wait for many times as long as on average: nothing was traced there, or
 * nothing missed. That may be so before the first wait, too; behind the last one it is not known.
 */
bool memory_traced(struct trace *t, int64_t from, int64_t to)
{
	enum { TIMES = 50 };
	const struct memory_index *x = memory_lock(t);
	int64_t before = x->first - 1, next = MEMORY_OPEN;
	const double mean = (double)tick_sub(x->last, x->first) / (x->reference_count + 1.0);

	for (uint32_t cpu = 0; cpu < x->caches[MEMORY_L1]; cpu++) {
		const struct memory_component *c = &memory_of(t)->components[0].data[cpu];
		size_t low = c->begin, high = c->end;

		bisect(low, high, i, x->references[i].tick < to);
		if (low > c->begin && x->references[low - 1].tick > before)
			before = x->references[low - 1].tick;
		if (low < c->end && x->references[low].tick < next)
			next = x->references[low].tick;
	}
	memory_unlock(t);
	return before >= from || next == MEMORY_OPEN ||
	       (double)tick_sub(next, before) <= TIMES * mean;
}

uint32_t memory_block_at(const struct trace *t, enum memory_level level, uint64_t address)
{
	const struct memory_index *x = &memory_of(t)->index;

	for (uint32_t i = 0; i < x->block_count; i++)
		if (x->blocks[i].level == level &&
		    address - x->blocks[i].address < x->block_bytes[level])
			return i;
	return MEMORY_NONE;
}
