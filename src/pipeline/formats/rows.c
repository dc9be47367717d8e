#include "config.h"

#include "pipeline/formats/rows.h"

#include <stdlib.h>

void row_lexer_init(struct row_lexer *lx, const struct reader *reader, struct names *names)
{
	struct trace_config config;

	memset(lx, 0, sizeof(*lx));
	lx->names = names;
	memset(lx->stage, STAGE_NONE, sizeof(lx->stage));
	reader->config(&config);
	for (size_t i = 0; i < config.stage_count && i < ROW_STAGES; i++) {
		const char *name = config.stages[i].name;
		int stage = names_stage(names, name, strlen(name));

		lx->stage[i] = stage < 0 ? (uint8_t)STAGE_NONE : (uint8_t)stage;
	}
}

void row_lexer_free(struct row_lexer *lx)
{
	if (lx->state)
		lx->state_free(lx->state);
	free(lx->told);
	free(lx->ring);
	vec_free(&lx->bad);
	vec_free(&lx->document.ends);
	sbuf_free(&lx->document.words);
	lx->told = NULL;
	lx->ring = NULL;
	lx->state = NULL;
}

void row_lexer_begin(struct row_lexer *lx, uint64_t off, size_t pos)
{
	/* what is open began before this piece: as many lines before it, modulo 2^64 */
	lx->open.line -= lx->line;
	for (size_t i = 0; i < lx->count; i++)
		lx->ring[(lx->first + i) % ROWS_OPEN].line -= lx->line;
	lx->off = off;
	lx->pos = pos;
	lx->line = 0;
	lx->interleaved = false;
	memset(lx->notes, 0, sizeof(lx->notes));
	memset(lx->entries, 0, sizeof(lx->entries));
	lx->records = lx->bad_count = 0;
	vec_clear(&lx->bad);
	if (!lx->carry)
		lx->open.used = false;
	if (!lx->carry && pos == 0) {
		if (lx->any_told)
			memset(lx->told, 0, ROWS_TOLD * sizeof(*lx->told));
		lx->any_told = false;
	}
}

void row_lexer_bad(struct row_lexer *lx, enum bad bad, uint64_t line, uint64_t at, int64_t tick)
{
	struct row_bad b = {at, line, tick, (uint8_t)bad};

	if (lx->reread)
		return;
	lx->bad_count++;
	if (lx->bad.count < ROWS_BAD && !vec_push(&lx->bad, b))
		lx->damaged = true;
}
