#include "config.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/num.h"
#include "base/text.h"
#include "cmd/cmd.h"
#include "cmd/open.h"

/* Everything is counted in the index: nothing here costs more than the lists are long. */
struct info {
	struct store *store;
	struct totals totals;
	struct progress progress;
};

static const struct info *info_of(const void *result)
{
	return result;
}

/* key in JSON, where the number is */
static const struct {
	const char *key;
	enum fate fate;
} fate_keys[] = {
    {"committed", FATE_COMMITTED}, {"squashed", FATE_SQUASHED},   {"dropped", FATE_DROPPED},
    {"lost", FATE_LOST},           {"in_flight", FATE_IN_FLIGHT}, {"unknown", FATE_UNKNOWN},
};

enum { FATE_KEYS = sizeof(fate_keys) / sizeof(fate_keys[0]) };

/* components */

static size_t component_rows(const void *result)
{
	return store_stage_count(info_of(result)->store);
}

static struct value component_name(const void *result, size_t row, size_t part)
{
	(void)part;
	return value_text(store_stage(info_of(result)->store, row)->name);
}

static struct value component_spans(const void *result, size_t row, size_t part)
{
	(void)part;
	return value_count(info_of(result)->totals.stage_entries[row]);
}

static const struct field component_fields[] = {
    {.key = "name", .type = VALUE_TEXT, .get = component_name},
    {.key = "spans", .type = VALUE_COUNT, .get = component_spans},
    {0},
};

/* events */

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

/* metrics */

static size_t metric_rows(const void *result)
{
	return store_metric_count(info_of(result)->store);
}

static struct metric_info metric_at(const void *result, size_t row)
{
	struct metric_info m = {0};

	store_metric(info_of(result)->store, row, &m);
	return m;
}

static struct value metric_name(const void *result, size_t row, size_t part)
{
	(void)part;
	return value_text(metric_at(result, row).name);
}

static struct value metric_samples(const void *result, size_t row, size_t part)
{
	(void)part;
	return value_count(metric_at(result, row).samples);
}

static struct value metric_min(const void *result, size_t row, size_t part)
{
	struct metric_info m = metric_at(result, row);

	(void)part;
	return m.samples ? value_real(m.min) : value_none();
}

static struct value metric_max(const void *result, size_t row, size_t part)
{
	struct metric_info m = metric_at(result, row);

	(void)part;
	return m.samples ? value_real(m.max) : value_none();
}

static const struct field metric_fields[] = {
    {.key = "name", .type = VALUE_TEXT, .get = metric_name},
    {.key = "samples", .type = VALUE_COUNT, .get = metric_samples},
    {.key = "min", .type = VALUE_REAL, .get = metric_min},
    {.key = "max", .type = VALUE_REAL, .get = metric_max},
    {0},
};

/* warnings: those whose text was kept */

static size_t warning_rows(const void *result)
{
	uint64_t count = store_warning_count(info_of(result)->store);

	return count < STORE_WARNINGS ? (size_t)count : STORE_WARNINGS;
}

static struct value warning_line(const void *result, size_t row, size_t part)
{
	struct warning w;

	(void)part;
	if (!store_warning(info_of(result)->store, row, &w) || w.line == 0)
		return value_none();
	return value_count(w.line);
}

static struct value warning_text(const void *result, size_t row, size_t part)
{
	struct warning w;

	(void)part;
	return store_warning(info_of(result)->store, row, &w) ? value_text(w.text) : value_none();
}

static const struct field warning_fields[] = {
    {.key = "line", .type = VALUE_COUNT, .get = warning_line, .name = true},
    {.key = "text", .type = VALUE_TEXT, .get = warning_text},
    {0},
};

/* The lists of info, in the order in which they are shown. */
static const struct section sections[] = {
    {.key = "components", .rows = component_rows, .fields = component_fields},
    {.key = "events", .rows = event_rows, .fields = event_fields},
    {.key = "metrics", .rows = metric_rows, .fields = metric_fields},
    {.key = "warnings", .rows = warning_rows, .fields = warning_fields},
    {0},
};

static uint64_t spans(const struct info *info)
{
	uint64_t count = store_row_count(info->store);

	for (size_t i = 0; i < store_stage_count(info->store); i++)
		count += info->totals.stage_entries[i];
	return count;
}

static void json_tick(struct json *w, const char *key, const struct progress *p, int64_t tick)
{
	json_key(w, key);
	if (p->first <= p->last)
		json_int(w, tick);
	else
		json_null(w);
}

static void json_count(struct json *w, const char *key, uint64_t count)
{
	json_key(w, key);
	json_uint(w, count);
}

static void json_notes(struct json *w, const struct info *info)
{
	json_key(w, "notes");
	json_object(w);
	for (size_t i = 0; i < store_note_count(info->store); i++) {
		uint64_t count;
		const char *key = store_note(info->store, i, &count);

		json_count(w, key, count);
	}
	json_object_end(w);
}

/* The same object for info and index. */
static void json_index(struct json *w, const struct progress *p)
{
	json_object(w);
	json_count(w, "bytes", p->index_bytes);
	json_count(w, "source_bytes", p->source_bytes);
	json_key(w, "seconds");
	json_real(w, p->seconds);
	json_key(w, "cached");
	json_bool(w, p->cached);
	json_object_end(w);
}

/* Committed instructions, micro-ops not counted, over all cycles begun; NaN without ticks. */
static double ipc_of(const struct info *info)
{
	const struct progress *p = &info->progress;
	uint64_t ticks = (uint64_t)p->last - (uint64_t)p->first;
	double cycles = (double)(ticks / (uint64_t)store_ticks_per_cycle(info->store)) + 1;

	return p->first > p->last ? NAN : (double)info->totals.committed_macro / cycles;
}

/* Infinite when nothing committed: shown as not known. */
static double cpi_of(const struct info *info)
{
	return info->totals.committed_macro ? 1 / ipc_of(info) : NAN;
}

/* What only some formats have. */
static void json_extras(struct json *w, const struct store *s)
{
	const struct segments at = store_segments(s);

	json_key(w, "ticks_per_cycle");
	json_int(w, store_ticks_per_cycle(s));
	json_key(w, "pipeline");
	if (at.setup) {
		json_array(w);
		json_int(w, at.execute);
		json_int(w, at.setup);
		json_array_end(w);
	} else {
		json_null(w);
	}
	json_count(w, "links", store_link_count(s));
	json_key(w, "links_bound");
	if (store_link_count_is_bound(s))
		json_string(w, "upper");
	else
		json_null(w);
	json_key(w, "lanes");
	json_array(w);
	for (size_t i = 0; i < store_lane_count(s); i++)
		json_text(w, store_lane(s, i), strlen(store_lane(s, i)));
	json_array_end(w);
	json_key(w, "threads");
	json_array(w);
	for (size_t i = 1; i <= store_thread_count(s); i++)
		json_int(w, store_thread(s, (uint16_t)i));
	json_array_end(w);
}

static enum status info_json(struct output *out, const struct info *info, struct error *e)
{
	struct json *w = &out->json;
	enum status status = STATUS_OK;

	json_object(w);
	json_key(w, "format");
	json_string(w, store_format(info->store)->name);
	json_key(w, "unit");
	json_string(w, store_unit(info->store));
	json_extras(w, info->store);
	json_tick(w, "first", &info->progress, info->progress.first);
	json_tick(w, "last", &info->progress, info->progress.last);
	json_count(w, "spans", spans(info));
	json_count(w, "instructions", info->totals.instructions);
	json_count(w, "micro_ops", info->totals.micro_ops);
	for (size_t i = 0; i < FATE_KEYS; i++)
		json_count(w, fate_keys[i].key, info->totals.fates[fate_keys[i].fate]);
	json_key(w, "ipc");
	json_real(w, ipc_of(info));
	json_key(w, "cpi");
	json_real(w, cpi_of(info));
	for (const struct section *s = sections; !status && s->key; s++)
		status = output_json_section(out, s, info, UINT64_MAX, e);
	json_count(w, "warning_count", store_warning_count(info->store));
	json_notes(w, info);
	json_key(w, "index");
	json_index(w, &info->progress);
	json_object_end(w);
	sbuf_putc(&out->text, '\n');
	return status;
}

static void index_line(struct sbuf *out, const struct progress *p)
{
	char index[32], source[32];
	double percent =
	    p->source_bytes ? 100.0 * (double)p->index_bytes / (double)p->source_bytes : 0.0;

	sbuf_printf(out, "%-14s %s (%.1f %% of %s), ", "index", num_bytes(p->index_bytes, index),
		    percent, num_bytes(p->source_bytes, source));
	if (p->cached)
		sbuf_puts(out, "from the cache\n");
	else
		sbuf_printf(out, "made in %.2f s\n", p->seconds);
}

static void text_count(struct sbuf *out, const char *key, uint64_t count)
{
	char number[32];

	sbuf_printf(out, "%-14s %s\n", key, num_group((int64_t)count, number));
}

static void text_rate(struct sbuf *out, const char *key, double rate)
{
	if (isnan(rate))
		sbuf_printf(out, "%-14s -\n", key);
	else
		sbuf_printf(out, "%-14s %.3f\n", key, rate);
}

/* Whole, for those who read them from a file; a terminal gets a table. */
static enum status text_warnings(struct output *out, const struct info *info, struct error *e)
{
	enum status status = STATUS_OK;

	sbuf_puts(&out->text, "\nwarnings\n  line  text\n");
	for (size_t row = 0; !status && row < warning_rows(info); row++) {
		struct warning w;

		if (!store_warning(info->store, row, &w))
			continue;
		if (w.line)
			sbuf_printf(&out->text, "%6" PRIu64 "  ", w.line);
		else
			sbuf_puts(&out->text, "     -  ");
		output_cell(out, w.text, strlen(w.text), INT_MAX, false);
		sbuf_putc(&out->text, '\n');
		status = output_drain(out, e);
	}
	return status;
}

static enum status info_text(struct output *out, const struct info *info, struct error *e)
{
	const struct progress *p = &info->progress;
	const char *unit = store_unit(info->store);
	const struct segments at = store_segments(info->store);
	struct output_table whole = {.limit = UINT64_MAX};
	enum status status = STATUS_OK;
	char first[32], last[32];

	sbuf_printf(&out->text, "%-14s %s (%s)\n", "format", store_format(info->store)->name,
		    store_format(info->store)->title);
	if (p->first <= p->last)
		sbuf_printf(&out->text, "%-14s %s to %s\n", unit, num_group(p->first, first),
			    num_group(p->last, last));
	if (store_ticks_per_cycle(info->store) != 1)
		text_count(&out->text, "ticks a cycle",
			   (uint64_t)store_ticks_per_cycle(info->store));
	if (at.setup)
		sbuf_printf(&out->text, "%-14s N_E %" PRId64 ", N_S %" PRId64 "\n", "pipeline",
			    at.execute, at.setup);
	text_count(&out->text, "spans", spans(info));
	text_count(&out->text, "instructions", info->totals.instructions);
	text_count(&out->text, "micro-ops", info->totals.micro_ops);
	for (size_t i = 0; i < FATE_KEYS; i++)
		text_count(&out->text, fate_names[fate_keys[i].fate],
			   info->totals.fates[fate_keys[i].fate]);
	if (store_thread_count(info->store) > 1)
		text_count(&out->text, "threads", store_thread_count(info->store));
	if (store_link_count(info->store))
		text_count(&out->text,
			   store_link_count_is_bound(info->store) ? "links at most" : "links",
			   store_link_count(info->store));
	text_rate(&out->text, "IPC", ipc_of(info));
	text_rate(&out->text, "CPI", cpi_of(info));
	index_line(&out->text, p);
	for (const struct section *s = sections; !status && s->key; s++)
		if (s->rows(info))
			status = s->rows == warning_rows && !isatty(fileno(out->stream))
				     ? text_warnings(out, info, e)
				     : output_table(out, s, info, &whole, e);
	text_count(&out->text, "\nwarnings", store_warning_count(info->store));
	for (size_t i = 0; i < store_note_count(info->store); i++) {
		uint64_t count;
		const char *key = store_note(info->store, i, &count);

		if (count)
			sbuf_printf(&out->text, "%-20s %" PRIu64 "\n", key, count);
	}
	return status;
}

enum status cmd_info(const struct cmd_options *o, struct output *out, struct error *e)
{
	struct info info;
	enum status status = open_trace(&info.store, o, out, e);

	if (status)
		return status;
	store_totals(info.store, &info.totals);
	store_progress(info.store, &info.progress);
	status = o->json ? info_json(out, &info, e) : info_text(out, &info, e);
	store_close(info.store);
	return status;
}

enum status cmd_index(const struct cmd_options *o, struct output *out, struct error *e)
{
	struct store *store;
	struct progress p;
	enum status status = open_trace(&store, o, out, e);

	if (status)
		return status;
	store_progress(store, &p);
	if (o->json) {
		json_index(&out->json, &p);
		sbuf_putc(&out->text, '\n');
	} else {
		index_line(&out->text, &p);
	}
	open_note_warnings(store, o, out);
	store_close(store);
	return STATUS_OK;
}
