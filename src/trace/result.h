/*
 * The shape that every result has, of a trace or of an analysis, so that its JSON, its tables and
 * its panes are made by code that knows neither.
 *
 * A result is some struct; a section is one list in it, described by a table of fields, and a whole
 * result is a table of sections, which ends with key == NULL. A field is a scalar, or has parts:
 * one for each stage or event of the trace, for each of several runs, or for each element of a
 * list. Its values are members of a struct of the row, or what a getter says, which costs O(1) and
 * allocates nothing. Text in a value is raw bytes of the trace (hostile) and lives as long as what
 * the result is of.
 */
#ifndef PIPEGLASS_TRACE_RESULT_H
#define PIPEGLASS_TRACE_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where it is a member of a struct: its C type, and what stands there when it is not known. */
enum value_type {
	VALUE_NONE,
	VALUE_TEXT,  /* const char *; NULL */
	VALUE_COUNT, /* uint64_t; UINT64_MAX */
	VALUE_TICKS, /* int64_t; a negative one */
	VALUE_REAL,  /* double; NaN */
	VALUE_HEX,   /* uint64_t; UINT64_MAX */
	VALUE_BOOL   /* bool */
};

struct value {
	enum value_type type; /* VALUE_NONE: not known, null */
	union {
		struct {
			const char *p;
			size_t len;
		} text;
		uint64_t count; /* VALUE_COUNT, VALUE_HEX */
		int64_t ticks;
		double real;
		bool yes;
	};
};

/* What the parts of a field are: in JSON, and in a table. */
enum field_shape {
	FIELD_OBJECT, /* members of an object; a column each, by their names, behind a heading if there is one */
	FIELD_LIST,   /* elements of a list, without those of no value; a column together */
	FIELD_RUNS    /* the same of several runs; of one run it is a scalar */
};

struct section;

struct field {
	const char *key;  /* in JSON, and, without a heading, that of its column */
	const char *unit; /* NULL: a plain number or text; UNIT_TICK: the trace's own unit;
			     UNIT_SECOND: people read it as 12.5 us, and so ticks of "ps" */
	enum value_type type;
	/* NULL for a scalar; else how many parts there are, and their names or numbers */
	size_t (*parts)(const void *result);
	const char *(*part)(const void *result, size_t part);
	const char *(*told)(const void *result, size_t part); /* for people, of an object; NULL: that */
	int64_t (*part_number)(const void *result, size_t part);
	struct value (*get)(const void *result, size_t row, size_t part);
	/* Without get: a member of this struct; NULL: of the result */
	const void *(*of)(const void *result, size_t row);
	size_t offset, stride; /* from part to part; 0: an array of values */
	/* A part that gives way first where there is no room for all, the greatest number first; NULL: 0, one that stays */
	int (*minor)(const void *result, size_t part);
	bool derived; /* a sum of others, for people: not in JSON */
	bool hidden;  /* for programs: in JSON only */
	const char *heading;
	enum field_shape shape;
	/* Of a real number: digits behind the point (0: six in all), a sign always, percent of 1.
	 */
	unsigned char decimals;
	bool sign, percent;
	bool name;  /* a number that is a name: without blanks between its digits */
	bool path;  /* a dotted name whose last words say most */
	bool blank; /* people do not want to see zeros */
	bool keeps_zeros; /* a column of zeros alone has its place, too, in a narrow table */
	bool sparse; /* an object without the parts that are not known; null: none is */
	/* Rows of its own in JSON, or an object, or the one field, of the member, as a section: only of
	   what is hidden. */
	const struct section *inner;
	bool bar;   /* panes draw it as well, */
	struct value (*mark)(const void *result, size_t part); /* with a stroke here; or NULL */
};

#define UNIT_TICK "tick"
#define UNIT_SECOND "s"

/* What every field has: {FIELD(COUNT, "spans", component_of, struct component, spans)} */
#define FIELD(type_, key_, of_, struct_, member_)                                                  \
	.key = key_, .type = VALUE_##type_, .of = of_, .offset = offsetof(struct_, member_)
#define FIELD_BY(type_, key_, get_) .key = key_, .type = VALUE_##type_, .get = get_

/* How a section stands in the JSON of its result; people get those of one row as KEY VALUE. */
enum section_form {
	SECTION_LIST,    /* "KEY": [{...}, ...] */
	SECTION_TUPLES,  /* "KEY": [[...], ...] */
	SECTION_COLUMNS, /* "FIELD": [...] of each field, in the object around */
	SECTION_FIELDS,  /* the fields of its one row, in the object around */
	SECTION_OBJECT   /* "KEY": {...} of its one row; of none: null */
};

struct section {
	const char *key; /* "pcs" */
	size_t (*rows)(const void *result);
	const struct field *fields; /* ends with key == NULL */
	enum section_form form;
	const char *title;           /* above it; NULL: its key, or nothing where it has one row */
	const char *about;           /* below that in a pane: what it means, what to do; or NULL */
	const struct section *inner; /* of an object: what it has behind its fields */
	bool derived, hidden;        /* as of a field */
	bool whole;                  /* short: it is not cut where rows are limited */
};

#define SECTION(form_, key_, rows_, fields_)                                                       \
	.key = key_, .form = SECTION_##form_, .rows = rows_, .fields = fields_

/* The rows of a section are a VEC of a result: NAME_rows() and NAME_of() of it. */
#define SECTION_ROWS(name_, result_, list_)                                                        \
	static size_t name_##_rows(const void *result)                                             \
	{                                                                                          \
		const result_ *r = result;                                                         \
                                                                                                   \
		return r->list_.count;                                                             \
	}                                                                                          \
	static const void *name_##_of(const void *result, size_t row)                              \
	{                                                                                          \
		const result_ *r = result;                                                         \
                                                                                                   \
		return &r->list_.data[row];                                                        \
	}

struct value field_value(const struct field *f, const void *result, size_t row, size_t part);
/* 1 of a scalar. */
size_t field_parts(const struct field *f, const void *result);
/* It has neither parts nor several runs. */
bool field_is_scalar(const struct field *f, const void *result);
enum { FIELD_NAME = 64 };
/* What a part is called. */
const char *field_part(const struct field *f, const void *result, size_t part,
		       char buf[FIELD_NAME]);
/* What stands above its column. */
const char *field_heading(const struct field *f, const void *result, size_t part,
			  char buf[FIELD_NAME]);
/* The section is a list of fields of one thing. */
bool section_is_one(const struct section *s);
const char *section_title(const struct section *s); /* "": none */

/* For tables: the row of what has one; what gives way first; a part whose name is its number. */
size_t section_one_row(const void *result);
int field_is_minor(const void *result, size_t part);
int64_t field_part_number(const void *result, size_t part);

struct value value_none(void);
struct value value_text(const char *text); /* NULL: value_none() */
struct value value_bytes(const char *p, size_t len);
struct value value_count(uint64_t count);
struct value value_ticks(int64_t ticks);
struct value value_real(double real); /* NaN: value_none() */
struct value value_hex(uint64_t number);
struct value value_bool(bool yes);

#endif
