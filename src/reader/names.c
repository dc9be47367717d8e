#include "config.h"

#include "reader/names.h"

#include <stdio.h>
#include <string.h>

static unsigned pair_hash(char a, char b)
{
	return ((unsigned char)a * 7u + (unsigned char)b * 31u) & 0xff;
}

void names_init(struct names *n, const struct trace_config *config)
{
	memset(n, 0, sizeof(*n));
	pthread_mutex_init(&n->lock, NULL);
	n->config = *config;
}

void names_free(struct names *n)
{
	pthread_mutex_destroy(&n->lock);
}

static void view_stages(struct names_view *v, const struct trace_config *c)
{
	v->stages = c->stage_count;
	memset(v->stage_hash, STAGE_NONE, sizeof(v->stage_hash));
	for (size_t i = c->stage_count; i-- > 0;) {
		const char *name = c->stages[i].name;

		memcpy(v->stage_name[i], name, sizeof(v->stage_name[i]));
		v->stage_len[i] = (uint8_t)strlen(name);
		if (v->stage_len[i] == 2)
			v->stage_hash[pair_hash(name[0], name[1])] = (uint8_t)i;
	}
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

/* A letter that no stage has yet: the name's own if possible, so that cells stay tellable. */
static char free_letter(const struct trace_config *c, const char *name)
{
	char used[128] = {0};

	for (size_t i = 0; i < c->stage_count; i++)
		used[c->stages[i].letter & 127] = 1;
	for (const char *p = name; *p; p++)
		if (*p > ' ' && *p < 127 && !used[(unsigned char)*p])
			return *p;
	for (char l = 'A'; l <= 'Z'; l++)
		if (!used[(unsigned char)l])
			return l;
	return '*';
}

int names_stage(struct names *n, const char *p, size_t len)
{
	int id;

	pthread_mutex_lock(&n->lock);
	id = find_stage(&n->config, p, len);
	if (id < 0 && n->config.stage_count < STAGE_MAX && len < sizeof(n->config.stages[0].name)) {
		struct stage_info *s = &n->config.stages[n->config.stage_count];

		memset(s, 0, sizeof(*s));
		memcpy(s->name, p, len);
		s->letter = free_letter(&n->config, s->name);
		s->colour = (uint8_t)(n->config.stage_count % 16);
		s->help = "stage named by the trace";
		id = (int)n->config.stage_count++;
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
