/*
 * What gem5's rename stage says with the debug flag Rename, as far as it tells which register an
 * instruction read or wrote. The wording of three generations:
 *
 *   TICK: system.cpu.rename: [tid:0]: Processing instruction [sn:40] with PC ...
 *   ... Looking up IntRegClass arch reg 3 (flattened 3), got phys reg 64      (to 2017)
 *   ... Looking up integer arch reg 3, got phys reg 64 (integer)              (since)
 *   ... Looking up integer arch reg x3, got p64                               (XiangShan)
 *   TICK: global: Renamed reg 1 to physical reg 66 old mapping was 65
 *   ... Renaming arch reg 1 to physical reg 66.                               (to 2017)
 *   ... Renaming arch reg 1 (integer) to physical reg 66 (66).                (since)
 *   ... Rename map arch reg x1 (integer) to p66.                              (XiangShan)
 *
 * Where both name a class, numbers are counted by class; else over all classes. Kept apart by
 * what has lasted: the object rename, the brackets, "arch reg", "got" and "to".
 */
#include "config.h"

#include "pipeline/formats/o3pipeview.h"

#include <strings.h>

#define STR_LEN(s) (sizeof(s) - 1)

/* Behind word, which is looked for in p[0..end); NULL: it is not there. */
static const char *behind(const char *p, const char *end, const char *word, size_t len)
{
	const char *at = memmem(p, (size_t)(end - p), word, len);

	return at ? at + len : NULL;
}

#define BEHIND(p, end, word) behind(p, end, word, STR_LEN(word))

static bool begins(const char *p, const char *end, const char *word, size_t len)
{
	return (size_t)(end - p) >= len && memcmp(p, word, len) == 0;
}

#define BEGINS(p, end, word) begins(p, end, word, STR_LEN(word))

/* ---- registers --------------------------------------------------------------------------- */

/* "MiscRegClass", "miscellaneous", "invalid": of those nobody waits for a writer. */
static bool is_renamed(const char *word, size_t len)
{
	static const char *const fixed[] = {"misc", "invalid"};

	for (size_t i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++)
		if (len >= strlen(fixed[i]) && strncasecmp(word, fixed[i], strlen(fixed[i])) == 0)
			return false;
	return true;
}

/* " (integer)" at p -> its word; len 0: there is none, or a number. */
static const char *class_at(const char *p, const char *end, size_t *len)
{
	const char *close;

	*len = 0;
	if (!BEGINS(p, end, " ("))
		return p;
	p += 2;
	close = memchr(p, ')', (size_t)(end - p));
	if (close && p < close && (*p < '0' || *p > '9'))
		*len = (size_t)(close - p);
	return p;
}

/* A class's register among those of all classes: FNV-1a of the class, spread by its number. */
static uint64_t reg_of(const char *word, size_t len, uint64_t number)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < len; i++)
		h = (h ^ (unsigned char)word[i]) * UINT64_C(0x100000001b3);
	return h + number * UINT64_C(0x9e3779b97f4a7c15);
}

/* "physical reg 66", "phys reg 66" or "p66" -> behind the number; NULL: none of them. */
static const char *physical(const char *p, const char *end, uint64_t *number, bool *flat)
{
	bool overflow = false;
	const char *stop;

	if (!BEGINS(p, end, "p"))
		return NULL;
	for (stop = p; stop < end && (*stop < '0' || *stop > '9');)
		stop++;
	*flat = stop == p + 1;
	if (!*flat && (stop - p < 5 || memcmp(stop - 5, " reg ", 5) != 0))
		return NULL;
	stop = scan_dec_field(stop, end, number, &overflow);
	return overflow ? NULL : stop;
}

/* "Looking up integer arch reg 3, got ..." */
static bool reads(const char *p, const char *end, struct row_rename *out)
{
	uint64_t number;
	size_t class_len;
	bool flat;

	if (!BEGINS(p, end, "Looking up "))
		return false;
	p += STR_LEN("Looking up ");
	if (!is_renamed(p, (size_t)(end - p)) || !(p = memchr(p, ',', (size_t)(end - p))) ||
	    !BEGINS(p, end, ", got ") ||
	    !(p = physical(p + STR_LEN(", got "), end, &number, &flat)))
		return false;
	p = class_at(p, end, &class_len);
	out->kind = RENAME_READS;
	out->reg = reg_of(p, class_len, number);
	return is_renamed(p, class_len);
}

/* The line before; NULL: there is none in the text. */
static const char *line_before(const char *text, const char *line)
{
	const char *nl = line > text ? memrchr(text, '\n', (size_t)(line - 1 - text)) : NULL;

	return line == text ? NULL : nl ? nl + 1 : text;
}

/*
 * Does the line before say that the register was that of the rename before: one that is always the
 * same, as that for zero? One that is written in parts by several stays the same, too, but is
 * written.
 */
static bool is_kept(const char *text, const char *line)
{
	const char *before = line_before(text, line), *pinned, *p;
	uint64_t now = 0, was = 0;
	bool overflow = false;

	if (!before || !(p = BEHIND(before, line, " to physical reg ")) ||
	    !scan_dec_field(p, line, &now, &overflow) ||
	    !(p = BEHIND(p, line, "old mapping was ")) ||
	    !scan_dec_field(p, line, &was, &overflow) || overflow || now != was)
		return false;
	pinned = line_before(text, before);
	return !pinned || !BEHIND(pinned, before, "Renaming pinned reg");
}

/*
 * "Renaming arch reg 1 (integer) to ...", "Rename map arch reg ...". "Mov map arch reg ..." gives
 * the register of another instruction, which is the one to wait for.
 */
static bool writes(const char *p, const char *end, struct row_rename *out)
{
	const char *word;
	uint64_t number;
	size_t class_len;
	bool flat;

	if (!BEGINS(p, end, "Renam") || !(p = BEHIND(p, end, "arch reg ")))
		return false;
	while (p < end && *p != ' ')
		p++;
	word = class_at(p, end, &class_len);
	if (!(p = BEHIND(word, end, " to ")) || !physical(p, end, &number, &flat))
		return false;
	out->kind = RENAME_WRITES;
	out->reg = reg_of(word, flat ? 0 : class_len, number);
	return true;
}

/* ---- lines ------------------------------------------------------------------------------- */

/* "  78500: " -> 78500; -1: the line does not say. */
static int64_t tick_of(const char *p, const char *end)
{
	bool overflow = false;
	uint64_t tick;

	while (p < end && *p == ' ')
		p++;
	p = scan_dec_field(p, end, &tick, &overflow);
	return p && p < end && *p == ':' && !overflow && tick < (uint64_t)O3_TICK_END
		   ? (int64_t)tick
		   : -1;
}

/*
 * What the object rename says, behind the thread's bracket; NULL: it is another that speaks. Its
 * name is a word of the first few: the tick stands before it, with gem5's FmtFlag the flag, too.
 */
static const char *speech(const char *line, const char *end)
{
	enum { WORDS = 3, NAME = STR_LEN(ROWS_RENAME) - 1 };
	const char *stop = end - line > O3_OBJECT ? line + O3_OBJECT : end, *p = line, *space;

	while (p < stop && *p == ' ')
		p++;
	for (int i = 0; i < WORDS; i++, p = space + 1) {
		space = memchr(p, ' ', (size_t)(stop - p));
		if (!space)
			return NULL;
		if (space - p < NAME || memcmp(space - NAME, ROWS_RENAME, NAME) != 0)
			continue;
		p = space + 1;
		if (BEGINS(p, end, "[tid:"))
			p = memchr(p, ']', (size_t)(end - p));
		while (p && p < end && (*p == ']' || *p == ':' || *p == ' '))
			p++;
		return p;
	}
	return NULL;
}

bool o3_reads(const char *line, const char *end)
{
	const char *p = speech(line, end);
	struct row_rename ignored;

	return p && reads(p, end, &ignored);
}

bool o3_renames(const char *text, const char *line, const char *end, struct row_rename *out)
{
	const char *p = speech(line, end);

	if (!p)
		return false;
	*out = (struct row_rename){.kind = RENAME_BEGINS, .thread = -1};
	out->has_id = o3_bracket(p, end, "[sn:", &out->id) != NULL;
	if (!(BEGINS(p, end, "Processing instruction ") && out->has_id) && !reads(p, end, out) &&
	    !(writes(p, end, out) && !is_kept(text, line)))
		return false;
	o3_speaker(line, end, &out->cpu, &out->thread);
	out->tick = tick_of(line, end);
	return true;
}
