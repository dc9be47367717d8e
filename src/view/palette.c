#include "config.h"

#include "view/palette.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/embedded.h"
#include "base/num.h"

/* The sixteen attributes and colours that have names; any colour may also be a number. */
static const struct {
	const char *name;
	uint8_t attr;
} attr_names[] = {
    {"bold", ATTR_BOLD},       {"dim", ATTR_DIM},     {"underline", ATTR_UNDERLINE},
    {"reverse", ATTR_REVERSE}, {"blink", ATTR_BLINK},
};

static const char *const color_names[] = {"black", "red",     "green", "yellow",
					  "blue",  "magenta", "cyan",  "white"};

static const char *const depth_names[] = {
    [DEPTH_MONO] = "mono",
    [DEPTH_8] = "8",
    [DEPTH_256] = "256",
};

static const int depth_colors[] = {[DEPTH_MONO] = 0, [DEPTH_8] = 8, [DEPTH_256] = 256};

static const char *const role_names[] = {
#define ROLE_NAME(name, text, help) text,
    ROLE_INFO(ROLE_NAME)
#undef ROLE_NAME
};

static const struct {
	const char *name;
	int first, count;
} numbered[] = {
    {"stage", ROLE_STAGE_0, PALETTE_STAGES}, {"stay", ROLE_STAY_0, PALETTE_STAGES},
    {"event", ROLE_EVENT_0, PALETTE_EVENTS}, {"metric", ROLE_METRIC_0, PALETTE_METRICS},
    {"heat", ROLE_HEAT_0, PALETTE_HEATS},
};

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

const char *palette_role_name(enum role role, char buf[24])
{
	if ((size_t)role < COUNT(role_names)) {
		snprintf(buf, 24, "%s", role_names[role]);
		return buf;
	}
	for (size_t i = 0; i < COUNT(numbered); i++)
		if ((int)role >= numbered[i].first &&
		    (int)role < numbered[i].first + numbered[i].count)
			snprintf(buf, 24, "%s-%d", numbered[i].name, (int)role - numbered[i].first);
	return buf;
}

static bool parse_role(const char *word, enum role *out)
{
	char name[24];

	for (int r = 0; r < ROLE_COUNT; r++)
		if (strcmp(word, palette_role_name((enum role)r, name)) == 0) {
			*out = (enum role)r;
			return true;
		}
	return false;
}

/* Which of them it is; -1: none. */
static int find_word(const char *const *words, size_t count, const char *word)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(word, words[i]) == 0)
			return (int)i;
	return -1;
}

static bool parse_color(const char *word, int16_t *out)
{
	int64_t number = find_word(color_names, COUNT(color_names), word);

	if (number < 0 && strcmp(word, "default") != 0 &&
	    (!num_parse_i64(word, &number) || number < 0 || number > 255))
		return false;
	*out = (int16_t)number;
	return true;
}

/* "-" or names joined by commas. */
static bool parse_attrs(const char *word, uint8_t *out)
{
	*out = 0;
	for (size_t len; *word && strcmp(word, "-") != 0; word += len + (word[len] == ',')) {
		size_t i = 0;

		len = strcspn(word, ",");
		while (i < COUNT(attr_names) && (strlen(attr_names[i].name) != len ||
						 memcmp(attr_names[i].name, word, len) != 0))
			i++;
		if (i == COUNT(attr_names))
			return false;
		*out |= attr_names[i].attr;
	}
	return true;
}

/* The words of a line, cut at blanks; their number, or one more than max. */
static int split(char *line, char **words, int max)
{
	char *rest = NULL;
	int n = 0;

	for (char *w = strtok_r(line, " \t\r", &rest); w; w = strtok_r(NULL, " \t\r", &rest)) {
		if (n == max)
			return max + 1;
		words[n++] = w;
	}
	return n;
}

static enum status parse_look(char **word, enum color_depth depth, struct style *out,
			      struct error *e)
{
	for (int i = 0; i < 2; i++) {
		int16_t color;

		if (!parse_color(word[i], &color))
			return error_set(e, STATUS_USAGE,
					 "unknown colour `%s'; use default, %s ... or 0-255", word[i],
					 color_names[0]);
		if (color >= depth_colors[depth])
			return error_set(e, STATUS_USAGE, "colour %s does not exist at depth %s",
					 word[i], depth_names[depth]);
		*(i ? &out->bg : &out->fg) = color;
	}
	if (!parse_attrs(word[2], &out->attrs))
		return error_set(e, STATUS_USAGE,
				 "unknown attribute `%s'; use bold, dim, underline, reverse, blink or -",
				 word[2]);
	return STATUS_OK;
}

enum status palette_set(struct palette *p, const char *line, struct error *e)
{
	char copy[160], *word[5];
	struct style look;
	int depth;
	enum role role;
	enum status status;

	if (snprintf(copy, sizeof(copy), "%s", line) >= (int)sizeof(copy) ||
	    split(copy, word, 5) != 5)
		return error_set(e, STATUS_USAGE, "expected ROLE DEPTH FG BG ATTRS");
	if (!parse_role(word[0], &role))
		return error_set(e, STATUS_USAGE, "unknown role `%s'", word[0]);
	depth = find_word(depth_names, COUNT(depth_names), word[1]);
	if (depth < 0)
		return error_set(e, STATUS_USAGE, "unknown colour depth `%s'; use mono, 8 or 256", word[1]);
	status = parse_look(word + 2, (enum color_depth)depth, &look, e);
	if (status == STATUS_OK)
		p->look[depth][role] = p->look[depth][palette_stay(role)] = look;
	return status;
}

/* The embedded file is ours; a test checks that each of its lines is accepted. */
static void load(struct palette *p, const char *text)
{
	while (*text) {
		size_t len = strcspn(text, "\n");
		char line[160];

		if (len > 0 && *text != '#' && len < sizeof(line)) {
			memcpy(line, text, len);
			line[len] = '\0';
			palette_set(p, line, NULL);
		}
		text += len + (text[len] == '\n');
	}
}

void palette_init(struct palette *p, enum color_depth depth)
{
	const struct embedded_file *file = embedded_find("default.palette");

	p->depth = depth;
	for (int d = 0; d < 3; d++)
		for (int r = 0; r < ROLE_COUNT; r++)
			p->look[d][r] = (struct style){.fg = -1, .bg = -1};
	if (file)
		load(p, (const char *)file->bytes);
}

struct style palette_style(const struct palette *p, enum role role)
{
	return p->look[p->depth][role];
}

/* Each part of a colour of the 6x6x6 cube goes half way to white. */
static int16_t lighter(int16_t color)
{
	enum { CUBE = 16, SIDE = 6, BRIGHT = SIDE - 1 };
	int c = color - CUBE;

	if (c < 0 || c >= SIDE * SIDE * SIDE)
		return color;
	return (int16_t)(CUBE + (c / SIDE / SIDE + BRIGHT) / 2 * SIDE * SIDE +
			 (c / SIDE % SIDE + BRIGHT) / 2 * SIDE + (c % SIDE + BRIGHT) / 2);
}

struct style palette_over(const struct palette *p, enum role sign, enum role stage)
{
	const struct style over = palette_style(p, sign);
	struct style style = palette_style(p, stage);

	style.attrs |= over.attrs;
	if (style.bg >= 0 && over.bg >= 0)
		style.fg = lighter(over.bg);
	return style;
}

enum role heat_role(double value, double most)
{
	double place;

	if (!(value > 0))
		return ROLE_PANE;
	place = most > 1 ? log(value < 1 ? 1 : value) / log(most) : 1;
	place = place > 1 ? 1 : place;
	return (enum role)(ROLE_HEAT_0 + (int)(place * (PALETTE_HEATS - 1) + 0.5));
}

struct style palette_heat(const struct palette *p, double value, double most)
{
	struct style style = palette_style(p, heat_role(value, most));

	return (struct style){.fg = style.bg, .bg = -1, .attrs = style.attrs};
}
