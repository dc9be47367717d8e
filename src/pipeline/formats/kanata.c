/*
 * The Kanata log (Onikiri2, RSD, ChampSim and many more), carefully: whatever an emitter does to
 * the format that can still be understood.
 *
 * kanata_lex() knows the exact shapes that emitters print and falls back, line by line, on the
 * lexer here. Lines need nothing from before but the clock, and, if they go on a label, its line.
 */
#include "config.h"

#include "pipeline/formats/kanata.h"

extern const struct reader kanata_reader;

/* A field without the blanks around it. */
struct field {
	const char *p, *end;
};

enum { FIELDS_MOST = 3, BANNER_MOST = 64 << 10 };

struct line {
	struct lexer *lx;
	const char *text, *p, *end; /* the text as a whole; this line without its end */
	struct record *out;
	size_t n;
	/* of a command */
	struct field fields[FIELDS_MOST];
	const char *rest; /* behind the tab after the last of them, or NULL */
	const char *raw;  /* where the last of them begins */
	uint64_t id;
};

static struct record *emit(struct line *l, enum record_kind kind, unsigned stage, uint64_t id)
{
	struct record *r = &l->out[l->n++];

	r->id = id;
	r->at = (uint32_t)(l->p - l->text);
	r->line = (uint32_t)l->lx->line;
	r->kind = (uint8_t)kind;
	r->stage = (uint8_t)stage;
	r->events = 0;
	return r;
}

static void emit_note(struct line *l, enum note note)
{
	emit(l, REC_NOTE, note, 1);
}

static void emit_bad(struct line *l, enum bad bad)
{
	emit(l, REC_BAD, bad, 0);
}

static bool is_blank_text(const char *p, const char *end)
{
	while (p < end && kanata_is_blank(*p))
		p++;
	return p == end;
}

/* ---- fields -------------------------------------------------------------------------------- */

static struct field trimmed(const char *p, const char *end)
{
	while (p < end && kanata_is_blank(*p))
		p++;
	while (p < end && kanata_is_blank(end[-1]))
		end--;
	return (struct field){p, end};
}

/* The first `count` fields of p[0..line's end); false: there are fewer. */
static bool split(struct line *l, const char *p, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const char *tab;

		if (!p)
			return false;
		tab = memchr(p, '\t', (size_t)(l->end - p));
		l->fields[i] = trimmed(p, tab ? tab : l->end);
		l->raw = p;
		p = tab ? tab + 1 : NULL;
	}
	l->rest = p;
	return true;
}

static bool is_empty(const struct field *f)
{
	return f->p == f->end;
}

/* False: it is none, and that has been said. */
static bool field_number(struct line *l, const struct field *f, uint64_t *out)
{
	bool overflow = false;
	bool digits = scan_dec_field(f->p, f->end, out, &overflow) == f->end && !is_empty(f);

	if (!digits || overflow)
		emit_bad(l, digits ? BAD_OVERFLOW : BAD_MALFORMED);
	return digits && !overflow;
}

/* Any int64_t; false as field_number(). */
static bool field_integer(struct line *l, const struct field *f, int64_t *out)
{
	bool negative = !is_empty(f) && *f->p == '-';
	struct field digits = {f->p + negative, f->end};
	uint64_t value;

	if (!field_number(l, &digits, &value))
		return false;
	if (value > (uint64_t)INT64_MAX + negative) {
		emit_bad(l, BAD_OVERFLOW);
		return false;
	}
	*out = negative ? (int64_t)(0 - value) : (int64_t)value;
	return true;
}

/* ---- names --------------------------------------------------------------------------------- */

/* Each name that shares a last place is told of once. */
static int number_of(struct line *l, enum names_table which, const struct field *f, bool make)
{
	struct lexer_name name = lexer_name(l->lx, which, f->p, (size_t)(f->end - f->p), make);

	if (name.fresh) {
		emit_bad(l, which == NAMES_STAGES ? BAD_REST_STAGE : BAD_REST_LANE);
		emit_note(l, which == NAMES_STAGES ? NOTE_REST_STAGES : NOTE_REST_LANES);
	}
	return name.id;
}

/* ---- commands ------------------------------------------------------------------------------ */

/* `I<TAB>id<TAB>gid<TAB>thread`: an instruction is not lost because its thread cannot be told. */
static void line_birth(struct line *l)
{
	struct lexer *lx = l->lx;
	struct record *r = emit(l, REC_BIRTH, 0, l->id);
	int64_t thread;
	int number;

	r->birth.pc = r->birth.pc_len = 0;
	r->birth.text = r->birth.text_len = 0;
	if (is_empty(&l->fields[2]) || !field_integer(l, &l->fields[2], &thread))
		return;
	number = names_view_thread(lx->names, &lx->view, thread, lx->may_name);
	if (number == 0)
		lx->stumbled = true;
	else if (number < 0)
		emit_bad(l, BAD_THREAD);
	else
		r->events = (uint16_t)number;
}

static void emit_stay(struct line *l, enum record_kind kind, int stage, int lane)
{
	struct record *r = emit(l, kind, (unsigned)stage, l->id);

	r->enter.latency = -1;
	r->enter.colour = 0;
	r->enter.lane = (uint8_t)lane;
}

/* `S<TAB>id<TAB>lane<TAB>stage` */
static void line_enter(struct line *l)
{
	int lane, stage;

	if (is_empty(&l->fields[1]) || is_empty(&l->fields[2])) {
		emit_bad(l, BAD_MALFORMED);
		return;
	}
	lane = number_of(l, NAMES_LANES, &l->fields[1], true);
	stage = number_of(l, NAMES_STAGES, &l->fields[2], true);
	if (lane >= 0 && stage >= 0)
		emit_stay(l, REC_ENTER, stage, lane);
	else
		emit_bad(l, BAD_STAGE);
}

/* `E<TAB>id<TAB>lane<TAB>stage` */
static void line_leave(struct line *l)
{
	int lane, stage;

	if (is_empty(&l->fields[1]) || is_empty(&l->fields[2])) {
		emit_bad(l, BAD_MALFORMED);
		return;
	}
	lane = number_of(l, NAMES_LANES, &l->fields[1], false);
	stage = number_of(l, NAMES_STAGES, &l->fields[2], false);
	if (lane < 0 || stage < 0)
		emit_note(l, NOTE_STALE_END);
	else
		emit_stay(l, REC_LEAVE, stage, lane);
}

/* `L<TAB>id<TAB>type<TAB>text`, tabs in the text allowed. */
static void line_label(struct line *l)
{
	const struct field *type = &l->fields[1];

	if (is_empty(type)) {
		emit_bad(l, BAD_MALFORMED);
	} else if (type->end - type->p > 1 || *type->p < '0' || *type->p > '0' + LABEL_STAGE) {
		emit_bad(l, BAD_LABEL);
	} else {
		enum label_kind kind = (enum label_kind)(*type->p - '0');

		kanata_label(emit(l, REC_LABEL, kind, l->id), kind, l->p, l->raw, l->end, false);
		l->lx->label_open = true;
		l->lx->label_id = l->id;
		l->lx->label_kind = (uint8_t)kind;
	}
}

/*
 * `R<TAB>id<TAB>retire id<TAB>type`: no type, or a number that is 0, means retired. So does a line
 * that has no field for it, which is told: its instruction is in flight no more.
 */
static void line_end(struct line *l)
{
	bool whole = l->rest && split(l, l->rest, 2);
	const char *p = l->fields[1].p, *end = l->fields[1].end;

	while (whole && p < end && *p == '0')
		p++;
	emit(l, REC_END, !whole || p == end ? END_RETIRED : END_FLUSHED, l->id);
	if (!whole) {
		l->rest = NULL;
		emit_bad(l, BAD_NO_TYPE);
	}
}

/* `W<TAB>consumer<TAB>producer[<TAB>type]` */
static void line_link(struct line *l)
{
	uint64_t producer, type = 0;
	struct record *r;

	if (!field_number(l, &l->fields[1], &producer))
		return;
	if (l->rest) {
		split(l, l->rest, 1);
		if (!is_empty(&l->fields[0]) && !field_number(l, &l->fields[0], &type))
			return;
	}
	r = emit(l, REC_LINK, type > UINT8_MAX ? UINT8_MAX : (unsigned)type, l->id);
	r->link.low = (uint32_t)producer;
	r->link.high = (uint32_t)(producer >> 32);
	if (type > UINT8_MAX)
		emit_bad(l, BAD_LINK_TYPE);
}

/* its letter, how many fields it must have, whether the last one is all the rest, what lexes it */
static const struct command {
	char letter;
	uint8_t fields;
	bool text;
	void (*lex)(struct line *l);
} commands[] = {
    {'S', 3, false, line_enter}, {'E', 3, false, line_leave}, {'L', 3, true, line_label},
    {'I', 3, false, line_birth}, {'R', 1, false, line_end},   {'W', 2, false, line_link},
};

static const struct command *find_command(const char *p, const char *end)
{
	const char *q = p + 1;

	while (q < end && *q == ' ')
		q++;
	if (q < end && *q != '\t')
		return NULL;
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (commands[i].letter == *p)
			return &commands[i];
	return NULL;
}

bool kanata_is_command(const char *line, const char *end)
{
	return find_command(line, end);
}

static void lex_command(struct line *l, const struct command *c)
{
	bool nul = memchr(l->p, '\0', (size_t)(l->end - l->p));
	const char *p = memchr(l->p, '\t', (size_t)(l->end - l->p));
	const struct record *made;

	l->lx->label_open = false;
	if (nul)
		emit_bad(l, BAD_NUL);
	if (nul && !c->text)
		return;
	if (!p || !split(l, p + 1, c->fields)) {
		emit_bad(l, BAD_MALFORMED);
		return;
	}
	if (!field_number(l, &l->fields[0], &l->id))
		return;
	made = &l->out[l->n];
	c->lex(l);
	if (made->kind != REC_BAD && !c->text && l->rest && !is_blank_text(l->rest, l->end))
		emit_note(l, NOTE_EXTRA_FIELDS);
}

/* ---- other lines --------------------------------------------------------------------------- */

/*
 * A lexer that begins at a cycle line knows where the clock stands behind it, not what the line
 * added.
 */
static void lex_cycle(struct line *l, const struct cycle_line *c)
{
	struct lexer *lx = l->lx;
	int64_t before = lx->tick;

	lx->label_open = false;
	if (c->kind == CYCLE_NUL)
		emit_bad(l, BAD_NUL);
	else if (c->kind == CYCLE_MALFORMED)
		emit_bad(l, BAD_MALFORMED);
	else if (c->kind == CYCLE_OVERFLOW)
		emit_bad(l, BAD_OVERFLOW);
	if (c->kind >= CYCLE_MALFORMED)
		return;
	if (!lx->tick_given)
		lx->tick = kanata_advance(before, c);
	lx->tick_given = false;
	/* who consumes it says that it goes backwards */
	if (c->kind == CYCLE_SET)
		emit(l, REC_TICK, 0, (uint64_t)c->value);
	else if (c->value < 0)
		emit(l, REC_TICK, 0, (uint64_t)(before + c->value));
	else
		emit(l, REC_TICK, 0, (uint64_t)lx->tick);
	if (c->kind == CYCLE_STEP && c->value > 0 && lx->tick == KANATA_TICK_END - 1)
		emit_bad(l, BAD_OVERFLOW);
	if (c->extra)
		emit_note(l, NOTE_EXTRA_FIELDS);
}

/*
 * Onikiri2 prints newlines inside its labels: what follows one is no command. A blank stands for
 * the newline where there is none.
 */
static void lex_unknown(struct line *l)
{
	bool nul = memchr(l->p, '\0', (size_t)(l->end - l->p));
	struct record *r;

	if (nul)
		emit_bad(l, BAD_NUL);
	if (l->lx->label_open) {
		emit_note(l, NOTE_CONTINUATION);
		r = emit(l, REC_LABEL, l->lx->label_kind, l->lx->label_id);
		kanata_label(r, LABEL_DETAIL, l->p, l->p, l->end, false);
		r->events = r->birth.text_len > 0 ? label_goes_on(l->p) : LABEL_NEW;
	} else if (!nul) {
		emit_bad(l, BAD_COMMAND);
	}
}

/* Nothing of a log stands before it; what a simulator said first may. Not much is looked at. */
static bool begins_text(const struct line *l)
{
	return l->p - l->text <= BANNER_MOST && kanata_precedes(l->text, l->p);
}

static void lex_line(struct line *l)
{
	bool long_line = l->end - l->p > LEX_LONG_LINE;
	const struct command *command;
	struct cycle_line cycle;

	if (l->end > l->p && l->end[-1] == '\r') {
		l->end--;
		emit_note(l, NOTE_CRLF);
	}
	if (is_blank_text(l->p, l->end))
		return;
	cycle = kanata_cycle(l->p, l->end);
	if (cycle.kind != CYCLE_NONE) {
		lex_cycle(l, &cycle);
	} else if ((command = find_command(l->p, l->end))) {
		lex_command(l, command);
	} else if (*l->p == '#') {
		emit_note(l, NOTE_FOREIGN);
	} else if (kanata_header(l->p, l->end)) {
		l->lx->label_open = false;
		if (!begins_text(l))
			emit_bad(l, BAD_HEADER_AGAIN);
	} else {
		lex_unknown(l);
	}
	if (long_line)
		emit_bad(l, BAD_LONG);
}

/*
 * A last line without newline was cut there: `R<TAB>3<TAB>3` may have gone on. It is believed if
 * a tab ends each of its fields, as some emitters print them.
 */
static void lex_cut_line(struct line *l)
{
	const struct command *command = find_command(l->p, l->end);
	int tabs = 0;

	for (const char *p = l->p; p < l->end && tabs <= FIELDS_MOST; p++)
		tabs += *p == '\t';
	if (is_blank_text(l->p, l->end))
		return;
	if (command && !command->text && tabs > FIELDS_MOST)
		lex_line(l);
	else
		emit_bad(l, BAD_CUT);
}

bool kanata_line(struct lexer *lx, const char *text, size_t len, bool final, struct record *out,
		 size_t *n)
{
	const char *start = text + lx->pos;
	const char *nl = memchr(start, '\n', len - lx->pos);
	struct line l = {.lx = lx, .text = text, .p = start, .out = out, .n = *n};

	if (!nl && !final)
		return false;
	l.end = nl ? nl : text + len;
	if (nl)
		lex_line(&l);
	else
		lex_cut_line(&l);
	lx->line++;
	lx->pos = nl ? (size_t)(nl + 1 - text) : len;
	*n = l.n;
	return true;
}

size_t kanata_lex_slow(struct lexer *lx, const char *text, size_t len, bool final,
		       struct record *out, size_t max)
{
	size_t n = 0;

	while (lx->pos < len && n + KANATA_RECORDS <= max)
		if (!kanata_line(lx, text, len, final, out, &n))
			break;
	return n;
}

static bool number_in(const struct field *f, uint64_t *out)
{
	bool overflow = false;

	return !is_empty(f) && scan_dec_field(f->p, f->end, out, &overflow) == f->end && !overflow;
}

/* Flushed ones have a number too, but not one of their own. */
static bool kanata_retired(const char *line, const char *end, uint64_t *id, uint64_t *number)
{
	struct line l = {.p = line, .end = end};
	const struct command *command = line < end ? find_command(line, end) : NULL;
	const char *tab = memchr(line, '\t', (size_t)(end - line));
	uint64_t type = 0;

	if (!command || command->lex != line_end || !tab || !split(&l, tab + 1, 2))
		return false;
	if (split(&l, tab + 1, 3) && !is_empty(&l.fields[2]) &&
	    (!number_in(&l.fields[2], &type) || type))
		return false;
	return number_in(&l.fields[0], id) && number_in(&l.fields[1], number);
}

/* The trace names its stages; there are no events. */
static void kanata_config(struct trace_config *out)
{
	memset(out, 0, sizeof(*out));
}

const struct reader kanata_reader = {
    .name = "kanata",
    .title = "Kanata log (Onikiri2, RSD, ChampSim and others)",
    .unit = "cycle",
    .detect = kanata_detect,
    .config = kanata_config,
    .beginning = kanata_beginning,
    .lex = kanata_lex,
    .cut = kanata_cut,
    .clock = kanata_clock,
    .births_needed = true,
    .retired = kanata_retired,
};
