/*
 * The names of one trace: stages, events and statistics, numbered as they turn up.
 *
 * Shared by all threads that lex pieces of the trace. A number once given never changes; the
 * tables only grow. Look-up in a names_view is lock-free and costs a compare; adding takes a
 * lock and happens a few dozen times in a trace.
 */
#ifndef PIPEGLASS_READER_NAMES_H
#define PIPEGLASS_READER_NAMES_H

#include <pthread.h>
#include <stdint.h>

#include "base/intern.h"
#include "reader/reader.h"

struct names {
	pthread_mutex_t lock;
	struct trace_config config; /* counts only grow; entries below them never change */
	char metrics[METRIC_MAX][32];
	size_t metric_count;
};

/* A private copy of what a lexer looks at in every line. */
struct names_view {
	size_t stages, events, metrics;
	uint8_t stage_hash[256]; /* of two-letter names: stage number, or STAGE_NONE */
	char stage_name[STAGE_MAX][16];
	uint8_t stage_len[STAGE_MAX];
	uint32_t event_mask[EVENT_MAX];
	uint32_t known_masks;    /* all event masks */
	uint32_t lasting_masks;  /* those whose events come with a latency */
	bool plain_events;       /* kind k has mask 1 << k for the low eight bits in use */
	char metric_name[METRIC_MAX][40]; /* room to be read in eights */
	uint8_t metric_len[METRIC_MAX];
};

void names_init(struct names *n, const struct trace_config *config);
void names_free(struct names *n);
void names_refresh(struct names *n, struct names_view *v);

/* The stage's or metric's number, made when new; -1 when the table is full. */
int names_stage(struct names *n, const char *p, size_t len);
int names_metric(struct names *n, const char *p, size_t len);
/* Every bit of mask becomes a kind ("bit-0x100"); false when the table is full. */
bool names_events(struct names *n, uint32_t mask);

#endif
