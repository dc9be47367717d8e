/*
 * Keys and mouse events as the terminal room hands them over: a code point or a named key,
 * with modifiers; and their spelling in keymaps ("g", "<PageDown>", "<C-d>", "<M-x>", "<F1>").
 */
#ifndef PIPEGLASS_APP_KEY_H
#define PIPEGLASS_APP_KEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* name in keymaps */
#define KEY_INFO(_)                                                                                \
	_(UP, "Up") _(DOWN, "Down") _(LEFT, "Left") _(RIGHT, "Right")                              \
	_(HOME, "Home") _(END, "End") _(PAGE_UP, "PageUp") _(PAGE_DOWN, "PageDown")                \
	_(INSERT, "Insert") _(DELETE, "Delete") _(BACKSPACE, "Backspace") _(TAB, "Tab")            \
	_(BACKTAB, "BackTab") _(ENTER, "Enter") _(ESCAPE, "Esc") _(SPACE, "Space")                 \
	_(F1, "F1") _(F2, "F2") _(F3, "F3") _(F4, "F4") _(F5, "F5") _(F6, "F6") _(F7, "F7")        \
	_(F8, "F8") _(F9, "F9") _(F10, "F10") _(F11, "F11") _(F12, "F12")

enum {
	KEY_NAMED = 0x110000, /* first value beyond Unicode */
#define KEY_ENUM(name, text) K_##name,
	KEY_INFO(KEY_ENUM)
#undef KEY_ENUM
	    K_LAST
};

enum { MOD_SHIFT = 1, MOD_ALT = 2, MOD_CTRL = 4 };

struct key {
	uint32_t code; /* code point or K_*; letters with MOD_CTRL are lower case */
	uint8_t mods;  /* MOD_SHIFT only with named keys */
};

enum mouse_kind { MOUSE_PRESS, MOUSE_RELEASE, MOUSE_WHEEL_UP, MOUSE_WHEEL_DOWN };

struct mouse {
	enum mouse_kind kind;
	int x, y;    /* cells from 0 */
	int button;  /* 1.. */
	uint8_t mods;
	bool twice;  /* double click */
};

bool key_parse(const char **text, struct key *out); /* advances *text; false: bad spelling */
const char *key_name(struct key k, char buf[32]);
bool key_equal(struct key a, struct key b);

#endif
