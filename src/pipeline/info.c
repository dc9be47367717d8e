/*
 * What `info` says of instructions. Everything is counted in the index: nothing here costs more
 * than the lists are long.
 */
#include "config.h"

#include "pipeline/info.h"

#include <math.h>
#include <stdlib.h>

#include "pipeline/kind.h"

struct info {
	const struct store *store;
	struct totals totals;
	struct progress progress;
	struct segments pipeline;
};

static const struct info *info_of(const void *result)
{
	return result;
}

void *pipeline_info_make(struct trace *t)
{
	struct info *info = calloc(1, sizeof(*info));

	if (!info)
		return NULL;
	info->store = store_of_trace(t);
	store_totals(info->store, &info->totals);
	store_progress(info->store, &info->progress);
	info->pipeline = store_segments(info->store);
	return info;
}

/* ---- the trace as a whole ---- */

static struct value get_spans(const void *result, size_t row, size_t part)
{
	const struct info *info = info_of(result);
	uint64_t count = info->progress.items;

	(void)row, (void)part;
	for (size_t i = 0; i < store_stage_count(info->store); i++)
		count += info->totals.stage_entries[i];
	return value_count(count);
}

/* Committed instructions, micro-ops not counted, over all cycles begun; NaN without ticks. */
static double ipc_of(const struct info *info)
{
	const struct progress *p = &info->progress;
	uint64_t ticks = (uint64_t)p->last - (uint64_t)p->first;
	double cycles = (double)(ticks / (uint64_t)store_ticks_per_cycle(info->store)) + 1;

	return p->first > p->last ? NAN : (double)info->totals.committed_macro / cycles;
}

static struct value get_ipc(const void *result, size_t row, size_t part)
{
	(void)row, (void)part;
	return value_real(ipc_of(info_of(result)));
}

/* Infinite when nothing committed: shown as not known. */
static struct value get_cpi(const void *result, size_t row, size_t part)
{
	(void)row, (void)part;
	if (!info_of(result)->totals.committed_macro)
		return value_none();
	return value_real(1 / ipc_of(info_of(result)));
}

static struct value get_ticks_per_cycle(const void *result, size_t row, size_t part)
{
	(void)row, (void)part;
	return value_ticks(store_ticks_per_cycle(info_of(result)->store));
}

static struct value get_links(const void *result, size_t row, size_t part)
{
	(void)row, (void)part;
	return value_count(store_link_count(info_of(result)->store));
}

static struct value get_links_bound(const void *result, size_t row, size_t part)
{
	(void)row, (void)part;
	return value_text(store_link_count_is_bound(info_of(result)->store) ? "upper" : NULL);
}

static size_t pipeline_parts(const void *result)
{
	return info_of(result)->pipeline.setup ? 2 : 0;
}

static struct value get_pipeline(const void *result, size_t row, size_t part)
{
	const struct segments *at = &info_of(result)->pipeline;

	(void)row;
	return value_ticks(part ? at->setup : at->execute);
}

static size_t lane_parts(const void *result)
{
	return store_lane_count(info_of(result)->store);
}

static struct value get_lane(const void *result, size_t row, size_t part)
{
	(void)row;
	return value_text(store_lane(info_of(result)->store, part));
}

static size_t thread_parts(const void *result)
{
	return store_thread_count(info_of(result)->store);
}

static struct value get_thread(const void *result, size_t row, size_t part)
{
	(void)row;
	return value_ticks(store_thread(info_of(result)->store, (uint16_t)(part + 1)));
}

#define TOTAL(key, member) FIELD(COUNT, key, NULL, struct info, totals.member)

static const struct field whole_fields[] = {
    {FIELD_BY(COUNT, "spans", get_spans)},
    {TOTAL("instructions", instructions)},
    {TOTAL("micro_ops", micro_ops), .heading = "micro-ops"},
    {TOTAL("committed", fates[FATE_COMMITTED])},
    {TOTAL("squashed", fates[FATE_SQUASHED])},
    {TOTAL("dropped", fates[FATE_DROPPED])},
    {TOTAL("lost", fates[FATE_LOST]), .heading = "lost (no end)"},
    {TOTAL("in_flight", fates[FATE_IN_FLIGHT]), .heading = "in-flight"},
    {TOTAL("unknown", fates[FATE_UNKNOWN])},
    {.key = "ipc", .type = VALUE_REAL, .get = get_ipc, .heading = "IPC", .decimals = 3},
    {.key = "cpi", .type = VALUE_REAL, .get = get_cpi, .heading = "CPI", .decimals = 3},
    {.key = "ticks_per_cycle", .type = VALUE_TICKS, .get = get_ticks_per_cycle,
     .heading = "ticks/cycle"},
    {.key = "pipeline", .type = VALUE_TICKS, .parts = pipeline_parts, .get = get_pipeline,
     .heading = "N_E and N_S", .shape = FIELD_LIST},
    {FIELD_BY(COUNT, "links", get_links)},
    {.key = "links_bound", .type = VALUE_TEXT, .get = get_links_bound, .heading = "bound on links"},
    {.key = "lanes", .type = VALUE_TEXT, .parts = lane_parts, .get = get_lane,
     .shape = FIELD_LIST},
    {.key = "threads", .type = VALUE_TICKS, .parts = thread_parts, .get = get_thread,
     .shape = FIELD_LIST},
    {0},
};

/* ---- lists ---- */

static size_t event_rows(const void *result)
{
	return store_event_count(info_of(result)->store);
}

static struct value event_name(const void *result, size_t row, size_t part)
{
	(void)part;
	return value_text(store_event(info_of(result)->store, row)->name);
}

static struct value event_mask(const void *result, size_t row, size_t part)
{
	(void)part;
	return value_count(store_event(info_of(result)->store, row)->mask);
}

static struct value event_count(const void *result, size_t row, size_t part)
{
	(void)part;
	return value_count(info_of(result)->totals.event_counts[row]);
}

static const struct field event_fields[] = {
    {.key = "name", .type = VALUE_TEXT, .get = event_name},
    {.key = "mask", .type = VALUE_COUNT, .get = event_mask, .name = true},
    {.key = "count", .type = VALUE_COUNT, .get = event_count},
    {0},
};

const struct section pipeline_info_sections[] = {
    {.key = "", .rows = section_one_row, .fields = whole_fields, .form = SECTION_FIELDS},
    {.key = "events", .rows = event_rows, .fields = event_fields},
    {0},
};
