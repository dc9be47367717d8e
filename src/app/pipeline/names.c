#include "config.h"

#include "app/pipeline/names.h"

#include <string.h>
#include <strings.h>

static const char *const kinds[] = {"stage", "event", "fate", "lane"};

const char *name_at(const struct store *s, enum named kind, size_t i)
{
	switch (kind) {
	case NAMED_STAGE:
		return i < store_stage_count(s) ? store_stage(s, i)->name : NULL;
	case NAMED_EVENT:
		return i < store_event_count(s) ? store_event(s, i)->name : NULL;
	case NAMED_LANE:
		return i + 1 < store_lane_count(s) ? store_lane(s, i + 1) : NULL;
	case NAMED_FATE:
		break;
	}
	return i < FATE_COUNT ? fate_names[i] : NULL;
}

enum status name_find(const struct store *s, enum named kind, const char *name, unsigned *out,
		      struct error *e)
{
	struct sbuf all = {0};
	size_t len = strlen(name);
	const char *found;
	int begins = 0;

	for (unsigned i = 0; (found = name_at(s, kind, i)); i++) {
		sbuf_printf(&all, "%s%s", i ? ", " : "", found);
		if (strcasecmp(found, name) == 0) {
			*out = i;
			sbuf_free(&all);
			return STATUS_OK;
		}
		if (len && strncasecmp(found, name, len) == 0 && begins++ == 0)
			*out = i;
	}
	if (begins != 1)
		error_set(e, STATUS_USAGE, "no such %s: %s (%s%.200s)", kinds[kind], name,
			  all.len ? "there are: " : "the trace has none", sbuf_text(&all));
	sbuf_free(&all);
	return begins == 1 ? STATUS_OK : STATUS_USAGE;
}
