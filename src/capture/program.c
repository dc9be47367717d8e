#include "config.h"

#include "capture/program.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/ids.h"
#include "base/regex.h"
#include "simulator/simulator.h"

enum {
	LINE_BITS = 18,        /* of chiron_source() */
	LINES_BACK = 3,        /* that a statement begins earlier */
	SOURCE_BYTES = 8 << 20 /* of a file of source that is looked into */
};

struct place {
	uint64_t source;
	int32_t file;
	int line;
	int32_t made; /* a name; -1: not asked for yet */
};

/* ---- what the source calls it ---- */

/* Up to what is looked for; a comment is passed over as a whole. */
#define SKIP "(?> // \\N* | /\\* .*? (?: \\*/ | \\z ) | . )*? "

/* What is made, the best name first; it begins behind \K. */
static const char makes[] =
	"(?xs) (?(DEFINE)"
	"  (?<arguments> < (?: [^<>] | (?&arguments) )*+ > )"
	"  (?<index> \\[ (?: [^][] | (?&index) )*+ \\] )"
	"  (?<type> (?: [\\w:] | (?&arguments) )++ )"
	"  (?<held> [A-Za-z_:] (?: [\\w.:] | -> | (?&index) )*+ ) )"
	"^ (?:"
	/* the class behind new; numbers and the like are better told by who holds them */
	SKIP "\\b new \\b \\s* (?: \\( [^)]* \\) \\s* )?+"
	"  (?: (?: const | struct | class | typename ) \\b \\s* )*+ \\K"
	"  (?! (?: auto | bool | char | double | float | int | long | short | signed | unsigned"
	"	 | size_t | void ) \\b | std:: | \\d | _[A-Z] ) (?&type) |"
	/* posix_memalign((void **)&p, ...) */
	SKIP "posix_memalign [^&]* & \\s* \\K (?&held) (?= \\s* [,)] ) |"
	/* what an allocation is assigned to, not compared with; or the result of a call */
	SKIP "\\K (?&held) (?= \\s* = (?!=) (?: [=!<>]= | [^=;] )*? (?: alloc | \\b new ) ) |"
	SKIP "\\K (?&held) (?= \\s* = (?!=) \\s* (?&type) \\s* \\( )"
	")";

/* The statement on a line, from its first line on; NULL: there is no such line. */
static const char *find_statement(const char *text, size_t len, int line, size_t *length)
{
	const char *p = line > 0 ? text : NULL, *const end = text + len, *stop;
	int back = 0;

	for (; p && line > 1; line--) {
		p = memchr(p, '\n', (size_t)(end - p));
		p = p ? p + 1 : NULL;
	}
	if (!p || p >= end)
		return NULL;
	stop = memchr(p, '\n', (size_t)(end - p));
	/* up to a line that ends a statement or a comment */
	for (const char *q = p; q > text && back < LINES_BACK && !strchr(";{}/", q[-1]); q--)
		if (q < p && q[-1] == '\n') {
			p = q;
			back++;
		}
	*length = (size_t)((stop ? stop : end) - p);
	return p;
}

static bool in_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Without the blanks that it does not need. */
static void put_name(const char *text, size_t len, struct sbuf *out)
{
	for (size_t i = 0; i < len; i++)
		if (!isspace((unsigned char)text[i]) ||
		    (i && i + 1 < len && in_name(text[i - 1]) && in_name(text[i + 1])))
			sbuf_putc(out, text[i]);
}

bool program_put_name(const struct program *p, const char *text, size_t len, int line,
		      struct sbuf *out)
{
	size_t length = 0, from, to;
	const char *statement = find_statement(text, len, line, &length);

	if (!statement || !regex_match(p->makes, statement, length, &from, &to))
		return false;
	put_name(statement + from, to - from, out);
	return true;
}

/* ---- opening ---- */

static void take_file(void *context, const char *path)
{
	struct program *p = context;

	(void)intern_add(p->files, path, strlen(path));
}

/* Its files are known before its first line, for those who read the trace while it is written. */
struct program *program_open(const char *path, uint64_t address)
{
	struct program *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->path = path;
	p->address = address;
	p->known = ids_new();
	p->files = intern_new();
	p->names = intern_new();
	if (!p->known || !p->files || !p->names || regex_new(&p->makes, makes, NULL)) {
		program_close(p);
		return NULL;
	}
	(void)binary_open(&p->binary, path, &address, NULL);
	binary_read_data(p->binary, take_file, p);
	return p;
}

void program_close(struct program *p)
{
	if (!p)
		return;
	binary_close(p->binary);
	regex_free(p->makes);
	ids_free(p->known);
	vec_free(&p->places);
	intern_free(p->files);
	intern_free(p->names);
	free(p);
}

/* ---- lines ---- */

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* What an allocator of "new_allocator<Node>" allocates; -1: it is none. */
static int32_t argument_of(struct program *p, const char *template)
{
	const char *from = template ? strchr(template, '<') : NULL;
	const char *to = from ? strrchr(from, '>') : NULL;
	struct sbuf name = {0};
	int32_t kept;

	if (to)
		put_name(from + 1, (size_t)(to - from - 1), &name);
	kept = name.len && !name.failed ? intern_add(p->names, name.text, name.len) : -1;
	sbuf_free(&name);
	return kept;
}

/* The line of a call, which is before its return address. Returns as binary_outside(). */
static const char *find_line(struct program *p, uint64_t address, struct code_place *out)
{
	const uint64_t call = address - 1;

	*out = (struct code_place){0};
	if (p->binary)
		binary_locate(p->binary, &call, 1, out);
	return binary_outside(p->binary, call, out);
}

static bool locate(struct program *p, uint64_t address, struct place *out)
{
	const uint64_t mask = (UINT64_C(1) << LINE_BITS) - 1, rest = address - 1 - p->address;
	struct code_place at;
	struct sbuf path = {0};

	out->made = argument_of(p, find_line(p, address, &at));
	if (at.file)
		sbuf_puts(&path, at.file);
	else
		sbuf_printf(&path, "%s+0x%" PRIx64, base_name(p->path), rest & ~mask);
	out->line = at.file ? at.line : (int)(rest & mask);
	out->file = path.failed ? -1 : intern_add(p->files, path.text, path.len);
	out->source = chiron_source((uint64_t)out->file + 1, (uint64_t)out->line);
	sbuf_free(&path);
	return out->file >= 0;
}

/* NULL: no memory. */
static struct place *place_of(struct program *p, uint64_t pc)
{
	struct id *id = ids_at(p->known, ids_number(p->known, pc));
	struct place place;

	if (!id)
		return NULL;
	if (id->row == IDS_NONE) {
		if (!locate(p, pc, &place) || !vec_push(&p->places, place))
			return NULL;
		id->row = (uint32_t)p->places.count - 1;
	}
	return &p->places.data[id->row];
}

uint64_t program_source(struct program *p, uint64_t pc)
{
	const struct place *place = place_of(p, pc);

	return place ? place->source : 0;
}

void program_put_address(struct program *p, uint64_t address, struct sbuf *out)
{
	const struct symbol *v = binary_variable(p->binary, address);
	struct code_place at;

	(void)find_line(p, address, &at);
	if (v && v->address == address)
		sbuf_puts(out, v->name);
	else if (at.file)
		sbuf_printf(out, "%s:%d", base_name(at.file), at.line);
	else
		sbuf_printf(out, "0x%" PRIx64, address);
}

/* -1: no memory. */
static int32_t name_place(struct program *p, const struct place *place)
{
	const char *path = intern_name(p->files, place->file);
	struct sbuf text = {0}, name = {0};
	int32_t kept;

	if (!sbuf_read(&text, path, SOURCE_BYTES) ||
	    !program_put_name(p, text.text, text.len, place->line, &name))
		sbuf_printf(&name, "%s:%d", base_name(path), place->line);
	kept = name.failed ? -1 : intern_add(p->names, name.text, name.len);
	sbuf_free(&text);
	sbuf_free(&name);
	return kept;
}

const char *program_made(struct program *p, uint64_t pc)
{
	struct place *place = place_of(p, pc);

	if (place && place->made < 0)
		place->made = name_place(p, place);
	return place && place->made >= 0 ? intern_name(p->names, place->made) : NULL;
}
