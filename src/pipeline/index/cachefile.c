/*
 * The index as a file in the cache folder.
 *
 * Layout: a header of CACHE_HEADER bytes (magic, version, the source's identity, a table of
 * sections, a checksum), the pages at CACHE_HEADER, then the sections. Everything in it may
 * have been made by somebody else: the file must be ours, regular and not a link, its checksums
 * must hold, and every number read from it is checked again where it is used.
 */
#include "config.h"

#include "pipeline/store_private.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "pipeline/index/cache_names.h"

enum { CACHE_VERSION = 13, PATIENT_BYTES = 96 << 20 };

static const char magic[16] = CACHE_MAGIC;

/* In the order in which they are written. */
#define SECTIONS(_)                                                                                \
	_(PAGES) _(LATE) _(UNBORN) _(LABELS) _(WARNINGS) _(CODES) _(NAMES) _(COUNTS) _(POINTS)     \
	_(THREADS) _(TAIL)

enum cached {
#define SECTION_ENUM(name) SECTION_##name,
	SECTIONS(SECTION_ENUM)
#undef SECTION_ENUM
	    SECTION_COUNT
};

/* Those that are a vector of the store each. */
#define VECTORS(_)                                                                                 \
	_(LATE, s->index.late)                                                                     \
	_(UNBORN, s->index.unborn)                                                                 \
	_(LABELS, s->index.late_labels)                                                            \
	_(WARNINGS, s->counts.warnings)

struct section_entry {
	uint64_t off, len;
};

struct cache_header {
	char magic[16];
	uint32_t version, layout; /* layout: sizes of the structures below, so that an old build's
				     file is not taken for ours */
	char format[32];
	struct source_id id;
	uint64_t source_bytes, blob_len;
	uint32_t blob_crc, section_crc;
	struct section_entry sections[SECTION_COUNT];
	double seconds;
	uint32_t config_crc, crc; /* crc: of the header up to itself */
};

/* What the index holds beside its pages. */
struct cache_tail {
	struct sums total;
	uint64_t off_end, row_end;
	int64_t tick_end, first;
	uint64_t early;
};

static uint32_t layout(void)
{
	return (uint32_t)(sizeof(struct page_entry) * 31 + sizeof(struct late_row) * 37 +
			  sizeof(struct unborn_row) * 41 + sizeof(struct cache_tail) * 43 +
			  sizeof(struct trace_counts) * 47 + sizeof(struct cache_names) * 53 +
			  sizeof(struct warning_entry) * 59 + SECTION_COUNT * 61) ^
	       (uint32_t)((union { uint32_t w; unsigned char b[4]; }){.w = 0x01020304}).b[0] << 28;
}

static uint32_t crc_of(uint32_t crc, const void *p, size_t len)
{
	const unsigned char *b = p;

	while (len) {
		uInt n = len > (1u << 30) ? 1u << 30 : (uInt)len;

		crc = (uint32_t)crc32(crc, b, n);
		b += n;
		len -= n;
	}
	return crc;
}

/* ---- names ------------------------------------------------------------------------------- */

/* The configuration and pipeline that a run starts with decide what its index means. */
static uint32_t config_crc(const struct store *s)
{
	struct cache_names n;

	cache_names_out(&s->names, &n);
	memset(n.metrics, 0, sizeof(n.metrics));
	memset(n.lanes, 0, sizeof(n.lanes));
	n.metric_count = n.lane_count = 0;
	return crc_of(crc_of(0, &n, sizeof(n)), &s->segments, sizeof(s->segments));
}

/* ---- loading ----------------------------------------------------------------------------- */

static bool read_all(int fd, void *to, size_t len, uint64_t off)
{
	unsigned char *p = to;

	while (len) {
		ssize_t n = pread(fd, p, len, (off_t)off);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		p += n;
		off += (uint64_t)n;
		len -= (size_t)n;
	}
	return true;
}

static bool header_fits(struct store *s, const struct cache_header *h, uint64_t file_size)
{
	struct source_id id;

	source_identity(s->source, &id);
	if (memcmp(h->magic, magic, sizeof(magic)) != 0 || h->version != CACHE_VERSION ||
	    h->layout != layout() || h->crc != crc_of(0, h, offsetof(struct cache_header, crc)) ||
	    strncmp(h->format, s->reader->name, sizeof(h->format)) != 0)
		return false;
	if (id.dev != h->id.dev || id.ino != h->id.ino || id.size != h->id.size ||
	    id.mtime_ns != h->id.mtime_ns || id.edge_hash != h->id.edge_hash ||
	    h->config_crc != s->start_config_crc)
		return false;
	if (file_size < CACHE_HEADER || h->blob_len > file_size - CACHE_HEADER)
		return false;
	for (int i = 0; i < SECTION_COUNT; i++)
		if (h->sections[i].off > file_size || h->sections[i].off % 8 ||
		    h->sections[i].len > file_size - h->sections[i].off)
			return false;
	return true;
}

struct loaded {
	const unsigned char *map;
	const struct cache_header *h;
};

static const void *section(const struct loaded *l, enum cached i, size_t size, size_t *count)
{
	*count = (size_t)l->h->sections[i].len / size;
	return l->h->sections[i].len % size ? NULL : l->map + l->h->sections[i].off;
}

static bool crc_fits(const struct loaded *l)
{
	uint32_t crc = 0;

	for (int i = 0; i < SECTION_COUNT; i++)
		crc = crc_of(crc, l->map + l->h->sections[i].off, (size_t)l->h->sections[i].len);
	if (crc != l->h->section_crc)
		return false;
	/* of a huge index only what is used is read; every page is checked in its bounds then */
	return l->h->blob_len > PATIENT_BYTES ||
	       crc_of(0, l->map + CACHE_HEADER, (size_t)l->h->blob_len) == l->h->blob_crc;
}

static bool pages_fit(const struct page_entry *p, size_t n, const struct cache_header *h,
		      const struct cache_tail *tail)
{
	for (size_t i = 0; i < n; i++) {
		if (p[i].pos > h->blob_len || p[i].len > h->blob_len - p[i].pos)
			return false;
		if (p[i].leaves == 0 || p[i].leaves > PAGE_LEAVES)
			return false;
		if (p[i].tick < tail->first || p[i].tick > tail->tick_end)
			return false;
		if (i && (p[i].row0 < p[i - 1].row0 || p[i].tick < p[i - 1].tick ||
			  p[i].off < p[i - 1].off))
			return false;
	}
	return true;
}

static bool load_end_max(struct trace_index *ix)
{
	for (size_t l = 0, group = 16; l < 12; l++, group *= 16)
		for (size_t i = 0; i < ix->page_count; i++) {
			int64_t end = index_page(ix, i)->end_max;

			if (i / group == ix->end_max[l].count) {
				if (!vec_push(&ix->end_max[l], end))
					return false;
			} else if (end > ix->end_max[l].data[i / group]) {
				ix->end_max[l].data[i / group] = end;
			}
		}
	return true;
}

/* What the last page says of the end of the index is what the tail says. */
static bool ends_fit(const struct trace_index *ix)
{
	struct page_view v;
	const struct leaf_head *last;
	int64_t ticks;

	if (__builtin_sub_overflow(ix->tick_end, ix->first, &ticks) || ticks < 0)
		return false;
	if (ix->page_count == 0)
		return ix->row_end == 0;
	if (!index_view(ix, ix->page_count - 1, &v))
		return false;
	last = &v.leaves[v.entry.leaves - 1];
	return index_page(ix, 0)->tick >= ix->first && last->tick <= ix->tick_end &&
	       last->off <= ix->off_end && last->row0 + last->rows == ix->row_end;
}

/* Everything but pages: they stay where they are mapped. */
static bool load_vectors(struct store *s, const struct loaded *l)
{
	const void *from;
	size_t n;

#define LOAD_VECTOR(name, v)                                                                       \
	from = section(l, SECTION_##name, sizeof(*(v).data), &n);                                  \
	if (!from || !vec_reserve(&(v), n + 1))                                                    \
		return false;                                                                      \
	memcpy((v).data, from, n * sizeof(*(v).data));                                             \
	(v).count = n;
	VECTORS(LOAD_VECTOR)
#undef LOAD_VECTOR
	return true;
}

static bool vectors_fit(const struct store *s)
{
	const struct trace_index *ix = &s->index;

	for (size_t i = 0; i < ix->late.count; i++) {
		const struct late_row *late = &ix->late.data[i];

		if (late->fate >= FATE_UNKNOWN || late->row >= ix->row_end ||
		    (i && late->row < late[-1].row))
			return false;
	}
	for (size_t i = 0; i < ix->unborn.count; i++)
		if (ix->unborn.data[i].dominant != STAGE_NONE &&
		    ix->unborn.data[i].dominant >= STAGE_MAX)
			return false;
	for (size_t i = 0; i < ix->late_labels.count; i++)
		if (ix->late_labels.data[i].kind > LABEL_STAGE)
			return false;
	for (size_t i = 0; i < s->counts.warnings.count; i++)
		if (s->counts.warnings.data[i].bad >= BAD_COUNT)
			return false;
	return s->counts.warnings.count <= TRACE_WARNINGS && ix->early <= ix->unborn.count;
}

static bool load_index(struct store *s, const struct loaded *l)
{
	struct trace_index *ix = &s->index;
	const struct cache_tail *tail;
	size_t n;

	ix->mapped_pages = section(l, SECTION_PAGES, sizeof(struct page_entry), &ix->page_count);
	tail = section(l, SECTION_TAIL, sizeof(*tail), &n);
	if (!ix->mapped_pages || !tail || n != 1 ||
	    !pages_fit(ix->mapped_pages, ix->page_count, l->h, tail))
		return false;
	ix->early = (size_t)tail->early;
	ix->total = tail->total;
	ix->off_end = tail->off_end;
	ix->row_end = tail->row_end;
	ix->tick_end = tail->tick_end;
	ix->first = tail->first;
	ix->complete = true;
	ix->blob.base = (unsigned char *)(uintptr_t)(l->map + CACHE_HEADER);
	ix->blob.len = (size_t)l->h->blob_len;
	ix->blob.fd = -1;
	return ends_fit(ix) && load_end_max(ix);
}

static bool load_counts(struct store *s, const struct loaded *l)
{
	const struct trace_counts *c;
	const struct cache_names *names;
	const void *codes, *points;
	const int64_t *threads;
	size_t n, codes_len, points_len, thread_count;

	c = section(l, SECTION_COUNTS, sizeof(*c), &n);
	if (!c || n != 1)
		return false;
	s->counts = *c;
	memset(&s->counts.warnings, 0, sizeof(s->counts.warnings));
	names = section(l, SECTION_NAMES, sizeof(*names), &n);
	if (!names || n != 1 || !cache_names_in(&s->names, names))
		return false;
	threads = section(l, SECTION_THREADS, sizeof(*threads), &thread_count);
	if (!threads || thread_count > THREAD_MAX)
		return false;
	/* those that the start of the text has taught already come first there too */
	for (size_t i = 0; i < thread_count; i++)
		if (names_thread(&s->names, threads[i]) != (int)i + 1)
			return false;
	codes = section(l, SECTION_CODES, 1, &codes_len);
	points = section(l, SECTION_POINTS, 1, &points_len);
	return codes_reserve(&s->codes) && codes_load(&s->codes, codes, codes_len) &&
	       (points_len == 0 || source_load_points(s->source, points, points_len) == STATUS_OK);
}

static bool load(struct store *s, int fd)
{
	struct cache_header *h = malloc(sizeof(*h));
	struct stat st;
	struct loaded l = {NULL, h};
	bool ok = false;

	if (!h || fstat(fd, &st) != 0 || !read_all(fd, h, sizeof(*h), 0) ||
	    !header_fits(s, h, (uint64_t)st.st_size))
		goto out;
	s->map_len = (size_t)st.st_size;
	s->map = mmap(NULL, s->map_len, PROT_READ, MAP_PRIVATE, fd, 0);
	if (s->map == MAP_FAILED) {
		s->map = NULL;
		goto out;
	}
	l.map = s->map;
	pthread_rwlock_init(&s->index.lock, NULL);
	ok = crc_fits(&l) && load_index(s, &l) && load_counts(s, &l) && load_vectors(s, &l) &&
	     vectors_fit(s);
	s->index_bytes = (uint64_t)st.st_size;
	if (!ok) {
		s->index.blob.base = NULL; /* it is the map's */
		index_free(&s->index);
		memset(&s->index, 0, sizeof(s->index));
		vec_free(&s->counts.warnings);
		memset(&s->counts, 0, sizeof(s->counts));
		codes_free(&s->codes);
		munmap(s->map, s->map_len);
		s->map = NULL;
		s->index_bytes = 0;
	}
out:
	free(h);
	return ok;
}

/* ---- making a new one -------------------------------------------------------------------- */

bool cache_open(struct store *s, const struct trace_options *o)
{
	if (source_is_pipe(s->source))
		return false;
	s->start_config_crc = config_crc(s);
	if (cachefile_find(&s->cache, s->source, o) && load(s, s->cache.fd)) {
		cachefile_used(&s->cache);
		return true;
	}
	cachefile_begin(&s->cache);
	return false;
}

struct writing {
	int fd;
	uint64_t off;
	uint32_t crc;
	int error;
	struct cache_header *h;
};

static bool write_all(struct writing *w, const void *from, size_t len, uint64_t off)
{
	const unsigned char *p = from;

	while (len) {
		ssize_t n = pwrite(w->fd, p, len, (off_t)off);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			w->error = n < 0 ? errno : ENOSPC;
			return false;
		}
		p += n;
		off += (uint64_t)n;
		len -= (size_t)n;
	}
	return true;
}

static void put_section(struct writing *w, enum cached i, const void *p, size_t len)
{
	w->off = (w->off + 7) / 8 * 8;
	w->h->sections[i] = (struct section_entry){w->off, len};
	if (!w->error && len && write_all(w, p, len, w->off))
		w->crc = crc_of(w->crc, p, len);
	w->off += len;
}

static void put_sections(struct store *s, struct writing *w)
{
	struct trace_index *ix = &s->index;
	struct cache_tail tail = {.total = ix->total, .off_end = ix->off_end, .row_end = ix->row_end,
				  .tick_end = ix->tick_end, .first = ix->first, .early = ix->early};
	struct trace_counts counts = s->counts;
	struct cache_names names;
	struct sbuf codes = {0}, points = {0};

	memset(&counts.warnings, 0, sizeof(counts.warnings)); /* a section of their own */
	cache_names_out(&s->names, &names);
	codes_save(&s->codes, &codes);
	if (source_kind(s->source) != SOURCE_PLAIN)
		source_save_points(s->source, &points);
	if (codes.failed || points.failed)
		w->error = ENOMEM;
	put_section(w, SECTION_PAGES, ix->pages.data, ix->page_count * sizeof(*ix->pages.data));
#define PUT_VECTOR(name, v)                                                                        \
	put_section(w, SECTION_##name, (v).data, (v).count * sizeof(*(v).data));
	VECTORS(PUT_VECTOR)
#undef PUT_VECTOR
	put_section(w, SECTION_CODES, codes.text, codes.len);
	put_section(w, SECTION_NAMES, &names, sizeof(names));
	put_section(w, SECTION_COUNTS, &counts, sizeof(counts));
	put_section(w, SECTION_POINTS, points.text, points.len);
	put_section(w, SECTION_THREADS, s->names.threads,
		    s->names.thread_count * sizeof(*s->names.threads));
	put_section(w, SECTION_TAIL, &tail, sizeof(tail));
	sbuf_free(&codes);
	sbuf_free(&points);
}

static void fill_header(struct store *s, struct cache_header *h, uint32_t section_crc)
{
	bool whole;

	memcpy(h->magic, magic, sizeof(magic));
	h->version = CACHE_VERSION;
	h->layout = layout();
	snprintf(h->format, sizeof(h->format), "%s", s->reader->name);
	source_identity(s->source, &h->id);
	h->source_bytes = source_size(s->source, &whole);
	h->blob_len = s->index.blob.len;
	h->blob_crc = crc_of(0, s->index.blob.base, s->index.blob.len);
	h->section_crc = section_crc;
	h->seconds = store_clock() - s->started;
	h->crc = crc_of(0, h, offsetof(struct cache_header, crc));
}

void cache_save(struct store *s)
{
	struct cache_header *h = calloc(1, sizeof(*h));
	struct writing w = {.fd = s->cache.fd, .off = CACHE_HEADER + s->index.blob.len, .h = h};

	if (s->cache.fd < 0 || !h) {
		free(h);
		return;
	}
	/* the run's own configuration, without what the trace added to it */
	h->config_crc = s->start_config_crc;
	index_settle_late(&s->index);
	if (blob_sync(&s->index.blob)) {
		put_sections(s, &w);
		fill_header(s, h, w.crc);
		if (!w.error)
			write_all(&w, h, sizeof(*h), 0);
		s->index_bytes = w.off;
	} else {
		w.error = s->index.blob.error;
	}
	if (w.error)
		cachefile_discard(&s->cache, w.error);
	else
		cachefile_keep(&s->cache, false);
	free(h);
}
