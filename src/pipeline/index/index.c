#include "config.h"

#include "pipeline/index/index.h"

#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "trace/bits.h"

bool index_init(struct trace_index *ix, int fd, uint64_t file_off)
{
	memset(ix, 0, sizeof(*ix));
	return pthread_rwlock_init(&ix->lock, NULL) == 0 && blob_init(&ix->blob, fd, file_off);
}

void index_free(struct trace_index *ix)
{
	pthread_rwlock_destroy(&ix->lock);
	blob_free(&ix->blob);
	vec_free(&ix->pages);
	for (size_t i = 0; i < sizeof(ix->end_max) / sizeof(ix->end_max[0]); i++)
		vec_free(&ix->end_max[i]);
	vec_free(&ix->late);
	vec_free(&ix->late_new);
	vec_free(&ix->unborn);
	vec_free(&ix->late_labels);
	sbuf_free(&ix->heads);
	sbuf_free(&ix->rows);
}

/* ---- sums as varints: only what is not zero, each behind its number ---------------------- */

/* field, how many */
#define SUM_FIELDS(_)                                                                              \
	_(area, SLOTS) _(fates, FATE_COUNT) _(event_rows, EVENT_MAX) _(dominant, STAGE_MAX)        \
	_(samples, METRIC_MAX)
#define SUM_SINGLES(_) _(committed) _(committed_macro) _(squashed) _(micro_ops)

static void put_field(struct sbuf *out, const uint64_t *v, unsigned n)
{
	unsigned count = 0;

	for (unsigned i = 0; i < n; i++)
		count += v[i] != 0;
	varint_put(out, count);
	for (unsigned i = 0; i < n; i++)
		if (v[i]) {
			varint_put(out, i);
			varint_put(out, v[i]);
		}
}

static void put_sums(struct sbuf *out, const struct sums *s)
{
#define PUT_FIELD(field, n) put_field(out, s->field, n);
	SUM_FIELDS(PUT_FIELD)
#undef PUT_FIELD
#define PUT_SINGLE(field) varint_put(out, s->field);
	SUM_SINGLES(PUT_SINGLE)
#undef PUT_SINGLE
	for (unsigned i = 0; i < METRIC_MAX; i++)
		if (s->samples[i])
			sbuf_add(out, &s->sample_sum[i], sizeof(s->sample_sum[i]));
}

static void add_field(struct byte_reader *r, uint64_t *v, unsigned n)
{
	uint64_t count = varint_get(r);

	for (; count && !r->over; count--) {
		uint64_t i = varint_get(r), value = varint_get(r);

		if (i < n)
			v[i] += value;
		else
			r->over = true;
	}
}

static void add_sums(struct byte_reader *r, struct sums *s)
{
	uint64_t samples[METRIC_MAX] = {0};

#define ADD_FIELD(field, n) add_field(r, #field[0] == 's' ? samples : s->field, n);
	SUM_FIELDS(ADD_FIELD)
#undef ADD_FIELD
#define ADD_SINGLE(field) s->field += varint_get(r);
	SUM_SINGLES(ADD_SINGLE)
#undef ADD_SINGLE
	for (unsigned i = 0; i < METRIC_MAX; i++) {
		double sum;

		if (!samples[i])
			continue;
		s->samples[i] += samples[i];
		if (r->end - r->p < (ptrdiff_t)sizeof(sum)) {
			r->over = true;
			return;
		}
		memcpy(&sum, r->p, sizeof(sum));
		r->p += sizeof(sum);
		s->sample_sum[i] += sum;
	}
}

static void sums_of_leaf(const struct segment *s, const struct leaf_sum *leaf, struct sums *out)
{
	memset(out, 0, sizeof(*out));
	memcpy(out->area, leaf->area, sizeof(out->area));
	memcpy(out->fates, leaf->fates, sizeof(out->fates));
	memcpy(out->event_rows, leaf->event_rows, sizeof(out->event_rows));
	memcpy(out->dominant, leaf->dominant, sizeof(out->dominant));
	out->committed = leaf->committed;
	out->committed_macro = leaf->committed_macro;
	out->squashed = leaf->squashed;
	out->micro_ops = leaf->micro_ops;
	for (size_t i = 0; i < leaf->samples; i++) {
		const struct sample_sum *sum = &s->samples.data[leaf->sample0 + i];

		out->samples[sum->metric] += sum->count;
		out->sample_sum[sum->metric] += sum->sum;
	}
}

static void sums_add(struct sums *to, const struct sums *s)
{
#define FIELD_ADD(field, n)                                                                        \
	for (unsigned i = 0; i < (n); i++)                                                         \
		to->field[i] += s->field[i];
	SUM_FIELDS(FIELD_ADD)
#undef FIELD_ADD
#define SINGLE_ADD(field) to->field += s->field;
	SUM_SINGLES(SINGLE_ADD)
#undef SINGLE_ADD
	for (unsigned i = 0; i < METRIC_MAX; i++)
		to->sample_sum[i] += s->sample_sum[i];
}

/* ---- appending --------------------------------------------------------------------------- */

static void begin_page(struct trace_index *ix, const struct segment *s, const struct leaf_sum *leaf)
{
	ix->open = (struct page_entry){
	    .off = leaf->off,
	    .line = s->base_line + leaf->line,
	    .row0 = s->base_row + leaf->row0,
	    .first_id = leaf->first_id,
	    .tick = leaf->tick,
	    .end_max = leaf->tick,
	    .id_min = UINT64_MAX,
	};
	ix->previous = (struct leaf_head){
	    .off = leaf->off,
	    .line = ix->open.line,
	    .row0 = ix->open.row0,
	    .first_id = leaf->first_id,
	    .tick = leaf->tick,
	};
	ix->open_before = ix->running;
	sbuf_clear(&ix->heads);
	sbuf_clear(&ix->rows);
}

void index_append(struct trace_index *ix, const struct segment *s, size_t i)
{
	const struct leaf_sum *leaf = &s->leaves.data[i];
	struct sbuf *h = &ix->heads;
	struct leaf_head *prev = &ix->previous;
	uint64_t line = s->base_line + leaf->line, row0 = s->base_row + leaf->row0;
	struct sums sums;
	size_t mark;

	if (ix->open.leaves == 0)
		begin_page(ix, s, leaf);
	varint_put(h, leaf->off - prev->off);
	varint_put(h, line - prev->line);
	varint_put(h, (uint64_t)leaf->tick - (uint64_t)prev->tick);
	varint_put(h, zigzag((int64_t)(leaf->first_id - prev->first_id - prev->rows)));
	varint_put(h, leaf->rows << 1 | leaf->split);
	varint_put(h, row0 - (leaf->head < row0 ? leaf->head : row0));
	varint_put(h, leaf->end_max == TICK_NONE
			  ? 0
			  : (uint64_t)leaf->end_max - (uint64_t)leaf->tick + 1);
	varint_put(h, (uint64_t)leaf->gap);
	varint_put(h, leaf->link_min == LINK_NONE
			  ? 0
			  : zigzag((int64_t)(leaf->first_id - leaf->link_min)) + 1);
	varint_put(h, leaf->id_span);
	varint_put(h, leaf->len);
	sums_of_leaf(s, leaf, &sums);
	mark = ix->rows.len; /* borrowed to learn the length of the sums */
	put_sums(&ix->rows, &sums);
	varint_put(h, ix->rows.len - mark);
	sbuf_add(h, ix->rows.text + mark, ix->rows.len - mark);
	ix->rows.len = mark;
	sbuf_add(&ix->rows, sbuf_text(&s->packed) + leaf->at, leaf->len);
	*prev = (struct leaf_head){.off = leaf->off, .line = line, .tick = leaf->tick,
				   .first_id = leaf->first_id, .row0 = row0, .rows = leaf->rows};
	sums_add(&ix->running, &sums);
	if (leaf->end_max > ix->open.end_max)
		ix->open.end_max = leaf->end_max;
	if (leaf->gap > ix->open.gap)
		ix->open.gap = leaf->gap;
	if (leaf->rows && leaf->first_id < ix->open.id_min)
		ix->open.id_min = leaf->first_id;
	if (leaf->rows && leaf->first_id + leaf->id_span > ix->open.id_max)
		ix->open.id_max = leaf->first_id + leaf->id_span;
	ix->open.leaves++;
	ix->next_off = i + 1 < s->leaves.count ? leaf[1].off : s->off + s->len;
	ix->next_row = row0 + leaf->rows;
	/* of a cycle that goes on: it is the newest, until the next leaf begins in it */
	ix->next_tick = leaf->end_tick + (s->quiet && i + 1 == s->leaves.count);
	if (ix->open.leaves == PAGE_LEAVES)
		index_flush(ix);
}

/* Level l holds the maximum over 16^(l+1) pages in each full group. */
static bool push_end_max(struct trace_index *ix, int64_t end_max)
{
	size_t n = ix->page_count, group = 16;

	for (size_t l = 0; l < sizeof(ix->end_max) / sizeof(ix->end_max[0]); l++, group *= 16) {
		size_t k = (n - 1) / group;

		if (k == ix->end_max[l].count) {
			if (!vec_push(&ix->end_max[l], end_max))
				return false;
		} else if (end_max > ix->end_max[l].data[k]) {
			ix->end_max[l].data[k] = end_max;
		}
	}
	return true;
}

void index_flush(struct trace_index *ix)
{
	struct sbuf before = {0};
	unsigned char *p;
	size_t len;

	if (ix->open.leaves == 0)
		return;
	put_sums(&before, &ix->open_before);
	len = before.len + ix->heads.len + ix->rows.len;
	pthread_rwlock_wrlock(&ix->lock);
	p = before.failed || ix->heads.failed || ix->rows.failed || len > UINT32_MAX
		? NULL
		: blob_reserve(&ix->blob, len);
	if (p && vec_reserve(&ix->pages, 1)) {
		memcpy(p, before.text, before.len);
		memcpy(p + before.len, ix->heads.text, ix->heads.len);
		if (ix->rows.len)
			memcpy(p + before.len + ix->heads.len, ix->rows.text, ix->rows.len);
		ix->open.pos = ix->blob.len;
		ix->open.len = (uint32_t)len;
		blob_commit(&ix->blob, len);
		ix->pages.data[ix->pages.count++] = ix->open;
		ix->page_count++;
		ix->total = ix->running;
		ix->off_end = ix->next_off;
		ix->row_end = ix->next_row;
		ix->tick_end = ix->next_tick;
		ix->failed |= !push_end_max(ix, ix->open.end_max);
	} else {
		ix->failed = true;
	}
	pthread_rwlock_unlock(&ix->lock);
	ix->open.leaves = 0;
	sbuf_free(&before);
}

/* ---- reading ----------------------------------------------------------------------------- */

const struct page_entry *index_page(const struct trace_index *ix, size_t page)
{
	return (ix->mapped_pages ? ix->mapped_pages : ix->pages.data) + page;
}

/* Last page p with key(p) <= want; 0 when none. */
#define PAGE_SEARCH(name, type, field)                                                             \
	size_t name(const struct trace_index *ix, type want)                                       \
	{                                                                                          \
		size_t lo = 0, hi = ix->page_count;                                                \
                                                                                                   \
		bisect(lo, hi, i, index_page(ix, i)->field <= want);                               \
		return lo ? lo - 1 : 0;                                                            \
	}

PAGE_SEARCH(index_page_of_tick, int64_t, tick)
static PAGE_SEARCH(page_of_row, uint64_t, row0)

size_t index_page_of_row(const struct trace_index *ix, uint64_t born)
{
	return born < ix->row_end ? page_of_row(ix, born) : ix->page_count;
}

static bool get_head(struct byte_reader *r, struct leaf_head *prev, struct leaf_head *h)
{
	uint64_t life, link, off = prev->off, line = prev->line;

	h->off = off + varint_get(r);
	h->line = line + varint_get(r);
	h->tick = (int64_t)((uint64_t)prev->tick + varint_get(r));
	h->first_id = prev->first_id + prev->rows + (uint64_t)unzigzag(varint_get(r));
	h->rows = varint_get(r);
	h->split = h->rows & 1;
	h->rows >>= 1;
	h->row0 = prev->row0 + prev->rows;
	h->head = h->row0 - varint_get(r);
	life = varint_get(r);
	h->end_max = life ? (int64_t)((uint64_t)h->tick + life - 1) : TICK_NONE;
	h->gap = (int64_t)varint_get(r);
	link = varint_get(r);
	h->link_min = link ? h->first_id - (uint64_t)unzigzag(link - 1) : LINK_NONE;
	h->id_span = varint_get(r);
	h->packed_len = varint_get(r);
	h->sums_len = varint_get(r);
	h->sums = r->p;
	if (r->over || h->sums_len > (size_t)(r->end - r->p) || h->head > h->row0 ||
	    h->tick < prev->tick || h->end_max < h->tick)
		return false;
	r->p += h->sums_len;
	*prev = *h;
	return true;
}

static void page_bytes(const struct trace_index *ix, const struct page_entry *e,
		       struct byte_reader *r)
{
	size_t pos = e->pos < ix->blob.len ? e->pos : ix->blob.len;
	size_t len = e->len < ix->blob.len - pos ? e->len : ix->blob.len - pos;

	*r = (struct byte_reader){ix->blob.base + pos, ix->blob.base + pos + len, false};
}

bool index_sums(const struct trace_index *ix, size_t page, struct sums *out)
{
	struct byte_reader r;

	if (page >= ix->page_count) {
		*out = ix->total;
		return true;
	}
	memset(out, 0, sizeof(*out));
	page_bytes(ix, index_page(ix, page), &r);
	add_sums(&r, out);
	return !r.over;
}

bool index_view(const struct trace_index *ix, size_t page, struct page_view *v)
{
	const struct page_entry *next;
	struct leaf_head prev;
	struct byte_reader r;

	v->entry = *index_page(ix, page);
	memset(&v->before, 0, sizeof(v->before));
	page_bytes(ix, &v->entry, &r);
	add_sums(&r, &v->before);
	if (r.over || v->entry.leaves > PAGE_LEAVES || v->entry.leaves == 0)
		return false;
	prev = (struct leaf_head){.off = v->entry.off, .line = v->entry.line, .tick = v->entry.tick,
				  .row0 = v->entry.row0, .first_id = v->entry.first_id};
	for (unsigned i = 0; i < v->entry.leaves; i++)
		if (!get_head(&r, &prev, &v->leaves[i]))
			return false;
	for (unsigned i = 0; i < v->entry.leaves; i++) {
		struct leaf_head *h = &v->leaves[i];

		/* a row takes at least four bits: more of them than fit cannot be there */
		if (h->packed_len > (size_t)(r.end - r.p) || h->rows > h->packed_len * 4)
			return false;
		h->packed = r.p;
		r.p += h->packed_len;
	}
	next = page + 1 < ix->page_count ? index_page(ix, page + 1) : NULL;
	v->off_end = next ? next->off : ix->off_end;
	v->row_end = next ? next->row0 : ix->row_end;
	v->tick_end = next ? next->tick : ix->tick_end;
	return true;
}

void leaf_add_sums(const struct trace_index *ix, const struct leaf_head *leaf, struct sums *io)
{
	struct byte_reader r = {leaf->sums, leaf->sums + leaf->sums_len, false};

	(void)ix;
	add_sums(&r, io);
}

bool index_leaf_rows(const struct trace_index *ix, const struct leaf_head *leaf, struct row *out)
{
	bool ok = leaf_decode(leaf->packed, leaf->packed_len, leaf->rows, leaf->tick,
			      leaf->row0 + ix->early, out);

	index_apply_late(ix, out, leaf->row0, leaf->rows);
	return ok;
}

int64_t index_end_max(const struct trace_index *ix, size_t from, size_t to)
{
	int64_t max = INT64_MIN;

	while (from < to) {
		size_t group = 1;
		int level = -1;

		while (level + 1 < 12 && from % (group * 16) == 0 && from + group * 16 <= to) {
			group *= 16;
			level++;
		}
		if (level < 0) {
			int64_t e = index_page(ix, from)->end_max;

			max = e > max ? e : max;
		} else {
			int64_t e = ix->end_max[level].data[from / group];

			max = e > max ? e : max;
		}
		from += group;
	}
	return max;
}

size_t index_page_alive(const struct trace_index *ix, size_t page, int64_t tick)
{
	while (page < ix->page_count) {
		size_t group = 1;

		for (int level = 0; level < 12 && page % (group * 16) == 0; level++) {
			size_t at = page / (group * 16);

			if (at >= ix->end_max[level].count || ix->end_max[level].data[at] > tick)
				break;
			group *= 16;
		}
		if (group == 1 && index_page(ix, page)->end_max > tick)
			return page;
		page += group;
	}
	return ix->page_count;
}

int index_leaf_of_row(const struct page_view *v, uint64_t born)
{
	unsigned i = 0;

	while (i + 1 < v->entry.leaves && v->leaves[i + 1].row0 <= born)
		i++;
	return (int)i;
}

bool index_at_tick(const struct trace_index *ix, int64_t tick, size_t *page, struct page_view *v,
		   int *leaf)
{
	*page = index_page_of_tick(ix, tick);
	if (*page >= ix->page_count || !index_view(ix, *page, v))
		return false;
	*leaf = index_leaf_of_tick(v, tick);
	while (v->leaves[*leaf].split) {
		if (--*leaf >= 0)
			continue;
		if (*page == 0 || !index_view(ix, --*page, v))
			return false;
		*leaf = (int)v->entry.leaves - 1;
	}
	return true;
}

int index_leaf_of_tick(const struct page_view *v, int64_t tick)
{
	unsigned i = 0;

	while (i + 1 < v->entry.leaves && v->leaves[i + 1].tick <= tick)
		i++;
	return (int)i;
}
