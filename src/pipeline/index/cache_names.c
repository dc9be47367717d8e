#include "config.h"

#include "pipeline/index/cache_names.h"

#include <string.h>

void cache_names_out(const struct names *names, struct cache_names *n)
{
	const struct trace_config *c = &names->config;

	memset(n, 0, sizeof(*n));
	n->stage_count = c->stage_count;
	n->event_count = c->event_count;
	n->metric_count = names->metric_count;
	for (size_t i = 0; i < c->stage_count; i++) {
		memcpy(n->stages[i].name, c->stages[i].name, sizeof(c->stages[i].name));
		n->stages[i].role = c->stages[i].role;
		n->stages[i].letter = c->stages[i].letter;
		n->stages[i].colour = c->stages[i].colour;
	}
	for (size_t i = 0; i < c->event_count; i++) {
		memcpy(n->events[i].name, c->events[i].name, sizeof(c->events[i].name));
		n->events[i].mask = c->events[i].mask;
		n->events[i].letter = c->events[i].letter;
		n->events[i].colour = c->events[i].colour;
		n->events[i].problem = c->events[i].problem;
		n->events[i].lasting = c->events[i].lasting;
	}
	memcpy(n->metrics, names->metrics, sizeof(n->metrics));
	memcpy(n->lanes, names->lanes, sizeof(n->lanes));
	n->lane_count = names->lane_count;
}

bool cache_names_in(struct names *names, const struct cache_names *n)
{
	struct trace_config *c = &names->config;

	if (n->stage_count > STAGE_MAX || n->event_count > EVENT_MAX ||
	    n->metric_count > METRIC_MAX || n->lane_count > LANE_MAX)
		return false;
	for (size_t i = c->stage_count; i < n->stage_count; i++)
		names_stage(names, n->stages[i].name,
			    strnlen(n->stages[i].name, sizeof(n->stages[i].name) - 1));
	for (size_t i = c->event_count; i < n->event_count; i++)
		names_events(names, n->events[i].mask);
	names->metric_count = 0;
	for (size_t i = 0; i < n->metric_count; i++)
		names_metric(names, n->metrics[i], strnlen(n->metrics[i], 31));
	names->lane_count = 0;
	for (size_t i = 0; i < n->lane_count; i++)
		names_lane(names, n->lanes[i], strnlen(n->lanes[i], sizeof(n->lanes[i]) - 1));
	return c->stage_count == n->stage_count && c->event_count == n->event_count &&
	       names->metric_count == n->metric_count;
}
