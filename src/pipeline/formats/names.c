#include "config.h"

#include "pipeline/formats/names.h"

#include <stdio.h>
#include <stdlib.h>

enum { STAGE_NAME = sizeof(((struct stage_info *)0)->name), LANE_NAME = 16, STAGE_MIXES = 64 };

void names_init(struct names *n, const struct trace_config *config)
{
	memset(n, 0, sizeof(*n));
	pthread_mutex_init(&n->lock, NULL);
	n->config = *config;
	memset(n->cpus, 0xff, sizeof(n->cpus));
}

void names_free(struct names *n)
{
	pthread_mutex_destroy(&n->lock);
	free(n->threads);
	free(n->thread_slots);
	for (int i = 0; i < NAMES_TABLES; i++)
		intern_free(n->rest[i]);
}

/* Every stage's slot -> how many had to go behind another one's. */
static size_t place_stages(struct names_view *v, uint64_t mix)
{
	size_t behind = 0;

	v->stage_mix = mix;
	memset(v->stage_slot, STAGE_NONE, sizeof(v->stage_slot));
	for (size_t i = v->stages; i-- > 0;) {
		uint8_t slot = names_hash(mix, v->stage_key[i], v->stage_len[i]);

		behind += v->stage_slot[slot] != STAGE_NONE;
		while (v->stage_slot[slot] != STAGE_NONE)
			slot++;
		v->stage_slot[slot] = (uint8_t)i;
	}
	return behind;
}

/* Some names in each line, in no order: one behind another costs a branch that is not foretold. */
static void choose_slots(struct names_view *v)
{
	const uint64_t golden = UINT64_C(0x9e3779b97f4a7c15);
	uint64_t best = golden;
	size_t least = SIZE_MAX;

	for (uint64_t i = 0; i < STAGE_MIXES && least > 0; i++) {
		uint64_t mix = golden * (2 * i + 1);
		size_t behind = place_stages(v, mix);

		best = behind < least ? mix : best;
		least = behind < least ? behind : least;
	}
	if (v->stage_mix != best)
		place_stages(v, best);
}

static void view_stages(struct names_view *v, const struct trace_config *c)
{
	v->stages = c->stage_count;
	memset(v->stage_pair, 0, sizeof(v->stage_pair)); /* letters of no name */
	for (size_t i = c->stage_count; i-- > 0;) {
		const char *name = c->stages[i].name;
		size_t len = strlen(name);

		memcpy(v->stage_name[i], name, sizeof(v->stage_name[i]));
		v->stage_len[i] = (uint8_t)len;
		v->stage_key[i] = names_key(name, len);
		if (len == 2)
			v->stage_pair[names_pair((uint16_t)v->stage_key[i])] =
			    (uint32_t)(v->stage_key[i] | i << 16);
	}
	choose_slots(v);
}

static void view_lanes(struct names_view *v, const struct names *n)
{
	v->lanes = n->lane_count;
	for (size_t i = 0; i < n->lane_count; i++)
		v->lane_key[i] = names_key(n->lanes[i], strlen(n->lanes[i]));
}

static void view_events(struct names_view *v, const struct trace_config *c)
{
	v->events = c->event_count;
	v->known_masks = v->lasting_masks = 0;
	v->plain_events = true;
	for (size_t i = 0; i < c->event_count; i++) {
		const struct event_info *ev = &c->events[i];

		v->event_mask[i] = ev->mask;
		v->known_masks |= ev->mask;
		if (ev->lasting)
			v->lasting_masks |= ev->mask;
		if (i < 8 && ev->mask != 1u << i)
			v->plain_events = false;
	}
}

void names_refresh(struct names *n, struct names_view *v)
{
	pthread_mutex_lock(&n->lock);
	view_stages(v, &n->config);
	view_events(v, &n->config);
	view_lanes(v, n);
	v->has_rest[NAMES_STAGES] = n->stage_rest;
	v->has_rest[NAMES_LANES] = n->lane_count == LANE_MAX;
	v->metrics = n->metric_count;
	for (size_t i = 0; i < n->metric_count; i++) {
		memcpy(v->metric_name[i], n->metrics[i], sizeof(n->metrics[i]));
		v->metric_len[i] = (uint8_t)strlen(n->metrics[i]);
	}
	pthread_mutex_unlock(&n->lock);
}

static int find_stage(const struct trace_config *c, const char *p, size_t len)
{
	for (size_t i = 0; i < c->stage_count; i++)
		if (strlen(c->stages[i].name) == len && memcmp(c->stages[i].name, p, len) == 0)
			return (int)i;
	return -1;
}

static char capital(char c)
{
	return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

/*
 * A capital that no stage has yet, for a small one says that the stay goes on: the name's own if
 * possible, else one that few names begin with. C is left to the commit that may come.
 */
static char free_letter(const struct trace_config *c, const char *name)
{
	static const char others[] = "QKJVYUGHZLTOBNPAIERDSXWMFC0123456789";
	char used[128] = {0};

	for (size_t i = 0; i < c->stage_count; i++)
		used[capital(c->stages[i].letter) & 127] = 1;
	for (const char *p = name; *p; p++)
		if (*p > ' ' && *p < 127 && !used[(unsigned char)capital(*p)] &&
		    (p == name || capital(*p) != 'C'))
			return capital(*p);
	for (const char *p = others; *p; p++)
		if (!used[(unsigned char)*p])
			return *p;
	return '*';
}

/* What the last place is called; a trace may call a stage so, too. */
static const char *rest_name(bool taken)
{
	return taken ? "the others" : "other";
}

static int add_stage(struct trace_config *c, const char *p, size_t len)
{
	struct stage_info *s = &c->stages[c->stage_count];

	memset(s, 0, sizeof(*s));
	if (c->stage_count == STAGE_REST) {
		strcpy(s->name, rest_name(find_stage(c, "other", 5) >= 0));
		s->letter = free_letter(c, "?~%&");
		s->colour = REST_COLOUR;
		s->help = "all further stages: the stage table is full";
	} else {
		memcpy(s->name, p, len);
		s->letter = free_letter(c, s->name);
		s->colour = (uint8_t)(c->stage_count % REST_COLOUR);
		s->help = "stage named by the trace";
	}
	return (int)c->stage_count++;
}

int names_stage(struct names *n, const char *p, size_t len)
{
	int id;

	if (len >= STAGE_NAME)
		len = STAGE_NAME - 1;
	pthread_mutex_lock(&n->lock);
	id = find_stage(&n->config, p, len);
	if (id < 0 && n->config.stage_count < STAGE_MAX) {
		id = add_stage(&n->config, p, len);
		n->stage_rest = id == STAGE_REST;
	} else if (id < 0 && n->stage_rest) {
		id = STAGE_REST;
	}
	pthread_mutex_unlock(&n->lock);
	return id;
}

int names_metric(struct names *n, const char *p, size_t len)
{
	int id = -1;

	if (len >= sizeof(n->metrics[0]))
		len = sizeof(n->metrics[0]) - 1;
	pthread_mutex_lock(&n->lock);
	for (size_t i = 0; i < n->metric_count && id < 0; i++)
		if (strlen(n->metrics[i]) == len && memcmp(n->metrics[i], p, len) == 0)
			id = (int)i;
	if (id < 0 && n->metric_count < METRIC_MAX) {
		memcpy(n->metrics[n->metric_count], p, len);
		id = (int)n->metric_count++;
	}
	pthread_mutex_unlock(&n->lock);
	return id;
}

/* ---- lanes --------------------------------------------------------------------------------- */

static int find_lane(const struct names *n, const char *p, size_t len)
{
	for (size_t i = 0; i < n->lane_count; i++)
		if (strlen(n->lanes[i]) == len && memcmp(n->lanes[i], p, len) == 0)
			return (int)i;
	return -1;
}

/* The value of "0" to "14", or -1. */
static int small_number(const char *p, size_t len)
{
	char text[12];

	for (int i = 0; i < LANE_REST; i++) {
		snprintf(text, sizeof(text), "%d", i);
		if (strlen(text) == len && memcmp(text, p, len) == 0)
			return i;
	}
	return -1;
}

int names_lane(struct names *n, const char *p, size_t len)
{
	int id, number;

	if (len >= LANE_NAME)
		len = LANE_NAME - 1;
	number = small_number(p, len);
	pthread_mutex_lock(&n->lock);
	while (n->lane_count == 0 || (number >= 0 && n->lane_count < (size_t)number)) {
		snprintf(n->lanes[n->lane_count], sizeof(n->lanes[0]), "%zu", n->lane_count);
		n->lane_count++;
	}
	id = find_lane(n, p, len);
	if (id < 0 && n->lane_count < LANE_REST) {
		memcpy(n->lanes[n->lane_count], p, len);
		id = (int)n->lane_count++;
	} else if (id < 0 && n->lane_count == LANE_REST) {
		strcpy(n->lanes[LANE_REST], rest_name(find_lane(n, "other", 5) >= 0));
		n->lane_count++;
	}
	pthread_mutex_unlock(&n->lock);
	return id < 0 ? LANE_REST : id;
}

bool names_rest(struct names *n, enum names_table table, const char *p, size_t len, bool add)
{
	static const size_t rooms[NAMES_TABLES] = {STAGE_NAME, LANE_NAME};
	struct intern **rest = &n->rest[table];
	bool fresh = false;

	if (len >= rooms[table])
		len = rooms[table] - 1;
	pthread_mutex_lock(&n->lock);
	if (*rest || (*rest = intern_new()))
		fresh = intern_count(*rest) < REST_MAX && intern_find(*rest, p, len) < 0;
	if (fresh && add)
		fresh = intern_add(*rest, p, len) >= 0;
	pthread_mutex_unlock(&n->lock);
	return fresh;
}

/* ---- threads ------------------------------------------------------------------------------- */

/* Where the thread's number is or would be. There is always a free slot. */
static uint16_t *thread_slot(const struct names *n, int64_t thread)
{
	size_t mask = 2 * n->thread_cap - 1;
	size_t i = (uint64_t)thread * UINT64_C(0x9e3779b97f4a7c15) >> 40 & mask;

	while (n->thread_slots[i] && n->threads[n->thread_slots[i] - 1] != thread)
		i = (i + 1) & mask;
	return &n->thread_slots[i];
}

static bool grow_threads(struct names *n)
{
	size_t cap = n->thread_cap ? n->thread_cap * 2 : 16;
	int64_t *threads = realloc(n->threads, cap * sizeof(*threads));
	uint16_t *slots = calloc(2 * cap, sizeof(*slots));

	if (threads)
		n->threads = threads;
	if (!threads || !slots) {
		free(slots);
		return false;
	}
	free(n->thread_slots);
	n->thread_slots = slots;
	n->thread_cap = cap;
	for (size_t i = 0; i < n->thread_count; i++)
		*thread_slot(n, threads[i]) = (uint16_t)(i + 1);
	return true;
}

/* ---- threads of CPUs ----------------------------------------------------------------------- */

static bool is_of_cpu(const struct names *n, int64_t thread)
{
	return n->of_cpus && thread >= THREAD_OF_CPU;
}

static uint32_t cpu_of(int64_t thread)
{
	return (uint32_t)((uint64_t)thread >> 16);
}

/* Where the CPU is or would be; -1: so many have its number that nothing is left. */
static int shown_cpu(const struct names *n, uint32_t cpu)
{
	for (unsigned i = 0; i < CPU_SHOWN; i += CPU_NAMESAKE) {
		unsigned at = (cpu_number(cpu) + i) % CPU_SHOWN;

		if (n->cpus[at] == cpu || n->cpus[at] == CPU_NONE)
			return (int)at;
	}
	return -1;
}

int64_t names_shown_thread(const struct names *n, int64_t thread)
{
	int at;

	if (!is_of_cpu(n, thread))
		return thread;
	at = shown_cpu(n, cpu_of(thread));
	return (at < 0 ? (int64_t)cpu_number(cpu_of(thread)) : at) + (thread & 0xffff) * CPU_SHOWN;
}

bool names_is_of_cpu(const struct names *n, int64_t thread, uint32_t cpu)
{
	return is_of_cpu(n, thread) ? cpu_of(thread) == cpu
				    : thread % CPU_SHOWN == (int64_t)cpu_number(cpu);
}

bool names_share_cpu(const struct names *n, int64_t a, int64_t b)
{
	if (is_of_cpu(n, a) != is_of_cpu(n, b))
		return false;
	return is_of_cpu(n, a) ? cpu_of(a) == cpu_of(b) : a % CPU_SHOWN == b % CPU_SHOWN;
}

int names_known_thread(struct names *n, int64_t thread)
{
	int number;

	pthread_mutex_lock(&n->lock);
	number = n->thread_cap ? *thread_slot(n, thread) : 0;
	pthread_mutex_unlock(&n->lock);
	return number;
}

int names_thread(struct names *n, int64_t thread)
{
	int number = -1;
	uint16_t *slot;

	pthread_mutex_lock(&n->lock);
	if (n->thread_count < n->thread_cap || grow_threads(n)) {
		slot = thread_slot(n, thread);
		if (*slot == 0 && n->thread_count < THREAD_MAX) {
			n->threads[n->thread_count++] = thread;
			*slot = (uint16_t)n->thread_count;
			if (is_of_cpu(n, thread) && shown_cpu(n, cpu_of(thread)) >= 0)
				n->cpus[shown_cpu(n, cpu_of(thread))] = cpu_of(thread);
		}
		number = *slot ? *slot : -1;
	}
	pthread_mutex_unlock(&n->lock);
	return number;
}

int names_view_thread(struct names *n, struct names_view *v, int64_t thread, bool may_name)
{
	int number = (int)names_recent_thread(v, thread);
	unsigned slot = names_recent(thread);

	if (number == 0)
		number = may_name ? names_thread(n, thread) : names_known_thread(n, thread);
	if (number > 0) {
		v->recent[slot].thread = thread;
		v->recent[slot].number = (uint16_t)number;
	}
	return number;
}

/* ---- events -------------------------------------------------------------------------------- */

bool names_events(struct names *n, uint32_t mask)
{
	bool ok = true;

	pthread_mutex_lock(&n->lock);
	for (size_t i = 0; i < n->config.event_count; i++)
		mask &= ~n->config.events[i].mask;
	while (mask) {
		uint32_t bit = mask & -mask;
		struct event_info *ev;

		mask ^= bit;
		if (n->config.event_count >= EVENT_MAX) {
			ok = false;
			break;
		}
		ev = &n->config.events[n->config.event_count];
		memset(ev, 0, sizeof(*ev));
		snprintf(ev->name, sizeof(ev->name), "bit-0x%x", (unsigned)bit);
		ev->mask = bit;
		ev->letter = '#';
		ev->colour = (uint8_t)(n->config.event_count % 16);
		ev->problem = true;
		ev->help = "event bit without a name";
		n->config.event_count++;
	}
	pthread_mutex_unlock(&n->lock);
	return ok;
}
