/*
 * Records as gem5 prints them: seven lines in their order, nothing between.
 */
#include "config.h"

#include "reader/o3pipeview.h"

/* Operation classes that some tracers print behind the text (gem5's names). */
static const char *const classes[] = {"No_OpClass", "Int",    "Float",        "Simd",  "Mem",
				      "IprAccess",  "Vector", "InstPrefetch", "Matrix"};

bool o3_trim_text(const char *line, struct text_row *row)
{
	const char *p = line + row->text, *end = p + row->text_len, *colon;

	while (end > p && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	row->text = (uint32_t)(p - line);
	row->text_len = (uint32_t)(end - p);
	colon = end > p && end[-1] != ' ' ? memrchr(p, ':', (size_t)(end - p)) : NULL;
	if (!colon)
		return false;
	for (const char *q = colon + 1; q < end; q++)
		if (!scan_is_name(*q))
			return false;
	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
		size_t len = strlen(classes[i]);

		if ((size_t)(end - colon - 1) > len && memcmp(colon + 1, classes[i], len) == 0) {
			row->text_len = (uint32_t)(colon - p);
			return true;
		}
	}
	return false;
}

#define LINE(word) O3_TAG word ":"

/* `O3PipeView:WORD:TICK` -> behind the tick; NULL: it is not. */
#define TICK_LINE(p, word, out)                                                                    \
	(memcmp(p, LINE(word), sizeof(LINE(word)) - 1) == 0                                        \
	     ? scan_dec((p) + sizeof(LINE(word)) - 1, out)                                         \
	     : NULL)

static const char *fetch_line(const char *text, const char *p, const char *end, struct row_open *o)
{
	struct text_row *r = &o->row;
	uint64_t tick, part;
	const char *q, *nl;

	(void)text;
	q = TICK_LINE(p, "fetch", &tick);
	if (!q || q[0] != ':' || q[1] != '0' || q[2] != 'x')
		return NULL;
	q += 3;
	r->start = (int64_t)tick;
	r->pc = (uint32_t)(q - p);
	while (scan_hex_value(*q) < 16)
		q++;
	r->pc_len = (uint32_t)(q - p) - r->pc;
	if (*q != ':' || r->pc_len == 0 || r->pc_len > 16)
		return NULL;
	q = scan_dec(q + 1, &part);
	if (!q || *q != ':' || part > UINT32_MAX)
		return NULL;
	r->part = (uint32_t)part;
	q = scan_dec(q + 1, &r->id);
	if (!q || *q != ':' || (r->id == 0 && part > 0))
		return NULL;
	nl = scan_newline(++q, end);
	if (!nl || nl - p > LEX_LONG_LINE || nl[-1] == '\r')
		return NULL;
	r->text = (uint32_t)(q - p);
	r->text_len = (uint32_t)(nl - q);
	return o3_trim_text(p, r) ? NULL : nl + 1;
}

const char *o3_fast_record(const struct row_lexer *lx, const char *text, const char *p,
			   const char *end, struct row_open *o)
{
	const char *start = p;
	uint64_t tick[O3_STAGE_COUNT];

	if (end - p < 1024 || !(p = fetch_line(text, p, end - 512, o)) || end - p < 512)
		return NULL;
#define STAGE_LINE(number, word)                                                                   \
	p = TICK_LINE(p, word, &tick[number]);                                                     \
	if (!p || *p++ != '\n')                                                                    \
	return NULL
	STAGE_LINE(O3_DECODE, "decode");
	STAGE_LINE(O3_RENAME, "rename");
	STAGE_LINE(O3_DISPATCH, "dispatch");
	STAGE_LINE(O3_ISSUE, "issue");
	STAGE_LINE(O3_COMPLETE, "complete");
#undef STAGE_LINE
	p = TICK_LINE(p, "retire", &tick[O3_RETIRE]);
	if (!p || memcmp(p, ":store:", 7) != 0 || !(p = scan_dec(p + 7, &tick[O3_STORE])) ||
	    *p++ != '\n')
		return NULL;
	for (int i = O3_DECODE; i < O3_STAGE_COUNT; i++)
		o->tick[i] = (int64_t)tick[i];
	o->tick[O3_LOAD] = 0;
	o->row.off = lx->off + (uint64_t)(start - text);
	o->row.len = (uint32_t)(p - start);
	o->row.words = NULL;
	o->row.has_thread = o->row.extra = false;
	o->row.cpu = CPU_NONE;
	o->ended = true;
	o->tagged = false;
	return p;
}
