#include "config.h"

#include "app/options.h"

#include <inttypes.h>
#include <string.h>

#include "base/num.h"

enum { WIDTH_MAX = 200 };

const struct option_info option_infos[OPTION_COUNT] = {
#define OPTION_ROW(id, name, type, def, least, most, effect, help)                                 \
	[OPT_##id] = {name, OPTION_##type, def, least, most, EFFECT_##effect, help},
    OPTION_INFO(OPTION_ROW)
#undef OPTION_ROW
#define COLUMN_ROW(id, text, width, shown, help)                                                   \
	[OPT_COLUMN_##                                                                             \
	    id] = {"column-" text, OPTION_BOOL, shown, 0, 1, EFFECT_VIEW | EFFECT_LAYOUT,          \
		   "column: " help},
	GUTTER_INFO(COLUMN_ROW)
#undef COLUMN_ROW
#define WIDTH_ROW(id, text, width, shown, help)                                                    \
	[OPT_WIDTH_##id] = {"width-" text,                                                         \
			    OPTION_INT,                                                            \
			    width,                                                                 \
			    1,                                                                     \
			    WIDTH_MAX,                                                             \
			    EFFECT_VIEW | EFFECT_LAYOUT,                                           \
			    "width of the column " text},
	    GUTTER_INFO(WIDTH_ROW)
#undef WIDTH_ROW
};

static const struct {
	const char *name;
	int64_t value;
} switches[] = {{"on", 1},  {"yes", 1}, {"true", 1},  {"1", 1},
		{"off", 0}, {"no", 0},  {"false", 0}, {"0", 0}};

void options_init(struct options *o)
{
	for (int i = 0; i < OPTION_COUNT; i++)
		o->value[i] = option_infos[i].def;
}

enum status option_find(const char *name, enum option *out, struct error *e)
{
	size_t len = strlen(name);
	int found = 0;

	for (int i = 0; i < OPTION_COUNT; i++) {
		if (strncmp(option_infos[i].name, name, len) != 0)
			continue;
		*out = (enum option)i;
		if (!option_infos[i].name[len])
			return STATUS_OK;
		found++;
	}
	if (found == 1 && len > 0)
		return STATUS_OK;
	return error_set(e, STATUS_USAGE, "%s: %s (:help lists the options)", name,
			 found > 1 && len ? "ambiguous option" : "no such option");
}

static bool parse_switch(const char *value, int64_t *out)
{
	for (size_t i = 0; i < sizeof(switches) / sizeof(switches[0]); i++)
		if (strcmp(switches[i].name, value) == 0) {
			*out = switches[i].value;
			return true;
		}
	return false;
}

enum status option_set(struct options *o, enum option which, const char *value, struct error *e)
{
	const struct option_info *info = &option_infos[which];
	int64_t n;

	if (info->type == OPTION_BOOL) {
		if (!parse_switch(value, &n))
			return error_set(e, STATUS_USAGE, "%s must be on or off, not %s", info->name,
					 value);
	} else if (!num_parse_i64(value, &n) || n < info->least || n > info->most) {
		return error_set(e, STATUS_USAGE,
				 "%s must be a number from %" PRId64 " to %" PRId64 "%s, not %s",
				 info->name, info->least, info->most,
				 info->type == OPTION_SIZE ? ", as 500M or 8G" : "", value);
	}
	o->value[which] = n;
	return STATUS_OK;
}

/* As it is typed: 8G, 1500k. */
static void add_size(int64_t bytes, struct sbuf *out)
{
	static const char suffixes[] = "kMG";
	int power = -1;

	while (bytes && bytes % 1000 == 0 && power < 2) {
		bytes /= 1000;
		power++;
	}
	sbuf_printf(out, "%" PRId64, bytes);
	if (power >= 0)
		sbuf_putc(out, suffixes[power]);
}

void option_show(const struct options *o, enum option which, struct sbuf *out)
{
	sbuf_printf(out, "%s ", option_infos[which].name);
	switch (option_infos[which].type) {
	case OPTION_BOOL:
		sbuf_puts(out, o->value[which] ? "on" : "off");
		break;
	case OPTION_INT:
		sbuf_printf(out, "%" PRId64, o->value[which]);
		break;
	case OPTION_SIZE:
		add_size(o->value[which], out);
		break;
	}
}
