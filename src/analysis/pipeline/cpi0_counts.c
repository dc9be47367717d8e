#include "config.h"

#include "analysis/pipeline/cpi0_counts.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

#include "base/num.h"
#include "base/perf_line.h"

enum { LINE_BYTES = 512 };

/* What is no class of instructions: name, field of the mix; the ids go on behind the classes. */
#define FACTS_INFO(_)                                                                              \
	_(INSTRUCTIONS, "instructions", claimed)                                                   \
	_(CYCLES, "cycles", cycles)                                                                \
	_(BRANCHES, "branches", prediction.tries)                                                  \
	_(BRANCH_MISSES, "branch-misses", prediction.failed)                                       \
	_(DATA_ACCESSES, "data-accesses", data_cache.tries)                                        \
	_(DATA_MISSES, "data-misses", data_cache.failed)                                           \
	_(LOAD_MISSES, "load-misses", data_cache.failed)                                           \
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

_Static_assert(TARGETS <= 32, "what is summed is a word");

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

	if (c < OP_CLASS_COUNT && c != OP_UNKNOWN)
		return (int)c;
	for (int i = OP_CLASS_COUNT; i < TARGETS; i++)
		if (strcmp(facts[i - OP_CLASS_COUNT].name, name) == 0)
			return i;
	return UNMAPPED;
}

static const char *target_name(int target)
{
	return target < OP_CLASS_COUNT ? isa_class_name((enum op_class)target)
				       : facts[target - OP_CLASS_COUNT].name;
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

const char *cpi0_summed_name(const struct cpi0_mix *mix, int i)
{
	for (int target = 0; target < TARGETS; target++)
		if (mix->summed >> target & 1 && i-- == 0)
			return target_name(target);
	return NULL;
}

/* Of several counters: of kinds of instructions, or of misses. */
static bool is_sum(int target)
{
	return target < OP_CLASS_COUNT || target == FACT_DATA_MISSES || target == FACT_FETCH_MISSES;
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
	return error_set(e, STATUS_INPUT, "%zu: this is no text, or a line of %d bytes or more",
			 l->number, LINE_BYTES);
}

/* ---- the mapping ------------------------------------------------------------------------- */

static enum status set_rest(struct cpi0_mapping *out, const struct lines *l, const char *name,
			    struct error *e)
{
	if (out->rest != OP_CLASS_COUNT)
		return error_set(e, STATUS_INPUT, "%zu: a second rest", l->number);
	out->rest = machine_class(name, strlen(name));
	if (out->rest == OP_CLASS_COUNT || out->rest == OP_UNKNOWN)
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
	if (strlen(name) >= CPI0_COUNTER_NAME)
		return error_set(e, STATUS_INPUT, "%zu: '%.20s...' is longer than %d letters",
				 l->number, name, CPI0_COUNTER_NAME - 1);
	if (out->count == CPI0_COUNTERS)
		return error_set(e, STATUS_INPUT, "%zu: more than %d counters", l->number,
				 CPI0_COUNTERS);
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
	const char *where; /* it was counted, or which of the machine's counters */
	int64_t time;      /* the end of its interval */
	double running;    /* the part of the time that it was counted */
	bool list;         /* not a line of perf */
};

static bool is_missing(const char *value)
{
	return value[0] == '<'; /* <not counted>, <not supported> */
}

/* perfex: NUMBER NAME.......VALUE, with -y followed by what that costs; or only its start. */
static char *dotted_value(char *line)
{
	char *dots = strstr(line, ".."), *value;

	if (!dots)
		return NULL;
	value = dots + strspn(dots, ". \t");
	value[strcspn(value, " \t")] = '\0';
	return value;
}

/* The last word. */
static char *plain_value(char *line)
{
	char *value = line + strlen(line);

	while (value > line && !strchr(" \t=:", value[-1]))
		value--;
	return value;
}

/*
 * NAME VALUE: names may have blanks in them, and so has what stands for a value when there is none.
 * perfex puts the event's number before its name, and dots behind.
 */
static bool cut_list(char *line, struct counter *out)
{
	char *value = strstr(line, "<not ");
	size_t digits = strspn(line, "0123456789");

	if (!value || value == line)
		value = dotted_value(line);
	if (!value)
		value = plain_value(line);
	if (value == line || !*value)
		return false;
	value[-1] = '\0';
	*out = (struct counter){
	    .value = value, .where = "", .time = PERF_NO_TIME, .running = 1, .list = true};
	out->name = strip(line, "=:.");
	if (digits && (out->name[digits] == ' ' || out->name[digits] == '\t')) {
		line[digits] = '\0';
		out->where = line;
		out->name = line + digits + 1 + strspn(line + digits + 1, " \t");
	}
	return *out->name != '\0';
}

/* "cpu_core/load/u", "armv8_pmuv3_0/ld_spec/", "instructions:u": the counter itself. */
static void cut_modifiers(const struct counter *c, char out[CPI0_COUNTER_NAME])
{
	const char *slash = strchr(c->name, '/'), *name = slash ? slash + 1 : c->name;
	size_t len = strcspn(name, slash ? "/" : ":");

	len = len < CPI0_COUNTER_NAME ? len : CPI0_COUNTER_NAME - 1;
	memcpy(out, name, len);
	out[len] = '\0';
}

/* What the file says of a counter of the mapping. */
struct tally {
	size_t line; /* the last of it; 0: none */
	size_t lines, missing;
	uint64_t place; /* of that line */
	uint64_t places; /* those that it was counted in, in whatever order: the sum of their hashes */
};

/* What was read of a file. */
struct taking {
	struct cpi0_mix *mix;
	const struct cpi0_mapping *map;
	struct tally tallies[CPI0_COUNTERS];
	bool known[TARGETS];
	int counter[TARGETS]; /* which one counts it, from 1; of several the first one */
	uint64_t strangers[CPI0_COUNTERS]; /* names that the mapping has not */
	bool intervals, summed; /* there were some; and then their sum */
};

/* What tells places apart: names do not collide by accident (FNV-1a). */
static uint64_t place_hash(const char *text, const char *end, uint64_t hash)
{
	for (; text < end; text++)
		hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
	return hash;
}

static uint64_t place_hash_text(const char *text)
{
	return place_hash(text, text + strlen(text), UINT64_C(0xcbf29ce484222325));
}

static uint64_t when_and_where(const struct counter *c)
{
	const char *time = (const char *)&c->time;

	return place_hash(time, time + sizeof(c->time), place_hash_text(c->where));
}

/* And of which kind of core, as in cpu_core/instructions/. */
static uint64_t place_of(const struct counter *c)
{
	const char *slash = strchr(c->name, '/');

	return place_hash(c->name, slash ? slash : c->name, when_and_where(c));
}

static enum status not_counted(const struct taking *t, int at, const char *value, struct error *e)
{
	return error_set(e, STATUS_INPUT, "%zu: %s was %s: ask perf for fewer counters at a time",
			 t->tallies[at].line, t->map->counters[at].name,
			 strstr(value, "supported") ? "not supported" : "not counted");
}

static enum status partly_counted(const struct taking *t, int at, struct error *e)
{
	return error_set(e, STATUS_INPUT,
			 "%zu: %s was not counted everywhere: others were in more, or other, CPUs, "
			 "threads or intervals",
			 t->tallies[at].line, t->map->counters[at].name);
}

static enum status take_value(struct taking *t, int at, const struct counter *c, struct error *e)
{
	int target = t->map->counters[at].target;
	uint64_t *place = target_place(t->mix, target), value;

	if (!num_parse_decimal(c->value, &value) || value > CPI0_COUNT_MOST)
		return error_set(e, STATUS_INPUT,
				 "%zu: '%.40s' is no count from 0 to 10^15, in decimal",
				 t->tallies[at].line, c->value);
	if (value > CPI0_COUNT_MOST - *place)
		return error_set(e, STATUS_INPUT, "%zu: together more than 10^15 of %s",
				 t->tallies[at].line, target_name(target));
	*place += value;
	t->tallies[at].places += c->list ? 0 : when_and_where(c);
	t->known[target] = true;
	if (c->running < t->mix->counted)
		t->mix->counted = c->running;
	return STATUS_OK;
}

static enum status take_counter(struct taking *t, int at, const struct counter *c, size_t line,
				struct error *e)
{
	struct tally *y = &t->tallies[at];
	uint64_t place = place_of(c);
	int target = t->map->counters[at].target;

	if (y->line && y->place == place)
		return error_set(e, STATUS_INPUT, "%zu: %s is there already, in line %zu", line,
				 t->map->counters[at].name, y->line);
	if (y->line && c->list)
		return STATUS_OK; /* the R10000 counts some events on either of its counters */
	if (!is_sum(target) && t->counter[target] && t->counter[target] != at + 1)
		return error_set(e, STATUS_INPUT, "%zu: %s counts what %s counts, in line %zu", line,
				 t->map->counters[at].name,
				 t->map->counters[t->counter[target] - 1].name,
				 t->tallies[t->counter[target] - 1].line);
	if (t->counter[target] && t->counter[target] != at + 1)
		t->mix->summed |= (class_set)1 << target;
	else
		t->counter[target] = at + 1;
	y->line = line;
	y->place = place;
	y->lines++;
	if (!is_missing(c->value))
		return take_value(t, at, c, e);
	y->missing++;
	/* whole runs: nothing can make up for it */
	if (!*c->where && c->time == PERF_NO_TIME && !strchr(c->name, '/') && is_needed(target))
		return not_counted(t, at, c->value, e);
	return STATUS_OK;
}

static enum status not_a_list(size_t line, const char *text, struct error *e)
{
	if (perf_line_is_for_people(text))
		return error_set(e, STATUS_INPUT,
				 "%zu: perf can print this so that programs can read it: "
				 "ask `perf stat -x,`",
				 line);
	return STATUS_OK;
}

/* After intervals a line without a time begins their sum: it says it all again. */
static bool is_said_again(struct taking *t, const struct perf_line *p)
{
	if (t->intervals && p->time == PERF_NO_TIME && !t->summed) {
		*t->mix = cpi0_mix_none();
		*t = (struct taking){
		    .mix = t->mix, .map = t->map, .intervals = true, .summed = true};
	}
	t->intervals |= p->time != PERF_NO_TIME;
	return t->summed && p->time != PERF_NO_TIME;
}

/* Each name once, however often it was counted. */
static void note_stranger(struct taking *t, const char *name)
{
	uint64_t hash = place_hash_text(name);

	for (uint64_t i = 0; i < t->mix->skipped; i++)
		if (t->strangers[i] == hash)
			return;
	if (t->mix->skipped < CPI0_COUNTERS)
		t->strangers[t->mix->skipped++] = hash;
}

static enum status read_counter(struct taking *t, const struct lines *l, char *line,
				struct error *e)
{
	const struct cpi0_mapping *map = t->map;
	char name[CPI0_COUNTER_NAME], copy[LINE_BYTES];
	enum status status = not_a_list(l->number, line, e);
	struct perf_line p;
	struct counter c;
	int at;

	if (status || !line[strspn(line, "-=_+| \t")])
		return status; /* or a rule */
	memcpy(copy, line, strlen(line) + 1);
	if (perf_line_cut(copy, &p)) {
		if (!*p.event || is_said_again(t, &p))
			return STATUS_OK;
		c = (struct counter){p.event, p.value, p.place, p.time, p.running, false};
	} else if (!cut_list(line, &c)) {
		return error_set(e, STATUS_INPUT,
				 "%zu: neither a line of `perf stat -x,` nor NAME VALUE",
				 l->number);
	}
	cut_modifiers(&c, name);
	at = mapped(map, name);
	if (at == UNMAPPED)
		at = mapped(map, c.name);
	if (at != UNMAPPED)
		return take_counter(t, at, &c, l->number, e);
	note_stranger(t, name);
	return STATUS_OK;
}

/* ---- all of them ------------------------------------------------------------------------- */

static size_t counted_lines(const struct tally *y)
{
	return y->lines - y->missing;
}

/* The first of those that were counted most often. */
static const struct tally *fullest(const struct taking *t)
{
	const struct tally *most = &t->tallies[0];

	for (int i = 1; i < t->map->count; i++)
		if (counted_lines(&t->tallies[i]) > counted_lines(most))
			most = &t->tallies[i];
	return most;
}

/*
 * Several counters of one class, or of misses, may each be of another kind of core: what no line is
 * of then need not be missing.
 */
static bool is_partial(const struct taking *t, int at, const struct tally *all)
{
	const struct tally *y = &t->tallies[at];
	int target = t->map->counters[at].target;
	bool several = t->mix->summed >> target & 1;

	if (several && !y->missing)
		return false;
	return counted_lines(y) != counted_lines(all) || y->places != all->places;
}

/*
 * Parts of a run in which nothing ran have no count of anything. What was counted elsewhere than
 * the others has missed some of what they have seen.
 */
static enum status settle_missing(struct taking *t, struct error *e)
{
	const struct tally *all = fullest(t);

	for (int i = 0; i < t->map->count; i++) {
		const struct tally *y = &t->tallies[i];
		int target = t->map->counters[i].target;

		if (!y->lines || (counted_lines(y) && !is_partial(t, i, all)))
			continue;
		if (is_needed(target))
			return partly_counted(t, i, e);
		if (!counted_lines(y))
			continue; /* it has said nothing */
		t->known[target] = false;
		*target_place(t->mix, target) = 0;
	}
	return STATUS_OK;
}

/*
 * A number of failures without tries, and the other way round, is not known. More failures than
 * tries cannot be: they stay as they were counted, and a check says that they do not add up.
 */
static void settle_share(struct cpi0_share *s, bool known, uint64_t tries)
{
	if (!s->tries)
		s->tries = tries;
	if (!known || !s->tries)
		*s = (struct cpi0_share){0, 0};
}

/*
 * Of loads alone, where only their misses are counted; both would count those twice. Accesses are
 * also those of instructions that were squashed: they stand for what the classes do not tell.
 */
static void settle_data(struct cpi0_mix *mix, const bool known[TARGETS])
{
	uint64_t loads = mix->classes[OP_LOAD], both = loads + mix->classes[OP_STORE];

	if (known[FACT_LOAD_MISSES] && !known[FACT_DATA_MISSES])
		mix->data_cache.tries = loads;
	else if (known[OP_LOAD] && (known[OP_STORE] || !known[FACT_DATA_ACCESSES]))
		mix->data_cache.tries = both;
	settle_share(&mix->data_cache, known[FACT_LOAD_MISSES] != known[FACT_DATA_MISSES], both);
}

/* Of instructions, however many of them come with an access. */
static void settle_fetch(struct cpi0_mix *mix, const bool known[TARGETS])
{
	mix->fetch_cache.tries = mix->committed;
	settle_share(&mix->fetch_cache, known[FACT_FETCH_MISSES], mix->committed);
}

/* Their class, or else their number; some classes of them alone are not all branches. */
static void settle_branches(struct cpi0_mix *mix, const bool known[TARGETS])
{
	bool class = known[OP_BRANCH] || known[OP_JUMP] || known[OP_CALL] || known[OP_RETURN];

	if (!class && known[FACT_BRANCHES])
		mix->branches = mix->prediction.tries;
	mix->branches_unknown = !class && !known[FACT_BRANCHES];
	if (!known[OP_LOAD])
		mix->uncounted |= (class_set)1 << OP_LOAD;
	if (!known[OP_STORE])
		mix->uncounted |= (class_set)1 << OP_STORE;
	if (!class)
		mix->uncounted |= (class_set)1 << OP_BRANCH;
}

/* Without an instruction there is no mix: why there is none. */
static enum status no_instruction(const bool known[TARGETS], struct error *e)
{
	for (int i = 0; i < TARGETS; i++)
		if (is_needed(i) && known[i])
			return error_set(e, STATUS_INPUT,
					 "no instruction was counted: %s is there, and 0",
					 target_name(i));
	return error_set(e, STATUS_INPUT,
			 "no counter of instructions: another --mapping may know them");
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
		return no_instruction(known, e);
	if (sum && !mix->claimed && known[FACT_INSTRUCTIONS])
		return error_set(e, STATUS_INPUT, "the counters of instructions do not add up: 0 "
						  "of all, but some of a class");
	if (map->rest < OP_CLASS_COUNT && mix->claimed > sum) {
		mix->classes[map->rest] += mix->claimed - sum;
		mix->rest = map->rest;
		sum = mix->claimed;
	}
	/* more in classes: one instruction in two of them, or counters that do not agree */
	mix->total = mix->claimed ? mix->claimed : sum;
	mix->folded = sum > mix->total ? sum - mix->total : 0;
	mix->committed = mix->total;
	settle_branches(mix, known);
	settle_share(&mix->prediction, known[FACT_BRANCH_MISSES], cpi0_mix_branches(mix));
	settle_data(mix, known);
	settle_fetch(mix, known);
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
	if (!status)
		status = settle_missing(&t, e);
	out->cycles_uncounted = t.counter[FACT_CYCLES] && !out->cycles;
	return status ? status : settle(out, map, t.known, e);
}
