/*
 * What a reader makes of text: an array of small records, in the order of the lines.
 *
 * Records carry the file's own ids and offsets relative to the text they were lexed from;
 * the consumer gives them rows. One record never needs another to be understood, so a stretch
 * of text that begins at a cycle line can be lexed by itself.
 */
#ifndef PIPEGLASS_READER_RECORD_H
#define PIPEGLASS_READER_RECORD_H

#include <stdint.h>

#include "reader/names.h"

/* What the format documents explain and what is therefore no warning: key in notes{}, help */
#define NOTE_INFO(_)                                                                               \
	_(SECOND_REMOVAL, "second-removals", "removals of instructions already removed")           \
	_(FOREIGN, "foreign-lines", "lines that are no trace records")                             \
	_(UNTRACED, "untraced-statistics", "statistics whose name begins with NT")                 \
	_(TEXT_VALUE, "text-statistics", "statistics whose value is not a number")                 \
	_(EXTRA_FIELDS, "extra-fields", "records with fields behind the known ones")               \
	_(END_MARK, "end-marks", "end-of-trace marks")                                             \
	_(CRLF, "crlf-lines", "lines that end in CR LF")

enum note {
#define NOTE_ENUM(name, key, help) NOTE_##name,
	NOTE_INFO(NOTE_ENUM)
#undef NOTE_ENUM
	    NOTE_COUNT
};

/* What is wrong with a line: shown in the list of warnings. */
#define BAD_INFO(_)                                                                                \
	_(CUT, "line cut by the end of the file")                                                  \
	_(MALFORMED, "record with missing or malformed fields")                                    \
	_(OVERFLOW, "number too large")                                                            \
	_(NUL, "line with NUL bytes")                                                              \
	_(LONG, "line longer than 64 KiB: its text is clipped")                                    \
	_(STAGE, "stage that the configuration does not name, and no room for more")               \
	_(EVENT, "event bit beyond the first 16 kinds")                                            \
	_(METRIC, "statistic beyond the first 64")                                                 \
	_(BACKWARDS, "cycle number goes backwards: taken as the cycle before it")                  \
	_(DEAD, "stage entry of an instruction already removed")                                   \
	_(REBORN, "instruction born again while alive")                                            \
	_(CROWD, "too many instructions without a birth record")

enum bad {
#define BAD_ENUM(name, text) BAD_##name,
	BAD_INFO(BAD_ENUM)
#undef BAD_ENUM
	    BAD_COUNT
};

extern const char *const bad_texts[BAD_COUNT];
extern const char *const note_keys[NOTE_COUNT];

enum record_kind {
	REC_TICK,   /* id: the tick; what follows happened in it */
	REC_BIRTH,  /* id; birth: where the pc and the text stand in the line */
	REC_ENTER,  /* id, stage, events; enter: latency */
	REC_END,    /* id */
	REC_SAMPLE, /* stage: metric; value */
	REC_NOTE,   /* stage: enum note; id: how many */
	REC_BAD     /* stage: enum bad */
};

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
		} enter;
	};
};

enum { LEX_BATCH = 256, LEX_LONG_LINE = 1 << 16 };

/* Lexing context of one stretch of text. */
struct lexer {
	struct names *names;
	struct names_view view; /* private copy, refreshed when a new name turns up */
	uint64_t line;          /* lines finished so far */
	size_t pos;             /* where the next line starts */
	unsigned metric_hint;   /* statistics come in the same order every cycle */
	bool may_name;          /* names not seen before get numbers; else they only set stumbled */
	bool stumbled;
};

/*
 * Numbers are given in the order of the text whoever reads it: only a lexer that is sure that all
 * text before its own has been lexed may name.
 */
void lexer_begin(struct lexer *lx, struct names *names, bool may_name);

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
