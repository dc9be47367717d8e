#include "config.h"

#include "trace/cacheparts.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <zlib.h>

#include "source/tempfile.h"
#include "trace/cachefile.h"
#include "trace/trace.h"

enum { ALIGN = 64 };

/* ---- the file ---- */

void cache_write(struct cache_writing *w, const void *p, size_t len, uint64_t off)
{
	if (!w->error && tempfile_write(w->fd, off, p, len) < len)
		w->error = errno ? errno : ENOSPC;
}

void cache_put(struct cache_writing *w, struct cache_part *part, const void *p, size_t len,
	       bool summed)
{
	w->off = (w->off + ALIGN - 1) / ALIGN * ALIGN;
	*part = (struct cache_part){w->off, len};
	cache_write(w, p, len, w->off);
	w->off += len;
	if (summed && len) /* of no bytes zlib has a sum of its own */
		w->crc = (uint32_t)crc32_z(w->crc, p, len);
}

static uint32_t head_crc(const struct cache_head *h, size_t len)
{
	const uint32_t crc =
	    (uint32_t)crc32_z(0, (const void *)h, offsetof(struct cache_head, crc));

	return (uint32_t)crc32_z(crc, (const void *)(h + 1), len - sizeof(*h));
}

void cache_put_head(struct cache_writing *w, struct cache_head *h, size_t len, uint64_t version,
		    const struct source *s)
{
	memcpy(h->magic, CACHE_MAGIC, sizeof(h->magic));
	h->version = version;
	source_identity(s, &h->id);
	h->crc = head_crc(h, len);
	cache_write(w, h, len, 0);
}

bool cache_head_fits(const struct cache_head *h, size_t len, uint64_t version,
		     const struct source *s)
{
	struct source_id id;

	source_identity(s, &id);
	return memcmp(h->magic, CACHE_MAGIC, sizeof(h->magic)) == 0 && h->version == version &&
	       memcmp(&id, &h->id, sizeof(id)) == 0 && h->crc == head_crc(h, len);
}

void *cache_map(int fd, size_t least, size_t *len)
{
	struct stat st = {.st_size = 0};
	void *map = MAP_FAILED;

	if (fstat(fd, &st) == 0 && st.st_size >= (off_t)least)
		map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
	*len = (size_t)st.st_size;
	return map == MAP_FAILED ? NULL : map;
}

bool cache_parts_fit(const struct cache_part *parts, int count, uint64_t len)
{
	for (int i = 0; i < count; i++)
		if (parts[i].off % 8 || parts[i].off > len || parts[i].len > len - parts[i].off)
			return false;
	return true;
}

uint32_t cache_parts_crc(const void *map, const struct cache_part *parts, int from, int count)
{
	uint32_t crc = 0;

	for (int i = from; i < count; i++)
		if (parts[i].len)
			crc = (uint32_t)crc32_z(crc, (const unsigned char *)map + parts[i].off,
						(size_t)parts[i].len);
	return crc;
}

/* ---- what is in it ---- */

/* As all that looks through columns it has no branches: then memory sets the pace. */
bool cache_all_below(const uint32_t *p, uint32_t n, uint32_t limit)
{
	uint32_t bad = 0;

	for (uint32_t i = 0; i < n; i++)
		bad |= p[i] >= limit;
	return !bad;
}

bool cache_rises_to(const uint32_t *p, uint32_t n, uint32_t most)
{
	uint32_t bad = n ? p[n - 1] != most : most;

	for (uint32_t i = 1; i < n; i++)
		bad |= p[i - 1] > p[i];
	return !bad;
}

void code_number(struct cache_coder *c, uint64_t *value)
{
	if (c->out)
		varint_put(c->out, *value);
	else
		*value = varint_get(&c->in);
}

/* The next so many bytes; NULL: there are fewer. */
static const char *take(struct cache_coder *c, uint64_t len)
{
	const char *p = (const char *)c->in.p;

	c->bad |= c->in.over || len > (uint64_t)(c->in.end - c->in.p);
	if (c->bad)
		return NULL;
	c->in.p += len;
	return p;
}

void code_text(struct cache_coder *c, const char **text)
{
	uint64_t len = c->out ? strlen(*text) : 0;
	const char *p;

	code_number(c, &len);
	if (c->out) {
		sbuf_add(c->out, *text, len);
		return;
	}
	p = take(c, len);
	*text = p ? intern_name(c->texts, intern_add(c->texts, p, len)) : NULL;
	c->bad |= !*text;
}

void code_bytes(struct cache_coder *c, void *value, size_t size)
{
	const char *p;

	if (c->out)
		sbuf_add(c->out, value, size);
	else if ((p = take(c, size)))
		memcpy(value, p, size);
}

size_t code_count(struct cache_coder *c, size_t count)
{
	uint64_t n = count;

	code_number(c, &n);
	c->bad |= !c->out && (c->in.over || n > (uint64_t)(c->in.end - c->in.p));
	return c->bad ? 0 : (size_t)n;
}

void code_names(struct cache_coder *c, struct intern *names)
{
	size_t count = code_count(c, intern_count(names));

	for (size_t i = 0; i < count && !c->bad; i++) {
		const char *p = intern_name(names, (int32_t)i);
		uint64_t len = intern_length(names, (int32_t)i);

		code_number(c, &len);
		if (c->out)
			sbuf_add(c->out, p, len);
		else
			c->bad |= !(p = take(c, len)) || intern_add(names, p, len) != (int32_t)i;
	}
}

void code_warning(struct cache_coder *c, struct warning *w)
{
	code_number(c, &w->line);
	code_number(c, &w->offset);
	code_number(c, &w->item);
	code_text(c, &w->text);
}

void cache_put_coded(struct cache_writing *w, struct cache_part *part, cache_code_fn *code,
		     void *of)
{
	struct sbuf texts = {0};
	struct cache_coder c = {.out = &texts, .of = of};

	code(&c);
	if (texts.failed)
		w->error = ENOMEM;
	cache_put(w, part, texts.text, texts.len, true);
	sbuf_free(&texts);
}

bool cache_take_coded(const void *map, const struct cache_part *part, cache_code_fn *code,
		      struct cache_coder *c)
{
	c->in.p = (const unsigned char *)map + part->off;
	c->in.end = c->in.p + part->len;
	code(c);
	return !c->bad && !c->in.over;
}
