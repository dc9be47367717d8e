/*
 * gem5's other debug lines, as far as they name an instruction: `TICK: system.cpu1.iew: [tid:0]
 * ... [sn:17] ...`. Wording differs between releases (2.8), these two brackets have lasted.
 */
#include "config.h"

#include "pipeline/formats/o3pipeview.h"

#include <stdlib.h>

enum { CPU_NUMBER_MOST = 65000 };

const char *o3_bracket(const char *p, const char *end, const char *open, uint64_t *value)
{
	size_t len = strlen(open);
	const char *at = memmem(p, (size_t)(end - p), open, len);
	bool overflow = false;

	return at ? scan_dec_field(at + len, end, value, &overflow) : NULL;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* FNV-1a, folded: what stands before the number in a CPU's name. */
static uint32_t hash_of(const char *p, const char *end)
{
	uint32_t h = UINT32_C(0x811c9dc5);

	for (; p < end; p++)
		h = (h ^ (unsigned char)*p) * UINT32_C(0x01000193);
	return (h >> 16 ^ h) & 0xffff;
}

/*
 * The part p[0..end) of a name: "cpu1", "switch_cpus1", "cores1" -> CPU 1 of those whose names have
 * the same before the number; CPU_NONE: it is no CPU, or the only one.
 */
static uint32_t cpu_of_part(const char *name, const char *p, const char *end)
{
	static const char cpu[] = "cpu", core[] = "core";
	const char *digits = end, *from;
	size_t len = (size_t)(end - p);
	uint32_t n = 0;

	while (digits > p && is_digit(digits[-1]))
		digits--;
	if (digits == end ||
	    (!memmem(p, len, cpu, sizeof(cpu) - 1) && !memmem(p, len, core, sizeof(core) - 1)))
		return CPU_NONE;
	from = digits;
	while (digits < end && n < CPU_NUMBER_MOST / 10)
		n = n * 10 + (unsigned)(*digits++ - '0');
	return hash_of(name, from) << CPU_NUMBER_BITS | n;
}

/*
 * "  78500: system.cpu1.fetch: " -> 1, "78500: board.processor.cores1.core.rename: " -> 1: of the
 * last part of the object's name that is one of several CPUs. system.big.cpu1 is another 1.
 */
static uint32_t cpu_of(const char *p, const char *end)
{
	const char *colon, *dot, *name;
	uint32_t cpu = CPU_NONE;

	while (p < end && (*p == ' ' || is_digit(*p)))
		p++;
	if (p >= end || *p != ':')
		return CPU_NONE;
	colon = memchr(p + 1, ':', (size_t)(end - p - 1));
	end = colon ? colon : end;
	for (p++; p < end && *p == ' ';)
		p++;
	for (name = p; p < end; p = dot + 1) {
		uint32_t part;

		dot = memchr(p, '.', (size_t)(end - p));
		dot = dot ? dot : end;
		part = cpu_of_part(name, p, dot);
		cpu = part != CPU_NONE ? part : cpu;
	}
	return cpu;
}

void o3_speaker(const char *line, const char *end, uint32_t *cpu, int32_t *thread)
{
	uint64_t value;

	*thread = o3_bracket(line, end, "[tid:", &value) && value < 1000 ? (int32_t)value : -1;
	*cpu = cpu_of(line, end);
}

/* "... with PC (0x1010=>0x1014).(0=>1)": the instruction's own. */
static bool pc_of(const char *line, const char *end, uint64_t *pc)
{
	static const char open[] = " PC (0x";
	const char *at = memmem(line, (size_t)(end - line), open, sizeof(open) - 1);
	bool overflow = false;

	return at && scan_hex_field(at + sizeof(open) - 1, end, pc, &overflow) && !overflow;
}

bool o3_debug_line(const char *line, const char *end, struct row_told *out)
{
	if (!o3_bracket(line, end, "[sn:", &out->id))
		return false;
	o3_speaker(line, end, &out->cpu, &out->thread);
	out->has_pc = pc_of(line, end, &out->pc);
	return true;
}

/* ---- whose instruction it is ------------------------------------------------------------- */

/* Is the place, + 1, near enough before another? */
static bool is_near(uint64_t place, uint64_t off)
{
	return place && place - 1 <= off && off - (place - 1) <= ROWS_TOLD_BEFORE;
}

/* A number is one instruction's of a CPU, whichever of its threads. */
static bool is_speaker(const struct row_speaker *s, const struct row_told *told)
{
	return s->cpu == told->cpu && (s->cpu != CPU_NONE || s->thread == told->thread);
}

/* The one that told, or a place for it; NULL: there is none. */
static struct row_speaker *speaker_of(struct row_number *n, const struct row_told *told)
{
	struct row_speaker *s = NULL;

	for (unsigned i = 0; i < n->count; i++)
		if (is_speaker(&n->by[i], told))
			return &n->by[i];
	if (n->count < ROWS_SPEAKERS)
		s = &n->by[n->count++];
	for (unsigned i = 0; !s && i < n->count; i++)
		if (!is_near(n->by[i].last, told->off))
			s = &n->by[i];
	if (s)
		*s = (struct row_speaker){.cpu = told->cpu, .thread = -1};
	return s;
}

void o3_remember(struct row_lexer *lx, const struct row_told *told)
{
	struct row_number *n;
	struct row_speaker *s;

	if (told->thread < 0 && told->cpu == CPU_NONE)
		return;
	if (!lx->told && !(lx->told = calloc(ROWS_TOLD, sizeof(*lx->told)))) {
		lx->damaged = true;
		return;
	}
	lx->any_told = true;
	n = &lx->told[told->id & (ROWS_TOLD - 1)];
	if (n->id != told->id)
		*n = (struct row_number){.id = told->id};
	s = speaker_of(n, told);
	if (!s) {
		n->crowded = told->off + 1;
		return;
	}
	s->last = told->off + 1;
	if (told->thread >= 0)
		s->thread = told->thread;
	if (told->has_pc) {
		s->pc = told->pc;
		s->pc_last = s->last;
	}
}

/*
 * The only one that spoke before the last record of this number: that was its instruction. Of a
 * record in the farther half of what is looked at, others may have spoken where nobody looks.
 */
static const struct row_speaker *recorded(const struct row_number *n, uint64_t off)
{
	const struct row_speaker *only = NULL;

	if (!is_near(n->record, off) || off - (n->record - 1) > ROWS_TOLD_BEFORE / 2)
		return NULL;
	for (unsigned i = 0; i < n->count; i++) {
		const struct row_speaker *s = &n->by[i];

		if (s->cpu == CPU_NONE || !is_near(s->before, off))
			continue;
		if (only)
			return NULL;
		only = s;
	}
	return only;
}

/*
 * Numbers of several CPUs collide, and a record may come long after what was told of it. So whose
 * it is must follow: lines of all others tell of another pc, or their record was there before.
 * Lines without a CPU count where none names one. NULL: nothing was told, or *unclear.
 */
static const struct row_speaker *whose(const struct row_number *n, uint64_t off, uint64_t pc,
				       bool *unclear)
{
	const struct row_speaker *gone = recorded(n, off), *found = NULL;
	unsigned named = 0, left = 0;

	for (unsigned i = 0; i < n->count; i++)
		named += n->by[i].cpu != CPU_NONE && is_near(n->by[i].last, off);
	*unclear = is_near(n->crowded, off);
	for (unsigned i = 0; i < n->count; i++) {
		const struct row_speaker *s = &n->by[i];

		if (!is_near(s->last, off) || (named && s->cpu == CPU_NONE))
			continue;
		*unclear |= named > 0;
		if (s == gone || (named && is_near(s->pc_last, off) && s->pc != pc))
			continue;
		left++;
		found = s;
	}
	*unclear |= left > 1;
	if (left != 1 || is_near(n->crowded, off))
		return NULL;
	*unclear = false;
	return found;
}

void o3_recall(struct row_lexer *lx, struct text_row *row, uint64_t pc)
{
	struct row_number *n = &lx->told[row->id & (ROWS_TOLD - 1)];
	const struct row_speaker *told;
	bool unclear;

	if (n->id != row->id)
		return;
	told = whose(n, row->off, pc, &unclear);
	lx->notes[NOTE_AMBIGUOUS_NUMBERS] += unclear;
	n->record = row->off + 1;
	for (unsigned i = 0; i < n->count; i++)
		n->by[i].before = n->by[i].last;
	if (!told)
		return;
	row->cpu = told->cpu;
	if (row->has_thread)
		return;
	row->has_thread = true;
	row->thread = told->thread;
	if (told->cpu != CPU_NONE)
		row->thread = thread_of_cpu(told->cpu, told->thread);
}
