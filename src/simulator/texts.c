#include "config.h"

#include <string.h>

#include "base/num.h"
#include "base/sbuf.h"
#include "simulator/simulator.h"

enum { COLUMNS = 5, SIZE_MOST = 1 << 16 };
enum { OCTAL_DIGITS = 22, LINE_MOST = 2 + 7 * (OCTAL_DIGITS + 1) };

/* ---- references ---- */

/* What is wrong with the columns; NULL: nothing. */
static const char *take_columns(struct sim_reference *out, char *const *words, unsigned count)
{
	uint64_t size = 0;
	const char kind = count == COLUMNS ? (char)(words[4][0] | 32) : 'r';

	if (!num_parse_decimal(words[0], &out->thread))
		return "its first column is no decimal number of a thread";
	if (count < 2 || !num_parse_hex(words[1], &out->pc))
		return "its second column is no hexadecimal pc";
	if (count < 3 || !num_parse_hex(words[2], &out->address))
		return "its third column is no hexadecimal address";
	if (count < 4 || !num_parse_decimal(words[3], &size) || !size || size > SIZE_MOST)
		return "its fourth column is no decimal size from 1 to 65536 bytes";
	if (count != COLUMNS || (kind != 'r' && kind != 'w') || words[4][1])
		return "its fifth and last column is not r or w";
	out->size = (uint32_t)size;
	out->write = kind == 'w';
	return NULL;
}

bool sim_reference_read(struct sim_reference *out, char *line, const char **why)
{
	char *words[COLUMNS + 1], *rest = NULL;
	unsigned count = 0;

	line[strcspn(line, "#")] = '\0';
	for (char *w = strtok_r(line, " \t\r\n", &rest); w && count <= COLUMNS;
	     w = strtok_r(NULL, " \t\r\n", &rest))
		words[count++] = w;
	*why = count ? take_columns(out, words, count) : NULL;
	return count && !*why;
}

/* ---- the trace ---- */

/* Behind a letter or another number. */
static char *put_octal(char *p, uint64_t value)
{
	unsigned digits = value ? (66u - (unsigned)__builtin_clzll(value)) / 3 : 1;

	*p++ = ' ';
	for (unsigned i = digits; i-- > 0; value >>= 3)
		p[i] = (char)('0' + (value & 7));
	return p + digits;
}

/* letter addr cpu level source [time [mask | victim]]; R and W: letter addr cpu source cycles */
bool chiron_put(struct sbuf *out, const struct sim_record *r, uint64_t source)
{
	const uint64_t time = (uint64_t)r->time;
	const uint64_t event[] = {r->address, r->cpu, r->level, source, time, r->other};
	const uint64_t completion[] = {r->address, r->cpu, source, time};
	const bool completes = r->type == SIM_READ || r->type == SIM_WRITE;
	unsigned count = 6;
	char *p;

	if (!r->type || !strchr("mghbafepRW", r->type))
		return false;
	p = sbuf_room(out, LINE_MOST);
	if (!p)
		return true;
	if (completes || r->type == SIM_MISS)
		count = 4;
	else if (strchr("efp", r->type))
		count = 5;
	*p++ = r->type;
	for (unsigned i = 0; i < count; i++)
		p = put_octal(p, completes ? completion[i] : event[i]);
	*p++ = '\n';
	sbuf_take(out, p);
	return true;
}

void chiron_put_caches(struct sbuf *out, const struct sim_record *i)
{
	sbuf_printf(out, "i %llu\ni %llu\ni %u\ni %u\n", (unsigned long long)i->address,
		    (unsigned long long)i->other, (unsigned)i->cpu, (unsigned)i->text);
}

void chiron_put_object(struct sbuf *out, const char *name, uint64_t address, uint64_t size,
		       unsigned cpu)
{
	sbuf_puts(out, "c ");
	for (const char *p = *name ? name : "?"; *p; p++)
		sbuf_putc(out, (unsigned char)*p <= ' ' || *p == 0x7f ? '_' : *p);
	sbuf_printf(out, " %llo %llo %o\n", (unsigned long long)address, (unsigned long long)size,
		    cpu);
}

void chiron_put_deletion(struct sbuf *out, uint64_t address, unsigned cpu)
{
	sbuf_printf(out, "d %llo %o\n", (unsigned long long)address, cpu);
}
