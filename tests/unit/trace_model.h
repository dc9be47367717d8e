/*
 * What a pipetrace means, the slow way: one pass over the records of the careful lexer, every
 * row with its stays in memory, nothing cut, packed or published. The tests of the store
 * compare every answer with it (formats: the life cycle of pipetraces).
 */
#ifndef PIPEGLASS_TESTS_TRACE_MODEL_H
#define PIPEGLASS_TESTS_TRACE_MODEL_H

#include "lexing.h"
#include "pipeline/store.h"

struct model_stay {
	int64_t start, end; /* TICK_NONE: open */
	int32_t latency;
	uint16_t events, colour;
	uint8_t stage;
};

struct model_row {
	uint64_t id, pc, off, line;
	const char *text;
	size_t text_len;
	int64_t start, end;
	struct model_stay *stays;
	size_t stay_count;
	uint16_t events;
	uint8_t fate;
	bool alive, unborn, micro, fetched, committed, overtaken;
	size_t parent; /* index + 1; 0: none */
};

struct model {
	const char *text;
	size_t len;
	struct model_row *rows; /* born ones in order; unborn ones in `unborn` */
	size_t count, cap;
	struct model_row *unborn;
	size_t unborn_count, unborn_cap;
	struct trace_config config;
	char metrics[METRIC_MAX][32];
	size_t metric_count;
	int64_t now, first, last;
	bool started;
	uint64_t notes[NOTE_COUNT], bad[BAD_COUNT];
	uint64_t entries[STAGE_MAX], event_counts[EVENT_MAX];
	size_t pending[64], pending_count;
	size_t macro;       /* index + 1 */
	uint64_t before_id; /* of the life record before, if it was an entry */
	bool before_enter;
	struct {
		int64_t tick;
		unsigned metric;
		double value;
	} * samples;
	size_t sample_count, sample_cap;
	int64_t *active; /* ticks with a life record */
	size_t active_count, active_cap;
};

#define MODEL_GROW(array, count, cap)                                                              \
	do {                                                                                       \
		if ((count) == (cap)) {                                                            \
			(cap) = (cap) ? (cap)*2 : 256;                                             \
			(array) = realloc((array), (cap) * sizeof(*(array)));                      \
			if (!(array))                                                              \
				abort();                                                           \
		}                                                                                  \
	} while (0)

static inline unsigned model_role(const struct model *m, unsigned stage)
{
	return stage < m->config.stage_count ? m->config.stages[stage].role : ROLE_OTHER;
}

/* The row that an id means now: the youngest of that id. */
static inline struct model_row *model_find(struct model *m, uint64_t id)
{
	for (size_t i = m->count; i-- > 0;)
		if (m->rows[i].id == id)
			return &m->rows[i];
	for (size_t i = 0; i < m->unborn_count; i++)
		if (m->unborn[i].id == id)
			return &m->unborn[i];
	return NULL;
}

static inline int model_stage(const struct model_row *r)
{
	return r->stay_count ? r->stays[r->stay_count - 1].stage : -1;
}

static inline void model_end(struct model *m, struct model_row *r, enum fate fate)
{
	r->alive = false;
	r->end = m->now;
	if (!r->unborn)
		r->fate = (uint8_t)fate;
	if (r->stay_count)
		r->stays[r->stay_count - 1].end = m->now;
}

static inline void model_birth(struct model *m, const struct record *rec)
{
	struct model_row *old = model_find(m, rec->id), *r;
	const char *line = m->text + rec->at;

	if (old && old->alive) {
		m->bad[BAD_REBORN]++;
		model_end(m, old, FATE_LOST);
	}
	MODEL_GROW(m->rows, m->count, m->cap);
	r = &m->rows[m->count++];
	memset(r, 0, sizeof(*r));
	r->id = rec->id;
	r->off = rec->at;
	r->line = rec->line + 1;
	r->pc = strtoull(line + rec->birth.pc, NULL, 16);
	r->text = line + rec->birth.text;
	r->text_len = rec->birth.text_len;
	r->start = m->now;
	r->end = TICK_NONE;
	r->alive = true;
	r->fate = FATE_IN_FLIGHT;
	m->before_enter = false;
}

/* Whom a record means; an id never born was there before the trace. NULL: somebody dead. */
static inline struct model_row *model_whose(struct model *m, const struct record *rec)
{
	struct model_row *r = model_find(m, rec->id);

	if (!r) {
		MODEL_GROW(m->unborn, m->unborn_count, m->unborn_cap);
		r = &m->unborn[m->unborn_count++];
		memset(r, 0, sizeof(*r));
		r->id = rec->id;
		r->off = rec->at;
		r->line = rec->line + 1;
		r->start = m->first;
		r->end = TICK_NONE;
		r->alive = r->unborn = r->fetched = true;
		r->fate = FATE_UNKNOWN;
		return r;
	}
	if (!r->alive && r->overtaken) { /* it was not lost after all */
		r->alive = true;
		r->overtaken = false;
		r->fate = FATE_IN_FLIGHT;
		r->end = r->stays[r->stay_count - 1].end = TICK_NONE;
	}
	if (r->alive)
		return r;
	if (rec->kind == REC_END)
		m->notes[NOTE_SECOND_REMOVAL]++;
	else
		m->bad[BAD_DEAD]++;
	return NULL;
}

static inline void model_micro(struct model *m, size_t row)
{
	m->rows[row].micro = true;
	if (m->macro && m->rows[m->macro - 1].pc == m->rows[row].pc)
		m->rows[row].parent = m->macro;
	else if (m->pending_count < 64)
		m->pending[m->pending_count++] = row;
}

static inline void model_decoded(struct model *m, size_t row)
{
	for (size_t i = 0; i < m->pending_count; i++)
		if (m->rows[m->pending[i]].pc == m->rows[row].pc && m->pending[i] > row)
			m->rows[m->pending[i]].parent = row + 1;
	m->pending_count = 0;
	for (size_t i = 0; i < row; i++) {
		struct model_row *r = &m->rows[i];

		if (r->alive && r->stay_count &&
		    model_role(m, (unsigned)model_stage(r)) == ROLE_FETCH) {
			model_end(m, r, FATE_LOST);
			r->overtaken = true;
		}
	}
}

static inline void model_enter(struct model *m, const struct record *rec)
{
	struct model_row *r;
	unsigned role = model_role(m, rec->stage);

	m->entries[rec->stage]++;
	for (unsigned k = 0; k < EVENT_MAX; k++)
		m->event_counts[k] += rec->events >> k & 1;
	r = model_whose(m, rec);
	m->before_enter = true;
	m->before_id = rec->id;
	if (!r)
		return;
	if (r->stay_count)
		r->stays[r->stay_count - 1].end = m->now;
	else if (role == ROLE_DECODE && !r->unborn)
		model_micro(m, (size_t)(r - m->rows));
	r->stays = realloc(r->stays, (r->stay_count + 1) * sizeof(*r->stays));
	if (!r->stays)
		abort();
	r->stays[r->stay_count++] = (struct model_stay){
	    m->now, TICK_NONE, rec->enter.latency, rec->events, rec->enter.colour, rec->stage};
	r->events |= rec->events;
	if (role == ROLE_FETCH)
		r->fetched = true;
	if (role == ROLE_COMMIT)
		r->committed = true;
	if (role == ROLE_DECODE && r->fetched && !r->unborn)
		model_decoded(m, (size_t)(r - m->rows));
}

static inline void model_removal(struct model *m, const struct record *rec)
{
	struct model_row *r = model_whose(m, rec);
	bool behind = m->before_enter && m->before_id == rec->id;

	m->before_enter = false;
	if (!r)
		return;
	if (r->committed) {
		model_end(m, r, FATE_COMMITTED);
	} else if (r->stay_count && model_role(m, (unsigned)model_stage(r)) == ROLE_DECODE &&
		   r->stays[r->stay_count - 1].start == m->now && behind) {
		model_end(m, r, FATE_DROPPED);
		m->macro = r->unborn ? 0 : (size_t)(r - m->rows) + 1;
	} else {
		model_end(m, r, FATE_SQUASHED);
	}
}

static inline void model_active(struct model *m)
{
	if (m->active_count && m->active[m->active_count - 1] == m->now)
		return;
	MODEL_GROW(m->active, m->active_count, m->active_cap);
	m->active[m->active_count++] = m->now;
}

static inline void model_record(struct model *m, const struct record *rec)
{
	switch (rec->kind) {
	case REC_TICK:
		if ((int64_t)rec->id < m->now) {
			m->bad[BAD_BACKWARDS]++;
			break;
		}
		m->now = m->last = (int64_t)rec->id;
		m->started = true;
		break;
	case REC_BIRTH:
		model_active(m);
		model_birth(m, rec);
		break;
	case REC_ENTER:
		model_active(m);
		model_enter(m, rec);
		break;
	case REC_END:
		model_active(m);
		model_removal(m, rec);
		break;
	case REC_SAMPLE:
		MODEL_GROW(m->samples, m->sample_count, m->sample_cap);
		m->samples[m->sample_count].tick = m->now;
		m->samples[m->sample_count].metric = rec->stage;
		m->samples[m->sample_count++].value = rec->value;
		break;
	case REC_NOTE:
		m->notes[rec->stage] += rec->id;
		break;
	default:
		m->bad[rec->stage]++; /* as also of stages and events that have no room */
		break;
	}
}

static inline int model_by_id(const void *a, const void *b)
{
	const struct model_row *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

/* Nobody spends time in commit, even where the removal comes later or never. */
static inline void model_finish(struct model *m, struct model_row *r)
{
	for (size_t k = 0; k < r->stay_count; k++)
		if (model_role(m, r->stays[k].stage) == ROLE_COMMIT)
			r->stays[k].end = r->stays[k].start;
}

static inline void model_read(struct model *m, const char *text, size_t len)
{
	struct names names;
	struct lexer lx;
	struct lexed l;

	memset(m, 0, sizeof(*m));
	m->text = text;
	m->len = len;
	readers[0]->config(&m->config);
	m->last = -1;
	names_init(&names, &m->config);
	lexer_begin(&lx, &names, true);
	memset(&l, 0, sizeof(l));
	lexed_run(&l, pipetrace_lex_slow, &lx, text, len, true, LEX_BATCH, 0, 0);
	m->config = names.config;
	memcpy(m->metrics, names.metrics, sizeof(m->metrics));
	m->metric_count = names.metric_count;
	names_free(&names);
	for (size_t i = 0; i < l.count; i++)
		if (l.recs[i].kind == REC_TICK) {
			m->now = m->first = (int64_t)l.recs[i].id;
			break;
		}
	for (size_t i = 0; i < l.count; i++)
		model_record(m, &l.recs[i]);
	lexed_free(&l);
	if (m->unborn_count)
		qsort(m->unborn, m->unborn_count, sizeof(*m->unborn), model_by_id);
	for (size_t i = 0; i < m->count; i++)
		model_finish(m, &m->rows[i]);
	for (size_t i = 0; i < m->unborn_count; i++)
		model_finish(m, &m->unborn[i]);
}

static inline void model_free(struct model *m)
{
	for (size_t i = 0; i < m->count; i++)
		free(m->rows[i].stays);
	for (size_t i = 0; i < m->unborn_count; i++)
		free(m->unborn[i].stays);
	free(m->rows);
	free(m->unborn);
	free(m->samples);
	free(m->active);
	memset(m, 0, sizeof(*m));
}

/* The stage with the longest single stay; of equals the first. */
static inline uint8_t model_dominant(const struct model *m, const struct model_row *r)
{
	int64_t longest = -1;
	uint8_t best = STAGE_NONE;

	for (size_t k = 0; k < r->stay_count; k++) {
		int64_t end = r->stays[k].end == TICK_NONE ? m->last + 1 : r->stays[k].end;

		if (end - r->stays[k].start > longest) {
			longest = end - r->stays[k].start;
			best = r->stays[k].stage;
		}
	}
	return best;
}

/* What a tick adds to a slot: rows in a stage, or (SLOT_ALIVE) alive, summed over ticks < end. */
static inline uint64_t model_area(const struct model *m, unsigned slot, int64_t end)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < m->count + m->unborn_count; i++) {
		const struct model_row *r = i < m->count ? &m->rows[i] : &m->unborn[i - m->count];

		if (slot == STAGE_MAX) {
			int64_t to = r->end < end ? r->end : end;

			sum += to > r->start ? (uint64_t)(to - r->start) : 0;
			continue;
		}
		for (size_t k = 0; k < r->stay_count; k++) {
			const struct model_stay *s = &r->stays[k];
			int64_t to = s->end < end ? s->end : end;

			if (s->stage == slot && to > s->start)
				sum += (uint64_t)(to - s->start);
		}
	}
	return sum;
}

#endif
