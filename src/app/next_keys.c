#include "config.h"

#include <string.h>

#include "app/state.h"
#include "base/text.h"

/* Keys that begin others: what can follow, in the words of the table of commands. */

enum { WORDS_LEAST = 6, GAP = 2, BORDER_H = 0x2500 };

/* What a command does as its help begins, and with what; three points stand for what it asks for. */
static void add_words(const char *line, struct sbuf *out)
{
	const char *args = "", *help;
	const struct command *c = command_meant(line, &args);
	enum option which;
	size_t len;

	help = c ? c->help : line;
	if (c && strcmp(c->name, "toggle") == 0 && option_find(args, &which, NULL) == STATUS_OK) {
		help = option_infos[which].help;
		args = "";
	}
	len = strcspn(help, ",;:(");
	sbuf_add(out, help, len && help[len] == '(' ? len - 1 : len);
	if (strncmp(line, "ask ", 4) == 0)
		args = "...";
	if (*args && *args != '%')
		sbuf_printf(out, " %s", args);
}

struct next_key {
	struct sbuf keys, words;
	int key_width, width; /* of the keys and a blank; of all */
};

static void read_next(const struct app *a, const struct binding *b, struct next_key *out)
{
	struct key_sequence rest = {.count = b->sequence.count - a->pending.count};

	memcpy(rest.keys, &b->sequence.keys[a->pending.count],
	       (size_t)rest.count * sizeof(rest.keys[0]));
	sbuf_clear(&out->keys);
	sbuf_clear(&out->words);
	keymap_spell(&rest, &out->keys);
	if (strcmp(sbuf_text(&out->keys), "<Any>") == 0) {
		sbuf_clear(&out->keys);
		sbuf_puts(&out->keys, "any letter");
	}
	add_words(b->command, &out->words);
	out->key_width = text_width(sbuf_text(&out->keys), out->keys.len) + 1;
	out->width = out->key_width + text_width(sbuf_text(&out->words), out->words.len);
}

/* Of the words as many whole ones as there is room for; of the first one at least what fits. */
static void draw_cell(struct app *a, struct grid *g, struct rect at, const struct next_key *k)
{
	struct sbuf words = {0};
	const char *end;

	text_cut(&words, sbuf_text(&k->words), at.w - k->key_width);
	end = k->width > at.w ? strrchr(sbuf_text(&words), ' ') : NULL;
	grid_text(g, at, at.x, at.y, sbuf_text(&k->keys), k->keys.len,
		  palette_style(&a->palette, ROLE_KEY));
	grid_text(g, at, at.x + k->key_width, at.y, sbuf_text(&words),
		  end ? (size_t)(end - words.text) : words.len, palette_style(&a->palette, ROLE_PANE));
	sbuf_free(&words);
}

static void draw_frame(struct app *a, struct grid *g, struct rect area)
{
	struct sbuf typed = {0};

	keymap_spell(&a->pending, &typed);
	grid_fill(g, area, ' ', palette_style(&a->palette, ROLE_PANE));
	grid_fill(g, (struct rect){area.x, area.y, area.w, 1}, BORDER_H,
		  palette_style(&a->palette, ROLE_BORDER));
	grid_printf(g, area, area.x + 1, area.y, palette_style(&a->palette, ROLE_PANE_TITLE),
		    " %s and then ", sbuf_text(&typed));
	sbuf_free(&typed);
}

/*
 * In as many columns as hold all words; in more, with fewer words, where the lines are too few. The
 * cells go down the columns; if still there is no room, the last one says how many are left out.
 */
void next_keys_draw(struct app *a, struct grid *g)
{
	struct rect area = a->layout.body;
	enum key_mode mode = app_key_mode(a);
	const struct binding *first = NULL, *b;
	int count = 0, narrow = 0, wide = 0, columns, rows, i = 0;
	struct next_key k = {.width = 0};

	if (!a->pending.count || area.h < 2 ||
	    keymap_find(&a->keymap, mode, &a->pending, &first) != KEYMAP_PREFIX)
		return;
	for (b = first; b; b = keymap_next(&a->keymap, mode, b, &a->pending), count++) {
		read_next(a, b, &k);
		narrow = k.key_width > narrow ? k.key_width : narrow;
		wide = k.width > wide ? k.width : wide;
	}
	columns = area.w / (wide + GAP) > 0 ? area.w / (wide + GAP) : 1;
	while ((count + columns - 1) / columns >= area.h &&
	       area.w / (columns + 1) >= narrow + WORDS_LEAST + GAP)
		columns++;
	rows = (count + columns - 1) / columns;
	rows = rows < area.h ? rows : area.h - 1;
	area.y += area.h - rows - 1;
	area.h = rows + 1;
	draw_frame(a, g, area);
	for (b = first; b && i < rows * columns;
	     b = keymap_next(&a->keymap, mode, b, &a->pending), i++) {
		int cell = (area.w + GAP - 1) / columns;
		struct rect at = {area.x + 1 + i / rows * cell, area.y + 1 + i % rows, cell - GAP, 1};

		read_next(a, b, &k);
		if (i == rows * columns - 1 && i + 1 < count)
			grid_printf(g, at, at.x, at.y, palette_style(&a->palette, ROLE_PANE),
				    "%d more", count - i);
		else
			draw_cell(a, g, at, &k);
	}
	sbuf_free(&k.keys);
	sbuf_free(&k.words);
}
