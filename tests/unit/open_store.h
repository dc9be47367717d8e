/*
 * Stores as tests open them: by the contract of a kind, from a path or a descriptor.
 */
#ifndef PIPEGLASS_TESTS_OPEN_STORE_H
#define PIPEGLASS_TESTS_OPEN_STORE_H

#include "pipeline/kind.h"

static inline enum status store_opened(struct store **out, enum status opened,
				       struct source *source, const struct trace_options *o,
				       struct error *e)
{
	struct trace *t = NULL;
	enum status status = opened ? opened : trace_open(&t, source, o, e);

	*out = status ? NULL : store_of_trace(t);
	return status;
}

static inline enum status store_open(struct store **out, const char *path,
				     const struct trace_options *o, struct error *e)
{
	struct source *source;
	enum status opened = source_open(&source, path, e);

	return store_opened(out, opened, source, o, e);
}

static inline enum status store_open_fd(struct store **out, int fd, const char *name,
					const struct trace_options *o, struct error *e)
{
	struct source *source;
	enum status opened = source_open_fd(&source, fd, name, e);

	return store_opened(out, opened, source, o, e);
}

static inline enum status store_wait(struct store *s, struct error *e)
{
	return trace_wait(trace_of_store(s), e);
}

static inline void store_cancel(struct store *s)
{
	pipeline_kind.cancel(trace_of_store(s));
}

static inline enum status store_follow(struct store *s, bool on, struct error *e)
{
	return pipeline_kind.follow(trace_of_store(s), on, e);
}

static inline bool store_is_live(struct store *s)
{
	return pipeline_kind.is_live(trace_of_store(s));
}

static inline int store_wake_fd(struct store *s)
{
	return pipeline_kind.wake_fd(trace_of_store(s));
}

#endif
