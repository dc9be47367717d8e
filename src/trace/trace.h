/*
 * The contract of a kind of trace: what everything above asks of any trace, whatever is in it.
 *
 * A kind (instructions in a pipeline, counters over time) is a room of its own that offers one
 * struct trace_kind; src/kinds.c has the table of them. A trace that is open begins with a struct
 * trace, so whoever knows the kind knows the rest, and whoever does not asks through the table.
 * Where a kind has no answer the pointer is NULL, and the command that needs it says so.
 *
 * Opening returns at once; the kind reads on in threads of its own and publishes items in order.
 * What was published stays true: no item is ever taken back. All calls may come from any thread
 * but open and close. Ticks are int64, ranges half-open; items are dense numbers from 0. Each call
 * costs O(1) or O(log n) but where it says more.
 */
#ifndef PIPEGLASS_TRACE_TRACE_H
#define PIPEGLASS_TRACE_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/regex.h"
#include "base/status.h"
#include "source/source.h"
#include "trace/tick.h"

#define ITEM_NONE UINT64_MAX

enum {
	TRACE_KINDS_MAX = 8,
	TRACE_DETECT_BYTES = 1 << 18, /* of text that detection looks at */
	TRACE_WARNINGS = 1000         /* warnings kept with their text; the rest is counted */
};

struct section;
struct trace;
struct trace_kind;

/* One format that a kind reads. */
struct trace_format {
	const char *name;  /* "pipetrace": for --as and info */
	const char *title; /* one line for people */
	const char *unit;  /* of its ticks: "cycle", "ns" */
	/* Bytes of the start of the text -> 0 (no) .. 100 (certain). */
	int (*detect)(const char *text, size_t len);
	const char *wrong; /* why a file that is recognised cannot be read; NULL: it can */
};

/* What commands and the user's files set for each kind: its own struct, zeros at first. */
struct trace_settings {
	struct trace_setting {
		const struct trace_kind *kind;
		void *own; /* flat: it is copied as bytes */
	} of[TRACE_KINDS_MAX];
	int count;
	int64_t cache_limit; /* bytes that the cache folder may have; 0: CACHE_LIMIT */
};

struct trace_options {
	const char *as;          /* the format's name; NULL: detect */
	const struct trace_settings *settings; /* NULL: none */
	const char *cache_dir;   /* NULL: the XDG cache */
	const char *sources;     /* folder of source files, as long as the trace; NULL: none is known */
	int64_t ticks_per_cycle; /* 0: the format's own, or what the ticks have in common */
	int threads;             /* 0: all cores */
	bool no_cache;           /* neither read nor write the cache file */
	bool background;         /* somebody works with the trace meanwhile: give way, and show
				    items as they come */
	bool asks;               /* what costs much is refused: the error says how to allow it */
	bool follow;             /* a plain file that grows: see trace_follow() */
};

struct progress {
	uint64_t items;            /* published */
	uint64_t reached;          /* in the text, or by a measure of it: it grows with whatever is
				      published, and be it the end or the text of an item known before */
	int64_t first, last;       /* ticks seen in the published prefix, inclusive; last < first: none */
	uint64_t bytes_done, bytes_total; /* of the file */
	bool complete;             /* nothing more will come */
	bool cached;               /* the index came from the cache */
	bool cancelled;
	uint64_t index_bytes, source_bytes;
	double seconds;            /* wall time the index took */
	const char *guessed;       /* what the reader guessed, and all rests on: "block sizes"; NULL: nothing */
	const char *note;          /* e.g. "cache not writable: …"; NULL: none */
	enum status failed;        /* STATUS_OK, or why reading stopped early */
	const char *why;           /* the same in a line for the user; NULL: it did not */
};

/* Something that was not understood. */
struct warning {
	uint64_t line;   /* from 1; 0: not known */
	uint64_t offset; /* of the line's start */
	uint64_t item;   /* the item being born next there: where a jump goes */
	const char *text;
};

/* Rows of the tables of notes, _(NAME, key, help), as arrays. */
#define NOTE_KEY(name, key, help) key,
#define NOTE_HELP(name, key, help) help,

struct trace_component {
	const char *name;
	uint64_t spans;
};

/* A metric by its number: those that the kind works out, then those that the file brought. */
struct metric_info {
	const char *name;
	const char *component; /* whose it is; NULL: of all */
	const char *unit;   /* NULL: none is known */
	const char *help;   /* NULL: the file says nothing of it */
	bool sampled;       /* the file has it; else it is worked out */
	uint64_t samples;   /* in the file */
	double min, max, total; /* of the samples; total NaN: not known */
	double mean;        /* of counts a sample's, else over the time; NaN: values() tells */
	bool rate;          /* counts what happens: its mean is one per cycle or second */
	bool per_component; /* a component can be named */
};

/* A metric of some components, found by name. */
struct metric_ref {
	uint64_t set; /* a kind's own numbers */
	uint32_t kind, index;
	uint64_t kinds; /* of its items that count, from trace_kinds_find(); 0: all */
	bool rate, sampled; /* as struct metric_info has them */
	bool share;         /* of one: people read it in percent */
	const char *unit;
};

/* What is said of one that is worked out of each component: how much of it there is is not known. */
struct metric_info metric_worked_out(const char *name, const char *help,
				     const struct metric_ref *ref);

struct trace_kind {
	const char *name;     /* of its folders: "counters" */
	const char *items;    /* what its items are: "instructions"; NULL: it has none */
	size_t settings_size; /* of its struct in trace_settings; 0: it has none */

	/* Its formats by number; false beyond the last. */
	bool (*format)(size_t i, struct trace_format *out);
	/*
	 * Takes the source over, also when it fails; first: its first bytes, which are given back
	 * with source_release(), or empty.
	 */
	enum status (*open)(struct trace **out, struct source *source, size_t format,
			    struct window *first, const struct trace_options *options,
			    struct error *e);
	void (*close)(struct trace *t);

	void (*progress)(const struct trace *t, struct progress *p);
	int (*wake_fd)(const struct trace *t); /* readable from what is published to trace_heard() */
	enum status (*wait)(struct trace *t, struct error *e); /* until all is read */
	void (*cancel)(struct trace *t);                       /* keep what is there */
	/* Read what is appended, too; off: what is there is all. STATUS_UNSUPPORTED: packed. */
	enum status (*follow)(struct trace *t, bool on, struct error *e);
	bool (*is_live)(const struct trace *t); /* a pipe that has not ended, or followed */

	int64_t (*ticks_per_cycle)(const struct trace *t); /* 1 where ticks are the unit */
	size_t (*component_count)(const struct trace *t);
	bool (*component)(const struct trace *t, size_t i, struct trace_component *out);

	size_t (*metric_count)(const struct trace *t);
	bool (*metric)(const struct trace *t, size_t i, struct metric_info *out);
	/*
	 * By name, of the components that match (NULL: all). False: no such metric, or no component
	 * matches, or it has none. See trace_metric_find().
	 */
	bool (*metric_find)(const struct trace *t, const char *name,
			    const struct regex *component, struct metric_ref *out);
	/*
	 * A number for kinds of items that match, good as long as the trace is; a metric that counts
	 * these alone has no data of components without them, or if it counts no items.
	 * STATUS_NOT_FOUND: none matches yet. NULL: items have no kinds. See trace_kinds_find().
	 */
	enum status (*kinds)(const struct trace *t, const struct regex *re, uint64_t *out,
			     struct error *e);
	/*
	 * Mean over each of n bins of [from, to), NaN without data; bin k covers [from + k*w,
	 * from + (k+1)*w), w real. Rates are per cycle (or second). *exact, asked with false: values
	 * may be interpolated, for drawing; NULL: as with true. Behind: are all of them exact?
	 * O(n log n), or the text in the range.
	 */
	enum status (*values)(struct trace *t, const struct metric_ref *m, int64_t from, int64_t to,
			      size_t n, double *values, bool *exact, struct error *e);
	/*
	 * The mean over [from, to), not empty, of a metric by its number, which is worked out and not
	 * sampled, for the first n components by their numbers: what values() says of one bin, of all of them in one go. NULL: values()
	 * costs as little. O(items).
	 */
	enum status (*means)(struct trace *t, size_t metric, int64_t from, int64_t to, size_t n,
			     double *means, struct error *e);
	/* Anything of [from, to) was traced. NULL: all was. */
	bool (*traced)(struct trace *t, int64_t from, int64_t to);
	/* Ticks between two amounts where values are interpolated; NULL: none ever is. */
	int64_t (*grain)(const struct trace *t);

	uint64_t (*warning_count)(const struct trace *t);
	bool (*warning)(const struct trace *t, size_t i, struct warning *out); /* i < TRACE_WARNINGS */
	/* Where a view that does not show items goes for one that was published. NULL: nowhere. */
	int64_t (*item_tick)(const struct trace *t, uint64_t item);
	/* What was counted while reading, by key. NULL: nothing. */
	size_t (*note_count)(const struct trace *t);
	const char *(*note)(const struct trace *t, size_t i, uint64_t *count);
	const char *const *note_helps; /* for people: what each counts */

	/*
	 * What `info` says beside that: sections (trace/result.h) of what info_make() gathers, which
	 * free() ends (NULL: no memory). NULL: nothing.
	 */
	const struct section *info;
	void *(*info_make)(struct trace *t);
};

/* What every open trace begins with. */
struct trace {
	const struct trace_kind *kind;
	struct trace_format format;
	struct source *source;
};

extern const struct trace_kind *const trace_kinds[]; /* src/kinds.c; NULL-terminated */

/*
 * Open the trace that a source holds: by its content or as options say. Takes the source over in
 * any case. A pipe may give its first bytes bit by bit. STATUS_INPUT, with a line that says what to
 * do: no kind knows it.
 */
enum status trace_open(struct trace **out, struct source *source,
		       const struct trace_options *options, struct error *e);

/* The format of the text that a source holds; false: no kind knows it. The source stays the caller's. */
bool trace_detect(struct source *source, struct trace_format *out);

/* A format by its name; false, and e says which there are: none. */
bool trace_format_known(const char *name, struct error *e);

/* kind->metric_find; STATUS_USAGE, with a line that says which there are: there is none. */
enum status trace_metric_find(const struct trace *t, const char *name,
			      const struct regex *component, struct metric_ref *out,
			      struct error *e);

/* kind->kinds; re NULL: all, 0. STATUS_UNSUPPORTED: items have no kinds. */
enum status trace_kinds_find(const struct trace *t, const struct regex *re, uint64_t *out,
			     struct error *e);

/* The start of a source's text: asked again and again, until `knows` says that it is enough. */
typedef bool trace_knows_fn(void *arg, const char *text, size_t len);
enum status trace_peek(struct source *source, trace_knows_fn *knows, void *arg,
		       struct window *first, struct error *e);
/* Give it back, but what asked for again would wait for more: of live text, or a file to follow. */
void trace_peek_done(struct source *source, struct window *first);

/* A kind's own settings, made if they are not there; NULL: it has none, or no memory. */
void *trace_settings_of(struct trace_settings *s, const struct trace_kind *kind);
const void *trace_settings_get(const struct trace_settings *s, const struct trace_kind *kind);
bool trace_settings_copy(struct trace_settings *out, const struct trace_settings *from);
void trace_settings_free(struct trace_settings *s);

static inline void trace_close(struct trace *t)
{
	if (t)
		t->kind->close(t);
}

static inline void trace_progress(const struct trace *t, struct progress *p)
{
	t->kind->progress(t, p);
}

/* The wake descriptor is drained: for who listens to it, before progress is asked for. */
void trace_heard(const struct trace *t);

static inline enum status trace_wait(struct trace *t, struct error *e)
{
	return t->kind->wait(t, e);
}

static inline int64_t trace_ticks_per_cycle(const struct trace *t)
{
	return t->kind->ticks_per_cycle ? t->kind->ticks_per_cycle(t) : 1;
}

static inline enum status trace_values(struct trace *t, const struct metric_ref *m, int64_t from,
				       int64_t to, size_t n, double *values, bool *exact,
				       struct error *e)
{
	return t->kind->values(t, m, from, to, n, values, exact, e);
}

static inline int64_t trace_grain(const struct trace *t)
{
	return t->kind->grain ? t->kind->grain(t) : 1;
}

#endif
