#include "config.h"

#include "analysis/cpi0_counts.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

#include "base/num.h"

enum { LINE_BYTES = 512, FIELDS_MOST = 12 };

/* What is no class of instructions: name, field of the mix; the ids go on behind the classes. */
#define FACTS_INFO(_)                                                                              \
	_(INSTRUCTIONS, "instructions", claimed)                                                   \
	_(CYCLES, "cycles", cycles)                                                                \
	_(BRANCHES, "branches", prediction.tries)                                                  \
	_(BRANCH_MISSES, "branch-misses", prediction.failed)                                       \
	_(DATA_ACCESSES, "data-accesses", data_cache.tries)                                        \
	_(DATA_MISSES, "data-misses", data_cache.failed)                                           \
	_(FETCH_ACCESSES, "fetch-accesses", fetch_cache.tries)                                     \
	_(FETCH_MISSES, "fetch-misses", fetch_cache.failed)

enum {
	UNMAPPED = -1,
	FACT_FIRST = OP_CLASS_COUNT - 1,
#define FACT_ENUM(id, name, field) FACT_##id,
	FACTS_INFO(FACT_ENUM)
#undef FACT_ENUM
	    TARGETS
};

static const struct fact {
	const char *name;
	size_t offset;
} facts[] = {
#define FACT_ROW(id, name, field) {name, offsetof(struct cpi0_mix, field)},
    FACTS_INFO(FACT_ROW)
#undef FACT_ROW
};

static int target_find(const char *name)
{
	enum op_class c = machine_class(name, strlen(name));

	if (c < OP_CLASS_COUNT)
		return (int)c;
	for (int i = OP_CLASS_COUNT; i < TARGETS; i++)
		if (strcmp(facts[i - OP_CLASS_COUNT].name, name) == 0)
			return i;
	return UNMAPPED;
}

static uint64_t *target_place(struct cpi0_mix *mix, int target)
{
	if (target < OP_CLASS_COUNT)
		return &mix->classes[target];
	return (uint64_t *)(void *)((char *)mix + facts[target - OP_CLASS_COUNT].offset);
}

/* Without it there is no mix. */
static bool is_needed(int target)
{
	return target < OP_CLASS_COUNT || target == FACT_INSTRUCTIONS;
}

/* ---- lines ------------------------------------------------------------------------------- */

struct lines {
	const char *p, *end;
	size_t number;
	char text[LINE_BYTES];
};

/* Without blanks around, nor any of `more` behind. */
static char *strip(char *text, const char *more)
{
	size_t len = strlen(text);

	while (len && (strchr(" \t\r", text[len - 1]) || strchr(more, text[len - 1])))
		text[--len] = '\0';
	return text + strspn(text, " \t");
}

/* The next line that says something, without blanks around; NULL: no more, or *too_long. */
static char *next_line(struct lines *l, bool *too_long)
{
	char *text;

	do {
		const char *stop;
		size_t len;

		if (l->p == l->end)
			return NULL;
		stop = memchr(l->p, '\n', (size_t)(l->end - l->p));
		stop = stop ? stop : l->end;
		len = (size_t)(stop - l->p);
		l->number++;
		if ((*too_long = len >= LINE_BYTES || memchr(l->p, '\0', len)))
			return NULL;
		memcpy(l->text, l->p, len);
		l->text[len] = '\0';
		l->p = stop < l->end ? stop + 1 : stop;
		text = strip(l->text, "");
	} while (!*text || *text == '#');
	return text;
}

static enum status no_text(const struct lines *l, struct error *e)
{
	return error_set(e, STATUS_INPUT, "%zu: this is no line of text", l->number);
}

/* ---- the mapping ------------------------------------------------------------------------- */

static enum status set_rest(struct cpi0_mapping *out, const struct lines *l, const char *name,
			    struct error *e)
{
	out->rest = machine_class(name, strlen(name));
	if (out->rest == OP_CLASS_COUNT)
		return error_set(e, STATUS_INPUT, "%zu: '%.100s' is no class of instructions",
				 l->number, name);
	return STATUS_OK;
}

static int mapped(const struct cpi0_mapping *map, const char *name)
{
	for (int i = 0; i < map->count; i++)
		if (strcasecmp(map->counters[i].name, name) == 0)
			return i;
	return UNMAPPED;
}

static enum status add_mapping(struct cpi0_mapping *out, const struct lines *l, char *text,
			       struct error *e)
{
	char *name = text + strcspn(text, " \t");
	int target;

	if (!*name)
		return error_set(e, STATUS_INPUT, "%zu: it should be: CLASS COUNTER", l->number);
	*name++ = '\0';
	name += strspn(name, " \t");
	if (strcmp(text, "rest") == 0)
		return set_rest(out, l, name, e);
	target = target_find(text);
	if (target == UNMAPPED)
		return error_set(e, STATUS_INPUT,
				 "%zu: '%.100s' is no class of instructions, nor instructions, "
				 "cycles, branch-misses, data-misses, fetch-misses...",
				 l->number, text);
	if (strlen(name) >= CPI0_COUNTER_NAME || out->count == CPI0_COUNTERS)
		return error_set(e, STATUS_INPUT, "%zu: too long, or more than %d counters",
				 l->number, CPI0_COUNTERS);
	if (mapped(out, name) != UNMAPPED)
		return error_set(e, STATUS_INPUT, "%zu: counter '%s' is there already", l->number,
				 name);
	out->counters[out->count].target = target;
	memcpy(out->counters[out->count++].name, name, strlen(name) + 1);
	return STATUS_OK;
}

enum status cpi0_mapping_read(struct cpi0_mapping *out, const char *text, size_t len,
			      struct error *e)
{
	struct lines l = {.p = text, .end = text + len};
	enum status status = STATUS_OK;
	bool too_long = false;
	char *line;

	memset(out, 0, sizeof(*out));
	out->rest = OP_CLASS_COUNT;
	while (!status && (line = next_line(&l, &too_long)) != NULL)
		status = add_mapping(out, &l, line, e);
	return too_long ? no_text(&l, e) : status;
}

/* ---- counters ---------------------------------------------------------------------------- */

struct counter {
	const char *name, *value;
	double running; /* the part of the time that it was counted */
};

/* value,unit,event,time,percent: with -r a deviation, which ends in %, stands before the time. */
static bool cut_perf(char *line, struct counter *out)
{
	char *fields[FIELDS_MOST] = {0}, *rest = line;
	int count = 0, percent;

	while (rest && count < FIELDS_MOST)
		fields[count++] = strsep(&rest, ",");
	if (count < 3 ||
	    !strpbrk(fields[2], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"))
		return false;
	out->value = fields[0];
	out->name = fields[2];
	percent = count > 3 && strchr(fields[3], '%') ? 5 : 4;
	if (percent < count && num_parse_real(fields[percent], &out->running))
		out->running /= 100;
	return true;
}

static bool is_missing(const char *value)
{
	return value[0] == '<'; /* <not counted>, <not supported> */
}

/*
 * NAME VALUE: names may have blanks in them, and so has what stands for a value when there is none.
 * perfex puts the counter's number before its name, and dots behind.
 */
static bool cut_list(char *line, struct counter *out)
{
	char *value = strstr(line, "<not ");
	size_t digits = strspn(line, "0123456789");

	if (!value || value == line) {
		value = line + strlen(line);
		while (value > line && !strchr(" \t=:", value[-1]))
			value--;
	}
	if (value == line || !*value)
		return false;
	value[-1] = '\0';
	out->value = value;
	out->name = strip(line, "=:.");
	if (digits && (out->name[digits] == ' ' || out->name[digits] == '\t'))
		out->name += digits + strspn(out->name + digits, " \t");
	return *out->name != '\0';
}

/* "cpu_core/load/u", "instructions:u": the counter itself. */
static void cut_modifiers(struct counter *c, char out[CPI0_COUNTER_NAME])
{
	const char *name = c->name, *slash = strchr(name, '/');
	size_t len;

	if (strncmp(name, "cpu", 3) == 0 && slash)
		name = slash + 1;
	len = strcspn(name, slash && name == slash + 1 ? "/" : ":");
	len = len < CPI0_COUNTER_NAME ? len : CPI0_COUNTER_NAME - 1;
	memcpy(out, name, len);
	out[len] = '\0';
}

/* What was read of a file. */
struct taking {
	struct cpi0_mix *mix;
	const struct cpi0_mapping *map;
	size_t seen[CPI0_COUNTERS]; /* line */
	bool known[TARGETS];
};

static enum status take_counter(struct taking *t, int at, const struct counter *c, size_t line,
				struct error *e)
{
	const struct cpi0_mapping *map = t->map;
	struct cpi0_mix *mix = t->mix;
	int target = map->counters[at].target;
	uint64_t *place = target_place(mix, target), value;

	if (is_missing(c->value) && is_needed(target))
		return error_set(e, STATUS_INPUT,
				 "%zu: %s was %s: ask perf for fewer counters at a time", line,
				 map->counters[at].name,
				 strstr(c->value, "supported") ? "not supported" : "not counted");
	if (is_missing(c->value))
		return STATUS_OK;
	if (!num_parse_u64(c->value, &value) || value > CPI0_COUNT_MOST - *place)
		return error_set(e, STATUS_INPUT, "%zu: '%.40s' is no count from 0 to 10^15", line,
				 c->value);
	*place += value;
	t->known[target] = true;
	if (c->running < mix->counted)
		mix->counted = c->running;
	return STATUS_OK;
}

static enum status read_counter(struct taking *t, const struct lines *l, char *line,
				struct error *e)
{
	const struct cpi0_mapping *map = t->map;
	struct counter c = {.running = 1};
	char name[CPI0_COUNTER_NAME], copy[LINE_BYTES];
	int at;

	memcpy(copy, line, strlen(line) + 1);
	if (!cut_perf(copy, &c) && !cut_list(line, &c))
		return error_set(e, STATUS_INPUT,
				 "%zu: neither a line of `perf stat -x,` nor NAME VALUE",
				 l->number);
	cut_modifiers(&c, name);
	at = mapped(map, name);
	if (at == UNMAPPED)
		at = mapped(map, c.name);
	if (at == UNMAPPED)
		return STATUS_OK;
	if (t->seen[at])
		return error_set(e, STATUS_INPUT, "%zu: %s is there already, in line %zu",
				 l->number, map->counters[at].name, t->seen[at]);
	t->seen[at] = l->number;
	return take_counter(t, at, &c, l->number, e);
}

/* A number of failures without tries, and the other way round, is not known. */
static void settle_share(struct cpi0_share *s, bool known, uint64_t tries)
{
	if (!s->tries)
		s->tries = tries;
	if (!known || s->failed > s->tries)
		*s = (struct cpi0_share){0, 0};
}

static enum status settle(struct cpi0_mix *mix, const struct cpi0_mapping *map,
			  const bool known[TARGETS], struct error *e)
{
	uint64_t sum = 0;

	for (int c = 0; c < OP_CLASS_COUNT; c++) {
		sum += mix->classes[c];
		if (sum > CPI0_COUNT_MOST)
			return error_set(e, STATUS_INPUT, "more than 10^15 instructions");
	}
	if (!sum && !mix->claimed)
		return error_set(e, STATUS_INPUT,
				 "no counter of instructions: another --mapping may know them");
	if (map->rest < OP_CLASS_COUNT && mix->claimed > sum) {
		mix->classes[map->rest] += mix->claimed - sum;
		sum = mix->claimed;
	}
	mix->total = mix->claimed > sum ? mix->claimed : sum;
	mix->committed = mix->total;
	settle_share(&mix->prediction, known[FACT_BRANCH_MISSES], cpi0_mix_branches(mix));
	settle_share(&mix->data_cache, known[FACT_DATA_MISSES],
		     mix->classes[OP_LOAD] + mix->classes[OP_STORE]);
	settle_share(&mix->fetch_cache, known[FACT_FETCH_MISSES], mix->total);
	return STATUS_OK;
}

enum status cpi0_counts_read(struct cpi0_mix *out, const struct cpi0_mapping *map, const char *text,
			     size_t len, struct error *e)
{
	struct lines l = {.p = text, .end = text + len};
	struct taking t = {.mix = out, .map = map};
	enum status status = STATUS_OK;
	bool too_long = false;
	char *line;

	*out = cpi0_mix_none();
	while (!status && (line = next_line(&l, &too_long)) != NULL)
		status = read_counter(&t, &l, line, e);
	if (too_long)
		status = no_text(&l, e);
	return status ? status : settle(out, map, t.known, e);
}
