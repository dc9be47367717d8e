#include "config.h"

#include <string.h>

#include "simulator/chiron.h"

enum { OCTAL_DIGITS = 22, LINE_MOST = 2 + 7 * (OCTAL_DIGITS + 1) };

/* Behind a letter or another number. */
static char *put_octal(char *p, uint64_t value)
{
	unsigned digits = value ? (66u - (unsigned)__builtin_clzll(value)) / 3 : 1;

	*p++ = ' ';
	for (unsigned i = digits; i-- > 0; value >>= 3)
		p[i] = (char)('0' + (value & 7));
	return p + digits;
}

/* letter addr cpu level source [time [mask | victim]] */
static char *put_event(char *p, const struct sim_record *r, uint64_t source)
{
	p = put_octal(p, r->address);
	p = put_octal(p, r->cpu);
	p = put_octal(p, r->level);
	p = put_octal(p, source);
	if (r->type == SIM_MISS)
		return p;
	p = put_octal(p, (uint64_t)r->time);
	if (r->type == SIM_INVALIDATE_CLEAN || r->type == SIM_INVALIDATE_DIRTY ||
	    r->type == SIM_UPGRADE)
		return p;
	return put_octal(p, r->other);
}

/* letter addr cpu source cycles */
static char *put_completion(char *p, const struct sim_record *r, uint64_t source)
{
	p = put_octal(p, r->address);
	p = put_octal(p, r->cpu);
	p = put_octal(p, source);
	return put_octal(p, (uint64_t)r->time);
}

bool chiron_put(struct sbuf *out, const struct sim_record *r, uint64_t source)
{
	char *p;

	if (!r->type || !strchr("mghbafepRW", r->type))
		return false;
	p = sbuf_room(out, LINE_MOST);
	if (!p)
		return true;
	*p++ = r->type;
	if (r->type == SIM_READ || r->type == SIM_WRITE)
		p = put_completion(p, r, source);
	else
		p = put_event(p, r, source);
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
