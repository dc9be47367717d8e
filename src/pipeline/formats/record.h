/*
 * What a reader makes of text: an array of small records, in the order of the lines.
 *
 * Records carry the file's own ids and offsets relative to the text they were lexed from;
 * the consumer gives them rows. One record never needs another to be understood, so a stretch
 * of text that begins at a cycle line can be lexed by itself.
 */
#ifndef PIPEGLASS_PIPELINE_FORMATS_RECORD_H
#define PIPEGLASS_PIPELINE_FORMATS_RECORD_H

#include <stdint.h>

#include "pipeline/formats/names.h"
#include "pipeline/formats/optrace.h"

/* What the format documents explain and what is therefore no warning: key in notes{}, help */
#define NOTE_INFO(_)                                                                               \
	_(SECOND_REMOVAL, "second-removals", "removals of instructions already removed")           \
	_(FOREIGN, "foreign-lines", "lines of other output between records")                       \
	_(UNTRACED, "untraced-statistics", "statistics whose name begins with NT")                 \
	_(TEXT_VALUE, "text-statistics", "statistics whose value is not a number")                 \
	_(EXTRA_FIELDS, "extra-fields", "records with extra fields at the end")               \
	_(END_MARK, "end-marks", "end-of-trace marks")                                             \
	_(CRLF, "crlf-lines", "lines that end in CR LF")                                           \
	_(CONTINUATION, "continued-labels", "lines that continue the label of the line before")         \
	_(STALE_END, "stale-stage-ends", "ends of stages left long ago or never entered")          \
	_(LATE_END, "late-stage-ends", "ends of stages that overlap the next one")          \
	_(LATE_LABEL, "late-labels", "labels of instructions that have ended")                     \
	_(EXTRA_LINES, "extra-lines", "lines of records that are not stages")                        \
	_(REGISTER_READS, "register-reads", "register reads in gem5's debug lines")    \
	_(AMBIGUOUS_NUMBERS, "ambiguous-numbers", "records whose number several CPUs use: the CPU is unknown") \
	_(REST_STAGES, "other-stage-names", "names of stages that share the stage other")          \
	_(REST_LANES, "other-lane-names", "names of lanes that share the lane other")              \
	_(REUSED_IDS, "reused-ids", "instructions that reuse the id of an ended one")       \
	_(STRAY_LINKS, "stray-links", "dependencies of ended or unknown instructions") \
	_(OFF_CLOCK, "off-clock-steps", "steps between ticks (of a sample) that are not whole cycles")

enum note {
#define NOTE_ENUM(name, key, help) NOTE_##name,
	NOTE_INFO(NOTE_ENUM)
#undef NOTE_ENUM
	    NOTE_COUNT
};

/* What is wrong with a line: shown in the list of warnings. */
#define BAD_INFO(_)                                                                                \
	_(CUT, "line cut by the end of the file: skipped")                                         \
	_(BEHIND, "text after the end of the document: skipped")                                 \
	_(MALFORMED, "record with missing or malformed fields: skipped; a row that it begins is missing") \
	_(OVERFLOW, "number too large: skipped, or read as the greatest; a row that it begins is missing") \
	_(NUL, "line with NUL bytes: skipped unless in its text; a row that it begins is missing") \
	_(LONG, "line longer than 64 KiB: its text is clipped")                                    \
	_(STAGE, "stage missing in the configuration, and the stage table is full: skipped")       \
	_(EVENT, "event bit beyond the first 16 kinds: ignored")                                   \
	_(METRIC, "statistic beyond the first 64: skipped")                                        \
	_(BACKWARDS, "cycle number goes backward: read as the cycle before it")                  \
	_(DEAD, "stage entry of an instruction already removed: skipped")                          \
	_(REBORN, "instruction born again while alive: its row so far counts as lost")             \
	_(REUSED, "reused id of an ended instruction: starts a new row (reported 16 times)")    \
	_(CROWD, "too many instructions without a birth record: this one has no row")              \
	_(ENDED, "command for an instruction that has ended: skipped")                             \
	_(UNDEFINED, "command for an instruction that is not defined yet: skipped")                \
	_(REST_STAGE, "stage name beyond the first 63: shown as the stage other")           \
	_(REST_LANE, "lane beyond the first 15: shown as the lane other")                   \
	_(THREAD, "thread beyond the first 65534: shown without a thread")                         \
	_(NO_HEADER, "no header: read as a Kanata log of version 0004")                            \
	_(HEADER, "header is not \"Kanata\", a tab, \"0004\": read as that")             \
	_(VERSION, "format version is not 0004: read as 0004")                          \
	_(HEADER_AGAIN, "second header: does another trace begin here?")             \
	_(COMMAND, "unknown command: skipped")                                                     \
	_(LABEL, "label of an unknown kind, or before any stage: skipped")                         \
	_(ORPHAN, "stage line without a fetch line before it: skipped")                            \
	_(ENDLESS, "record without a retire line: read as squashed")                              \
	_(WRAPPED, "tick before its fetch: 32-bit difference overflowed, 2^32 added")               \
	_(EARLY, "tick before its fetch: ignored")                                          \
	_(NO_TYPE, "end of an instruction without its kind: read as retired")                     \
	_(LINK_TYPE, "kind of dependency beyond 255: read as 255")                                \
	_(LATE, "row too late to be sorted: stays where it was read")          \
	_(CLOCKS, "steps between ticks are not whole cycles: is there a second clock?")

enum bad {
#define BAD_ENUM(name, text) BAD_##name,
	BAD_INFO(BAD_ENUM)
#undef BAD_ENUM
	    BAD_OPTRACE, /* and the problems of its lines, in their order */
	BAD_COUNT = BAD_OPTRACE + OPTRACE_PROBLEMS
};

extern const char *const bad_texts[BAD_COUNT];
extern const char *const note_keys[NOTE_COUNT], *const note_helps[NOTE_COUNT];

enum record_kind {
	REC_TICK,   /* id: the tick; what follows happened in it */
	REC_BIRTH,  /* id; events: thread; birth: where the pc and the text stand in the line */
	REC_ENTER,  /* id, stage, events; enter: latency, lane */
	REC_LEAVE,  /* id, stage; enter: lane. In formats that say when a stage ends */
	REC_END,    /* id; stage: enum end_kind */
	REC_LABEL,  /* id; stage: enum label_kind; birth: pc and text as in REC_BIRTH; events: enum label_joint */
	REC_LINK,   /* id: who waited; stage: the link's type; link: for whom */
	REC_SAMPLE, /* stage: metric; value */
	REC_NOTE,   /* stage: enum note; id: how many */
	REC_BAD     /* stage: enum bad */
};

/* How a life ends: the format says it, or the stages it went through do (pipetrace). */
enum end_kind { END_BY_STAGES, END_RETIRED, END_FLUSHED };

/* Kanata's labels: what stands beside the row, what is told of it, what is told of its stage. */
enum label_kind { LABEL_TEXT, LABEL_DETAIL, LABEL_STAGE };

struct record {
	union {
		uint64_t id;
		double value;
	};
	uint32_t at;   /* of the line, from the start of the text given to the lexer */
	uint32_t line; /* its number, from 0 at the lexer's start */
	uint8_t kind;
	uint8_t stage;
	uint16_t events;
	union {
		struct {
			uint16_t pc, pc_len;    /* hex digits of the pc, from at; 0 long: none */
			uint32_t text, text_len; /* disassembly, from at */
		} birth;
		struct {
			int32_t latency; /* -1: none given */
			uint16_t colour; /* event kind (a bit) that the latency belongs to; 0: none */
			uint8_t lane;
		} enter;
		struct {
			uint32_t low, high; /* id of the producer */
		} link;
	};
};

/*
 * How a label's text follows what the row or stage has of that kind. A newline in a label counts as
 * a blank, whatever the kind: one is put where none stands there already.
 */
enum label_joint { LABEL_NEW, LABEL_GOES_ON_AT_BLANK, LABEL_GOES_ON };

static inline enum label_joint label_goes_on(const char *line)
{
	return *line == ' ' || *line == '\t' ? LABEL_GOES_ON_AT_BLANK : LABEL_GOES_ON;
}

/* What stands between it and the text so far, if there is any; labels of stages are lines. */
static inline char label_between(unsigned kind, unsigned joint)
{
	return joint == LABEL_GOES_ON			    ? ' '
	       : joint == LABEL_NEW && kind == LABEL_STAGE ? '\n'
							    : 0;
}

enum { LEX_BATCH = 256, LEX_LONG_LINE = 1 << 16 };

/* Lexing context of one stretch of text. */
struct lexer {
	struct names *names;
	struct names_view view; /* private copy, refreshed when a new name turns up */
	uint64_t line;          /* lines finished so far */
	size_t pos;             /* where the next line starts */
	unsigned metric_hint;   /* statistics come in the same order every cycle */
	int64_t tick;           /* of formats whose cycle lines count on: the caller sets it to begin with */
	bool tick_given;        /* the first cycle line is counted in it already */
	bool label_open;        /* the line before was a label, of label_id: the next may go on with it */
	uint8_t label_kind;     /* and of this kind */
	uint64_t label_id;
	bool may_name;          /* names not seen before get numbers; else they only set stumbled */
	bool may_count;         /* text is read once, and in order: count the names in last places */
	bool stumbled;          /* over a name that must be given a number, or counted */
};

/*
 * Numbers are given in the order of the text whoever reads it: only a lexer that is sure that all
 * text before its own has been lexed may name.
 */
void lexer_begin(struct lexer *lx, struct names *names, bool may_name);

/*
 * The same for text that begins at tick; at_cut: it begins with a cycle line, and tick is the one
 * that this line makes it (cycle lines of some formats count on from the one before).
 */
static inline void lexer_begin_at(struct lexer *lx, struct names *names, bool may_name, int64_t tick,
				  bool at_cut)
{
	lexer_begin(lx, names, may_name);
	lx->tick = tick;
	lx->tick_given = at_cut;
}

/* A stage's or lane's number; fresh: it shares its table's last place, which is to be told. */
struct lexer_name {
	int id;
	bool fresh;
};

/*
 * The number of a stage or lane, made when new and make is set: an end brings none into the world,
 * for a name that nobody has given yet is that of no open stage. -1: it has none. One compare, but
 * for names in a last place.
 */
struct lexer_name lexer_name(struct lexer *lx, enum names_table which, const char *p, size_t len,
			     bool make);

/*
 * Lex whole lines of text[0..len) from lx->pos into out (room for max >= 2 records) and return
 * how many; 0 when the text is used up. A last line without newline is lexed only when final
 * is set. slow forces the careful path (tests compare the two).
 */
size_t pipetrace_lex(struct lexer *lx, const char *text, size_t len, bool final, struct record *out,
		     size_t max);
size_t pipetrace_lex_slow(struct lexer *lx, const char *text, size_t len, bool final,
			  struct record *out, size_t max);

#endif
