/*
 * What the loop does, for benchmarks and tests: one line per frame and per rest.
 *
 * PIPEGLASS_FRAME_LOG=FILE appends (times are CLOCK_MONOTONIC nanoseconds):
 *
 *     frame AT KEY BYTES WRITES DROPPED
 *     idle AT READ WRITTEN
 *
 * A frame was written at AT; KEY ns passed since the oldest key that it answers was read (-1:
 * no key asked for it); BYTES went out in WRITES write() calls. DROPPED 1: it was not drawn
 * because the link was behind. idle: everything is drawn, the trace is read (of a pipe: some of
 * it), no work is under way and nothing is waited for but the terminal, after READ bytes of input
 * and WRITTEN of output. Each line is one write(), so FILE may be a pipe. Without the variable
 * nothing is opened.
 */
#ifndef PIPEGLASS_TERM_FRAMELOG_H
#define PIPEGLASS_TERM_FRAMELOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct framelog {
	int fd; /* -1: off */
	uint64_t read_at_rest, written_at_rest;
};

int64_t framelog_now(void);

void framelog_open(struct framelog *l);
void framelog_close(struct framelog *l);
/* key_at: when the key was read, 0: none. */
void framelog_frame(struct framelog *l, int64_t at, int64_t key_at, size_t bytes, uint64_t writes,
		    bool dropped);
/* Says so once. */
void framelog_idle(struct framelog *l, uint64_t read, uint64_t written);

#endif
