/*
 * gem5's other debug lines, as far as they name an instruction: `TICK: system.cpu1.iew: [tid:0]
 * ... [sn:17] ...`. Wording differs between releases (2.8), these two brackets have lasted.
 */
#include "config.h"

#include "reader/o3pipeview.h"

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

/* "cpu1", "switch_cpus1", "cores1" -> 1; CPU_NONE: it is no CPU, or the only one. */
static uint16_t cpu_of_part(const char *p, const char *end)
{
	static const char cpu[] = "cpu", core[] = "core";
	const char *digits = end;
	size_t len = (size_t)(end - p);
	unsigned n = 0;

	while (digits > p && is_digit(digits[-1]))
		digits--;
	if (digits == end ||
	    (!memmem(p, len, cpu, sizeof(cpu) - 1) && !memmem(p, len, core, sizeof(core) - 1)))
		return CPU_NONE;
	while (digits < end && n < CPU_NONE / 10 - 1)
		n = n * 10 + (unsigned)(*digits++ - '0');
	return (uint16_t)n;
}

/*
 * "  78500: system.cpu1.fetch: " -> 1, "78500: board.processor.cores1.core.rename: " -> 1: of the
 * last part of the object's name that is one of several CPUs.
 */
static uint16_t cpu_of(const char *p, const char *end)
{
	const char *colon, *dot;
	uint16_t cpu = CPU_NONE;

	while (p < end && (*p == ' ' || is_digit(*p)))
		p++;
	if (p >= end || *p != ':')
		return CPU_NONE;
	colon = memchr(p + 1, ':', (size_t)(end - p - 1));
	end = colon ? colon : end;
	for (p++; p < end; p = dot + 1) {
		uint16_t part;

		dot = memchr(p, '.', (size_t)(end - p));
		dot = dot ? dot : end;
		part = cpu_of_part(p, dot);
		cpu = part != CPU_NONE ? part : cpu;
	}
	return cpu;
}

void o3_speaker(const char *line, const char *end, uint16_t *cpu, int32_t *thread)
{
	uint64_t value;

	*thread = o3_bracket(line, end, "[tid:", &value) && value < 1000 ? (int32_t)value : -1;
	*cpu = cpu_of(line, end);
}

bool o3_debug_line(const char *line, const char *end, struct row_told *out)
{
	if (!o3_bracket(line, end, "[sn:", &out->id))
		return false;
	o3_speaker(line, end, &out->cpu, &out->thread);
	out->used = true;
	return true;
}

/*
 * Of several lines about one instruction, none takes back what another has told. Numbers of two
 * CPUs collide: the last one spoken of is the one whose instruction is destroyed next, as a rule.
 */
void o3_remember(struct row_lexer *lx, const struct row_told *told)
{
	struct row_told *slot = &lx->told[told->id & (ROWS_TOLD - 1)];
	bool same = slot->used && slot->id == told->id &&
		    (told->cpu == CPU_NONE || slot->cpu == CPU_NONE || told->cpu == slot->cpu);

	if (told->thread < 0 && told->cpu == CPU_NONE)
		return;
	lx->any_told = true;
	if (!same) {
		*slot = *told;
		return;
	}
	slot->off = told->off;
	if (told->thread >= 0)
		slot->thread = told->thread;
	if (told->cpu != CPU_NONE)
		slot->cpu = told->cpu;
}

void o3_recall(const struct row_lexer *lx, struct text_row *row)
{
	const struct row_told *told = &lx->told[row->id & (ROWS_TOLD - 1)];

	if (!told->used || told->id != row->id || told->off > row->off ||
	    row->off - told->off > ROWS_CONTEXT)
		return;
	row->cpu = told->cpu;
	if (row->has_thread || (told->thread < 0 && told->cpu == CPU_NONE))
		return;
	row->has_thread = true;
	row->thread = (told->cpu == CPU_NONE ? 0 : told->cpu) +
		      (told->thread > 0 ? INT64_C(1000) * told->thread : 0);
	if (told->cpu == CPU_NONE)
		row->thread = told->thread;
}
