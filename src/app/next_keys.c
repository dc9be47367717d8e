#include "config.h"

#include <string.h>

#include "app/state.h"
#include "base/text.h"

/* Keys that begin others: what can follow, in the words of the table of commands. */

enum { KEYS_MOST = 96, WORDS_LEAST = 6, GAP = 2, BORDER_H = 0x2500 };

struct next_key {
	struct sbuf keys, words;
};

/* What a command does as its help begins, and with what; three points stand for what it asks for. */
static void add_words(const char *line, struct sbuf *out)
{
	size_t at = 0, len;
	const struct command *c = command_named(line, &at, NULL);
	const char *args = line + at + strspn(line + at, " "), *help = c ? c->help : line;
	enum option which;

	if (c && strcmp(c->name, "ask") == 0) {
		add_words(args + (strncmp(args, "command ", 8) == 0 ? 8 : 0), out);
		sbuf_puts(out, " ...");
		return;
	}
	if (c && strcmp(c->name, "toggle") == 0 && option_find(args, &which, NULL) == STATUS_OK) {
		help = option_infos[which].help;
		args = "";
	}
	len = strcspn(help, ",;:(");
	sbuf_add(out, help, len && help[len] == '(' ? len - 1 : len);
	if (c && *args && *args != '%')
		sbuf_printf(out, " %s", args);
}

static int collect(const struct app *a, struct next_key *out)
{
	const struct binding *b = NULL;
	int n = 0;

	if (!a->pending.count ||
	    keymap_find(&a->keymap, app_key_mode(a), &a->pending, &b) != KEYMAP_PREFIX)
		return 0;
	for (; b && n < KEYS_MOST; b = keymap_next(&a->keymap, b, &a->pending)) {
		struct key_sequence rest = {.count = b->sequence.count - a->pending.count};

		memcpy(rest.keys, &b->sequence.keys[a->pending.count],
		       (size_t)rest.count * sizeof(rest.keys[0]));
		out[n] = (struct next_key){.keys = {0}};
		keymap_spell(&rest, &out[n].keys);
		if (strcmp(sbuf_text(&out[n].keys), "<Any>") == 0) {
			sbuf_clear(&out[n].keys);
			sbuf_puts(&out[n].keys, "any letter");
		}
		add_words(b->command, &out[n++].words);
	}
	return n;
}

static int width_of(const struct sbuf *s)
{
	return text_width(sbuf_text(s), s->len);
}

/* As many whole words as there is room for, of the first one what fits. */
static void fit_words(const char *text, int room, struct sbuf *out)
{
	size_t len = strlen(text);

	while (len && text_width(text, len) > room) {
		do
			len--;
		while (len && text[len] != ' ');
	}
	if (len)
		sbuf_add(out, text, len);
	else
		text_cut(out, text, room);
}

/* The cells go down the columns; no room for all: the last one says how many are left out. */
static void draw_keys(struct app *a, struct grid *g, struct rect area, int columns,
		      const struct next_key *keys, int count)
{
	struct style plain = palette_style(&a->palette, ROLE_PANE);
	int most = columns * area.h, cell = (area.w + GAP) / columns;

	for (int i = 0; i < count && i < most; i++) {
		struct rect at = {area.x + i / area.h * cell, area.y + i % area.h, cell - GAP, 1};
		struct sbuf words = {0};
		int used;

		if (i == most - 1 && count > most) {
			grid_printf(g, at, at.x, at.y, plain, "%d more", count - i);
			break;
		}
		used = 1 + grid_text(g, at, at.x, at.y, sbuf_text(&keys[i].keys), keys[i].keys.len,
				     palette_style(&a->palette, ROLE_KEY));
		fit_words(sbuf_text(&keys[i].words), at.w - used, &words);
		grid_text(g, at, at.x + used, at.y, sbuf_text(&words), words.len, plain);
		sbuf_free(&words);
	}
}

/* In as many columns as hold all words; in more, with fewer words, where they are too few. */
static void draw_popup(struct app *a, struct grid *g, const struct next_key *keys, int count)
{
	struct rect area = a->layout.body;
	int narrow = 0, wide = 0, columns, rows;
	struct sbuf typed = {0};

	for (int i = 0; i < count; i++) {
		int key = width_of(&keys[i].keys) + 1, words = width_of(&keys[i].words);

		narrow = key > narrow ? key : narrow;
		wide = key + words > wide ? key + words : wide;
	}
	narrow += WORDS_LEAST + GAP;
	columns = area.w / (wide + GAP) > 0 ? area.w / (wide + GAP) : 1;
	while ((count + columns - 1) / columns > area.h - 1 && area.w / (columns + 1) >= narrow)
		columns++;
	rows = (count + columns - 1) / columns;
	rows = rows < area.h - 1 ? rows : area.h - 1;
	area.y += area.h - rows - 1;
	area.h = rows + 1;
	grid_fill(g, area, ' ', palette_style(&a->palette, ROLE_PANE));
	grid_fill(g, (struct rect){area.x, area.y, area.w, 1}, BORDER_H,
		  palette_style(&a->palette, ROLE_BORDER));
	keymap_spell(&a->pending, &typed);
	grid_printf(g, area, area.x + 1, area.y, palette_style(&a->palette, ROLE_PANE_TITLE),
		    " %s and then ", sbuf_text(&typed));
	sbuf_free(&typed);
	area.y++;
	area.h--;
	area.x++;
	area.w--;
	draw_keys(a, g, area, columns, keys, count);
}

void next_keys_draw(struct app *a, struct grid *g)
{
	struct next_key keys[KEYS_MOST];
	int count = collect(a, keys);

	if (count && a->layout.body.h > 1)
		draw_popup(a, g, keys, count);
	for (int i = 0; i < count; i++) {
		sbuf_free(&keys[i].keys);
		sbuf_free(&keys[i].words);
	}
}
