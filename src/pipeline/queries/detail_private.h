/*
 * What the files that read text again share: the passes over records (detail.c), whole rows each
 * from its own place (detail_rows.c), and putting together what belongs to a row
 * (detail_gather.c).
 */
#ifndef PIPEGLASS_PIPELINE_QUERIES_DETAIL_PRIVATE_H
#define PIPEGLASS_PIPELINE_QUERIES_DETAIL_PRIVATE_H

#include "pipeline/formats/scan.h"
#include "pipeline/store_private.h"

enum { NOWHERE = UINT32_MAX };

/* A stay as found in the text, before stays are gathered by row. */
struct found_stay {
	struct stay stay;
	uint32_t row;    /* in detail.rows */
	uint32_t before; /* the row's stay found before it; NOWHERE */
	bool open;
};

/* A piece of text as found: of a row, or of one of its stays. */
struct found_text {
	uint32_t row, stay; /* stay: in found; NOWHERE */
	uint32_t at, len;   /* in rereading.words */
	uint8_t kind;       /* enum label_kind */
	char between; /* this piece and those before it; 0: nothing is */
	uint32_t next; /* in rereading.texts: what follows it in the same text; set on gathering */
};

struct found_link {
	struct link link;
	uint32_t row;
};

struct rereading {
	struct store *s;
	struct detail *d;
	struct live_table ids; /* id -> index in detail.rows */
	VEC(struct found_stay) found;
	VEC(struct found_text) texts;
	VEC(struct found_link) links;
	struct sbuf words;
	uint32_t *newest;     /* of each row: its last stay in found; NOWHERE */
	uint64_t first, next; /* rows wanted: [first, first + count); the next one born here */
	size_t open;          /* rows that have not ended yet */
	int64_t tick, stop;   /* nothing of interest after stop */
	bool ends_late; /* some stages of the trace went on beside the next one */
	uint64_t off, line;   /* of the text given */
	const char *text;
	bool fresh; /* nothing of the extent has been read yet */
	bool split; /* as in the extent */
	bool failed;
};

static inline bool detail_pc(const char *p, size_t len, uint64_t *pc)
{
	bool overflow = false;

	return len && scan_hex_field(p, p + len, pc, &overflow) != NULL;
}

/* A stay in commit has no length, whenever the removal comes. */
void detail_close_stay(const struct rereading *r, struct found_stay *f, int64_t tick);
/* What was found, by row, into r->d; false: no memory. */
bool detail_gather(struct rereading *r);
/* A line that tells of its number, near enough and, as far as both are known, of its CPU. */
bool detail_is_told(const struct store *s, const struct detail_row *d, const struct row_told *told);
/*
 * The same of a line that tells of registers: one that names a CPU is not about a row whose CPU is
 * not known, which may be another's of the same number.
 */
bool detail_is_renamed(const struct store *s, const struct detail_row *d,
		       const struct row_told *told);
/*
 * Two rows' threads are of one CPU. One that is not known is, unless there are several. O(threads).
 */
bool detail_of_one_cpu(const struct store *s, uint16_t a, uint16_t b);
/* Formats of whole rows: all of r->d's rows, each from its own place. */
enum status detail_whole_rows(struct rereading *r, struct error *e);

#endif
