#include "config.h"

#include "pipeline/settings.h"

#include <string.h>

#include "base/num.h"

const char *const stage_role_names[] = {
    [ROLE_OTHER] = "other",
    [ROLE_FETCH] = "fetch",
    [ROLE_DECODE] = "decode",
    [ROLE_EXECUTE] = "execute",
    [ROLE_WRITEBACK] = "writeback",
    [ROLE_COMMIT] = "commit",
    NULL,
};

static size_t find_stage(const struct trace_config *c, const char *name)
{
	size_t i = 0;

	while (i < c->stage_count && strcmp(c->stages[i].name, name) != 0)
		i++;
	return i;
}

static size_t find_event(const struct trace_config *c, const char *name)
{
	size_t i = 0;

	while (i < c->event_count && strcmp(c->events[i].name, name) != 0)
		i++;
	return i;
}

static enum status check_name(const char *name, size_t size, struct error *e)
{
	if (!*name || strlen(name) >= size)
		return error_set(e, STATUS_USAGE, "a name must have 1 to %zu bytes, not: %s", size - 1,
				 name);
	return STATUS_OK;
}

static enum status check_letter(const char *letter, struct error *e)
{
	if (letter[0] <= ' ' || letter[0] > '~' || letter[1])
		return error_set(e, STATUS_USAGE, "not one printable ASCII letter: %s", letter);
	return STATUS_OK;
}

static enum status check_colour(const char *text, int slots, uint8_t *out, struct error *e)
{
	uint64_t n;

	if (!num_parse_u64(text, &n) || n >= (uint64_t)slots)
		return error_set(e, STATUS_USAGE, "a colour must be a slot from 0 to %d, not: %s",
				 slots - 1, text);
	*out = (uint8_t)n;
	return STATUS_OK;
}

static enum status check_role(const char *text, uint8_t *out, struct error *e)
{
	for (uint8_t i = 0; stage_role_names[i]; i++)
		if (strcmp(stage_role_names[i], text) == 0) {
			*out = i;
			return STATUS_OK;
		}
	return error_set(e, STATUS_USAGE,
			 "a role must be other, fetch, decode, execute, writeback or commit, not: %s",
			 text);
}

enum status pipeline_settings_stage(struct pipeline_settings *c, int argc,
				    const char *const *argv, struct error *e)
{
	size_t i = find_stage(&c->rows, argv[0]);
	struct stage_info row = {.help = ""};
	uint8_t given = 0;

	if (check_name(argv[0], sizeof(row.name), e) || check_letter(argv[1], e))
		return STATUS_USAGE;
	if (i == STAGE_MAX)
		return error_set(e, STATUS_USAGE, "at most %d stages", STAGE_MAX);
	if (i < c->rows.stage_count) {
		row = c->rows.stages[i];
		given = c->stage_given[i];
	}
	if (argc > 2 && check_colour(argv[2], STAGE_COLOURS, &row.colour, e))
		return STATUS_USAGE;
	if (argc > 3 && check_role(argv[3], &row.role, e))
		return STATUS_USAGE;
	strcpy(row.name, argv[0]);
	row.letter = argv[1][0];
	given |= (uint8_t)(CHANGE_LETTER | (argc > 2 ? CHANGE_COLOUR : 0) |
			   (argc > 3 ? CHANGE_ROLE : 0));
	c->rows.stages[i] = row;
	c->stage_given[i] = given;
	c->rows.stage_count += i == c->rows.stage_count;
	return STATUS_OK;
}

enum status pipeline_settings_event(struct pipeline_settings *c, int argc,
				    const char *const *argv, struct error *e)
{
	size_t i = find_event(&c->rows, argv[0]);
	struct event_info row = {.help = "", .problem = true};
	uint8_t given = 0;
	uint64_t mask;

	if (check_name(argv[0], sizeof(row.name), e) || check_letter(argv[1], e))
		return STATUS_USAGE;
	if (i == EVENT_MAX)
		return error_set(e, STATUS_USAGE, "at most %d events", EVENT_MAX);
	if (i < c->rows.event_count) {
		row = c->rows.events[i];
		given = c->event_given[i];
	}
	if (argc > 2 && check_colour(argv[2], EVENT_COLOURS, &row.colour, e))
		return STATUS_USAGE;
	if (argc > 3) {
		if (!num_parse_u64(argv[3], &mask) || !mask || mask > UINT32_MAX)
			return error_set(e, STATUS_USAGE,
					 "a mask must be a number such as 0x20, not: %s", argv[3]);
		row.mask = (uint32_t)mask;
	}
	strcpy(row.name, argv[0]);
	row.letter = argv[1][0];
	given |= (uint8_t)(CHANGE_LETTER | (argc > 2 ? CHANGE_COLOUR : 0) |
			   (argc > 3 ? CHANGE_MASK : 0));
	c->rows.events[i] = row;
	c->event_given[i] = given;
	c->rows.event_count += i == c->rows.event_count;
	return STATUS_OK;
}

static void lay_stage(struct trace_config *out, const struct stage_info *row, uint8_t given)
{
	size_t i = find_stage(out, row->name);

	if (i == STAGE_MAX)
		return;
	if (i == out->stage_count) {
		out->stages[out->stage_count++] = *row;
		return;
	}
	out->stages[i].letter = row->letter;
	if (given & CHANGE_COLOUR)
		out->stages[i].colour = row->colour;
	if (given & CHANGE_ROLE)
		out->stages[i].role = row->role;
}

/* By name, or by the mask: so can a bit be renamed. */
static void lay_event(struct trace_config *out, const struct event_info *row, uint8_t given)
{
	size_t i = find_event(out, row->name);

	for (size_t k = 0; i == out->event_count && given & CHANGE_MASK && k < i; k++)
		if (out->events[k].mask == row->mask) {
			memcpy(out->events[k].name, row->name, sizeof(row->name));
			i = k;
			break;
		}
	if (i == EVENT_MAX)
		return;
	if (i == out->event_count) {
		out->events[out->event_count++] = *row;
		return;
	}
	out->events[i].letter = row->letter;
	if (given & CHANGE_COLOUR)
		out->events[i].colour = row->colour;
	if (given & CHANGE_MASK)
		out->events[i].mask = row->mask;
}

bool pipeline_settings_config(const struct pipeline_settings *s, const struct reader *reader,
			      struct trace_config *out)
{
	if (!s || (!s->rows.stage_count && !s->rows.event_count))
		return false;
	reader->config(out);
	for (size_t i = 0; i < s->rows.stage_count; i++)
		lay_stage(out, &s->rows.stages[i], s->stage_given[i]);
	for (size_t i = 0; i < s->rows.event_count; i++)
		lay_event(out, &s->rows.events[i], s->event_given[i]);
	return true;
}
