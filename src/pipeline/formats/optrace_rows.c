/*
 * Optraces as rows: the flow of the instructions through a pipeline (optrace_schedule.h).
 *
 * Ticks follow from everything before, so one lexer reads all text in order. A row's number is its
 * place in that order, from 1. The index knows an instruction by its address and its operands,
 * memory addresses left out of them: they and the flags differ from one execution to the next.
 */
#include "config.h"

#include <stdlib.h>

#include "pipeline/formats/optrace_schedule.h"
#include "pipeline/formats/rows.h"
#include "pipeline/formats/scan.h"

/* number, name, letter, role, help */
#define OPTRACE_STAGES(_)                                                                          \
	_(SETUP, "setup", 'S', ROLE_FETCH, "in the setup section: fetch, decode, addresses")       \
	_(WAIT, "wait", 'w', ROLE_OTHER, "held in setup by a dependency or an earlier one")        \
	_(EXECUTE, "execute", 'E', ROLE_EXECUTE, "in the execution section")

enum optrace_stage {
#define OPTRACE_ENUM(id, name, letter, role, help) OPTRACE_##id,
	OPTRACE_STAGES(OPTRACE_ENUM)
#undef OPTRACE_ENUM
	    OPTRACE_STAGE_COUNT
};

static const struct trace_config optrace_names = {
    .stages =
	{
#define OPTRACE_STAGE(id, name, letter, role, help) {name, letter, role, OPTRACE_##id, help},
	    OPTRACE_STAGES(OPTRACE_STAGE)
#undef OPTRACE_STAGE
	},
    .stage_count = OPTRACE_STAGE_COUNT,
};

static void optrace_config(struct trace_config *out)
{
	*out = optrace_names;
}

/* ---- the lexer's state --------------------------------------------------------------------- */

struct optrace_rows {
	struct optrace lexer;
	struct optrace_schedule schedule;
	uint64_t rows;     /* so far */
	struct sbuf codes; /* addresses and operands of the rows given out */
};

static void rows_free(void *state)
{
	struct optrace_rows *o = state;

	optrace_free(&o->lexer);
	schedule_free(&o->schedule);
	sbuf_free(&o->codes);
	free(o);
}

/* NULL: no memory. */
static struct optrace_rows *state_of(struct row_lexer *lx)
{
	struct optrace_rows *o = lx->state;

	if (o)
		return o;
	segments_default(&lx->segments);
	o = calloc(1, sizeof(*o));
	if (!o)
		return NULL;
	if (!optrace_init(&o->lexer) || !schedule_init(&o->schedule, lx->segments)) {
		rows_free(o);
		return NULL;
	}
	lx->state = o;
	lx->state_free = rows_free;
	return o;
}

/* ---- rows ---------------------------------------------------------------------------------- */

/* Setup takes its segments, execution its own; what is between was waited. */
static void put_stays(struct row_lexer *lx, struct text_row *row, const struct segments *at,
		      int64_t end)
{
	uint64_t life = (uint64_t)end - (uint64_t)row->start;
	uint64_t wait = life - (uint64_t)at->setup - (uint64_t)at->execute;

	row->stays = 0;
	if (life >= (uint64_t)at->setup + (uint64_t)at->execute) {
		row_enter(lx, row, OPTRACE_SETUP, row->start, false);
		if (wait)
			row_enter(lx, row, OPTRACE_WAIT, row->start + at->setup, false);
		row_enter(lx, row, OPTRACE_EXECUTE, end - at->execute, false);
	} else { /* the index is another pipeline's */
		row_enter(lx, row, OPTRACE_EXECUTE, row->start, false);
	}
	row_close(row);
	row->end = row->stay[row->stays - 1].end = end;
}

/* Of `m:ADDRESS` only the `m:`. */
static void add_operands(struct sbuf *out, const char *p, const char *end)
{
	const char *m = p;

	while ((m = memchr(m, 'm', (size_t)(end - m)))) {
		if (++m == end || *m != ':' || (m[-2] != ',' && m[-2] != ' ' && m[-2] != '\t'))
			continue;
		m++;
		sbuf_add(out, p, (size_t)(m - p));
		while (m < end && *m != ',' && *m != ' ' && *m != '\t')
			m++;
		p = m;
	}
	sbuf_add(out, p, (size_t)(end - p));
}

/* Its texts count from codes, which may move as long as rows are added. */
static void put_code(struct optrace_rows *o, const char *line, const struct optrace_op *op,
		     struct text_row *row)
{
	row->pc = (uint32_t)o->codes.len;
	sbuf_add(&o->codes, line + op->place.pc, op->place.pc_len);
	row->text = (uint32_t)o->codes.len;
	add_operands(&o->codes, line + op->place.operands, line + op->place.operands_end);
	row->text_len = (uint32_t)o->codes.len - row->text;
}

/* From the text alone; ticks are not known of it. */
static void put_text(struct row_lexer *lx, const struct optrace_op *op, struct text_row *row)
{
	*row = (struct text_row){
	    .off = lx->off + op->at,
	    .len = op->place.end,
	    .pc = op->place.pc,
	    .pc_len = op->place.pc_len,
	    .text = op->place.flags,
	    .text_len = op->place.end - op->place.flags,
	    .cpu = CPU_NONE,
	    .fate = END_RETIRED,
	};
	if (row->text_len > LEX_LONG_LINE)
		row->text_len = LEX_LONG_LINE;
}

static bool put_row(struct row_lexer *lx, const char *text, const struct optrace_op *op,
		    struct text_row *row)
{
	struct optrace_rows *o = lx->state;
	int64_t end;

	put_text(lx, op, row);
	lx->records++;
	row->id = ++o->rows;
	if (!schedule_add(&o->schedule, op, &row->start, &end))
		return false;
	put_stays(lx, row, &o->schedule.at, end);
	if (!lx->reread)
		put_code(o, text + op->at, op, row);
	return !o->codes.failed;
}

/* A line that is no instruction leads to the next one. */
static void warn(struct row_lexer *lx, const struct optrace_op *op, uint64_t line)
{
	const struct optrace_rows *o = lx->state;
	int64_t tick = o->schedule.start + (op->problem >= OPTRACE_PC);

	if (op->problem != OPTRACE_NONE)
		row_lexer_bad(lx, (enum bad)(BAD_OPTRACE + op->problem), line, lx->off + op->at,
			      tick);
	else if (op->place.end - op->place.flags >= LEX_LONG_LINE)
		row_lexer_bad(lx, BAD_LONG, line, lx->off + op->at, tick);
}

/* The next row; false: the text is used up, or memory is. */
static bool next_row(struct row_lexer *lx, const char *text, size_t len, bool final,
		     struct text_row *out)
{
	struct optrace_rows *o = lx->state;
	enum optrace_found found;
	struct optrace_op op;

	do {
		/* only the first line of all may be the header */
		uint64_t line = lx->off + lx->pos > 0;

		o->lexer.pos = lx->pos;
		o->lexer.line = line;
		found = optrace_next(&o->lexer, text, len, final, &op);
		lx->pos = o->lexer.pos;
		lx->line += o->lexer.line - line;
		if (found == OPTRACE_NOMEM || (found == OPTRACE_OP && !put_row(lx, text, &op, out)))
			lx->damaged = true;
		if (found == OPTRACE_OP || found == OPTRACE_BAD)
			warn(lx, &op, lx->line - 1);
	} while (found == OPTRACE_BAD && !lx->damaged);
	return found == OPTRACE_OP && !lx->damaged;
}

/* Text is cut between lines, or within one that is too long for any instruction (ends). */
static size_t optrace_lex_rows(struct row_lexer *lx, const char *text, size_t len, bool ends,
			       bool final, struct text_row *out, size_t max)
{
	struct optrace_rows *o;
	size_t n = 0;

	if (!lx->carry) {
		lx->interleaved = true;
		return 0;
	}
	o = state_of(lx);
	lx->damaged |= !o;
	if (lx->damaged)
		return 0;
	sbuf_clear(&o->codes);
	while (n < max && next_row(lx, text, len, ends || final, &out[n]))
		n++;
	for (size_t i = 0; i < n && !lx->reread; i++)
		out[i].words = sbuf_text(&o->codes);
	return n;
}

static void optrace_recall(struct row_lexer *lx, uint64_t row, int64_t start, int64_t end,
			   struct text_row *out)
{
	out->id = row + 1;
	out->start = start;
	put_stays(lx, out, &lx->segments, end);
}

/* ---- cutting ------------------------------------------------------------------------------- */

/* Instructions begin with a digit of their address. */
static bool is_record(const char *line, const char *end)
{
	while (line < end && (*line == ' ' || *line == '\t'))
		line++;
	return line < end && scan_hex_digit(*line) < 16;
}

static size_t optrace_last_record(const char *text, size_t len)
{
	for (size_t left = len; left > 1;) {
		const char *nl = memrchr(text, '\n', left - 1);

		if (!nl)
			return 0;
		if (is_record(nl + 1, text + left))
			return (size_t)(nl + 1 - text);
		left = (size_t)(nl - text) + 1;
	}
	return 0;
}

static enum row_line optrace_row_line(const char *record, const char *line, const char *end,
				      int64_t *tick)
{
	(void)end, (void)tick;
	return line == record ? ROW_LINE_LAST : ROW_LINE_BEHIND;
}

const struct reader optrace_reader = {
    .name = "optrace",
    .title = "executed instructions with their operands, as they flow through a pipeline",
    .unit = "cycle",
    .detect = optrace_detect,
    .config = optrace_config,
    .lex_rows = optrace_lex_rows,
    .last_record = optrace_last_record,
    .row_line = optrace_row_line,
    .recall = optrace_recall,
    .empty = "no instruction in this optrace; a line is: PC FLAGS SOURCES SINKS",
};
