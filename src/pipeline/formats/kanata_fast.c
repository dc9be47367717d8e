/*
 * The shapes that emitters of Kanata print, some ten nanoseconds a line. Whatever is not quite one
 * of them goes, line by line, to the careful lexer, which decides.
 */
#include "config.h"

#include "pipeline/formats/kanata.h"

/* Bytes of w below ' ', a high bit each; those above the lowest may be wrong. */
static inline uint64_t controls(uint64_t w)
{
	return (w - 0x2020202020202020u) & ~w & 0x8080808080808080u;
}

/* Behind a line's last field: the next line, or NULL. Tabs and blanks in front are no field. */
static inline const char *fast_end_of_line(const char *p)
{
	if (__builtin_expect(*p == '\n', 1))
		return p + 1;
	for (int i = 0; i < 8 && (*p == '\t' || *p == ' '); i++)
		p++;
	return *p == '\n' ? p + 1 : NULL;
}

/* A field of decimal digits that ends with a tab -> what stands behind that, or NULL. */
static inline const char *fast_number(const char *p, uint64_t *out)
{
	p = scan_dec(p, out);
	return p && *p == '\t' ? p + 1 : NULL;
}

/* Behind a name of eight bytes or more; NULL: of more than a stage's has. */
static const char *long_name_end(const char *p)
{
	const char *stop = p + 64;

	for (p += 8; p < stop; p += 8) {
		uint64_t c = controls(scan_load8(p));

		if (c)
			return p + (__builtin_ctzll(c) >> 3);
	}
	return NULL;
}

/* `lane<TAB>stage` of S and E. */
static inline const char *fast_stay(const struct lexer *lx, const char *p, struct record *r)
{
	const struct names_view *v = &lx->view;
	unsigned lane = (unsigned)(unsigned char)p[0] - '0';
	const char *name = p + 2, *end;
	uint64_t key, c;
	int stage;

	if (lane >= v->lanes || v->lane_key[lane] != (unsigned char)p[0] || p[1] != '\t')
		return NULL;
	key = scan_load8(name);
	c = controls(key);
	if (__builtin_expect(c != 0, 1)) {
		key &= ((c & -c) - 1) >> 7; /* all below the byte */
		end = name + (__builtin_ctzll(c) >> 3);
	} else {
		end = long_name_end(name);
		if (!end)
			return NULL;
	}
	stage = names_view_stage(lx->names, v, key, name, (size_t)(end - name));
	if (stage < 0)
		return NULL;
	r->stage = (uint8_t)stage;
	r->enter.latency = -1;
	r->enter.colour = 0;
	r->enter.lane = (uint8_t)lane;
	return fast_end_of_line(end);
}

/* `type<TAB>text` of L. */
static inline const char *fast_label(const char *line, const char *p, const char *end,
				     struct record *r)
{
	unsigned kind = (unsigned)(unsigned char)p[0] - '0';
	const char *nl;

	if (kind > LABEL_STAGE || p[1] != '\t')
		return NULL;
	nl = scan_newline(p + 2, end);
	if (!nl || nl[-1] == '\r' || nl - line > LEX_LONG_LINE)
		return NULL;
	r->kind = REC_LABEL;
	r->stage = (uint8_t)kind;
	kanata_label(r, (enum label_kind)kind, line, p + 2, nl, true);
	return nl + 1;
}

/* `gid<TAB>thread` of I. */
static inline const char *fast_birth(struct lexer *lx, const char *p, struct record *r)
{
	uint64_t gid, thread;
	const char *next;
	int number;

	p = fast_number(p, &gid);
	p = p ? scan_dec(p, &thread) : NULL;
	next = p ? fast_end_of_line(p) : NULL;
	if (!next)
		return NULL;
	number = (int)names_recent_thread(&lx->view, (int64_t)thread);
	if (__builtin_expect(number == 0, 0))
		number = names_view_thread(lx->names, &lx->view, (int64_t)thread, lx->may_name);
	if (number <= 0)
		return NULL;
	r->kind = REC_BIRTH;
	r->events = (uint16_t)number;
	r->birth.pc = r->birth.pc_len = 0;
	r->birth.text = r->birth.text_len = 0;
	return next;
}

/* `retire id<TAB>type` of R. */
static inline const char *fast_death(const char *p, struct record *r)
{
	uint64_t retire_id;

	p = fast_number(p, &retire_id);
	if (!p || *p < '0' || *p > '9')
		return NULL;
	r->kind = REC_END;
	r->stage = *p == '0' ? END_RETIRED : END_FLUSHED;
	return fast_end_of_line(p + 1);
}

/* `producer<TAB>type` of W. */
static inline const char *fast_link(const char *p, struct record *r)
{
	uint64_t producer;

	p = fast_number(p, &producer);
	if (!p || *p < '0' || *p > '9')
		return NULL;
	r->kind = REC_LINK;
	r->stage = (uint8_t)(*p - '0');
	r->link.low = (uint32_t)producer;
	r->link.high = (uint32_t)(producer >> 32);
	return fast_end_of_line(p + 1);
}

/* `C<TAB>N` */
static inline const char *fast_cycle(struct lexer *lx, const char *line, struct record *r)
{
	uint64_t step;
	const char *next = scan_dec(line + 2, &step);

	next = next ? fast_end_of_line(next) : NULL;
	if (!next || lx->tick_given || lx->tick >= KANATA_TICK_END - 1 - (int64_t)step)
		return NULL;
	lx->tick += (int64_t)step;
	r->id = (uint64_t)lx->tick;
	r->kind = REC_TICK;
	return next;
}

static inline const char *fast_line(struct lexer *lx, const char *line, const char *end,
				    struct record *r)
{
	const char *p;

	if (line[1] != '\t')
		return NULL;
	r->stage = 0;
	r->events = 0;
	if (line[0] == 'C')
		return fast_cycle(lx, line, r);
	p = fast_number(line + 2, &r->id);
	if (!p)
		return NULL;
	switch (line[0]) {
	case 'S':
	case 'E':
		r->kind = line[0] == 'S' ? REC_ENTER : REC_LEAVE;
		return fast_stay(lx, p, r);
	case 'L':
		return fast_label(line, p, end, r);
	case 'I':
		return fast_birth(lx, p, r);
	case 'R':
		return fast_death(p, r);
	case 'W':
		return fast_link(p, r);
	}
	return NULL;
}

size_t kanata_lex(struct lexer *lx, const char *text, size_t len, bool final, struct record *out,
		  size_t max)
{
	const char *end = text + len;
	const char *safe = len > SCAN_SLACK ? end - SCAN_SLACK : text;
	size_t n = 0;

	while (lx->pos < len && n + KANATA_RECORDS <= max) {
		const char *p = text + lx->pos, *next;
		uint32_t line = (uint32_t)lx->line;
		struct record *first = out + n, *r = first, *stop = out + max - KANATA_RECORDS;

		while (p < safe && r <= stop && (next = fast_line(lx, p, end, r))) {
			r->at = (uint32_t)(p - text);
			r->line = line++;
			p = next;
			r++;
		}
		if (r > first) {
			lx->label_open = r[-1].kind == REC_LABEL;
			lx->label_id = r[-1].id;
			lx->label_kind = r[-1].stage;
		}
		lx->line += line - (uint32_t)lx->line;
		lx->pos = (size_t)(p - text);
		n = (size_t)(r - out);
		if (n + KANATA_RECORDS > max || lx->pos >= len)
			break;
		if (!kanata_line(lx, text, len, final, out, &n))
			break;
	}
	return n;
}
