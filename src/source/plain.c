#include "config.h"

#include "source/internal.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "source/sigbus.h"

/*
 * The windows of the first pass begin and end at multiples of a huge page, because where the
 * page cache holds large folios the kernel then maps one entry instead of 512.
 */
enum { HUGE_PAGE = 2 << 20 };

static int text_fd(const struct source *s)
{
	return s->unpacked ? unpacked_fd(s) : s->fd;
}

static uint64_t text_there(const struct source *s)
{
	return s->unpacked ? unpacked_there(s) : atomic_load(&s->file_size);
}

static bool text_wait(struct source *s, uint64_t beyond)
{
	return s->unpacked ? unpacked_wait(s, beyond, &s->interrupted) : spool_wait(s, beyond);
}

/* Map [off, off + len), out to multiples of `grain` on both sides. */
static enum status map_range(struct source *s, uint64_t off, size_t len, size_t grain,
			     struct window *w, struct error *e)
{
	size_t lead = (size_t)(off % grain);
	size_t mapped = (lead + len + grain - 1) / grain * grain;
	char *base = mmap(NULL, mapped, PROT_READ, MAP_PRIVATE, text_fd(s), (off_t)(off - lead));
	if (base == MAP_FAILED)
		return error_errno(e, errno == ENOMEM ? STATUS_NOMEM : STATUS_IO, errno,
				   "%s: cannot be mapped; try: cat FILE | pipeglass -", s->shown);
	if (!sigbus_watch(base, mapped, &s->faults)) {
		munmap(base, mapped);
		return error_set(e, STATUS_NOMEM, "%s: out of memory", s->shown);
	}
	*w = (struct window){base + lead, off, len, base, mapped, WINDOW_MAP};
	return STATUS_OK;
}

enum status plain_next(struct source *s, uint64_t from, size_t want, struct window *w,
		       struct error *e)
{
	if (from < s->last_off || from > s->last_end)
		s->last_end = from;
	if (!text_wait(s, s->last_end))
		return error_set(e, STATUS_INTERRUPTED, "%s: reading was stopped", s->shown);
	enum status status = follow_wait(s, s->last_end, e);
	if (status != STATUS_OK)
		return status;
	uint64_t size = text_there(s);
	uint64_t end = s->last_end + window_fresh(s->last_end - from, want);
	if (end > size)
		end = size;
	if (from >= end)
		return STATUS_OK;
	status = map_range(s, from, (size_t)(end - from), HUGE_PAGE, w, e);
	if (status != STATUS_OK)
		return status;
	madvise(w->base, w->base_len, MADV_SEQUENTIAL);
	s->last_off = from;
	s->last_end = end;
	atomic_store(&s->done, end);
	return STATUS_OK;
}

enum status plain_map(struct source *s, uint64_t off, size_t len, struct window *w, struct error *e)
{
	uint64_t size = source_size(s, NULL);
	if (off >= size || !len)
		return STATUS_OK;
	if (len > size - off)
		len = (size_t)(size - off);
	/* its size may be known from before: then the text is on its way */
	if (s->unpacked)
		unpacked_wait(s, off + len - 1, NULL);
	size = text_there(s);
	if (off >= size)
		return error_set(e, STATUS_IO, "%s: changed on disk: open it again", s->shown);
	if (len > size - off)
		len = (size_t)(size - off);
	return map_range(s, off, len, (size_t)sysconf(_SC_PAGESIZE), w, e);
}

void window_unmap(struct window *w)
{
	sigbus_forget(w->base);
	munmap(w->base, w->base_len);
}
